package topic_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

var (
	sample = regexp.MustCompile(`(?ms)^Sample (.*?): (.*?)\.$`)
	named  = regexp.MustCompile("`([^`]+)`")
)

// The recipes of the handbook list every file that a change touches: the samples of the recipes are named in
// the files that the recipe lists for them, and in no other.
func TestRecipesListTheirFiles(t *testing.T) {
	t.Parallel()
	root := testkit.Root(t)
	text := testkit.Must(os.ReadFile(filepath.Join(root, "docs", "development", "recipes.md")))(t)
	samples := sample.FindAllStringSubmatch(string(text), -1)
	if len(samples) != 5 {
		t.Fatalf("%d samples, expected one for each of the five recipes", len(samples))
	}
	for _, s := range samples {
		listed := inBackquotes(s[2])
		slices.Sort(listed)
		if found := findMentions(t, root, inBackquotes(s[1])); !slices.Equal(found, listed) {
			t.Errorf("%s is named in %q, the recipe lists %q", s[1], found, listed)
		}
	}
}

func inBackquotes(text string) (names []string) {
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// findMentions lists the hand-written sources of the program that hold one of the names as a text of its own
// or as the table of a layer, or call or declare a function whose name ends with ().
func findMentions(t *testing.T, root string, names []string) (found []string) {
	t.Helper()
	for _, dir := range []string{"api", "app", "internal", "mcp", "portal", "web", "migrations"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if d.Name() == "testdata" {
				return fs.SkipDir
			}
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_templ.go") ||
				!slices.Contains([]string{".go", ".sql", ".templ"}, filepath.Ext(path)) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(names, func(name string) bool { return containsName(string(text), name) }) {
				relative, err := filepath.Rel(root, path)
				found = append(found, filepath.ToSlash(relative))
				return err
			}
			return nil
		})
		testkit.NoError(t, err)
	}
	slices.Sort(found)
	return found
}

func containsName(text, name string) bool {
	if function, ok := strings.CutSuffix(name, "()"); ok {
		return strings.Contains(text, " "+function+"(") || strings.Contains(text, "."+function+"(") || strings.Contains(text, "\t"+function+"(")
	}
	layerTable := regexp.MustCompile(`\bgeo\.enrich_` + regexp.QuoteMeta(name) + `\b`)
	return strings.Contains(text, `"`+name+`"`) || strings.Contains(text, `'`+name+`'`) || layerTable.MatchString(text)
}
