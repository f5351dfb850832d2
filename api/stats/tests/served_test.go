package stats_test

import (
	"strings"
	"testing"

	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

// servedFile is a file under the name and in the layout in which its producer serves it, and what is loaded of a code: its
// measures or facts, each with its period and value, in the order of their names.
type servedFile struct {
	source, file, content string
	code, want            string
	change                func(*source.Source) // default anyNumber
}

// loadsServed fails the test unless the files are loaded as they are served, one after the other.
func (b *fixture) loadsServed(t *testing.T, files ...servedFile) {
	for _, f := range files {
		t.Run(f.source, func(t *testing.T) { (&fixture{t, b.db, b.data}).loadsOne(f) })
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
	if err := b.db.QueryRow(b.t.Context(), loaded, f.source, f.code).Scan(&got); err != nil {
		b.t.Fatal(err)
	}
	if got != f.want {
		b.t.Errorf("of %s in %s it has\n%s\nexpected\n%s", f.code, f.file, got, f.want)
	}
}

// An archive of incomes has a member for each level: each source reads its own, whichever separator it has.
func TestIncomesAsServed(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	newFixture(t).loadsServed(t, servedFile{source: "rp-emploi", file: "base-cc-emploi-pop-active-2020_csv.zip", content: loadkit.Archive(t, map[string]string{
		"base-cc-emploi-pop-active-2020_v2.CSV":      "CODGEO;P20_POP1564;P20_ACT1564;P20_CHOM1564\n93010;34000.5;25000.5;4000.5\n",
		"meta_base-cc-emploi-pop-active-2020_v2.CSV": "COD_VAR;LIB_VAR\nP20_POP1564;Population\n",
	}), code: "93010", want: "employment.active1564 2020 25000.5; employment.population1564 2020 34000.5; employment.unemployed1564 2020 4000.5"})
}

// Births and deaths of départements and régions come in a file an indicator, which are loaded together; a cell without a
// figure is none.
func TestPopulationAsServed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	const header = "\ufeffcodgeo;libgeo;an;"
	b.loadsServed(t,
		servedFile{source: "rp-evolution-region", file: "insee_rp_evol_1968_region_tx_morta.csv", content: header + "tx_morta\n11;Île-de-France;2013-2018;6,10\n",
			code: "11", want: "demography.deathRate 2013-2018 6.1"},
		servedFile{source: "rp-evolution-region", file: "insee_rp_evol_1968_region_tx_nat.csv", content: header + "tx_nat\n11;Île-de-France;2013-2018;15,20\n94;Corse;2013-2018;-9999\n",
			code: "11", want: "demography.birthRate 2013-2018 15.2; demography.deathRate 2013-2018 6.1"},
	)
	// A workbook is named by the year in which it came into force: under its census year it would be taken for an older one.
	b.load("population-reference", legalFile, legalHeader+legalBondy)
	content := workbook(t, "11;;93;2;01;010;Bondy;55000;500;55500;")
	b.loadsServed(t, servedFile{source: "population-reference-workbook", file: "ensemble_2026.xlsx", content: content, code: "93010",
		want: "population.municipal 2023 55000; population.total 2023 55500"})
	b.refuses("population-reference-workbook", "ensemble_2023.xlsx", content, "population", "are those of 2023, and not of 2020", anyNumber)
}
