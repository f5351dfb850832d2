package checks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// What make run and make test have the shell do is a script that it can read: a comma in a message ends a
// condition of make, and the shell gets half of it.
func TestCommandsOfMakeAreWhole(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"run", "test-race", "test-plain", "generate", "style"} {
		for _, departement := range []string{"", "35"} {
			script := command(t, "make", "-C", testkit.Root(t), "--no-print-directory", "-n", "-o", "build", target, "DEPARTEMENT="+departement)
			check := exec.CommandContext(t.Context(), "bash", "-n")
			check.Stdin = strings.NewReader(script)
			if said, err := check.CombinedOutput(); err != nil {
				t.Errorf("make %s DEPARTEMENT=%s: %v: %s", target, departement, err, said)
			}
		}
	}
}

// command returns what a program prints.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	printed, err := exec.CommandContext(t.Context(), name, args...).Output()
	if err != nil {
		t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return string(printed)
}

// sourcesOf is the text of the tests of a folder, without those of make soak, or of its other Go files.
func sourcesOf(t *testing.T, folder string, tests bool) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") != tests {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "//go:build soak") {
			all.Write(text)
		}
	}
	return all.String()
}
