package stats_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic/services"
)

const (
	bpeFile  = "insee-bpe/bpe_communes_2024.json"
	bpeLabel = "INSEE, Base permanente des équipements 2024, 15 types (dérivé par bpineau/gazetteer)"
)

// facilitiesOfParis has each of the types, so that none lacks in the file.
const facilitiesOfParis = `"75056":{"college":220,"ecole_primaire":542,"structure_sante":370,"grande_surface":717,"boulangerie":2199,"poste":131,"lycee":215,
	"superette":349,"pharmacie":877,"sport_salle":264,"sport_terrain":80,"gare":34,"infirmier":1594,"creche":830,"medecin_generaliste":2673,"sport_piscine":84}`

// What is counted for a city as a whole has a state in its arrondissements: a null alone would be read as that
// no facility is there.
func TestFacilitiesOfACityAlone(t *testing.T) {
	b := newFixture(t)
	b.load("facilities-extract", bpeFile, `{"communes":{`+facilitiesOfParis+`}}`)
	b.figure("facilities-2013", "arrondissement", "75118", services.FacilitiesTotal, "2013", 10)
	s := b.states(stats.Arrondissement, "75118")["equipements.selected"]
	if !strings.HasPrefix(s.Reason, "It is served for the whole city alone") {
		t.Errorf("the state of selected is %+v, of %s", s, b.block(stats.Arrondissement, "75118", "equipements"))
	}
}

// What an exhaustive list does not name is not there: a true zero, also of merged communes.
func TestSelectedFacilities(t *testing.T) {
	b := newFixture(t)
	b.exec("UPDATE geo.commune_movement SET day = '2026-01-01' WHERE code_after = '91001'")
	b.load("facilities-extract", bpeFile, `{"meta":{"row_count_communes":3},"communes":{"93010":{"boulangerie":3,"medecin_generaliste":4},"91999":{"poste":1},`+facilitiesOfParis+`}}`)
	rest := `"elementarySchool":null,"middleSchool":0,"highSchool":0,"supermarket":0,"convenience":0,"station":0,"childcare":0,"healthCentre":0,"gym":0,"pool":0,"tennis":null,` +
		`"pharmacy":0,"nurse":0,"primarySchool":0,"per10kInhabitants":null,"source":"` + bpeLabel + `","year":2024`
	for code, counts := range map[string]string{
		"93010": `"gp":4,"bakery":3,"postOffice":0,`,
		"91001": `"gp":0,"bakery":0,"postOffice":1,`,
		"97411": `"gp":0,"bakery":0,"postOffice":0,`,
	} {
		b.wants(stats.Commune, code, "equipements", `{"source":"`+bpeLabel+`","year":2024,"total":null,"families":null,"others":null,"selected":{`+counts+rest+`}}`)
	}
	b.hasParts(stats.Departement, "93", "equipementsDetail", `"gp":4,"pharmacy":0`)
	b.hasParts(stats.Departement, "75", "equipementsDetail", `"gp":2673`)
	b.wants(stats.Departement, "93", "equipements", "null")
	b.figure("population", "commune", "93010", source.PopulationMunicipal, "2023", 20000)
	b.hasParts(stats.Commune, "93010", "equipements", `"per10kInhabitants":{"populationYear":2023,"gp":2,"pharmacy":0,"nurse":0}`)

	before := b.block(stats.Commune, "93010", "equipements")
	for name, content := range map[string]string{
		"no figure of facilities.pool": `{"communes":{` + strings.Replace(facilitiesOfParis, "sport_piscine", "piscine", 1) + `}}`,
		"is none":                      `{"communes":{` + strings.Replace(facilitiesOfParis, "84", "-1", 1) + `}}`,
		"no column of figures":         dwellings("93010 1 1 0 0"),
	} {
		b.write(bpeFile, content)
		if _, err := b.try("facilities-extract", func(s *source.Source) { s.Checks.MinRows = 0 }); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q is refused with %v", name, err)
		}
	}
	b.write(bpeFile, `{"communes":{`+facilitiesOfParis+`}}`)
	if _, err := b.try("facilities-extract", nil); err == nil || !strings.Contains(err.Error(), "expected at least") {
		t.Errorf("a file of one commune is refused with %v", err)
	}
	same(t, "equipements", b.block(stats.Commune, "93010", "equipements"), before)
}

// crossTable writes the cross table of 2013: a row a place, a column a type.
func crossTable(rows ...[]string) string {
	var lines strings.Builder
	for _, cells := range rows {
		cells = append(cells, make([]string, len(rows[0])-len(cells))...)
		lines.WriteString(strings.Join(cells, ";") + "\n")
	}
	return lines.String()
}

// Every type of the old edition is in one family: a customer's total is the sum of the families. Paris is the
// sum of its arrondissements, and communes that were taken apart since have none.
func TestFacilitiesOf2013(t *testing.T) {
	b := newFixture(t)
	const file = "insee-bpe/bpe2013.csv"
	header := []string{"depcom", "Total de nb_equip", "Boulangerie", "Taxi", "Médecin omnipraticien", "Cinéma"}
	b.load("facilities-2013", file, crossTable(header, []string{"93010", "9", "3", "2", "4"}, []string{"75101", "6", "5", "", "", "1"}, []string{"75118", "2", "2"},
		[]string{"91001", "1", "1"}, []string{"91999", "2", "2"}, []string{"15141", "4", "4"}))
	label := "INSEE, Base permanente des équipements 2013"
	families := func(services, total, shops, health, transport, leisure int) string {
		return fmt.Sprintf(`{"source":"%[1]s","year":2013,"selected":null,"total":%[3]d,"families":{"source":"%[1]s","year":2013,"services":%[2]d,"total":%[3]d,
			"shops":%[4]d,"education":0,"health":%[5]d,"transport":%[6]d,"leisure":%[7]d,"tourism":0},
			"others":{"source":"%[1]s","year":2013,"hotel":0,"camping":0,"touristOffice":0,"restaurant":0,"bank":0,"hairdresser":0,"garage":0,"petrolStation":0,"vet":0,"police":0,
			"dentist":0,"physiotherapist":0,"laboratory":0,"emergencyDepartment":0,"maternity":0,"hospitalShortStay":0,"hospitalMediumStay":0,"hospitalLongStay":0,
			"careHome":0,"taxi":%[6]d,"cinema":%[7]d}}`, label, services, total, shops, health, transport, leisure)
	}
	b.wants(stats.Commune, "93010", "equipements", families(0, 9, 3, 4, 2, 0))
	b.wants(stats.Commune, "75056", "equipements", families(0, 8, 7, 0, 0, 1))
	b.wants(stats.Commune, "91001", "equipements", families(0, 3, 3, 0, 0, 0))
	b.wants(stats.Commune, "97411", "equipements", families(0, 0, 0, 0, 0, 0))
	b.wants(stats.Commune, "15141", "equipements", "null")
	b.wants(stats.Departement, "75", "equipements", "8")
	b.wants(stats.Departement, "93", "equipementsDetail", families(0, 9, 3, 4, 2, 0))
	// Each type by its name, without those that are not there.
	types := func(total int, shops, health, transport, leisure string) string {
		return `{"source":"` + label + `","year":2013,"total":` + strconv.Itoa(total) + `,"services":{},"shops":{` + shops + `},"education":{},"health":{` + health +
			`},"transport":{` + transport + `},"leisure":{` + leisure + `},"tourism":{}}`
	}
	b.wants(stats.Commune, "93010", "equipementTypes", types(9, `"Boulangerie":3`, `"Médecin omnipraticien":4`, `"Taxi":2`, ""))
	b.wants(stats.Commune, "75056", "equipementTypes", types(8, `"Boulangerie":7`, "", "", `"Cinéma":1`))
	b.wants(stats.Arrondissement, "75118", "equipementTypes", types(2, `"Boulangerie":2`, "", "", ""))
	b.wants(stats.Commune, "91001", "equipementTypes", types(3, `"Boulangerie":3`, "", "", "")) // of both that merged
	b.wants(stats.Commune, "97411", "equipementTypes", types(0, "", "", "", ""))
	b.wants(stats.Commune, "15141", "equipementTypes", "null")

	// With a newer edition of some types the total says its own year.
	b.load("facilities-extract", bpeFile, `{"communes":{`+facilitiesOfParis+`}}`)
	b.hasParts(stats.Commune, "75056", "equipements", `"year":2024,"total":null,"families":{"source":"`+label+`","year":2013,"total":8,`) // two editions
	b.wants(stats.Departement, "75", "equipements", "8")

	for name, content := range map[string]string{
		"its types together 6":      crossTable([]string{"depcom", "Total de nb_equip", "Boulangerie", "Astronaute", "Taxi"}, []string{"93010", "9", "3", "3", "3"}),
		"which it is said to give":  crossTable(header, []string{"75056", "3", "3"}),
		"has no row that can be":    crossTable(header, []string{"99999", "3", "3"}),
		"that can be loaded; the f": crossTable([]string{"CODGEO", "MED21"}, []string{"93010", "3"}),
	} {
		b.write(file, content)
		if _, err := b.try("facilities-2013", func(s *source.Source) { s.Checks.MinRows = 0 }); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q is refused with %v", name, err)
		}
	}
	b.wants(stats.Departement, "75", "equipements", "8")
}

// The table of INSEE's catalogue has totals next to their parts, and the three cities next to their
// arrondissements: each facility is counted once.
func TestFacilitiesLongTable(t *testing.T) {
	b := newFixture(t)
	header := `"GEO";"GEO_OBJECT";"FACILITY_DOM";"FACILITY_SDOM";"FACILITY_TYPE";"BPE_MEASURE";"TIME_PERIOD";"OBS_VALUE"` + "\n"
	rows := "93010;COM;A;A1;A206;FACILITIES;2025;1\n93010;COM;B;B2;B207;FACILITIES;2025;3\n93010;COM;B;B2;_T;FACILITIES;2025;3\n93010;COM;_T;_T;_T;FACILITIES;2025;4\n" +
		"93010;COM;C;C1;C109;FACILITIES;2025;0\n93;DEP;B;B2;B207;FACILITIES;2025;900\n75056;COM;B;B1;B104;FACILITIES;2025;7\n75101;ARM;B;B1;B104;FACILITIES;2025;2\n"
	file := func(rows string) string {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for name, content := range map[string]string{"DS_BPE_2025_data.csv": header + rows, "DS_BPE_2025_metadata.csv": "COD_VAR\n"} {
			w := testkit.Must(z.Create(name))(t)
			_, _ = w.Write([]byte(content))
		}
		testkit.NoError(t, z.Close())
		return out.String()
	}
	b.load("facilities", "bpe/DS_BPE_2025_CSV_FR.zip", file(rows))
	label := "INSEE, Base permanente des équipements"
	b.wants(stats.Departement, "93", "equipements", "4")
	b.wants(stats.Departement, "75", "equipements", "7")
	b.wants(stats.Commune, "2A247", "equipements", `{"source":"`+label+`","year":2025,"total":0,
		"families":{"source":"`+label+`","year":2025,"total":0,"services":0,"shops":0,"education":0,"health":null,"transport":null,"leisure":null,"tourism":null},
		"selected":{"source":"`+label+`","year":2025,"gp":null,"pharmacy":null,"nurse":null,"primarySchool":null,"elementarySchool":0,"middleSchool":null,"highSchool":null,
		"postOffice":0,"bakery":0,"supermarket":0,"convenience":null,"station":null,"childcare":null,"healthCentre":null,"gym":null,"pool":null,"tennis":null,"per10kInhabitants":null},"others":null}`)
	for name, content := range map[string]string{
		"are 5, its types together 4": strings.Replace(rows, "_T;_T;_T;FACILITIES;2025;4", "_T;_T;_T;FACILITIES;2025;5", 1),
		"one edition is expected":     strings.ReplaceAll(rows, "2025", "2024"),
		"is of no family":             strings.ReplaceAll(rows, "A206", "X206"),
	} {
		b.write("bpe/DS_BPE_2025_CSV_FR.zip", file(content))
		if _, err := b.try("facilities", func(s *source.Source) { s.Checks.MinRows = 0 }); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q is refused with %v", name, err)
		}
	}
	b.wants(stats.Departement, "93", "equipements", "4")
}

// The rate of France counts the facilities of those alone whose
// inhabitants it counts, of whatever census these are.
func TestFacilitiesOfFrance(t *testing.T) {
	b := newFixture(t)
	communes := map[string]float64{"75056": 10, "93010": 10, "93066": 10, "91001": 10, "2A247": 10, "15141": 10, "15031": 10, "69123": 10, "97411": 10}
	b.figures(stats.Commune, services.FacilitiesTotal, "2013", communes)
	people := map[string]float64{}
	for code := range communes {
		people[code] = 1000
	}
	delete(people, "97411")
	b.figures(stats.Commune, source.PopulationMunicipal, "2015", people)
	b.figures(stats.Commune, source.PopulationMunicipal, "2017", map[string]float64{"97411": 100})
	for _, level := range []stats.Level{stats.Commune, stats.Departement, stats.Region} {
		code := map[stats.Level]string{stats.Commune: "93010", stats.Departement: "93", stats.Region: "11"}[level]
		got := gjson.Get(rankOf(t, b.read(), level, code, "equipmentPer10000"), "france").Raw
		same(t, "facilities of France for a "+string(level), got, `{"value":111.1,"basis":"totals"}`)
	}
}
