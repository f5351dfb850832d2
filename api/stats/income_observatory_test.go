package stats_test

import (
	"strings"
	"testing"

	"arpent/api/stats"
)

const (
	observatoryFile   = "insee-rp/agg_dep.json"
	observatorySource = "INSEE-DGFiP-Cnaf-Cnav-CCMSA, Filosofi, départements (dérivé par vincentroue/ptod-observatoire-territorial)"
	observatoryFrance = `{"code":"00FR","libelle":"France","P22_POP":543120,"rev_med_21":23080,"rev_med_19":21930,"rev_d9_21":41230,"rev_d9_19":39600,
		"rev_ird9d1_21":3.4,"rev_ird9d1_19":3.4,"rev_txpauv_21":14.9,"rev_txpauv_19":14.5,"rev_prestasoc_21":5.4,"rev_prestasoc_19":5.8,"rev_med_vevol_1921":5}`
	observatoryCorse = `{"code":"2A","libelle":"Corse-du-Sud","P22_POP":165000,"rev_med_21":23420,"rev_med_19":21900,"rev_d9_21":41870,"rev_d9_19":39480,
		"rev_ird9d1_21":3.6,"rev_ird9d1_19":3.5,"rev_txpauv_21":15.8,"rev_txpauv_19":16,"rev_prestasoc_21":4.8,"rev_prestasoc_19":5.3,"rev_med_vevol_1921":6.9}`
	observatoryLines = "[" + observatoryFrance + "," + observatoryCorse + "]"
)

// Départements have the poverty rates that the official files at hand lack. A figure that those tell comes from them, and
// the nation's figures are not read.
func TestIncomeOfObservatory(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.load("filosofi-distribution-departements", "insee-filosofi/FILO2019_DISP_DEP.csv",
		detailHeader+"2A;Corse-du-Sud;60125;124671;89063,9;15650;21900;29450;13800;11210;39480;3,5;4,600;0,298;5,3;2,9;-18,5\n")
	b.load("filosofi-observatory-departements", observatoryFile, observatoryLines)
	b.wants(stats.Departement, "2A", "revenus", `{"source":"`+detailSource+`; `+observatorySource+`","year":2021,"medianIncome":23420,"povertyRate":15.8,"d1":null,"d9":41870,
		"interdecileRatio":3.6,"gini":null,"taxedHouseholdsPct":null,"socialBenefitsPct":4.8,"socialMinimaPct":null,"status":null,"timeline":[
		{"year":2019,"medianIncome":21900,"povertyRate":16,"interdecileRatio":3.5,"d1":11210,"d9":39480,"gini":0.298,"source":"`+detailSource+`; `+observatorySource+`"},
		{"year":2021,"medianIncome":23420,"povertyRate":15.8,"interdecileRatio":3.6,"d1":null,"d9":41870,"gini":null,"source":"`+observatorySource+`"}],"seriesBreaks":[]}`)
	b.wants(stats.Departement, "2A", "povertyRate", "15.8")
	b.wants(stats.Departement, "2A", "medianIncome", "23420")
	b.wants(stats.Departement, "2A", "sources", `{"medianIncome":{"source":"`+observatorySource+`","year":2021},"povertyRate":{"source":"`+observatorySource+`","year":2021}}`)
	b.wants(stats.Departement, "93", "povertyRate", "null")
	b.wants(stats.Region, "94", "povertyRate", "null") // never a mean of départements

	// The official file of the year comes first.
	b.load("filosofi-departements", "insee/cc_filosofi_2021_DEP.csv", keyHeader+"2A;60000;23421;55,0;15,9;16,0;4,8;3,2;-18,3;11990;41870;3,5\n")
	b.wants(stats.Departement, "2A", "povertyRate", "15.9")
	b.wants(stats.Departement, "2A", "medianIncome", "23421")
}

// Figures of other years, of other columns or of another file are refused; what was there before stays.
func TestIncomeOfObservatoryRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.load("filosofi-distribution-departements", "insee-filosofi/FILO2019_DISP_DEP.csv",
		detailHeader+"2A;Corse-du-Sud;60125;124671;89063,9;15650;21900;29450;13800;11210;39480;3,5;4,600;0,298;5,3;2,9;-18,5\n")
	b.load("filosofi-observatory-departements", observatoryFile, observatoryLines)
	for because, content := range map[string]string{
		// The years in the names of the columns are exchanged.
		"its income.d9 of 2A in 2019 is 41870, that of the producer 39480":  strings.NewReplacer("_19\"", "_21\"", "_21\"", "_19\"").Replace(observatoryLines),
		"it has no figure of income.povertyRate":                            strings.ReplaceAll(observatoryLines, "txpauv", "pauvrete"),
		"the ninth decile of 2A, 23420 euros, is below its median of 41870": strings.NewReplacer("rev_med_21", "rev_d9_21", "rev_d9_21", "rev_med_21").Replace(observatoryLines),
		"a rate of 158 % in 2A is not one":                                  strings.Replace(observatoryLines, "15.8", "158", 1),
		"no departement has code 84":                                        strings.Replace(observatoryLines, `"2A"`, `"84"`, 1),
		"it has no column of figures":                                       strings.ReplaceAll(observatoryLines, "rev_", "log_"),
	} {
		b.refuses("filosofi-observatory-departements", observatoryFile, content, "revenus", because, anyNumber)
	}
	b.refuses("filosofi-observatory-departements", observatoryFile, observatoryLines, "revenus", "expected at least", nil)
	b.refuses("filosofi-observatory-departements", observatoryFile, observatoryLines[:300], "revenus", "", anyNumber)
	b.wants(stats.Departement, "2A", "povertyRate", "15.8")
}
