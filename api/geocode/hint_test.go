package geocode_test

import (
	"testing"

	"arpent/api/geocode"
)

const (
	notHere = "Places outside France and overseas collectivities are not covered."
	guesses = "Nothing is called so as written: the answers are guesses. " + notHere
	partly  = "Nothing has all words of the query: the answers are guesses, and unmatched lists what each lacks. " + notHere
)

// An answer that is less than was asked for says why: the streets of the commune are not loaded, or nothing is called so. Where
// streets are loaded, one that is not among them is no such case.
func TestCaution(t *testing.T) {
	t.Parallel()
	in := country(t)
	in.Addresses = stream(addresses(t, false))
	x := newIndex(t, in)
	for q, want := range map[string]string{
		"10 rue de Rivoli Paris":             "The streets of Paris are not loaded on this server: only the commune can be found.",
		"10 rue Sainte-Catherine Bordeaux":   "The streets of Bordeaux are not loaded on this server: only the commune can be found.",
		"rue de Paris, Lille":                "The streets of Lille are not loaded on this server: only the commune can be found.",
		"Bruxelles":                          guesses,
		"Côtes-du-Nord":                      partly,
		"Saint-Pierre-et-Miquelon":           partly,
		"Tour Eiffel Paris":                  "The streets of Paris are not loaded on this server: only the commune can be found.",
		"Nouméa":                             "Nothing is called so. " + notHere,
		"Métropole de Lyon":                  "Groupings of communes, cantons among them, are not covered: the answer is the commune. GET /communes?departement=69 (tool list_communes) lists those of the département.",
		"paris 21e":                          "Paris has no arrondissement 21: its arrondissements are 1 to 20.",
		"12 rue de Rivoli, Paris 21e":        "Paris has no arrondissement 21: its arrondissements are 1 to 20.",
		"10e arrondissement de Lyon":         "Lyon has no arrondissement 10: its arrondissements are 1 to 9.",
		"rue du 21e régiment Paris":          "The streets of Paris are not loaded on this server: only the commune can be found.",
		"Paris 20e":                          "",
		"Bondy 21e":                          "",
		"Bordeaux":                           "",
		"12 allée des Roses Bondy":           "",
		"12 allée de Nulle Part 93140 Bondy": "",
	} {
		if got := text(x.Search(geocode.Request{Query: q, Limit: 5}).Hint); got != want {
			t.Errorf("%q: %q; want %q", q, got, want)
		}
	}
}

// Who asks the search for what is no address is shown where to ask: départements by name or code, régions by name, and
// coordinates in either order. Overseas départements are not sent to where they are answered with 404.
func TestHint(t *testing.T) {
	t.Parallel()
	x := newIndex(t, country(t))
	const there = "These are coordinates: GET /communes?lat=48.8566&lon=2.3522 (tool find_commune) gives the commune there, GET /parcelles?lat=48.8566&lon=2.3522 (tool get_parcel_at_point) the parcel."
	correze := "Corrèze is a département: GET /departements/19 (tool get_departement)."
	reunion := "La Réunion is an overseas département: GET /communes?departement=974 (tool list_communes) lists its communes."
	for q, want := range map[string]string{
		"Corrèze": correze, "département de la Corrèze": correze, "19": correze, "correze (19)": "",
		"Seine-Saint-Denis": "Seine-Saint-Denis is a département: GET /departements/93 (tool get_departement).",
		"2a":                "Corse-du-Sud is a département: GET /departements/2A (tool get_departement).",
		"974":               reunion,
		"Normandie":         "Normandie is a région: GET /regions/28 (tool get_region).", "région Normandie": "Normandie is a région: GET /regions/28 (tool get_region).",
		"Provence Alpes Cote d Azur": "Provence-Alpes-Côte d'Azur is a région: GET /regions/93 (tool get_region).",
		"La Réunion":                 reunion + " La Réunion is a région: GET /regions/04 (tool get_region).",
		"48.8566, 2.3522":            there, "2.3522 48.8566": there, "48,8566 2,3522": there, "48,8566, 2,3522": there, "(48.8566,2.3522)": there,
		"Bondy": "", "12 rue de la Corrèze Bondy": "The streets of Bondy are not loaded on this server: only the commune can be found.",
		"12,5 rue de Paris": partly, "rue": "", "!": "", "12 93": "", "498.5 998.5": "",
	} {
		got := text(x.Search(geocode.Request{Query: q, Limit: 5}).Hint)
		if got != want {
			t.Errorf("%q: %q; want %q", q, got, want)
		}
	}
}
