package geocode_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"arpent/api/geocode"
)

// expected is one line of a file of queries.
type expected struct{ query, kind, code, number, street string }

// readQueries reads testdata/queries.csv, or testdata/queries_full.csv: what only BANO has.
func readQueries(t testing.TB, name string) []expected {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []expected
	for in := bufio.NewScanner(f); in.Scan(); {
		if strings.HasPrefix(in.Text(), "#") {
			continue
		}
		c := strings.Split(in.Text(), ";")
		if len(c) != 5 {
			t.Fatalf("%q has %d columns", in.Text(), len(c))
		}
		out = append(out, expected{c[0], c[1], c[2], c[3], c[4]})
	}
	return out
}

// matchesFirst compares names without their accents, which depend on what else is loaded.
func (e expected) matchesFirst(r geocode.FoundPlaces) bool {
	if len(r.Data) == 0 {
		return false
	}
	f := r.Data[0]
	return f.Kind == e.kind && f.CodeInsee == e.code && textOrEmpty(f.HouseNumber) == e.number && geocode.Compact(textOrEmpty(f.Street)) == geocode.Compact(e.street)
}

func textOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// What people type finds what they mean: at least 95 of 100 queries have the right answer first, without
// BANO, which is not loaded unless it is asked for.
func TestQueriesOfPeople(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	checkRightFirst(t, x, readQueries(t, "queries.csv"), 300)
}

// With BANO, what it alone has is found too, and it does not get in the way of the rest.
func TestQueriesWithBANO(t *testing.T) {
	t.Parallel()
	in := readCountry(t)
	in.Addresses = streamAddresses(readAddresses(t, true))
	x := newIndex(t, in)
	checkRightFirst(t, x, readQueries(t, "queries.csv"), 300)
	checkRightFirst(t, x, readQueries(t, "queries_full.csv"), 50)
}

// checkRightFirst fails unless there are so many queries and 95 of 100 have the right answer first.
func checkRightFirst(t *testing.T, x *geocode.Index, all []expected, least int) {
	t.Helper()
	right := 0
	for _, e := range all {
		r := x.Search(geocode.Request{Query: e.query, Limit: 5})
		if e.matchesFirst(r) {
			right++
			continue
		}
		t.Logf("%s: want %s %s %s %s", e.query, e.kind, e.code, e.number, e.street)
		for _, f := range r.Data[:min(3, len(r.Data))] {
			t.Logf("    %.3f %s %s %s", f.Score, f.Kind, f.CodeInsee, f.Label)
		}
	}
	share := 100 * float64(right) / float64(max(1, len(all)))
	t.Logf("%d queries, right first %d: %.1f %%", len(all), right, share)
	if len(all) < least || share < 95 {
		t.Errorf("%d queries, %.1f %% right first; want at least %d and 95 %%", len(all), share, least)
	}
}

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
	t.Parallel()
	if testing.Short() {
		t.Skip("types every query letter by letter")
	}
	x := newPartial(t).x
	var compared [3][]int
	for _, q := range readQueries(t, "queries.csv") {
		for i := range q.query {
			if typed := strings.TrimSpace(q.query[:i]); utf8.RuneCountInString(typed) >= 3 {
				done, _ := x.Work(geocode.Request{Query: typed, Limit: 8, Typing: true})
				for kind, n := range done {
					compared[kind] = append(compared[kind], n)
				}
			}
		}
	}
	for kind, of := range []struct {
		what  string
		bound int
	}{{"streets", 500}, {"names", 20}, {"words", 250_000}} {
		all := compared[kind]
		slices.Sort(all)
		p50, p95, most := all[len(all)/2], all[len(all)*95/100], all[len(all)-1]
		t.Logf("%d suggestions compare %s: p50 %d, p95 %d, most %d", len(all), of.what, p50, p95, most)
		if p95 > of.bound {
			t.Errorf("95 %% compare up to %d %s; want at most %d", p95, of.what, of.bound)
		}
	}
}
