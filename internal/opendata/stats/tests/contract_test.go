package stats_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
)

// contract is written from the published description of the statistics, by
// hand: nothing of it is taken from the program.
var contract = map[stats.Level]string{
	stats.Commune: "finances revenus population logement logementRP equipements emploi securite election maire politicalScore" +
		" municipalWave presidentialWave rankings climateAnomaly travelTime waterQuality airQuality apl namedServices geography" +
		" nuisibles anfr",
	stats.Departement: "population medianIncome povertyRate unemploymentRate totalHousing vacantHousing equipements crimeRate" +
		" finances lifeExpectancy rankings climateAnomaly populationTimeline revenus logement logementRP equipementsDetail emploi" +
		" securite election apl politicalScore municipalWave presidentialWave",
	stats.Region: "population medianIncome povertyRate unemploymentRate totalHousing vacantHousing equipements crimeRate finances" +
		" pib demography lifeExpectancy rankings climateAnomaly election politicalScore municipalWave presidentialWave",
}

// beyondContract are keys that we add after those of the contract.
var beyondContract = map[stats.Level]string{stats.Departement: "demography births populationChange",
	stats.Region:  "births securite populationTimeline populationChange",
	stats.Commune: "radon seisme catnat communeRisks schools nearestGare permits epci prices equipementTypes icpe pollutedSites qpv"}

// A customer finds every key of the contract at each level, once and
// in its order, and what we add after them.
func TestKeysAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	for level, keys := range contract {
		want := strings.Fields(keys + " " + beyondContract[level])
		if got := topic.Statistics().Keys(level); !slices.Equal(got, want) {
			t.Errorf("%s has the keys\n%s\nthe contract has\n%s", level, strings.Join(got, " "), strings.Join(want, " "))
		}
	}
}

// coveredBy says how many territories have each key, and of which years, when the files at hand are loaded.
// Of keys that are not here no file is at hand: they are null everywhere.
var coveredBy = map[stats.Level]map[string]string{
	stats.Commune: {
		"revenus": "31341 of 34875, 2019-2021", "population": "34875 of 34875, 2017-2023", "logement": "34862 of 34875, 2021-2025",
		"logementRP": "34843 of 34875, 2021-2021", "equipements": "34875 of 34875, 2024-2024", "emploi": "34858 of 34875, 2021-2021",
		"election": "34869 of 34875, 2017-2026", "maire": "34685 of 34875, 2022-2022",
		"radon": "34870 of 34875, 0-0", "schools": "16200 of 34875, 2022-2022", "nearestGare": "34380 of 34875, 0-0",
		"politicalScore": "34384 of 34875, 2017-2017", "rankings": "34875 of 34875, 2013-2023", "namedServices": "34380 of 34875, 2014-2014", "epci": "34871 of 34875, 2026-2026",
		"prices": "1 of 34875, 2022-2022", "equipementTypes": "34857 of 34875, 2013-2013", "icpe": "38 of 34875, 2023-2023",
		"pollutedSites": "356 of 34875, 2023-2023", "qpv": "823 of 34875, 2024-2024",
	},
	stats.Departement: {
		"population": "101 of 101, 2017-2023", "medianIncome": "98 of 101, 2019-2019",
		"totalHousing": "100 of 101, 2021-2021", "vacantHousing": "100 of 101, 2021-2021", "equipements": "101 of 101, 2013-2013",
		"crimeRate": "101 of 101, 2025-2025", "rankings": "101 of 101, 2025-2025", "populationTimeline": "101 of 101, 2017-2023",
		"revenus": "98 of 101, 2019-2019", "logement": "100 of 101, 2021-2021", "logementRP": "100 of 101, 2021-2021",
		"equipementsDetail": "101 of 101, 2024-2024", "emploi": "100 of 101, 2021-2021", "securite": "101 of 101, 2025-2025",
		"election": "101 of 101, 2026-2026", "politicalScore": "101 of 101, 2022-2024", "demography": "100 of 101, 2018-2018",
		"births": "101 of 101, 2022-2022", "populationChange": "100 of 101, 2023-2023",
	},
	stats.Region: {
		"population": "18 of 18, 2017-2023", "populationTimeline": "18 of 18, 2017-2023", "medianIncome": "15 of 18, 2019-2019", "totalHousing": "17 of 18, 2021-2021",
		"vacantHousing": "17 of 18, 2021-2021", "equipements": "18 of 18, 2013-2013", "crimeRate": "18 of 18, 2025-2025",
		"demography": "17 of 18, 2018-2018", "rankings": "18 of 18, 2025-2025", "election": "18 of 18, 2026-2026",
		"politicalScore": "18 of 18, 2022-2024", "births": "18 of 18, 2022-2022", "populationChange": "17 of 18, 2023-2023", "securite": "18 of 18, 2025-2025",
	},
}

// What the files at hand have is served of as many territories, and what no file has of none. With -v
// the tables are printed: key by level with coverage and years, and source with communes and periods.
func TestRealCoverage(t *testing.T) {
	realData(t)
	b := realSnapshot(t)
	var table strings.Builder
	for _, level := range []stats.Level{stats.Commune, stats.Departement, stats.Region} {
		for _, k := range b.Coverage(level) {
			got, want := fmt.Sprintf("%d of %d, %d-%d", k.Known, k.Of, k.From, k.To), coveredBy[level][k.Key]
			if k.Known == 0 {
				got = ""
			}
			fmt.Fprintf(&table, "%-12s %-19s %s\n", level, k.Key, got)
			if got != want {
				t.Errorf("%s %s: %q, expected %q", level, k.Key, got, want)
			}
		}
	}
	sources := b.Sources()
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		s := sources[name]
		fmt.Fprintf(&table, "%-46s %5d of %d communes, %s\n", name, s.Communes, s.Of, strings.Join(s.Periods, " "))
	}
	t.Log("\n" + table.String())
}

// statesOf are the states of the keys of a territory with their values, as answers have them.
func statesOf(t testing.TB, body stats.Body) (states map[string]state.KeyState, values map[string]json.RawMessage) {
	t.Helper()
	var answer struct {
		Stats  map[string]json.RawMessage
		States map[string]state.KeyState
	}
	testkit.NoError(t, json.Unmarshal([]byte(`{"stats":`+string(body.Append(nil))+`}`), &answer))
	delete(answer.Stats, "sources")
	return answer.States, answer.Stats
}

// describing are the members of a block that say what its figures are, and are none.
var describing = []string{"source", "year", "coverage", "status", "seriesBreaks", "definition"}

func known(value gjson.Result) (found bool) {
	if !value.IsObject() && !value.IsArray() {
		return value.Type != gjson.Null
	}
	value.ForEach(func(name, member gjson.Result) bool {
		found = !slices.Contains(describing, name.Str) && known(member)
		return !found
	})
	return found
}

// nullIn reports whether a member of a value is null, of a list in all its items.
func nullIn(value gjson.Result, path []string) bool {
	switch {
	case value.IsArray():
		return !slices.ContainsFunc(value.Array(), func(one gjson.Result) bool { return !nullIn(one, path) })
	case len(path) == 0:
		return value.Raw == "null"
	default:
		return nullIn(value.Get(path[0]), path[1:])
	}
}

// checkStates fails for a key without a state, and for a state that contradicts the value or says too little.
func checkStates(t testing.TB, what string, states map[string]state.KeyState, values map[string]json.RawMessage) {
	t.Helper()
	for key := range values {
		if number, ok := strings.CutSuffix(key, stats.YearSuffix); ok && values[number] != nil {
			delete(values, key) // it is null with its number
			continue
		}
		if _, ok := states[key]; !ok {
			t.Fatalf("%s: %s has no state", what, key)
		}
	}
	for key, s := range states {
		if key, part, ok := strings.Cut(key, "."); ok { // it is null, in a value
			if states[key].State != state.Value || !nullIn(gjson.ParseBytes(values[key]), strings.Split(part, ".")) || s.State == state.Value {
				t.Errorf("%s %s.%s: %+v of %s", what, key, part, s, values[key])
			}
			values[key+"."+part] = json.RawMessage("null")
		}
	}
	if got, want := slices.Sorted(maps.Keys(states)), slices.Sorted(maps.Keys(values)); !slices.Equal(got, want) {
		t.Fatalf("%s: states of %v, values of %v", what, got, want)
	}
	for key, s := range states {
		null, empty := !known(gjson.ParseBytes(values[key])), string(values[key]) == "[]"
		switch s.State {
		case state.Value:
			isOlder := strings.HasPrefix(s.Reason, "It is of a year before ") // than the commune of today
			isPart := strings.HasPrefix(s.Reason, state.YearsLoaded)          // of a series
			if null || empty || s.Reason != "" && !isOlder && !isPart || s.Source != "" {
				t.Errorf("%s %s: %+v of %s", what, key, s, values[key])
			}
		case state.None, state.NotLoaded, state.NotCovered, state.Secret, state.NotApplicable:
			if !null || empty && s.State != state.None || s.Reason == "" || (s.Source != "") != (s.State == state.NotLoaded) {
				t.Errorf("%s %s: %+v of %s", what, key, s, values[key])
			}
		default:
			t.Errorf("%s %s: %+v is no state", what, key, s)
		}
	}
}

// Of each territory of the real files, each key has a state that its value bears out; in make test of 1 000
// communes, and in make soak of all.
// With -v the table of key by state is printed.
func TestRealStates(t *testing.T) {
	d := realData(t)
	served := realSnapshot(t)
	step := max(1, len(d.Communes)/testkit.Rounds(1000, len(d.Communes)))
	var table strings.Builder
	for _, level := range []stats.Level{stats.Commune, stats.Departement, stats.Region} {
		counts := map[string]map[string]int{}
		of := map[stats.Level][]*stats.Territory{stats.Commune: d.Communes, stats.Departement: d.Departements, stats.Region: d.Regions}
		for i, one := range of[level] {
			if level == stats.Commune && i%step != 0 {
				continue
			}
			body, _ := served.Of(level, one.Code)
			states, values := statesOf(t, body)
			checkStates(t, string(level)+" "+one.Code, states, values)
			for key, s := range states {
				if counts[key] == nil {
					counts[key] = map[string]int{}
				}
				counts[key][string(s.State)]++
				if s.State != state.Value {
					counts[key]["  "+s.Reason+s.Source]++
				}
			}
		}
		for _, key := range topic.Statistics().Keys(level) {
			fmt.Fprintf(&table, "%-12s %-19s %v\n", level, key, counts[key])
		}
	}
	t.Log("\n" + table.String())
}

// states are those of the keys of a territory.
func (b *fixture) states(level stats.Level, code string) map[string]state.KeyState {
	b.t.Helper()
	body, there := snapshotOf(b.t, b.read()).Of(level, code)
	if !there {
		b.t.Fatalf("there is no %s %s", level, code)
	}
	all, values := statesOf(b.t, body)
	checkStates(b.t, string(level)+" "+code, all, values)
	return all
}

// wantsVintage fails unless a key has a value, of the edition; "" is none.
func (b *fixture) wantsVintage(level stats.Level, code, key, want string) {
	b.t.Helper()
	got := ""
	s := b.states(level, code)[key]
	if s.Vintage != nil {
		got = *s.Vintage
	}
	if s.State != state.Value || got != want {
		b.t.Errorf("%s of %s %s: %s of %q, expected a value of %q", key, level, code, s.State, got, want)
	}
}

// The vintage of a value is that of the files that it is from: another file of the same key, older or newer,
// that the territory has something of does not date it.
func TestVintageIsThatOfTheValue(t *testing.T) {
	b := newFixture(t)
	b.load("safety-departements", "ssmsi/donnee-dep-2023.csv", oldHeader+oldLines(`"2A";"94"`))
	b.load("safety-regions", "ssmsi/donnee-reg-2022.csv", oldRegion+strings.ReplaceAll(regionLines(), `"23"`, `"22"`))
	b.wantsVintage(stats.Region, "94", "crimeRate", "2023-12-31")

	// Populations of 2023 are no part of death rates up to 2018.
	b.load("population-reference", legalFile, legalLines)
	b.load("rp-evolution-region", "insee-rp-evolution/insee_rp_evol_1968_region_2018.csv", "\ufeffcodgeo;libgeo;an;tx_morta\n94;Corse;2013-2018;9,40\n")
	b.wantsVintage(stats.Region, "94", "demography", "2018")
	b.wantsVintage(stats.Region, "94", "population", "2023")

	// A station is no part of the list of hospitals, which is of another département.
	b.load("finess-hospitals", "hopitaux-75_2014.geojson", `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"finess_et":"750100000",
		"raison_sociale":"Hôpital","num_cat":"101","num_dept":"75"},"geometry":{"type":"Point","coordinates":[2.35,48.85]}}]}`)
	b.load("railway-stations", "sncf/gares-de-voyageurs.csv", bondyStations)
	b.wantsVintage(stats.Commune, "93010", "namedServices", "")
}

// The rates of the zone d'emploi name their source and quarter themselves: they do not date the census next
// to them. Where a zone has none, the part that is null has its state.
func TestVintageOfActivityIsThatOfTheCensus(t *testing.T) {
	b := newFixture(t)
	lines := comparatorHeader +
		"93010,11,93,Bondy,Bondy,93140,COM,,,,5.47,53000,52000,20000,900,350,34000,4000,25000\n" +
		"97411,04,974,Saint-Denis,Saint-Denis,97400,COM,,,,9,150000,147000,60000,2321,1179,100000,19000,69000\n"
	b.load("comparateur-emploi", comparatorFile, lines)
	b.load("chomage-zones", zonesFile, zones)
	b.load("zones-emploi", zonesFile, zones)
	b.wantsVintage(stats.Commune, "93010", "emploi", "2021")
	b.wantsVintage(stats.Commune, "97411", "emploi", "2021")
	if s, there := b.states(stats.Commune, "93010")["emploi.employmentZone"]; there {
		t.Errorf("the zone of Bondy has a rate and the state %+v", s)
	}
	zone := b.states(stats.Commune, "97411")["emploi.employmentZone"]
	if zone.State != state.NotCovered || zone.Reason != "The loaded files list this place without it." || zone.Vintage == nil || *zone.Vintage != "2022" {
		t.Errorf("the zone of Saint-Denis has no rate and the state %+v", zone)
	}
}
