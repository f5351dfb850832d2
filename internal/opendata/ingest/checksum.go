package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
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

func recordFiles(files []file) []recordedFile {
	out := make([]recordedFile, len(files))
	for i, f := range files {
		out[i] = recordedFile{f.name, f.sha256, f.bytes, f.modified.UTC(), f.inBox}
	}
	return out
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
		} else if f.sha256, err = f.hashContent(); err != nil {
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

// hashContent returns the SHA-256 of the file; of an archive in volumes that of the volumes joined.
func (f file) hashContent() (string, error) {
	if len(f.volumes) == 0 {
		return fetch.SHA256(f.path)
	}
	sum := sha256.New()
	for _, path := range f.volumes {
		volume, err := os.Open(path)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(sum, volume)
		if err = errors.Join(err, volume.Close()); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
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
	dropReasons(members)
	dropComments(members)
	dropZeros(members)
	return json.Marshal(members)
}

// dropReasons takes away why a row is rejected, which only people read.
func dropReasons(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "Reason")
		for _, member := range v {
			dropReasons(member)
		}
	case []any:
		for _, element := range v {
			dropReasons(element)
		}
	}
}

// comment is a line of SQL that is a comment and no separator of statements, or blank.
var comment = regexp.MustCompile(`(?m)^[ \t]*(--([^-].*)?)?\n`)

// dropComments takes the comments out of texts of several lines, which are SQL.
func dropComments(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = dropComments(member)
		}
	case []any:
		for i, element := range v {
			v[i] = dropComments(element)
		}
	case string:
		return strings.TrimSpace(comment.ReplaceAllString(v, ""))
	}
	return v
}

// dropZeros leaves empty lists: of a column's names they mean something else than none.
func dropZeros(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if member == nil || reflect.ValueOf(member).IsZero() {
				delete(v, name)
			}
			dropZeros(member)
		}
	case []any:
		for _, element := range v {
			dropZeros(element)
		}
	}
}
