package geocode_test

import (
	"slices"
	"strings"
	"testing"

	"arpent/api/geocode"
)

const (
	notHere     = "What is not a commune (a région of former times, an island, a quarter, a resort, a place abroad) is found only where a street or locality is called so."
	hintNumber  = "No postcode, commune code or département has this number. A number alone finds no address: add the street and the commune."
	hintEmpty   = "The query has no letter and no digit: give an address, the name of a place or a postcode."
	hintGuesses = "Nothing is called so as written: the answers are guesses, and unmatched lists the words that each spells otherwise. " + notHere
	isStreet    = " in the addresses that are loaded: the answer is the street, and lat and lon are of a point on it."
	noSuch      = "No address of Bondy that is loaded has the other words of the query: the answer is the commune."
	hintAround  = "The search finds a place, not what is known of it or lies around it: the report of a parcel does (GET " +
		"/parcelles/{idu}/enrichments, tool get_parcel_enrichments). Its lists have the number of sales, " +
		"installations, schools and so on within radiusM, which no call changes, or say that only their commune is " +
		"known, and distanceM of each; its states have the period of the sales. Inhabitants are counted by commune alone."
	noTown      = "No town is named, and of 34875 communes this server has the streets of 1 (Bondy): other towns may have a street of this name. Add the commune or its postcode."
	hintPartial = "Nothing has all words of the query: the answers are guesses, and unmatched lists what each lacks. " + notHere
)

// An answer that is less than was asked for says why: the streets of the commune are not loaded, or nothing
// is called so, the street is not among those that are loaded, or it does not have the number.
func TestCaution(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	for q, want := range map[string]string{
		"10 rue de Rivoli Paris":             "The streets of Paris are not loaded on this server: only the commune can be found.",
		"10 rue Sainte-Catherine Bordeaux":   "The streets of Bordeaux are not loaded on this server: only the commune can be found.",
		"rue de Paris, Lille":                "The streets of Lille are not loaded on this server: only the commune can be found.",
		"Bruxelles":                          hintGuesses,
		"Côtes-du-Nord":                      hintPartial,
		"Saint-Pierre-et-Miquelon":           hintPartial,
		"Tour Eiffel Paris":                  "The streets of Paris are not loaded on this server: only the commune can be found.",
		"Nouméa":                             "Nothing is called so. " + notHere,
		"Métropole de Lyon":                  "Groupings of communes, cantons among them, are not found by name: the answer is the commune. GET /communes?departement=69&fields=epci.name (tool list_communes) names the intercommunal body of each commune of the département; epci lists the communes of one, by its name in the tool.",
		"paris 21e":                          "Paris has no arrondissement 21: its arrondissements are 1 to 20.",
		"12 rue de Rivoli, Paris 21e":        "Paris has no arrondissement 21: its arrondissements are 1 to 20.",
		"10e arrondissement de Lyon":         "Lyon has no arrondissement 10: its arrondissements are 1 to 9.",
		"rue du 21e régiment Paris":          "The streets of Paris are not loaded on this server: only the commune can be found.",
		"Paris 20e":                          "",
		"Bondy 21e":                          noSuch,
		"Bordeaux":                           "",
		"12 allée des Roses Bondy":           "",
		"allée des Roses Bondy":              "",
		"988 allée des Roses Bondy":          "Allee des Roses has no number 988" + isStreet,
		"allée des Roses 988 bis, Bondy":     "Allee des Roses has no number 988 bis" + isStreet,
		"988b allée des Rozes 93140 Bondy":   hintGuesses + " Allee des Roses has no number 988b" + isStreet,
		"12bis allée des Roses, Bondy":       "Allee des Roses has no number 12 bis in the addresses that are loaded: the answer is number 12.",
		"allée des Roses 12 ter Bondy":       "Allee des Roses has no number 12 ter in the addresses that are loaded: the answer is number 12.",
		"12 allée de Nulle Part 93140 Bondy": noSuch,
	} {
		if got := textOrEmpty(x.Search(geocode.Request{Query: q, Limit: 5}).Hint); got != want {
			t.Errorf("%q: %q; want %q", q, got, want)
		}
	}
}

// A question for what lies around an address, or is known of it, finds the address, and the hint names the tool
// that counts what lies around it and knows of which years sales are.
func TestAroundAnAddress(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	for q, label := range map[string]string{
		"écoles à moins de 500 m du 12 allée des Roses Bondy":                    "12 Allee des Roses, 93140 Bondy",
		"ventes dans un rayon de 300 mètres autour du 12 allée des Roses, Bondy": "12 Allee des Roses, 93140 Bondy",
		"how many sales within 0.3 km of 12 allée des Roses Bondy":               "12 Allee des Roses, 93140 Bondy",
		"Quels commerces y a-t-il près du 12 allée des Roses à Bondy ?":          "12 Allee des Roses, 93140 Bondy",
		"commerces autour de Bondy":                                              "Bondy, Seine-Saint-Denis",
		"inhabitants within 2 km of Bondy":                                       "Bondy, Seine-Saint-Denis",
		"gare la plus proche de Bondy":                                           "Bondy, Seine-Saint-Denis",
		"nearest hospital to 12 allée des Roses, Bondy":                          "12 Allee des Roses, 93140 Bondy",
		"ventes rue Edouard Vaillant Bondy 2024":                                 "Rue Edouard Vaillant, 93140 Bondy",
		"sales in rue Edouard Vaillant, Bondy in 2024":                           "Rue Edouard Vaillant, 93140 Bondy",
		"prix m2 12 allée des Roses Bondy":                                       "12 Allee des Roses, 93140 Bondy",
		"zone PLU 12 allée des Roses Bondy":                                      "12 Allee des Roses, 93140 Bondy",
		"parcelle du 12 allée des Roses à Bondy":                                 "12 Allee des Roses, 93140 Bondy",
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		if len(r.Data) == 0 || r.Data[0].Label != label || r.Data[0].Score > 0.8 ||
			!strings.HasPrefix(textOrEmpty(r.Hint), hintAround) {
			t.Errorf("%q: %v, %q", q, describeScores(r), textOrEmpty(r.Hint))
		}
	}
	for _, q := range []string{"5 m rue de Paris Bondy", "12 allée des Roses Bondy", "Saint-Denis-près-Martel",
		"Prix-lès-Mézières", "Les Ventes", "parcelle AB 12 Bondy"} {
		if r := x.Search(geocode.Request{Query: q, Limit: 5}); strings.HasPrefix(textOrEmpty(r.Hint), hintAround) {
			t.Errorf("%q: %q", q, *r.Hint)
		}
	}
}

// Where a commune has no street of the kind that was asked for, the word for the kind is not matched, the
// hint names the streets that are called so, and several of them are ambiguous.
func TestOtherKindOfStreet(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	const three = "Avenue de la République, Cours de la République and Place de la République."
	for q, want := range map[string]struct {
		hint, kind string
		namesakes  int
	}{
		"5 rue de la Republique bondy":     {"The addresses of Bondy have no rue of this name, but " + three, "rue", 3},
		"rue de la République 93140 Bondy": {"The addresses of Bondy have no rue of this name, but " + three, "rue", 3},
		"bd de la republique bondy":        {"The addresses of Bondy have no boulevard of this name, but " + three, "bd", 3},
		"12 rue des Roses Bondy":           {"The addresses of Bondy have no rue of this name, but Allee des Roses.", "rue", 1},
		"988 rue des Roses Bondy": {"The addresses of Bondy have no rue of this name, but Allee des Roses." +
			" Allee des Roses has no number 988" + isStreet, "988 rue", 1},
		"cours de la République Bondy": {"", "", 1}, "988 av de la République Bondy": {"Avenue de la République has no number 988" + isStreet, "988", 1},
		"rue de la République": {noTown, "rue", 1}, "résidence allée des Roses Bondy": {"", "residence", 1},
		"rue de la République des Lettres Bondy": {"", "rue des lettres", 1},
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		got := textOrEmpty(r.Hint)
		if got != want.hint || r.Namesakes != want.namesakes || r.Ambiguous != (want.namesakes > 1) || len(r.Data) == 0 {
			t.Errorf("%q: hint %q, %d namesakes, ambiguous %t, %v; want %+v", q, got, r.Namesakes, r.Ambiguous, describeScores(r), want)
			continue
		}
		if unmatched := strings.Join(r.Data[0].Unmatched, " "); unmatched != want.kind {
			t.Errorf("%q: unmatched %q, want %q", q, unmatched, want.kind)
		}
	}
}

// Who asks the search for what is no address is shown where to ask: départements by name
// or code, régions by name, and coordinates in either order. Overseas départements are
// not sent to where they are answered with 404.
func TestHint(t *testing.T) {
	t.Parallel()
	_, x := countryIndex(t)
	const there = "These are coordinates: GET /communes?lat=48.8566&lon=2.3522 (tool find_commune) gives the commune there, GET /parcelles?lat=48.8566&lon=2.3522 (tool get_parcel_at_point) the parcel."
	correze := "Corrèze is a département: GET /departements/19 (tool get_departement)."
	reunion := "La Réunion is an overseas département: GET /communes?departement=974 (tool list_communes) lists its communes."
	for q, want := range map[string]string{
		"Corrèze": correze, "département de la Corrèze": correze, "19": correze, "correze (19)": "",
		"le 19": correze, "dans le 19": correze, "département 19": correze, "dans la Corrèze": correze,
		"Seine-Saint-Denis": "Seine-Saint-Denis is a département: GET /departements/93 (tool get_departement).",
		"2a":                "Corse-du-Sud is a département: GET /departements/2A (tool get_departement).",
		"974":               reunion,
		"Normandie":         "Normandie is a région: GET /regions/28 (tool get_region).", "région Normandie": "Normandie is a région: GET /regions/28 (tool get_region).",
		"Provence Alpes Cote d Azur": "Provence-Alpes-Côte d'Azur is a région: GET /regions/93 (tool get_region).",
		"Alsace":                     "Alsace is not a commune: it was a région until 2015, with the départements 67, 68, and is a part of Grand Est (44) since: GET /regions/44 (tool get_region).",
		"PACA":                       "Provence-Alpes-Côte d'Azur is a région: GET /regions/93 (tool get_region).",
		"région aura":                "Auvergne-Rhône-Alpes is a région: GET /regions/84 (tool get_region).",
		"l'Auvergne":                 "Auvergne is not a commune: it was a région until 2015, with the départements 03, 15, 43, 63, and is a part of Auvergne-Rhône-Alpes (84) since: GET /regions/84 (tool get_region).",
		"région Nord-Pas-de-Calais":  "Nord-Pas-de-Calais is not a commune: it was a région until 2015, with the départements 59, 62, and is a part of Hauts-de-France (32) since: GET /regions/32 (tool get_region).",
		"Franche-Comté":              "Franche-Comté is not a commune: it was a région until 2015, with the départements 25, 39, 70, 90, and is a part of Bourgogne-Franche-Comté (27) since: GET /regions/27 (tool get_region).",
		"La Réunion":                 reunion + " La Réunion is a région: GET /regions/04 (tool get_region).",
		"48.8566, 2.3522":            there, "2.3522 48.8566": there, "48,8566 2,3522": there, "48,8566, 2,3522": there, "(48.8566,2.3522)": there,
		"Bondy": "", "12 rue de la Corrèze Bondy": "The streets of Bondy are not loaded on this server: only the commune can be found.",
		"12,5 rue de Paris": hintPartial, "rue": "", "!": hintEmpty, "12 93": hintNumber, "498.5 998.5": hintNumber, "99999": hintNumber,
	} {
		got := textOrEmpty(x.Search(geocode.Request{Query: q, Limit: 5}).Hint)
		if got != want {
			t.Errorf("%q: %q; want %q", q, got, want)
		}
	}
}

// A région or département whose name is misspelt is named, although communes resemble it.
func TestHintOfMisspeltArea(t *testing.T) {
	t.Parallel()
	_, x := countryIndex(t)
	region := func(name, code string) string {
		return "Nearly called so: " + name + " is a région: GET /regions/" + code + " (tool get_region)."
	}
	for q, want := range map[string]string{
		"ile de frnace": region("Île-de-France", "11"), "bretange": region("Bretagne", "53"),
		"Hauts de frnace": region("Hauts-de-France", "32"), "région bretange": region("Bretagne", "53"),
		"seine st deni":  "Seine-Saint-Denis is a département: GET /departements/93 (tool get_departement).",
		"corèze":         "Corrèze is a département: GET /departements/19 (tool get_departement).",
		"Bretagne":       "Bretagne is a région: GET /regions/53 (tool get_region).",
		"Bretagne Indre": "", "Normanville": "",
	} {
		if got := textOrEmpty(x.Search(geocode.Request{Query: q, Limit: 3}).Hint); !strings.HasPrefix(got, want) ||
			strings.Contains(got, "Nearly") != strings.Contains(want, "Nearly") {
			t.Errorf("%q: %q; want %q", q, got, want)
		}
	}
}

// A guess says that it is one: the words that it spells otherwise are not matched, and the hint says that
// nothing is called so. What is spelt as written is no guess, and none follows it.
func TestGuessesAreMarked(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	for q, differ := range map[string]string{
		"Brussels": "brussels", "Bruxelles": "bruxelles", "Londres": "londres", "clermont ferand": "ferand", "12 alée des rozes bondi": "alee rozes bondi", "14 rue e dolet bondy": "e",
		"12 all des roses 93140 bondy": "", "st denis": "", "Chamonix": "", "12 rue belair bondy": "", "larochesuryon": "",
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		if len(r.Data) == 0 {
			t.Errorf("%q: nothing", q)
			continue
		}
		f := r.Data[0]
		if f.Fuzzy != (differ != "") || strings.Join(f.Unmatched, " ") != differ || f.Fuzzy && (f.Score > 0.8 || !strings.HasPrefix(textOrEmpty(r.Hint), "Nothing is called so")) {
			t.Errorf("%q: %s, fuzzy %v, unmatched %q, hint %q; want %q", q, describePlace(f), f.Fuzzy, f.Unmatched, textOrEmpty(r.Hint), differ)
		}
	}
	for _, q := range []string{"Bondy", "Paris", "Chamonix", "12 allée des Roses, Bondy", "saint denis"} {
		r := x.Search(geocode.Request{Query: q, Limit: 20})
		if slices.ContainsFunc(r.Data, func(f geocode.FoundPlace) bool { return f.Fuzzy || len(f.Unmatched) > 0 }) {
			t.Errorf("%q: guesses after what is called so: %v", q, describeScores(r))
		}
	}
	r := x.Search(geocode.Request{Query: "988 avenue de la République, Bondy", Limit: 20})
	if len(r.Data) != 1 || r.Data[0].Kind != "street" || strings.Join(r.Data[0].Unmatched, " ") != "988" {
		t.Errorf("guesses after the street whose number is missing: %v", describeScores(r))
	}
	for q, code := range map[string]string{
		"section J 235 bondy": "93010", "12 rue Lepic paris": "75056", "12 rue Lepic 75018 Paris": "75056", "parcelle AB 999 Rennes": "35238",
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 20})
		if len(r.Data) == 0 || slices.ContainsFunc(r.Data, func(f geocode.FoundPlace) bool { return f.CodeInsee != code }) {
			t.Errorf("%q: guesses next to the commune that is named: %v", q, describeScores(r))
		}
	}
	for _, q := range []string{"Alsace", "La Défense", "Oléron", "Washington"} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		if hint := textOrEmpty(r.Hint); len(r.Data) > 0 && r.Data[0].Score > 0.8 || !strings.Contains(hint, "not a commune") {
			t.Errorf("%q: %v, hint %q", q, describeScores(r), hint)
		}
	}
}

// A street that is not known in a commune that is misspelt leads to this commune, which the hint names, and
// not to one that is called like the street.
func TestMisspeltCommuneOfUnknownStreet(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	const others, streets = "The commune is taken to be Bondy, where no address has the other words of the query.",
		"The commune is taken to be Limoges, whose streets are not loaded on this server: only the commune can be found."
	for q, want := range map[string][2]string{
		"rue des Licornes, Bondi":  {"93010", others},
		"rue des Licornes, Bondie": {"93010", others},
		"rue de Paris, Limogse":    {"87085", streets},
		"place du marché, Limogse": {"87085", streets},
		"12 rue de Paris, Limogse": {"87085", streets},
	} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		if len(r.Data) == 0 || r.Data[0].CodeInsee != want[0] || !r.Data[0].Fuzzy || textOrEmpty(r.Hint) != want[1] {
			t.Errorf("%q: %v, hint %q", q, describeScores(r), textOrEmpty(r.Hint))
		}
	}
	for q, want := range map[string]string{"rue de Paris": "75056", "rue de Paris, Bondy": "93010", "Bondie": "93010"} {
		if r := x.Search(geocode.Request{Query: q, Limit: 5}); len(r.Data) == 0 || !slices.ContainsFunc(r.Data,
			func(f geocode.FoundPlace) bool { return f.CodeInsee == want }) {
			t.Errorf("%q: %v", q, describeScores(r))
		}
	}
}

// What follows a kind of street is the name of a street, and no misspelt commune: where no street is called
// so, the hint asks for the commune.
func TestStreetWithoutCommune(t *testing.T) {
	t.Parallel()
	_, x := boxIndex(t)
	const hint = "No street that is loaded on this server is called so. Add the commune: where its streets are not loaded, the commune is found."
	for _, q := range []string{"rue de la Paix", "12 bis rue de la Paix", "avenue des Licornes", "boulevard Bondi"} {
		r := x.Search(geocode.Request{Query: q, Limit: 5})
		if slices.ContainsFunc(r.Data, func(f geocode.FoundPlace) bool { return f.Kind == "commune" && f.Fuzzy }) {
			t.Errorf("%q: %v", q, describeScores(r))
		}
		if len(r.Data) == 0 && textOrEmpty(r.Hint) != hint {
			t.Errorf("%q: hint %q", q, textOrEmpty(r.Hint))
		}
	}
}

// A postcode of an overseas collectivity, and the name of a place there, are said to be not covered, and
// nothing else is taken for it. Where a number is a postcode and a code of INSEE the postcode counts and the
// other is named.
func TestOverseasCollectivities(t *testing.T) {
	t.Parallel()
	in := readCountry(t)
	in.Communes = slices.Concat(in.Communes, overseasCommunes(t))
	x := newIndex(t, in)
	const not = ", an overseas collectivity that this service does not cover."
	for q, want := range map[string]string{
		"97133 Saint-Barthélemy":   "97133 is a postcode of Saint-Barthélemy" + not + " It is also the code of INSEE of Vieux-Fort: GET /communes/97133 (tool get_commune).",
		"97133":                    "97133 is a postcode of Saint-Barthélemy" + not + " It is also the code of INSEE of Vieux-Fort: GET /communes/97133 (tool get_commune).",
		"97150":                    "97150 is a postcode of Saint-Martin" + not,
		"Saint-Martin 97150":       "97150 is a postcode of Saint-Martin" + not,
		"98800":                    "98800 is a postcode of Nouméa in Nouvelle-Calédonie" + not,
		"97500":                    "97500 is a postcode of Miquelon-Langlade and Saint-Pierre in Saint-Pierre-et-Miquelon" + not,
		"97500 Saint-Pierre":       "97500 is a postcode of Saint-Pierre in Saint-Pierre-et-Miquelon" + not,
		"Miquelon-Langlade 97500":  "Miquelon-Langlade is in Saint-Pierre-et-Miquelon" + not,
		"98735":                    "98735 is a postcode of Taputapuatea, Tumaraa and Uturoa in Polynésie française" + not,
		"98735 Uturoa":             "Uturoa is in Polynésie française" + not,
		"Nouméa":                   "Nouméa is in Nouvelle-Calédonie" + not,
		"10 rue de Paris, Nouméa":  "Nouméa is in Nouvelle-Calédonie" + not,
		"98800 Nouméa":             "Nouméa is in Nouvelle-Calédonie" + not,
		"Saint-Pierre-et-Miquelon": "Saint-Pierre-et-Miquelon is" + not[1:],
		"polynésie française":      "Polynésie française is" + not[1:],
	} {
		if r := x.Search(geocode.Request{Query: q, Limit: 5}); len(r.Data) > 0 || textOrEmpty(r.Hint) != want {
			t.Errorf("%q: %v, hint %q; want %q", q, describeScores(r), textOrEmpty(r.Hint), want)
		}
	}
	served := map[string][]string{} // by postcode
	for _, c := range overseasCommunes(t) {
		for _, postcode := range c.Postcodes {
			served[postcode] = append(served[postcode], c.Name)
		}
	}
	for postcode, communes := range served {
		hint := textOrEmpty(x.Search(geocode.Request{Query: postcode, Limit: 5}).Hint)
		if slices.ContainsFunc(communes, func(name string) bool { return !strings.Contains(hint, name) }) {
			t.Errorf("%s: %q; want all of %v", postcode, hint, communes)
		}
	}
	for q, want := range map[string]string{"Saint-Pierre": "97416", "Saint-Martin": "", "Vieux-Fort 97133": "97133", "rue de Nouméa, Lille": "59350", "97141": "97133"} {
		if r := x.Search(geocode.Request{Query: q, Limit: 5}); len(r.Data) == 0 || want != "" && r.Data[0].CodeInsee != want {
			t.Errorf("%q: %v, hint %q; want %s", q, describeScores(r), textOrEmpty(r.Hint), want)
		}
	}
}
