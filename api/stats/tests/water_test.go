package stats_test

import (
	"strings"
	"testing"

	"arpent/api/stats"
)

const (
	tapNetworksHeader = `"inseecommune","nomcommune","quartier","cdreseau","nomreseau","debutalim"` + "\n"
	tapSamplesHeader  = `"cddept","cdreseau","inseecommuneprinc","nomcommuneprinc","referenceprel","dateprel","heureprel","conclusionprel",` +
		`"plvconformitebacterio","plvconformitechimique","plvconformitereferencebact","plvconformitereferencechim"` + "\n"
	tapResultsHeader = `"cddept","referenceprel","cdparametre","rqana","cdunitereference"` + "\n"
)

func tapLine(cells ...string) string { return `"` + strings.Join(cells, `","`) + "\"\n" }

func tapSample(network, id, day, bacteria, chemistry string) string {
	return tapLine("093", network, "93010", "BONDY", id, day, "09h00", "Eau conforme.", bacteria, chemistry, "C", "C")
}

func tapResult(id, parameter, text, unit string) string {
	return tapLine("093", id, parameter, text, unit)
}

// Bondy has two networks that share a sample: it counts once for the commune and once for each network. What is too old, of
// another network or not judged does not count.
func TestWaterQuality(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.load("tap-networks", "eau/DIS_COM_UDI_2025.txt", tapNetworksHeader+
		tapLine("93010", "BONDY", "-", "093000111", "BONDY SUD", "")+tapLine("93010", "BONDY", "-", "093000222", "BONDY NORD", "")+
		tapLine("75118", "PARIS 18", "-", "075000001", "PARIS", "")+tapLine("93066", "SAINT-DENIS", "-", "093000333", "SAINT-DENIS", "")+
		tapLine("91999", "OLD", "-", "091000001", "ABBEVILLE", ""))
	b.wants(stats.Commune, "93010", "waterQuality", "null")
	b.load("tap-samples", "eau/DIS_PLV_2024.txt", tapSamplesHeader+
		tapSample("093000222", "1", "2024-06-10", "N", "N")+ // a year and a day before the newest
		tapSample("093000222", "2", "2024-06-11", "C", "C"))
	b.load("tap-samples", "eau/DIS_PLV_2025.txt", tapSamplesHeader+
		tapSample("093000222", "3", "2025-05-01", "C", "D")+tapSample("093000111", "3", "2025-05-01", "C", "D")+
		tapSample("093000222", "4", "2025-06-03", "N", "S")+tapSample("093000111", "5", "2025-06-04", "C", "C")+
		tapSample("091000001", "6", "2025-06-10", "C", "S")+tapSample("075000001", "7", "2025-06-01", "C", "C"))
	b.load("tap-results", "eau/DIS_RESULT_2025.txt", tapResultsHeader+
		tapResult("1", "1340", "90", "mg/L")+tapResult("3", "1340", "12,3", "mg/L")+tapResult("4", "1340", "<0,5", "mg/L")+
		tapResult("5", "1340", "20000", "µg/L")+tapResult("3", "1382", "0,012", "mg/L")+tapResult("6", "1382", "<20", "µg/L")+
		tapResult("3", "6276", "0,7", "µg/L")+tapResult("5", "6276", "<0,1", "µg/L")+tapResult("4", "1449", "3", "n/(100mL)"))
	b.load("water-network-populations", "eau/udi_population_from_infofactures.csv", "code_udi,sentence,population\n"+
		"093000222,Votre réseau alimente de façon permanente 1 710 personnes.,1710\n093000111,Votre réseau alimente 0 personnes.,0\n")
	// Bacteria: 2, 3, 5 conform of 2, 3, 4, 5. Chemistry: 2, 5 conform of 2, 3, 5. Nitrates: (12.3 + 0.25 + 20) / 3.
	b.wants(stats.Commune, "93010", "waterQuality", `{"source":"Ministère chargé de la santé (SISE-Eaux), Contrôle sanitaire de l'eau distribuée : prélèvements; `+
		`Ministère chargé de la santé (SISE-Eaux), Contrôle sanitaire de l'eau distribuée : réseaux des communes","year":2025,
		"periodStart":"2024-06-11","periodEnd":"2025-06-10","networks":[
		{"code":"093000222","name":"BONDY NORD","samples":3,"bacteriologicalConformityPct":66.67,"chemicalConformityPct":50,
			"served":{"inhabitants":1710,"source":"Ministère chargé de la santé et ARS, Population desservie par réseau d'eau potable, d'après les infofactures (dérivé par Data For Good)"}},
		{"code":"093000111","name":"BONDY SUD","samples":2,"bacteriologicalConformityPct":100,"chemicalConformityPct":50,"served":null}],
		"samples":4,"bacteriologicalConformityPct":75,"chemicalConformityPct":66.67,
		"nitrates":{"results":3,"belowQuantification":1,"meanMgL":10.85,"maxMgL":20,"limitMgL":50,"compliant":true},
		"pesticides":{"results":2,"belowQuantification":1,"exceedances":1,"maxUgL":0.7,"limitUgL":0.5,"compliant":false},
		"lead":{"results":1,"belowQuantification":0,"maxUgL":12,"limitUgL":10,"compliant":false},"lastSample":"2025-06-04"}`)

	d := b.read()
	if got := blockOf(t, d, stats.Commune, "75056", "waterQuality"); !strings.Contains(got, `"code":"075000001"`) {
		t.Errorf("Paris, whose networks are published by arrondissement, shows %s", got)
	}
	same(t, "a commune whose network has no sample", blockOf(t, d, stats.Commune, "93066", "waterQuality"), "null")
	same(t, "a commune without a network", blockOf(t, d, stats.Commune, "2A247", "waterQuality"), "null")
	// Of a commune that was merged the network is that of the new one. Nothing below 20 µg/L can be said to be below 10.
	got := blockOf(t, d, stats.Commune, "91001", "waterQuality")
	for _, want := range []string{`"samples":1`, `"chemicalConformityPct":null`, `"nitrates":null`, `"maxUgL":null,"limitUgL":10,"compliant":null`} {
		if !strings.Contains(got, want) {
			t.Errorf("91001 shows %s, without %s", got, want)
		}
	}
}

// A number that its sentence does not say is refused.
func TestNetworkPopulationsMisread(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.write("eau/udi_population.csv", "code_udi,sentence,population\n093000222,Votre réseau alimente 1710 personnes.,710\n")
	if out, err := b.try("water-network-populations", nil); err == nil {
		t.Errorf("it was loaded: %+v", out)
	}
	b.write("eau/udi_population.csv", "commune,population\n93010,710\n")
	if out, err := b.try("water-network-populations", nil); err == nil {
		t.Errorf("it was loaded: %+v", out)
	}
}
