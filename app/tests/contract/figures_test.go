package contract_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"arpent/app/dev/fixture"
)

// somePopulations are the inhabitants of the régions and of two communes; of one région none are known.
const somePopulations = `WITH l AS (INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
	VALUES ('population-history', '', 'INSEE', 'Historique', 'LO', '[]', 'x', 5, 0, '[]', now(), now(), true))
	INSERT INTO geo.stat_value (part, level, code, measure, period, value, status) VALUES
	('population-history', 'commune', '93008', 'population.municipal', '2021', 55000, 'ok'),
	('population-history', 'commune', '93010', 'population.municipal', '2021', 54000, 'ok'),
	('population-history', 'commune', '93010', 'population.municipal', '2016', 53000, 'ok'),
	('population-history', 'departement', '93', 'population.municipal', '2021', 109000, 'ok'),
	('population-history', 'region', '11', 'population.municipal', '2021', 109000, 'ok'),
	('population-history', 'region', '04', 'population.municipal', '2020', 150000, 'ok')`

// answersTo gives a function that returns the body of an answer that has to be 200.
func answersTo(s *fixture.Service, key string) func(path string) gjson.Result {
	return func(path string) gjson.Result {
		s.T.Helper()
		r := s.Get("/api/v1"+path, "X-API-Key", key)
		if r.Status != http.StatusOK {
			s.T.Fatalf("%s: %d %s", path, r.Status, r.Body)
		}
		return gjson.ParseBytes(r.Body)
	}
}

// These share an instance with some populations and a load of communes.
func TestFigures(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t, `INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at,
		loaded_at, active, vintage) VALUES ('cog-communes', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true, '2026')`)
	s.Exec(somePopulations)
	onOne(t, s, map[string]func(*testing.T, *fixture.Service){
		"lists": testListsHaveFigures, "area and density": testListsSortByAreaAndDensity, "explained": testKeysAreExplainedOnRequest,
	})
}

// Who compares many places reads the figures of all in one answer, sorted by one of them, each with its
// source and year, and null where it is not known.
func testListsHaveFigures(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("ranking@example.org", "pro")
	s.Limit(key, 1_000_000)
	get := answersTo(s, key)
	s.Until(func() bool { return get("/regions/04?fields=population").Get("stats.population").Int() == 150_000 })
	names := func(list gjson.Result) string {
		var all []string
		for _, item := range list.Get("data").Array() {
			all = append(all, item.Get("name").Str+"="+item.Get("stats.*").Raw)
		}
		return strings.Join(all, " ")
	}
	for path, want := range map[string]string{
		"/regions?fields=population":                                             "La Réunion=150000 Île-de-France=109000 Corse=null",
		"/regions?sort=population:asc":                                           "Île-de-France=109000 La Réunion=150000 Corse=null",
		"/regions?sort=population&top=1":                                         "La Réunion=150000",
		"/departements?sort=population&region=11":                                "Seine-Saint-Denis=109000 Paris=null",
		"/communes?departement=93&sort=population.latest.municipal":              "Bobigny=55000 Bondy=54000",
		"/communes?departement=93&sort=population.latest.municipal:asc":          "Bondy=54000 Bobigny=55000",
		"/communes?departement=93&sort=population":                               "Bobigny=55000 Bondy=54000", // its principal figure
		"/communes?region=11&sort=population:asc&top=1":                          "Bondy=54000",
		"/communes?departement=93&name=bondi&fields=population.latest.municipal": "Bondy=54000",
	} {
		if got := names(get(path)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	cut := get("/regions?sort=population&top=1")
	if cut.Get("count").Int() != 1 || cut.Get("total").Int() != 3 {
		t.Errorf("one of three: %s", cut)
	}
	if none := get("/regions?sort=medianIncome&top=2"); none.Get("states.medianIncome.state").Str != "not_loaded" ||
		none.Get("data").Raw != "[]" || none.Get("count").Int() != 0 || none.Get("total").Int() != 3 || none.Get("withoutFigure").Int() != 3 {
		t.Errorf("a figure that no région has: %s", none)
	}
	// The figures that are known are not lost with the one that the order needs.
	if kept := get("/regions?sort=medianIncome&fields=population"); kept.Get("data.#").Int() != 3 ||
		!strings.HasPrefix(kept.Get("note").Str, "Not sorted, for none has medianIncome: by code.") {
		t.Errorf("the figures next to one that no région has: %s", kept)
	}
	if note := get("/communes?departement=93&sort=epci.population.municipal").Get("note").Str; !strings.Contains(note, "bodies are not ranked") {
		t.Errorf("the order by a figure of bodies: %q", note)
	}
	list := get("/regions?fields=population")
	if list.Get("states").Exists() {
		t.Errorf("a figure that some have has the state of none: %s", list)
	}
	if got := list.Get("absent").Raw; got != `[{"field":"population","state":"not_covered","reason":"The loaded files do not list this place.","count":1,"codes":["94"]}]` {
		t.Errorf("why a région has no figure that others have: %s", got)
	}
	if list.Get("sources.population.year").Int()+list.Get("data.0.sources.population.year").Int()+list.Get("data.1.sources.population.year").Int() < 4040 {
		t.Errorf("a figure without its year: %s", list)
	}
	// The examples in the descriptions of fields are figures of their level.
	get("/regions?fields=finances.debt,pib.gdpPerCapitaEur")
	get("/departements?fields=logement.timeline.vacancyRatePct,securite.burglary.ratePer1000")
	for path, want := range map[string]string{
		"/regions?fields=maire":                                `fields names \"maire\"`,
		"/regions?top=3":                                       "top is given without sort",
		"/regions?fields=" + partsOfPopulation(21):             "fields names 21 figures; a list takes 20 at most",
		"/regions?fields=" + partsOfPopulation(101):            "fields names more than 100 values",
		"/regions?sort=-population":                            `sort is \"-population\"; expected the name of a figure`,
		"/departements?fields=population.latest.municipal":     `population is a value without parts here; name population`,
		"/regions?sort=areaKm2.value":                          `areaKm2 is a value without parts; name areaKm2`,
		"/communes?departement=93&fields=centre":               "no statistic is a position: /communes/{code} (tool get_commune) has it with include=centre",
		"/communes/93010?fields=areaKm2":                       `fields names \"areaKm2\"`, // it is in the answer anyway
		"/communes?departement=93&sort=population.inhabitants": `\"inhabitants\" is no part of population; it has `,
		"/communes/93010?fields=population.inhabitants":        `\"inhabitants\" is no part of population; it has `,
		"/communes?lat=48.95&lon=2.55&sort=population":         "sort, top, region and minPopulation are for lists",
		"/departements?sort=logement.vacancyRatePct":           ". If logement.timeline.vacancyRatePct is meant, name that",
		"/departements?sort=pauvret%C3%A9":                     "It begins with one of the keys areaKm2, density, communeCount, chefLieu, population, medianIncome,",
		"/departements?fields=chomage":                         `fields names \"chomage\"; unemploymentRate may be meant; expected `,
		"/regions?sort=Unemployment":                           "unemploymentRate may be meant. It begins with",
		"/regions?fields=emploi.censusUnemploymentRatePct":     "; rankings.censusUnemploymentRate.value may be meant;",
		"/departements?sort=censusUnemploymentRate":            "rankings.censusUnemploymentRate.value may be meant. ",
		"/communes?departement=93&fields=unemploymentRate":     "; rankings.unemploymentRate.value may be meant;",
		"/communes/93010?fields=medianIncome":                  "; revenus.medianIncome may be meant;",
		"/communes/93010?fields=taux%20de%20ch%C3%B4mage":      "; emploi.censusUnemploymentRatePct may be meant;",
		"/communes/93010?fields=superficie":                    "every answer of /communes/{code} (tool get_commune) has areaKm2, without fields",
		"/departements/93?fields=gares":                        "/communes/{code} (tool get_commune) has nearestGare, which is no key of this level",
		"/communes/93010?fields=bruit":                         "that is known of parcels: /parcelles/{idu}/enrichments (tool get_parcel_enrichments) has roadTraffic",
		"/departements?fields=a1":                              `fields names \"a1\"; expected`,
		"/communes?departement=93&sort=communeCount":           "It begins with one of the keys areaKm2, density, ",
		"/regions?sort=communeCount.value":                     `communeCount is a value without parts; name communeCount`,
		"/departements?sort=population&top=0":                  `top is \"0\"; expected a whole number`,
	} {
		if r := s.Get("/api/v1"+path, "X-API-Key", key); r.Status != http.StatusBadRequest || !strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
}

// Which commune of France, or of a région, has the most of something is one call: the first ones in order,
// each with its figure, and how many were compared. What the contract answers without these parameters
// stays.
func TestCommunesAreRanked(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	s.Exec(`INSERT INTO geo.stat_value (part, level, code, measure, period, value, status) VALUES
		('population-history', 'commune', '97411', 'population.municipal', '2020', 54000, 'ok'),
		('population-history', 'commune', '2A004', 'population.municipal', '2016', 4, 'ok'),
		('population-history', 'commune', '2A004', 'population.municipal', '2021', 11, 'ok'),
		('population-history', 'commune', '93010', 'employment.active1564', '2021', 20000, 'ok'),
		('population-history', 'commune', '93010', 'employment.unemployed1564', '2021', 2000, 'ok'),
		('population-history', 'commune', '93008', 'population.births', '2022', 800, 'ok'),
		('population-history', 'commune', '93010', 'population.births', '2022', 800, 'ok'),
		('population-history', 'commune', '93008', 'population.deaths', '2022', 300, 'ok'),
		('population-history', 'commune', '93010', 'population.deaths', '2022', 300, 'ok'),
		('population-history', 'commune', '97411', 'employment.active1564', '2021', 100, 'ok'),
		('population-history', 'commune', '97411', 'employment.unemployed1564', '2021', 30, 'ok')`)
	s.Exec(somePopulations) // last: only a load is noticed
	key := s.Account("first@example.org", "pro")
	s.Limit(key, 1_000_000)
	get := answersTo(s, key)
	const by, rate = "population.latest.municipal", "emploi.censusUnemploymentRatePct"
	s.Until(func() bool {
		return get("/communes/97411?fields=population").Get("stats.population.latest.municipal").Int() == 54_000
	})
	for path, want := range map[string]string{
		"/communes?sort=" + by + "&top=3":            "Bobigny=55000 Bondy=54000 Saint-Denis=54000, 5 in all, 1 without",
		"/communes?sort=%20" + by + "%20:asc&top=2":  "Ajaccio=11 Bondy=54000, 5 in all, 1 without",
		"/communes?sort=" + by + "&top=4":            "Bobigny=55000 Bondy=54000 Saint-Denis=54000 Ajaccio=11, 5 in all, 1 without",
		"/communes?sort=" + by + "&top=1000":         "Bobigny=55000 Bondy=54000 Saint-Denis=54000 Ajaccio=11 Paris=null, 5 in all, 1 without",
		"/communes?sort=" + by + "&top=2&region=11":  "Bobigny=55000 Bondy=54000, 3 in all, 1 without",
		"/communes?sort=" + by + "&top=2&region=04":  "Saint-Denis=54000, 1 in all, 0 without",
		"/communes?sort=revenus.medianIncome&top=1":  ", 5 in all, 5 without",
		"/communes?sort=" + by + "&top=1&region=094": "",

		"/communes?sort=" + by + "&top=3&minPopulation=54000":                     "Bobigny=55000 Bondy=54000 Saint-Denis=54000, 3 in all, 0 without",
		"/communes?sort=" + by + "&top=3&minPopulation=54000&region=11":           "Bobigny=55000 Bondy=54000, 2 in all, 0 without",
		"/communes?sort=" + by + ":asc&top=1&minPopulation=12":                    "Bondy=54000, 3 in all, 0 without",
		"/communes?sort=" + by + "&top=1&minPopulation=10000000":                  ", 0 in all, 0 without",
		"/communes?sort=" + rate + "&top=2&minPopulation=54000":                   "Saint-Denis=30 Bondy=10, 3 in all, 1 without",
		"/communes?departement=93&minPopulation=54001&fields=" + by:               "Bobigny=55000, 0 in all, 0 without",
		"/communes?departement=93&minPopulation=54001":                            "Bobigny=, 0 in all, 0 without",
		"/communes?departement=93&name=bo&minPopulation=54000&top=1&sort=" + rate: "Bondy=10, 2 in all, 1 without",
	} {
		if want == "" {
			if r := s.Get("/api/v1"+path, "X-API-Key", key); r.Status != http.StatusNotFound {
				t.Errorf("%s: %d %s", path, r.Status, r.Body)
			}
			continue
		}
		list := get(path)
		var all []string
		for _, item := range list.Get("data").Array() {
			all = append(all, item.Get("name").Str+"="+item.Get("stats.*").Raw)
		}
		if got := fmt.Sprintf("%s, %d in all, %d without", strings.Join(all, " "), list.Get("total").Int(), list.Get("withoutFigure").Int()); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if list.Get("count").Int() != int64(len(all)) {
			t.Errorf("%s: a count of %s", path, list.Get("count"))
		}
	}
	first := get("/communes?sort=" + by + "&top=3")
	if first.Get(`sources.population\.latest\.municipal.year`).Int() != 2021 || first.Get(`data.2.sources.population\.latest\.municipal.year`).Int() != 2020 {
		t.Errorf("figures of two years: %s", first)
	}
	if got := first.Get("mixedYears").Raw; got != `{"`+by+`":[2020,2021]}` {
		t.Errorf("the years of a ranking of two: %s", first)
	}
	if one := get("/communes?sort=" + by + "&top=2"); one.Get("mixedYears").Exists() {
		t.Errorf("a ranking of one year is mixed: %s", one)
	}
	if listed := get("/regions?fields=population"); listed.Get("mixedYears.population").Raw != "[2020,2021]" {
		t.Errorf("the years of a list: %s", listed)
	}
	const aged = "emploi.population1564"
	for path, want := range map[string]string{
		"/communes?sort=" + aged + "&top=5":           "not_loaded",
		"/communes?sort=" + aged + "&departement=93":  "not_covered", // others may have it
		"/communes?sort=" + aged + "&region=04&top=1": "not_covered",
	} {
		none := get(path)
		if none.Get("states."+strings.Replace(aged, ".", `\.`, 1)+".state").Str != want || none.Get("data").Raw != "[]" {
			t.Errorf("%s: %s, want %s", path, none, want)
		}
	}
	const missing = "Overseas départements (971 to 976) are not in data"
	const reunion = `[{"name":"La Réunion","code":"974","stats":{"population":54000},"sources":{"population":{"source":"INSEE, Historique","year":2020}}}]`
	for path, want := range map[string][2]string{
		"/departements?sort=population":           {missing + "; overseas has their figures. Among all that have the figure, La Réunion is number 2.", reunion},
		"/departements?sort=population:asc":       {missing + "; overseas has their figures. Among all that have the figure, La Réunion is number 2.", reunion},
		"/departements?sort=population&top=1":     {missing + "; overseas has their figures.", reunion},
		"/departements?fields=population":         {missing + "; overseas has their figures.", reunion},
		"/departements?sort=medianIncome":         {missing + "; none of these figures is known of them.", ""},
		"/departements?sort=population&region=11": {"", ""}, "/departements": {"", ""}, "/regions?sort=population": {"", ""},
	} {
		if list := get(path); list.Get("note").Str != want[0] || list.Get("overseas").Raw != want[1] {
			t.Errorf("%s: note %q, overseas %s", path, list.Get("note").Str, list.Get("overseas"))
		}
	}
	if list := get("/departements?region=04&fields=population"); list.Get("data").Raw != "[]" || list.Get("overseas.0.stats.population").Int() != 54000 {
		t.Errorf("the département of an overseas région: %s", list)
	}
	for path, want := range map[string]string{
		"/communes?sort=" + by + "&top=2":                                                          `{"count":1,"data":[{"name":"Saint-Denis","codeInsee":"97411"}]}`,
		"/communes?sort=" + by + ":asc&top=2":                                                      `{"count":1,"data":[{"name":"Saint-Denis","codeInsee":"97411"}]}`,
		"/communes?sort=" + by + "&top=1":                                                          "",
		"/communes?sort=" + by + "&top=3":                                                          "",
		"/communes?sort=" + by + "&top=2&region=11":                                                "",
		"/communes?sort=population.timeline.population&departement=93&top=1":                       "",
		"/communes?sort=population.births.births&departement=93&top=1":                             `{"count":1,"data":[{"name":"Bondy","codeInsee":"93010"}]}`,
		"/communes?sort=population.births.births&departement=93&top=2":                             "",
		"/communes?departement=93&name=bo&minPopulation=54000&top=1&sort=population.births.births": `{"count":1,"data":[{"name":"Bondy","codeInsee":"93010"}]}`,
	} {
		if got := get(path).Get("tiedWithLast").Raw; got != want {
			t.Errorf("%s: tied with the last are %s, want %s", path, got, want)
		}
	}
	if births := get("/departements/93?fields=births"); births.Get("stats.births").Raw != `[{"year":2022,"births":1600,"deaths":600,"balance":1000}]` ||
		births.Get("stats.sources.births.source").Str != "INSEE, Historique; method sum of the communes" {
		t.Errorf("the births of a département: %s", births)
	}
	for path, want := range map[string]string{
		"/communes?sort=" + by + "&top=2": `[{"name":"Paris","codeInsee":"75056","state":"not_covered"}]`, "/communes?sort=" + by + "&top=1000": "",
		"/communes?departement=93&name=bo&minPopulation=54000&top=1&sort=" + rate: `[{"name":"Bobigny","codeInsee":"93008","state":"not_loaded"}]`,
	} {
		if got := get(path).Get("unranked").Raw; got != want {
			t.Errorf("%s: without a figure and not listed are %s, want %s", path, got, want)
		}
	}
	for path, want := range map[string]string{
		"/communes?sort=" + rate + "&top=1": `[{"code":"2A","name":"Corse-du-Sud","count":1},{"code":"75","name":"Paris","count":1},` +
			`{"code":"93","name":"Seine-Saint-Denis","count":1}]`,
		"/communes?sort=" + by + "&top=1&region=04": "",
		"/communes?sort=" + aged + "&top=5":         "", // no commune has it
	} {
		if got := get(path).Get("withoutFigureIn").Raw; got != want {
			t.Errorf("%s: without a figure are %s, want %s", path, got, want)
		}
	}
	if none := get("/regions?sort=rankings.povertyRate.value"); none.Get(`states.rankings\.povertyRate\.value.state`).Str != "not_loaded" {
		t.Errorf("a part of a value that is not loaded: %s", none)
	}
	if named := get("/communes?departement=93&name=bondy&sort=" + aged); named.Get("data.0.name").Str != "Bondy" ||
		named.Get("data.0.stats.*").Raw != "null" || named.Get("states.*.state").Str != "not_covered" {
		t.Errorf("the commune that was asked for by name, without a figure: %s", named)
	}
	if a := call(s, key, "list_communes", `{"sort":"`+aged+`","top":3}`); !strings.Contains(string(a.Result.StructuredContent),
		`"withoutFigure":5,"states":[{"state":"not_loaded","keys":["`+aged+`"],"sources":{"`+aged+`":"comparateur-emploi"}}]`) {
		t.Errorf("the tool ranks by a figure that is not loaded: %s", a.Body)
	}
	if none := get("/communes?sort=revenus.medianIncome&top=1"); none.Get(`states.revenus\.medianIncome.state`).Str != "not_loaded" {
		t.Errorf("a figure that no commune has: %s", none)
	}
	few := get("/communes?sort=" + rate + "&top=2&fields=emploi.unemployed1564")
	if few.Get("data.0.codeInsee").Str != "97411" || few.Get("data.0.smallBase").Raw != `["emploi.unemployed1564","`+rate+`"]` || few.Get("data.1.smallBase").Exists() {
		t.Errorf("a rate of 100 persons: %s", few)
	}
	const growth = "population.growthPctPerYear"
	for fields, want := range map[string]string{growth: "2016-2021", "population.latest": ""} {
		if got := get("/communes/2A004?fields=" + fields).Get("stats.population.growthPeriod").Str; got != want {
			t.Errorf("%s: the period of the growth is %q, want %q", fields, got, want)
		}
	}
	grown := get("/communes?sort=" + growth + "&top=2&fields=" + by)
	if grown.Get("data.0.codeInsee").Str != "2A004" || grown.Get("data.0.smallBase").Raw != `["`+growth+`"]` ||
		grown.Get("data.1.codeInsee").Str != "93010" || grown.Get("data.1.smallBase").Exists() ||
		grown.Get(`sources.population\.growthPctPerYear.period`).Str != "2016-2021" ||
		grown.Get(`sources.population\.growthPctPerYear.unit`).Str != "percent per year" ||
		grown.Get(`sources.population\.latest\.municipal.period`).Exists() {
		t.Errorf("a growth from 4 to 11: %s", grown)
	}
	for path, want := range map[string]string{
		"/communes":                                                       "departement is missing; expected departement, epci or codes, or lat and lon together, or sort and top",
		"/communes?sort=" + by:                                            "top is missing; without departement expected sort and top together",
		"/communes?top=3":                                                 "sort is missing; without departement expected sort and top together",
		"/communes?region=11":                                             "sort is missing; without departement",
		"/communes?region=11&departement=93":                              "departement and region are both given",
		"/communes?region=11&lat=48.95&lon=2.55":                          "sort, top, region and minPopulation are for lists",
		"/communes?minPopulation=1&lat=48.95&lon=2.55":                    "sort, top, region and minPopulation are for lists",
		"/communes?minPopulation=2000":                                    "departement is missing; expected departement, epci or codes, or",
		"/communes?departement=93&minPopulation=0":                        `minPopulation is \"0\"; expected a whole number between 1 and 10000000`,
		"/communes?top=2&sort=" + by + "&include=stats":                   "the list of communes takes no include value",
		"/communes?top=2&sort=population.inhabitants":                     `\"inhabitants\" is no part of population; it has `,
		"/communes?top=2&sort=schools.ips":                                `. schools.schools.ips is of the items of a list: no figure of the whole place is made of them`,
		"/communes?top=2&sort=revenus.a1":                                 `\"a1\" is no part of revenus; it has `, // which is not loaded
		"/communes?top=2&sort=securite.a1.count":                          `\"a1.count\" is no part of securite; it has `,
		"/communes?top=1001&sort=" + by:                                   `top is \"1001\"; expected a whole number between 1 and 1000`,
		"/communes?top=2&sort=" + by + "&region=Bretagne":                 `region is \"Bretagne\"; expected a région code`,
		"/communes?top=2&name=bondy&sort=" + by:                           "name is given without departement",
		"/communes?top=2&sort=" + by + "&fields=" + partsOfPopulation(20): "fields names 21 figures; a list takes 20 at most",
	} {
		if r := s.Get("/api/v1"+path, "X-API-Key", key); r.Status != http.StatusBadRequest || !strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
	a := call(s, key, "list_communes", `{"region":"La Réunion","sort":"`+by+`","top":3}`)
	if text := a.text(); !strings.Contains(string(a.Result.StructuredContent), `["Saint-Denis","97411",54000]`) || !strings.Contains(text, `region "La Réunion" was read as 04.`) {
		t.Errorf("the tool: %s", a.Body)
	}
}

// A ranking by a figure that whole départements lack, as incomes overseas, names these with their communes,
// and says that it does not name each of the communes.
func TestRankingsNameDepartementsWithoutFigure(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t, `INSERT INTO geo.departement (code, name) VALUES ('973', 'Guyane');
		INSERT INTO geo.commune (type, code, name, departement_code, commune_code)
		SELECT 'commune-actuelle', '973' || n, 'Commune ' || n, '973', '973' || n FROM generate_series(10, 20) n`)
	s.Exec(somePopulations) // last: only a load is noticed
	key := s.Account("guyane@example.org", "pro")
	s.Limit(key, 1_000_000)
	get := answersTo(s, key)
	const path = "/communes?sort=population.latest.municipal&top=2"
	s.Until(func() bool { return get(path).Get("total").Int() == 16 && get(path).Get("count").Int() == 2 })
	list := get(path)
	if list.Get("unranked.#").Int() != 10 || !list.Get("unrankedTruncated").Bool() ||
		list.Get("withoutFigureIn.0").Raw != `{"code":"973","name":"Guyane","count":11}` {
		t.Errorf("communes without a figure: %s", list)
	}
	if list := get("/communes?departement=973&sort=population.latest.municipal&name=1&top=2"); list.Get("unrankedTruncated").Exists() {
		t.Errorf("all communes without a figure are named: %s", list)
	}
}

// A caller finds by one call where a candidate did best, and reads what the counts are; a part that a value
// does not have has the same state in a list and in the answer of a territory; the newest of periods stands
// for a list of them; a figure that the same territory has at its other level is pointed to.
func TestPartsAreNamedAlikeEverywhere(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	s.Exec(`INSERT INTO geo.stat_value (part, level, code, measure, period, value, status) VALUES
		('population-history', 'departement', '93', 'demography.deathRate', '2008-2013', 5.9, 'ok'),
		('population-history', 'departement', '93', 'demography.deathRate', '2013-2018', 6.1, 'ok')`)
	s.Exec(`INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('election-presidentielle-departements-t2', '', 'Ministère', 'Présidentielle', 'LO', '[]', 'x', 5, 0, '[]', now(), now(), true)`)
	s.Exec(`INSERT INTO geo.election_turnout (part, level, code, election, registered, voters, blank, spoiled, expressed)
		SELECT 'election-presidentielle-departements-t2', 'departement', c, '2022_pres_t2', 1000, 700, 0, 0, 700 FROM (VALUES ('75'), ('93'), ('974')) v (c)`)
	s.Exec(`INSERT INTO geo.election_result (part, level, code, election, place, name, votes)
		SELECT 'election-presidentielle-departements-t2', 'departement', c, '2022_pres_t2', 1, 'LE PEN', n FROM (VALUES ('75', 210), ('93', 140), ('974', 420)) v (c, n)
		UNION ALL SELECT 'election-presidentielle-departements-t2', 'departement', c, '2022_pres_t2', 2, 'MACRON', 700 - n FROM (VALUES ('75', 210), ('93', 140), ('974', 420)) v (c, n)`)
	s.Exec(somePopulations) // last: only a load is noticed
	key := s.Account("parts@example.org", "pro")
	s.Limit(key, 1_000_000)
	get := answersTo(s, key)
	s.Until(func() bool { return get("/regions/04?fields=population").Get("stats.population").Int() == 150_000 })

	const results = "election.presidential.round2.results"
	const share = results + ".LEPEN.sharePct"
	ranked := get("/departements?top=1&sort=" + share)
	if ranked.Get("data.0.code").Str != "75" || ranked.Get("data.0.stats.*").Raw != "30" || ranked.Get("overseas.0.stats.*").Raw != "60" ||
		!strings.Contains(ranked.Get("note").Str, "Among all that have the figure, La Réunion is number 1.") || !ranked.Get("sources.*.beforeAnnulments").Bool() {
		t.Errorf("by the share of a candidate: %s", ranked)
	}
	if one := get("/departements/93?fields=" + share); one.Get("stats."+results).Raw != `[{"key":"LEPEN","sharePct":20}]` ||
		!one.Get("stats.election.presidential.round2.beforeAnnulments").Bool() {
		t.Errorf("the share of a candidate: %s", one)
	}
	if all := get("/departements/93?fields=" + results + ".votes"); all.Get("stats."+results).Raw != `[{"key":"MACRON","votes":560},{"key":"LEPEN","votes":140}]` {
		t.Errorf("a part of each result: %s", all)
	}
	const lacks = "The value of " + results + " here has no JADOT; it has MACRON, LEPEN, key, name, party, nuance, bloc, votes, sharePct."
	for _, path := range []string{"/departements/93?fields=", "/departements?fields=", "/departements?sort="} {
		part := results + ".JADOT"
		if strings.HasSuffix(path, "sort=") {
			part += ".votes"
		}
		one := get(path + part).Get("states")
		found := false
		one.ForEach(func(name, s gjson.Result) bool {
			found = found || strings.HasPrefix(name.Str, results+".JADOT") && s.Get("state").Str == "not_covered" && s.Get("reason").Str == lacks
			return true
		})
		if !found {
			t.Errorf("%s: a part that the value lacks: %s", path, one)
		}
	}
	death := get("/departements?region=11&sort=demography.deathRatePer1000")
	if death.Get("data.0.stats.*").Raw != "6.1" || death.Get("sources.*.period").Str != "2013-2018" {
		t.Errorf("the newest period: %s", death)
	}
	if one := get("/departements/93?fields=demography.deathRatePer1000"); one.Get("stats.demography.1").Raw != `{"periodStart":2013,"periodEnd":2018,"deathRatePer1000":6.1}` {
		t.Errorf("the periods of a département: %s", one)
	}
	if paris := get("/communes/75056?fields=election").Get("states.election.reason").Str; !strings.HasSuffix(paris, "The département of code 75, which is the same territory, has it.") {
		t.Errorf("Paris as a commune: %q", paris)
	}
	if a := call(s, key, "get_commune", `{"code":"Paris","fields":["election"]}`); !strings.Contains(string(a.Result.StructuredContent), "which is the same territory, has it") {
		t.Errorf("Paris as a commune, by the tool: %s", a.Body)
	}
	for path, want := range map[string]string{
		"/departements?sort=" + results:                        "numbers in it: none, but in its parts, as " + results + ".ARTHAUD.franceSharePct; it has the parts ARTHAUD, POUTOU, ",
		"/departements?fields=election.municipal.results.a1":   `\"a1\" is no part of election.municipal.results; it has list, nuance, `,
		"/departements/93?fields=election.municipal.a1":        `\"a1\" is no part of election.municipal; it has year, source, `,
		"/communes/93010?fields=schools.ips":                   `. If schools.schools.ips is meant, name that`,
		"/communes/93010?fields=securite.a1.count":             `\"a1.count\" is no part of securite; it has `, // which is not loaded
		"/departements/93?fields=population.timeline":          "population is a value without parts here; name population or ",
		"/departements/93?fields=population.change":            "or populationChange",
		"/departements?fields=election.municipal.results.list": "election.municipal.results is a list, and no single item represents it; election.municipal.results names the whole list",
		"/departements?sort=securite.categories.count":         "represents it; securite.categories names the whole list, securite.categories.homicides.count one item",
	} {
		if r := s.Get("/api/v1"+path, "X-API-Key", key); r.Status != http.StatusBadRequest || !strings.Contains(string(r.Body), want) {
			t.Errorf("%s: %d %s", path, r.Status, r.Body)
		}
	}
}

// partsOfPopulation are so many different fields.
func partsOfPopulation(n int) string {
	var all []string
	for i := range n {
		all = append(all, "population.a"+strconv.Itoa(i))
	}
	return strings.Join(all, ",")
}
