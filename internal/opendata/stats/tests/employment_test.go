package stats_test

import (
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

const (
	zonesFile = "insee-chomage/chomage_zones_emploi_2021-2022.json"
	zones     = `{"meta":{"national_rate_pct":7.8},"quarters":["2021-T4","2022-T1"],"national_rate_pct_series":[8.2,7.8],
"zes":{"1109":{"label":"Paris","rate_pct":[7.9,7.55]},"9401":{"label":"Ajaccio","rate_pct":[5.8,null]}},
"communes":{"93010":"1109","75056":"1109","2A247":"9401","97411":"0601","91001":"1109","91999":"9401"}}`
)

// Activity is that of the census, with its own rate; the rate of the zone d'emploi is next to it under its
// name. A city is the sum of its arrondissements, and a département that of its communes.
func TestEmployment(t *testing.T) {
	b := newFixture(t)
	lines := comparatorHeader +
		"93010,11,93,Bondy,Bondy,93140,COM,,,,5.47,53000,52000,20000,900,350,34000,4000,25000\n" +
		"93010,11,93,Bondy,Bondy,93141,COM,,,,5.47,53000,52000,20000,900,350,34000,4000,25000\n" +
		"75101,11,75,Paris,Paris 1er,75001,ARM,75056,,,1,16000,17000,9000,100,80,11000,900,9000\n" +
		"75118,11,75,Paris,Paris 18e,75018,ARM,75056,,,6,190000,197000,99000,2600,1100,138000,12000,110000\n" +
		"15141,84,15,Neussargues,Neussargues,15170,COM,,,,92,1653,1871,822,9,25,918,42,698\n" +
		"2A247,94,2A,Hameau,Hameau,20137,COM,,,,9,3,9,2,0,0,0,0,0\n"
	b.load("comparateur-emploi", comparatorFile, lines)
	b.load("chomage-zones", zonesFile, zones)
	b.load("zones-emploi", zonesFile, zones)
	const from = `"source":"INSEE, Comparateur de territoires, activité des 15 à 64 ans (dérivé par datas.fun)","year":2021`
	const zone = `"employmentZone":{"code":"1109","name":"Paris","unemploymentRatePct":7.6,"quarter":"2022-T1",
		"source":"INSEE, Taux de chômage localisés, zones d'emploi (dérivé par bpineau/gazetteer)",
		"timeline":[{"quarter":"2021-T4","ratePct":7.9},{"quarter":"2022-T1","ratePct":7.6}]}`
	b.wants(stats.Commune, "93010", "emploi", `{`+from+`,"population1564":34000,"active1564":25000,"employed1564":21000,"unemployed1564":4000,
		"activityRatePct":73.53,"employmentRatePct":61.76,"censusUnemploymentRatePct":16,"jobsAtWorkplace":null,`+zone+`}`)
	b.wants(stats.Commune, "75056", "emploi", `{`+from+`,"population1564":149000,"active1564":119000,"employed1564":106100,"unemployed1564":12900,
		"activityRatePct":79.87,"employmentRatePct":71.21,"censusUnemploymentRatePct":10.84,"jobsAtWorkplace":null,`+zone+`}`)
	b.wants(stats.Departement, "75", "emploi", `{`+from+`,"population1564":149000,"active1564":119000,"employed1564":106100,"unemployed1564":12900,
		"activityRatePct":79.87,"employmentRatePct":71.21,"censusUnemploymentRatePct":10.84,"jobsAtWorkplace":null,"employmentZone":null}`)
	// The zone is that of the city. A source that is not loaded does not make it unknown.
	if s := b.states(stats.Arrondissement, "75118")["emploi.employmentZone"]; s.State != state.NotCovered ||
		!strings.HasPrefix(s.Reason, "It is served for the whole city alone") {
		t.Errorf("the zone of an arrondissement has the state %+v", s)
	}
	// Zero persons of working age is a number; a rate of zero persons is null.
	b.hasParts(stats.Commune, "2A247", "emploi", `"population1564":0,"active1564":0,"employed1564":0,"unemployed1564":0,"activityRatePct":null,"employmentRatePct":null,"censusUnemploymentRatePct":null`,
		`"unemploymentRatePct":5.8,"quarter":"2021-T4"`)
	// Split since; no zone: neither name nor rate; two zones.
	for _, code := range []string{"15141", "97411", "91001"} {
		b.wants(stats.Commune, code, "emploi", "null")
	}
	// The census is never taken for the localised rate.
	b.wants(stats.Departement, "75", "unemploymentRate", "null")
	b.refuses("comparateur-emploi", comparatorFile, strings.Replace(lines, "64_chomage_2021,pop_15_64_active_2021", "64_active_2021,pop_15_64_chomage_2021", 1), "emploi", "are active and", anyNumber)
	b.refuses("comparateur-emploi", comparatorFile, "insee_com,population_2021\n93010,1\n", "emploi", "it has no column of figures", anyNumber)
	for reason, content := range map[string]string{
		"has 1 rates for 2 quarters": strings.Replace(zones, "[7.9,7.55]", "[7.9]", 1),
		"its name says 2021 to 2022": strings.ReplaceAll(zones, "202", "201"),
		"a rate of 79 %":             strings.Replace(zones, "7.9", "79", 1),
		"has no name":                strings.Replace(zones, `"label":"Paris",`, "", 1),
		"the file is cut off":        zones[:300],
		"no row that can be loaded":  `{"communes":{}}`,
	} {
		b.refuses("chomage-zones", zonesFile, content, "emploi", reason, nil)
	}
}

// INSEE's own files come before the copy.
func TestZonesOfINSEE(t *testing.T) {
	b := newFixture(t)
	b.load("chomage-zones", zonesFile, zones)
	b.load("zones-emploi", zonesFile, zones)
	workbook := loadkit.Workbook(t, []string{"Lisez-moi", "txcho_ze"}, []string{"x"}, []string{"Taux de chômage localisés", "En %",
		"ZE2020;LIBZE2020;REG;LIBREG;2021-T4;2022-T1;2022-T2", "1109;Paris (officiel);11;IDF;7.9;7.5;7.3", "0403;Le Nord;04;La Réunion;14.4;14.1;14"})
	b.load("chomage-zones-insee", "insee/chomage-zone-t1-2003-t2-2022.xlsx", workbook)
	b.load("zones-emploi-noms", "insee/chomage-zone-t1-2003-t2-2022.xlsx", workbook)
	b.load("zones-emploi-communes", "insee/table-appartenance-geo-communes-2025.xlsx", loadkit.Workbook(t, []string{"COM", "ARM"}, []string{"Table d'appartenance", "",
		"Code géographique;Zone d'emploi", "CODGEO;ZE2020", "97411;0403"}, []string{"x"}))
	for code, want := range map[string]string{
		"93010": `"employmentZone":{"code":"1109","name":"Paris (officiel)","unemploymentRatePct":7.3,"quarter":"2022-T2","source":"INSEE, Taux de chômage localisés, zones d'emploi","timeline":[{"quarter":"2021-T4","ratePct":7.9},{"quarter":"2022-T1","ratePct":7.5},{"quarter":"2022-T2","ratePct":7.3}]`,
		"97411": `{"source":"INSEE, Taux de chômage localisés, zones d'emploi","year":null,"population1564":null,`,
	} {
		b.hasParts(stats.Commune, code, "emploi", want)
	}
	if s := b.states(stats.Commune, "97411")["emploi.jobsAtWorkplace"]; s.State != state.NotLoaded || !strings.HasPrefix(s.Source, "rp-emploi") {
		t.Errorf("why the jobs of a commune are null: %+v", s)
	}
	b.refuses("chomage-zones-insee", "insee/chomage-zone-t1-2003-t2-2022.xlsx", strings.Replace(zones, "x", "y", 1), "emploi", "it is not a spreadsheet", anyNumber)
}

// Départements and régions have the localised rate of the newest quarter.
func TestUnemploymentRate(t *testing.T) {
	b := newFixture(t)
	workbook := func(last string) string {
		return loadkit.Workbook(t, []string{"Lisez-moi", "France", "Région", "Département"}, []string{"x"}, []string{"x"},
			[]string{"Taux de chômage localisés par région", "", "", "Code;Libellé;T1_1982;T3_2025;" + last, "11;Île-de-France;6.1;7.2;7.3", "94;Corse;8;6.4;6.5", "4;La Réunion;;16.5;"},
			[]string{"Taux de chômage localisés par département", "", "", "Code;Libellé;T1_1982;T3_2025;" + last, "75;Paris;6.5;5.9;6", "2A;Corse-du-Sud;7;6.1;6.2"})
	}
	const file = "insee/sl_etc_2025T4.xls"
	b.load("chomage-regions", file, workbook("T4_2025"))
	b.load("chomage-departements", file, workbook("T4_2025"))
	b.wants(stats.Region, "11", "unemploymentRate", "7.3")
	b.wants(stats.Region, "04", "unemploymentRate", "16.5")
	b.wants(stats.Departement, "2A", "unemploymentRate", "6.2")
	b.wants(stats.Departement, "93", "unemploymentRate", "null")
	b.wants(stats.Region, "11", "sources", `{"unemploymentRate":{"source":"INSEE, Taux de chômage localisés, régions","year":2025}}`)
	b.write(file, workbook("T1_2026"))
	if _, err := b.try("chomage-regions", anyNumber); err == nil || !strings.Contains(err.Error(), "its newest quarter is 2026-T1, its name says 2025T4") {
		t.Errorf("a workbook of another quarter is refused with %v", err)
	}
	b.wants(stats.Region, "11", "unemploymentRate", "7.3")
}

// The table of the census has several censuses next to each other, and the three cities as well as
// their arrondissements: no person is counted twice.
func TestEmploymentOfTheCensus(t *testing.T) {
	b := newFixture(t)
	const file, header = "insee/base-cc-emploi-pop-active-2021.CSV", "CODGEO;P21_POP1564;P21_ACT1564;P21_ACTOCC1564;P21_CHOM1564;P21_EMPLT;P16_POP1564;P16_ACT1564;P16_CHOM1564;C21_ACT1564\n"
	const lines = header + "93010;34000.4;25000.4;21000.3;4000.1;15900.2;33000;24000;4100;1\n75056;1482000;1160000;1035000;125000;1800000;1500000;1170000;130000;1\n" +
		"75101;11000;9000;8100;900;60000;s;s;s;1\n91001;100;80;70;10;20;s;s;s;1\n91999;50;40;35;5;3;20;10;1;1\n"
	b.load("rp-emploi", file, lines)
	b.wants(stats.Commune, "93010", "emploi", `{"source":"INSEE, Recensement, emploi et population active","year":2021,"population1564":34000,"active1564":25000,"employed1564":21000,
		"unemployed1564":4000,"activityRatePct":73.53,"employmentRatePct":61.76,"censusUnemploymentRatePct":16,"jobsAtWorkplace":15900,"employmentZone":null}`)
	for code, want := range map[string]string{"75": `"population1564":1482000,"active1564":1160000`, "91": `"population1564":150,"active1564":120`} {
		b.hasParts(stats.Departement, code, "emploi", want)
	}
	b.refuses("rp-emploi", file, strings.ReplaceAll(lines, "P21", "P22"), "emploi", "its name says 2021", anyNumber)
	const long, longHeader = "insee/DS_RP_EMPLOI_LR_PRINC_2023_data.csv", "GEO;GEO_OBJECT;RP_MEASURE;SEX;AGE;EDUC;EMPSTA_ENQ;OBS_STATUS;TIME_PERIOD;OBS_VALUE\n"
	b.load("rp-emploi-melodi", long, longHeader+"93010;COM;POP;_T;Y15T64;_T;1;A;2023;22000\n93010;COM;POP;_T;Y15T64;_T;2;A;2023;3000\n93010;COM;POP;_T;Y15T64;_T;_T;A;2023;34500\n"+
		"93010;COM;POP;F;Y15T64;_T;1;A;2023;10000\n93010;COM;POP;_T;Y_GE15;_T;1;A;2023;23000\n93;DEP;POP;_T;Y15T64;_T;1;A;2023;700000\n93;DEP;POP;_T;Y15T64;_T;2;A;2023;100000\n")
	b.hasParts(stats.Commune, "93010", "emploi", `"year":2023,"population1564":34500,"active1564":25000,"employed1564":22000,"unemployed1564":3000,"activityRatePct":72.46,`)
	b.hasParts(stats.Departement, "93", "emploi", `"year":2023,"population1564":null,"active1564":800000,`)
}
