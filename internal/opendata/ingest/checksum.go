package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
)

// recordedFile is a file in the row of its load.
type recordedFile struct {
	Name     string    `json:"name"`
	SHA256   string    `json:"sha256"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
	Box      bool      `json:"box,omitempty"` // it is of the starter data
}

// computeChecksum fills in the checksums of the files and of the load. A file that has the name, size and
// time of one that was loaded is not read again.
func (g *group) computeChecksum(src source.Source, before map[string]recordedFile) error {
	whole, err := json.Marshal(src)
	if err != nil {
		return err
	}
	made, err := checksumMembers(whole)
	if err != nil {
		return err
	}
	sum := sha256.New()
	sum.Write(made)
	for i := range g.files {
		f := &g.files[i]
		old, known := before[f.name]
		if known && old.Bytes == f.bytes && old.Modified.Equal(f.modified) {
			f.sha256 = old.SHA256
		} else if f.sha256, err = fetch.SHA256(f.partPaths()...); err != nil {
			return fmt.Errorf("read %s: %w", f.name, err)
		}
		fields, err := json.Marshal(f.fields)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "\n%s %s %t", f.sha256, fields, f.partial)
	}
	g.checksum = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// ignoredMembers are the members of a declaration that the rows of a load do not depend on: what is shown of
// the source, when it is loaded, which files are its own (their fields count by themselves), and what makes a
// load unacceptable as a whole.
var ignoredMembers = []string{"Group", "Title", "Producer", "Licence", "Homepage", "After", "Note", "Files"}

// checksumMembers is what of a declaration decides what a load produces. Members without a value are left out
// at every depth, so that a new member of the types changes nothing for the sources that do not use it; so
// are the comments of SQL and the wording of reasons.
func checksumMembers(declared []byte) ([]byte, error) {
	var members map[string]any
	if err := json.Unmarshal(declared, &members); err != nil {
		return nil, err
	}
	for _, name := range ignoredMembers {
		delete(members, name)
	}
	if checks, has := members["Checks"].(map[string]any); has {
		members["Checks"] = map[string]any{"Known": checks["Known"]}
	}
	return json.Marshal(dropUnread(members))
}

// comment is a line of SQL that is a comment and no separator of statements, or blank.
var comment = regexp.MustCompile(`(?m)^[ \t]*(--([^-].*)?)?\n`)

// dropUnread leaves out what does not change the rows: why a row is rejected, comments, and members without a
// value. It leaves empty lists: of a column's names they mean something else than none.
func dropUnread(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "Reason")
		for name, member := range v {
			v[name] = dropUnread(member)
			switch v[name] {
			case nil, "", false, 0.0:
				delete(v, name)
			}
		}
	case []any:
		for i, element := range v {
			v[i] = dropUnread(element)
		}
	case string:
		return strings.TrimSpace(comment.ReplaceAllString(v, ""))
	}
	return v
}
