package stats_test

import (
	"cmp"
	"math"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic/employment"
	"arpent/internal/opendata/topic/income"
)

// reading is a figure read by hand in a file: what the block of a territory has to have.
type reading struct {
	level           stats.Level
	code, key, want string
}

func checkReadings(t *testing.T, d *stats.Data, all ...reading) {
	t.Helper()
	for _, f := range all {
		hasParts(t, f.key+" of "+f.code, blockOf(t, d, f.level, f.code, f.key), f.want)
	}
}

// Figures read by hand in the files: what stands there is what a customer gets.
func TestRealPopulation(t *testing.T) {
	d := realData(t)
	const c, dep, reg = stats.Commune, stats.Departement, stats.Region
	checkReadings(
		t, d,
		// donnees_communes.csv, columns PMUN and PTOT: lines 29219 to 29238 (Paris), 27207 to 27215 (Lyon),
		// 4404 to 4419 (Marseille) added up.
		reading{c, "75056", "population", `"year":2023,"municipal":2103778,"total":2119412}`},
		reading{c, "69123", "population", `"year":2023,"municipal":519127,"total":525314}`},
		reading{c, "13055", "population", `"year":2023,"municipal":886040,"total":892391}`},
		// Lines 10531 (Ajaccio), 34888 (Saint-Denis of La Réunion), 17554 (Orée d'Anjou), 160 (Haut Valromey).
		reading{c, "2A004", "population", `"year":2023,"municipal":76320,"total":77132}`},
		reading{c, "97411", "population", `"year":2023,"municipal":155634,"total":157142}`},
		reading{c, "49126", "population", `"year":2023,"municipal":17162,"total":17527}`},
		reading{c, "01187", "population", `"year":2023,"municipal":801,"total":821}`},
		// donnees_communes_mayotte.csv, line 2: the census of 2017.
		reading{c, "97601", "population", `"year":2017,"municipal":5192,"total":5384}`},
		// population2019.xls, sheet Communes, column Population municipale, rows 27415 to 27423 (Lyon), 6674
		// (Ajaccio), 17858 (Orée d'Anjou, whose code was 49069), 172 and 297 (Haut Valromey and Ruffieu,
		// which it took in 2025: 695 and 184). communes_comparateur_2021.csv, columns population_2015 and
		// population_2021, lines 10940 (Ajaccio), 18179, 172 and 296 (693 and 182; 609 and 177).
		reading{c, "69123", "population", `"timeline":[{"year":2015,"population":513275},{"year":2016,"population":515695},{"year":2021,"population":522250},{"year":2023,"population":519127}]`},
		reading{c, "2A004", "population", `"timeline":[{"year":2015,"population":68462},{"year":2016,"population":69075},{"year":2021,"population":73822},{"year":2023,"population":76320}],"growthPeriod":"2016-2023","growthPctPerYear":1.44`},
		reading{c, "49126", "population", `"timeline":[{"year":2015,"population":16244},{"year":2016,"population":16324},{"year":2021,"population":16709},{"year":2023,"population":17162}]`},
		reading{c, "01187", "population", `"timeline":[{"year":2015,"population":875},{"year":2016,"population":879},{"year":2021,"population":786},{"year":2023,"population":801}]`},
		// Same file, naissances_2022 and deces_2022: lines 36166 (Saint-Denis, three postal codes), 172 and
		// 296 (9 and 1, 6 and 0), and the arrondissements of Marseille.
		reading{c, "97411", "population", `"births":[{"year":2022,"births":2321,"deaths":1179,"balance":1142}]`},
		reading{c, "01187", "population", `"births":[{"year":2022,"births":10,"deaths":6,"balance":4}]`},
		reading{c, "13055", "population", `"births":[{"year":2022,"births":11938,"deaths":8121,"balance":3817}]`},
		// Taken apart in 2025 and in 2024: 1 653 inhabitants in 2021 were of what it
		// was; the 96 births of line 33810 are.
		reading{c, "15141", "population", `"timeline":[{"year":2023,"population":824}]`},
		reading{c, "85084", "population", `"timeline":[{"year":2015,"population":6254},{"year":2021,"population":6807},{"year":2023,"population":6851}],"growthPeriod":"2015-2023","growthPctPerYear":1.15,"naturalPctPerYear":null,"migratoryPctPerYear":null,"change":{"periodStart":2015,"periodEnd":2023,"number":597,"percent":9.55},"births":[]`},
		reading{c, "85165", "population", `"births":[]`},
		// population2019.xls, sheet Départements, row of Cantal; its inhabitants of what was taken apart are in it.
		reading{dep, "15", "populationTimeline", `{"year":2016,"population":145969}`},
		reading{dep, "75", "population", `2103778`},
		reading{reg, "06", "population", `256518`},
		// insee_rp_evol_1968_region_2018.csv, lines 61 (Île-de-France), 181 (Corse), 7 and 11
		// (Guadeloupe: 1999-2008 and 2013-2018).
		reading{reg, "11", "demography", `"periodStart":2013,"periodEnd":2018,"naturalBalance":null,"migratoryBalance":null,"naturalPctPerYear":null,"migratoryPctPerYear":null,"meanPopulation":null,"birthRatePer1000":null,"deathRatePer1000":6.1}]`},
		reading{reg, "94", "demography", `"birthRatePer1000":null,"deathRatePer1000":9.4}]`},
		reading{reg, "01", "demography", `{"periodStart":1999,"periodEnd":2008,"naturalBalance":null,"migratoryBalance":null,"naturalPctPerYear":null,"migratoryPctPerYear":null,"meanPopulation":null,"birthRatePer1000":null,"deathRatePer1000":6.6}`},
		// insee_rp_evol_1968_departement_2018.csv, lines 752 and 761 (Paris), 287 (Corse-du-Sud), 701
		// (Rhône), 1001 (La Réunion), 1002 to 1011.
		reading{dep, "75", "demography", `[{"periodStart":1968,"periodEnd":1975,"naturalBalance":null,"migratoryBalance":null,"naturalPctPerYear":null,"migratoryPctPerYear":null,"meanPopulation":null,"birthRatePer1000":null,"deathRatePer1000":11.4}`},
		reading{dep, "75", "demography", `"birthRatePer1000":null,"deathRatePer1000":6.3}]`},
		reading{dep, "2A", "demography", `{"periodStart":1999,"periodEnd":2008,"naturalBalance":null,"migratoryBalance":null,"naturalPctPerYear":null,"migratoryPctPerYear":null,"meanPopulation":null,"birthRatePer1000":null,"deathRatePer1000":9.9}`},
		reading{dep, "69", "demography", `"deathRatePer1000":6.9}]`}, reading{dep, "974", "demography", `"deathRatePer1000":5.3}]`}, reading{dep, "976", "demography", "null"},
		// Of 2015, 2016, 2021 and 2023 the newest and the newest five years older: donnees_communes.csv and
		// population2019.xls, Paris (2 190 327).
		reading{c, "75056", "population", `"growthPeriod":"2016-2023"`},
	)
	if got := blockOf(t, d, reg, "01", "demography"); strings.Contains(got, "2007") || strings.Contains(got, "2012") {
		t.Errorf("periods overlap: %s", got)
	}
}

// Every inhabitant is counted once: the sums of the files, in which
// the three cities are there by arrondissement.
func TestRealPopulationAddsUp(t *testing.T) {
	d := realData(t)
	sum := func(of []*stats.Territory, period string) (total float64) {
		for _, c := range of {
			if v := c.At(source.PopulationMunicipal, period).Value; v != nil {
				total += *v
			}
		}
		return total
	}
	for _, tc := range []struct {
		what string
		of   []*stats.Territory
		year string
		want float64
	}{
		{"communes", d.Communes, "2023", 68094280}, {"départements", d.Departements, "2023", 68094280}, {"régions", d.Regions, "2023", 68094280},
		{"communes of Mayotte", d.Communes, "2017", 256518}, {"régions", d.Regions, "2017", 256518},
		// Those of communes that were taken apart since are in no commune.
		{"départements", d.Departements, "2016", 66361658}, {"régions", d.Regions, "2016", 66361658},
		{"régions", d.Regions, "2021", 67406310}, {"régions", d.Regions, "2015", 66188501},
	} {
		if got := sum(tc.of, tc.year); got != tc.want {
			t.Errorf("the %s have %.0f inhabitants in %s; the files %.0f", tc.what, got, tc.year, tc.want)
		}
	}
	if got := d.Nation.At(source.PopulationMunicipal, "2023").Value; got == nil || *got != 68094280 {
		t.Errorf("the nation has %v", got)
	}
	latest := 0.0
	for _, c := range d.Communes {
		if v := c.Latest(source.PopulationMunicipal).Value; v != nil {
			latest += *v
		}
	}
	if latest != 68094280+256518 {
		t.Errorf("the newest populations are %.0f", latest)
	}
}

func TestRealIncome(t *testing.T) {
	d := realData(t)
	const c, dep, reg = stats.Commune, stats.Departement, stats.Region
	checkReadings(
		t, d,
		// cc_filosofi_2021_COM.csv, columns MED21, TP6021, D121, D921, RD21, PIMP21: lines
		// 29271 (Paris), 27100 (Lyon), 4344 (Marseille), 10554 (Ajaccio), 34897 (Saint-Denis of
		// La Réunion), 17568 (Orée d'Anjou).
		reading{c, "75056", "revenus", `"year":2021,"medianIncome":29730,"povertyRate":16,"d1":11240,"d9":71610,"interdecileRatio":6.4,"gini":null,"taxedHouseholdsPct":69`},
		reading{c, "69123", "revenus", `"medianIncome":25430,"povertyRate":16,"d1":11720,"d9":49320,"interdecileRatio":4.2`},
		reading{c, "13055", "revenus", `"medianIncome":20600,"povertyRate":26,"d1":9630,"d9":39780,"interdecileRatio":4.1`},
		reading{c, "2A004", "revenus", `"medianIncome":23320,"povertyRate":16,"d1":11990,"d9":42150,"interdecileRatio":3.5`},
		reading{c, "97411", "revenus", `"medianIncome":18270,"povertyRate":33,"d1":9060,"d9":42220,"interdecileRatio":4.7`},
		reading{c, "49126", "revenus", `"medianIncome":22910,"povertyRate":7,"d1":15090,"d9":34290,"interdecileRatio":2.3`},
		// Line 2: all but the median is secret. FILO2019_DISP_COM.csv, line 2, column Q219.
		reading{c, "01001", "revenus", `"medianIncome":25820,"povertyRate":null,"d1":null,"d9":null,"interdecileRatio":null,"gini":null,"taxedHouseholdsPct":null,"socialBenefitsPct":null,"socialMinimaPct":null,"status":"partial","timeline":[{"year":2019,"medianIncome":23970`},
		// Line 18: the median too.
		reading{c, "01019", "revenus", `"year":2021,"medianIncome":null`}, reading{c, "01019", "revenus", `"status":"secret","timeline":[]`},
		// Merged in 2025: lines 160 and 279 have a median each. Taken apart in 2024: line 32672 has that
		// of before. Not available: line 3105.
		reading{c, "01187", "revenus", "null"}, reading{c, "85084", "revenus", "null"}, reading{c, "09304", "revenus", "null"},
		reading{c, "97601", "revenus", "null"},
		// FILO2019_DISP_COM.csv, line 26058, columns Q219 and RD.
		reading{c, "75056", "revenus", `"timeline":[{"year":2019,"medianIncome":28570,"povertyRate":null,"interdecileRatio":6.3,"d1":10900,"d9":68870,"gini":0.438,`},
		// FILO2019_DISP_DEP.csv, lines 30 (Corse-du-Sud), 71 (Rhône), 98 (Martinique): Q219, D119, D919, RD, GI19.
		reading{dep, "2A", "revenus", `{"year":2019,"medianIncome":21900,"povertyRate":null,"interdecileRatio":3.5,"d1":11210,"d9":39480,"gini":0.298,`},
		reading{dep, "69", "revenus", `{"year":2019,"medianIncome":23190,"povertyRate":null,"interdecileRatio":3.7,"d1":11670,"d9":43110,"gini":0.305,`},
		reading{dep, "972", "revenus", `"year":2019,"medianIncome":18570,"povertyRate":null`}, reading{dep, "972", "povertyRate", "null"},
		reading{dep, "972", "medianIncome", "18570"},
		// FILO2014_DISP_DEP.csv, line 2 (Ain): Q214 is 21699,6. FILO2014 and FILO2019_DISP_REG.csv,
		// line 16 (Corse): 18926,7 and 20950.
		reading{dep, "01", "revenus", `"timeline":[{"year":2014,"medianIncome":21700,"povertyRate":null,"interdecileRatio":3.4,`},
		reading{reg, "94", "medianIncome", "20950"},
		reading{dep, "971", "medianIncome", "null"}, reading{dep, "976", "revenus", "null"}, reading{reg, "11", "povertyRate", "null"},
	)
	if got := *d.Find(reg, "94").At(income.IncomeMedian, "2014").Value; got != 18926.7 {
		t.Errorf("the median of Corse in 2014 is %g", got)
	}
	// TP6021 is s: the answer on the commune says so, of the rate or of all that it has. What became of
	// communes that merged or were split has no median either.
	withheld := 0
	for _, commune := range d.Communes {
		median := commune.At(income.IncomeMedian, "2021").Status
		if commune.At(income.IncomePovertyRate, "2021").Status != stats.StatusSecret || median == "merged" || median == "split" {
			continue
		}
		body, _ := realSnapshot(t).Of(c, commune.Code)
		states, _ := statesOf(t, body)
		if withheld++; cmp.Or(states["revenus.povertyRate"], states["revenus"]).State != state.Secret {
			t.Errorf("the rate of %s is withheld: %+v, %+v", commune.Code, states["revenus.povertyRate"], states["revenus"])
		}
	}
	if withheld < 30000 {
		t.Errorf("%d rates are withheld", withheld)
	}
	// MED21 of cc_filosofi_2021_COM.csv is a number 31 304 times, 45 of them of arrondissements.
	medians := 0
	for _, commune := range d.Communes {
		if f := commune.At(income.IncomeMedian, "2021"); f.Value != nil && !strings.Contains(f.From.Label(), "dérivé") {
			medians++
		}
	}
	if medians < 31000 || medians > 31304-45 {
		t.Errorf("%d communes have a median", medians)
	}
}

// What the server has of a city is never called not loaded for its arrondissements, which the files may not
// have.
func TestRealArrondissementsAreNotCalledNotLoaded(t *testing.T) {
	realData(t)
	for code, city := range map[string]string{"75118": "75056", "69381": "69123", "13201": "13055"} {
		of, _ := realSnapshot(t).Of(stats.Arrondissement, code)
		whole, _ := realSnapshot(t).Of(stats.Commune, city)
		states, _ := statesOf(t, of)
		values := gjson.ParseBytes(whole.Append(nil))
		for key, s := range states {
			if s.State == state.NotLoaded && known(values.Get(key)) {
				t.Errorf("%s of %s is called not loaded; %s has it", key, code, city)
			}
		}
		for _, key := range []string{"logementRP.socialHousing", "emploi.employmentZone"} {
			if s := states[key]; s.State != state.NotCovered || !strings.Contains(s.Reason, "whole city") {
				t.Errorf("%s of %s has the state %+v", key, code, s)
			}
		}
	}
}

func TestRealEmployment(t *testing.T) {
	d := realData(t)
	const c, dep = stats.Commune, stats.Departement
	checkReadings(
		t, d,
		// communes_comparateur_2021.csv, columns pop_15_64_totale_2021, active and chomage: the
		// arrondissements of Paris, Lyon and Marseille added up.
		reading{c, "75056", "emploi", `"year":2021,"population1564":1482122,"active1564":1160074,"employed1564":1035408,"unemployed1564":124666,"activityRatePct":78.27,"employmentRatePct":69.86,"censusUnemploymentRatePct":10.75`},
		reading{c, "69123", "emploi", `"population1564":365818,"active1564":271380,"employed1564":240244,"unemployed1564":31136`},
		reading{c, "13055", "emploi", `"population1564":547952,"active1564":368387,"employed1564":314181,"unemployed1564":54206`},
		// Lines 10940 (Ajaccio), 36166 (Saint-Denis), 18179 (Orée d'Anjou), 172
		// and 296 (Haut Valromey and Ruffieu).
		reading{c, "2A004", "emploi", `"population1564":43404,"active1564":32950,"employed1564":30215,"unemployed1564":2735`},
		reading{c, "97411", "emploi", `"population1564":100638,"active1564":69638,"employed1564":50341,"unemployed1564":19297`},
		reading{c, "49126", "emploi", `"population1564":10396,"active1564":8530,"employed1564":7933,"unemployed1564":597`},
		reading{c, "01187", "emploi", `"population1564":473,"active1564":360,"employed1564":330,"unemployed1564":30`},
		// Line 33810 has the 5 884 of before Essarts-en-Bocage was taken apart; L'Oie, line
		// 33892, has zeros. Mayotte has zeros too.
		reading{c, "85084", "emploi", `"population1564":null,"active1564":null`},
		reading{c, "85165", "emploi", `"population1564":null,"active1564":null`},
		reading{c, "97601", "emploi", `null`},
		// chomage_zones_emploi_2021-2025.json: zones 9401, 0403, 8421, first and last quarter.
		reading{c, "2A004", "emploi", `"employmentZone":{"code":"9401","name":"Ajaccio","unemploymentRatePct":5.8,"quarter":"2025-T4"`},
		reading{c, "97411", "emploi", `"employmentZone":{"code":"0403","name":"Le Nord","unemploymentRatePct":14,"quarter":"2025-T4"`},
		reading{c, "69123", "emploi", `"unemploymentRatePct":7.2,"quarter":"2025-T4","source":"INSEE, Taux de chômage localisés, zones d'emploi (dérivé par bpineau/gazetteer)","timeline":[{"quarter":"2021-T1","ratePct":7.4}`},
		reading{dep, "75", "emploi", `"censusUnemploymentRatePct":10.75,"jobsAtWorkplace":null,"employmentZone":null`},
		reading{dep, "976", "emploi", `null`},
		reading{dep, "75", "unemploymentRate", `null`},
	)
	// The sums of the file without Mayotte, each commune once.
	for measure, want := range map[string]float64{
		employment.EmploymentPopulation: 41717308, employment.EmploymentActive: 31162282, employment.EmploymentUnemployed: 3764824,
	} {
		sum := 0.0
		for _, r := range d.Regions {
			if v := r.At(measure, "2021").Value; v != nil {
				sum += *v
			}
		}
		if math.Abs(sum-want) > 0.5 {
			t.Errorf("%s adds up to %.0f, the file to %.0f", measure, sum, want)
		}
	}
	zones := 0
	for _, commune := range d.Communes {
		if strings.Contains(blockOf(t, d, stats.Commune, commune.Code, "emploi"), `"quarter":"2025-T4"`) {
			zones++
		}
	}
	if zones < 34800 {
		t.Errorf("%d communes have the rate of a zone", zones)
	}
}
