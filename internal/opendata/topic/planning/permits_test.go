package planning_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/state"
)

// row is a row of a file, by the names of its columns.
type row map[string]string

// makeFile writes rows in the layout of the producer: quoted cells between semicolons.
func makeFile(of string, rows ...row) string {
	header := []string{"REG_CODE", "DEP_CODE", "COMM", "NUM_" + of, "ETAT_" + of, "DATE_REELLE_AUTORISATION", "DPC_DERN", "CJ_DEM",
		"DENOM_DEM", "SIREN_DEM", "ADR_CODPOST_TER"}
	if of == "DAU" {
		header = append(header, "TYPE_DAU", "DESTINATION_PRINCIPALE", "NB_LGT_TOT_CREES", "SURF_HAB_CREEE", "SURF_LOC_CREEE")
	}
	for i := range 15 {
		header = append(header, fmt.Sprintf("SEC_CADASTRE%d", i+1), fmt.Sprintf("NUM_CADASTRE%d", i+1))
	}
	out := `"` + strings.Join(header, `";"`) + "\"\r\n"
	for _, r := range rows {
		var cells []string
		for _, name := range header {
			cells = append(cells, `"`+r[name]+`"`)
		}
		out += strings.Join(cells, ";") + "\r\n"
	}
	return out
}

// makePermit makes a row of a building permit of Bondy; more overrides its cells.
func makePermit(number, section, plan string, more row) row {
	r := row{"REG_CODE": "11", "DEP_CODE": "93", "COMM": "93010", "TYPE_DAU": "PC", "NUM_DAU": number, "ETAT_DAU": "2",
		"DATE_REELLE_AUTORISATION": "2024-05-10", "DPC_DERN": "2026-08", "NB_LGT_TOT_CREES": "1", "SURF_HAB_CREEE": "90",
		"SURF_LOC_CREEE": "10", "SEC_CADASTRE1": section, "NUM_CADASTRE1": plan}
	for name, cell := range more {
		r[name] = cell
	}
	return r
}

// makeOther makes a row of a permit to develop or to demolish.
func makeOther(of, number, section, plan string) row {
	return row{"REG_CODE": "11", "DEP_CODE": "93", "COMM": "93010", "NUM_" + of: number, "ETAT_" + of: "2", "DPC_DERN": "2026-08",
		"DATE_REELLE_AUTORISATION": "2023-01-02", "SEC_CADASTRE1": section, "NUM_CADASTRE1": plan}
}

const plotWKT = reportkit.SquareWKT

// Every trap of the four files: a reader gets each permit once, on the parcel that it names for certain,
// without a natural person, and the number of those that cannot be placed.
func TestPermitsOfAParcel(t *testing.T) {
	t.Parallel()
	b := reportkit.New(t)
	b.Parcel("93010000AB0012", plotWKT)
	b.Parcel("93010059AB0012", plotWKT)
	b.CompleteParcels("93010")
	mixed := row{"ETAT_DAU": "5", "CJ_DEM": "7210", "DENOM_DEM": "COMMUNE DE\nBONDY", "SIREN_DEM": "219300100",
		"NB_LGT_TOT_CREES": "3", "SURF_HAB_CREEE": "212,5"}
	rows := []row{
		makePermit("09301024A0001", "A", "1", mixed),
		makePermit("09301024A0001", "A", "0001", row{"TYPE_DAU": "DP", "ETAT_DAU": "4", "DENOM_DEM": "DUPONT JEAN"}), // shares the number
		makePermit("09301024A0002", "ZZ", "9", row{"SEC_CADASTRE15": "0A", "NUM_CADASTRE15": "1", "CJ_DEM": "5499", "DENOM_DEM": "MME MARTIN", "SIREN_DEM": "123456789"}),
		makePermit("09301024A0003", "AB", "12", nil),                                            // two parcels fit
		makePermit("09301024A0004", "", "", row{"CJ_DEM": "2110", "DENOM_DEM": "INDIVISION X"}), // names no parcel
		makePermit("09301024A0005", "A", "1", row{"ETAT_DAU": "3"}),                             // no such state
		makePermit("07511824A0001", "A", "1", row{"COMM": "75056"}),                             // another département
		makePermit("09301024A0001", "A", "1", row{"NB_LGT_TOT_CREES": "9"}),                     // twice
	}
	for i := range 200 { // of no parcel any more
		rows = append(rows, makePermit(fmt.Sprintf("09301020B%04d", i), "ZY", fmt.Sprint(101+i), nil))
	}
	labels := "Code de la région;Code du département;Commune\r\n"
	out := b.Load("sitadel-logements", "sitadel/sitadel-logements-93010.csv", labels+makeFile("DAU", rows...))
	reportkit.Loaded(t, out, 205, 3)
	if got, s := b.Key(reportkit.Square, "permits"); !strings.Contains(got, "A0001") || s.State != state.Value {
		t.Errorf("with one of the files the permits are %s, in state %+v", got, s)
	}
	if got, s := b.Key("93010000AB0012", "permits"); got != "null" || s.State != state.NotLoaded || s.LeftOut != nil {
		t.Errorf("with one of the files and no permit they are %s, in state %+v", got, s)
	}
	premises := func(use, area string) row { // of an older edition, with another state and applicant
		return makePermit("09301024A0001", "A", "1", row{"DPC_DERN": "2026-07", "ETAT_DAU": "6", "CJ_DEM": "5710",
			"DENOM_DEM": "ALPHA", "DESTINATION_PRINCIPALE": use, "SURF_LOC_CREEE": area})
	}
	b.Load("sitadel-locaux", "sitadel/sitadel-locaux-93010.csv", makeFile("DAU", premises("4", "100"), premises("3", "50.5")))
	b.Load("sitadel-amenager", "sitadel/sitadel-amenager-93010.csv", makeFile("PA", makeOther("PA", "09301024A0001", "AB", "12")))
	b.Load("sitadel-demolir", "sitadel/sitadel-demolir-93010.csv", makeFile("PD", makeOther("PD", "09301024A0001", "A", "1")))

	got, s := b.Key(reportkit.Square, "permits")
	const natural = `"applicant":null,"applicantSiren":null}`
	want := `[{"type":"DP","number":"09301024A0001","date":"2024-05-10","state":"cancelled","dwellings":1,"dwellingAreaM2":90,"premisesAreaM2":null,` + natural +
		`,{"type":"PC","number":"09301024A0001","date":"2024-05-10","state":"begun","dwellings":3,"dwellingAreaM2":212.5,"premisesAreaM2":150.5,` +
		`"applicant":"COMMUNE DE\nBONDY","applicantSiren":"219300100"}` +
		`,{"type":"PC","number":"09301024A0002","date":"2024-05-10","state":"authorised","dwellings":1,"dwellingAreaM2":90,"premisesAreaM2":null,` + natural +
		`,{"type":"PD","number":"09301024A0001","date":"2023-01-02","state":"authorised","dwellings":null,"dwellingAreaM2":null,"premisesAreaM2":null,` + natural + `]`
	if got != want {
		t.Errorf("the permits are %s\nwant %s", got, want)
	}
	if s.LeftOut == nil || *s.LeftOut != (state.LeftOut{Ambiguous: 2, Gone: 201, Unreferenced: 1}) || s.Vintage == nil || *s.Vintage != "2026-08" {
		t.Errorf("the state is %+v, leaving out %+v", s, s.LeftOut)
	}
	got, s = b.Key("93010059AB0012", "permits")
	if got != "[]" || s.State != state.None || s.Reason != state.PermitNotPlaced || s.LeftOut == nil {
		t.Errorf("of a parcel that a permit may be of, they are %s, in state %+v", got, s)
	}
	var kept []string
	testkit.NoError(t, b.DB.QueryRow(t.Context(), `SELECT array_agg(DISTINCT applicant) FILTER (WHERE applicant IS NOT NULL) FROM geo.permit`).
		Scan(&kept))
	if !slices.Equal(kept, []string{"ALPHA", "COMMUNE DE\nBONDY"}) {
		t.Errorf("the applicants that are kept are %q", kept)
	}
}

// A file whose columns were renamed would be one of permits without a parcel: it is refused, with the name
// of the column.
func TestPermitsWithoutReferencesAreRefused(t *testing.T) {
	t.Parallel()
	b := reportkit.New(t)
	b.Write("sitadel/sitadel-logements-93010.csv", strings.ReplaceAll(makeFile("DAU", makePermit("09301024A0001", "A", "1", nil)), "SEC_CADASTRE", "SECTION"))
	if out := b.TryLoad("sitadel-logements"); out.State != ingest.Refused || !strings.Contains(fmt.Sprint(out.Err), "SEC_CADASTRE1") {
		t.Errorf("the load is %s: %v", out.State, out.Err)
	}
}

// The code of the file is that of a city, or of a commune of the day of the permit; the number says the
// arrondissement, and a merged commune is a prefix today, unless it had merged before. Of Marseille only the
// city is known. Where not all parcels are loaded, or a part of the commune has left it since, nothing is a
// fact.
func TestPermitsOfCitiesAndMergedCommunes(t *testing.T) {
	t.Parallel()
	b := reportkit.New(t)
	b.Exec(`INSERT INTO geo.departement (code, name, region_code) VALUES ('13', 'Bouches-du-Rhône', '11')`)
	b.Exec(`INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES
		('arrondissement-municipal', '75104', 'Paris 4e', '75', '11', '75056', '{}'), ('commune-actuelle', '13055', 'Marseille', '13', '11', '13055', '{}'),
		('arrondissement-municipal', '13201', 'Marseille 1er', '13', '11', '13055', '{}'),
		('arrondissement-municipal', '13202', 'Marseille 2e', '13', '11', '13055', '{}')`)
	b.Exec(`UPDATE geo.commune SET former_codes = '{91999,91997}' WHERE code = '91001'`)
	b.Exec(`INSERT INTO geo.commune_movement (kind, day, type_before, code_before, name_before, type_after, code_after, name_after)
		VALUES (31, '1973-01-01', 'COM', '91998', '', 'COM', '91997', ''), (31, '1973-01-01', 'COM', '91997', '', 'COM', '91997', ''),
		(21, '2025-01-01', 'COM', '91001', '', 'COM', '91001', ''), (21, '2025-01-01', 'COM', '91001', '', 'COM', '91996', '')`)
	b.CompleteParcels("75104", "75118", "91001", "13201", "13202")
	for _, idu := range []string{"91001997AC0001", "91001998AC0001", "91001000AD0001", "91001000AE0001", "2A247000AB0001",
		"75104000AB0001", "75118000AB0001", "91001000AB0001", "91001999AB0001", "13201801AB0001", "13202810AB0001",
		"13202810AC0001"} {
		b.Parcel(idu, plotWKT)
	}
	var fillers []row // a département has more permits than one
	for i := range 500 {
		fillers = append(fillers, makePermit(fmt.Sprintf("09100120B%04d", i), "ZZ", fmt.Sprint(i+1), row{"COMM": "91001"}))
	}
	for commune, rows := range map[string][]row{
		"75056": {makePermit("07510424A0001", "AB", "1", row{"COMM": "75056"}), makePermit("07511824A0001", "AB", "1", row{"COMM": "75056"})},
		"91": append(fillers, makePermit("09199924A0001", "AB", "1", row{"COMM": "91999"}),
			makePermit("09199724A0001", "AC", "1", row{"COMM": "91997"}), makePermit("09100124A0001", "AD", "1", row{"COMM": "91001"}),
			makePermit("09100125A0001", "AE", "1", row{"COMM": "91001", "DATE_REELLE_AUTORISATION": "2025-06-01"})),
		"2A247": {makePermit("02A24724A0001", "AB", "1", row{"COMM": "2A247"})},
		"13055": {makePermit("01305524A0001", "AB", "1", row{"COMM": "13055"}), makePermit("01305524A0002", "AC", "1", row{"COMM": "13055"})},
	} {
		b.Write("sitadel/sitadel-logements-"+commune+".csv", makeFile("DAU", rows...))
	}
	b.LoadSource("sitadel-logements")
	for idu, want := range map[string]string{"75104000AB0001": "07510424A0001", "75118000AB0001": "07511824A0001", "91001999AB0001": "09199924A0001",
		"13202810AC0001": "01305524A0002", "91001997AC0001": "", "91001998AC0001": "",
		"91001000AD0001": "", "91001000AE0001": "09100125A0001", "2A247000AB0001": "", "91001000AB0001": "", "13201801AB0001": "", "13202810AB0001": ""} {
		if got := listNumbers(t, b, idu); strings.Join(got, ",") != want {
			t.Errorf("the permits of %s are %q, want %q", idu, got, want)
		}
	}
	if _, s := b.Key("2A247000AB0001", "permits"); s.LeftOut != nil {
		t.Errorf("of a commune that is not loaded whole %+v are left out", s.LeftOut)
	}
	b.Exec(`UPDATE geo.parcelle_commune SET complete = false WHERE code = '13201'`)
	if got := listNumbers(t, b, "13202810AC0001"); len(got) > 0 {
		t.Errorf("with a part of Marseille the permits are %q", got)
	}
}

// A parcel that was divided is gone. In a commune with prefixes another parcel may have its section and
// number: it is not taken for it where the section of the other prefix has reached the number.
func TestPermitsOfDividedParcels(t *testing.T) {
	t.Parallel()
	b := reportkit.New(t)
	b.Exec(`UPDATE geo.commune SET former_codes = '{91999,91998,91997}' WHERE code = '91001'`)
	b.Exec(`INSERT INTO geo.commune_movement (kind, day, type_before, code_before, name_before, type_after, code_after, name_after)
		VALUES (31, '1973-01-01', 'COM', '91998', '', 'COM', '91997', '')`)
	b.CompleteParcels("91001")
	for _, idu := range []string{"91001000AF0005", "91001997AF0009", "91001000AG0009", "91001997AG0005", "91001998AH0005",
		"91001000AH0004", "91001000AB0007", "91001999AB0009"} {
		b.Parcel(idu, plotWKT)
	}
	var rows []row
	for i := range 500 { // of no parcel any more
		rows = append(rows, makePermit(fmt.Sprintf("09100120B%04d", i), "ZZ", fmt.Sprint(i+1), row{"COMM": "91001"}))
	}
	b.Load("sitadel-logements", "sitadel/sitadel-logements-91.csv", makeFile("DAU", append(rows,
		makePermit("09199724A0001", "AF", "5", row{"COMM": "91997"}), // had a prefix of its own before
		makePermit("09199724A0002", "AH", "5", row{"COMM": "91997"}),
		makePermit("09100124A0001", "AG", "5", row{"COMM": "91001"}),
		makePermit("09199924A0001", "AB", "7", row{"COMM": "91999"}))...))
	for idu, want := range map[string]string{"91001000AF0005": "", "91001997AG0005": "", "91001000AB0007": "",
		"91001998AH0005": "09199724A0002"} {
		if got := listNumbers(t, b, idu); strings.Join(got, ",") != want {
			t.Errorf("the permits of %s are %q, want %q", idu, got, want)
		}
	}
	var ambiguous, gone int
	testkit.NoError(t, b.DB.QueryRow(t.Context(), `SELECT ambiguous, gone FROM geo.permit_unplaced WHERE area = '91001'`).
		Scan(&ambiguous, &gone))
	if ambiguous != 2 || gone != 501 {
		t.Errorf("%d permits are ambiguous and %d are of no parcel any more, want 2 and 501", ambiguous, gone)
	}
}

// listNumbers lists the numbers of the permits of a parcel.
func listNumbers(t *testing.T, b *reportkit.Fixture, idu string) (list []string) {
	t.Helper()
	value, _ := b.Key(idu, "permits")
	var all []struct{ Number string }
	if value != "null" {
		testkit.NoError(t, json.Unmarshal([]byte(value), &all))
	}
	for _, p := range all {
		list = append(list, p.Number)
	}
	return list
}

// A reference that several parcels fit is never given as a fact, nor is one of a parcel that is gone,
// whatever sections, prefixes and numbers a commune has, and whether the parcels were there when the permits
// were loaded or came later; one that a single parcel fits is. The numbers of a section ascend: those of a
// parcel that is divided are not given again.
func TestAmbiguousReferencesAreNeverFacts(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	b := reportkit.New(t)
	prefixes, sections := []string{"000", "059", "801"}, []string{"A", "AB", "ZY", "B"}
	if random.IntN(3) == 0 {
		prefixes = prefixes[:1]
	}
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	const first = 100            // below it numbers may be cut ones
	last := map[string]int{}     // the greatest number by prefix and section
	parcels := map[string]bool{} // by reference: whether it exists still
	addParcel := func(place string) {
		last[place] = max(last[place]+1, first)
		parcels["34172"+place[:3]+formatReference(place[3:], last[place])] = true
	}
	for range 12 {
		for place, n := pick(prefixes)+pick(sections), random.IntN(9); n > 0; n-- {
			addParcel(place)
		}
	}
	named := map[string][]string{} // references by permit, of parcels of its day
	var rows []row
	former := slices.Sorted(maps.Keys(parcels))
	for i := range 60 {
		r := makePermit(fmt.Sprintf("034172%02dA%04d", 18+i%6, i), "", "", row{"COMM": "34172", "DEP_CODE": "34"})
		for pair := range 1 + random.IntN(3) {
			idu := pick(former)
			r[fmt.Sprintf("SEC_CADASTRE%d", pair+1)] = strings.TrimLeft(idu[8:10], "0")
			r[fmt.Sprintf("NUM_CADASTRE%d", pair+1)] = strings.TrimLeft(idu[10:], "0")
			named[r["NUM_DAU"]] = append(named[r["NUM_DAU"]], idu)
		}
		rows = append(rows, r)
	}
	for _, idu := range former {
		if random.IntN(3) == 0 { // it is divided
			parcels[idu] = false
			addParcel(idu[5:8] + strings.TrimLeft(idu[8:10], "0"))
		}
	}
	loaded := map[string]bool{}
	load := func(share int) {
		for idu, exists := range parcels {
			if exists && !loaded[idu] && random.IntN(100) < share {
				loaded[idu] = true
				b.Parcel(idu, plotWKT)
			}
		}
	}
	load(80)
	b.CompleteParcels("34172")
	b.Load("sitadel-logements", "sitadel/sitadel-logements-34172.csv", makeFile("DAU", rows...))
	load(100)
	isSingle := func(idu string) bool {
		for _, prefix := range prefixes {
			n, _ := strconv.Atoi(idu[10:])
			if prefix != idu[5:8] && last[prefix+strings.TrimLeft(idu[8:10], "0")] >= n {
				return false
			}
		}
		return true
	}
	facts := 0
	for idu := range loaded {
		got := listNumbers(t, b, idu)
		facts += len(got)
		for number, refs := range named {
			switch given := slices.Contains(got, number); {
			case given && !slices.Contains(refs, idu):
				t.Errorf("%s: %s is given, which is of %q", idu, number, refs)
			case given && !isSingle(idu):
				t.Errorf("%s: %s is given, though it may be of another parcel", idu, number)
			case !given && slices.Contains(refs, idu) && isSingle(idu):
				// A parcel that came after the permits is found, too: the reference was that of no parcel
				// then.
				t.Errorf("%s: %s is not given, though no other parcel fits", idu, number)
			}
		}
	}
	if facts == 0 {
		t.Error("no permit is given on any parcel")
	}
}

// formatReference writes the end of the reference of a parcel.
func formatReference(section string, plan int) string {
	return strings.Repeat("0", 2-len(section)) + section + fmt.Sprintf("%04d", plan)
}

// In years in which a commune cut the numbers of parcels to two figures its references are those of other
// parcels.
func TestCutNumbersAreNotUsed(t *testing.T) {
	t.Parallel()
	b := reportkit.New(t)
	b.Parcel("930100000A0112", plotWKT)
	b.Parcel("930100000A0012", plotWKT)
	b.CompleteParcels("93010")
	var rows []row
	for i := range 30 {
		rows = append(rows, makePermit(fmt.Sprintf("09301019A%04d", i), "A", fmt.Sprint(1+i%20), nil))
	}
	rows = append(rows, makePermit("09301020A0001", "A", "12", nil), makePermit("09301020A0002", "A", "112", nil),
		makePermit("09301021A0001", "A", "12", nil)) // the only one of its year
	b.Load("sitadel-logements", "sitadel/sitadel-logements-93010.csv", makeFile("DAU", rows...))
	if got := listNumbers(t, b, "930100000A0012"); !slices.Equal(got, []string{"09301020A0001"}) {
		t.Errorf("the permits are %q", got)
	}
}
