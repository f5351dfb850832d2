package territory_test

import (
	"encoding/json"
	"strings"
	"testing"

	"arpent/api/territory"
)

// A commune is found by a part of its name as people write it; one that no commune has gives an empty list.
func TestCommunesByName(t *testing.T) {
	t.Parallel()
	s, _ := loadFixture(t)
	for name, want := range map[string]string{
		"BO": "93008 93010", "l’enclave": "93001", "sans contour": "93099", "  bondÝ ": "93010", "Paris": "", "": "93001 93008 93010 93099",
	} {
		list, err := s.CommunesOf("93", name)
		if err != nil {
			t.Fatal(err)
		}
		var of territory.CodeNameList
		if err := json.Unmarshal(list.Body, &of); err != nil || of.Count != len(of.Data) {
			t.Fatalf("%q: %s: %v", name, list.Body, err)
		}
		var codes []string
		for _, c := range of.Data {
			codes = append(codes, c.CodeInsee)
		}
		if got := strings.Join(codes, " "); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"arrondissement": "Arrondissements are not in this list: Paris 1er Arrondissement (75101), Paris 18e Arrondissement (75118). " +
			"Their codes are taken by /communes/{code} (tool get_commune), and by codes of /communes (tool list_communes) several at once.",
		"Paris 18e": "Arrondissements are not in this list: Paris 18e Arrondissement (75118). " +
			"Their codes are taken by /communes/{code} (tool get_commune), and by codes of /communes (tool list_communes) several at once.",
		"":      "Arrondissements are not in this list: those of Paris are 75101 to 75118, each answered by its code: /communes/{code} (tool get_commune).",
		"Paris": "", "ar": "",
		"19e": "No commune of this département has the name, or has it but for one typing error. " +
			"/adresses?q= (tool search_address) finds communes of all départements, and former ones.",
	} {
		list, err := s.CommunesOf("75", name)
		if err != nil {
			t.Fatal(err)
		}
		var of territory.CodeNameList
		if err := json.Unmarshal(list.Body, &of); err != nil || of.Note != want {
			t.Errorf("%q: %q, want %q: %v", name, of.Note, want, err)
		}
	}
	for _, name := range []string{"st denis", "ST-DENIS", "St", "st dennis", "saint denis"} {
		if list, err := s.CommunesOf("974", name); err != nil || !strings.Contains(string(list.Body), `"97411"`) {
			t.Errorf("%q: %s, %v", name, list.Body, err)
		}
	}
	if got := territory.FoldName("Œuilly-sur-l’Aube"); got != "oeuilly sur l aube" {
		t.Errorf("%q", got)
	}
}

func regionsBody(s *territory.Snapshot) string {
	list, _ := s.Regions(territory.Include{}) // a prepared list has no error
	return string(list.Body)
}

// A commune is found by its name as people write it, an arrondissement by its number, and a code or postcode
// says which is meant.
func TestCommunesCalled(t *testing.T) {
	t.Parallel()
	snap, _ := loadFixture(t)
	for _, tc := range []struct {
		name, code string
		want       string
	}{
		{"BONDY", "", "93010"}, {"l enclave", "93", "93001"}, {"Ajaccio", "20000", "2A004"}, {"Ajaccio", "93", ""}, {"Paris 18e", "", "75118"}, {"paris 18", "", "75118"},
		{"Paris", "", "75056 75101 75118"}, {"", "93010", "93010"}, {"", "97490", "97411"}, {"", "75118", "75118"}, {"Saint-Denis", "97400", "97411"}, {"nowhere", "", ""}, {"", "", ""},
		{"BONDY SEINE SAINT DENIS", "", "93010"}, {"Ajaccio (Corse-du-Sud)", "", "2A004"}, {"Bondy, Corse-du-Sud", "", ""}, {"Bondy (Seine-Saint-Denis)", "93010", "93010"},
		{"Bondy (Seine-Saint-Denis)", "2A", ""}, {"Paris 18e (Paris)", "", "75118"}, {"Seine-Saint-Denis", "", ""},
	} {
		if got := strings.Join(snap.CommunesCalled(tc.name, tc.code), " "); got != tc.want {
			t.Errorf("%q, %q: %q; want %q", tc.name, tc.code, got, tc.want)
		}
	}
}

// The postcode of an arrondissement stands for it in a reference, next to the name of the city or alone, and
// so do its number and the usual words for it.
func TestPostcodeOfArrondissement(t *testing.T) {
	t.Parallel()
	_, pool := loadFixture(t)
	if _, err := pool.Exec(t.Context(), `
		UPDATE geo.commune SET postcodes = '{75001,75018,75118}' WHERE code = '75056';
		INSERT INTO geo.departement VALUES ('13', 'Bouches-du-Rhône', NULL);
		INSERT INTO geo.commune (type, code, name, departement_code, commune_code, former_codes) VALUES ('commune-actuelle', '13055', 'Marseille', '13', '13055', '{}'),
			('arrondissement-municipal', '13213', 'Marseille 13e Arrondissement', '13', '13055', '{}'),
			('commune-actuelle', '13013', 'Barbentane', '13', '13013', '{}');
		UPDATE geo.commune SET postcodes = '{93008}' WHERE code = '93010';
		UPDATE geo.commune SET postcodes = '{13013}' WHERE code = '13055'`); err != nil {
		t.Fatal(err)
	}
	snap, err := territory.Load(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, code, want string }{
		{"", "75018", "75118"}, {"", "75001", "75101"}, {"Paris", "75018", "75118"}, {"paris 18ème", "", "75118"},
		{"Paris 18e arrondissement", "", "75118"}, {"Paris 1", "", "75101"}, {"Paris 01", "", "75101"},
		{"Paris 19", "", ""}, {"", "75118", "75118"}, {"", "93008", "93008"}, {"", "93009", "93009"}, {"Bondy", "75018", ""},
	} {
		if got := strings.Join(snap.CommunesCalled(tc.name, tc.code), " "); got != tc.want {
			t.Errorf("%q, %q: %q; want %q", tc.name, tc.code, got, tc.want)
		}
	}
	for name, want := range map[string]string{
		"paris XVIIIe": "75118", "Paris XVIII": "75118", "paris 18 eme arr": "75118", "XVIIIe arrondissement de Paris": "75118",
		"Paris Ier": "75101", "Paris XVIIII": "", "Paris 18e": "75118", "paris 18eme arrondissement": "75118", "18e arrondissement de Paris": "75118", "Paris 1": "75101",
		"Paris 75018": "75118", "75018 paris": "75118", "Paris": "75056", "Paris 75": "75056", "Paris 19e": "", "Bondy 75018": "", "Bondy 1er": "",
		"Marseille 13": "13055", "Marseille 13e": "13213",
	} {
		if code, ok := snap.CommuneNamed(name); code != want || ok != (want != "") {
			t.Errorf("%q names %q, want %q", name, code, want)
		}
	}
	for name, want := range map[string]string{"Paris 18e": "",
		"Marseille 13": "The arrondissement of this number is Marseille 13e Arrondissement (13213)."} {
		if got := snap.DescribeNamesakes(name); got != want {
			t.Errorf("%q is explained by %q, want %q", name, got, want)
		}
	}
	if _, err := snap.Commune("75018", territory.Include{}); err == nil ||
		!strings.Contains(err.Error(), "75018 is a postcode, not a commune code: it serves Paris 18e Arrondissement (75118).") {
		t.Errorf("the postcode of an arrondissement: %v", err)
	}
	if got := snap.DescribeNamesakes("93008"); got != "93008 is also a postcode, which serves Bondy (93010)." {
		t.Errorf("a code that is a postcode of another commune: %q", got)
	}
	if got := snap.DescribeNamesakes("13013"); got !=
		"13013 is also a postcode, which serves Marseille 13e Arrondissement (13213)." {
		t.Errorf("a code that is the postcode of an arrondissement: %q", got)
	}
}

// A name of the past, abbreviated or with a typing error leads to the territory of today.
func TestNamesOfThePast(t *testing.T) {
	t.Parallel()
	_, pool := loadFixture(t)
	if _, err := pool.Exec(t.Context(), `
		INSERT INTO geo.region VALUES ('32', 'Hauts-de-France'), ('28', 'Normandie');
		INSERT INTO geo.departement VALUES ('76', 'Seine-Maritime', '28'), ('92', 'Hauts-de-Seine', '11'), ('2B', 'Haute-Corse', '94');
		INSERT INTO geo.departement VALUES ('36', 'Indre', '28'), ('16', 'Charente', '28');
		INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES
			('commune-actuelle', '36174', 'Roussines', '36', '28', '36174', '{}'), ('commune-actuelle', '16289', 'Roussines', '16', '28', '16289', '{}')`); err != nil {
		t.Fatal(err)
	}
	snap, err := territory.Load(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"seine st denis": "93", "Hts-de-Seine": "92", "hte corse": "2B", "Seine-Inférieure": "76", "Corse": "", "la Seine": "",
	} {
		if code, ok := snap.DepartementNamed(name); code != want || ok != (want != "") {
			t.Errorf("%s: %q", name, code)
		}
	}
	for said, want := range map[string]string{
		snap.DescribeDepartementName("Corse"): "It was divided: its territory is in Corse-du-Sud (2A), Haute-Corse (2B) now. " +
			"All of it is the région Corse (94), which get_region describes.",
		snap.DescribeDepartementName("Seine-Martime"):       "Nearly called so: Seine-Maritime (76).",
		"> " + snap.DescribeRegionName("nord pas de calai"): "> Nord-Pas-de-Calais was a région until 2015, with the départements 59, 62, and is a part of Hauts-de-France (32) since.",
		snap.DescribeRegionName("Nord Pas de Calais"):       "Nord-Pas-de-Calais was a région until 2015, with the départements 59, 62, and is a part of Hauts-de-France (32) since.",
		snap.DescribeRegionName("France entière"): "France as a whole is no région: france in rankings is its figure of each metric, and its sum where " +
			"the metric is a number of inhabitants.",
		snap.DescribeRegionName("Normadie"):                                     "Nearly called so: Normandie (28).",
		snap.DescribeDepartementName("Sene Maritim"):                            "Nearly called so: Seine-Maritime (76).",
		snap.DescribeNamesakes("bodny"):                                         "Nearly called so: Bondy (93010).",
		snap.DescribeNamesakes("bodny 93"):                                      "Nearly called so: Bondy (93010).",
		snap.DescribeNamesakes("Rousine"):                                       "Nearly called so: Roussines (16289), Roussines (36174).",
		snap.DescribeNamesakes("Rousine 36") + snap.DescribeNamesakes("ousine"): "Nearly called so: Roussines (36174).",
		snap.DescribeRegionName("Normndi"):                                      "Nearly called so: Normandie (28).",
		snap.DescribeDepartementName("Seine-Maritime") + snap.DescribeDepartementName("seine st denis") + snap.DescribeRegionName("normandie") + snap.DescribeRegionName("IDF"): "",
		snap.DescribeRegionName("Bavière") + snap.DescribeDepartementName("93") + snap.DescribeNamesakes("xyz"):                                                                 "",
	} {
		if said != want {
			t.Errorf("%q, want %q", said, want)
		}
	}
}

// A région is found by the abbreviation that people use for it, as by its name.
func TestRegionNamed(t *testing.T) {
	t.Parallel()
	snap, _ := loadFixture(t)
	for name, want := range map[string]string{
		"Île-de-France": "11", "IDF": "11", "paca": "93", "la PACA": "93", "AURA": "84", "Bfc": "27", "HDF": "32", "NAQ": "75", "IDFX": "", "": "", "R11": "11", "R99": "",
	} {
		if code, ok := snap.RegionNamed(name); code != want || ok != (want != "") {
			t.Errorf("%q: %q and %t, want %q", name, code, ok, want)
		}
	}
}
