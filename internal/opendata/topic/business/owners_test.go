package business_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/reportkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/state"
)

// ownerColumns is the header of the edition of 2025: "Contenance" is there twice.
const ownerColumns = "Département;Code Direction;Code Commune;Nom de la commune;Préfixe;Section;N° plan;N° voirie;" +
	"Indice de répétition;Code voie MAJIC;Code voie Rivoli;Nature voie;Nom voie;Contenance;SUF;Nature culture;Contenance;" +
	"Code droit;N° Majic;N° SIREN;Groupe personne;Forme juridique;Forme juridique abrégée;Dénomination"

// makeOwner makes a row of the file; place is "département;commune;prefix;section;plan".
func makeOwner(place, suf, right, siren, group, form, name string) string {
	at := strings.Split(place, ";")
	return strings.Join([]string{at[0], "0", at[1], "BONDY", at[2], at[3], at[4], "12", "", "0001", "0001", "RUE", "DES ROSES",
		"1234", suf, "S - Sols", "617", right, "PBBCDF", siren, group, form, "ABR", name}, ";")
}

const (
	ofBondy   = "93;010;   ;A;1"
	owner     = "P - Propriétaire"
	theTown   = "4 - Commune"
	bondyName = "COMMUNE DE BONDY"
)

func makeBondyRow(suf, right string) string {
	return makeOwner(ofBondy, suf, right, "219300100", theTown, "Commune", bondyName)
}

// A reader of the report gets each legal person of a parcel once for each right, with a SIREN number only
// where it is one, and no name that may be that of a natural person.
func TestLegalOwnersOfAParcel(t *testing.T) {
	t.Parallel()
	b := reportkit.New(t)
	if got, _ := b.Key(reportkit.Square, "legalOwners"); got != "null" {
		t.Errorf("without a file the owners are %s", got)
	}
	good := []string{ownerColumns, makeBondyRow("A", owner), makeBondyRow("B", owner), makeBondyRow("A", "G - Gérant"),
		makeOwner(ofBondy, "A", owner, "U12345678", "0", "", "SCI DES ROSES"),
		makeOwner(ofBondy, "B", "U - Usufruitier", "", "8", "", "M. DUPONT JEAN"),
		makeOwner(ofBondy, "B", "U - Usufruitier", "123456789", "8", "", "M. DUPONT JEAN"),
		makeOwner(ofBondy, "B", "V - Bailleur", "123456789", "8", "Indivision", "DUPONT JEAN"),
		makeOwner(ofBondy, "B", "W - Autre", "123456789", "8", "", "SUCCESSION MARTIN")}
	for i := range 300 {
		good = append(good, makeOwner(fmt.Sprintf("93;010;000;B;%d", i+1), "A", owner, "552081317", "0 - Société", "SA", "EDF"))
	}
	out := b.Load("legal-owners", "parcelles-personnes-morales-93010-2025.csv", reportkit.Lines(append(good,
		"93;0;010;cut short",
		makeOwner("75;056; ;A;1", "A", owner, "217500016", theTown, "Commune", "VILLE DE PARIS"),
		makeOwner("93;066;059;A;1", "A", owner, "219300662", theTown, "Commune", "of another commune"))...))
	if out.Refused != 3 {
		t.Errorf("%d rows are refused: %v", out.Refused, out.Rejections)
	}
	for _, want := range []string{"expected 24", "75056 is a city of arrondissements", "93066 is not in 93010"} {
		if !strings.Contains(fmt.Sprint(out.Rejections), want) {
			t.Errorf("no row is refused for %q: %v", want, out.Rejections)
		}
	}
	want := compactJSON(t, `[
		{"name":"COMMUNE DE BONDY","siren":"219300100","form":"Commune","group":"4","groupLabel":"Commune","right":"G","rightLabel":"Gérant"},
		{"name":"COMMUNE DE BONDY","siren":"219300100","form":"Commune","group":"4","groupLabel":"Commune","right":"P","rightLabel":"Propriétaire"},
		{"name":"SCI DES ROSES","siren":null,"form":null,"group":"0","groupLabel":null,"right":"P","rightLabel":"Propriétaire"},
		{"name":null,"siren":null,"form":null,"group":"8","groupLabel":null,"right":"U","rightLabel":"Usufruitier"},
		{"name":null,"siren":null,"form":"Indivision","group":"8","groupLabel":null,"right":"V","rightLabel":"Bailleur"},
		{"name":null,"siren":null,"form":null,"group":"8","groupLabel":null,"right":"W","rightLabel":"Autre"}]`)
	if got, _ := b.Key(reportkit.Square, "legalOwners"); got != want {
		t.Errorf("the owners are %s, want %s", got, want)
	}
}

// A parcel that the file does not list is not said to be that of a natural person.
func TestNoLegalOwner(t *testing.T) {
	t.Parallel()
	b := reportkit.New(t)
	b.Load("legal-owners", "parcelles-personnes-morales-93010-2025.csv", reportkit.Lines(ownerColumns,
		makeOwner("93;010;;A;2", "A", owner, "552081317", "0", "SA", "EDF")))
	got, s := b.Key(reportkit.Square, "legalOwners")
	if got != "[]" || s.State != state.None || s.Vintage == nil || *s.Vintage != "2025" ||
		!strings.Contains(s.Reason, "may be that of natural persons") || !strings.Contains(s.Reason, "not known") {
		t.Errorf("the owners are %s, in state %+v", got, s)
	}
}

// The archive of half the country has a file a département: all are read, overseas codes become those of the
// cadastre, and only the départements in it count as loaded.
func TestLegalOwnersOfTheCountry(t *testing.T) {
	t.Parallel()
	b := reportkit.New(t)
	b.Parcel("2A247000AB0012", reportkit.SquareWKT)
	file := func(departement, commune string) string {
		return reportkit.Lines(manyOwners(departement, commune, 400)...)
	}
	b.Write("parcelles-personnes-morales-2025-1.zip", loadkit.Archive(t, map[string]string{
		"PM_25_NB_2A0.csv": file("2A", "247"), "PM_25_NB_750.csv": file("75", "118"), "lisez-moi.txt": "no table"}))
	b.Write("parcelles-personnes-morales-2025-2.zip", loadkit.Archive(t, map[string]string{"PM_25_NB_974.csv": file("974", "415")}))
	reportkit.Loaded(t, b.LoadSource("legal-owners"), 1200, 0)
	b.CoverageIs("legal_owner", "2A", "75", "974")
	if got, _ := b.Key("2A247000AB0012", "legalOwners"); !strings.Contains(got, `"right":"P","rightLabel":null`) {
		t.Errorf("the owners are %s", got)
	}
	var overseas string
	testkit.NoError(t, b.DB.QueryRow(t.Context(), `SELECT min(id) FROM geo.enrich_legal_owner WHERE id LIKE '97%'`).Scan(&overseas))
	if overseas != "97415000AB0001" {
		t.Errorf("a parcel of La Réunion is %s", overseas)
	}
}

// The file of January may be older than the merger of a commune: its owners are found on the parcels of
// today, also on those that had a prefix before; another commune's parcels with the same section and number
// do not get them.
func TestLegalOwnersOfMergedCommunes(t *testing.T) {
	t.Parallel()
	b := reportkit.New(t)
	for _, idu := range []string{"91001999ZB0001", "91001998ZB0001", "91001000ZB0001", "91001997ZB0001"} {
		b.Parcel(idu, reportkit.SquareWKT)
	}
	b.Load("legal-owners", "parcelles-personnes-morales-91-2025.csv", reportkit.Lines(append(manyOwners("91", "001", 1000),
		makeOwner("91;999;;ZB;1", "A", owner, "219100100", theTown, "Commune", "VILLE A"),
		makeOwner("91;999;998;ZB;1", "A", owner, "219100101", theTown, "Commune", "VILLE B"))...))
	for idu, want := range map[string]string{"91001999ZB0001": "VILLE A", "91001998ZB0001": "VILLE B",
		"91001000ZB0001": "[]", "91001997ZB0001": "[]"} {
		if got, _ := b.Key(idu, "legalOwners"); !strings.Contains(got, want) {
			t.Errorf("the owners of %s are %s, want %s", idu, got, want)
		}
	}
}

// manyOwners is the header and rows of n parcels of a section of a commune.
func manyOwners(departement, commune string, n int) []string {
	all := []string{ownerColumns}
	for i := range n {
		place := fmt.Sprintf("%s;%s;;AB;%d", departement, commune, i+1)
		all = append(all, makeOwner(place, "A", "P", "219300100", "4", "Commune", bondyName))
	}
	return all
}

// compactJSON writes a JSON text without blanks.
func compactJSON(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	testkit.NoError(t, json.Compact(&out, []byte(text)))
	return out.String()
}
