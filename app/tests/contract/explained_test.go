package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/internal/opendata/topic/elections"
	"arpent/internal/opendata/topic/rankings"
	"arpent/internal/opendata/topic/safety"
	"arpent/web/public"
	"arpent/web/reference"
)

// Each key of an answer is explained, and each source of figures is given under a key.
func testEveryKeyIsExplained(t *testing.T, s *fixture.Service) {
	t.Helper()
	page := string(s.Get("/docs/statistics").Body)
	named := map[string]bool{}
	for _, level := range []stats.Level{stats.Commune, stats.Departement, stats.Region} {
		explained := topic.Statistics().Describe(level)
		for i, key := range topic.Statistics().Keys(level) {
			if !strings.Contains(page, `id="`+public.KeyID(string(level), key)+`"`) {
				t.Errorf("%s of a %s is not on the page", key, level)
			}
			if len(explained[i].Sources) == 0 {
				t.Errorf("%s of a %s names no source", key, level)
			}
			for _, name := range explained[i].Sources {
				named[name] = true
			}
			for _, m := range explained[i].Members {
				if m.Doc == "" && !slices.Contains([]string{"year", "name", "key"}, m.Name) {
					t.Errorf("%s of a %s: %s has no meaning", key, level, m.Name)
				}
			}
		}
	}
	for _, s := range topic.Sources() {
		if (s.Group == "stats" || s.Group == "elections") && !named[s.Name] {
			t.Errorf("%s is not named under any key", s.Name)
		}
	}
}

// A French reader gets the reasons for debatable choices in French.
func TestMethodsAreInBothLanguages(t *testing.T) {
	t.Parallel()
	sentences := slices.Clone(elections.Blocs().Notes)
	for _, n := range elections.Blocs().Nuances {
		sentences = append(sentences, n.Why)
	}
	for _, c := range elections.Blocs().Candidates {
		sentences = append(sentences, c.Why)
	}
	for _, m := range rankings.Explain(topic.Statistics().Metrics()) {
		if m.Doc == "" {
			t.Errorf("the metric %s is not explained", m.Name)
		}
		sentences = append(sentences, m.Doc)
	}
	for _, s := range sentences {
		if s != "" && reference.InFrench(s) == "" {
			t.Errorf("web/reference/methods_french.go lacks: %s", s)
		}
	}
	for list, n := range map[string]int{safety.Safety2024: 10, safety.Safety2025: 11} {
		if got := len(safety.CrimeOffences()[list]); got != n {
			t.Errorf("crimeRate adds up %d labels of the list %s, expected %d", got, list, n)
		}
	}
}

// Every definition in an answer leads to a section of the page on methods that is there, in both languages.
func testDefinitionsLeadToMethods(t *testing.T, s *fixture.Service) {
	t.Helper()
	pages := []string{string(s.Get("/methods?lang=fr").Body), string(s.Get("/methods?lang=en").Body)}
	define, found := regexp.MustCompile(`(?s)stats\.Define\(.*?"([^" ]*)"\)`), 0
	root := os.DirFS(filepath.Join(testkit.Root(t), "internal", "opendata", "topic"))
	err := fs.WalkDir(root, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := fs.ReadFile(root, path)
		for _, m := range define.FindAllStringSubmatch(string(text), -1) {
			found++
			for _, page := range pages {
				if !strings.Contains(page, `id="`+m[1]+`"`) {
					t.Errorf("%s: the page on methods has no section %s", path, m[1])
				}
			}
		}
		return err
	})
	testkit.NoError(t, err)
	if found != 5 {
		t.Errorf("%d definitions were found, expected those of crimeRate, politicalScore, two waves and rankings", found)
	}
}

// The page of sources follows the statistics, which are ready only some time after the load.
func testSourcesFollowTheStatistics(t *testing.T, s *fixture.Service) {
	t.Helper()
	const row = `WITH l AS (INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('population-history', '', 'INSEE', 'Historique', 'LO', '[]', 'x', 2, 0, '[]', now(), now(), true))
		INSERT INTO geo.stat_value (part, level, code, measure, period, value, status) VALUES
		('population-history', 'commune', '93010', 'population.municipal', '2016', 53000, 'ok'), ('population-history', 'commune', '93010', 'population.municipal', '2021', 54000, 'ok')`
	s.Exec(row)
	s.Until(func() bool {
		text := strings.Join(strings.Fields(string(s.Get("/sources?lang=en").Body)), " ")
		return strings.Contains(text, "communes with a value: 1 of ") && strings.Contains(text, ", 2016, 2021 · ")
	})
}

// The landing page counts the communes that have an outline, as it says, and not those that only have a name.
func testCommunesWithOutlineAreCounted(t *testing.T, s *fixture.Service) {
	t.Helper()
	shown := func(n string) bool {
		return bytes.Contains(s.Get("/?lang=en").Body, []byte("the outlines of "+n+" communes"))
	}
	if !shown("5") {
		t.Errorf("the landing page does not say 5:\n%s", s.Get("/?lang=en").Body)
	}
	s.Exec(`DELETE FROM geo.commune_contour WHERE code = '2A004'; UPDATE geo.load SET active = active`)
	s.Until(func() bool { return shown("4") })
}

// The pages explain the tools that are served, with their parameters, and no others; and the line that
// they give to try without an assistant works.
func testToolsOnThePages(t *testing.T, s *fixture.Service) {
	t.Helper()
	a := post(s, `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`, "X-API-Key", s.Account("tools@exemple.fr", "free"))
	var answer struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema struct{ Properties map[string]json.RawMessage }
			}
		}
	}
	if err := json.Unmarshal(a.Body, &answer); err != nil || a.Status != http.StatusOK {
		t.Fatalf("%d, %v", a.Status, err)
	}
	var served []string
	for _, tool := range answer.Result.Tools {
		served = append(served, tool.Name)
		takes := slices.Sorted(maps.Keys(tool.InputSchema.Properties))
		if said := slices.Sorted(slices.Values(public.ToolTakes(tool.Name))); fmt.Sprint(takes) != fmt.Sprint(said) {
			t.Errorf("%s takes %v, the documentation says %v", tool.Name, takes, said)
		}
	}
	slices.Sort(served)
	if said := slices.Sorted(slices.Values(public.Tools())); !slices.Equal(served, said) {
		t.Errorf("served: %v\nexplained: %v", served, said)
	}
}

// A call that asks for it reads the meaning of the keys that have a value, and of no others.
func testKeysAreExplainedOnRequest(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("explain@example.org", "pro")
	s.Limit(key, 1_000_000)
	var a rpc
	s.Until(func() bool {
		a = call(s, key, "get_region", `{"code":"11","explain":true}`)
		return strings.Contains(a.text(), "population: Municipal population, newest.")
	})
	for _, arguments := range []string{`{"code":"11"}`, `{"code":"11","explain":false}`, `{"code":"11","fields":["population"]}`} {
		if plain := call(s, key, "get_region", arguments); strings.Contains(plain.text(), "Municipal population") {
			t.Errorf("%s: %s", arguments, plain.Body)
		}
	}
	for _, text := range a.Result.Content[1:] {
		if strings.Contains(text.Text, "medianIncome: ") {
			t.Errorf("a key without a value is explained: %s", text.Text)
		}
	}
}
