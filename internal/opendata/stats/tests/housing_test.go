package stats_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

const (
	censusFile  = "logement/rp_vacance_communes_2021.json"
	ratesFile   = "logement/lovac_communes_2025_taux.csv"
	censusLabel = "INSEE, Recensement de la population, logement (dérivé par bpineau/gazetteer)"
)

// dwellings writes the extract of the census: code, all, main, second, vacant.
func dwellings(rows ...string) string {
	var out []string
	for _, row := range rows {
		c := strings.Fields(row)
		out = append(out, `"`+c[0]+`":{"log":`+c[1]+`,"rp":`+c[2]+`,"rsec":`+c[3]+`,"vac":`+c[4]+`,"vacancy_rate_pct":7.88}`) // made before rounding
	}
	return `{"communes":{` + strings.Join(out, ",") + `},"meta":{"data_year":2021}}`
}

// mergeOf2025 makes the merger of 91999 into 91001 one that the files have not followed yet.
const mergeOf2025 = "UPDATE geo.commune_movement SET day = '2025-01-01' WHERE code_after = '91001'"

// A customer gets the dwellings of a commune, those of merged ones together, and none of a commune whose
// territory is another one since. Paris is counted once although its arrondissements are in the file too.
func TestHousingOfTheCensus(t *testing.T) {
	b := newFixture(t)
	b.exec(mergeOf2025)
	b.load("housing-census-extract", censusFile, dwellings("93010 21936 20018 185 1734", "93066 100 90 4 6", "75056 1396753 1128251 136109 132393",
		"75101 13891 9500 2982 1409", "75118 123804 102449 8391 12964", "91001 40 30 5 5", "91999 10 8 1 1", "15141 1344 822 261 261"))
	year := `{"year":2021,"source":"` + censusLabel + `",`
	b.wants(stats.Commune, "93010", "logement", `{"source":"`+censusLabel+`","year":2021,"rounded":true,"privateVacancy":null,"timeline":[`+year+
		`"total":21936,"main":20018,"secondary":185,"vacant":1734,"vacancyRatePct":7.88,"secondaryRatePct":0.84,"houses":null,"apartments":null,"rounded":true}]}`)
	b.wants(stats.Commune, "91001", "logement", `{"source":"`+censusLabel+`","year":2021,"rounded":true,"privateVacancy":null,"timeline":[`+year+
		`"total":50,"smallBase":true,"main":38,"secondary":6,"vacant":6,"vacancyRatePct":12,"secondaryRatePct":12,"houses":null,"apartments":null,"rounded":true}]}`)
	b.wants(stats.Commune, "93010", "logementRP", `{"source":"`+censusLabel+`","year":2021,"rounded":true,"main":20018,"tenure":null,"rooms":null,"buildPeriod":null,
		"heating":null,"carlessPct":null,"overcrowdedPct":null,"socialHousing":null}`)
	b.wants(stats.Commune, "15141", "logement", "null")
	b.wants(stats.Commune, "2A247", "logement", "null")
	b.wants(stats.Departement, "75", "totalHousing", "1396753")
	b.wants(stats.Departement, "93", "totalHousing", "22036")
	b.wants(stats.Departement, "93", "vacantHousing", "1740")
	b.wants(stats.Region, "11", "totalHousing", "1418839")   // 1396753 + 22036 + 50
	b.wants(stats.Departement, "15", "totalHousing", "1344") // of what was taken apart since
	b.wants(stats.Departement, "93", "sources", `{"totalHousing":{"source":"`+censusLabel+`","year":2021,"rounded":true},"vacantHousing":{"source":"`+censusLabel+`","year":2021,"rounded":true}}`)
}

// Territories that were taken apart in the year of the geography have the census figures of what they were
// before: their département has them, and none of the communes.
func TestHousingOfRestoredCommunes(t *testing.T) {
	b := newFixture(t)
	b.exec("UPDATE geo.commune_movement SET day = '2024-01-01' WHERE code_before = '15141'")
	b.load("housing-census-extract", censusFile, dwellings("93010 21936 20018 185 1734", "15141 1344 822 261 261"))
	b.wants(stats.Commune, "15141", "logement", "null")
	b.wants(stats.Departement, "15", "totalHousing", "1344")        // of what was taken apart since
	b.hasParts(stats.Commune, "93010", "logement", `"total":21936`) // it stayed whole
}

// A file that is another one, cut off or of a changed layout leaves what is served as it is.
func TestHousingFilesThatAreRefused(t *testing.T) {
	b := newFixture(t)
	b.load("housing-census-extract", censusFile, dwellings("75056 1396753 1128251 136109 132393", "93010 21936 20018 185 1734"))
	before := b.block(stats.Commune, "93010", "logement")
	for _, tc := range []struct{ name, content, because string }{
		{"cut off", dwellings("75056 1396753 1128251 136109 132393")[:60], "cut"},
		{"few communes", dwellings("75056 1396753 1128251 136109 132393"), "expected at least"},
		{"of another year", dwellings("75056 1400000 1128251 136109 135640", "93010 1 1 0 0"), "1396753"},
		{"columns mixed up", dwellings("75056 1396753 1128251 136109 132393", "93010 20018 21936 185 1734"), "its main, second and vacant ones"},
		{"other names", strings.ReplaceAll(dwellings("93010 1 1 0 0"), `"vac"`, `"vacants"`), "no figure of housing.vacant"},
		{"another source", `{"communes":{"93010":{"boulangerie":3}}}`, "no column of figures"},
	} {
		b.write(censusFile, tc.content)
		_, err := b.try("housing-census-extract", func(s *source.Source) {
			if tc.name != "few communes" {
				s.Checks.MinRows = 0
			}
		})
		if err == nil || tc.name != "cut off" && !strings.Contains(err.Error(), tc.because) {
			t.Errorf("%s: %v, expected %q", tc.name, err, tc.because)
		}
	}
	same(t, "logement", b.block(stats.Commune, "93010", "logement"), before)
}

// The table of the census has all of what is served of main residences, and two censuses before.
func TestHousingCensusTable(t *testing.T) {
	b := newFixture(t)
	b.exec(mergeOf2025)
	header := "CODGEO;P22_LOG;P22_RP;P22_RSECOCC;P22_LOGVAC;P22_MAISON;P22_APPART;P22_RP_PROP;P22_RP_LOC;P22_RP_LOCHLMV;P22_RP_GRAT;P22_NBPI_RP;" +
		"P22_RP_1P;P22_RP_2P;P22_RP_3P;P22_RP_4P;P22_RP_5PP;P22_RP_ACH19;P22_RP_ACH45;P22_RP_ACH70;P22_RP_ACH90;P22_RP_ACH05;P22_RP_ACH2019;" +
		"P22_RP_VOIT1P;C22_RP_HSTU1P;C22_RP_HSTU1P_SUROCC;P17_LOG;P17_RP;P17_RSECOCC;P17_LOGVAC\n"
	b.load("housing-census-2022", "rp/base-cc-logement-2022.csv", header+
		"93010;1000.4;800.4;120;80;600;400.4;500.2;250.2;100.1;50;2801.4;50;100;200;200;250.4;10;20;30;40;50;60;600.3;700;70;950;780;100;70\n"+
		"2A247;s;s;s;s;;;;;;;;;;;;;;;;;;;;;;;;;\n"+
		"91001;10.5;8.5;1;1;;;;;;;;;;;;;;;;;;;;;;;;;\n91999;20.1;18.1;1;1;;;;;;;;;;;;;;;;;;;;;;;;;\n")
	label := "INSEE, Recensement de la population, logement 2022"
	b.wants(stats.Commune, "93010", "logementRP", `{"source":"`+label+`","year":2022,"main":800,
		"tenure":{"ownersPct":62.49,"tenantsPct":31.26,"privateTenantsPct":18.75,"socialTenantsPct":12.51,"freePct":6.25},
		"rooms":{"one":50,"two":100,"three":200,"four":200,"fivePlus":250,"averageRooms":3.5},
		"buildPeriod":{"before1919":10,"y1919to1945":20,"y1946to1970":30,"y1971to1990":40,"y1991to2005":50,"since2006":60},
		"heating":null,"carlessPct":25,"overcrowdedPct":10,"socialHousing":null}`)
	b.wants(stats.Commune, "93010", "logement", `{"source":"`+label+`","year":2022,"privateVacancy":null,"timeline":[
		{"year":2017,"source":"`+label+`","total":950,"main":780,"secondary":100,"vacant":70,"vacancyRatePct":7.37,"secondaryRatePct":10.53,"houses":null,"apartments":null},
		{"year":2022,"source":"`+label+`","total":1000,"main":800,"secondary":120,"vacant":80,"vacancyRatePct":8,"secondaryRatePct":12,"houses":600,"apartments":400}]}`)
	b.wants(stats.Commune, "2A247", "logement", "null") // secret
	b.wants(stats.Departement, "91", "totalHousing", "31")

	before := b.block(stats.Commune, "93010", "logement")
	b.write("rp/base-cc-logement-2022.csv", strings.ReplaceAll(header, "22_", "21_")+"93010"+strings.Repeat(";1", 29)+"\n")
	_, err := b.try("housing-census-2022", func(s *source.Source) { s.Checks.MinRows = 0 })
	if err == nil || !strings.Contains(err.Error(), "its name says 2022") {
		t.Errorf("a file of another year: %v", err)
	}
	same(t, "logement", b.block(stats.Commune, "93010", "logement"), before)
}

// Of the long table rows with one characteristic are read, never totals next to their parts.
func TestHousingLongTable(t *testing.T) {
	b := newFixture(t)
	header := "GEO;GEO_OBJECT;RP_MEASURE;OCS;TDW;NOR;TSH;L_STAY;NRG_SRC;CARS;CARPARK;BUILD_END;CONF_STATUS;OBS_STATUS;TIME_PERIOD;OBS_VALUE\n"
	row := func(place, object, ocs, tdw, nor, tsh, fuel, cars, built, status, value string) string {
		return strings.Join([]string{place, object, "DWELLINGS", ocs, tdw, nor, tsh, "_T", fuel, cars, "_T", built, "F", status, "2023", value}, ";") + "\n"
	}
	all := "_T"
	b.load("housing-census-long", "rp/DS_RP_LOGEMENT_PRINC_2023_CSV_FR.csv", header+
		row("93010", "COM", all, all, all, all, all, all, all, "A", "1000")+
		row("93010", "COM", "DW_MAIN", all, all, all, all, all, all, "A", "800")+
		row("93010", "COM", "DW_VAC", all, all, all, all, all, all, "A", "50")+
		row("93010", "COM", all, "1", all, all, all, all, all, "A", "300")+
		row("93010", "COM", "DW_MAIN", "1", all, all, all, all, all, "A", "250")+
		row("93010", "COM", "DW_MAIN", all, all, "100", all, all, all, "A", "400")+
		row("93010", "COM", "DW_MAIN", all, "R2", "100", all, all, all, "A", "7")+
		row("93010", "COM", "DW_MAIN", all, all, all, "OIL", all, all, "A", "80")+
		row("93010", "COM", "DW_MAIN", all, all, all, all, "C0", all, "A", "200")+
		row("91999", "COM", all, all, all, all, all, all, all, "K", "5")+
		row("75056", "COM", all, all, all, all, all, all, all, "A", "70")+
		row("75101", "ARM", all, all, all, all, all, all, all, "A", "30")+
		row("93", "DEP", all, all, all, all, all, all, all, "A", "9000"))
	b.hasParts(stats.Commune, "93010", "logementRP", `"ownersPct":50,"tenantsPct":null`, `"oilPct":10`, `"carlessPct":25`, `"rooms":null`)
	b.hasParts(stats.Commune, "93010", "logement", `"total":1000,"main":800,"secondary":null,"vacant":50,"vacancyRatePct":5`, `"houses":300`)
	b.wants(stats.Departement, "93", "totalHousing", "9000")
	b.wants(stats.Departement, "75", "totalHousing", "70")
	b.wants(stats.Commune, "91001", "logement", "null")
}

// insertPermits writes a load of one of the files of Sitadel, with a permit of two dwellings and 50 m² for
// each commune and year.
func (b *fixture) insertPermits(file string, places ...string) {
	b.t.Helper()
	part := "sitadel-" + file
	b.exec(`INSERT INTO geo.load (source, producer, title, licence, vintage, files, checksum, row_count, refused_count, refused,
			started_at, loaded_at, active)
		VALUES ($1, 'SDES', 'Sitadel', 'test', '2026-08', '[]', '', 1, 0, '[]', now(), now(), true)`, part)
	for _, place := range places {
		code, year, _ := strings.Cut(place, " ")
		b.exec(`INSERT INTO geo.permit (part, id, type, number, code, area, prefix, state, date, dwellings, premises_area, refs)
			VALUES ($1, $2, 'PC', $2, $3, $3, '', 2, make_date($4::integer, 5, 1), 2, 50, '{}')`, part, code+year, code, year)
	}
}

// That a commune has no permit is said only where all four files are loaded, and a count is 0 only in the
// years of its file: before, it is not known.
func TestPermitsOfACommune(t *testing.T) {
	b := newFixture(t)
	b.insertPermits("logements", "93066 2015", "93066 2024")
	if s := b.states(stats.Commune, "93010")["permits"]; s.State != state.NotLoaded || s.Source != "sitadel-locaux" {
		t.Errorf("with one of the files the state is %+v", s)
	}
	b.insertPermits("locaux", "91001 2020", "91001 2024")
	b.insertPermits("amenager", "91001 2020", "91001 2024")
	b.insertPermits("demolir", "91001 2020")
	if s := b.states(stats.Commune, "93010")["permits"]; s.State != state.None {
		t.Errorf("with all files the state is %+v", s)
	}
	const year = `{"year":%d,"dwellingPermits":1,"dwellings":2,"premisesPermits":%s,"premisesAreaM2":%[2]s,` +
		`"developmentPermits":%[2]s,"demolitionPermits":null}`
	want := `"years":[` + fmt.Sprintf(year, 2015, "null") + "," + fmt.Sprintf(year, 2024, "0") + "]"
	b.hasParts(stats.Commune, "93066", "permits", want)
}

// A customer gets the prices of houses and of flats apart, by year and by rooms, and none that fewer than
// five sales make. A city has those of its arrondissements, and what is older than five years does not count.
func TestPricesOfCommunes(t *testing.T) {
	b := newFixture(t)
	b.wants(stats.Commune, "93010", "prices", "null")
	const head = "id_mutation,date_mutation,numero_disposition,nature_mutation,valeur_fonciere,code_commune,id_parcelle,lot1_numero," +
		"nombre_lots,code_type_local,type_local,surface_reelle_bati,nombre_pieces_principales,nature_culture,nature_culture_speciale,surface_terrain,longitude,latitude\n"
	rows, n := head, 0
	sale := func(commune, date, kind string, price, built, rooms int) {
		n++
		rows += fmt.Sprintf("%s-%d,%s,1,Vente,%d,%s,%s0000A%04d,,0,2,%s,%d,%d,,,,2.48,48.9\n", date[:4], n, date, price, commune, commune, n, kind, built, rooms)
	}
	for i := range 5 {
		sale("93010", "2022-03-01", "Appartement", 100_000+10_000*i, 50, 2)
	}
	sale("93010", "2023-03-01", "Appartement", 300_000, 50, 8)
	sale("93010", "2017-03-01", "Appartement", 900_000, 50, 2)
	sale("93010", "2023-12-31", "Maison", 400_000, 100, 0)
	sale("75118", "2023-12-31", "Appartement", 500_000, 50, 2)
	b.load("dvf", "geo-dvf/full.csv", rows)
	b.wants(stats.Commune, "93010", "prices", `{"source":"DGFiP et Etalab, Demandes de valeurs foncières géolocalisées","year":2023,"periodFrom":"2019-01-01","periodTo":"2023-12-31","byType":[
		{"type":"Appartement","sales":6,"medianPricePerM2":2500,"q1":2250,"q3":2750,"medianPriceEur":125000,
			"byYear":[{"year":2022,"sales":5,"medianPricePerM2":2400,"q1":2200,"q3":2600,"medianPriceEur":120000},
				{"year":2023,"sales":1,"medianPricePerM2":null,"q1":null,"q3":null,"medianPriceEur":null}],
			"byRooms":[{"rooms":2,"sales":5,"medianPricePerM2":2400,"q1":2200,"q3":2600,"medianPriceEur":120000},
				{"rooms":6,"sales":1,"medianPricePerM2":null,"q1":null,"q3":null,"medianPriceEur":null}]},
		{"type":"Maison","sales":1,"medianPricePerM2":null,"q1":null,"q3":null,"medianPriceEur":null,
			"byYear":[{"year":2023,"sales":1,"medianPricePerM2":null,"q1":null,"q3":null,"medianPriceEur":null}],"byRooms":[]}],
		"note":"Sales of exactly one house or flat (outbuildings allowed), of nature Vente, at 100 to 30 000 euros per m²: no valuation of a dwelling. Medians are null under five sales. In byRooms 6 rooms are six or more. No sale before 2019-01-01 or after 2023-12-31 is in it."}`)
	for _, at := range []struct {
		level stats.Level
		code  string
	}{{stats.Commune, "75056"}, {stats.Arrondissement, "75118"}} {
		b.hasParts(at.level, at.code, "prices", `"byType":[{"type":"Appartement","sales":1,`)
	}
	b.wants(stats.Commune, "93066", "prices", "null")
}

// Where sales of one commune are loaded, the state of an arrondissement without any is that of other
// communes: sales are loaded elsewhere, and not none at all.
func TestPricesOfArrondissementsWithoutSales(t *testing.T) {
	b := newFixture(t)
	b.load("dvf", "dvf-93010.csv", "id_mutation,date_mutation,numero_disposition,nature_mutation,valeur_fonciere,code_commune,"+
		"id_parcelle,lot1_numero,nombre_lots,code_type_local,type_local,surface_reelle_bati,nombre_pieces_principales,nature_culture,"+
		"nature_culture_speciale,surface_terrain,longitude,latitude\n"+
		"2022-1,2022-03-01,1,Vente,100000,93010,930100000A0001,,0,2,Appartement,50,2,,,,2.48,48.9\n")
	want := b.states(stats.Commune, "93066")["prices"]
	if got := b.states(stats.Arrondissement, "75118")["prices"]; want.State != state.NotCovered ||
		got.State != want.State || got.Reason != want.Reason {
		t.Errorf("%+v, and of a commune %+v", got, want)
	}
}
