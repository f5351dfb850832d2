package box_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// A file of the box for reports whose edition is known loads with a vintage, from its name or a column: an
// answer made from it says how old it is.
func TestBoxFilesHaveVintages(t *testing.T) {
	t.Parallel()
	page := testkit.Must(os.ReadFile(filepath.Join(testkit.Box(t), "README.md")))(t)
	used := map[string]bool{} // layers that the report reads
	for _, k := range topic.Report().Keys() {
		for _, layer := range slices.Concat(k.Layers, k.With) {
			used[layer] = true
		}
	}
	isReported := func(s source.Source) bool {
		return slices.ContainsFunc(s.Layers(), func(layer string) bool { return used[layer] })
	}
	files := 0
	for _, row := range strings.Split(string(page), "\n") {
		cells := strings.Split(row, " | ")
		if len(cells) != 9 || !strings.Contains(cells[0], "/") {
			continue
		}
		path, edition := strings.TrimPrefix(cells[0], "| "), cells[4]
		for _, s := range topic.Sources() {
			for _, f := range s.Files {
				expr := regexp.MustCompile(f.Path)
				m := expr.FindStringSubmatch(path)
				i := expr.SubexpIndex("vintage")
				if m == nil || edition == "not stated" || !isReported(s) {
					continue
				}
				files++
				if s.Vintage == "" && (i < 0 || m[i] == "") {
					t.Errorf("%s, edition %s: source %s loads it without a vintage", path, edition, s.Name)
				}
			}
		}
	}
	if files < 10 {
		t.Errorf("%d files of reports in the table of the box", files)
	}
}
