package topic_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
)

// docs/data.md says for each key which source fills it, and how its files are fetched; for each source what
// an installation of the whole country receives.
func TestDataDocument(t *testing.T) {
	t.Parallel()
	file := filepath.Join(testkit.Root(t), "docs", "data.md")
	text := testkit.Must(os.ReadFile(file))(t)
	want := string(text)
	tested := testedLayouts(t)
	for name, table := range map[string]string{"keys": keyTable(tested), "sources": sourceTable(tested)} {
		begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
		before, rest, found := strings.Cut(want, begin)
		_, after, ends := strings.Cut(rest, end)
		if !found || !ends {
			t.Fatalf("docs/data.md has no place for the table of %s", name)
		}
		want = before + begin + table + end + after
	}
	testkit.Golden(t, "../../../../docs/data.md", []byte(want)) // next to testdata
}

// key is a key of the report or the statistics with the sources that fill it.
type key struct {
	of, name string
	sources  []source.Source
}

func listKeys() (out []key) {
	byName := map[string]source.Source{}
	for _, s := range topic.Sources() {
		byName[s.Name] = s
	}
	for _, k := range topic.Report().Keys() {
		var from []source.Source
		for _, s := range topic.Sources() {
			if slices.ContainsFunc(s.Layers(), k.DrawsOn) {
				from = append(from, s)
			}
		}
		out = append(out, key{"report", k.Name, from})
	}
	for _, level := range []stats.Level{stats.Commune, stats.Departement, stats.Region} {
		for _, k := range topic.Statistics().Describe(level) {
			var from []source.Source
			for _, name := range k.Sources {
				from = append(from, byName[name])
			}
			out = append(out, key{string(level), k.Key, from})
		}
	}
	return out
}

// testedLayouts are the sources whose layout a test holds the declaration to: "served", a small file
// as its producer serves it today; "real file", one of the data folder; "small file", one in the
// layout that the declaration was written for.
func testedLayouts(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	mark := func(how string, is func(source.Source) bool) {
		for _, s := range topic.Sources() {
			if is(s) {
				out[s.Name] = how
			}
		}
	}
	small := readFiles(t, "internal/opendata/report/tests/*_test.go", "api/geocode/*_test.go", "internal/opendata/ingest/*_test.go",
		"internal/opendata/topic/*/*_test.go")
	mark("small file", func(s source.Source) bool { return strings.Contains(small, `"`+s.Name+`"`) })
	err := filepath.WalkDir(testkit.Box(t), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(testkit.Box(t), path)
		mark("real file", func(s source.Source) bool {
			return slices.ContainsFunc(s.Files, func(f source.Files) bool { return pattern(f.Path).MatchString(filepath.ToSlash(rel)) })
		})
		return err
	})
	testkit.NoError(t, err)
	served := readFiles(t, "internal/opendata/report/tests/served/*_test.go", "internal/opendata/stats/tests/*_test.go")
	mark("served", func(s source.Source) bool {
		return regexp.MustCompile(`(?m)(source: |LoadSource\(|^\s*\{)"` + regexp.QuoteMeta(s.Name) + `"`).MatchString(served)
	})
	return out
}

// readFiles is the content of files of the project.
func readFiles(t *testing.T, globs ...string) string {
	t.Helper()
	var out strings.Builder
	for _, glob := range globs {
		files, err := filepath.Glob(filepath.Join(testkit.Root(t), glob))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", glob, len(files), err)
		}
		for _, file := range files {
			content := testkit.Must(os.ReadFile(file))(t)
			out.Write(content)
		}
	}
	return out.String()
}

// patterns are the expressions of the declarations, each compiled once.
var patterns sync.Map

func pattern(expr string) *regexp.Regexp {
	compiled, known := patterns.Load(expr)
	if !known {
		compiled, _ = patterns.LoadOrStore(expr, regexp.MustCompile(expr))
	}
	return compiled.(*regexp.Regexp)
}

func keyTable(tested map[string]string) string {
	var b strings.Builder
	null := 0
	b.WriteString("| Of | Key | Fetched from | Evidence | Layout not tested | Only by hand |\n|---|---|---|---|---|---|\n")
	for _, k := range listKeys() {
		var from, byHand, evidence, untested []string
		for _, s := range k.sources {
			origins := slices.DeleteFunc(slices.Clone(s.Origins), func(o fetch.Origin) bool { return o.From == nil })
			if len(origins) == 0 {
				byHand = append(byHand, "`"+s.Name+"`")
				continue
			}
			from = append(from, "`"+s.Name+"`")
			evidence = append(evidence, evidenceOf(origins[0]))
			if tested[s.Name] == "" {
				untested = append(untested, "`"+s.Name+"`")
			}
		}
		slices.Sort(evidence)
		if len(from) == 0 {
			null++
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n", k.of, k.name, cmp.Or(strings.Join(from, ", "), "**nothing**"),
			strings.Join(slices.Compact(evidence), ", "), strings.Join(untested, ", "), strings.Join(byHand, ", "))
	}
	fmt.Fprintf(&b, "\n%d of %d keys are null where nothing but what can be fetched is loaded.\n", null, len(listKeys()))
	return b.String()
}

func sourceTable(tested map[string]string) string {
	var b strings.Builder
	b.WriteString("| Source | Where | For | Renewed | Evidence | Layout tested | Size of a file |\n|---|---|---|---|---|---|---|\n")
	for _, s := range topic.Sources() {
		for _, o := range s.Origins {
			if o.From == nil {
				fmt.Fprintf(&b, "| `%s` | by hand: %s | | | none | %s | |\n", s.Name, escapeCell(o.Note), tested[s.Name])
				continue
			}
			size := ""
			if o.Bytes > 0 {
				size = fmt.Sprintf("%.1f MB", float64(o.Bytes)/1e6)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s, %s | %s | %s |\n", s.Name, escapeCell(o.From.String()),
				[]string{"France", "département", "commune", "intercommunality"}[o.Area], o.Rhythm, evidenceOf(o), cmp.Or(o.ReadOn, "2026-10"), tested[s.Name], size)
		}
	}
	return b.String()
}

// evidenceOf is how sure it is that an origin is as declared.
func evidenceOf(o fetch.Origin) string {
	if o.Derived {
		return "derived"
	}
	return "read"
}

func escapeCell(text string) string { return strings.NewReplacer("|", "\\|", "\n", " ").Replace(text) }
