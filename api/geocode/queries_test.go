package geocode_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	in := readCountry(t)
	in.Addresses = streamAddresses(readAddresses(t, false))
	checkRightFirst(t, newIndex(t, in), readQueries(t, "queries.csv"), 300)
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
