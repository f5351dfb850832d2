// Package testkit gives tests what they need and takes it away afterwards: a real PostGIS database, a real
// Redis, the folders of open data. Only tests import it.
package testkit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"arpent/internal/fault"
)

// skipOrFail ends a test that lacks something of the machine: in CI
// that is a failure, elsewhere a visible skip.
func skipOrFail(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Box returns the folder of the box: the real starter data set that is part of the repository.
func Box(t testing.TB) string {
	t.Helper()
	return filepath.Join(Root(t), "data")
}

// FullData returns the folder of the producers' full files, which ARPENT_DATA names, relative to the
// root of the module. The wide audits compare the box with them. Without that folder the test is
// skipped, in CI too: it is not part of the repository.
func FullData(t testing.TB) string {
	t.Helper()
	SkipIfShort(t)
	dir := os.Getenv("ARPENT_DATA")
	if dir == "" {
		t.Skip("a wide audit: ARPENT_DATA names the folder of the producers' full files")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(Root(t), dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		t.Fatalf("ARPENT_DATA: %s is not a folder", dir)
	}
	return dir
}

// NoError ends a test whose preparation or request failed.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Must gives the value that a call returned, and ends a test whose call failed: testkit.Must(call())(t).
func Must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		NoError(t, err)
		return value
	}
}

// ErrorOf returns the error of a call, without the value.
func ErrorOf[T any](_ T, err error) error { return err }

// Want fails a test unless a value is the one that is expected. what says which value it is.
func Want[T comparable](t testing.TB, got, want T, what ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%sgot %#v, want %#v", formatLabel(what), got, want)
	}
}

// WantError fails a test unless err is want. what says of which call; none: the line says enough.
func WantError(t testing.TB, err, want error, what ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%sgot %v, want %v", formatLabel(what), err, want)
	}
}

// WantCode is WantError for the code of a fault.
func WantCode(t testing.TB, err error, want fault.Code, what ...any) {
	t.Helper()
	if err == nil || fault.From(err).Code != want {
		t.Errorf("%sgot %v, want %s", formatLabel(what), err, want)
	}
}

func formatLabel(what []any) string {
	if len(what) == 0 {
		return ""
	}
	return fmt.Sprint(what...) + ": "
}

// SkipIfShort leaves out, with -short, a test that would take minutes under the race detector and finds
// nothing more there.
func SkipIfShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("long under the race detector")
	}
}

// Rounds is how often a test repeats what it does with other values: few times in make test, many times in
// make soak, which finds the test by its call of Rounds.
func Rounds(few, many int) int {
	if isSoakBuild() {
		return many
	}
	return few
}

// isSoakBuild reports whether the test was built with -tags soak. A file with that tag
// would say so too, and have whatever imports this package compiled once more for the
// linters, which look at everything with the tag.
func isSoakBuild() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-tags", Value: "soak"})
}

// Root is the folder of go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	NoError(t, err)
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

// FreePort is a port that no process listens on. It is below those that the system gives to
// connections (32768 and up on Linux), of which there are thousands while tests run: one
// of these could take it before its user does.
func FreePort(t testing.TB) uint16 {
	t.Helper()
	for range 100 {
		port := 15_000 + rand.IntN(17_000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			l.Close()
			return uint16(port)
		}
	}
	t.Fatal("no port is free")
	return 0
}
