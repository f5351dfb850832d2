package stats_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic/housing"
)

const (
	lovacLabel = "DGALN/DHUP et Cerema, LOVAC, logements vacants du parc privé"
	ratesLabel = lovacLabel + " (taux dérivés par bpineau/gazetteer)"
	officialOf = "lovac/lovac-opendata-communes-2025.csv"
)

// The rates of vacancy are served with their year; a cell without a figure is none, and
// a rate of merged communes is not invented.
func TestVacancyRates(t *testing.T) {
	b := newFixture(t)
	b.exec("UPDATE geo.commune_movement SET day = '2025-06-01' WHERE code_after = '91001'")
	b.load("vacancy-rates-extract", ratesFile, "INSEE_C;taux_vacance_25_pct;taux_vacance_long_25_pct\n93010;5.93;3.23\n2A247;7.7;\n97411;;\n91001;4;1\n91999;5;2\n75101;9.08;4.94\n")
	one := `"year":2025,"source":"` + ratesLabel + `","status":null,"total":null,"vacant":null,"vacantOver2Years":null,`
	b.wants(stats.Commune, "93010", "logement", `{"source":"`+ratesLabel+`","year":2025,"timeline":null,"privateVacancy":{`+one+
		`"ratePct":5.93,"longTermRatePct":3.23,"timeline":[{`+one+`"ratePct":5.93,"longTermRatePct":3.23}]}}`)
	b.hasParts(stats.Commune, "2A247", "logement", `"ratePct":7.7,"longTermRatePct":null`) // half of a row
	for _, code := range []string{"97411", "91001", "75056"} {
		b.wants(stats.Commune, code, "logement", "null")
	}
	if got := b.states(stats.Commune, "97411")["logement"]; got.State != state.NotCovered || got.Reason != "The loaded files list this place without it." {
		t.Errorf("of empty cells the state is %+v", got)
	}
	before := b.block(stats.Commune, "93010", "logement")
	for name, content := range map[string]string{
		"its name says 2025":                     "INSEE_C;taux_vacance_24_pct;taux_vacance_long_24_pct\n93010;5.93;3.23\n",
		"are vacant for two years":               "INSEE_C;taux_vacance_25_pct;taux_vacance_long_25_pct\n93010;3.23;5.93\n",
		"no figure of housing.private.longRate":  "INSEE_C;taux_vacance_25_pct;taux_vacance_longue\n93010;3.23;5.93\n",
		"housing.private.rate of 93010 is 523 %": "INSEE_C;taux_vacance_25_pct;taux_vacance_long_25_pct\n93010;523;3\n",
	} {
		b.write(ratesFile, content)
		if _, err := b.try("vacancy-rates-extract", func(s *source.Source) { s.Checks.MinRows = 0 }); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q is refused with %v", name, err)
		}
	}
	same(t, "logement", b.block(stats.Commune, "93010", "logement"), before)
}

// The official table: secret numbers have no value and the state of a secret one, a département has its
// own, the vacancy of a year is a share of the dwellings of the year before, and a city that is given by
// arrondissement is their sum only when none of them is secret.
func TestVacancyTable(t *testing.T) {
	b := newFixture(t)
	arrondissements := ""
	for code := range strings.FieldsSeq("69382 69383 69384 69385 69386 69387 69388 69389") {
		b.exec("INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES ('arrondissement-municipal', $1, $1, '69', '84', '69123', '{}')", code)
		arrondissements += code + ";Lyon;69;1000;20;10;19;9\n"
	}
	b.load("vacancy-commune", officialOf, "CODGEO_25;LIBGEO_25;DEP;pp_total_24;pp_vacant_25;pp_vacant_plus_2ans_25;pp_vacant_24;pp_vacant_plus_2ans_24\n"+
		"93010;Bondy;93;13617;807;440;1846;363\n2A247;Porto-Vecchio;2A;11611;894;s;s;s\n97411;Saint-Denis;974;s;s;s;s;s\n"+
		"69381;Lyon;69;1000;20;10;19;s\n"+arrondissements)
	newest := `"year":2025,"source":"` + lovacLabel + `","status":null,"total":13617,"vacant":807,"vacantOver2Years":440,"ratePct":5.93,"longTermRatePct":3.23`
	b.wants(stats.Commune, "93010", "logement", `{"source":"`+lovacLabel+`","year":2025,"timeline":null,"privateVacancy":{`+newest+`,"timeline":[
		{"year":2024,"source":"`+lovacLabel+`","status":null,"total":null,"vacant":1846,"vacantOver2Years":363,"ratePct":null,"longTermRatePct":null},{`+newest+`}]}}`)
	for code, want := range map[string]string{
		"2A247": `"status":"secret","total":11611,"vacant":894,"vacantOver2Years":null,"ratePct":7.7,"longTermRatePct":null`,
		"97411": `"status":"secret","total":null,"vacant":null,"vacantOver2Years":null,"ratePct":null,"longTermRatePct":null`,
		"69123": `"status":null,"total":9000,"vacant":180,"vacantOver2Years":90,"ratePct":2,"longTermRatePct":1`,
	} {
		b.hasParts(stats.Commune, code, "logement", want)
	}
	b.hasParts(stats.Commune, "69123", "logement", `"vacant":171,"vacantOver2Years":null`) // one arrondissement is secret
	b.wants(stats.Departement, "93", "logement", "null")
	b.load("vacancy-departement", "lovac/lovac-opendata-departements-2025.csv", "DEP;LIB_DEP;ff_pp_total_24;pp_vacant_25;pp_vacant_plus_2ans_25\n93;Seine-Saint-Denis;500000;30000;10000\n")
	b.hasParts(stats.Departement, "93", "logement", `"total":500000,"vacant":30000,"vacantOver2Years":10000,"ratePct":6,"longTermRatePct":2`)
}

// The share of social housing is that of its own source and year; 0 may be unknown.
func TestSocialHousing(t *testing.T) {
	b := newFixture(t)
	b.load("housing-census-extract", censusFile, dwellings("75056 1396753 1128251 136109 132393"))
	b.load("housing-social-extract", "logement/rpls_communes.json", `{"communes":{"75056":{"label":"Paris","rate_pct":21.0},"93010":{"label":"Bondy","rate_pct":0.0}}}`)
	b.wants(stats.Departement, "75", "totalHousing", "1396753")
	social := "Ministère chargé du logement, Taux de logements sociaux dans les communes (dérivé par bpineau/gazetteer)"
	b.hasParts(stats.Commune, "75056", "logementRP", `"socialHousing":{"source":"`+social+`","year":2024,"ratePct":21}`, `"year":2021`)
	b.wants(stats.Commune, "93010", "logementRP", "null")
	b.load("housing-census-extract", censusFile, dwellings("93010 22000 20000 500 1500"))
	b.wants(stats.Commune, "93010", "logementRP.socialHousing", "null")
	if s := b.states(stats.Commune, "93010")["logementRP.socialHousing"]; !strings.Contains(s.Reason, "The file has 0 %, which can mean") {
		t.Errorf("why a share of 0 is null: %+v", s)
	}
	// Paris has a share, its arrondissements have none.
	b.load("housing-census-extract", censusFile, dwellings("75056 1396753 1128251 136109 132393", "75118 123804 108000 2800 13004"))
	if s := b.states(stats.Arrondissement, "75118")["logementRP.socialHousing"]; s.State != state.NotCovered ||
		!strings.Contains(s.Reason, "served for the whole city alone") {
		t.Errorf("why an arrondissement has no share: %+v", s)
	}
}

// A city whose rates are published by arrondissement has their mean,
// weighted with their dwellings, when all are known.
func TestVacancyOfACity(t *testing.T) {
	b := newFixture(t)
	rates := "INSEE_C;taux_vacance_25_pct;taux_vacance_long_25_pct\n69381;10;4\n"
	b.figure("lovac", "arrondissement", "69381", housing.PrivateStock, "2024", 3000)
	for code := range strings.FieldsSeq("69382 69383 69384 69385 69386 69387 69388 69389") {
		b.exec("INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES ('arrondissement-municipal', $1, $1, '69', '84', '69123', '{}')", code)
		rates += code + ";2;1\n"
		b.figure("lovac", "arrondissement", code, housing.PrivateStock, "2024", 1000)
	}
	b.load("vacancy-rates-extract", ratesFile, rates)
	b.hasParts(stats.Commune, "69123", "logement", `"year":2025,"source":"`+ratesLabel+`","status":null,"total":null,"vacant":null,"vacantOver2Years":null,"ratePct":4.18,"longTermRatePct":1.82`) // (3000 × 10 + 8000 × 2) / 11000, (3000 × 4 + 8000) / 11000
	b.load("vacancy-rates-extract", ratesFile, strings.Replace(rates, "69389;2;1", "69389;;1", 1))
	b.hasParts(stats.Commune, "69123", "logement", `"ratePct":null,"longTermRatePct":1.82`) // one arrondissement lacks the rate
	b.exec("DELETE FROM geo.stat_value WHERE code = '69381' AND measure = $1", housing.PrivateStock)
	b.wants(stats.Commune, "69123", "logement", "null")
}

// The miniature of the official archive of facilities is read as it is: compressed, with rows that are none.
func TestFacilitiesSample(t *testing.T) {
	from := testkit.FullData(t)
	b := newFixture(t)
	for code := range strings.FieldsSeq("01001 01002 10001 10002 10003 10004") {
		b.exec("INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES ('commune-actuelle', $1, $1, '75', '11', $1, '{}')", code)
	}
	content, err := os.ReadFile(filepath.Join(from, "stats/insee-bpe/sample_DS_BPE_2024.zip"))
	testkit.NoError(t, err)
	b.write("DS_BPE_2024_CSV_FR.zip", string(content))
	_, err = b.try("facilities", func(s *source.Source) { s.Checks.MinRows, s.Checks.MaxRefused = 0, 0.9 })
	testkit.NoError(t, err)
	// 10001 has 1 A206, 3 B207, 1 C107, 2 C108, 2 D307, 1 A129, and 99 of a total that is none of its types.
	b.hasParts(stats.Commune, "10001", "equipements", `"total":10,"services":2,"shops":3,"education":3,"health":2`, `"pharmacy":2`, `"primarySchool":3`)
	b.hasParts(stats.Commune, "75056", "equipements", `"total":7,`, `"station":4`)
}
