package app_test

import (
	"slices"
	"strings"
	"testing"

	"arpent/api/stats"
	"arpent/api/topic"
	"arpent/api/topic/elections"
	"arpent/api/topic/rankings"
	"arpent/api/topic/safety"
	"arpent/web/methods"
	"arpent/web/public"
)

// Whoever reads an answer finds each of its keys explained, and each source of figures under a key.
func TestEveryKeyIsExplained(t *testing.T) {
	t.Parallel()
	page := string(start(t).get("/docs/statistics").body)
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
		if s.Group == "stats" && !named[s.Name] {
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
		if s != "" && methods.InFrench(s) == "" {
			t.Errorf("web/methods/french.go lacks: %s", s)
		}
	}
	for list, n := range map[string]int{safety.Safety2024: 10, safety.Safety2025: 11} {
		if got := len(safety.CrimeOffences()[list]); got != n {
			t.Errorf("crimeRate adds up %d labels of the list %s, expected %d", got, list, n)
		}
	}
}

// The page of sources follows the statistics, which are ready only some time after the load.
func TestSourcesFollowTheStatistics(t *testing.T) {
	t.Parallel()
	s := start(t)
	const row = `WITH l AS (INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('population-history', '', 'INSEE', 'Historique', 'LO', '[]', 'x', 2, 0, '[]', now(), now(), true))
		INSERT INTO geo.stat_value (part, level, code, measure, period, value, status) VALUES
		('population-history', 'commune', '93010', 'population.municipal', '2016', 53000, 'ok'), ('population-history', 'commune', '93010', 'population.municipal', '2021', 54000, 'ok')`
	if _, err := s.pool.Exec(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool {
		text := strings.Join(strings.Fields(string(s.get("/sources?lang=en").body)), " ")
		return strings.Contains(text, `1 <span class="soft">/ `) && strings.Contains(text, "2016, 2021")
	})
}
