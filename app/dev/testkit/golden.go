package testkit

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Golden compares got with testdata/name of the package under test. With -update it writes the file instead,
// and the difference is reviewed as a change of the contract.
func Golden(t testing.TB, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		NoError(t, os.MkdirAll("testdata", 0o755))
		NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run make generate, or this test with -update", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs: if this is meant, run make generate, or this test with -update\ngot  %.600s\nwant %.600s", path, got, want)
	}
}

// GoldenArchive compares files with those of one archive under testdata/, which -update writes in the order
// of their names. Each file that differs is reported by its name, and so is one that only one side has.
func GoldenArchive(t testing.TB, name string, got []txtar.File) {
	t.Helper()
	// the same bytes for any order
	slices.SortFunc(got, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	text := txtar.Format(&txtar.Archive{Files: got})
	if *update {
		Golden(t, name, text)
		return
	}
	path := filepath.Join("testdata", name)
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatalf("%v: run make generate, or this test with -update", err)
	}
	want := map[string][]byte{}
	for _, f := range archive.Files {
		want[f.Name] = f.Data
	}
	for _, f := range txtar.Parse(text).Files { // which ends every file with a line break, as the archive does
		switch data, there := want[f.Name]; {
		case !there:
			t.Errorf("%s has no %s: run make generate, or this test with -update", path, f.Name)
		case !bytes.Equal(f.Data, data):
			t.Errorf("%s in %s differs: if this is meant, run make generate, or this test with -update\ngot  %.600s\nwant %.600s", f.Name, path, f.Data, data)
		}
		delete(want, f.Name)
	}
	for name := range want {
		t.Errorf("%s holds %s, which the test does not make: if this is meant, run make generate, or this test with -update", path, name)
	}
}
