package stats_test

import (
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/source"
)

// servedFile is a file under the name and in the layout in which its producer serves it, and what is loaded
// of a code: its measures or facts, each with its period and value, in the order of their names.
type servedFile struct {
	source, file, content string
	code, want            string
	change                func(*source.Source) // default anyNumber
}

// loadsServed fails the test unless the files are loaded as they are served, one after the other.
func (b *fixture) loadsServed(t *testing.T, files ...servedFile) {
	for _, f := range files {
		t.Run(f.source, func(t *testing.T) { (&fixture{t: t, db: b.db, data: b.data}).loadsOne(f) })
	}
}

func (b *fixture) loadsOne(f servedFile) {
	change := anyNumber
	if f.change != nil {
		change = f.change
	}
	b.write(f.file, f.content)
	if _, err := b.try(f.source, change); err != nil {
		b.t.Fatalf("%s: %v", f.file, err)
	}
	const loaded = `SELECT coalesce(string_agg(line, '; ' ORDER BY line), '') FROM (
		SELECT measure || ' ' || period || ' ' || coalesce(value::text, status) AS line FROM geo.stat_value WHERE split_part(part, '/', 1) = $1 AND code = $2
		UNION ALL SELECT kind || ' ' || period || ' ' || attrs FROM geo.stat_fact WHERE split_part(part, '/', 1) = $1 AND code = $2) l`
	var got string
	testkit.NoError(b.t, b.db.QueryRow(b.t.Context(), loaded, f.source, f.code).Scan(&got))
	if got != f.want {
		b.t.Errorf("of %s in %s it has\n%s\nexpected\n%s", f.code, f.file, got, f.want)
	}
}

// An archive of incomes has a member for each level: each source reads its own, whichever separator it has.
func TestIncomesAsServed(t *testing.T) {
	b := newFixture(t)
	detail := strings.TrimPrefix(detailHeader, "\ufeff")
	key := loadkit.Archive(t, map[string]string{
		"cc_filosofi_2021_COM.csv":         keyHeader + keyBondy,
		"cc_filosofi_2021_DEP.csv":         strings.ReplaceAll("CODGEO;MED21;TP6021\n93;18400;28\n", ";", ","),
		"cc_filosofi_2021_REG.csv":         "CODGEO;MED21;TP6021\n11;24000;16,1\n",
		"cc_filosofi_2021_EPCI.csv":        "CODGEO;MED21;TP6021\n200054781;23000;18\n",
		"meta_cc_filosofi_2021_COM.csv":    "COD_VAR;LIB_VAR\nMED21;Médiane\n",
		"meta_cc_filosofi_2021_DEPREG.csv": "COD_VAR;LIB_VAR\nMED21;Médiane\n",
	})
	const keyArchive = "base-cc-filosofi-2021-geo2024_csv.zip"
	communes := loadkit.Archive(t, map[string]string{
		"FILO2019_DISP_COM.csv": detail + "93010;Bondy;18000;53000;30000,5;13000;16900;23000;10000;9000;32000;3,6;4,5;0,303;13,3;4,4;-9,1\n",
		"FILO2019_DEC_COM.csv":  detail + "93010;Bondy;1;1;1;1;5000;1;1;1;1;1;1;1;1;1;1\n",
	})
	larger := loadkit.Archive(t, map[string]string{
		"FILO2019_DISP_DEP.csv": "CODGEO;LIBGEO;Q219;D119;D919;RD\n2A;Corse-du-Sud;21900;11210;39480;3,5\n",
		"FILO2019_DISP_REG.csv": "CODGEO;LIBGEO;Q219;D119;D919;RD\n94;Corse;20950;10730;38020;3,5\n",
	})
	const largerArchive = "indic-struct-distrib-revenu-2019-SUPRA_csv.zip"
	b.loadsServed(t,
		servedFile{source: "filosofi-communes", file: keyArchive, content: key, code: "93010", want: "income.d1 2021 9310; income.d9 2021 33010; " +
			"income.interdecileRatio 2021 3.5; income.median 2021 17800; income.povertyRate 2021 32; income.socialBenefits 2021 12.9; " +
			"income.socialMinima 2021 4.6; income.taxedHouseholds 2021 38"},
		servedFile{source: "filosofi-departements", file: keyArchive, content: key, code: "93", want: "income.median 2021 18400; income.povertyRate 2021 28"},
		servedFile{source: "filosofi-regions", file: keyArchive, content: key, code: "11", want: "income.median 2021 24000; income.povertyRate 2021 16.1"},
		servedFile{source: "filosofi-distribution-communes", file: "indic-struct-distrib-revenu-2019-COMMUNES_csv.zip", content: communes, code: "93010",
			want: "income.d1 2019 9000; income.d9 2019 32000; income.gini 2019 0.303; income.interdecileRatio 2019 3.6; income.median 2019 16900; " +
				"income.socialBenefits 2019 13.3; income.socialMinima 2019 4.4"},
		servedFile{source: "filosofi-distribution-departements", file: largerArchive, content: larger, code: "2A",
			want: "income.d1 2019 11210; income.d9 2019 39480; income.interdecileRatio 2019 3.5; income.median 2019 21900"},
		servedFile{source: "filosofi-distribution-regions", file: largerArchive, content: larger, code: "94",
			want: "income.d1 2019 10730; income.d9 2019 38020; income.interdecileRatio 2019 3.5; income.median 2019 20950"},
	)
}

// The table of the census of 2020 was corrected, and its name in the archive has a version.
func TestEmploymentAsServed(t *testing.T) {
	newFixture(t).loadsServed(t, servedFile{source: "rp-emploi", file: "base-cc-emploi-pop-active-2020_csv.zip", content: loadkit.Archive(t, map[string]string{
		"base-cc-emploi-pop-active-2020_v2.CSV":      "CODGEO;P20_POP1564;P20_ACT1564;P20_CHOM1564\n93010;34000.5;25000.5;4000.5\n",
		"meta_base-cc-emploi-pop-active-2020_v2.CSV": "COD_VAR;LIB_VAR\nP20_POP1564;Population\n",
	}), code: "93010", want: "employment.active1564 2020 25000.5; employment.population1564 2020 34000.5; employment.unemployed1564 2020 4000.5"})
}

// Births and deaths of départements and régions come in a file an indicator, which are loaded
// together; a cell without a figure is none.
func TestPopulationAsServed(t *testing.T) {
	b := newFixture(t)
	const header = "\ufeffcodgeo;libgeo;an;"
	b.loadsServed(t,
		servedFile{source: "rp-evolution-region", file: "insee_rp_evol_1968_region_tx_morta.csv", content: header + "tx_morta\n11;Île-de-France;2013-2018;6,10\n",
			code: "11", want: "demography.deathRate 2013-2018 6.1"},
		servedFile{source: "rp-evolution-region", file: "insee_rp_evol_1968_region_tx_nat.csv", content: header + "tx_nat\n11;Île-de-France;2013-2018;15,20\n94;Corse;2013-2018;-9999\n",
			code: "11", want: "demography.birthRate 2013-2018 15.2; demography.deathRate 2013-2018 6.1"},
	)
}

// The names of columns and files that changed from one edition to the next are read like those before.
func TestHousingAsServed(t *testing.T) {
	b := newFixture(t)
	// Merged in 2026: an edition of that year has what it is now.
	b.exec("UPDATE geo.commune_movement SET day = '2026-01-01' WHERE code_after = '91001'")
	const vacancy = "housing.private.stock 2025 13617; housing.private.vacant 2026 807; housing.private.vacantLong 2026 440"
	b.loadsServed(t,
		servedFile{source: "housing-census-2022", file: "base-cc-logement-2022_csv.zip", content: loadkit.Archive(t, map[string]string{
			"base-cc-logement-2022.CSV": "CODGEO;P22_LOG;P22_RP;P22_RSECOCC;P22_LOGVAC;P22_RP_ACHTOT;P22_RP_ACH1919;P22_RP_ACH1945;P22_RP_ACH1970;P22_RP_ACH1990;" +
				"P22_RP_ACH2005;P22_RP_ACH2019;C22_RP_NORME;C22_RP_SUROCC_MOD\n93010;1000;800;120;80;790;10;20;30;40;50;60;500;40\n",
			"meta_base-cc-logement-2022.CSV": "COD_VAR;LIB_VAR\nP22_LOG;Logements\n",
		}), code: "93010", want: "housing.main 2022 800; housing.main.built1919to1945 2022 20; housing.main.built1946to1970 2022 30; " +
			"housing.main.built1971to1990 2022 40; housing.main.built1991to2005 2022 50; housing.main.builtBefore1919 2022 10; " +
			"housing.main.builtSince2006 2022 60; housing.secondary 2022 120; housing.total 2022 1000; housing.vacant 2022 80"},
		servedFile{source: "vacancy-commune", file: "lovac-opendata-communes26.csv", content: latin1("CODGEO_26;LIBGEO_26;DEP ;LIB_DEP;ff_pp_total_25;pp_vacant_26;pp_vacant_plus_2ans_26\n" +
			"91001;Abbéville-la-Rivière;91;Essonne;13\u00a0617;807 ;440\n"), code: "91001", want: vacancy},
		servedFile{source: "vacancy-commune", file: "lovac-opendata-communes27.csv", content: "CODGEO_27;ff_pp_total_26;pp_vacant_27;pp_vacant_plus_2ans_27\n93010;100;8;4\n",
			code: "93010", want: "housing.private.stock 2026 100; housing.private.vacant 2027 8; housing.private.vacantLong 2027 4"},
		servedFile{source: "vacancy-departement", file: "lovac_opendata_dep.csv", content: latin1("DEP ;LIB_DEP ;pp_total_24 ;pp_vacant_25 ;pp_vacant_plus_2ans_25 \n93 ;Seine-Saint-Denis ;500000 ;30000 ;s \n"),
			code: "93", want: "housing.private.stock 2024 500000; housing.private.vacant 2025 30000; housing.private.vacantLong 2025 secret"},
		servedFile{source: "housing-social", file: "taux-de-logements-sociaux-communes.csv", content: "\ufeffCode Commune;Nom Commune;Taux de logements sociaux (%)\r\n93010;Bondy;42,0\r\n2A247;Porto-Vecchio;0,0\r\n",
			code: "93010", want: "housing.socialRate  42"},
	)
}

// The table of facilities of the catalogue is in the geography of the year after its own.
func TestFacilitiesAsServed(t *testing.T) {
	b := newFixture(t)
	b.exec("UPDATE geo.commune_movement SET day = '2026-01-01' WHERE code_before = '15141'")
	const header = "GEO;GEO_OBJECT;FACILITY_DOM;FACILITY_SDOM;FACILITY_TYPE;BPE_MEASURE;TIME_PERIOD;OBS_VALUE\n"
	b.loadsServed(t,
		servedFile{source: "facilities", file: "DS_BPE_CSV_FR.zip", content: loadkit.Archive(t, map[string]string{
			"DS_BPE_2025_data.csv": header + "15141;COM;B;B2;B207;FACILITIES;2025;3\n", "DS_BPE_2025_metadata.csv": "COD_VAR\n",
		}), code: "15141", want: "facilities.bakery 2025 3; facilities.family.B 2025 3; facilities.total 2025 3"},
	)
}

// The figures of Guadeloupe stand under a code of their own, with Saint-Martin; each edition of the
// accessibility of doctors has its years, and those of the one before stay; provisional, monthly
// and other ages' life expectancy is left out.
func TestHealthAsServed(t *testing.T) {
	b := newFixture(t)
	b.exec("INSERT INTO geo.region (code, name) VALUES ('01', 'Guadeloupe')")
	product := func(header, row string) string {
		return loadkit.Archive(t, map[string]string{"DS_COMPTES_REGIONAUX_data.csv": header + row, "DS_COMPTES_REGIONAUX_metadata.csv": "COD_VAR\n"})
	}
	const accounts = "GEO;GEO_OBJECT;REF_AREA;STO;ACTIVITY;ACCOUNTING_ENTRY;UNIT_MEASURE;UNIT_MULT;FREQ;PRICES;TIME_PERIOD;OBS_STATUS_FR;OBS_VALUE\n"
	const deaths = "GEO;GEO_OBJECT;EC_MEASURE;AGE;SEX;FREQ;OBS_STATUS;OBS_STATUS_FR;UNIT_MEASURE;TIME_PERIOD;OBS_VALUE\n"
	const former, newer = "apl_medecins_generalistes_2021.xlsx", "apl_medecins_generalistes.xlsx"
	b.write(former, loadkit.Workbook(t, []string{"APL 2021"}, doctorsSheet("2021", "93010;Bondy;2.4;2.25;2.126;2;40000;54000")))
	editions := loadkit.Workbook(t, []string{"APL 2022"}, doctorsSheet("2022", "93010;Bondy;2.5;2.25;2.126;2;41000;54100"))
	doctors := func(year, all, standardised, people string) string {
		return "doctors.all " + year + " " + all + "; doctors.population " + year + " " + people + "; doctors.standardised " + year + " " + standardised +
			"; doctors.under60 " + year + " 2; doctors.under62 " + year + " 2.126; doctors.under65 " + year + " 2.25"
	}
	b.loadsServed(t,
		servedFile{source: "comptes-regionaux", file: "DS_COMPTES_REGIONAUX_CSV_FR.zip", content: product(accounts,
			"01_COMER978;OTHER;FRY1;B1GQ;_T;B;XDC;6;A;V;2022;SD;10400\n01_COMER978;OTHER;FRY1;B1GQ;_T;C;XDC;6;A;V;2022;SD;1\n11;REG;FR1;B1GQ;_T;B;XDC;6;A;V;2022;SD;820000\nFM;FRANCE;FM;B1GQ;_T;B;XDC;6;A;V;2022;SD;2600000\n"),
			code: "01", want: `gdp 2022 {"status": "semiFinal", "millionEur": 10400, "perCapitaEur": null}`},
		servedFile{source: "apl-2021", file: newer, content: editions, code: "93010", want: doctors("2021", "2.4", "40000", "54000"), change: small},
		servedFile{source: "apl-2022", file: newer, content: editions, code: "93010", want: doctors("2022", "2.5", "41000", "54100"), change: small},
		servedFile{source: "life-expectancy-melodi", file: "DS_DECES_MORTALITE_SERIES_CSV_FR.zip", content: loadkit.Archive(t, map[string]string{
			"DS_DECES_MORTALITE_SERIES_data.csv": deaths + "93;DEP;LEXPEC;Y0;M;A;A;P;YR;2024;79.9\n93;DEP;LEXPEC;Y0;F;A;A;P;YR;2024;85.3\n93;DEP;LEXPEC;Y60;F;A;A;P;YR;2024;27\n" +
				"93;DEP;DTH;_T;_T;M;A;P;PS;2024-01;700\nFM;FRANCE;LEXPEC;Y0;F;A;A;P;YR;2024;85.6\n",
			"DS_DECES_MORTALITE_SERIES_metadata.csv": "COD_VAR\n",
		}), code: "93", want: "life.men 2024 79.9; life.women 2024 85.3"},
	)
}

// The archive of the air has a file a year, with a title above the header, and commas; a
// single file has the year of its figures and that of its edition in its name; a station
// without a position is left out of its file.
func TestEnvironmentAsServed(t *testing.T) {
	b := newFixture(t)
	title := latin1(ineris)
	const name = "Indicateurs_QualiteAir_France_Commune_"
	station := months("93010001", "48.9", "2.49", 10, 1991, 2020) + strings.Repeat("93010002;SANS POSITION;;;50;202001;12.0;1;20.0;1;10.0;1;30\n", 20)
	b.loadsServed(t,
		servedFile{source: "air-communes", file: name + "2000-2015_Ineris_v.Sep2020.zip", content: loadkit.Archive(t, map[string]string{
			name + "2014_Ineris_v.Sep2020.csv": title + air("93010", "30", "20", "15"),
			name + "2015_Ineris_v.Sep2020.csv": title + air("93010", "25", "19", "12"),
		}), code: "93010", want: "air.no2 2015 25; air.pm10 2015 19; air.pm25 2015 12"},
		servedFile{source: "air-communes", file: name + "2019_Ineris_v.Dec2024.csv", content: title + air("93066", "22", "17", "10"),
			code: "93066", want: "air.no2 2019 22; air.pm10 2019 17; air.pm25 2019 10"},
		servedFile{source: "climat-mensuel", file: "MENSQ_93_previous-1950-2024.csv", content: monthsHeader + station, code: "93010002"},
	)
}
