package stats_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
)

const (
	communeHeader2026 = "\ufeff\"CODGEO_2026\";\"annee\";\"indicateur\";\"unite_de_compte\";\"nombre\";\"taux_pour_mille\";\"est_diffuse\";\"insee_pop\";\"insee_pop_millesime\";\"insee_log\";\"insee_log_millesime\";\"complement_info_nombre\";\"complement_info_taux\"\n"
	communeFile2026   = "ssmsi/donnee-data.gouv-2025-geographie2026-produit-le2026-07-09.csv"
)

// offences writes lines of the commune layout: code, year, label,
// number, rate, disclosed, and what is the same.
func offences(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		f := strings.Split(line, "|")
		complement := `"NA";"NA"`
		if f[5] == "ndiff" {
			complement = `"2,4712042";"6,4893291"`
		}
		fmt.Fprintf(&b, "\"%s\";\"%s\";\"%s\";\"Victime\";\"%s\";\"%s\";\"%s\";\"50000\";\"2023\";\"20000\";\"2022\";%s\n",
			f[0], f[1], f[2], f[3], f[4], f[5], complement)
	}
	return b.String()
}

// A commune gets what is disclosed of it, never the average of those that are not; what is withheld is null
// and its state gives the reason; burglaries are for dwellings.
func TestSafetyOfACommune(t *testing.T) {
	b := newFixture(t)
	b.load("safety-communes", communeFile2026, communeHeader2026+offences(
		"93010|2024|Cambriolages de logement|90|4,5000000|diff",
		"93010|2025|Cambriolages de logement|100|5,0000000|diff",
		"93010|2025|Vols de véhicule|0|0,0000000|diff",
		"93010|2025|Violences sexuelles|NA|NA|ndiff",
		"2A247|2025|Violences sexuelles|NA|NA|ndiff"))
	b.wants(stats.Commune, "93010", "securite", `{
		"source": "Ministère de l'Intérieur (SSMSI), Bases statistiques de la délinquance enregistrée par la police et la gendarmerie nationales, communes",
		"year": 2025, "labels": "2025", "population": 50000, "forceType": null,
		"categories": [
			{"key": "sexualViolence", "label": "Violences sexuelles", "unit": "victime", "count": null, "ratePer1000": null, "denominator": "inhabitants", "base": 50000, "allDepartementsRatePer1000": null, "disclosed": false},
			{"key": "burglary", "label": "Cambriolages de logement", "unit": "infraction", "count": 100, "ratePer1000": 5, "denominator": "dwellings", "base": 20000, "allDepartementsRatePer1000": null, "disclosed": true},
			{"key": "vehicleTheft", "label": "Vols de véhicule", "unit": "véhicule", "count": 0, "ratePer1000": 0, "denominator": "inhabitants", "base": 50000, "allDepartementsRatePer1000": null, "disclosed": true}],
		"timeline": [
			{"year": 2024, "key": "burglary", "count": 90, "ratePer1000": 4.5, "denominator": "dwellings", "base": 20000},
			{"year": 2025, "key": "burglary", "count": 100, "ratePer1000": 5, "denominator": "dwellings", "base": 20000},
			{"year": 2025, "key": "vehicleTheft", "count": 0, "ratePer1000": 0, "denominator": "inhabitants", "base": 50000}],
		"note": "Recorded offences depend on what is reported and on police presence. They are placed where they took place, fraud where the victim lives. Drug lines count accused persons."}`)
	if all := b.block(stats.Commune, "2A247", "securite"); !strings.Contains(all, `"count":null,"ratePer1000":null`) || strings.Contains(all, "6.48") {
		t.Errorf("an undisclosed commune shows %s", all)
	}
	if none := b.block(stats.Commune, "97411", "securite"); none != "null" {
		t.Errorf("a commune that the file lacks shows %s", none)
	}
}

// Counts of merged communes are added up if all of them are disclosed; a split commune has no past; Paris has
// its own row next to those of its arrondissements, and is not counted twice.
func TestSafetyOfCommunesOfTheirDay(t *testing.T) {
	b := newFixture(t)
	b.exec(`UPDATE geo.commune_movement SET day = '2025-01-01' WHERE code_after = '91001'`)
	header := strings.Replace(communeHeader2026, "2026", "2024", 1)
	b.load("safety-communes", "ssmsi/donnee-data.gouv-2024-geographie2024-produit-le2025-03-14.csv", header+offences(
		"91001|2024|Vols avec armes|4|0,0800000|diff", "91999|2024|Vols avec armes|3|0,0600000|diff",
		"91001|24|Vols dans les véhicules|9|0,1800000|diff", "91999|24|Vols dans les véhicules|NA|NA|ndiff",
		"91001|2024|Cambriolages de logement|4|0,2000000|diff", "91999|2024|Cambriolages de logement|3|0,1500000|diff",
		"15141|2024|Vols avec armes|1|0,0200000|diff",
		"75056|2024|Vols avec armes|300|6,0000000|diff", "75101|2024|Vols avec armes|200|4,0000000|diff", "75118|2024|Vols avec armes|100|2,0000000|diff"))
	d := b.read()
	for _, c := range []struct {
		code, measure, want string
	}{
		{"91001", "safety.2025.armedRobbery", "7"}, {"91001", "safety.2025.theftFromVehicles", "secret"}, {"91001", "safety.2025.burglaryRate", "merged"},
		{"91001", "safety.2025.population", "100000"}, {"15141", "safety.2025.armedRobbery", "split"}, {"15031", "safety.2025.armedRobbery", ""},
		{"75056", "safety.2025.armedRobbery", "300"},
	} {
		f := d.Find(stats.Commune, c.code).At(c.measure, "2024")
		got := f.Status
		if f.Value != nil {
			got = fmt.Sprint(*f.Value)
		}
		if got != c.want {
			t.Errorf("%s of %s is %q, expected %q", c.measure, c.code, got, c.want)
		}
	}
	if all := d.Find(stats.Departement, "75").Series("safety.2025.armedRobbery"); all != nil {
		t.Errorf("a département shows the sum of its communes: %v", all)
	}
	if block := blockOf(t, d, stats.Commune, "15141", "securite"); block != "null" {
		t.Errorf("a split commune shows %s", block)
	}
}

// The layout before 2024: other names, two-digit years, numbers with
// an exponent, and a place that is not known.
const (
	oldHeader = "\ufeff\"classe\";\"annee\";\"Code.département\";\"Code.région\";\"unité.de.compte\";\"millPOP\";\"millLOG\";\"faits\";\"POP\";\"LOG\";\"tauxpourmille\"\n"
	oldRegion = "\ufeff\"classe\";\"annee\";\"Code.région\";\"unité.de.compte\";\"millPOP\";\"millLOG\";\"faits\";\"POP\";\"LOG\";\"tauxpourmille\"\n"
)

var tenOld = []string{"Coups et blessures volontaires", "Violences sexuelles", "Vols avec armes", "Vols violents sans arme",
	"Vols sans violence contre des personnes", "Cambriolages de logement", "Vols de véhicules", "Vols dans les véhicules",
	"Vols d'accessoires sur véhicules", "Destructions et dégradations volontaires"}

// oldLines are the ten kinds, each 100 times, and others that crimeRate must leave out.
func oldLines(codes string) string {
	var b strings.Builder
	for _, label := range append(tenOld, "Coups et blessures volontaires intrafamiliaux", "Homicides", "Escroqueries", "Usage de stupéfiants") {
		rate := "2,00000000000000e-01"
		if label == "Cambriolages de logement" {
			rate = "0,5"
		}
		fmt.Fprintf(&b, "\"%s\";\"23\";%s;\"victime\";\"21\";\"20\";\"100\";\"500000\";\"200000,5\";\"%s\"\n", label, codes, rate)
	}
	return b.String()
}

// crimeRate is ten kinds that do not overlap, whichever list of labels is published, and of a
// région the producer's own figures before a sum.
func TestCrimeRate(t *testing.T) {
	b := newFixture(t)
	none := strings.ReplaceAll(oldLines(`"NA";"NA"`), `"500000";"200000,5"`, `"NA";"NA"`)
	b.load("safety-departements", "ssmsi/donnee-dep-2023.csv", oldHeader+oldLines(`"93";"11"`)+oldLines(`"2A";"94"`)+none)
	b.wants(stats.Departement, "93", "crimeRate", "2")
	b.wants(stats.Region, "94", "crimeRate", "2")
	b.wants(stats.Region, "11", "crimeRate", "null") // 75 and 91 are not known
	same(t, "sources", b.block(stats.Region, "94", "sources"), `{"crimeRate": {"year": 2023, "source":
		"Ministère de l'Intérieur (SSMSI), Bases statistiques de la délinquance enregistrée par la police et la gendarmerie nationales, départements; method sum10-v1, summed from the départements", "definition": {"link": "/methods#crime", "text":
		"Offences recorded by police and gendarmerie in the year, per 1 000 inhabitants as the producer counts them: the sum of ten series (assault, sexual violence, robbery with and without a weapon, theft from persons, burglary of dwellings, theft of, from and off vehicles, damage) in which no act counts twice. Without homicide, fraud and drugs."}}}`)

	b.load("safety-regions", "ssmsi/donnee-reg-2023.csv", oldRegion+regionLines())
	b.wants(stats.Region, "94", "crimeRate", "4")

	var records []string
	for _, label := range append([]string{"Violences physiques intrafamiliales", "Violences physiques hors cadre familial", "Vols de véhicule",
		"Escroqueries et fraudes aux moyens de paiement", "Usage de stupéfiants (hors AFD)"}, tenOld[1:]...) {
		if label != "Vols de véhicules" {
			records = append(records, fmt.Sprintf(`{"codeDepartement":"93","codeRegion":"11","annee":2025,"indicateur":%q,"uniteDeCompte":"Victime","nombre":50,"tauxPourMille":%s,"inseePop":500000}`,
				label, map[bool]string{true: "0.3", false: "0.1"}[label == "Cambriolages de logement"]))
		}
	}
	b.load("safety-departements-copy", "ssmsi/delinquance-departements-2016-2025.json", `{"meta":{},"records":[`+strings.Join(records, ",")+`]}`)
	b.wants(stats.Departement, "93", "crimeRate", "1.1") // eleven lines, of which two are one kind
	if all := b.block(stats.Departement, "93", "sources"); !strings.Contains(all, "the sum of eleven series (physical violence within and outside the family, sexual violence") {
		t.Errorf("the rate does not say what it sums: %s", all)
	}
	b.wants(stats.Departement, "2A", "crimeRate", "2") // the newer list does not have it
	if block := b.block(stats.Departement, "93", "securite"); strings.Contains(block, "assault") || !strings.Contains(block, `"labels":"2025"`) {
		t.Errorf("two lists of labels are served together: %s", block)
	}
}

// regionLines are the ten kinds 200 times in the layout of régions.
func regionLines() string {
	out := strings.ReplaceAll(oldLines(`"94"`), `"100"`, `"200"`)
	out = strings.ReplaceAll(out, `"2,00000000000000e-01"`, `"0,4"`)
	return strings.ReplaceAll(out, `"0,5"`, `"1"`)
}

// A région has the sums of its départements where all have a figure and its own are not newer, and says so;
// next to each rate stands that of all départements, once all are loaded.
func TestOffencesOfARegionAndOfAllDepartements(t *testing.T) {
	b := newFixture(t)
	const burglary, path = "securite.categories.7", "ssmsi/donnee-dep-2023.csv"
	rows := oldHeader + oldLines(`"93";"11"`) + oldLines(`"75";"11"`)
	b.load("safety-departements", path, rows)
	b.wants(stats.Region, "11", "securite", "null") // 91 is not known
	b.wants(stats.Departement, "93", burglary+".allDepartementsRatePer1000", "null")
	if s := b.states(stats.Departement, "93")["securite.categories.allDepartementsRatePer1000"]; !strings.Contains(s.Reason, "not loaded of all départements") {
		t.Errorf("why the rate of all départements is not known: %+v", s)
	}
	triple := strings.ReplaceAll(oldLines(`"91";"11"`), `"100"`, `"300"`)
	triple = strings.ReplaceAll(strings.ReplaceAll(triple, `"2,00000000000000e-01"`, `"0,6"`), `"0,5"`, `"1,5"`)
	for _, code := range []string{`"2A";"94"`, `"15";"84"`, `"69";"84"`, `"974";"04"`} {
		triple += oldLines(code)
	}
	b.load("safety-departements", path, rows+triple)
	// 100, 100 and 300 for 3 × 200 000.5 dwellings; 900 for 7 × 200 000.5.
	b.wants(stats.Region, "11", burglary, `{"key":"burglary","label":"Cambriolages de logement","unit":"infraction","count":500,
		"ratePer1000":0.8333,"denominator":"dwellings","base":600002,"allDepartementsRatePer1000":0.6429,"disclosed":true}`)
	b.wants(stats.Departement, "93", burglary+".allDepartementsRatePer1000", "0.6429")
	b.wants(stats.Departement, "93", "securite.categories.0.allDepartementsRatePer1000", "0.2571") // per inhabitant
	b.wants(stats.Region, "11", "securite.population", "1500000")
	b.wants(stats.Region, "11", "securite.source", `"Ministère de l'Intérieur (SSMSI), Bases statistiques de la délinquance enregistrée par la police et la gendarmerie nationales, départements; summed from the départements"`)
	b.load("safety-regions", "ssmsi/donnee-reg-2023.csv", oldRegion+regionLines())
	b.wants(stats.Region, "94", burglary+".count", "200")
	if got := b.block(stats.Region, "94", "securite.source"); strings.Contains(got, "summed") {
		t.Errorf("the producer's own figures are called %s", got)
	}
}

// Drug use says how many of the persons had a fixed fine, in the years that have fines.
func TestDrugUseSaysItsFines(t *testing.T) {
	b := newFixture(t)
	lines := ""
	for _, l := range []struct {
		year, count int
		label       string
	}{{22, 80, "Usage de stupéfiants"}, {22, 0, "Usage de stupéfiants (AFD)"}, {23, 100, "Usage de stupéfiants"},
		{23, 75, "Usage de stupéfiants (AFD)"}, {23, 10, "Coups et blessures volontaires"}} {
		lines += fmt.Sprintf("\"%s\";\"%d\";\"93\";\"11\";\"mis en cause\";\"21\";\"20\";\"%d\";\"500000\";\"200000,5\";\"%s\"\n", l.label, l.year, l.count,
			strings.Replace(fmt.Sprint(float64(l.count)/500), ".", ",", 1))
	}
	b.load("safety-departements", "ssmsi/donnee-dep-2023.csv", oldHeader+lines)
	for path, want := range map[string]string{
		"timeline.#(key==\"drugUse\")#.note":            `["Includes 75 persons with a fixed fine (AFD), which exists since 2020; 25 without one."]`,
		"categories.#(key==\"drugUse\").note":           `"Includes 75 persons with a fixed fine (AFD), which exists since 2020; 25 without one."`,
		"timeline.#(key!=\"drugUse\")#.note":            "[]",
		"timeline.#(key==\"drugUse\")#.count":           "[80,100]",
		"categories.#(key==\"drugUseFines\").count":     "75",
		"categories.#(key==\"assault\").ratePer1000":    "0.02",
		"categories.#(key==\"drugUse\").ratePer1000":    "0.2",
		"categories.#(key==\"drugUseFines\").disclosed": "true",
	} {
		b.wants(stats.Departement, "93", "securite."+path, want)
	}
}

// A file that is not what it should be is refused with the reason, and what was served stays.
func TestSafetyFilesThatAreRefused(t *testing.T) {
	b := newFixture(t)
	good := communeHeader2026 + offences("93010|2025|Vols avec armes|10|0,2000000|diff")
	b.load("safety-communes", communeFile2026, good)
	before := b.block(stats.Commune, "93010", "securite")
	for name, c := range map[string]struct{ content, reason string }{
		"another year":  {communeHeader2026 + offences("93010|2024|Vols avec armes|11|0,2200000|diff"), "its name says 2025"},
		"a new offence": {communeHeader2026 + offences("93010|2025|Fraude-typo|11|0,2200000|diff"), "not one of those known"},
		"both lists": {communeHeader2026 + offences("93010|2025|Escroqueries|11|0,2200000|diff", "93010|2025|Vols de véhicule|11|0,2200000|diff"),
			"two lists of labels"},
		"another rate":      {communeHeader2026 + offences("93010|2025|Vols avec armes|11|2,2000000|diff"), "not its number per 1 000"},
		"secrecy broken":    {communeHeader2026 + offences("93010|2025|Vols avec armes|11|0,2200000|ndiff"), "not disclosed"},
		"decimal points":    {communeHeader2026 + offences("93010|2025|Vols avec armes|11|0.22.0|diff"), "not a number"},
		"of another source": {"code;nom\n93010;Bondy\n", "no row"},
		"cut off":           {good[:len(good)-40], "cut off"},
	} {
		b.write(communeFile2026, c.content)
		if _, err := b.try("safety-communes", func(s *source.Source) { s.Checks.MinRows = 0 }); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, expected a refusal that says %q", name, err, c.reason)
		}
	}
	b.write(communeFile2026, good+offences("93010|2025|Vols violents sans arme|10|0,2000000|diff"))
	if _, err := b.try("safety-communes", nil); err == nil || !strings.Contains(err.Error(), "expected at least") {
		t.Errorf("a file of two lines: %v", err)
	}
	if after := b.block(stats.Commune, "93010", "securite"); after != before {
		t.Errorf("a refused file changed what is served:\n%s\n%s", before, after)
	}
}

// The force in charge is served with the offences; a département whose communes are not all known has none.
func TestForceInCharge(t *testing.T) {
	b := newFixture(t)
	if s := b.states(stats.Commune, "93010")["securite"]; !strings.HasPrefix(s.Source, "safety-communes") {
		t.Errorf("offences are not loaded, and %q would fill them", s.Source)
	}
	b.load("safety-force", "ssmsi/info-complements-data.gouv-2025-geographie2026-produit-le2026-06-25.xlsx",
		loadkit.Workbook(t, []string{"documentation", "zonages supracommunaux"}, []string{"Lisez-moi"},
			[]string{"Zonages", "CODGEO;LIBGEO;zone_competence", "93010;Bondy;ZPN", "93066;Saint-Denis;ZGN", "91001;Abbéville;gendarmerie nationale", "15031;Celles;ZGN", "2A247;Porto-Vecchio;NA"}))
	b.load("safety-communes", communeFile2026, communeHeader2026+offences("93010|2025|Vols avec armes|10|0,2000000|diff",
		"91001|2025|Vols avec armes|10|0,2000000|diff", "2A247|2025|Vols avec armes|10|0,2000000|diff"))
	b.load("safety-departements", "ssmsi/donnee-dep-2023.csv", oldHeader+oldLines(`"93";"11"`)+oldLines(`"15";"84"`))
	for code, want := range map[string]string{"93010": `"police"`, "91001": `"gendarmerie"`, "2A247": "null", "93": `"mixed"`, "15": "null"} {
		level := stats.Commune
		if len(code) == 2 {
			level = stats.Departement
		}
		b.hasParts(level, code, "securite", `"forceType":`+want)
	}
}
