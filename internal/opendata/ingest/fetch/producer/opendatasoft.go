package producer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
)

// Opendatasoft is the export of a dataset of an Opendatasoft portal,
// whose rows are compared with its total_count.
type Opendatasoft struct {
	Host    string // "data.culture.gouv.fr"
	Dataset string
	Format  string // "csv" (separated by ";"), "geojson"
	Labels  bool   // columns by their labels, not their technical names
	Select  string
	Where   string // with {departement} and {year}; with {year} one file a year, field year
	Years   int    // how many years to take; 0: the newest
}

// Attachment is a file attached to a dataset of an Opendatasoft portal.
type Attachment struct {
	Host    string
	Dataset string
	Title   string // regular expression on its title or id; the newest that matches is taken
}

// String implements fetch.Resolver.
func (o Opendatasoft) String() string {
	return "https://" + o.Host + "/explore/dataset/" + o.Dataset + "/"
}

// String implements fetch.Resolver.
func (a Attachment) String() string {
	return "https://" + a.Host + "/explore/dataset/" + a.Dataset + "/information/"
}

func opendatasoftAddress(host, dataset string) string {
	return "https://" + host + "/api/explore/v2.1/catalog/datasets/" + url.PathEscape(dataset)
}

// opendatasoftSet is what a portal says of a dataset.
type opendatasoftSet struct {
	Attachments []opendatasoftAttachment
	Metas       struct {
		Default struct {
			Processed string `json:"data_processed"`
			Modified  string
		}
	}
}

type opendatasoftAttachment struct{ ID, Title string }

// Resolve implements fetch.Resolver. The export has no size in advance.
func (o Opendatasoft) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	var set opendatasoftSet
	if err := c.JSON(ctx, opendatasoftAddress(o.Host, o.Dataset), &set); err != nil {
		return nil, err
	}
	edition := cmp.Or(set.Metas.Default.Processed, set.Metas.Default.Modified)
	years, wanted := []int{0}, 1
	if strings.Contains(o.Where, "{year}") {
		years, wanted = recentYears(c.Now(), o.Years), max(o.Years, 1)
	}
	var out []fetch.Remote
	for _, year := range years {
		r, where := o.buildExport(p, year)
		total, err := o.fetchRowCount(ctx, c, where)
		if err != nil {
			return nil, err
		}
		if total == 0 {
			continue
		}
		r.Edition = edition
		if out = append(out, r); len(out) == wanted {
			break
		}
	}
	if len(out) == 0 {
		return nil, noFileError(o.Where, "%s has no rows where %s", o, cmp.Or(p.Fill(o.Where, nil),
			"all are taken"))
	}
	return out, nil
}

// buildExport is the export of a year, 0: of all, and the condition that its rows meet.
func (o Opendatasoft) buildExport(p fetch.Place, year int) (r fetch.Remote, where string) {
	name, fields := o.Dataset, map[string]string(nil)
	if year != 0 {
		fields = map[string]string{"year": strconv.Itoa(year)}
		name += "-" + fields["year"]
	}
	where = p.Fill(o.Where, fields)
	query := url.Values{}
	if o.Format == "csv" {
		query.Set("delimiter", ";")
		query.Set("use_labels", strconv.FormatBool(o.Labels))
	}
	if o.Select != "" {
		query.Set("select", o.Select)
	}
	if where != "" {
		query.Set("where", where)
	}
	address := strings.TrimSuffix(opendatasoftAddress(o.Host, o.Dataset)+"/exports/"+o.Format+"?"+
		query.Encode(), "?")
	return fetch.Remote{
		Address: address, Served: name + "." + o.Format, Fields: fields,
		Write: func(ctx context.Context, c *fetch.Client, w io.Writer) error {
			return o.writeExport(ctx, c, w, address, where)
		},
	}, where
}

// fetchRowCount is how many rows there are by the portal's own count.
func (o Opendatasoft) fetchRowCount(ctx context.Context, c *fetch.Client, where string) (int64, error) {
	query := url.Values{"limit": {"0"}}
	if where != "" {
		query.Set("where", where)
	}
	var answer struct {
		Total *int64 `json:"total_count"`
	}
	address := opendatasoftAddress(o.Host, o.Dataset) + "/records?" + query.Encode()
	if err := c.JSON(ctx, address, &answer); err != nil {
		return 0, err
	}
	if answer.Total == nil {
		return 0, fmt.Errorf("%s does not say how many rows there are", address)
	}
	return *answer.Total, nil
}

// writeExport copies an export and counts its rows: a portal that is short of
// time ends an export early, without an error.
func (o Opendatasoft) writeExport(ctx context.Context, c *fetch.Client, w io.Writer, address,
	where string) error {
	want, err := o.fetchRowCount(ctx, c, where)
	if err != nil {
		return err
	}
	have := int64(0)
	_, err = readData(ctx, c, address, func(body io.Reader) (err error) {
		if o.Format == "geojson" {
			_, err = readMembers(io.TeeReader(body, w), "features", func(json.RawMessage) error { have++; return nil })
			return err
		}
		have, err = countRows(w, body, ';')
		have = max(have-1, 0)
		return err
	})
	if err != nil {
		return fmt.Errorf("read %s after %d rows: %w", address, have, err)
	}
	if have < want {
		return incompleteError(address, "rows", have, want)
	}
	return nil
}

// Resolve implements fetch.Resolver. The name is the title, with the ending that the id has.
func (a Attachment) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	title, err := compileExpression(p, a.Title)
	if err != nil {
		return nil, err
	}
	var set opendatasoftSet
	if err := c.JSON(ctx, opendatasoftAddress(a.Host, a.Dataset), &set); err != nil {
		return nil, err
	}
	var names []string
	var found []opendatasoftAttachment
	for _, file := range set.Attachments {
		names = append(names, file.Title)
		if title.MatchString(file.Title) || title.MatchString(file.ID) {
			found = append(found, file)
		}
	}
	if len(found) == 0 {
		return nil, noFileError(a.Title, "%s has no attachment %s; it has %s", a, a.Title, sampleNames(names))
	}
	newest := slices.MaxFunc(found, func(x, y opendatasoftAttachment) int {
		return cmp.Compare(x.fileDate(), y.fileDate())
	})
	return []fetch.Remote{{
		Address: opendatasoftAddress(a.Host, a.Dataset) + "/attachments/" + url.PathEscape(newest.ID),
		Served:  newest.fileName(), Edition: newest.fileDate(), Fields: yearOf(newest.fileDate()),
	}}, nil
}

func (f opendatasoftAttachment) fileDate() string { return cmp.Or(dateIn(f.Title), dateIn(f.ID)) }

// ending is how the id of an attachment writes the ending of its name: indicateur_d_apl_xlsx.
var ending = regexp.MustCompile(`_(csv|geojson|json|ods|pdf|txt|xlsx?|zip)$`)

func (f opendatasoftAttachment) fileName() string {
	name := strings.ReplaceAll(cmp.Or(f.Title, f.ID), "/", "-")
	m := ending.FindStringSubmatch(f.ID)
	if m == nil || strings.EqualFold(path.Ext(name), "."+m[1]) {
		return name
	}
	return strings.TrimSuffix(name, m[0]) + "." + m[1]
}
