package checks_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// A test that calls something from several goroutines is named Concurrent: make test runs it under the race
// detector by its name. Left out, it would hide a race. Where the goroutines share rows of the database and no
// memory of ours, there is none to find, and the test is named Simultaneous.
func TestNamesOfTestsWithGoroutines(t *testing.T) {
	t.Parallel()
	body := regexp.MustCompile(`(?ms)^func (Test\w+)\(t \*testing\.T\) \{$.*?^\}$`)
	several := regexp.MustCompile(`\b\w+\.Go\(func`)
	found := 0
	eachTestFile(t, func(path, text string) {
		for _, m := range body.FindAllStringSubmatch(text, -1) {
			if !several.MatchString(m[0]) {
				continue
			}
			if found++; !strings.Contains(m[1], "Concurrent") && !strings.Contains(m[1], "Simultaneous") {
				t.Errorf("%s: %s has goroutines, and neither Concurrent nor Simultaneous in its name", path, m[1])
			}
		}
	})
	if found < 20 {
		t.Errorf("%d tests with goroutines were found", found)
	}
}

// make soak runs each test that has more rounds there, by the name of the function that asks for them. Left
// out, the rounds of make test would be all that ever run.
func TestSoakRunsAllRounds(t *testing.T) {
	t.Parallel()
	soak := command(t, "make", "-C", testkit.Root(t), "--no-print-directory", "-n", "-o", "build", "soak")
	asking := regexp.MustCompile(`(?ms)^func (\w+|\([^)]*\) \w+)\([^\n]*\{$.*?^\}$`)
	found := 0
	eachTestFile(t, func(path, text string) {
		for _, m := range asking.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[0], "testkit"+".Rounds(") {
				continue
			}
			if found++; !strings.HasPrefix(m[1], "Test") || !strings.Contains(soak, "|^"+m[1]+"$") {
				t.Errorf("%s: %s asks for rounds, and make soak runs no test of that name", path, m[1])
			}
		}
	})
	if found < 5 {
		t.Errorf("%d tests with rounds were found", found)
	}
}

// eachTestFile hands over the files of tests that make test runs.
func eachTestFile(t *testing.T, read func(path, text string)) {
	t.Helper()
	eachFile(t, os.DirFS(testkit.Root(t)), isTestFile, func(path, text string) {
		if !strings.HasPrefix(text, "//go:build soak") {
			read(path, text)
		}
	})
}

func isTestFile(path string) bool { return strings.HasSuffix(path, "_test.go") }

// eachFile hands over the files below root that are wanted, without those of data, packages and builds.
func eachFile(t *testing.T, root fs.FS, isWanted func(path string) bool, read func(path, text string)) {
	t.Helper()
	testkit.NoError(t, fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(skippedFolders, d.Name()):
			return fs.SkipDir
		case d.IsDir() || !isWanted(path):
			return nil
		}
		text, err := fs.ReadFile(root, path)
		read(path, string(text))
		return err
	}))
}

// sourcesOf is the text of the tests of a folder, without those of make soak, or of its other Go files.
func sourcesOf(t *testing.T, folder string, tests bool) string {
	t.Helper()
	files := testkit.Must(filepath.Glob(filepath.Join(folder, "*.go")))(t)
	var all strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") != tests {
			continue
		}
		text := testkit.Must(os.ReadFile(file))(t)
		if !strings.HasPrefix(string(text), "//go:build soak") {
			all.Write(text)
		}
	}
	return all.String()
}
