package geocode_test

import (
	"slices"
	"strings"
	"testing"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
)

// articles are often left out before the name of a commune.
var articles = strings.NewReplacer("Le ", "", "La ", "", "Les ", "", "L'", "", "L’", "")

// The number before a street is that of a house, also where it is the code of a département in which another
// commune's name begins so: "28 Place de l'Église, Champrond" is not in Champrond-en-Gâtine (28). It names
// the département where no street follows, and where what follows is the name of a commune there.
func TestNumberBeforeAStreetIsNoDepartement(t *testing.T) {
	t.Parallel()
	in, x := countryIndex(t)
	for q, want := range map[string]string{
		"28 Place de l'Église Champrond": "72057", "28 bis, place de l'église, Champrond": "72057", "28 pl. de l'Eglise 72320 Champrond": "72057",
		"28 Champrond": "28071", "Champrond 28": "28071", "80 Rue": "80688", "41 Cour-Cheverny": "41067", "69 Cours": "69066", "76 Parc d'Anxtot": "76494",
		"2A Rue de l'Église Belvédère": "06013", "2A Belvédère": "2A035",
	} {
		if r := x.Search(geocode.Request{Query: q, Limit: 5}); len(r.Data) == 0 || r.Data[0].CodeInsee != want {
			t.Errorf("%q: %v; want %s", q, describeScores(r), want)
		}
	}
	bearers := map[string]map[string]bool{} // communes of today by the names that they bear or bore
	bears := func(name, code string) {
		for _, name := range []string{geocode.Compact(name), geocode.Compact(articles.Replace(name))} {
			if bearers[name] == nil {
				bearers[name] = map[string]bool{}
			}
			bearers[name][code] = true
		}
	}
	byName := map[string]string{}
	for _, c := range in.Communes {
		bears(c.Name, c.Code)
		byName[c.Name] = c.Code
	}
	for _, p := range in.Parts {
		bears(p.Name, p.Commune)
	}
	f := newFinder(t, x)
	for _, other := range in.Communes {
		name, _, longer := strings.Cut(other.Name, "-")
		code := byName[name]
		alone := len(bearers[geocode.Compact(name)]) == 1 && len(bearers[geocode.Compact(articles.Replace(name))]) == 1
		if !longer || !alone || code == "" || strings.HasPrefix(code, other.Departement) || strings.ContainsAny(other.Departement, "0AB") {
			continue
		}
		for _, street := range []string{"Place de la Mairie", "avenue Jean Jaurès,", "r de l'Eglise", "bis chemin du Moulin"} {
			f.askCommune("house number that is the code of a département", other.Departement+" "+street+" "+name, code)
		}
	}
	f.checkShares("house number that is the code of a département", 99.5, 99.5)
}

// Nothing that was asked for gets lost: a suffix that is not known is not matched, written
// onto the number or behind it; a number behind the street that is the code of the département
// is that where the street does not have it.
func TestWordsOfNumbers(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	for q, want := range map[string]string{
		"12 bis allee des roses bondy":  "12 Allee des Roses; bis",
		"12bis allee des roses bondy":   "12 Allee des Roses; bis",
		"12b allee des roses bondy":     "12 Allee des Roses; b",
		"12Z allee des roses bondy":     "12 Allee des Roses; z",
		"12 z allee des roses bondy":    "12 Allee des Roses; z",
		"12 allee des roses bondy":      "12 Allee des Roses; ",
		"999b allee des roses bondy":    " Allee des Roses; 999b",
		"place albert thomas 93 bondy":  "93 Place Albert Thomas; ",
		"place albert thomas 93 93140":  "93 Place Albert Thomas; ",
		"Bondy Place Albert Thomas 93":  "93 Place Albert Thomas; ",
		"93 place albert thomas, bondy": "93 Place Albert Thomas; ",
		"place albert thomas bondy 93":  " Place Albert Thomas; ",
		"allee des roses 93 bondy":      " Allee des Roses; ",
		"12 allee des roses 93 bondy":   "12 Allee des Roses; ",
		"93 bondy allee des roses":      " Allee des Roses; ",
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 1})
		if len(r.Data) == 0 {
			t.Errorf("%q: nothing; want %s", q, want)
			continue
		}
		f := r.Data[0]
		if got := textOrEmpty(f.HouseNumber) + " " + textOrEmpty(f.Street) + "; " + strings.Join(f.Unmatched, " "); got != want {
			t.Errorf("%q: %q; want %q", q, got, want)
		}
		if all := len(f.Matched) + len(f.Unmatched); strings.HasPrefix(q, "12b ") && (all != 6 || f.Matched[0] != "12") {
			t.Errorf("%q: %q are matched and %q are not", q, f.Matched, f.Unmatched)
		}
	}
}

// mergedVillage is the village with a commune that was made of three, each with its streets.
func mergedVillage() build.Input {
	in := villageInput()
	at := func(i float64) geocode.Point { return geocode.Point{Lat: 49.3 + i/100, Lon: -0.4} }
	in.Communes = append(in.Communes, build.Commune{Code: "14010", Name: "Mauges", Departement: "14", Population: 5000, Postcodes: []string{"14600"},
		At: &geocode.Point{Lat: 49.3, Lon: -0.4}})
	in.Parts = append(in.Parts, build.Part{Code: "14010", Name: "Beaupréau", Commune: "14010"}, build.Part{Code: "14011", Name: "Jallais", Commune: "14010"},
		build.Part{Code: "14012", Name: "Gesté", Commune: "14010"}, build.Part{Code: "14013", Name: "Villedieu", Commune: "14010"})
	in.Postal = append(in.Postal, build.Postal{Commune: "14010", Postcode: "14600", Name: "MAUGES"}, build.Postal{Commune: "14010", Postcode: "14600", Name: "AVORIAZ"})
	in.Addresses = streamAddresses([]build.Address{
		{Code: "14010", OldCode: "14010", Name: "Rue du Stade", Postcode: "14600", Number: 1, At: at(1)},
		{Code: "14010", OldCode: "14010", Name: "Rue du Stade", Postcode: "14600", Number: 9, Suffix: "BIS A", At: at(1)},
		{Code: "14010", OldCode: "14010", Name: "Rue du Stade", Postcode: "14600", Number: 11, Suffix: "1/3", At: at(1)},
		{Code: "14010", OldCode: "14011", Name: "Rue du Stade", Postcode: "14600", Number: 1, At: at(2)},
		{Code: "14010", OldCode: "14011", Name: "Rue Basse", Postcode: "14600", Number: 2, At: at(2)},
		{Code: "14010", OldCode: "14012", Name: "Rue du Stade", Postcode: "14600", Number: 1, At: at(3)},
		{Code: "14010", Name: "Avoriaz", Postcode: "14600", Locality: true, At: at(7)},
	})
	return in
}

// Streets of one name and postcode in a commune that was merged are all answers, distinguished by the former
// commune.
func TestHomonymousStreetsOfMergedCommune(t *testing.T) {
	t.Parallel()
	x := newIndex(t, mergedVillage())
	r := x.Search(geocode.Request{Query: "1 rue du stade 14600 Mauges", Limit: 5})
	want := []string{"1 Rue du Stade, 14600 Mauges (Beaupréau)", "1 Rue du Stade, 14600 Mauges (Gesté)", "1 Rue du Stade, 14600 Mauges (Jallais)"}
	got := resultLabels(r)
	if slices.Sort(got); !slices.Equal(got, want) || r.Namesakes != 3 || !r.Ambiguous || r.Data[0].Score > 0.8 {
		t.Errorf("%q, %d called so; want %q", got, r.Namesakes, want)
	}
	r = x.Search(geocode.Request{Query: "1 rue du stade Jallais", Limit: 5})
	if len(r.Data) == 0 || r.Data[0].Lat == nil || *r.Data[0].Lat != 49.32 || r.Ambiguous {
		t.Errorf("in Jallais: %+v", r)
	}
	if f := askFirst(t, x, "2 rue basse 14600 Mauges"); f.Label != "2 Rue Basse, 14600 Mauges" {
		t.Errorf("a street of its own is %q", f.Label)
	}
}

// A former commune and a locality of the post are where the addresses have them, and the label names them;
// one that the addresses do not have is where the commune is.
func TestFormerCommuneHasItsPoint(t *testing.T) {
	t.Parallel()
	x := newIndex(t, mergedVillage())
	for q, want := range map[string]struct {
		label string
		lat   float64
	}{
		"Mauges": {"Mauges, Calvados", 49.3}, "Jallais": {"Mauges (Jallais), Calvados", 49.32}, "gesté 14": {"Mauges (Gesté), Calvados", 49.33},
		"Villedieu": {"Mauges (Villedieu), Calvados", 49.3}, "14011": {"Mauges (Jallais), Calvados", 49.32},
	} {
		if f := askFirst(t, x, q); f.Label != want.label || f.Lat == nil || *f.Lat != want.lat || f.CodeInsee != "14010" {
			t.Errorf("%q: %s at %v; want %s at %v", q, f.Label, *f.Lat, want.label, want.lat)
		}
	}
	r := x.Search(geocode.Request{Query: "avoriaz", Limit: 5})
	for _, f := range r.Data {
		if f.Lat == nil || *f.Lat != 49.37 || !strings.Contains(f.Label, "Avoriaz") {
			t.Errorf("avoriaz: %s at %v", f.Label, *f.Lat)
		}
	}
	if len(r.Data) == 0 {
		t.Error("avoriaz: nothing")
	}
}

// A suffix of two words is shown and found as it is written.
func TestSuffixOfTwoWords(t *testing.T) {
	t.Parallel()
	x := newIndex(t, mergedVillage())
	for q, want := range map[string]string{
		"9 bis a rue du stade mauges": "9 bis a Rue du Stade, 14600 Mauges", "11 1/3 rue du stade mauges": "11 1/3 Rue du Stade, 14600 Mauges",
		"rue du stade 9 bis A 14600": "9 bis a Rue du Stade, 14600 Mauges",
	} {
		if f := askFirst(t, x, q); !strings.HasPrefix(f.Label, want) || len(f.Unmatched) > 0 || f.Score <= 0.8 {
			t.Errorf("%q: %.2f %s, unmatched %q; want %s", q, f.Score, f.Label, f.Unmatched, want)
		}
	}
}

// A code that a commune had finds what it belongs to now.
func TestFormerCodes(t *testing.T) {
	t.Parallel()
	_, x := countryIndex(t)
	for q, want := range map[string]string{"20004": "2A004", "12076": "12218", "59355": "59350", "93059": "93066", "rue de Paris, 59355": "59350", "2A004": "2A004", "33063": "33063"} {
		if f := askFirst(t, x, q); f.CodeInsee != want {
			t.Errorf("%q: %s; want %s", q, describePlace(f), want)
		}
	}
}

// A street without its town may be one of a town whose streets are not loaded: the one that is loaded scores
// below 0.8, and the hint says of which communes streets are loaded. A query with a town is answered as
// before.
func TestStreetWithoutTown(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	for _, q := range []string{"12 allée des Roses", "allée des Roses", "12 allée des Roses, Seine-Saint-Denis", "allee des rozes 12"} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		if len(r.Data) == 0 || r.Data[0].CodeInsee != "93010" || r.Data[0].Score > 0.79 || r.Data[0].Score < 0.5 ||
			!strings.Contains(textOrEmpty(r.Hint), noTown) {
			t.Errorf("%q: %v, hint %q; want Bondy at 0.79 at most, and %q", q, describeScores(r), textOrEmpty(r.Hint), noTown)
		}
	}
	for _, q := range []string{"12 allée des Roses Bondy", "12 allée des Roses 93140", "93010 allée des Roses", "allée des Roses, Bondi"} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		if len(r.Data) == 0 || r.Data[0].CodeInsee != "93010" || (r.Data[0].Score > 0.8) == r.Data[0].Fuzzy ||
			strings.Contains(textOrEmpty(r.Hint), "No town") {
			t.Errorf("%q: %v, hint %q; want Bondy, as a town is named", q, describeScores(r), textOrEmpty(r.Hint))
		}
	}
}

// Where the streets of the country are loaded, a street that alone has its name is sure without its town. A
// commune without inhabitants has no streets even then.
func TestStreetOfWholeCountry(t *testing.T) {
	t.Parallel()
	in := readCountry(t)
	all := []build.Address{{Code: "93010", Name: "Impasse des Xylographes", Number: 1, At: geocode.Point{Lat: 48, Lon: 2}}}
	for _, c := range in.Communes {
		if c.Population > 0 {
			all = append(all, build.Address{Code: c.Code, Name: "Chemin de " + c.Name, Number: 1, At: geocode.Point{Lat: 48, Lon: 2}})
		}
	}
	search := func(addresses []build.Address) geocode.FoundPlaces {
		of := in
		of.Addresses = streamAddresses(addresses)
		return newIndex(t, of).Search(geocode.Request{Query: "1 impasse des Xylographes", Limit: 5})
	}
	if r := search(all); len(r.Data) == 0 || r.Data[0].Score <= 0.8 || r.Hint != nil {
		t.Errorf("whole country: %v, hint %q; want a sure answer", describeScores(r), textOrEmpty(r.Hint))
	}
	withoutLozere := slices.DeleteFunc(all, func(a build.Address) bool { return strings.HasPrefix(a.Code, "48") })
	if r := search(withoutLozere); len(r.Data) == 0 || r.Data[0].Score > 0.79 || r.Hint == nil {
		t.Errorf("without the smallest département: %v, hint %q; want an unsure answer", describeScores(r), textOrEmpty(r.Hint))
	}
}
