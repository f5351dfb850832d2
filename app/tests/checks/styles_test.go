package checks_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"arpent/app/dev/testkit"
)

// A class that two style sheets set out means two things: the later sheet
// changes pages that the other was written for.
func TestAClassHasOneStyleSheet(t *testing.T) {
	t.Parallel()
	sheets, err := filepath.Glob(filepath.Join(testkit.Root(t), "web/style/*.css"))
	if err != nil || len(sheets) < 10 {
		t.Fatalf("%d style sheets (%v)", len(sheets), err)
	}
	rule, owner := regexp.MustCompile(`(?m)^(\.[\w-]+) \{`), map[string]string{}
	for _, path := range sheets {
		text := testkit.Must(os.ReadFile(path))(t)
		for _, found := range rule.FindAllStringSubmatch(string(text), -1) {
			if first := owner[found[1]]; first != "" && first != path {
				t.Errorf("%s is in %s and %s", found[1], filepath.Base(first), filepath.Base(path))
			}
			owner[found[1]] = path
		}
	}
}
