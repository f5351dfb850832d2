package territory_test

import (
	"math"
	"strings"
	"testing"

	"arpent/api/territory"
	"arpent/internal/opendata/stats"
)

// moreCommunes adds to the miniature a city whose name the English spell otherwise, villages whose names
// begin nearly so, and the communes of an overseas collectivity.
const moreCommunes = `
INSERT INTO geo.region VALUES ('84', 'Auvergne-Rhône-Alpes'), ('53', 'Bretagne');
INSERT INTO geo.departement VALUES ('69', 'Rhône', '84'), ('2B', 'Haute-Corse', '94'), ('35', 'Ille-et-Vilaine', '53');
INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes, population, postcodes) VALUES
    ('commune-actuelle', '69123', 'Lyon', '69', '84', '69123', '{}', 519127, '{69001}'),
    ('commune-actuelle', '69500', 'Lyons-la-Forêt', '69', '84', '69500', '{}', 756, '{69480}'),
    ('commune-actuelle', '69501', 'Loon-Plage', '69', '84', '69501', '{}', 5952, '{69481}'),
    ('commune-actuelle', '69502', 'Chalon-sur-Saône', '69', '84', '69502', '{}', 44000, '{69482}'),
    ('commune-actuelle', '69503', 'La Ville-du-Bois', '69', '84', '69503', '{}', 8000, '{69483}'),
    ('commune-actuelle', '69504', 'Bonny-sur-Loire', '69', '84', '69504', '{}', 1870, '{69484}'),
    ('commune-actuelle', '98735', 'Papeete', NULL, NULL, '98735', '{}', 26000, '{98714}');
UPDATE geo.commune SET population = 54000 WHERE code = '93010' AND type = 'commune-actuelle';
UPDATE geo.commune SET postcodes = '{93140}' WHERE code = '93010'`

func loadMore(t *testing.T) *territory.Snapshot {
	t.Helper()
	_, pool := loadFixture(t)
	if _, err := pool.Exec(t.Context(), moreCommunes); err != nil {
		t.Fatal(err)
	}
	snap, err := territory.Load(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// A customer who asks for a city with a typing error gets no village in its place: where a text begins the
// name of a small commune and is nearly that of a much larger one, both are named and neither is answered.
func TestNearlyTheNameOfMuchLargerCommune(t *testing.T) {
	t.Parallel()
	snap := loadMore(t)
	for text, want := range map[string]string{
		"Bonny": "It may mean Bondy (93010), Bonny-sur-Loire (69504), the largest first: their names are spelt nearly so, or begin so.",
		"Loon":  "It may mean Lyon (69123), Loon-Plage (69501), the largest first: their names are spelt nearly so, or begin so.",
	} {
		if code, ok := snap.CommuneNamed(text); ok {
			t.Errorf("%q is read as %s", text, code)
		}
		if got := snap.DescribeNamesakes(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"Bonny-sur-Loire": "69504", "bonny 69": "69504", "Lyons-la-Forêt": "69500", "Lyon": "69123", "Chalon": "69502"} {
		if code, _ := snap.CommuneNamed(text); code != want {
			t.Errorf("%q is read as %q, want %s", text, code, want)
		}
	}
}

// Names are read in English, with words for what they are names of, and as letters are addressed.
func TestNamesAsWritten(t *testing.T) {
	t.Parallel()
	snap := loadMore(t)
	for text, want := range map[string]string{
		"Lyons": "69123", "ville de Lyon": "69123", "the city of Lyon": "69123", "commune de Bondy": "93010", "mairie de Bondy": "93010", "La Ville du Bois": "69503",
		"93 140 Bondy": "93010", "BONDY CEDEX": "93010", "Lyon cedex 03": "69123", "Lyon, France": "69123", "Chalon s/Saone": "69502", "Chalon-s-Saône": "69502",
		"Ajaccio (Corse)": "2A004", "Bondy (Corse)": "", "Lyon, Auvergne-Rhône-Alpes": "69123", "Lyon, Bretagne": "", "ville de": "", "Bretagne": "",
	} {
		if code, ok := snap.CommuneNamed(text); code != want || ok != (want != "") {
			t.Errorf("%q is read as %q, want %q", text, code, want)
		}
	}
	if got, want := snap.DescribeNamesakes("Lyons"), "Other names begin so: Lyons-la-Forêt (69500)."; got != want {
		t.Errorf("Lyons: %q, want %q", got, want)
	}
	for text, want := range map[string]string{
		"The Reunion": "974", "(93)": "93", "dept 93": "93", "93 - Seine-Saint-Denis": "93", "Seine-Saint-Denis (93)": "93", "Seine-Saint-Denis (69)": "", "département du Rhône": "69",
		"Corsica": "", "Bretagne": "",
	} {
		if code, ok := snap.DepartementNamed(text); code != want || ok != (want != "") {
			t.Errorf("%q is read as département %q, want %q", text, code, want)
		}
	}
	for text, want := range map[string]string{
		"Brittany": "53", "région Bretagne": "53", "region of Brittany": "53", "Corsica": "94", "Reunion Island": "04", "Île-de-France (11)": "11", "Île-de-France (53)": "",
		"Paris Region": "11", "Burgundy": "",
	} {
		if code, ok := snap.RegionNamed(text); code != want || ok != (want != "") {
			t.Errorf("%q is read as région %q, want %q", text, code, want)
		}
	}
}

// The error for the code or the name of a territory of another level, or of an overseas collectivity, says
// which one it is.
func TestOtherLevels(t *testing.T) {
	t.Parallel()
	snap := loadMore(t)
	const (
		collectivity    = "an overseas collectivity that this service does not cover."
		severalCommunes = "It names several communes: list_communes gives figures of them in one call, as with codes=69123,13055."
	)
	for what, of := range map[string]struct {
		describe func(string) string
		want     map[string]string
	}{
		"commune": {snap.DescribeNamesakes, map[string]string{
			"2A": "It is a département: Corse-du-Sud (2A), in the région Corse (94).", "93": "It is a département: Seine-Saint-Denis (93), in the région Île-de-France (11).",
			"Rhône": "It is a département: Rhône (69), in the région Auvergne-Rhône-Alpes (84).", "Bretagne": "It is a région: Bretagne (53).",
			"Bondy, Lyon et Ajaccio": severalCommunes, "93010,69123": severalCommunes, `["Bondy","Lyon"]`: severalCommunes, "Bondy, xyz": "",
			"Papeete": "A commune of this name (98735) is in Polynésie française, " + collectivity, "polynésie française": "Polynésie française is " + collectivity,
		}},
		"département": {snap.DescribeDepartementName, map[string]string{
			"75056": "It is a commune: Paris (75056), in the département Paris (75), in the région Île-de-France (11).", "93140": "It is a postcode, which serves Bondy (93010).",
			"69M":      "INSEE has figures for two parts of Rhône (69): 69M, the Métropole de Lyon, and 69D, the rest. Here it is one département.",
			"Bretagne": "It is a région: Bretagne (53).", "93": "", "974": "",
			"Corsica": "It was divided: its territory is in Corse-du-Sud (2A), Haute-Corse (2B) now. " +
				"All of it is the région Corse (94), which get_region describes.",
			"93 et 94": "", "93, Paris": "It names several départements: ask for one at a time, or for figures of all of them, which " +
				"list_departements gives in one call.",
		}},
		"région": {snap.DescribeRegionName, map[string]string{
			"Rhône": "It is a département: Rhône (69), in the région Auvergne-Rhône-Alpes (84).", "Burgundy": "", "53": "",
			"94": "", "11,53": "It names several régions: ask for one at a time, or for figures of all of them, which list_regions " +
				"gives in one call.",
			"Papeete": "A commune of this name (98735) is in Polynésie française, " + collectivity,
		}},
	} {
		for text, want := range of.want {
			if got := of.describe(text); got != want {
				t.Errorf("%s %q: %q, want %q", what, text, got, want)
			}
		}
	}
	if _, err := snap.Region("69", territory.Include{}); err == nil || !strings.HasSuffix(err.Error(), "No région has code 69. It is a département: Rhône (69), in the région Auvergne-Rhône-Alpes (84).") {
		t.Errorf("région 69: %v", err)
	}
}

// A ranking by a figure that is known in few départements says so: its first would be read as that of France.
func TestRankingSaysWhereItsFigureIsKnown(t *testing.T) {
	t.Parallel()
	s, _ := loadFixture(t)
	note := func(values ...float64) string {
		codes := []string{"2A004", "75056", "93008", "93010"}
		list, err := s.FirstCommunes("", func(string) bool { return true }, stats.NewColumn(codes, values), false, 2)
		if err != nil {
			t.Error(err)
		}
		return list.Note
	}
	none := math.NaN()
	const want = "Only communes of 1 of the 4 départements have this figure: Seine-Saint-Denis (93). The order is of these alone."
	if got := note(none, none, 5, 59); got != want {
		t.Errorf("known in one: %q, want %q", got, want)
	}
	if got := note(4, none, 5, 59); got != "" {
		t.Errorf("known in half of them: %q", got)
	}
}
