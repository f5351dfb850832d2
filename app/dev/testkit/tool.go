package testkit

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Tool is the path of one of PostgreSQL's programs, such as pg_dump. A test that needs it is skipped
// where it is missing, and fails with CI set.
func Tool(t testing.TB, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // the pattern is well formed
	if len(found) == 0 {
		skipOrFail(t, "%s is not installed", name)
	}
	return found[len(found)-1]
}
