package official

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"arpent/internal/opendata/ingest/fetch"
)

// requestsName is the file of a downloads folder that says what an installation asked for: a JSON
// object a line. An operator may take a line out.
const requestsName = "requests.jsonl"

// String says what is asked for, in words.
func (r Request) String() string {
	what, where := "everything", "France"
	if len(r.Sources) > 0 {
		what = strings.Join(r.Sources, ", ")
	}
	switch {
	case r.Commune != "":
		where = r.Commune
	case len(r.Departements) > 0:
		where = strings.Join(r.Departements, ", ")
	}
	return what + " of " + where
}

// Remember adds a request to those of a downloads folder, unless it is there.
func Remember(dir string, r Request) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, requestsName)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for known := range bytes.Lines(text) {
		if bytes.Equal(bytes.TrimSpace(known), line) {
			return nil
		}
	}
	text = append(append(bytes.TrimRight(text, "\n"), '\n'), line...)
	return fetch.ReplaceFile(path, append(bytes.TrimLeft(text, "\n"), '\n'))
}

// Remembered are the requests of a downloads folder. One that cannot be read is an error: without it,
// files would look as if they were not wanted.
func Remembered(dir string) ([]Request, error) {
	text, err := os.ReadFile(filepath.Join(dir, requestsName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Request
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var r Request
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("read %s, line %d: %w; take the line out and ask for it again", requestsName,
				number, err)
		}
		out = append(out, r)
	}
	return out, nil
}
