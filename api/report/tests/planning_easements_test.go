package report_test

import (
	"fmt"
	"testing"

	"arpent/app/dev/reportkit"
)

// monumentArchive is an archive of one monument: its perimeter, drawn twice, its générateur and its servitude, whose
// identifiers are written 7, 7.00 and "7".
func (b *fixture) monumentArchive(name, servitude, repealed string, perimeter extent) {
	b.T.Helper()
	b.Archive("sup/"+name+".zip", map[string]string{
		"AC1_ASSIETTE_SUP_S.shp": features(
			perimeter.Feature(`"idass":1,"idgen":"7","nomass":"x_ass","typeass":"Périmètre de protection"`),
			extent{2.480, 48.900, 2.4801, 48.9001}.Feature(`"idass":2,"idgen":"7","nomass":"x_ass","typeass":"Périmètre de protection"`)),
		"AC1_GENERATEUR_SUP_S_093.shp": features(plot.Feature(`"IdGen":7,"IdSup":7,"nomGen":"x_gen"`),
			plot.Feature(`"IdGen":7,"IdSup":7,"nomGen":"x_gen, second part"`)),
		"AC1_GENERATEUR_SUP_P_093.shp": features(plot.Feature(`"IdGen":8,"IdSup":8,"nomGen":"y_gen"`)),
		"SERVITUDE_093.dbf":            features(reportkit.RowFeature(`"IDSUP":7.0,"NOMSUP":"short","NOMSUPLITT":"` + servitude + `","CATEGORIE":"ac1","ESTABROGE":"` + repealed + `"`)),
		"SERVITUDE_ACTE_SUP_093.dbf":   features(reportkit.RowFeature(`"IDSUP":7,"IDACTE":1`)),
		"GESTIONNAIRE_SUP_093.dbf":     features(reportkit.RowFeature(`"IDGEST":1,"COURRIEL":"nobody@example.org"`)),
	})
}

func (b *fixture) loadEasements(suffix string) {
	b.T.Helper()
	for _, table := range []string{"sup-servitudes", "sup-generateurs", "sup-assiettes"} {
		b.LoadSource(table + suffix)
	}
}

// What an easement protects is found through the tables of its own archive, whatever the letter case of their columns
// and however they write a number; another archive has the same numbers.
func TestEasements(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.wants("sup", "null")
	near, far := extent{2.470, 48.890, 2.4806, 48.910}, extent{2.48, 48.900, 2.481, 48.9003}
	b.monumentArchive("172014607_AC1_93_20180130", "Eglise", "F", near)
	b.monumentArchive("172014999_AC1_93010_20190130", "Tour", "", far)
	b.loadEasements("")
	b.wants("sup", fmt.Sprintf(`[
		{"category":"AC1","name":"Eglise","kind":"Périmètre de protection","document":"172014607_AC1_93_20180130","sharePct":%g},
		{"category":"AC1","name":"Tour","kind":"Périmètre de protection","document":"172014999_AC1_93010_20190130","sharePct":%g}]`,
		near.On(plot), far.On(plot)))
	b.CoverageIs("easement", "93", "93010")
	b.CoverageIs("easement AC1", "93", "93010")
}

// A repealed easement binds nobody.
func TestEasementsRepealed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.monumentArchive("172014607_AC1_93_20180130", "Eglise", "T", plot)
	b.loadEasements("")
	b.wants("sup", "[]")
}

// An easement in several parts weighs as much as all of them; what two of them cover counts once. Away from it there is
// none.
func TestEasementsInParts(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	part := `"IdAss":%d,"IdGen":"g","nomAss":"Captage","typeAss":"Protection"`
	b.Archive("sup/110068012_AS1_93_20161104.zip", map[string]string{"AS1_ASSIETTE_SUP_S.shp": features(
		extent{2.470, 48.890, 2.4803, 48.910}.Feature(fmt.Sprintf(part, 1)), extent{2.4802, 48.890, 2.4805, 48.910}.Feature(fmt.Sprintf(part, 2)),
		extent{2.4809, 48.890, 2.490, 48.910}.Feature(fmt.Sprintf(part, 3)))})
	b.loadEasements("")
	b.wants("sup", `[{"category":"AS1","name":"Captage","kind":"Protection","document":"110068012_AS1_93_20161104","sharePct":60}]`)
	b.Parcel("930100000A0002", extent{2.6, 48.95, 2.601, 48.951}.WKT())
	b.wantsOf("930100000A0002", "sup", "[]")
}

// An archive speaks for its territory only.
func TestEasementsElsewhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.monumentArchive("172014607_AC1_2A_20180130", "Eglise", "F", plot)
	b.loadEasements("")
	b.wants("sup", "null")
}

// An assiette whose tables are missing, or hold stars where a number was too long, is still an easement: it bears its
// own name.
func TestEasementsAlone(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.Archive("sup/110068012_PM3_093_20161104.zip", map[string]string{
		"PM3_ASSIETTE_SUP_S_093.shp": features(plot.Feature(`"IdAss":1,"IdGen":"*****","nomAss":"Usine","typeAss":"Enveloppe"`))})
	b.loadEasements("")
	b.wants("sup", `[{"category":"PM3","name":"Usine","kind":"Enveloppe","document":"110068012_PM3_093_20161104","sharePct":100}]`)
}

// Tables of text with shapes in degrees, in an archive that names no territory: it speaks for the communes that its
// easements touch.
func TestEasementsAsText(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.outline("93010", extent{2.47, 48.89, 2.49, 48.91})
	b.outline("91001", extent{2.5, 48.89, 2.6, 48.91})
	b.Archive("sup/AS1_many2many.zip", map[string]string{
		"SERVITUDE.csv":            "IDSUP,CATEGORIE,ESTABROGE,NOMSUP,NOMSUPLITT\n1,AS1,F,puits,Puits du Bois\n2,AS1,F,autre,Autre\n",
		"SERVITUDE_ACTE_SUP.csv":   "IDSUP,IDACTE\n1,101\n",
		"AS1_GENERATEUR_SUP_P.csv": "IDGEN,IDSUP,NOMGEN,WKT\n1,1,puits_gen,MULTIPOINT ((2.48 48.9))\n2,390,sans servitude,MULTIPOINT ((2.48 48.9))\n",
		"AS1_ASSIETTE_SUP_S.csv": "IDASS,IDGEN,NOMASS,TYPEASS,WKT\n" +
			`1,1,puits_ass,Protection rapprochée,"` + extent{2.480, 48.900, 2.4805, 48.901}.WKT() + `"` + "\n" +
			`2,2,forage_ass,Protection éloignée,"` + plot.WKT() + `"` + "\n",
	})
	b.loadEasements("-csv")
	b.wants("sup", `[
		{"category":"AS1","name":"sans servitude","kind":"Protection éloignée","document":"AS1_many2many","sharePct":100},
		{"category":"AS1","name":"Puits du Bois","kind":"Protection rapprochée","document":"AS1_many2many","sharePct":50}]`)
	b.CoverageIs("easement", "93010")
}

// Aeronautical easements and noise zones are returned where the operator has them, and null is returned elsewhere.
func TestAerodromeEasements(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	b.wants("aerodromeServitude", "null")
	half, zone := extent{2.480, 48.900, 2.4805, 48.901}, extent{2.470, 48.890, 2.490, 48.9007}
	b.Archive("sup/110068012_T5_93_20200101.zip", map[string]string{"T5_ASSIETTE_SUP_S.shp": features(
		half.Feature(`"IDASS":1,"IDGEN":"a","NOMASS":"Bourget","TYPEASS":"Surface"`),
		half.Feature(`"IDASS":2,"IDGEN":"a","NOMASS":"Bourget","TYPEASS":"Surface"`))})
	b.LoadSource("aerodromes-sup")
	b.wants("aerodromeServitude", `[{"kind":"T5","zone":null,"aerodrome":"Bourget","sharePct":50}]`)
	b.Load("aerodromes-peb", "peb-93.geojson", features(zone.Feature(`"aerodrome":"Bourget","zone":"C"`)))
	b.wants("aerodromeServitude", fmt.Sprintf(`[{"kind":"PEB","zone":"C","aerodrome":"Bourget","sharePct":%g},
		{"kind":"T5","zone":null,"aerodrome":"Bourget","sharePct":50}]`, zone.On(plot)))
	b.Parcel("930100000A0002", extent{2.6, 48.95, 2.601, 48.951}.WKT())
	if got := b.valueOf("930100000A0002", "aerodromeServitude"); got != "[]" {
		t.Errorf("away from the aerodrome it is %s", got)
	}
}
