package geocode_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
)

// villageInput is a small country: two towns of one name, a city with
// arrondissements, a commune that another became part of.
func villageInput() build.Input {
	p := func(lat, lon float64) *geocode.Point { return &geocode.Point{Lat: lat, Lon: lon} }
	in := build.Input{
		Departements: []build.Departement{{Code: "14", Name: "Calvados"}, {Code: "2A", Name: "Corse-du-Sud"}, {Code: "75", Name: "Paris"}, {Code: "974", Name: "La Réunion"}},
		Communes: []build.Commune{
			{Code: "14001", Name: "Grandville-sur-Orne", Departement: "14", Population: 9000, Postcodes: []string{"14100", "14110"}, FormerCodes: []string{"14099"}, At: p(49.2, -0.3)},
			{Code: "14002", Name: "Sainte-Foy", Departement: "14", Population: 300, Postcodes: []string{"14120"}, At: p(49.0, -0.5)},
			{Code: "14003", Name: "Y", Departement: "14", Population: 80, Postcodes: []string{"14130"}},
			{Code: "2A001", Name: "Sainte-Foy", Departement: "2A", Population: 4000, Postcodes: []string{"20100"}, At: p(41.9, 8.7)},
			{Code: "75056", Name: "Paris", Departement: "75", Population: 2100000, Postcodes: []string{"75018", "75017"}, At: p(48.86, 2.35)},
			{Code: "97401", Name: "Les Avirons", Departement: "974", Population: 11000, Postcodes: []string{"97425"}, At: p(-21.2, 55.3)},
			{Code: "98701", Name: "Ailleurs", Departement: "987", Population: 5},
		},
		Parts: []build.Part{
			{Arrondissement: true, Code: "75118", Name: "Paris 18e Arrondissement", Commune: "75056", Population: 180000, Postcodes: []string{"75018"}, At: p(48.89, 2.35)},
			{Code: "14099", Name: "Petiville", Commune: "14001"},
			{Code: "14001", Name: "Grandville", Commune: "14001"},
		},
		Postal: []build.Postal{{Commune: "97401", Postcode: "97425", Name: "TEVELAVE"}},
	}
	at := func(i int) geocode.Point { return geocode.Point{Lat: 49.2 + float64(i)/1000, Lon: -0.3} }
	in.Addresses = streamAddresses([]build.Address{
		{Code: "14001", Name: "Rue de l'Église", Postcode: "14100", Number: 1, At: at(1)},
		{Code: "14001", Name: "Rue de l'Église", Postcode: "14100", Number: 12, At: at(2)},
		{Code: "14001", Name: "Rue de l'Église", Postcode: "14100", Number: 12, Suffix: "bis", At: at(3)},
		{Code: "14001", Name: "Rue de l'Église", Postcode: "14100", Number: 14, Suffix: "B", At: at(4)},
		{Code: "14001", Name: "Rue du 8 Mai 1945", Postcode: "14110", Number: 8, At: at(5)},
		{Code: "14001", Name: "Avenue du 8 Mai 1945", Postcode: "14110", Number: 8, At: at(5)},
		{Code: "14001", Name: "Rue du 8 Mai 1945", Postcode: "14110", Number: 10, At: at(6)},
		{Code: "14001", Name: "La Belle Étoile", Postcode: "14110", Locality: true, At: at(7)},
		{Code: "14099", OldCode: "14099", Name: "Rue de l'Église", Postcode: "14110", Number: 12, At: at(8)},
		{Code: "14002", Name: "Rue de l'Église", Number: 5, At: at(40)},
		{Code: "2A001", Name: "Rue de l'Église", Postcode: "20100", Number: 5, At: geocode.Point{Lat: 41.9, Lon: 8.7}},
		{Code: "75118", Name: "Rue de Paris", Postcode: "75018", Number: 3, At: geocode.Point{Lat: 48.89, Lon: 2.35}},
		{Code: "75118", Name: "Boulevard du Général Lefort", Postcode: "75018", Number: 75, At: geocode.Point{Lat: 48.89, Lon: 2.35}},
		{Code: "99999", Name: "Rue Perdue", Number: 1, At: at(0)},
	})
	return in
}

// describePlace is an answer in one line.
func describePlace(f geocode.FoundPlace) string {
	return fmt.Sprintf("%s %s %s", f.Kind, f.CodeInsee, f.Label)
}

// Each way of asking finds what is meant, and says what was found: a
// number that is not there is never invented.
func TestSearch(t *testing.T) {
	t.Parallel()
	x := newIndex(t, villageInput())
	for q, want := range map[string]string{
		"12 rue de l'eglise grandville sur orne": "housenumber 14001 12 Rue de l'Église, 14100 Grandville-sur-Orne",
		"12 bis rue de l eglise 14100":           "housenumber 14001 12 bis Rue de l'Église, 14100 Grandville-sur-Orne",
		"12b r eglise grandville":                "housenumber 14001 12 bis Rue de l'Église, 14100 Grandville-sur-Orne",
		"14 rue de l'église 14100 grandville":    "housenumber 14001 14 b Rue de l'Église, 14100 Grandville-sur-Orne",
		"1 bis rue de l'église 14100":            "housenumber 14001 1 Rue de l'Église, 14100 Grandville-sur-Orne",
		"13 rue de l'église 14100 grandville":    "street 14001 Rue de l'Église, 14100 Grandville-sur-Orne",
		"8 rue du 8 mai 1945 grandville":         "housenumber 14001 8 Rue du 8 Mai 1945, 14110 Grandville-sur-Orne",
		"rue du 8 mai 1945 grandville":           "street 14001 Rue du 8 Mai 1945, 14110 Grandville-sur-Orne",
		"av du huit mai 1945, grandville":        "street 14001 Avenue du 8 Mai 1945, 14110 Grandville-sur-Orne",
		"10 av du 8 mai 1945 grandville":         "street 14001 Avenue du 8 Mai 1945, 14110 Grandville-sur-Orne",
		"grandvile eglise 12 rue":                "housenumber 14001 12 Rue de l'Église, 14100 Grandville-sur-Orne",
		"12 rue de l'église petiville":           "housenumber 14001 12 Rue de l'Église, 14110 Grandville-sur-Orne",
		"petiville 14":                           "commune 14001 Grandville-sur-Orne (Petiville), Calvados",
		"belle etoile grandville":                "locality 14001 La Belle Étoile, 14110 Grandville-sur-Orne",
		"rue de l'église sainte foy":             "street 2A001 Rue de l'Église, 20100 Sainte-Foy",
		"rue de l'église ste foy calvados":       "street 14002 Rue de l'Église, 14120 Sainte-Foy",
		"5 rue de l'eglise 14120":                "housenumber 14002 5 Rue de l'Église, 14120 Sainte-Foy",
		"sainte-foy":                             "commune 2A001 Sainte-Foy, Corse-du-Sud",
		"ste foy 14":                             "commune 14002 Sainte-Foy, Calvados",
		"Y":                                      "commune 14003 Y, Calvados",
		"paris":                                  "commune 75056 Paris",
		"paris 18e":                              "commune 75056 Paris 18e Arrondissement",
		"rue de paris 75018 paris":               "street 75056 Rue de Paris, 75018 Paris",
		"rue de paris":                           "street 75056 Rue de Paris, 75018 Paris",
		"75 bd du gal lefort paris":              "housenumber 75056 75 Boulevard du Général Lefort, 75018 Paris",
		"bd gal lefort 75018 paris cedex 18":     "street 75056 Boulevard du Général Lefort, 75018 Paris",
		"boulevard lefort 75":                    "street 75056 Boulevard du Général Lefort, 75018 Paris",
		"tevelave":                               "commune 97401 Les Avirons (Tevelave), La Réunion",
		"avirons 974":                            "commune 97401 Les Avirons, La Réunion",
		"97425":                                  "commune 97401 97425 Les Avirons, La Réunion",
		"14001":                                  "commune 14001 Grandville-sur-Orne, Calvados",
		"12 boulevard inconnu, grandville":       "commune 14001 Grandville-sur-Orne, Calvados",
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		if len(r.Data) == 0 {
			t.Errorf("%q: nothing; want %s", q, want)
			continue
		}
		if got := describePlace(r.Data[0]); got != want {
			t.Errorf("%q: %s; want %s", q, got, want)
		}
	}
}

// A word of another script is a word that no answer has: without it
// Москва Paris would be Paris, word for word.
func TestOtherScripts(t *testing.T) {
	t.Parallel()
	x := newIndex(t, villageInput())
	for q, want := range map[string]string{"Москва Paris": "москва", "東京都 paris": "東京都", "Paris Αθήνα": "αθηνα"} {
		r := x.Search(geocode.Request{Query: q, Limit: 1})
		if len(r.Data) != 1 || r.Data[0].Score > 0.8 || !slices.Equal(r.Data[0].Unmatched, []string{want}) {
			t.Errorf("%q: %+v", q, r.Data)
		}
	}
	long := x.Search(geocode.Request{Query: strings.Repeat("東", 100) + " paris", Limit: 1})
	if len(long.Data) != 1 || len(long.Data[0].Unmatched) != 1 || !utf8.ValidString(long.Data[0].Unmatched[0]) {
		t.Errorf("a long word: %+v", long.Data)
	}
}

// What is no commune's exact name is not guessed from one or two letters,
// and nothing is found where nothing is meant.
func TestNothingFound(t *testing.T) {
	t.Parallel()
	x := newIndex(t, villageInput())
	for _, q := range []string{"x", "pa", "é", "!", "😀😀😀", "ailleurs", "perdue rue", "zzzzzz qqqqq", "12", "rue"} {
		if r := x.Search(geocode.Request{Query: q, Limit: 5}); len(r.Data) != 0 {
			t.Errorf("%q: %v", q, resultLabels(r))
		}
	}
	empty := newIndex(t, build.Input{})
	if r := empty.Search(geocode.Request{Query: "12 rue de paris 75018 paris", Limit: 5}); len(r.Data) != 0 {
		t.Errorf("an empty index finds %v", resultLabels(r))
	}
}

// The body has the members that the documentation promises, null where there is nothing.
func TestResultJSON(t *testing.T) {
	t.Parallel()
	x := newIndex(t, villageInput())
	for q, want := range map[string]string{
		"12 bis rue de l'eglise 14100 grandville sur orne": `{"query":"12 bis rue de l'eglise 14100 grandville sur orne","count":1,"truncated":false,"ambiguous":false,"namesakes":1,"data":[{"kind":"housenumber","label":"12 bis Rue de l'Église, 14100 Grandville-sur-Orne","score":0.9809,"fuzzy":false,"idu":null,"distanceM":null,"housenumber":"12 bis","street":"Rue de l'Église","postcode":"14100","postcodes":["14100"],"codeInsee":"14001","commune":"Grandville-sur-Orne","deptCode":"14","lat":49.203,"lon":-0.3,"matched":["12","bis","rue","de","l","eglise","14100","grandville","sur","orne"],"unmatched":[]}],"hint":null}`,
		"Y":  `{"query":"Y","count":1,"truncated":false,"ambiguous":false,"namesakes":1,"data":[{"kind":"commune","label":"Y, Calvados","score":0.9649,"fuzzy":false,"idu":null,"distanceM":null,"housenumber":null,"street":null,"postcode":"14130","postcodes":["14130"],"codeInsee":"14003","commune":"Y","deptCode":"14","lat":null,"lon":null,"matched":["y"],"unmatched":[]}],"hint":null}`,
		"qq": `{"query":"qq","count":0,"truncated":false,"ambiguous":false,"namesakes":0,"data":[],"hint":"Nothing is called so. What is not a commune (a région of former times, an island, a quarter, a resort, a place abroad) is found only where a street or locality is called so."}`,
	} {
		got, err := json.Marshal(x.Search(geocode.Request{Query: q, Limit: 1}))
		if err != nil || string(got) != want {
			t.Errorf("%s\n%s %v; want\n%s", q, got, err, want)
		}
	}
}

// A query with a position finds what is near first, among what fits equally well.
func TestNear(t *testing.T) {
	t.Parallel()
	x := newIndex(t, villageInput())
	for _, tc := range []struct {
		q, want string
		near    *geocode.Point
	}{
		{"sainte foy", "2A001", nil},
		{"sainte foy", "14002", &geocode.Point{Lat: 49.1, Lon: -0.4}},
		{"sainte foy", "2A001", &geocode.Point{Lat: 42, Lon: 9}},
		{"rue de l'église", "14002", &geocode.Point{Lat: 49.24, Lon: -0.3}},
		{"12 rue de l'eglise grandville sur orne", "14001", &geocode.Point{Lat: -21, Lon: 55}},
		{"paris", "75056", &geocode.Point{Lat: 90, Lon: 180}},
	} {
		r := x.Search(geocode.Request{Query: tc.q, Limit: 5, Near: tc.near})
		if len(r.Data) == 0 || r.Data[0].CodeInsee != tc.want {
			t.Errorf("%s near %v: %v; want %s", tc.q, tc.near, communeCodes(r), tc.want)
		}
	}
}

// A better fit has a higher score: a number found over a street, right
// spelling over wrong, both over half an answer.
func TestScoresCompare(t *testing.T) {
	t.Parallel()
	x := newIndex(t, villageInput())
	last := math.Inf(1)
	for _, q := range []string{
		"12 rue de l'église 14100 grandville sur orne", "12 rue de l'eglisse 14100 grandville sur orne",
		"12 rue de l'eglisse grandvile sur orne", "13 rue de l'eglisse grandvile sur orne", "13 rue inconnue grandvile sur orne",
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 1})
		if len(r.Data) != 1 || r.Data[0].Score >= last {
			t.Errorf("%s scores %v, not below %v", q, r.Data, last)
			continue
		}
		last = r.Data[0].Score
	}
}

// A number that is not there is not invented: the answer is the street, with a lower score.
func TestNumberNotThere(t *testing.T) {
	t.Parallel()
	x := newIndex(t, villageInput())
	there := x.Search(geocode.Request{Query: "12 rue de l'église 14100 grandville", Limit: 1}).Data
	not := x.Search(geocode.Request{Query: "13 rue de l'église 14100 grandville", Limit: 1}).Data
	if len(there) != 1 || len(not) != 1 || there[0].Kind != "housenumber" || not[0].Kind != "street" || not[0].HouseNumber != nil || not[0].Score >= there[0].Score {
		t.Errorf("12: %+v; 13: %+v", there, not)
	}
}

// At most as many answers as asked for, best first, each once, and whether there are more.
func TestLimit(t *testing.T) {
	t.Parallel()
	x := newIndex(t, villageInput())
	for limit := 1; limit <= 20; limit++ {
		r := x.Search(geocode.Request{Query: "rue de l'église", Limit: limit})
		if len(r.Data) > limit || r.Count != len(r.Data) || r.Truncated != (limit < 4) || limit >= 4 && len(r.Data) != 4 {
			t.Errorf("limit %d: %d answers, count %d", limit, len(r.Data), r.Count)
		}
		if !slices.IsSortedFunc(r.Data, func(a, b geocode.FoundPlace) int { return int(math.Copysign(1, b.Score-a.Score)) }) {
			t.Errorf("not best first: %v", r.Data)
		}
	}
}

// Whatever is asked, the answer comes in time, is well formed, and names only numbers that are there.
func FuzzSearch(f *testing.F) {
	for _, q := range []string{"12 bis rue de l'église 14100", "paris 18e", "14 14 14 14 14 14", "2a2a2a", strings.Repeat("saint ", 33), strings.Repeat("é", 200),
		"rue de la rue de la rue", "75018 75018 75018 cedex cedex", "b b b b b b b b", "0 00 000 0000 00000", "ste-foy, 14", "1e1e1e1e",
		"75018", "12b rue de l'église 14100", "evry", "Москва 東京1 paris", "mairie de grandville", "hotel de ville hotel de ville", "gare 75018", "école rue gare", "12 ru de leglis"} {
		f.Add(q, 5, 48.0, 2.0)
	}
	x := newIndex(f, villageInput())
	houses := map[string]bool{"1": true, "12": true, "12 bis": true, "14 b": true, "8": true, "10": true, "5": true, "3": true, "75": true}
	f.Fuzz(func(t *testing.T, q string, limit int, lat, lon float64) {
		q, ok := geocode.CheckQuery(q)
		if !ok {
			return
		}
		ask := geocode.Request{Query: q, Limit: 1 + (limit&0xff)%20}
		if math.Abs(lat) <= 90 && math.Abs(lon) <= 180 {
			ask.Near = &geocode.Point{Lat: lat, Lon: lon}
		}
		withinBudget(t, x, ask)
		r := x.Search(ask)
		if r.Count != len(r.Data) || r.Count > ask.Limit || r.Query != q {
			t.Errorf("%q: %+v", q, r)
		}
		for _, found := range r.Data {
			if !(found.Score >= 0 && found.Score <= 1) || found.CodeInsee == "" || found.HouseNumber != nil && !houses[*found.HouseNumber] {
				t.Errorf("%q: %+v", q, found)
			}
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("%q: %v", q, err)
		}
	})
}

// withinBudget fails when a search compares more than it may, whatever the clock says.
func withinBudget(t *testing.T, x *geocode.Index, ask geocode.Request) {
	t.Helper()
	done, most := x.Work(ask)
	for i, what := range []string{"streets", "names", "terms"} {
		if done[i] < 0 || done[i] > most[i] {
			t.Errorf("%q compares %d %s; at most %d are allowed", ask.Query, done[i], what, most[i])
		}
	}
}

// However many streets there are, a search compares a bounded number of them: here many more have the words
// of the query than may be looked at. The most important commune is among those that are.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	in := villageInput()
	const each = 4500
	in.Addresses = func(_ context.Context, take func(build.Address) error) error {
		for _, commune := range []string{"14001", "14002", "2A001", "97401", "75056"} {
			for i := range each {
				for _, name := range []string{"Rue Saint-Jean", fmt.Sprintf("Rue Saint-Pierre %d", i)} {
					a := build.Address{Code: commune, Name: name, Postcode: fmt.Sprintf("%05d", i+1), Number: 1, At: geocode.Point{Lat: 48, Lon: 2}}
					if err := take(a); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	x := newIndex(t, in)
	for _, q := range []string{"rue saint jean", "rue saint pierre", "rue saint piere", strings.Repeat("saint ", 33), "rue saint jean pierre sainte foy 14 2a 75 97425",
		strings.Repeat("saimt ", 33), "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 rue saint"} {
		withinBudget(t, x, geocode.Request{Query: q, Limit: 20})
		withinBudget(t, x, geocode.Request{Query: q, Limit: 20, Near: &geocode.Point{Lat: 48, Lon: 2}})
	}
	r := x.Search(geocode.Request{Query: "rue saint jean", Limit: 1})
	if len(r.Data) == 0 || r.Data[0].CodeInsee != "75056" {
		t.Errorf("%v; want Paris first", resultLabels(r))
	}
}

// A town with several postcodes has no single one, and lists them in order; an arrondissement and a street
// have their own, a street without one has none.
func TestPostcodes(t *testing.T) {
	t.Parallel()
	x := newIndex(t, villageInput())
	for q, want := range map[string]string{
		"paris": "|75017 75018", "75018 paris": "75018|75017 75018", "paris 18e": "75018|75018", "les avirons": "97425|97425", "petiville": "|14100 14110",
		"3 rue de paris 75018": "75018|75018", "rue de l'eglise grandville 14110": "14110|14110", "12 rue de l'eglise petiville": "14110|14110", "ailleurs": "|",
	} {
		got := "|"
		if r := x.Search(geocode.Request{Query: q, Limit: 1}); len(r.Data) > 0 {
			got = textOrEmpty(r.Data[0].Postcode) + "|" + strings.Join(r.Data[0].Postcodes, " ")
		}
		if got != want {
			t.Errorf("%q: %q; want %q", q, got, want)
		}
	}
}
