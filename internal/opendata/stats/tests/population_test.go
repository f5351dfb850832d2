package stats_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

const (
	legalFile   = "insee-population/donnees_communes.csv"
	legalHeader = "REG;Région;DEP;CODARR;CODCAN;CODCOM;COM;Commune;PMUN;PCAP;PTOT\n"
	legalBondy  = "11;Île-de-France;93;2;01;010;93010;Bondy;55000;500;55500\n"
	legalLines  = legalHeader + legalBondy + "11;;75;1;;101;75101;Paris 1er;15000;200;15200\n11;;75;1;;118;75118;Paris 18e;185000;900;185900\n" +
		"84;;69;1;;381;69381;Lyon 1er;28000;300;28300\n94;;2A;1;;247;2A247;Porto-Vecchio;12000;10;12010\n84;;15;1;;141;15141;Neussargues;824;18;842\n"
	comparatorFile   = "insee-comparateur/communes_comparateur_2021.csv"
	comparatorHeader = "insee_com,insee_reg,insee_dep,commune,commune_article,code_postal,commune_type,insee_parente,lat,lng,superficie_km2," +
		"population_2021,population_2015,menages_2021,naissances_2022,deces_2022,pop_15_64_totale_2021,pop_15_64_chomage_2021,pop_15_64_active_2021\n"
)

// anyNumber takes away what is only true of national files.
func anyNumber(s *source.Source) { s.Checks.MinRows = 0 }

// A list that has the arrondissements of the three cities and not the cities counts each
// inhabitant once: the city is the sum of its arrondissements, and so are département and
// région.
func TestLegalPopulation(t *testing.T) {
	b := newFixture(t)
	b.load("population-reference", legalFile, legalLines)
	const from = `"source":"INSEE, Populations de référence 2023","year":2023`
	const none = `"growthPeriod":null,"growthPctPerYear":null,"naturalPctPerYear":null,"migratoryPctPerYear":null,"change":null,"births":[]`
	b.wants(stats.Commune, "75056", "population", `{`+from+`,"latest":{"year":2023,"municipal":200000,"total":201100},"density":null,"landAreaKm2":null,"landAreaYear":null,"timeline":[{"year":2023,"population":200000}],`+none+`}`)
	b.wants(stats.Commune, "93010", "population", `{`+from+`,"latest":{"year":2023,"municipal":55000,"total":55500},"density":null,"landAreaKm2":null,"landAreaYear":null,"timeline":[{"year":2023,"population":55000}],`+none+`}`)
	b.wants(stats.Commune, "97411", "population", "null")
	b.wants(stats.Departement, "75", "population", "200000")
	b.wants(stats.Departement, "69", "population", "28000")
	b.wants(stats.Region, "11", "population", "255000")
	b.wants(stats.Departement, "2A", "populationTimeline", `[{"year":2023,"population":12000}]`)
	b.wants(stats.Departement, "974", "population", "null")
	b.wants(stats.Departement, "75", "sources", `{"population":{"source":"INSEE, Populations de référence 2023","year":2023},"populationTimeline":{"source":"INSEE, Populations de référence 2023","year":2023}}`)

	// A caller that asks for a series reads that it is not all of it.
	for level, key := range map[stats.Level]string{stats.Commune: "population", stats.Departement: "populationTimeline"} {
		code := map[stats.Level]string{stats.Commune: "93010", stats.Departement: "93"}[level]
		if s := b.states(level, code)[key]; s.State != state.Value || s.Reason != "Years that are loaded: 2023. Other censuses are not." {
			t.Errorf("%s of a %s: %+v", key, level, s)
		}
	}

	b.refuses("population-reference", legalFile, strings.Replace(legalLines, "PMUN;PCAP;PTOT", "A;B;C", 1), "population", "it has no column of figures", anyNumber)
	b.refuses("population-reference", legalFile, comparatorHeader+"93010,11,93,,,93140,COM,,,,,1,1,1,1,1,1,1,1\n", "population", "it has no column of figures", anyNumber)
	b.refuses("population-reference", legalFile, legalLines+"11;;75;1;;056;75056;Paris;200000;1;200001\n", "population", "by arrondissement only", anyNumber)
	b.refuses("population-reference", legalFile, legalLines+"11;;93;1;;999;93999;Nowhere;1;1;2\n", "population", "no commune has code 93999", anyNumber)
	b.refuses("population-reference", legalFile, legalLines, "population", "expected at least", nil)
	b.refuses("population-reference", legalFile, legalHeader+strings.Repeat(legalBondy, 30000), "population", "those of 2023 are 68094280", anyNumber)
	b.refuses("population-reference-year", "insee/donnees_communes_2022.csv", legalLines, "population", "are those of 2023, and not of 2022", anyNumber)
	b.load("population-reference-year", "insee/donnees_communes_2022.csv", legalHeader+strings.Replace(legalBondy, "55000", "54000", 1))
	b.wants(stats.Region, "94", "populationTimeline", `[{"year":2023,"population":12000}]`)
	b.hasParts(stats.Commune, "93010", "population", `"latest":{"source":"INSEE, Populations de référence 2023","year":2023,"municipal":55000`)
	b.wants(stats.Departement, "93", "populationTimeline", `[{"year":2022,"population":54000},{"year":2023,"population":55000}]`)
}

// An arrondissement has the keys of a commune, with figures of its own. Of a key that is known of the city
// alone its state says that.
func TestStatisticsOfAnArrondissement(t *testing.T) {
	b := newFixture(t)
	b.load("population-reference", legalFile, legalLines)
	b.load("radon", "radon/radon.csv", "insee_com;classe_potentiel;reg\n93010;1;FR\n75101;1;FR\n75118;2;FR\n")
	b.load("mayors", mayorsPath, mayorsHeader+"75;P;;;75056;Paris;UN;Jean;M;1950-01-01;74;Ancien cadre;2020-05-18;2020-05-26\n")
	b.wants(stats.Arrondissement, "75118", "population.latest", `{"year":2023,"municipal":185000,"total":185900}`)
	b.wants(stats.Arrondissement, "75118", "rankings", "null")
	all := b.states(stats.Arrondissement, "75118")
	for key, want := range map[string]string{
		"population": "value Years that are loaded: 2023. Other censuses are not.", "revenus": "not_loaded No source of it is loaded on this server.",
		"radon": "value ", "maire": "not_covered It is served for the whole city alone, not for its arrondissements: arrondissementOf names the city.",
	} {
		if s := all[key]; string(s.State)+" "+s.Reason != want {
			t.Errorf("%s: %s %s, want %s", key, s.State, s.Reason, want)
		}
	}
}

// The total population of a city is the sum of its arrondissements, once all of them are there.
func TestTotalPopulationOfACity(t *testing.T) {
	b := newFixture(t)
	b.exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes)
		SELECT 'arrondissement-municipal', (69380 + n)::text, n::text, '69', '84', '69123', '{}' FROM generate_series(2, 9) n`)
	lines := legalHeader
	for n := 1; n <= 9; n++ {
		if n == 9 {
			b.load("population-reference", legalFile, lines)
			b.hasParts(stats.Commune, "69123", "population", `"total":null`) // eight of nine arrondissements
		}
		lines += fmt.Sprintf("84;;69;1;;%d;%d;Lyon %d;1000;10;1010\n", 380+n, 69380+n, n)
	}
	b.load("population-reference", legalFile, lines)
	b.hasParts(stats.Commune, "69123", "population", `"year":2023,"municipal":9000,"total":9090}`)
}

// Mayotte has a file of its own, without codes, and a census of its own: its year is not that of the others.
func TestLegalPopulationOfMayotte(t *testing.T) {
	b := newFixture(t)
	b.exec(`INSERT INTO geo.region (code, name) VALUES ('06', 'Mayotte')`)
	b.exec(`INSERT INTO geo.departement (code, name, region_code) VALUES ('976', 'Mayotte', '06')`)
	b.exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes)
		VALUES ('commune-actuelle', '97601', 'Acoua', '976', '06', '97601', '{}')`)
	const file, header = "insee-population/donnees_communes_mayotte.csv", "CODREG;REG;DEP;CODARR;CODCAN;CODCOM;COM;PMUN;PCAP;PTOT\n"
	b.load("population-reference-mayotte", file, header+"06;;976;;;601;;5192;192;5384\n")
	b.hasParts(stats.Commune, "97601", "population", `"year":2017,"municipal":5192,"total":5384}`)
	b.wants(stats.Region, "06", "population", "5192")
	b.refuses("population-reference-mayotte", file, header+"04;;974;;;411;;5192;192;5384\n", "population", "is not of the form 976", anyNumber)
	b.refuses("population-reference-mayotte", file, header+strings.Repeat("06;;976;;;601;;5192;192;5384\n", 17), "population", "it is of another census", nil)
	b.wants(stats.Region, "06", "population", "5192")
}

// A list of before: communes that were merged since are added up, one that was split has no figure, and its
// inhabitants still count in the département. Growth is computed over seven years.
func TestPopulationOfBefore(t *testing.T) {
	b := newFixture(t)
	b.load("population-reference", legalFile, legalLines)
	b.load("population-reference-year", "insee/donnees_communes_2016.csv", legalHeader+
		"11;;93;2;01;010;93010;Nom;53000;100;53100\n11;;91;2;01;001;91001;Nom;300;10;310\n11;;91;2;01;999;91999;Nom;30;1;31\n"+
		"84;;15;2;01;141;15141;Nom;1844;29;1873\n04;;974;1;93;411;97411;Nom;147920;1417;149337\n11;;75;1;;101;75101;Nom;16000;200;16200\n")
	b.wants(stats.Departement, "91", "populationTimeline", `[{"year":2016,"population":330}]`)
	// Who asks how many inhabitants a place won or lost need not compute it: a number and percent, and between
	// which years.
	b.wants(stats.Commune, "93010", "population.change",
		`{"periodStart":2016,"periodEnd":2023,"number":2000,"percent":3.77}`)
	b.wants(stats.Departement, "15", "populationChange",
		`{"periodStart":2016,"periodEnd":2023,"number":-1020,"percent":-55.31}`)
	b.wants(stats.Departement, "91", "populationChange", "null")
	b.wants(stats.Departement, "15", "populationTimeline", `[{"year":2016,"population":1844},{"year":2023,"population":824}]`)
	for code, want := range map[string]string{
		"91001": `"year":2016,"municipal":330,"total":null}`,
		"97411": `"year":2016,"municipal":147920,"total":149337}`,
		"15141": `"timeline":[{"year":2023,"population":824}],"growthPeriod":null`,
		// (55000/53000)^(1/7) - 1
		"93010": `"growthPeriod":"2016-2023","growthPctPerYear":0.53,"naturalPctPerYear":null,"migratoryPctPerYear":null`,
	} {
		b.hasParts(stats.Commune, code, "population", want)
	}
	b.wants(stats.Commune, "15031", "population", "null")
	// A figure that is older than the commune of today says so; one of a commune that is the same does not.
	if s := b.states(stats.Commune, "91001")["population"]; s.State != state.Value ||
		!strings.Contains(s.Reason, " It is of a year before 20") {
		t.Errorf("the state of inhabitants of before a merger: %+v", s)
	}
	if s := b.states(stats.Commune, "97411")["population"]; s.State != state.Value || s.Reason != "Years that are loaded: 2016. Other censuses are not." {
		t.Errorf("the state of inhabitants of a commune that is the same: %+v", s)
	}
}

// The density of a département or région is that of the communes whose area is known, where nearly all live
// there, and says so; of others there is none.
func TestDensityOfTheWhole(t *testing.T) {
	b := newFixture(t)
	people := map[string]float64{"75056": 800, "69123": 100, "93010": 500, "93066": 10, "97411": 100, "91001": 10, "15141": 10, "15031": 10, "2A247": 70}
	b.figures(stats.Commune, source.PopulationMunicipal, "2023", people)
	delete(people, "93066")
	b.figures(stats.Commune, source.LandArea, "2021", people)
	d := b.read()
	same(t, "density of 93, of which a commune has no area", rankOf(t, d, stats.Departement, "93", "density"), "null")
	if got := rankOf(t, d, stats.Departement, "15", "density"); !strings.Contains(got, `"value":1,`) {
		t.Errorf("the density of 15 is %s, expected 1", got)
	}
	b.exec(`UPDATE geo.load SET source = 'comparateur-superficie' WHERE title = $1`, source.LandArea)
	b.exec(`UPDATE geo.stat_value SET part = 'comparateur-superficie' WHERE measure = $1`, source.LandArea)
	if s := b.states(stats.Departement, "93")["rankings.density"]; !strings.Contains(s.Reason, "communes with over 1 % of its inhabitants") {
		t.Errorf("why 93 has no density: %+v", s)
	}
	b.exec(`UPDATE geo.stat_value SET value = 2 WHERE code = '93066'`)
	d = b.read()
	for _, of := range []*stats.Territory{d.Find(stats.Departement, "93"), d.Find(stats.Region, "11")} {
		want := map[string]string{"93": `"mixedYears":[2021,2023],"coverage":0.996,`, "11": `"coverage":0.9984,`}[of.Code]
		if got := rankOf(t, d, of.Level, of.Code, "density"); !strings.Contains(got, want) || !strings.Contains(got, `"value":1,`) {
			t.Errorf("the density of %s is %s, expected %s", of.Code, got, want)
		}
	}
}

// The copy of the comparator repeats a commune for each postal code, has rows of communes déléguées, and
// zeros of what its holder did not know. None of them is counted.
func TestComparator(t *testing.T) {
	b := newFixture(t)
	b.exec(`INSERT INTO geo.departement (code, name, region_code) VALUES ('976', 'Mayotte', '11')`)
	b.exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes)
		VALUES ('commune-actuelle', '97601', 'Acoua', '976', '11', '97601', '{}')`)
	b.exec(`INSERT INTO geo.commune_movement (kind, day, type_before, code_before, name_before, type_after, code_after, name_after)
		VALUES (21, '2024-01-01', 'COM', '97411', '', 'COM', '97411', '')`)
	lines := comparatorHeader +
		"93010,11,93,Bondy,Bondy,93140,COM,,,,5.47,53000,52000,20000,900,350,34000,4000,25000\n" +
		"93010,11,93,Bondy,Bondy,93141,COM,,,,5.47,53000,52000,20000,900,350,34000,4000,25000\n" +
		"75101,11,75,Paris,Paris 1er,75001,ARM,75056,,,1,16000,17000,9000,100,80,11000,900,9000\n" +
		"75118,11,75,Paris,Paris 18e,75018,ARM,75056,,,6,190000,197000,99000,2600,1100,138000,12000,110000\n" +
		"91001,11,91,Abbéville,Abbéville,91150,COM,,,,9,330,300,100,3,2,200,10,150\n" +
		"91001,,,Le Hameau,Le Hameau,91150,COMD,91001,,,9,330,300,100,3,2,200,10,150\n" +
		"97411,04,974,Saint-Denis,Saint-Denis,97400,COM,,,,9,150000,147000,60000,2321,1179,100000,19000,69000\n" +
		"97601,06,976,Acoua,Acoua,97630,COM,,,,,0,0,0,163,24,0,0,0\n"
	b.load("comparateur-population", comparatorFile, lines)
	b.load("comparateur-naissances", comparatorFile, lines)
	for code, want := range map[string]string{
		"93010": `"timeline":[{"year":2015,"population":52000},{"year":2021,"population":53000}],"growthPeriod":"2015-2021"`,
		"75056": `"births":[{"year":2022,"births":2700,"deaths":1180,"balance":1520}]`,
		"91001": `"year":2021,"municipal":330,"total":null}`,
		// Split in 2024: the populations are of what it is since, the births of what it was.
		"97411": `"municipal":150000,"total":null},"density":null,"landAreaKm2":null,"landAreaYear":null,"timeline":[{"year":2015,"population":147000},{"year":2021,"population":150000}],"growthPeriod":"2015-2021","growthPctPerYear":0.34,"naturalPctPerYear":null,"migratoryPctPerYear":null,"change":{"periodStart":2015,"periodEnd":2021,"number":3000,"percent":2.04},"births":[]`,
		"97601": `"latest":null,"density":null,"landAreaKm2":null,"landAreaYear":null,"timeline":[],"growthPeriod":null,"growthPctPerYear":null,"naturalPctPerYear":null,"migratoryPctPerYear":null,"change":null,"births":[{"year":2022,"births":163,"deaths":24,"balance":139}]`,
	} {
		b.hasParts(stats.Commune, code, "population", want)
	}
	b.wants(stats.Departement, "75", "population", "206000")
	b.wants(stats.Departement, "976", "population", "null")
	b.refuses("comparateur-population", comparatorFile, strings.ReplaceAll(lines, "_2021", "_2020"), "population", "its name says 2021", anyNumber)
	b.refuses("comparateur-population", comparatorFile, strings.Replace(lines, "93141,COM,,,,5.47,53000", "93141,COM,,,,5.47,53001", 1), "population", "two figures of population.municipal", anyNumber)
	b.refuses("comparateur-naissances", comparatorFile, strings.ReplaceAll(lines, "_2022", "_2020"), "population", "its births and deaths are of 2020", anyNumber)
	b.load("comparateur-superficie", comparatorFile, lines)
	if s := b.states(stats.Commune, "97411")["population.naturalPctPerYear"]; s.State != state.NotLoaded || !strings.HasPrefix(s.Source, "births-") {
		t.Errorf("why the natural balance of a commune is null: %+v", s)
	}
	for code, density := range map[string]string{"93010": "9689.2", "75056": "29428.6", "91001": "36.7", "97411": "16666.7", "97601": "null"} {
		b.hasParts(stats.Commune, code, "population", `"density":`+density+`,`)
	}
	if f := b.read().Find(stats.Departement, "976").At(source.LandArea, "2021"); f.Value != nil {
		t.Errorf("Mayotte has a land area of %s", shown(f))
	}
	b.refuses("comparateur-superficie", comparatorFile, strings.ReplaceAll(lines, ",9,330", ",0,330"), "population", "its land area of 91001 is 0", anyNumber)
	b.load("population-reference-year", "insee/donnees_communes_2021.csv", legalHeader+strings.Replace(legalBondy, "55000", "53007", 1))
	b.hasParts(stats.Commune, "93010", "population", `{"year":2021,"population":53007}`) // the official figure before the copy
}

// vital is the long table of births or deaths of Bondy and of Île-de-France.
func vital(code, object, what string, from int, counts ...int) string {
	var out strings.Builder
	for i, n := range counts {
		fmt.Fprintf(&out, "%q;%q;%q;\"A\";\"A\";%d;%d\n", code, object, what, from+i, n)
	}
	return out.String()
}

// Natural and migratory balance are served when births and deaths of each
// year of the period are there, and not before.
func TestNaturalAndMigratory(t *testing.T) {
	b := newFixture(t)
	const header = `"GEO";"GEO_OBJECT";"EC_MEASURE";"FREQ";"OBS_STATUS";"TIME_PERIOD";"OBS_VALUE"` + "\n"
	const births, deaths = "insee/DS_ETAT_CIVIL_NAIS_COMMUNES_2025_data.csv", "insee/DS_ETAT_CIVIL_DECES_COMMUNES_2025_CSV_FR.csv"
	b.load("population-reference", legalFile, legalLines)
	b.load("population-reference-year", "insee/donnees_communes_2018.csv", strings.Replace(legalLines, "55000", "53000", 1))
	b.load("births-melodi", births, header+vital("93010", "COM", "LVB", 2018, 900, 900, 900, 900, 900)+vital("11", "REG", "LVB", 2018, 1800, 1800, 1800, 1800)+
		vital("93010", "EPCI", "LVB", 2018, 7)+vital("93010", "COM", "LVB_PLACE_REG", 2018, 2000))
	b.load("deaths-melodi", deaths, header+vital("93010", "COM", "DTH", 2018, 300, 300, 300, 300))
	b.hasParts(stats.Commune, "93010", "population", `"naturalPctPerYear":null,"migratoryPctPerYear":null`) // the deaths of 2022 are not known
	b.load("deaths-melodi", deaths, header+vital("93010", "COM", "DTH", 2018, 300, 300, 300, 300, 350)+vital("11", "REG", "DTH", 2018, 500, 500, 500, 500, 500))
	// 4500 births less 1550 deaths of 5 years with 54000 inhabitants in the mean: 1.09
	// %; 2000 more less 2950: -950, -0.35 %.
	b.hasParts(stats.Commune, "93010", "population", `"growthPeriod":"2018-2023","growthPctPerYear":0.74,"naturalPctPerYear":1.09,"migratoryPctPerYear":-0.35`)
	b.load("births-melodi", births, header+vital("11", "REG", "LVB", 2018, 1800, 1800, 1800, 1800, 1800))
	// The sums of the lists above: 253000 in 2018, 255000 in 2023.
	b.wants(stats.Region, "11", "demography", `[{"periodStart":2018,"periodEnd":2023,"naturalBalance":6500,"migratoryBalance":-4500,"naturalPctPerYear":0.51,
		"migratoryPctPerYear":-0.35,"meanPopulation":254000,"birthRatePer1000":7.09,"deathRatePer1000":1.97}]`)
	b.refuses("births-melodi", births, header+vital("93010", "COM", "LVB", 2020, 7)+vital("93010", "COM", "LVB", 2020, 8), "population", "told apart by a column that is not looked at", anyNumber)
	b.refuses("births-melodi", births, strings.Replace(header, "EC_MEASURE", "X", 1), "population", "it has no column EC_MEASURE", anyNumber)
}

// Periods that overlap are not served twice: those are served that follow each other up to the newest.
func TestDemography(t *testing.T) {
	b := newFixture(t)
	const file, header = "insee-rp-evolution/insee_rp_evol_1968_region_2018.csv", "\ufeffcodgeo;libgeo;an;tx_morta\n"
	const lines = header + "11;Île-de-France;1999-2007;6,40\n11;Île-de-France;1999-2008;6,41\n11;Île-de-France;2008-2013;6,00\n" +
		"11;Île-de-France;2012-2017;6,10\n11;Île-de-France;2013-2018;6,10\n94;Corse;2013-2018;9,40\n04;La Réunion;2013-2018;\n"
	b.load("rp-evolution-region", file, lines)
	period := func(from, to int, rate string) string {
		return fmt.Sprintf(`{"periodStart":%d,"periodEnd":%d,"naturalBalance":null,"migratoryBalance":null,"naturalPctPerYear":null,
			"migratoryPctPerYear":null,"meanPopulation":null,"birthRatePer1000":null,"deathRatePer1000":%s}`, from, to, rate)
	}
	want := "[" + period(1999, 2008, "6.41") + "," + period(2008, 2013, "6") + "," + period(2013, 2018, "6.1") + "]"
	b.wants(stats.Region, "11", "demography", want)
	b.wants(stats.Region, "94", "demography", "["+period(2013, 2018, "9.4")+"]")
	b.wants(stats.Region, "04", "demography", "null")
	states := b.states(stats.Region, "11")
	for _, part := range []string{"naturalBalance", "migratoryBalance", "naturalPctPerYear", "migratoryPctPerYear", "birthRatePer1000"} {
		if s := states["demography."+part]; s.State != state.NotLoaded || s.Source != "births-melodi" {
			t.Errorf("no births are loaded, and %s has the state %+v", part, s)
		}
	}
	if s, there := states["demography.deathRatePer1000"]; there {
		t.Errorf("the rates of deaths are there with the state %+v", s)
	}
	for reason, content := range map[string]string{
		"it has no column of figures":    strings.Replace(lines, "tx_morta", "tx_pauvrete", 1),
		"its newest period ends in 2017": header + "11;Île-de-France;2012-2017;6,10\n",
		"no region has code 53":          header + "53;Bretagne;2013-2018;6,10\n",
		"a rate of 610 per 1 000":        header + "11;Île-de-France;2013-2018;610\n",
	} {
		b.write(file, content)
		if _, err := b.try("rp-evolution-region", anyNumber); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("the error is %v, expected one with %q", err, reason)
		}
	}
	b.wants(stats.Region, "11", "demography", want)
}

// Départements have a file of their own.
func TestDemographyOfDepartements(t *testing.T) {
	b := newFixture(t)
	const file, header = "insee-rp-evolution/insee_rp_evol_1968_departement_2018.csv", "\ufeffcodgeo;libgeo;an;tx_morta\n"
	const lines = header + "2A;Corse-du-Sud;2012-2017;9,50\n2A;Corse-du-Sud;2008-2013;9,40\n2A;Corse-du-Sud;2013-2018;9,50\n" +
		"91;Essonne;2013-2018;5,70\n974;La Réunion;2013-2018;N/A - résultat non disponible\n"
	b.load("rp-evolution-departement", file, lines)
	const rest = `"naturalBalance":null,"migratoryBalance":null,"naturalPctPerYear":null,"migratoryPctPerYear":null,"meanPopulation":null,"birthRatePer1000":null`
	b.wants(stats.Departement, "2A", "demography", `[{"periodStart":2008,"periodEnd":2013,`+rest+`,"deathRatePer1000":9.4},{"periodStart":2013,"periodEnd":2018,`+rest+`,"deathRatePer1000":9.5}]`)
	b.wants(stats.Departement, "974", "demography", "null")
	b.wants(stats.Departement, "93", "demography", "null")
	b.wants(stats.Departement, "2A", "sources", `{"demography":{"source":"INSEE, Évolution de la population depuis 1968, départements","year":2018}}`)
	b.write(file, header+"11;Île-de-France;2013-2018;6,10\n")
	if _, err := b.try("rp-evolution-departement", anyNumber); err == nil || !strings.Contains(err.Error(), "no departement has code 11") {
		t.Errorf("a file of régions is refused with %v", err)
	}
}

// Census years less than five years apart are not compared: 2021 and 2023 are both
// known, growth is computed over seven years.
func TestGrowthSkipsNearYears(t *testing.T) {
	b := newFixture(t)
	b.load("population-reference", legalFile, legalLines)
	year := func(y, inhabitants string) {
		b.load("population-reference-year", "insee/donnees_communes_"+y+".csv", legalHeader+strings.Replace(legalBondy, "55000", inhabitants, 1))
	}
	for _, y := range []struct{ year, inhabitants, want string }{
		{"2021", "60000", `"growthPeriod":null,"growthPctPerYear":null,`},
		{"2015", "50000", `"growthPeriod":"2015-2023","growthPctPerYear":1.2,`}, // (55000/50000)^(1/8) - 1
		{"2016", "53000", `"growthPeriod":"2016-2023","growthPctPerYear":0.53,`},
		{"2019", "54000", `"growthPeriod":"2016-2023","growthPctPerYear":0.53,`},
		{"2018", "54100", `"growthPeriod":"2018-2023","growthPctPerYear":0.33,`}, // (55000/54100)^(1/5) - 1
	} {
		year(y.year, y.inhabitants)
		b.hasParts(stats.Commune, "93010", "population", y.want)
	}
}

// The history of all censuses has other notions of population before 2006; a city that it gives by
// arrondissement only is added up, one that it gives itself is not counted twice.
func TestPopulationHistory(t *testing.T) {
	b := newFixture(t)
	workbook := func(header string, lines ...string) string {
		return loadkit.Workbook(t, []string{"Documentation", "pop_1876_2023"}, []string{"x"}, append([]string{"Historique", "Code;Région", header}, lines...))
	}
	const header = "CODGEO;REG;DEP;LIBGEO;PMUN2023;PMUN07;PSDC99;PTOT54;PTOT36;PTOT1876"
	b.load("population-history", "insee/base-pop-historiques-1876-2023.xlsx", workbook(header, "93010;11;93;Bondy;55000;53000;46000;22000;21000;1600",
		"75101;11;75;Paris 1er;15000;17000;;;;", "75118;11;75;Paris 18e;185000;190000;;;;", "69123;84;69;Lyon;520000;480000;;;;", "69381;84;69;Lyon 1er;28000;28000;;;;"))
	b.hasParts(stats.Commune, "93010", "population", `"timeline":[{"year":1876,"population":1600},{"year":1936,"population":21000},`+
		`{"year":1954,"population":22000},{"year":1999,"population":46000},{"year":2007,"population":53000},{"year":2023,"population":55000}]`)
	b.wants(stats.Departement, "75", "populationTimeline", `[{"year":2007,"population":207000},{"year":2023,"population":200000}]`)
	b.wants(stats.Departement, "69", "populationTimeline", `[{"year":2007,"population":480000},{"year":2023,"population":520000}]`)
	b.refuses("population-history", "insee/base-pop-historiques-1876-2023.xlsx", workbook(strings.Replace(header, "2023", "2022", 1), "93010;11;93;Bondy;1;1;1;1;1;1"),
		"population", "its name says 2023", anyNumber)
}

// A commune names its intercommunal body, and in the Métropole du Grand Paris its territory; one that the
// list does not have belongs to none.
func TestEPCIOfACommune(t *testing.T) {
	b := newFixture(t)
	if s := b.states(stats.Commune, "93010")["epci"]; s.State != state.NotLoaded || s.Source != "cog-epci-communes" {
		t.Errorf("before it is loaded: %+v", s)
	}
	b.load("cog-epci-communes", "cog/epci-2026.json", `[
		{"code":"200054781","nom":"Métropole du Grand Paris","membres":[{"code":"93010"},{"code":"75056"},{"code":"99999"}]},
		{"code":"200066231","nom":"CC Saint-Flour Communauté","membres":[{"code":"15141"}]}]`)
	if s := b.states(stats.Commune, "15141")["epci.territory"]; s.State != state.NotLoaded ||
		s.Source != "cog-ept-communes" {
		t.Errorf("the territory before the list of territories is loaded: %+v", s)
	}
	b.load("cog-ept-communes", "cog/ept.json", `[{"code":"200057875","nom":"Est Ensemble","membres":[{"code":"93010"},{"code":"93048"}]}]`)
	const source = `"source":"INSEE, La Poste et Etalab, Code officiel géographique : intercommunalités","year":2026,`
	b.wants(stats.Commune, "93010", "epci", `{`+source+`"code":"200054781","name":"Métropole du Grand Paris","communes":3,"population":null,"kind":"metropole",
		"territory":{"code":"200057875","name":"Est Ensemble","communes":2,"population":null}}`)
	b.wants(stats.Commune, "15141", "epci", `{`+source+`"code":"200066231","name":"CC Saint-Flour Communauté","communes":1,"population":null,
		"kind":"communauteDeCommunes","territory":null}`)
	// Elsewhere no commune has a territory: null is no gap.
	if s := b.states(stats.Commune, "15141")["epci.territory"]; s.State != state.NotApplicable ||
		s.Reason != "Only the communes of the Métropole du Grand Paris have one, but for Paris." {
		t.Errorf("the territory outside Grand Paris: %+v", s)
	}
	b.wants(stats.Arrondissement, "75118", "epci.name", `"Métropole du Grand Paris"`)
	b.wants(stats.Commune, "2A247", "epci", "null")
	if s := b.states(stats.Commune, "2A247")["epci"]; s.State != state.None || !strings.Contains(s.Reason, "belong to none") {
		t.Errorf("a commune that the list does not have: %+v", s)
	}

	// Its population is the sum of its communes, and none where one of them is not known.
	b.load("population-reference", legalFile, legalLines)
	b.load("cog-epci-communes", "cog/epci-2026.json", `[
		{"code":"200054781","nom":"Métropole du Grand Paris","membres":[{"code":"93010"},{"code":"75056"}]},
		{"code":"200066231","nom":"CC Saint-Flour Communauté","membres":[{"code":"2A247"},{"code":"93066"}]}]`)
	b.wants(stats.Commune, "75056", "epci.population", `{"municipal":255000,"year":2023,"source":"INSEE, Populations de référence 2023",
		"note":"Sum of the municipal populations of its communes."}`)
	b.wants(stats.Commune, "2A247", "epci.population", "null")
	b.wants(stats.Commune, "93010", "epci.territory.population", "null")
}
