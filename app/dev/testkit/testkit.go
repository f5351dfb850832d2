// Package testkit gives tests what they need and takes it away afterwards: a real PostGIS database, a real Redis,
// the folder of open data. Only tests import it.
package testkit

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
)

// missing ends a test that lacks something of the machine: in CI that is a failure, elsewhere a visible skip.
func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Data is the folder of the open-data files, named by ARPENT_DATA; relative to the root of the module, because
// a test runs in the folder of its package.
func Data(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("ARPENT_DATA")
	if dir == "" {
		missing(t, "ARPENT_DATA is not set: it names the folder of the open-data files")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(Root(t), dir)
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		missing(t, "ARPENT_DATA: %s is not a folder", dir)
	}
	return dir
}

// NationalData is the folder of the open-data files for a test that reads the national ones whole. It is not run under the
// race detector, which makes it five to ten times slower: make test runs it without.
func NationalData(t testing.TB) string {
	t.Helper()
	WithoutRaceDetector(t)
	return Data(t)
}

// WithoutRaceDetector leaves a test out where it would take minutes and finds nothing more: make test runs it apart.
func WithoutRaceDetector(t testing.TB) {
	t.Helper()
	if racing {
		t.Skip("judged without the race detector")
	}
}

// Rounds is how often a test with a random sequence draws one: few times in make test, each time from another seed, and many
// times in make soak.
func Rounds(few, many int) int {
	if soaking() {
		return many
	}
	return few
}

// soaking reports whether the test was built with -tags soak. A file with that tag would say so too, and have whatever imports
// this package compiled once more for the linters, which look at everything with the tag.
func soaking() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-tags", Value: "soak"})
}

// Root is the folder of go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = parent
	}
}
