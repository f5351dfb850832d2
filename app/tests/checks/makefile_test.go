package checks_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

var (
	oneTest   = regexp.MustCompile(`(?ms)^func (Test\w+)\(t \*testing\.T\) \{$.*?^\}$`) // with its body
	goroutine = regexp.MustCompile(`(?m)(^\s*|[;{] )go \w|\.Go\(`)
)

// Tests in which goroutines share memory run under the race detector, also in the packages that make test judges without
// it: a list that forgets one, or names one that is gone, would hide a race.
func TestSharedMemoryIsRaced(t *testing.T) {
	t.Parallel()
	root := testkit.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	makefile := strings.ReplaceAll(string(text), "\\\n", " ")
	shared, packages := variable(makefile, "SHARED"), variable(makefile, "ARITHMETIC")
	if len(shared) == 0 || len(packages) == 0 {
		t.Fatalf("the Makefile lists %d tests of %d packages", len(shared), len(packages))
	}
	var found []string
	for _, p := range packages {
		files, err := filepath.Glob(filepath.Join(root, p, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no tests: %v", p, err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range oneTest.FindAllStringSubmatch(string(source), -1) {
				found = append(found, m[1])
				if goroutine.MatchString(m[0]) && !slices.Contains(shared, m[1]) {
					t.Errorf("%s: %s has goroutines and is not in SHARED of the Makefile", p, m[1])
				}
			}
		}
	}
	for _, name := range shared {
		if !slices.Contains(found, name) {
			t.Errorf("SHARED of the Makefile names %s, which there is not", name)
		}
	}
}

func variable(makefile, name string) []string {
	for line := range strings.Lines(makefile) {
		if value, ok := strings.CutPrefix(line, name+" := "); ok {
			return strings.Fields(value)
		}
	}
	return nil
}
