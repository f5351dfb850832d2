package checks_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"arpent/app/dev/testkit"
)

// The shares that the code had when they were last measured, rounded up to a
// tenth of a percent. They may only be lowered.
const (
	maxoneWordShare  = 0.021
	maxlongLineShare = 0.020
)

// A reader can expect names that say what a function does and lines that fit the screen: the shares of those
// that do not do not grow. make style prints them.
func TestStyleDoesNotGetWorse(t *testing.T) {
	t.Parallel()
	root := testkit.Root(t)
	f := measureStyle(t, os.DirFS(root))
	subjects, err := exec.CommandContext(t.Context(), "git", "-c", "safe.directory=*", "-C", root, "log", "--format=%s").Output()
	if err != nil {
		t.Logf("the subjects of commits are not known: git log: %v", err)
	}
	t.Log("\n" + f.formatTable(strings.Split(strings.TrimSpace(string(subjects)), "\n")))
	if got := f.oneWordShare(); got > maxoneWordShare {
		t.Errorf("%.2f %% of the functions are named by one lower-case word, at most %.1f %%: "+
			"name new ones with a verb and an object", 100*got, 100*maxoneWordShare)
	}
	if got := f.longLineShare(); got > maxlongLineShare {
		t.Errorf("%.2f %% of the lines have more than 110 columns, at most %.1f %%: wrap new ones",
			100*got, 100*maxlongLineShare)
	}
}

// The figures in make style are those of the files: generated files, tests and data are not counted as code.
// A project without functions or commits has shares of zero.
func TestFiguresOfASmallProject(t *testing.T) {
	t.Parallel()
	long := "// " + strings.Repeat("é", 105) + "\n"           // 108 characters
	longest := "// " + strings.Repeat("x", 100) + " beside\n" // 110 characters
	project := fstest.MapFS{
		"a/a.go": {Data: []byte("package a\n\nfunc worse() {}\n\nfunc parseIDU() {\n}\n\n" +
			"func (t T) Name() {}\n" + long + longest)},
		"a/a_templ.go":         {Data: []byte("package a\n\nfunc nobody() {}\n")},
		"a/a_test.go":          {Data: []byte("package a\n\n// Nobody sees it.\n")},
		"a/testdata/x.go":      {Data: []byte("not Go, nobody reads it\n")},
		"b/b.go":               {Data: []byte("package b\n\nvar x = `" + strings.Repeat("x", 110) + "`\n")},
		"b/b.sql":              {Data: []byte("-- What there is of a commune, besides.\n")},
		"migrations/00001.sql": {Data: []byte("-- nobody\n")},
		"Makefile":             {Data: []byte("# Whoever reads this\n")},
		".ci/run":              {Data: []byte("# nobody\n")},
		"CONTRIBUTING.md":      {Data: []byte("Do not write nobody.\n")},
		"portal/pages/csrf.go": {Data: []byte("package pages\n\n// nobody\n")},
	}
	f := measureStyle(t, project)
	table := f.formatTable([]string{"api: add a key", strings.Repeat("é", 72), strings.Repeat("é", 73)})
	for _, want := range []string{
		"| hand-written Go without tests | 16 lines, 3 packages |",
		"| tests | 3 lines |",
		"| functions named by one lower-case word | 33.3 % (1 of 3) |",
		"| function length p50 / p90 | 1 / 2 lines |",
		"| lines over 100 columns | 18.8 % (3) |",
		"| lines over 110 columns | 6.2 % (1) |",
		"| commit subjects over 72 characters | 1 of 3, the longest 73 |",
		"| “nobody” | 2 |", "| “whoever” | 1 |", "| “beside” | 1 |", "| “what there is” | 1 |",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("%s is missing in\n%s", want, table)
		}
	}
	if table := measureStyle(t, fstest.MapFS{}).formatTable(nil); !strings.Contains(table, "| 0.0 % (0 of 0) |") {
		t.Error(table)
	}
}
