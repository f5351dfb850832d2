package contract_test

import (
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"arpent/app/dev/fixture"
)

// intercommunal are two intercommunal bodies of communes of fixture.Territory, and chefs-lieux.
const intercommunal = `
INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ('cog-epci-communes', '', 'INSEE', 'COG', 'LO', '[]', 'x', 3, 0, '[]', now(), now(), true);
INSERT INTO geo.stat_fact (part, level, code, kind, period, attrs)
SELECT 'cog-epci-communes', 'commune', commune, 'areas.epci', '', jsonb_build_object('code', body, 'name', name, 'communes', members)
FROM (VALUES ('93010', '200054781', 'Métropole du Grand Paris', 2), ('75056', '200054781', 'Métropole du Grand Paris', 2),
	('93008', '200000001', 'CC du Grand Val', 1)) v (commune, body, name, members);
UPDATE geo.departement SET chef_lieu = CASE code WHEN '93' THEN '93008' WHEN '974' THEN '97411' END;
UPDATE geo.load SET active = active;`

// One call gives the communes of an intercommunal body with their figures, by its number or, to tools, by its
// name, and says which body it was. A call that names another place, too, is refused, rather than half of it
// ignored.
func TestCommunesOfAnIntercommunalBody(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	s.Exec(somePopulations + ";" + intercommunal)
	key := s.Account("epci@example.org", "pro")
	s.Limit(key, 1_000_000)
	get := answersTo(s, key)
	s.Until(func() bool {
		return s.Get("/api/v1/communes?epci=200054781", "X-API-Key", key).Status == http.StatusOK &&
			get("/regions/04?fields=population").Get("stats.population").Int() == 150_000
	})
	// The population of Paris is not known, and that of the body neither.
	const body = `"epci":{"code":"200054781","name":"Métropole du Grand Paris","communes":2,"population":null}`
	if got, want := get("/communes?epci=200054781").Raw, `{"count":2,"data":[{"name":"Paris","codeInsee":"75056"},{"name":"Bondy","codeInsee":"93010"}],`+body+`}`; got != want {
		t.Errorf("the list is %s, want %s", got, want)
	}
	list := get("/communes?epci=200054781&sort=population&top=1")
	if list.Get("data.0.name").Str != "Bondy" || list.Get("total").Int() != 2 ||
		list.Get("epci.name").Str != "Métropole du Grand Paris" {
		t.Errorf("the list by population: %s", list)
	}
	if few := get("/communes?epci=200054781&minPopulation=50000"); few.Get("data.#.name").Raw != `["Bondy"]` {
		t.Errorf("the communes of 50 000 inhabitants: %s", few)
	}
	// That of a body of which each commune is known is their sum, whatever the list is cut to.
	if one := get("/communes?epci=200000001&minPopulation=90000&fields=density"); one.Get("count").Int() != 0 ||
		one.Get("epci.population").Raw != `{"municipal":55000,"year":2021,"source":"INSEE, Historique","note":"Sum of the municipal populations of its communes."}` {
		t.Errorf("the population of an intercommunal body: %s", one)
	}
	a := call(s, key, "list_communes", `{"epci":"grand paris"}`)
	if text := a.text(); !strings.Contains(text, `epci "grand paris" was read as 200054781.`) ||
		!strings.Contains(string(a.Body), "Bondy") {
		t.Errorf("the tool: %s", a.Body)
	}
	if a := call(s, key, "get_commune", `{"code":"200054781"}`); !strings.Contains(a.text(), "Métropole du Grand Paris (200054781) is an intercommunal body") {
		t.Errorf("the number of a body as that of a commune: %s", a.Body)
	}
	if a := call(s, key, "list_communes", `{"epci":"Bondy"}`); !strings.Contains(a.text(), "Bondy (93010) is a commune of Métropole du Grand Paris (200054781).") {
		t.Errorf("a commune as a body: %s", a.Body)
	}
	if a := call(s, key, "list_communes", `{"epci":"Grand"}`); !strings.Contains(a.text(), "2 intercommunal bodies have it in their name: CC du Grand Val (200000001), Métropole du Grand Paris (200054781).") {
		t.Errorf("a name of several: %s", a.Body)
	}
	for path, want := range map[string]string{
		"/communes?epci=200054781&departement=93": "epci is given with departement, region, lat or lon; expected one of them",
		"/communes?epci=200054781&name=bo":        "name is given without departement",
		"/communes?epci=Rennes":                   `epci is \"Rennes\"; expected the code of an intercommunal body, nine digits (SIREN). No intercommunal body has this name`,
		"/communes?epci=200054781&top=1":          "top is given without sort",
	} {
		if r := s.Get("/api/v1"+path, "X-API-Key", key); r.Status != http.StatusBadRequest ||
			!strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
}

// Towns of several départements are compared in one call, by their codes or, to tools, by names, an
// arrondissement among them. The error for one that does not exist names it.
func TestCommunesThatACallNames(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	s.Exec(somePopulations)
	key := s.Account("named@example.org", "pro")
	s.Limit(key, 1_000_000)
	get := answersTo(s, key)
	const path = "/communes?codes=93010,75118,93008,93010&sort=population"
	s.Until(func() bool { return get(path).Get("data.0.stats").Exists() })
	list := get(path)
	if got := list.Get("data.#.name").Raw; got != `["Bobigny","Bondy","Paris 18e Arrondissement"]` || list.Get("count").Int() != 3 ||
		!strings.Contains(list.Get("note").Str, "Sorted by population.latest.municipal.") {
		t.Errorf("the list: %s", list)
	}
	for given, want := range map[string]string{
		`{"codes":["Bondy","93008"],"fields":["density"]}`: `codes "Bondy,93008" was read as 93010,93008.`,
		`{"codes":["Bondy","Atlantis"]}`:                   `"Atlantis": No commune is called so.`,
	} {
		if a := call(s, key, "list_communes", given); !strings.Contains(a.text(), want) {
			t.Errorf("%s: %s", given, a.Body)
		}
	}
	for path, want := range map[string]string{
		"/communes?codes=93010,99999":                               "No commune has code 99999.",
		"/communes?codes=93010,bondy":                               "1 to 50 commune codes with commas between them",
		"/communes?codes=93010&departement=93":                      "codes is given with epci, departement, region, lat or lon",
		"/communes?codes=93010&lat=48.9&lon=2":                      "codes is given with epci, departement, region, lat or lon",
		"/communes?codes=93010&include=stats":                       "include is given without lat and lon",
		"/communes?codes=" + strings.Repeat("93010,", 50) + "93010": "1 to 50 commune codes with commas between them",
	} {
		if r := s.Get("/api/v1"+path, "X-API-Key", key); r.Status/100 != 4 || !strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
}

// Which communes merged in a year is one call, of a département or of France: those that last took in others
// come first, with the former communes and their days.
func TestListsNameFormerCommunes(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("mergers@example.org", "pro")
	s.Limit(key, 1_000_000)
	get := answersTo(s, key)
	if list := get("/communes?departement=93&fields=formerCommunes"); list.Get("states.formerCommunes.state").Str != "not_loaded" {
		t.Errorf("without movements: %s", list)
	}
	s.Exec(`INSERT INTO geo.commune_movement (kind, day, type_before, code_before, name_before, type_after, code_after, name_after) VALUES
	(32, '2025-01-01', 'COM', '93011', 'Vieux-Bondy', 'COM', '93010', 'Bondy'),
	(31, '1975-01-01', 'COM', '93009', 'Le Val', 'COM', '93008', 'Bobigny'); UPDATE geo.load SET active = active`)
	const path = "/communes?departement=93&sort=lastMergerYear&fields=formerCommunes&top=2"
	s.Until(func() bool { return get(path).Get("data.0.stats.lastMergerYear").Int() == 2025 })
	if got := get(path).Get("data.#.stats").Raw; got != `[{"formerCommunes":[{"code":"93011","name":"Vieux-Bondy","date":"2025-01-01","kind":"newCommune","into":null}],"lastMergerYear":2025},`+
		`{"formerCommunes":[{"code":"93009","name":"Le Val","date":"1975-01-01","kind":"merger","into":null}],"lastMergerYear":1975}]` {
		t.Errorf("the mergers of the département: %s", got)
	}
	if list := get("/communes?sort=lastMergerYear:asc&top=1"); list.Get("data.0.name").Str != "Bobigny" || list.Get("withoutFigure").Int() == 0 {
		t.Errorf("the first merger of France: %s", list)
	}
}

// Lists of départements give the préfecture of each, overseas ones too, so that a caller needs no call for
// each; a commune says whether it is one.
func TestListsNameChefsLieux(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	s.Exec(intercommunal)
	key := s.Account("seats@example.org", "pro")
	get := answersTo(s, key)
	s.Until(func() bool { return get("/departements/93").Get("chefLieu.name").Str == "Bobigny" })
	list := get("/departements?fields=chefLieu")
	if got := list.Get(`data.#(code=="93").stats.chefLieu`).Raw +
		list.Get("overseas.0.stats.chefLieu").Raw; got !=
		`{"name":"Bobigny","codeInsee":"93008"}{"name":"Saint-Denis","codeInsee":"97411"}` {
		t.Errorf("the chefs-lieux of the list are %s: %s", got, list)
	}
	if got := list.Get(`data.#(code=="75").stats.chefLieu`).Raw; got != "null" {
		t.Errorf("one that is not known is %s", got)
	}
	if got := get("/communes/93008").Get("chefLieuOf").Raw; got != `[{"kind":"departement","code":"93","name":"Seine-Saint-Denis"}]` {
		t.Errorf("Bobigny is the chef-lieu of %s", got)
	}
	if got := get("/communes/93010?fields=neighbours").Get("neighbours.communes.#.name").Raw; got != `["Bobigny"]` {
		t.Errorf("the neighbours of Bondy are %s", got)
	}
}

// A caller that names a key of another level, or a member of the whole answer, reads which call has it,
// rather than a list of sixty other keys.
func TestUnknownKeysNameTheCallThatHasThem(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("elsewhere@example.org", "pro")
	for path, want := range map[string]string{
		"/departements/93?fields=icpe":                 "; /communes/{code} (tool get_commune) has icpe, which is no key of this level; ",
		"/regions?fields=schools":                      "; /communes/{code} (tool get_commune) has schools, which is no key of this level; ",
		"/communes/93010?fields=pib":                   "; /regions/{code} (tool get_region) has pib, which is no key of this level; ",
		"/communes?departement=93&fields=postcodes":    "; every answer of /communes/{code} (tool get_commune) has postcodes, without fields; ",
		"/communes?departement=93&fields=neighbours":   "; /communes/{code} (tool get_commune) has neighbours, ",
		"/departements?sort=chefLieu":                  "sort names chefLieu, which is no number",
		"/communes?departement=93&sort=formerCommunes": "sort names formerCommunes, which is no number",
		"/communes?departement=93&sort=prices":         "Communes are not ranked by prices, which are known only where sales are loaded",
		"/communes?departement=93&sort=prix":           "the name of a figure, which :asc or :desc may follow. Communes are not ranked by prices",
		"/communes?departement=93&sort=evolution":      "population.change may be meant. It begins with",
	} {
		if r := s.Get("/api/v1"+path, "X-API-Key", key); r.Status != http.StatusBadRequest ||
			!strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
}

// The largest région, département or commune, and the most crowded one, are one call: lists sort by the area
// that the answer on each gives, and by the density.
func testListsSortByAreaAndDensity(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("area@example.org", "pro")
	s.Limit(key, 1_000_000)
	get := answersTo(s, key)
	s.Until(func() bool { return get("/regions/04?fields=population").Get("stats.population").Int() == 150_000 })
	for list, one := range map[string]string{
		"/regions?sort=areaKm2": "/regions/", "/departements?sort=areaKm2": "/departements/", "/communes?sort=areaKm2&top=1000": "/communes/",
		"/communes?sort=areaKm2:asc&top=2": "/communes/", "/communes?departement=93&sort=areaKm2": "/communes/",
	} {
		before := 0.0
		all := get(list)
		for i, item := range all.Get("data").Array() {
			code := item.Get("code").Str + item.Get("codeInsee").Str
			own, got := get(one+code), item.Get("stats.areaKm2")
			if got.Raw != own.Get("areaKm2").Raw || got.Num <= 0 || i > 0 && (got.Num > before) != strings.Contains(list, ":asc") && got.Num != before {
				t.Errorf("%s: %s has %s, and by itself %s", list, code, got.Raw, own.Get("areaKm2").Raw)
			}
			before = got.Num
			if source := own.Get("areaSource"); source.Type == gjson.Null && all.Get("sources.areaKm2.source").Str != "area of the outline" {
				t.Errorf("%s: the area of %s is from %s", list, code, all.Get("sources.areaKm2"))
			}
		}
		if all.Get("count").Int() == 0 {
			t.Errorf("%s: %s", list, all)
		}
	}
	for _, list := range []string{"/regions", "/departements"} {
		all := get(list + "?sort=communeCount")
		before := math.MaxInt
		for _, item := range all.Get("data").Array() {
			got := int(item.Get("stats.communeCount").Int())
			if own := int(get(list + "/" + item.Get("code").Str).Get("communeCount").Int()); got != own || got > before {
				t.Errorf("%s: %s has %d communes after %d, and by itself %d", list, item.Get("code"), got, before, own)
			}
			before = got
		}
		of := all.Get("sources.communeCount")
		if of.Get("source").Str != "INSEE, Code officiel géographique" || of.Get("year").Int() != 2026 || before == math.MaxInt {
			t.Errorf("%s: the communes are counted by %s", list, of)
		}
	}
	if got := get("/departements?fields=communeCount").Get(`overseas.#(code=="974").stats.communeCount`).Raw; got != get("/regions/04").Get("communeCount").Raw {
		t.Errorf("La Réunion has %s communes", got)
	}
	if overseas := get("/departements?fields=areaKm2").Get(`overseas.#(code=="974").stats.areaKm2`).Raw; overseas != get("/regions/04").Get("areaKm2").Raw {
		t.Errorf("La Réunion has %s km²", overseas)
	}
	for _, path := range []string{"/regions?sort=density", "/departements?sort=density", "/communes?departement=93&sort=density"} {
		if list := get(path); list.Get("states.density.state").Str == "" && list.Get("data.0.stats.density").Type != gjson.Number {
			t.Errorf("%s: %s", path, list)
		}
	}
}
