package stats_test

import (
	"strings"
	"testing"

	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

const (
	keyFile   = "insee-filosofi/cc_filosofi_2021_COM.csv"
	keyHeader = "CODGEO;NBMENFISC21;MED21;PIMP21;TP6021;TP60AGE121;PPSOC21;PPMINI21;PIMPOT21;D121;D921;RD21\n"
	keyBondy  = "93010;18000;17800;38,0;32,0;40,0;12,9;4,6;-9,0;9310;33010;3,5\n"
	keyLines  = keyHeader + keyBondy + "75056;1007247;29730;69,0;16,0;18,0;2,7;1,3;-28,5;11240;71610;6,4\n75101;8414;35030;71,0;12,0;20,0;1,4;0,7;-31,4;12610;94430;7,5\n75118;99;24000;s;s;s;s;s;s;s;s;s\n" +
		"2A247;300;21560;s;s;s;s;s;s;s;s;s\n97411;nd;nd;nd;nd;nd;nd;nd;nd;nd;nd;nd\n15141;800;21000;s;s;s;s;s;s;s;s;s\n"
	keySource    = "INSEE-DGFiP-Cnaf-Cnav-CCMSA, Filosofi, chiffres clés"
	detailSource = "INSEE-DGFiP-Cnaf-Cnav-CCMSA, Filosofi, distribution des revenus disponibles"
	detailHeader = "\ufeffCODGEO;LIBGEO;NBMEN19;NBPERS19;NBUC19;Q119;Q219;Q319;Q3_Q1;D119;D919;RD;S80S2019;GI19;PPSOC19;PPMINI19;PIMPOT19\n"
)

// A commune has the producer's own figures; what is secret is null and said to be. Paris has its own row,
// which is not mixed with those of its arrondissements. No département has a mean of its communes.
func TestIncome(t *testing.T) {
	b := newFixture(t)
	b.load("filosofi-communes", keyFile, keyLines)
	b.wants(stats.Commune, "93010", "revenus", `{"source":"`+keySource+`","year":2021,"medianIncome":17800,"povertyRate":32,"d1":9310,"d9":33010,"interdecileRatio":3.5,
		"gini":null,"taxedHouseholdsPct":38,"socialBenefitsPct":12.9,"socialMinimaPct":4.6,"status":null,
		"timeline":[{"year":2021,"medianIncome":17800,"povertyRate":32,"interdecileRatio":3.5,"d1":9310,"d9":33010,"gini":null,"source":"`+keySource+`"}],"seriesBreaks":[]}`)
	b.wants(stats.Commune, "2A247", "revenus", `{"source":"`+keySource+`","year":2021,"medianIncome":21560,"povertyRate":null,"d1":null,"d9":null,"interdecileRatio":null,
		"gini":null,"taxedHouseholdsPct":null,"socialBenefitsPct":null,"socialMinimaPct":null,"status":"partial",
		"timeline":[{"year":2021,"medianIncome":21560,"povertyRate":null,"interdecileRatio":null,"d1":null,"d9":null,"gini":null,"source":"`+keySource+`"}],"seriesBreaks":[]}`)
	// A rate that the producer withholds is not one that no file has: the place may be poor.
	secret := b.states(stats.Commune, "2A247")
	for _, part := range []string{"povertyRate", "d1", "d9", "interdecileRatio", "taxedHouseholdsPct"} {
		if s := secret["revenus."+part]; s.State != state.Secret || s.Reason != "The producer keeps the figure secret." {
			t.Errorf("%s, which is secret, has the state %+v", part, s)
		}
	}
	if s, has := secret["revenus.gini"]; has {
		t.Errorf("the file has no column of the Gini index, and the state is %+v", s)
	}
	b.hasParts(stats.Commune, "75056", "revenus", `"medianIncome":29730,"povertyRate":16,`)
	if s := b.states(stats.Departement, "93")["povertyRate"]; !strings.HasSuffix(s.Reason, "Communes have it as revenus.povertyRate: list_communes.") {
		t.Errorf("the poverty rate of a département: %+v", s)
	}
	// Not available, and split since.
	b.wants(stats.Commune, "97411", "revenus", "null")
	says(t, b, "15141", "split")
	if got := b.states(stats.Commune, "15141")["revenus"]; got.State != state.NotCovered || !strings.Contains(got.Reason, "territory of today") {
		t.Errorf("of a commune that was split, whose median is no secret, the state is %+v", got)
	}
	for _, key := range []string{"revenus", "medianIncome", "povertyRate"} {
		b.wants(stats.Departement, "93", key, "null")
	}
	b.refuses("filosofi-communes", keyFile, strings.ReplaceAll(keyLines, "21;", "20;"), "revenus", "it has figures of 2020, its name says 2021", anyNumber)
	b.refuses("filosofi-communes", keyFile, strings.Replace(keyLines, "D121;D921", "D921;D121", 1), "revenus", "their ratio is not 3.5", anyNumber)
	b.refuses("filosofi-communes", keyFile, strings.Replace(keyLines, "MED21", "NBUC21", 1)+strings.ReplaceAll(keyBondy, ";", ","), "revenus", "", anyNumber)
	b.refuses("filosofi-communes", keyFile, strings.ReplaceAll(keyLines, ";", ","), "revenus", "it has no column of figures", anyNumber)
	b.refuses("filosofi-communes", keyFile, strings.Replace(keyLines, "17800", "178", 1), "revenus", "a median of 178 euros", anyNumber)
	b.refuses("filosofi-communes", keyFile, keyLines, "revenus", "expected at least", nil)
	b.refuses("filosofi-communes", keyFile, keyHeader+"93010;18000;17", "revenus", "cut off", anyNumber)
}

// says asks for the reason why a commune has no median.
func says(t *testing.T, b *fixture, commune, why string) {
	t.Helper()
	b.hasParts(stats.Commune, commune, "revenus", `"medianIncome":null`, `"status":"`+why+`"`)
}

// The incomes of a commune that was merged since are not published, and never a mean of those of before.
func TestIncomeOfMergedCommunes(t *testing.T) {
	b := newFixture(t)
	b.load("filosofi-distribution-communes", "filosofi/FILO2017_DISP_COM.csv", strings.ReplaceAll(detailHeader, "19", "17")+
		"91001;Abbéville;100;250;170,5;;23970;;;;;;;;;;\n91999;Le Hameau;20;50;30;;21000;;;;;;;;;;\n93010;Bondy;18000;53000;30000,5;13000;16900;23000;10000;9000;32000;3,6;4,5;0,303;13,3;4,4;-9,1\n")
	says(t, b, "91001", "merged")
	b.hasParts(stats.Commune, "93010", "revenus", `"medianIncome":16900,"povertyRate":null,"d1":9000,"d9":32000,"interdecileRatio":3.6,"gini":0.303`)
}

// Départements and régions have the rows of their own files, year by year, whatever the layout of the year.
func TestIncomeOfDepartements(t *testing.T) {
	b := newFixture(t)
	const of2019 = "insee-filosofi/FILO2019_DISP_DEP.csv"
	b.load("filosofi-distribution-departements", "insee-filosofi/FILO2014_DISP_DEP.csv",
		"\ufeffCODGEO;LIBGEO;Q214;D114;D914;RD;GI14;PTSAC14;PPSOC14;;\r\n2A;Corse-du-Sud;19000,6;9900,5;37000,0;3,7;0,3;60,5;6,0;;\r\n")
	b.load("filosofi-distribution-departements", of2019, detailHeader+"2A;Corse-du-Sud;60125;124671;89063,9;15650;21900;29450;13800;11210;39480;3,5;4,600;0,298;5,3;2,9;-18,5\n")
	b.load("filosofi-distribution-regions", "insee-filosofi/FILO2019_DISP_REG.csv", detailHeader+"94;Corse;126908;261298;187055,1;14940;20950;28400;13470;10730;38020;3,5;4,600;0,299;6,1;3,4;-17,6\n")
	b.wants(stats.Departement, "2A", "revenus", `{"source":"`+detailSource+`","year":2019,"medianIncome":21900,"povertyRate":null,"d1":11210,"d9":39480,"interdecileRatio":3.5,
		"gini":0.298,"taxedHouseholdsPct":null,"socialBenefitsPct":5.3,"socialMinimaPct":2.9,"status":null,
		"timeline":[{"year":2014,"medianIncome":19001,"povertyRate":null,"interdecileRatio":3.7,"d1":9901,"d9":37000,"gini":0.3,"source":"`+detailSource+`"},
		{"year":2019,"medianIncome":21900,"povertyRate":null,"interdecileRatio":3.5,"d1":11210,"d9":39480,"gini":0.298,"source":"`+detailSource+`"}],"seriesBreaks":[]}`)
	b.wants(stats.Departement, "2A", "medianIncome", "21900")
	b.wants(stats.Region, "94", "medianIncome", "20950")
	b.wants(stats.Region, "94", "sources", `{"medianIncome":{"source":"`+detailSource+`","year":2019}}`)
	b.load("filosofi-departements", "insee/cc_filosofi_2021_DEP.csv", keyHeader+"2A;60000;23320;55,0;16,0;16,0;5,4;3,2;-18,3;11990;42150;3,5\n")
	b.wants(stats.Departement, "2A", "povertyRate", "16")
	b.wants(stats.Departement, "2A", "medianIncome", "23320")
	b.write(of2019, detailHeader+"84;Auvergne-Rhône-Alpes;1;1;1;1;20950;1;1;10000;30000;3;1;0,3;1;1;1\n")
	if _, err := b.try("filosofi-distribution-departements", anyNumber); err == nil || !strings.Contains(err.Error(), "no departement has code 84") {
		t.Errorf("a file of régions is refused with %v", err)
	}
	// Codes of régions are codes of départements too.
	b.write(of2019, detailHeader+"93;Provence-Alpes-Côte d'Azur;1;1;1;1;20950;1;1;10000;30000;3;1;0,3;1;1;1\n")
	if _, err := b.try("filosofi-distribution-departements", nil); err == nil || !strings.Contains(err.Error(), "expected at least 600") {
		t.Errorf("a file of régions is refused with %v", err)
	}
	b.wants(stats.Departement, "2A", "medianIncome", "23320")
}

// The long table has all levels at once, and of each figure whether it is
// confidential. Its series is not that of before.
func TestIncomeLong(t *testing.T) {
	b := newFixture(t)
	b.load("filosofi-communes", keyFile, keyLines)
	const file, header = "insee/DS_FILOSOFI_CC_2023_data.csv", "GEO;GEO_OBJECT;FILOSOFI_MEASURE;UNIT_MEASURE;UNIT_MULT;CONF_STATUS;OBS_STATUS;TIME_PERIOD;OBS_VALUE\n"
	b.load("filosofi-melodi", file, header+"93010;COM;MED_SL;EUR_YR;0;F;A;2023;19000\n93010;COM;PR_MD60;PT;0;F;A;2023;33.5\n93010;COM;D1_SL;EUR_YR;0;C;A;2023;1\n"+
		"75101;ARM;MED_SL;EUR_YR;0;F;A;2023;36000\n91999;COM;MED_SL;EUR_YR;0;F;K;2023;7\n2A247;COM;MED_SL;EUR_YR;0;C;A;2023;\n93;DEP;MED_SL;EUR_YR;0;F;A;2023;18900\n93;DEP;PR_MD60;PT;0;F;A;2023;28.4\n"+
		"93;DEP;GI_SL;IX;0;F;A;2023;0.33\n11;REG;PR_MD60;PT;0;F;A;2023;16.1\n200054781;EPCI;MED_SL;EUR_YR;0;F;A;2023;5\nF;FRANCE;MED_SL;EUR_YR;0;F;A;2023;5\n")
	const from = `"source":"INSEE-DGFiP-Cnaf-Cnav-CCMSA, Filosofi (catalogue)`
	if got := b.block(stats.Commune, "93010", "revenus"); !strings.HasPrefix(got, `{`+from+`; `+keySource+`","year":2023,"medianIncome":19000,"povertyRate":33.5,"d1":null,"d9":null,`) ||
		!strings.HasSuffix(got, `"status":"partial","timeline":[{"year":2021,"medianIncome":17800,"povertyRate":32,"interdecileRatio":3.5,"d1":9310,"d9":33010,"gini":null,"source":"`+keySource+`"},`+
			`{"year":2023,"medianIncome":19000,"povertyRate":33.5,"interdecileRatio":null,"d1":null,"d9":null,"gini":null,`+from+`"}],"seriesBreaks":[2023]}`) {
		t.Errorf("Bondy has %s", got)
	}
	// The newest median that is known is that of 2021.
	b.hasParts(stats.Commune, "2A247", "revenus", `"year":2021,"medianIncome":21560`)
	b.wants(stats.Commune, "91001", "revenus", "null")
	b.wants(stats.Departement, "93", "povertyRate", "28.4")
	b.wants(stats.Region, "11", "povertyRate", "16.1")
	b.refuses("filosofi-melodi", file, header+"93010;COM;MED_SL;EUR_YR;0;F;A;2023;19000\n93010;COM;MED_SL;EUR_MONTH;0;F;A;2023;1600\n", "revenus", "told apart by a column", anyNumber)
}
