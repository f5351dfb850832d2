package loadkit

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// Zipped is a content in gzip.
func Zipped(content string) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write([]byte(content)); err != nil {
		panic(err) // a buffer takes everything
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

// Collection is a GeoJSON file of features, given as their text.
func Collection(features ...string) string {
	return `{"type":"FeatureCollection","features":[` + strings.Join(features, ",\n") + `]}`
}

// Square is a square of 0.001 degree whose south-west corner is given.
func Square(west, south float64) string {
	const side = 0.001
	east, north := west+side, south+side
	return fmt.Sprintf(`{"type":"Polygon","coordinates":[[[%[1]g,%[2]g],[%[3]g,%[2]g],[%[3]g,%[4]g],[%[1]g,%[4]g],[%[1]g,%[2]g]]]}`,
		west, south, east, north)
}

// Contains fails the test when an error is missing or lacks one of the words.
func Contains(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; expected one that says %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
}

// Archive is a zip file of members, in the order of their names.
func Archive(t testing.TB, members map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		w, err := z.Create(name)
		testkit.NoError(t, err)
		_, err = w.Write([]byte(members[name]))
		testkit.NoError(t, err)
	}
	testkit.NoError(t, z.Close())
	return out.String()
}

// Workbook is an .xlsx file of sheets by their names: rows of texts, between semicolons.
func Workbook(t testing.TB, names []string, sheets ...[]string) string {
	t.Helper()
	workbook := excelize.NewFile()
	defer workbook.Close()
	err := workbook.SetSheetName("Sheet1", names[0])
	for i, name := range names {
		if i > 0 && err == nil {
			_, err = workbook.NewSheet(name)
		}
		for n, row := range sheets[i] {
			var cells []any
			for cell := range strings.SplitSeq(row, ";") {
				if cells = append(cells, cell); cell == "" {
					cells[len(cells)-1] = nil
				}
			}
			err = errors.Join(err, workbook.SetSheetRow(name, fmt.Sprint("A", n+1), &cells))
		}
	}
	var out bytes.Buffer
	if err = errors.Join(err, workbook.Write(&out)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// EachRecord reads a file of whatever format and hands over some fields
// of each record, in the place of one buffer.
func EachRecord(ctx context.Context, path string, spec source.Read, names []string,
	take func(line int64, cells []string)) error {
	r, err := format.Open(ctx, path, spec, format.Options{SRID: 4326})
	if err != nil {
		return err
	}
	defer r.Close()
	cells := make([]string, len(names))
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i, name := range names {
			cells[i], _ = rec.Fields.Text(name)
		}
		take(rec.Line, cells)
	}
}

// FuzzFile reads a content as a format, and fails the test when more records come of it than it has bytes.
func FuzzFile(t *testing.T, in []byte, spec source.Read) {
	t.Helper()
	path := t.TempDir() + "/f"
	testkit.NoError(t, os.WriteFile(path, in, 0o600))
	var rows int
	err := EachRecord(t.Context(), path, spec, []string{"id", "a#2", ""}, func(int64, []string) { rows++ })
	if rows > len(in) {
		t.Errorf("%d rows of %d bytes (%v)", rows, len(in), err)
	}
}
