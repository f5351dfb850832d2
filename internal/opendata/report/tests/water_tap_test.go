package report_test

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// tapYear writes the archive of a year with its three tables.
func (b *fixture) tapYear(year, networks, samples, results string) {
	b.T.Helper()
	const (
		networksHeader = `"inseecommune","nomcommune","quartier","cdreseau","nomreseau","debutalim"`
		samplesHeader  = `"cddept","cdreseau","inseecommuneprinc","nomcommuneprinc","cdreseauamont","nomreseauamont","pourcentdebit","referenceprel",` +
			`"dateprel","heureprel","conclusionprel","ugelib","distrlib","moalib","plvconformitebacterio","plvconformitechimique",` +
			`"plvconformitereferencebact","plvconformitereferencechim"`
		resultsHeader = `"cddept","referenceprel","cdparametresiseeaux","cdparametre","libmajparametre","libminparametre","libwebparametre",` +
			`"qualitparam","insituana","rqana","cdunitereferencesiseeaux","cdunitereference","limitequal","refqual","valtraduite","casparam","referenceanl"`
	)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range map[string]string{"DIS_COM_UDI_": networksHeader + "\n" + networks, "DIS_PLV_": samplesHeader + "\n" + samples,
		"DIS_RESULT_": resultsHeader + "\n" + results} {
		w, err := z.Create(name + year + ".txt")
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		testkit.NoError(b.T, err)
	}
	testkit.NoError(b.T, z.Close())
	b.Write("dis-"+year+".zip", out.String())
}

func sample(network, reference, day, assessments, conclusion string) string {
	cells := []string{network[:3], network, "93010", "BONDY", "", "", "", reference, day, "09h00", conclusion, "UGE", "DISTR", "MOA"}
	for _, v := range assessments {
		cells = append(cells, strings.TrimSpace(string(v)))
	}
	return `"` + strings.Join(cells, `","`) + "\"\n"
}

func result(reference, parameter, text, unit string) string {
	return `"` + strings.Join([]string{"093", reference, "X", parameter, "P", "P", "", "N", "L", text, unit, unit, "", "", "0.000000", "", "A"}, `","`) + "\"\n"
}

const tapNetworks2025 = `"93010","BONDY","-","093000111","BONDY SUD","2001-01-01"
"93010","BONDY","CENTRE","093000222","BONDY NORD","2001-01-01"
"93010","BONDY","GARE","093000222","BONDY NORD","2001-01-01"
"91999","OLD","-","091000001","ABBEVILLE","2001-01-01"
`

// A customer sees the network that is watched most, the newest figures for it, and that there are others.
func TestWaterQuality(t *testing.T) {
	b := newFixture(t)
	b.tapYear("2024", `"93010","BONDY","-","093000999","GIVEN UP",""`+"\n",
		sample("093000222", "09300000001", "2024-03-01", "NNCC", "Too old to count.")+
			sample("093000222", "09300000002", "2024-09-01", "CN  ", "Eau non conforme.")+
			sample("093000999", "09300000003", "2024-09-01", "CCCC", "Conforme.")+
			sample("093000111", "09300000004", "2024-09-02", "CCCC", "Conforme."),
		result("09300000002", "1382", "0,012", "mg/L")+result("09300000001", "1340", "9", "mg/L"))
	b.tapYear("2025", tapNetworks2025,
		sample("093000222", "09300000005", "2025-05-01", "CS  ", "Eau d'alimentation conforme.")+
			sample("093000222", "09300000006", "2025-06-03", "N   ", "Présence de bactéries.")+
			sample("093000222", "09300000006", "2025-06-03", "N   ", "Présence de bactéries.")+
			sample("091000001", "09100000007", "2025-06-10", "CC  ", "Conforme."),
		result("09300000005", "1340", "12,3", "mg/L")+result("09300000006", "1340", "<0,5", "mg/L")+
			result("09300000005", "1302", "7,6", "unité pH")+result("09300000006", "1382", "traces", "µg/L"))
	for name, rows := range map[string]int64{"tap-networks": 3, "tap-samples": 3, "tap-results": 2} {
		if o := b.LoadSource(name); o.Refused != 0 || o.Scope == "2025" && o.Rows != rows {
			t.Errorf("loaded %+v", o)
		}
	}
	b.wants("waterQuality", `{"network":"BONDY NORD","networkCode":"093000222","lastSample":"2025-06-03","bacteriologicalCompliance":"N",
		"chemicalCompliance":"S","nitratesMgL":null,"nitratesBelowMgL":0.5,"nitratesDate":"2025-06-03","leadUgL":12,"leadBelowUgL":null,
		"leadDate":"2024-09-01","conclusion":"Présence de bactéries.","samplesLast12Months":3,
		"nonCompliantLast12Months":{"bacteriological":1,"chemical":1},"last12MonthsUntil":"2025-06-10",
		"otherNetworks":[{"network":"BONDY SUD","networkCode":"093000111","samplesLast12Months":1}]}`)
	b.Parcel("910010000A0001", "POLYGON((2.16 48.34, 2.161 48.34, 2.161 48.341, 2.16 48.34))")
	if got := b.valueOf("910010000A0001", "waterQuality"); !strings.Contains(got, `"ABBEVILLE"`) {
		t.Errorf("the network of a commune that was merged is %s", got)
	}
}

func TestWaterQualityAbsent(t *testing.T) {
	b := newFixture(t)
	b.wants("waterQuality", `null`)
	b.tapYear("2025", `"91001","ABBEVILLE-LA-RIVIERE","-","091000001","ABBEVILLE",""`+"\n", sample("091000001", "09100000007", "2025-06-10", "CC  ", "Conforme."), "")
	b.LoadSource("tap-networks")
	b.LoadSource("tap-samples")
	b.wants("waterQuality", `null`) // the archive holds nothing of the département
	b.cover("tap_water", "93")
	b.wants("waterQuality", `null`) // no network is known
	b.Exec(`INSERT INTO geo.enrich_tap_water VALUES ('x', '1', '93010', '{"network":"093000222"}')`)
	if got := b.value("waterQuality"); !strings.Contains(got, `"lastSample":null`) || !strings.Contains(got, `"samplesLast12Months":0`) {
		t.Errorf("a network without samples is %s", got)
	}
}

// Older years are written in Latin letters of one byte.
func TestWaterQualityEncoding(t *testing.T) {
	b := newFixture(t)
	b.tapYear("2016", "\"93010\",\"BONDY\",\"-\",\"093000222\",\"R\xc9SEAU\",\"\"\n", sample("093000222", "09300000005", "2016-05-01", "CC  ", "Eau conforme \xe0 la r\xe9glementation."), "")
	b.LoadSource("tap-networks")
	b.LoadSource("tap-samples")
	if got := b.value("waterQuality"); !strings.Contains(got, `"RÉSEAU"`) || !strings.Contains(got, `conforme à la réglementation`) {
		t.Errorf("waterQuality is %s", got)
	}
}

// The département is three characters here: 02A is 2A.
func TestWaterQualityOfCorsicaAndOverseas(t *testing.T) {
	b := newFixture(t)
	b.tapYear("2025", `"2A247","PORTO-VECCHIO","-","02A000001","PORTO",""`+"\n"+`"97411","SAINT-DENIS","-","974000001","DENIS",""`+"\n",
		sample("02A000001", "02A00000001", "2025-05-01", "CDCC", "Dérogation.")+sample("974000001", "97400000001", "2025-06-01", "CCCC", "Conforme."),
		`"02A","02A00000001","X","1382","P","P","","N","L","3","µg/L","µg/L","","","3.000000","","A"`+"\n")
	for _, name := range []string{"tap-networks", "tap-samples", "tap-results"} {
		if o := b.LoadSource(name); o.Refused != 0 {
			t.Errorf("loaded %+v", o)
		}
	}
	if got := b.Covered("tap_water"); !slices.Equal(got, []string{"2A", "974"}) {
		t.Errorf("the samples speak for %q", got)
	}
	if got := b.Covered("tap_result"); !slices.Equal(got, []string{"2A"}) {
		t.Errorf("the results speak for %q", got)
	}
	b.Parcel("2A2470000A0001", "POLYGON((9.27 41.59, 9.271 41.59, 9.271 41.591, 9.27 41.59))")
	if got := b.valueOf("2A2470000A0001", "waterQuality"); !strings.Contains(got, `"chemicalCompliance":"D"`) || !strings.Contains(got, `"leadUgL":3`) {
		t.Errorf("waterQuality is %s", got)
	}
}
