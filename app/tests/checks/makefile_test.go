package checks_test

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

var (
	oneTest   = regexp.MustCompile(`(?ms)^func (Test\w+)\(t \*testing\.T\) \{$.*?^\}$`)        // with its body
	oneHelper = regexp.MustCompile(`(?ms)^func (?:\([^)]*\) )?([a-z]\w*)\([^\n]*\{$(.*?)^\}$`) // of tests, and its body
	goroutine = regexp.MustCompile(`(?m)(^\s*|[;{] )go \w|\.Go\(`)
	guarded   = regexp.MustCompile(`\bsync\.[A-Z]|\batomic\.[A-Z]|\bsingleflight\.`)
)

// heldElsewhere are packages with memory that goroutines share, and
// the tests that call it from several at once.
var heldElsewhere = map[string]string{
	"internal/opendata/stats": "TestStoreSwapsWhole", // in internal/opendata/stats/tests
	"internal/opendata/topic": "TestStoreSwapsWhole", // its labels are made once
}

// What make run and make test have the shell do is a script that it can read: a comma in a message ends a
// condition of make, and the shell gets half of it.
func TestCommandsOfMakeAreWhole(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"run", "test-race", "test-computed", "test-served", "generate", "style"} {
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

// Whatever goroutines share is tested under the race detector: the packages that guard memory, and by name
// the tests with goroutines in the others; where some are named, those too that start them by a function of
// the tests. A list that forgets one, or names one that is gone, would hide a race.
func TestSharedMemoryIsRaced(t *testing.T) {
	t.Parallel()
	root := testkit.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	makefile := strings.ReplaceAll(string(text), "\\\n", " ")
	raced, shared, in := variable(makefile, "RACED"), variable(makefile, "SHARED"), variable(makefile, "SHARED_IN")
	if len(raced) == 0 || len(shared) == 0 || len(in) == 0 {
		t.Fatalf("the Makefile lists %d packages, and %d tests of %d packages", len(raced), len(shared), len(in))
	}
	var tests, packages []string // that there are
	for _, folder := range testedFolders(t, root) {
		packages = append(packages, folder)
		named := sourcesOf(t, filepath.Join(root, folder), true)
		starts := goroutine
		if slices.Contains(in, folder) {
			starts = starter(named)
		}
		for _, m := range oneTest.FindAllStringSubmatch(named, -1) {
			tests = append(tests, m[1])
			if starts.MatchString(m[0]) && !slices.Contains(raced, folder) && !(slices.Contains(shared, m[1]) && slices.Contains(in, folder)) {
				t.Errorf("%s: %s has goroutines and is not in SHARED of the Makefile, nor its package in RACED", folder, m[1])
			}
		}
		if guarded.MatchString(sourcesOf(t, filepath.Join(root, folder), false)) && !slices.Contains(raced, folder) &&
			!slices.Contains(in, folder) && heldElsewhere[folder] == "" && !strings.HasPrefix(folder, "app/dev/") && !strings.HasPrefix(folder, "app/cmd/") {
			t.Errorf("%s guards memory and is not in RACED of the Makefile", folder)
		}
	}
	for _, name := range append(slices.Collect(maps.Values(heldElsewhere)), shared...) {
		if !slices.Contains(tests, name) {
			t.Errorf("the test %s is named, which there is not", name)
		}
	}
	for _, folder := range slices.Concat(raced, in, variable(makefile, "COMPUTED"), variable(makefile, "SERVED")) {
		if !slices.Contains(packages, folder) {
			t.Errorf("the Makefile names %s, which has no tests", folder)
		}
	}
}

// starter matches what starts goroutines, and the calls of those functions of the
// tests that do, themselves or by another one.
func starter(tests string) *regexp.Regexp {
	starts := goroutine
	var names []string
	for again := true; again; {
		again = false
		for _, m := range oneHelper.FindAllStringSubmatch(tests, -1) {
			if !slices.Contains(names, m[1]) && starts.MatchString(m[2]) {
				names, again = append(names, m[1]), true
				starts = regexp.MustCompile(goroutine.String() + `|\b(` + strings.Join(names, "|") + `)\(`)
			}
		}
	}
	return starts
}

// testedFolders are the folders with tests that make test runs.
func testedFolders(t *testing.T, root string) (folders []string) {
	t.Helper()
	for _, top := range []string{"api", "app", "auth", "billing", "clients", "internal", "mcp", "migrations", "portal", "web"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "testdata" || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			if sourcesOf(t, path, true) != "" {
				folder, err := filepath.Rel(root, path)
				folders = append(folders, filepath.ToSlash(folder))
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return folders
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

func variable(makefile, name string) []string {
	for line := range strings.Lines(makefile) {
		if value, ok := strings.CutPrefix(line, name+" := "); ok {
			return strings.Fields(value)
		}
	}
	return nil
}
