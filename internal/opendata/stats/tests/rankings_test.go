package stats_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/internal/opendata/topic/employment"
	"arpent/internal/opendata/topic/finances"
	"arpent/internal/opendata/topic/income"
	"arpent/internal/opendata/topic/rankings"
	"github.com/tidwall/gjson"
)

// figures activates values of a measure, by code of territory.
func (b *fixture) figures(level stats.Level, measure, period string, values map[string]float64) {
	b.t.Helper()
	name := "test-" + measure
	b.exec(`INSERT INTO geo.load (source, scope, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ($1, '', 'TEST', $2, '', '[]', '', 1, 0, '[]', now(), now(), true) ON CONFLICT DO NOTHING`, name, measure)
	for code, v := range values {
		b.exec(`INSERT INTO geo.stat_value (part, level, code, measure, period, value, status) VALUES ($1, $2, $3, $4, $5, $6, 'ok')`,
			name, level, code, measure, period, v)
	}
}

// secrets activates that a value is not published.
func (b *fixture) secrets(level stats.Level, measure, period string, codes ...string) {
	b.t.Helper()
	for _, code := range codes {
		b.exec(`INSERT INTO geo.stat_value (part, level, code, measure, period, value, status) VALUES ($1, $2, $3, $4, $5, NULL, 'secret')`,
			"test-"+measure, level, code, measure, period)
	}
}

// rankOf gives a member of rankings as JSON.
func rankOf(t *testing.T, d *stats.Data, level stats.Level, code, metric string) string {
	t.Helper()
	var all map[string]json.RawMessage
	testkit.NoError(t, json.Unmarshal([]byte(blockOf(t, d, level, code, "rankings")), &all))
	return string(all[metric])
}

// Ranks are those that a reader would count by hand: ties share one, those without a value are not counted,
// and the period is the newest that four communes in five have.
func TestCommuneRankings(t *testing.T) {
	b := newFixture(t)
	// Nine communes. Of 2023 eight are known, of 2024 seven: too few.
	b.figures(stats.Commune, source.PopulationMunicipal, "2023", map[string]float64{"75056": 2100000, "69123": 520000, "93010": 150000,
		"93066": 150000, "97411": 140000, "91001": 320, "15141": 900, "2A247": 12000})
	b.figures(stats.Commune, source.PopulationMunicipal, "2024", map[string]float64{"75056": 2, "69123": 3, "93010": 1, "93066": 1, "97411": 1,
		"91001": 1, "15141": 1})
	d := b.read()
	const common = `"year":2023,"unit":"inhabitants","direction":"desc","source":"TEST, population.municipal","france":{"value":384153,"basis":"mean","sum":3073220}`
	for code, want := range map[string]string{
		"75056": `{` + common + `,"value":2100000,"national":{"rank":1,"of":8},"departement":{"rank":1,"of":1}}`,
		"93010": `{` + common + `,"value":150000,"national":{"rank":3,"of":8},"departement":{"rank":1,"of":2}}`,
		"93066": `{` + common + `,"value":150000,"national":{"rank":3,"of":8},"departement":{"rank":1,"of":2}}`,
		"97411": `{` + common + `,"value":140000,"national":{"rank":5,"of":8},"departement":{"rank":1,"of":1}}`,
		"91001": `{` + common + `,"value":320,"national":{"rank":8,"of":8},"departement":{"rank":1,"of":1}}`,
	} {
		same(t, "population of "+code, rankOf(t, d, stats.Commune, code, "population"), want)
	}
	same(t, "rankings of a commune without a value", blockOf(t, d, stats.Commune, "15031", "rankings"), "null")
	same(t, "density without land areas", rankOf(t, d, stats.Commune, "93010", "density"), "null")
}

// A commune has no rank by poverty where its rate is secret, which is another reason than that no file has
// it.
func TestRanksOfSecretFiguresSaySo(t *testing.T) {
	b := newFixture(t)
	rates, inhabitants := map[string]float64{}, map[string]float64{}
	for i, code := range []string{"75056", "69123", "93010", "93066", "97411", "91001", "15141", "2A247"} {
		rates[code], inhabitants[code] = float64(10+i), float64(1000+i)
	}
	inhabitants["15031"] = 500
	b.figures(stats.Commune, source.PopulationMunicipal, "2021", inhabitants)
	b.figures(stats.Commune, income.IncomePovertyRate, "2021", rates)
	b.secrets(stats.Commune, income.IncomePovertyRate, "2021", "15031")
	b.exec(`UPDATE geo.load SET source = 'filosofi-communes' WHERE source = 'test-income.povertyRate'`)
	b.exec(`UPDATE geo.stat_value SET part = 'filosofi-communes' WHERE part = 'test-income.povertyRate'`)
	all := b.states(stats.Commune, "15031")
	if s := all["rankings.povertyRate"]; s.State != state.Secret ||
		s.Reason != "The producer keeps the figure secret." {
		t.Errorf("the rank of a secret rate: %+v", s)
	}
	if s := all["rankings.medianIncome"]; s.State == state.Value {
		t.Errorf("the rank of an income that is not known: %+v", s)
	}
	if s, ranked := b.states(stats.Commune, "93010")["rankings.povertyRate"]; ranked {
		t.Errorf("a rank that is known has the state %+v", s)
	}
}

// A ranked value says what it is counted in: 0.61 of a growth is percent a year, not of the whole period.
func TestRankedValuesHaveUnits(t *testing.T) {
	t.Parallel()
	for _, m := range topic.Statistics().Metrics() {
		if m.Unit == "" || strings.Contains(m.Name, "Rate") && !strings.Contains(m.Unit, "per") {
			t.Errorf("%s is in %q", m.Name, m.Unit)
		}
	}
}

// Where fewer than four in five have a value no territory is ranked: a rank
// among few would look like one among all.
func TestTooFewToRank(t *testing.T) {
	b := newFixture(t)
	b.figures(stats.Commune, source.PopulationMunicipal, "2023", map[string]float64{"75056": 1, "69123": 2, "93010": 3, "93066": 4, "97411": 5,
		"91001": 6, "15141": 7})
	b.secrets(stats.Commune, source.PopulationMunicipal, "2023", "15031", "2A247")
	b.wants(stats.Commune, "75056", "rankings", "null")
}

// Départements and régions are ranked among themselves, with the smallest debt first.
func TestTerritoryRankings(t *testing.T) {
	b := newFixture(t)
	debts := map[string]float64{"75": 4000, "93": 900, "91": 1000, "2A": 500, "15": 500, "69": 700, "974": 800}
	people := map[string]float64{}
	for code := range debts {
		people[code] = 10
	}
	b.figures(stats.Departement, finances.FinancesDebt, "2024", debts)
	b.figures(stats.Departement, finances.FinancesPopulation, "2024", people)
	d := b.read()
	for code, want := range map[string]string{
		"2A": `"value":50,"rank":1,"of":7`, "15": `"value":50,"rank":1,"of":7`,
		"69": `"value":70,"rank":3,"of":7`, "75": `"value":400,"rank":7,"of":7`,
	} {
		same(t, "debt of "+code, rankOf(t, d, stats.Departement, code, "debtPerInhabitant"),
			`{"year":2024,"unit":"euros per inhabitant","direction":"asc","smallBase":true,"source":"TEST, finances.debt; TEST, finances.population","france":{"value":120,"basis":"totals"},`+want+`}`)
	}
	same(t, "régions have none of that", blockOf(t, d, stats.Region, "11", "rankings"), "null")
}

// The figure for France is of the period of the ranked values and by their definition: the
// quotient of sums, never a mean of rates; the producer's own where it has one; and null
// where neither can be said, as of a median.
func TestRankedFigureOfFrance(t *testing.T) {
	b := newFixture(t)
	people := map[string]float64{"75056": 800, "69123": 100, "93010": 50, "93066": 50, "97411": 100, "91001": 10, "15141": 10, "15031": 10, "2A247": 70}
	b.figures(stats.Commune, source.PopulationMunicipal, "2023", people)
	active, unemployed, median := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for code, n := range people {
		active[code], unemployed[code], median[code] = n/2, n/20, 20000+n
	}
	unemployed["75056"] = 100
	b.figures(stats.Commune, employment.EmploymentActive, "2021", active)
	b.figures(stats.Commune, employment.EmploymentUnemployed, "2021", unemployed)
	b.figures(stats.Commune, income.IncomeMedian, "2021", median)
	b.figures(stats.Nation, income.IncomeMedian, "2019", map[string]float64{"FR": 21930})
	franceOf := func(metric string) string {
		var got struct{ France json.RawMessage }
		testkit.NoError(t, json.Unmarshal([]byte(rankOf(t, b.read(), stats.Commune, "93010", metric)), &got))
		return string(got.France)
	}
	// 120 of 600; the mean of the nine rates is 11.7.
	same(t, "unemployment", franceOf("unemploymentRate"), `{"value":20,"basis":"totals"}`)
	same(t, "median income of another year", franceOf("medianIncome"), "null")
	states := b.states(stats.Commune, "93010")
	if s := states["rankings.medianIncome.france"]; !strings.HasPrefix(s.Reason, "What is loaded has no figure of France of this period") {
		t.Errorf("the median of France is null and has the state %+v", s)
	}
	if s := states["rankings.povertyRate"]; s.State != state.NotLoaded || s.Source != "filosofi-communes" || s.Vintage != nil {
		t.Errorf("the rank by poverty is null and has the state %+v", s)
	}
	if s, ok := states["rankings.unemploymentRate.france"]; ok {
		t.Errorf("the unemployment of France is known and has the state %+v", s)
	}
	b.figures(stats.Nation, income.IncomeMedian, "2021", map[string]float64{"FR": 23080})
	same(t, "median income", franceOf("medianIncome"), `{"value":23080,"basis":"producer"}`)
}

// Where no localised rate is loaded, départements are ranked by the unemployment of the census under its own
// name, and its source says which rate it is, as that of communes does.
func TestCensusUnemploymentHasItsName(t *testing.T) {
	b := newFixture(t)
	active, unemployed := map[string]float64{}, map[string]float64{}
	for i, code := range []string{"75", "93", "91", "2A", "15", "69", "974"} {
		active[code], unemployed[code] = 100, float64(8+i)
	}
	b.figures(stats.Departement, employment.EmploymentActive, "2021", active)
	b.figures(stats.Departement, employment.EmploymentUnemployed, "2021", unemployed)
	communes := map[string]float64{"75056": 100, "69123": 100, "93010": 100, "93066": 100, "97411": 100, "91001": 100, "15141": 100, "15031": 100, "2A247": 100}
	b.figures(stats.Commune, employment.EmploymentActive, "2021", communes)
	b.figures(stats.Commune, employment.EmploymentUnemployed, "2021", communes)
	d := b.read()
	const method = `; method census, not the localised rate"`
	if got := rankOf(t, d, stats.Commune, "93010", "unemploymentRate"); !strings.Contains(got, method) {
		t.Errorf("the source of a rate of the census: %s", got)
	}
	same(t, "the localised rate", rankOf(t, d, stats.Departement, "93", "unemploymentRate"), "null")
	if got := rankOf(t, d, stats.Departement, "93", "censusUnemploymentRate"); !strings.Contains(got, `"value":9,"unit":"percent","smallBase":true,"direction":"asc"`) || !strings.Contains(got, `"rank":2,"of":7`) || !strings.Contains(got, method) {
		t.Errorf("93 is ranked %s, expected the second of 7 with 9 %%", got)
	}
}

// The accounts of a few authorities are no figure of France: nearly all inhabitants have to be in it.
func TestFranceOfAFewAuthorities(t *testing.T) {
	t.Parallel()
	people := map[string]float64{"75056": 900, "69123": 10, "93010": 10, "93066": 10, "97411": 10, "91001": 10, "15141": 10, "15031": 10, "2A247": 30}
	for _, c := range []struct{ without, want string }{
		{"2A247", `"france":{"value":1962,"basis":"totals","coverage":0.97}`}, // 70 000 and 1 833 000 by 970
		{"75056", `"france":null`},
	} {
		b := openFixture(t)
		b.figures(stats.Commune, source.PopulationMunicipal, "2023", people)
		debts, inhabitants := map[string]float64{}, maps.Clone(people)
		for code, n := range people {
			debts[code] = 1000 * n
		}
		debts["75056"] = 1_833_000
		delete(debts, c.without)
		delete(inhabitants, c.without)
		b.figures(stats.Commune, finances.FinancesDebt, "2024", debts)
		b.figures(stats.Commune, finances.FinancesPopulation, "2024", inhabitants)
		if got := rankOf(t, b.read(), stats.Commune, "93010", "debtPerInhabitant"); !strings.Contains(got, c.want) {
			t.Errorf("debt of 93010 without %s is %s, expected %s", c.without, got, c.want)
		}
	}
}

// The rank of every commune is one and the number of better ones, whatever the numbers.
func TestRanksCount(t *testing.T) {
	b := newFixture(t)
	values := map[string]float64{}
	for i := range 500 {
		code := fmt.Sprintf("93%03d", 200+i)
		b.exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes)
			VALUES ('commune-actuelle', $1, $1, '93', '11', $1, '{}')`, code)
		values[code] = float64(i * 7919 % 97)
	}
	b.figures(stats.Commune, source.PopulationMunicipal, "2023", values)
	d := b.read()
	for code, v := range values {
		better := 0
		for _, o := range values {
			if o > v {
				better++
			}
		}
		var got rankings.CommuneRank
		testkit.NoError(t, json.Unmarshal([]byte(rankOf(t, d, stats.Commune, code, "population")), &got))
		if got.National.Rank != better+1 || got.National.Of != 500 || got.Departement.Rank != better+1 {
			t.Fatalf("%s with %g has rank %+v, %+v, expected %d", code, v, got.National, got.Departement, better+1)
		}
	}
}

// A rank of a share of few, and a value made from figures of several years, are marked; others are not. A
// change over some years is of its period, and is not mixed.
func TestSmallBasesAndMixedYearsAreMarked(t *testing.T) {
	b := newFixture(t)
	all := []string{"93010", "93066", "75056", "69123", "91001", "15141", "15031", "2A247", "97411"}
	active, unemployed, people, older, area := map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}
	for i, code := range all {
		active[code], unemployed[code] = 20000, float64(1000+i)
		people[code], older[code], area[code] = 50000, 40000, 10
	}
	active["91001"], unemployed["91001"] = 36, 9
	people["91001"], older["91001"] = 11, 4
	b.figures(stats.Commune, employment.EmploymentActive, "2021", active)
	b.figures(stats.Commune, employment.EmploymentUnemployed, "2021", unemployed)
	b.figures(stats.Commune, source.PopulationMunicipal, "2023", people)
	b.figures(stats.Commune, source.PopulationMunicipal, "2016", older)
	b.figures(stats.Commune, source.LandArea, "2021", area)
	d := b.read()
	for _, c := range []struct{ code, metric, small, years string }{
		{"91001", "unemploymentRate", "true", ""}, {"93010", "unemploymentRate", "", ""}, {"93010", "density", "", "[2021,2023]"}, {"93010", "growth", "", ""},
		{"91001", "growth", "true", ""},
	} {
		rank := gjson.Parse(rankOf(t, d, stats.Commune, c.code, c.metric))
		if small, years := rank.Get("smallBase").Raw, rank.Get("mixedYears").Raw; small != c.small || years != c.years {
			t.Errorf("%s of %s: small base %q, mixed years %q; want %q and %q", c.metric, c.code, small, years, c.small, c.years)
		}
	}
	for code, want := range map[string]string{"91001": "true", "93010": ""} {
		if got := gjson.Get(blockOf(t, d, stats.Commune, code, "emploi"), "smallBase").Raw; got != want {
			t.Errorf("activity of %s: small base %q, want %q", code, got, want)
		}
	}
	if got := gjson.Get(blockOf(t, d, stats.Commune, "93010", "population"), "landAreaYear").Raw; got != "2021" {
		t.Errorf("the land area is of %s", got)
	}
}

// Each number of a département or région has its year next to it, null where there is no number: a reader who
// compares two of them sees that they are of different years.
func TestNumbersHaveTheirYear(t *testing.T) {
	b := newFixture(t)
	b.figures(stats.Departement, source.PopulationMunicipal, "2023", map[string]float64{"93": 1704316})
	b.figures(stats.Departement, income.IncomeMedian, "2019", map[string]float64{"93": 17740})
	b.figures(stats.Departement, employment.UnemploymentRate, "2025-T4", map[string]float64{"93": 10.4})
	for key, want := range map[string]string{"population": "1704316", "populationYear": "2023", "medianIncome": "17740", "medianIncomeYear": "2019",
		"unemploymentRateYear": "2025", "totalHousingYear": "null", "crimeRateYear": "null"} {
		b.wants(stats.Departement, "93", key, want)
	}
	body, err := b.read().Render(b.read().Find(stats.Departement, "93"))
	if err != nil || !strings.Contains(string(body), `"population":1704316,"populationYear":2023,"medianIncome":17740,"medianIncomeYear":2019,`) {
		t.Errorf("%v: %s", err, body)
	}
}

// Next to the burglaries of a département or région stand those of France: of all dwellings together, which
// number and rate of each département make; none where one département is not known.
func TestBurglariesOfFrance(t *testing.T) {
	b := newFixture(t)
	counts, rates := map[string]float64{}, map[string]float64{}
	for _, code := range []string{"75", "93", "91", "2A", "15", "69"} {
		counts[code], rates[code] = 100, 2 // 50 000 dwellings
	}
	rates["75"] = 5 // 20 000
	b.figures(stats.Departement, "safety.2025.burglary", "2025", counts)
	b.figures(stats.Departement, "safety.2025.burglaryRate", "2025", rates)
	if got := gjson.Parse(rankOf(t, b.read(), stats.Departement, "93", "burglaryRate")); got.Get("value").Raw != "2" || got.Get("rank").Raw != "1" || got.Get("france").Raw != "null" {
		t.Errorf("without La Réunion: %s", got)
	}
	b.figures(stats.Departement, "safety.2025.burglary", "2025", map[string]float64{"974": 100})
	b.figures(stats.Departement, "safety.2025.burglaryRate", "2025", map[string]float64{"974": 2})
	d := b.read()
	if got := gjson.Parse(rankOf(t, d, stats.Departement, "75", "burglaryRate")); got.Get("value").Raw != "5" || got.Get("rank").Raw != "7" ||
		got.Get("france.value").Raw != "2.1875" || got.Get("france.basis").Str != "totals" {
		t.Errorf("700 burglaries in 320 000 dwellings: %s", got)
	}
	if got := gjson.Parse(rankOf(t, d, stats.Region, "11", "burglaryRate")); got.Get("value").Raw != "2.5" || got.Get("france.value").Raw != "2.1875" {
		t.Errorf("300 burglaries in 120 000 dwellings: %s", got)
	}
}

// Where a figure is not loaded and another one says nearly the same, or the same is known of the département,
// its state says where: else it is taken for not known at all.
func TestStatesPointToWhatIsKnown(t *testing.T) {
	b := newFixture(t)
	const census = "rankings.censusUnemploymentRate has that of the census"
	const pointer = "Its département has it: one series is securite.burglary in fields, its years securite.timeline.burglary."
	for _, code := range []string{"93", "11"} {
		level := map[string]stats.Level{"93": stats.Departement, "11": stats.Region}[code]
		if s := b.states(level, code)["unemploymentRate"]; strings.Contains(s.Reason, census) {
			t.Errorf("%s points to what is not loaded: %+v", code, s)
		}
	}
	if s := b.states(stats.Commune, "93010")["securite"]; strings.Contains(s.Reason, "Its département has it") {
		t.Errorf("a commune points to what is not loaded: %+v", s)
	}
	of := map[string]float64{"93": 1000, "75": 1000, "91": 1000, "2A": 1000, "15": 1000, "69": 1000, "974": 1000}
	b.figures(stats.Departement, employment.EmploymentActive, "2021", of)
	b.figures(stats.Departement, employment.EmploymentUnemployed, "2021", of)
	b.figures(stats.Departement, "safety.2025.population", "2025", of)
	if s := b.states(stats.Departement, "93")["unemploymentRate"]; s.State != state.NotLoaded || !strings.HasSuffix(s.Reason, census+", which is higher.") {
		t.Errorf("a département: %+v", s)
	}
	if s := b.states(stats.Commune, "93010")["securite"]; s.State != state.NotLoaded || !strings.HasSuffix(s.Reason, pointer) {
		t.Errorf("a commune: %+v", s)
	}
	for _, code := range []string{"75118", "69381"} {
		if s := b.states(stats.Arrondissement, code)["securite"]; !strings.HasSuffix(s.Reason, pointer) {
			t.Errorf("arrondissement %s: %+v", code, s)
		}
	}
}
