package contract_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// A name in a list may lack its accents or have one typing error; an answer of names that are spelt otherwise
// is marked.
func testListsForgiveATypingError(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("typing@example.org", "pro")
	for name, want := range map[string]string{
		"bondy": "93010", "BOND": "93010", "bodny": "93010 fuzzy", "bondi": "93010 fuzzy", "bonddy": "93010 fuzzy", "bobign": "93008",
		"bobgny": "93008 fuzzy", "bndi": "", "bon": "93010", "bxn": "",
	} {
		list := gjson.ParseBytes(s.Get("/api/v1/communes?departement=93&name="+name, "X-API-Key", key).Body)
		got := list.Get("data.0.codeInsee").Str
		if list.Get("fuzzy").Bool() {
			got += " fuzzy"
		}
		if got != want {
			t.Errorf("%s: %s, want %s: %s", name, got, want, list)
		}
	}
}

// A theme stands for all keys of a subject, in reports and in statistics.
func testThemesChooseKeys(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("themes@example.org", "pro")
	for path, want := range map[string]string{
		"/parcelles/930100000A0001/enrichments?theme=planning":              "qpv gpu gpuPrescriptions sup aerodromeServitude permits",
		"/parcelles/930100000A0001/enrichments?theme=planning&fields=radon": "radon qpv gpu gpuPrescriptions sup aerodromeServitude permits",
		"/communes/93010?theme=elections":                                   "election maire politicalScore municipalWave presidentialWave",
	} {
		body := s.Get("/api/v1"+path, "X-API-Key", key).Body
		var keys []string
		for _, member := range []string{"enrichments", "stats"} {
			gjson.GetBytes(body, member).ForEach(func(name, _ gjson.Result) bool {
				if name.Str != "sources" {
					keys = append(keys, name.Str)
				}
				return true
			})
		}
		testkit.Want(t, strings.Join(keys, " "), want, path)
	}
}

// A tool takes the name of a commune for its code, or the words that it begins with, where one commune has
// it, and says so; of several it names the codes.
func TestToolsReadNamesOfCommunes(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t, `INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code) VALUES
			('commune-actuelle', '93066', 'Saint-Denis', '93', '11', '93066'), ('commune-actuelle', '93901', 'Chamonix-Mont-Blanc', '93', '11', '93901'),
			('commune-actuelle', '93902', 'Le Conflans-d''Or', '93', '11', '93902'), ('commune-actuelle', '93903', 'Conflans-sur-Seine', '93', '11', '93903'),
			('commune-actuelle', '93904', 'Aix', '93', '11', '93904'), ('commune-actuelle', '93905', 'Aix-en-Provence', '93', '11', '93905')`)
	key := s.Account("names@example.org", "pro")
	s.Limit(key, 1_000_000)
	for name, want := range map[string]string{
		"Bondy": `code "Bondy" was read as 93010.`, "bobigny 93": "was read as 93008.", "Saint-Denis (974)": "was read as 97411.",
		"saint denis": "2 communes have this name: Saint-Denis (93066), Saint-Denis (97411);", "Nowhere": "search_address gives commune codes.",
		"St Denis": "2 communes have this name", "Saint-Denis, Seine-Saint-Denis": "was read as 93066.",
		"saint-denis (La Réunion)": "was read as 97411.",
		"Aix":                      `code "Aix" was read as 93904. Other names begin so: Aix-en-Provence (93905).`,
		"chamonix":                 `code "chamonix" was read as 93901.`, "Chamo": "search_address gives commune codes.",
		"Conflans": "The names of 2 communes begin so: Le Conflans-d'Or (93902), Conflans-sur-Seine (93903).", "conflans sur": "was read as 93903.",
	} {
		arguments := testkit.Must(json.Marshal(map[string]string{"code": name}))(t)
		if a := call(s, key, "get_commune", string(arguments)); !strings.Contains(a.text(), want) {
			t.Errorf("%s: %s", name, a.Body)
		}
	}
	if r := s.Get("/api/v1/communes/Bondy", "X-API-Key", key); r.Status != http.StatusBadRequest || !strings.Contains(string(r.Body), "if it means 93010, ask for /communes/93010") {
		t.Errorf("over REST: %d %s", r.Status, r.Body)
	}
}

// What a tool says of wrong arguments names the argument and what it takes, and no argument of another tool.
func testErrorsOfToolsNameTheArgument(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("errors@example.org", "pro")
	for given, want := range map[string]string{
		`find_commune {}`:                                                     "lat is missing; expected a latitude in decimal degrees between −90 and 90. lon is missing; expected",
		`find_commune {"lat":48.9}`:                                           "lon is missing; expected a longitude",
		`find_commune {"departement":"93","lat":1,"lon":1}`:                   `find_commune has no argument "departement"; it takes lat, lon, include`,
		`list_communes {"lat":48.9,"lon":2.4}`:                                `list_communes has no argument "lat", "lon"; it takes departement, name, region, minPopulation, epci, codes, fields, sort, top`,
		`get_commune {"ville":"Bondy","sujet":"population"}`:                  `get_commune has no argument "sujet" (fields may be meant), "ville" (code may be meant); it takes code, fields`,
		`get_commune {"code":"93010","fields":["ventes","zzz","chomage"]}`:    `fields names "ventes"; prices may be meant; and "zzz"; and "chomage"; emploi.censusUnemploymentRatePct may be meant; expected`,
		`get_commune {}`:                                                      "code is missing; expected a commune code",
		`get_commune {"code":"93010","include":["bogus"]}`:                    `include names "bogus"; expected a list from geometry`,
		`list_communes {"departement":"93","include":["x"]}`:                  `include is "x"; list_communes takes no include`,
		`get_commune {"code":"93010","explain":"perhaps"}`:                    `explain is "\"perhaps\""; expected true or false`,
		`get_region {"code":[]}`:                                              `code is "[]"; expected a région code`,
		`get_commune {"code":"93010","fields":["popul"]}`:                     `fields names "popul"; population may be meant; expected`,
		`get_parcel_enrichments {"idu":"930100000A0001","theme":["weather"]}`: `theme names "weather"; expected a comma-separated list of subjects: addresses, `,
		`list_regions {"sort":"population","top":"many"}`:                     `top is "many"; expected a whole number between 1 and 1000`,
		`list_communes {"departement":"93","fields":["population.x"]}`:        `fields names "population.x": "x" is no part of population; it has `,
		`list_communes {"departement":"93","sort":"population.x"}`:            `sort names "population.x": "x" is no part of population; it has `,
		`search_address {"q":"Bondy","lat":"here","lon":"2.4"}`:               `lat is "here"; expected a latitude`,
	} {
		name, arguments, _ := strings.Cut(given, " ")
		a := call(s, key, name, arguments)
		if text := a.text(); !a.Result.IsError || !strings.HasPrefix(text, "invalid_parameter: "+want) || !strings.Contains(text, "\nCorrect the arguments and call "+name+" again.") {
			t.Errorf("%s: %s, want %s", given, text, want)
		}
	}
	if a := call(s, key, "get_commune", `{"code":"93010","fields":[]}`); a.Result.IsError {
		t.Errorf("an empty list of fields: %s", a.text())
	}
}

// An assistant that names a commune of the past reads next to the values that they are of the one which it
// is a part of now, as it does in the error for its code.
func testToolsSayWhatNamesWereReadAs(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("readings@example.org", "pro")
	a := call(s, key, "get_commune", `{"code":"BONDY","fields":["population"]}`)
	if got := gjson.GetBytes(a.Result.StructuredContent, "readings").Raw; got != `["code \"BONDY\" was read as 93010."]` {
		t.Errorf("readings are %s of %s", got, a.Body)
	}
	if a := call(s, key, "get_commune", `{"code":"93010","fields":["population"]}`); gjson.GetBytes(a.Result.StructuredContent, "readings").Exists() {
		t.Errorf("a code was read as something else: %s", a.Body)
	}
}
