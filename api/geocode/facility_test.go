package geocode_test

import (
	"testing"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
)

// askFirst gives the first answer to a query in the village.
func askFirst(t *testing.T, x *geocode.Index, q string) geocode.FoundPlace {
	t.Helper()
	r := x.Search(geocode.Request{Query: q, Limit: 5})
	if len(r.Data) == 0 {
		t.Fatalf("%q: nothing", q)
	}
	return r.Data[0]
}

// The postcode of an arrondissement is where the arrondissement is, and the label says what was asked for.
func TestPostcodeOfArrondissement(t *testing.T) {
	t.Parallel()
	x := newIndex(t, villageInput())
	for _, tc := range []struct {
		q, label, postcode string
		lat                float64
	}{
		{"75018", "75018 Paris", "75018", 48.89},
		{"75018 paris", "75018 Paris", "75018", 48.89},
		{"paris 18", "Paris 18e Arrondissement", "75018", 48.89},
		{"paris 18e 75018", "75018 Paris 18e Arrondissement", "75018", 48.89},
		{"paris", "Paris", "", 48.86},
		{"75017", "75017 Paris", "75017", 48.86}, // the 17e is not in the village
		{"14120 sainte foy", "14120 Sainte-Foy, Calvados", "14120", 49.0},
		{"sainte foy calvados", "Sainte-Foy, Calvados", "14120", 49.0},
	} {
		f := askFirst(t, x, tc.q)
		if got := textOrEmpty(f.CodeArrondissement); (got == "75118") != (tc.postcode == "75018") {
			t.Errorf("%q: the arrondissement is %q", tc.q, got)
		}
		if f.Label != tc.label || textOrEmpty(f.Postcode) != tc.postcode || f.Lat == nil || *f.Lat != tc.lat {
			t.Errorf("%q: %s, %q at %v; want %s, %q at %v", tc.q, f.Label, textOrEmpty(f.Postcode), f.Lat, tc.label, tc.postcode, tc.lat)
		}
	}
}

// What people look for in a town, before or after its name, is not taken for the commune of that name, nor
// for another name with a typing error: the answer is the town.
func TestGeneralNounsNextToTowns(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	towns := map[string]string{"Versailles": "78646", "Libourne": "33243", "Marseille": "13055", "Caen": "14118", "Guéret": "23096",
		"Étretat": "76254", "Saint-Malo": "35288", "Le Havre": "76351", "Bondy": "93010"}
	for _, noun := range geocode.GeneralNouns() {
		for town, code := range towns {
			for _, q := range []string{town + " " + noun, noun + " " + town, noun + " à " + town} {
				if r := x.Search(geocode.Request{Query: q, Limit: 3}); len(r.Data) == 0 || r.Data[0].CodeInsee != code {
					t.Errorf("%q: %v; want %s", q, describeScores(r), code)
				}
			}
		}
	}
	for q, want := range map[string]string{
		"Versailles château": "78646", "Libourne prix maisons": "33243", "Bondy prix m2": "93010", "prix m2 Bondy": "93010",
		"Nantes école": "44109", "Toulouse hôpital": "31555", "Angers parc": "49007", "Versailles le château": "78646",
		"Château": "71112", "Château Saône-et-Loire": "71112", "71250 Château": "71112", "Maisons Calvados": "14391",
		"rue de Versailles Château": "71112", "Le Port La Réunion": "97407", "Bois-Colombes": "92009", "Pont-Audemer": "27467",
		"Fontaine-Chalis": "60241", "Ville la Grans": "74305",
	} {
		if r := x.Search(geocode.Request{Query: q, Limit: 3}); len(r.Data) == 0 || r.Data[0].CodeInsee != want {
			t.Errorf("%q: %v; want %s", q, describeScores(r), want)
		}
	}
}

// A suffix that is not there costs much of what the number is worth,
// however it is written, but not all of it.
func TestSuffixNotThere(t *testing.T) {
	t.Parallel()
	x := newIndex(t, villageInput())
	score := func(number string) float64 {
		return askFirst(t, x, number+" rue de l'église 14100 grandville sur orne").Score
	}
	for _, asked := range []string{"1 bis", "1bis", "1b", "1 c"} {
		f := askFirst(t, x, asked+" rue de l'église 14100 grandville sur orne")
		if f.Kind != "housenumber" || textOrEmpty(f.HouseNumber) != "1" {
			t.Errorf("%s: %s", asked, describePlace(f))
		}
		if there, street := score("1"), score("13"); f.Score > there-0.05 || f.Score <= street {
			t.Errorf("%s scores %v; 1 scores %v, a street without its number %v", asked, f.Score, there, street)
		}
	}
}

// Words for what is no address leave the commune as the answer, with
// a modest score, unless a street bears them.
func TestFacilities(t *testing.T) {
	t.Parallel()
	in := villageInput()
	at := geocode.Point{Lat: 49.2, Lon: -0.3}
	in.Addresses = streamAddresses([]build.Address{
		{Code: "14001", Name: "Avenue Marie Curie", Postcode: "14100", Number: 1, At: at},
		{Code: "14001", Name: "Place de la Gare", Postcode: "14100", Number: 1, At: at},
		{Code: "14002", Name: "Rue de la Mairie", Postcode: "14120", Number: 1, At: at},
	})
	in.Communes = append(in.Communes, build.Commune{Code: "14005", Name: "Villegrand", Departement: "14", Population: 900},
		build.Commune{Code: "14006", Name: "Lacoste", Departement: "14", Population: 900})
	x := newIndex(t, in)
	for q, want := range map[string]string{
		"mairie de grandville sur orne":            "Grandville-sur-Orne, Calvados",
		"grandville-sur-orne mairie":               "Grandville-sur-Orne, Calvados",
		"hôtel de ville, grandville sur orne":      "Grandville-sur-Orne, Calvados",
		"hôtel de ville grand":                     "",
		"la poste grandville sur orne":             "Grandville-sur-Orne, Calvados",
		"centre commercial grandville sur orne":    "Grandville-sur-Orne, Calvados",
		"école jean valjean, grandville sur orne":  "Grandville-sur-Orne, Calvados",
		"église sainte-foy de grandville sur orne": "Grandville-sur-Orne, Calvados",
		"gare 75018": "75018 Paris",
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		switch {
		case want == "" && len(r.Data) > 0 && r.Data[0].CodeInsee == "14005":
			t.Errorf("%q: %s", q, describePlace(r.Data[0]))
		case want != "" && (len(r.Data) == 0 || r.Data[0].Label != want || r.Data[0].Score > 0.8):
			t.Errorf("%q: %+v; want %s with a modest score", q, r.Data, want)
		}
	}
	for q, want := range map[string]string{
		"gare de grandville sur orne":             "Place de la Gare, 14100 Grandville-sur-Orne",
		"1 rue de la mairie sainte foy":           "1 Rue de la Mairie, 14120 Sainte-Foy",
		"mairie":                                  "Rue de la Mairie, 14120 Sainte-Foy",
		"avenue marie curie, grandville sur orne": "Avenue Marie Curie, 14100 Grandville-sur-Orne",
	} {
		if f := askFirst(t, x, q); f.Label != want {
			t.Errorf("%q: %s; want %s", q, f.Label, want)
		}
	}
}

// However many places share a name that is in the query, the one that other words name is looked at.
func TestNameOfManyPlaces(t *testing.T) {
	t.Parallel()
	in := villageInput()
	for i := range 90 {
		in.Communes = append(in.Communes, build.Commune{Code: string([]byte{'1', '4', '5', byte('0' + i/10), byte('0' + i%10)}), Name: "Saint-Pierre",
			Departement: "14", Population: 20_000 + i})
	}
	x := newIndex(t, in)
	if f := askFirst(t, x, "église saint-pierre, les avirons"); f.Commune != "Les Avirons" {
		t.Errorf("%s; want Les Avirons", describePlace(f))
	}
}

// Short words are found by their sound, where too few typing errors are allowed to find them.
func TestPhoneticVariants(t *testing.T) {
	t.Parallel()
	in := villageInput()
	at := geocode.Point{Lat: 49.2, Lon: -0.3}
	in.Communes = append(in.Communes, build.Commune{Code: "14007", Name: "Roz-sur-Couesnon", Departement: "14", Population: 900})
	in.Addresses = streamAddresses([]build.Address{
		{Code: "14001", Name: "Allée des Roses", Postcode: "14100", Number: 12, At: at},
		{Code: "14001", Name: "Rue Carnot", Postcode: "14100", Number: 12, At: at},
	})
	x := newIndex(t, in)
	for q, want := range map[string]string{
		"12 alée des roz granville sur orne":  "12 Allée des Roses, 14100 Grandville-sur-Orne",
		"12 alée des roz grandville sur orne": "12 Allée des Roses, 14100 Grandville-sur-Orne",
		"12 rue karno granville sur orne":     "12 Rue Carnot, 14100 Grandville-sur-Orne",
		"roz":                                 "Roz-sur-Couesnon, Calvados",
	} {
		if f := askFirst(t, x, q); f.Label != want {
			t.Errorf("%q: %s; want %s", q, f.Label, want)
		}
	}
}

// A name of today and one of former times: the greater commune comes
// first only if nothing says which is meant.
func TestFormerNameOfGreaterCommune(t *testing.T) {
	t.Parallel()
	in := villageInput()
	in.Communes = append(in.Communes, build.Commune{Code: "2A002", Name: "Grandville", Departement: "2A", Population: 90, Postcodes: []string{"20120"}})
	x := newIndex(t, in)
	for q, want := range map[string]string{"grandville": "14001", "grandville 2a": "2A002", "grandville corse-du-sud": "2A002", "grandville 20120": "2A002", "grandville 14": "14001"} {
		if f := askFirst(t, x, q); f.CodeInsee != want {
			t.Errorf("%q: %s; want %s first", q, describePlace(f), want)
		}
	}
}
