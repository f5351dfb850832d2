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

// describeFound describes an answer: how many are called so where several are, the first ones and the
// beginning of the hint.
func describeFound(r geocode.FoundPlaces, most int) string {
	var out []string
	for _, f := range r.Data[:min(most, len(r.Data))] {
		out = append(out, f.CodeInsee+" "+f.Label)
	}
	text := strings.Join(out, " | ")
	if r.Ambiguous {
		text = "ambiguous: " + text
	}
	return text
}

// Who types the English name of a city, or its name with a typing error, does not get a village whose name
// begins so without a word of the city: both are answers, the city first, and it is said that several are
// meant.
func TestNearlyTheNameOfMuchLargerCommune(t *testing.T) {
	t.Parallel()
	in, x := countryIndex(t)
	for q, want := range map[string]string{
		"Marseilles": "ambiguous: 13055 Marseille, Bouches-du-Rhône | 18139 Marseilles-lès-Aubigny, Cher",
		"Lyons":      "ambiguous: 69123 Lyon, Rhône | 27377 Lyons-la-Forêt, Eure",
		"Loon":       "ambiguous: 69123 Lyon, Rhône | 59359 Loon-Plage, Nord",
		"Bonny":      "ambiguous: 93010 Bondy, Seine-Saint-Denis | 45040 Bonny-sur-Loire, Loiret",
		"Loon-Plage": "59359 Loon-Plage, Nord", "Lyons-la-Forêt": "27377 Lyons-la-Forêt, Eure", "loon 59": "59359 Loon-Plage, Nord",
		"Dunkirk": "59183 Dunkerque, Nord", "Rheims": "51454 Reims, Marne", "Chamonix": "74056 Chamonix-Mont-Blanc, Haute-Savoie",
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 2})
		if got := describeFound(r, 2); got != want || r.Ambiguous && (r.Data[0].Score > 0.8 || r.Namesakes != 2) {
			t.Errorf("%q: %s (%v, %d); want %s", q, got, describeScores(r), r.Namesakes, want)
		}
	}
	const hint = "Nothing is called so. It may be the beginning of a name, or that of a much larger commune with a typing error: Lyon (69123), Loon-Plage (59359)."
	if got := textOrEmpty(x.Search(geocode.Request{Query: "Loon", Limit: 2}).Hint); got != hint {
		t.Errorf("%q; want %q", got, hint)
	}
	ambiguous, asked := 0, 0
	firsts := map[string]bool{}
	for _, c := range in.Communes {
		firsts[strings.ToLower(c.Name)] = true
	}
	for _, c := range in.Communes {
		q := firstWordsOf(c.Name, 1)
		if q == "" || firsts[q] || isLink(q) {
			continue
		}
		asked++
		if strings.HasPrefix(textOrEmpty(x.Search(geocode.Request{Query: q, Limit: 2}).Hint), "Nothing is called so. It may be the beginning") {
			ambiguous++
		}
	}
	t.Logf("%d of %d first words are nearly the name of a much larger commune", ambiguous, asked)
	if ambiguous < 50 || ambiguous*20 > asked {
		t.Errorf("%d of %d first words are nearly the name of a much larger commune", ambiguous, asked)
	}
}

// Queries as people write them that were not understood: each finds its place, as if it were written well.
func TestClumsyQueries(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	for q, want := range map[string]string{
		"MARSEILLE 13 013": "13055 13013 Marseille, Bouches-du-Rhône", "75 018 PARIS": "75056 75018 Paris", "93 140 BONDY": "93010 93140 Bondy, Seine-Saint-Denis",
		"06 000 Nice": "06088 06000 Nice, Alpes-Maritimes", "12 allée des Roses, 93 140 BONDY": "93010 12 Allee des Roses, 93140 Bondy",
		"Paris XVIIIe": "75056 Paris 18e Arrondissement", "Lyon IIIe arrondissement": "69123 Lyon 3e Arrondissement, Rhône", "XVIIIe arrondissement de Paris": "75056 Paris 18e Arrondissement",
		"Paris XVIII": "75056 Paris 18e Arrondissement", "ville de Lyon": "69123 Lyon, Rhône", "the city of Lyon": "69123 Lyon, Rhône", "commune de Bondy": "93010 Bondy, Seine-Saint-Denis",
		"La Ville du Bois": "91665 La Ville-du-Bois, Essonne", "Ville-d'Avray": "92077 Ville-d'Avray, Hauts-de-Seine", "village of Roussines in Indre": "36174 Roussines, Indre",
		"12 allée des Roses in Bondy": "93010 12 Allee des Roses, 93140 Bondy",
		"Bastia (Corse)":              "2B033 Bastia, Haute-Corse", "Rennes, Bretagne": "35238 Rennes, Ille-et-Vilaine", "Ajaccio Corse-du-Sud": "2A004 Ajaccio, Corse-du-Sud",
		"Lyon, Auvergne-Rhône-Alpes": "69123 Lyon, Rhône",
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 1})
		if got := describeFound(r, 1); got != want || r.Data[0].Score <= 0.8 || len(r.Data[0].Unmatched) > 0 {
			t.Errorf("%q: %v; want %s", q, describeScores(r), want)
		}
	}
}

// An answer that has less than was asked for says why: there is no list of town halls, no such postcode, no
// such street among the loaded addresses; a guess that is hardly one is not given.
func TestHintsOnClumsyQueries(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	const nearest = " The nearest hospital, school, station and supermarket of a commune are in its namedServices (tool get_commune), " +
		"those of a parcel in its report (tool get_parcel_enrichments)."
	hall := func(words string) string {
		return "Town halls, stations, schools and the like (" + words + ") are in no list that is searched: the answer is the commune, and lat and lon are of a point in it." + nearest
	}
	const city = "An arrondissement is found together with its city, as in Paris 18e."
	for q, want := range map[string][2]string{
		"mairie de Bondy": {"93010", hall("mairie")}, "hôtel de ville de Lyon": {"69123", hall("hotel de ville")}, "town hall of Bondy": {"93010", hall("town hall")},
		"école Jules Ferry Bondy": {"93010", "Town halls, stations, schools and the like (ecole) are in no list that is searched: the answer is the street." + nearest},
		"69431 LYON CEDEX 03":     {"69123", "69431 is no postcode of a commune, as those of CEDEX are: the answer is the commune of this name."},
		"Lyon France 69000":       {"69123", "69000 is no postcode of a commune, as those of CEDEX are: the answer is the commune of this name."},
		"route de Paris, Bondy":   {"93010", "No address of Bondy that is loaded has the other words of the query: the answer is the commune."},
		"mairie du 18e":           {"", city}, "18e arrondissement": {"", city},
		"Napoléon-Vendée": {"", "Nothing is called so. " + notHere}, "Charles de Gaulle airport": {"", "Nothing is called so. " + notHere},
		"Burgundy":       {"", "Bourgogne is not a commune: it was a région until 2015, with the départements 21, 58, 71, 89, and is a part of Bourgogne-Franche-Comté (27) since: GET /regions/27 (tool get_region)."},
		"Brittany":       {"", "Bretagne is a région: GET /regions/53 (tool get_region)."},
		"The Reunion":    {"47222", "La Réunion is an overseas département: GET /communes?departement=974 (tool list_communes) lists its communes. La Réunion is a région: GET /regions/04 (tool get_region)."},
		"Sainte-Colombe": {"69189", ""},
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 3})
		code := ""
		if len(r.Data) > 0 {
			code = r.Data[0].CodeInsee
		}
		if code != want[0] || textOrEmpty(r.Hint) != want[1] {
			t.Errorf("%q: %v, hint %q; want %q", q, describeScores(r), textOrEmpty(r.Hint), want)
		}
	}
	if r := x.Search(geocode.Request{Query: "Sainte-Colombe", Limit: 1}); r.Namesakes != 12 {
		t.Errorf("%d communes are called Sainte-Colombe; 12 have the name today", r.Namesakes)
	}
}

// A position is read in the forms in which maps, telephones and people write it, and nothing else is.
func TestCoordinatesAsWritten(t *testing.T) {
	t.Parallel()
	for _, q := range []string{
		"48.9022, 2.4828", "2.4828 48.9022", "48,9022 2,4828", "N 48.9022 E 2.4828", "48.9022N 2.4828E", "48.9022° N, 2.4828° E", "E 2.4828, N 48.9022", "lat 48.9022 lon 2.4828",
		"latitude: 48.9022, longitude: 2.4828", "lon=2.4828&lat=48.9022", "geo:48.9022,2.4828", "https://www.google.com/maps/@48.9022,2.4828,17z",
		"https://www.openstreetmap.org/#map=17/48.9022/2.4828", "48°54'07.92\"N 2°28'58.08\"E", "48° 54′ 7.92″ N, 2° 28′ 58.08″ E",
	} {
		p := geocode.Coordinates(q)
		if p == nil || max(p.Lat-48.9022, 48.9022-p.Lat, p.Lon-2.4828, 2.4828-p.Lon) > 1e-6 {
			t.Errorf("%q: %v", q, p)
		}
	}
	if p := geocode.Coordinates("48.39 N 4.49 O"); p == nil || p.Lon != -4.49 {
		t.Errorf("the west: %v", p)
	}
	for _, q := range []string{"", "Bondy", "12, rue de Paris", "12 rue 3.5", "48 2", "48, 2", "N 12 E 4", "1.5", "https://example.org/", "AY 71 Bondy", "198.5 298.5", "N 198.5 E 2.5", "3.5 rue de Paris 2.5"} {
		if p := geocode.Coordinates(q); p != nil {
			t.Errorf("%q is read as %v", q, *p)
		}
	}
}
