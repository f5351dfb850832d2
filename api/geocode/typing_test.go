package geocode_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"arpent/api/geocode"
)

func suggest(x *geocode.Index, typed string) []geocode.FoundPlace {
	return x.Search(geocode.Request{Query: typed, Limit: 8, Typing: true}).Data
}

// What is being typed is found before it is whole: communes, the greatest first, streets and house numbers of
// Bondy, in the commune whose name has only begun as well.
func TestSuggestionsWhileTyping(t *testing.T) {
	t.Parallel()
	x := newPartial(t).x
	for typed, want := range map[string]string{
		"bond":                     "Bondy, Seine-Saint-Denis",
		"montp":                    "Montpellier, Hérault",
		"boulogne b":               "Boulogne-Billancourt, Hauts-de-Seine",
		"saint-den":                "Saint-Denis",
		"allee des ro":             "Allee des Roses, 93140 Bondy",
		"12 allee des ro":          "12 Allee des Roses, 93140 Bondy",
		"12 allée des roses bon":   "12 Allee des Roses, 93140 Bondy",
		"12 allée des roses 93140": "12 Allee des Roses, 93140 Bondy",
		"rue aug":                  "Rue Auguste",
		"Bondi":                    "Bondy, Seine-Saint-Denis",
	} {
		var labels []string
		for _, f := range suggest(x, typed) {
			labels = append(labels, f.Label)
		}
		if !slices.ContainsFunc(labels[:min(3, len(labels))], func(l string) bool { return strings.HasPrefix(l, want) }) {
			t.Errorf("%q suggests %q; want %q among the first three", typed, labels, want)
		}
	}
	if found := suggest(x, "qxzzv"); len(found) > 0 {
		t.Errorf("letters that nothing begins with suggest %v", found)
	}
}

// A suggestion costs the server little, whatever is typed: every beginning of what people search for.
func TestSuggestionsAreCheap(t *testing.T) {
	if racing || testing.Short() {
		t.Skip("measures time")
	}
	x := newPartial(t).x
	var took []time.Duration
	slowest, longest := "", time.Duration(0)
	for _, q := range readQueries(t, "queries.csv") {
		for i := range q.query {
			if typed := strings.TrimSpace(q.query[:i]); utf8.RuneCountInString(typed) >= 3 {
				begun := time.Now()
				suggest(x, typed)
				took = append(took, time.Since(begun))
				if last := took[len(took)-1]; last > longest {
					slowest, longest = typed, last
				}
			}
		}
	}
	slices.Sort(took)
	p50, p95 := took[len(took)/2], took[len(took)*95/100]
	t.Logf("%d suggestions: p50 %v, p95 %v, longest %v for %q", len(took), p50, p95, longest, slowest)
	if p95 > 20*time.Millisecond {
		t.Errorf("95 %% take up to %v", p95)
	}
}
