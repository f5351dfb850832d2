package producer

import (
	"arpent/internal/opendata/ingest/fetch"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
)

// DataGouv is a resource of a dataset on data.gouv.fr: the one with an id if it is still there, else those
// that the expression selects, the newest by the date in the name of the file.
type DataGouv struct {
	Dataset  string // id or slug
	Resource string // id; may be empty
	// regular expression on the last part of the resource's address, with {departement}; may be empty
	File   string
	Newest int // how many to take, the newest first; 0: one; All: all that match
}

// All takes every resource that matches.
const All = -1

// String implements fetch.Resolver.
func (d DataGouv) String() string { return "https://www.data.gouv.fr/datasets/" + d.Dataset + "/" }

type dataGouvSet struct {
	Deleted   string
	Resources []dataGouvResource
}

type dataGouvResource struct {
	ID       string
	Title    string
	URL      string
	Filetype string // "file", kept by data.gouv.fr, or "remote"
	Filesize int64
	Checksum struct{ Type, Value string }
	Modified string `json:"last_modified"`
}

// Resolve implements fetch.Resolver. The field year is that of the date in the name, if it has one.
func (d DataGouv) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	var set dataGouvSet
	err := c.JSON(ctx, "https://www.data.gouv.fr/api/1/datasets/"+url.PathEscape(d.Dataset)+"/", &set)
	switch {
	case fetch.IsGone(err):
		return nil, fmt.Errorf("data.gouv.fr no longer has the dataset %s: %w", d.Dataset, err)
	case err != nil:
		return nil, err
	case set.Deleted != "":
		return nil, fmt.Errorf("data.gouv.fr no longer has the dataset %s: it was deleted on %s", d.Dataset,
			set.Deleted)
	}
	chosen, err := d.selectResources(set.Resources, p)
	if err != nil {
		return nil, err
	}
	var out []fetch.Remote
	for _, r := range chosen {
		out = append(out, r.toRemote())
	}
	return out, nil
}

// selectResources selects resources: by id, else by the expression. Of those of one name and date, which
// would be saved as one file, it takes the one that was changed last.
func (d DataGouv) selectResources(all []dataGouvResource, p fetch.Place) ([]dataGouvResource, error) {
	if i := slices.IndexFunc(all, func(r dataGouvResource) bool {
		return d.Resource != "" && r.ID == d.Resource
	}); i >= 0 {
		return all[i : i+1], nil
	}
	file, err := compileExpression(p, d.File)
	if err != nil {
		return nil, err
	}
	var names []string
	var found []dataGouvResource
	for _, r := range all {
		names = append(names, r.fileName())
		if d.File != "" && file.MatchString(r.fileName()) {
			found = append(found, r)
		}
	}
	// A file is often uploaded again years later: the date of change alone says little.
	slices.SortStableFunc(found, func(a, b dataGouvResource) int {
		return cmp.Or(cmp.Compare(b.fileDate(), a.fileDate()), cmp.Compare(b.Modified, a.Modified))
	})
	seen := map[string]bool{}
	found = slices.DeleteFunc(found, func(r dataGouvResource) bool {
		key := r.fileDate() + " " + r.fileName()
		again := seen[key]
		seen[key] = true
		return again
	})
	if d.Newest != All && len(found) > max(d.Newest, 1) {
		found = found[:max(d.Newest, 1)]
	}
	if len(found) == 0 {
		var looked []string
		if d.Resource != "" {
			looked = append(looked, " with id "+d.Resource)
		}
		if d.File != "" {
			looked = append(looked, " with file name "+d.File)
		}
		return nil, noFileError(d.File, "the dataset %s of data.gouv.fr has no resource%s; it has %s", d.Dataset,
			strings.Join(looked, ","), sampleNames(names))
	}
	return found, nil
}

// fileName is the last part of the address.
func (r dataGouvResource) fileName() string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return path.Base(r.URL)
	}
	return path.Base(u.Path)
}

func (r dataGouvResource) fileDate() string { return cmp.Or(dateIn(r.fileName()), dateIn(r.Title)) }

func (r dataGouvResource) toRemote() fetch.Remote {
	day, _, _ := strings.Cut(r.Modified, "T")
	out := fetch.Remote{Address: r.URL, Served: r.fileName(), Edition: cmp.Or(r.fileDate(), day),
		Fields: yearOf(r.fileDate())}
	// others replace it in place: the catalogue may have the size and checksum of an older one
	if r.Filetype == "remote" {
		return out
	}
	out.Bytes = r.Filesize
	if kind := strings.ToLower(r.Checksum.Type); slices.Contains([]string{"md5", "sha1", "sha256"}, kind) {
		out.Sum = fetch.Checksum{Kind: kind, Hex: strings.ToLower(r.Checksum.Value)}
	}
	return out
}
