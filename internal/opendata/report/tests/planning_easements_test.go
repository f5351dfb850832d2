package report_test

import (
	"fmt"
	"testing"

	"arpent/app/dev/reportkit"
)

// monumentArchive is an archive of one monument: its perimeter, drawn twice, its générateur and its
// servitude, whose identifiers are written 7, 7.00 and "7".
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
		"GESTIONNAIRE_SUP_093.dbf":     features(reportkit.RowFeature(`"IDGEST":1,"COURRIEL":"unknown@example.org"`)),
	})
}

func (b *fixture) loadEasements() {
	b.T.Helper()
	for _, table := range []string{"sup-servitudes", "sup-generateurs", "sup-assiettes"} {
		b.LoadSource(table)
	}
}

// What an easement protects is found through the tables of its own archive, whatever the letter case of their
// columns and however they write a number; another archive has the same numbers.
func TestEasements(t *testing.T) {
	b := newFixture(t)
	b.wants("sup", "null")
	near, far := extent{2.470, 48.890, 2.4806, 48.910}, extent{2.48, 48.900, 2.481, 48.9003}
	b.monumentArchive("172014607_AC1_93_20180130", "Eglise", "F", near)
	b.monumentArchive("172014999_AC1_93010_20190130", "Tour", "", far)
	b.loadEasements()
	b.wants("sup", fmt.Sprintf(`[
		{"category":"AC1","name":"Eglise","kind":"Périmètre de protection","document":"172014607_AC1_93_20180130","sharePct":%g},
		{"category":"AC1","name":"Tour","kind":"Périmètre de protection","document":"172014999_AC1_93010_20190130","sharePct":%g}]`,
		near.On(plot), far.On(plot)))
	b.CoverageIs("easement", "93", "93010")
	b.CoverageIs("easement AC1", "93", "93010")
}

// A repealed easement is not in force.
func TestEasementsRepealed(t *testing.T) {
	b := newFixture(t)
	b.monumentArchive("172014607_AC1_93_20180130", "Eglise", "T", plot)
	b.loadEasements()
	b.wants("sup", "[]")
}

// An easement in several parts weighs as much as all of them; what two of them
// cover counts once. Away from it there is none.
func TestEasementsInParts(t *testing.T) {
	b := newFixture(t)
	part := `"IdAss":%d,"IdGen":"g","nomAss":"Captage","typeAss":"Protection"`
	b.Archive("sup/110068012_AS1_93_20161104.zip", map[string]string{"AS1_ASSIETTE_SUP_S.shp": features(
		extent{2.470, 48.890, 2.4803, 48.910}.Feature(fmt.Sprintf(part, 1)), extent{2.4802, 48.890, 2.4805, 48.910}.Feature(fmt.Sprintf(part, 2)),
		extent{2.4809, 48.890, 2.490, 48.910}.Feature(fmt.Sprintf(part, 3)))})
	b.loadEasements()
	b.wants("sup", `[{"category":"AS1","name":"Captage","kind":"Protection","document":"110068012_AS1_93_20161104","sharePct":60}]`)
	b.Parcel("930100000A0002", extent{2.6, 48.95, 2.601, 48.951}.WKT())
	b.wantsOf("930100000A0002", "sup", "[]")
}

// An archive speaks for its territory only.
func TestEasementsElsewhere(t *testing.T) {
	b := newFixture(t)
	b.monumentArchive("172014607_AC1_2A_20180130", "Eglise", "F", plot)
	b.loadEasements()
	b.wants("sup", "null")
}

// The national layers hold the easements of all authorities. Each speaks for the categories and territories
// of its rows, identifiers are those of a partition, and what an archive of the same partition holds is
// served from there.
func TestEasementsOfAllAuthorities(t *testing.T) {
	b := newFixture(t)
	const monuments, gas, elsewhere = "172014607_SUP_93_AC1", "130010937_SUP_93010_I3", "172014607_SUP_2A_AC2"
	table := func(layer string, rows ...string) {
		b.Geodata("gpu/"+layer+".gpkg", "GPKG", layer, features(rows...), "-nlt", "NONE")
	}
	row := func(format string, args ...any) string { return reportkit.RowFeature(fmt.Sprintf(format, args...)) }
	table("servitude",
		row(`"partition":%q,"idsup":"7","nomsuplitt":"Eglise","categorie":"ac1","estabroge":"f"`, monuments),
		row(`"partition":%q,"idsup":"8","nomsuplitt":"Tour","categorie":"ac1","estabroge":"t"`, monuments),
		row(`"partition":%q,"idsup":"7","nomsuplitt":"Canalisation","categorie":"i3","estabroge":"f"`, gas))
	table("generateur_sup_s", row(`"partition":%q,"suptype":"ac1","idgen":"1","idsup":"7","nomgen":"x"`, monuments),
		row(`"partition":%q,"suptype":"ac1","idgen":"2","idsup":"8","nomgen":"y"`, monuments))
	table("generateur_sup_l", row(`"partition":%q,"suptype":"i3","idgen":"1","idsup":"7","nomgen":"z"`, gas))
	table("generateur_sup_p", row(`"partition":%q,"suptype":"ac2","idgen":"1","idsup":"9","nomgen":"w"`, elsewhere))
	half := extent{2.470, 48.890, 2.4805, 48.910}
	area := func(at extent, format string, args ...any) string { return at.Feature(fmt.Sprintf(format, args...)) }
	b.Geodata("gpu/assiette_sup_s.gpkg", "GPKG", "assiette_sup_s", features(
		area(plot, `"partition":%q,"suptype":"ac1","idass":"1","idgen":"1","nomass":"a","typeass":"Abords","nomsuplitt":"Eglise"`, monuments),
		area(plot, `"partition":%q,"suptype":"ac1","idass":"2","idgen":"2","nomass":"b","typeass":"Abords","nomsuplitt":"Tour"`, monuments),
		area(half, `"partition":%q,"suptype":"i3","idass":"1","idgen":"1","nomass":"c","typeass":"Bande","nomsuplitt":null`, gas),
		area(plot, `"partition":%q,"suptype":"ac2","idass":"1","idgen":"5","nomass":"d","typeass":"Site","nomsuplitt":"Site"`, elsewhere)))
	for source, rows := range map[string]int64{"sup-servitudes-national": 3, "sup-generateurs-national": 4, "sup-assiettes-national": 4} {
		loaded(t, b.LoadSource(source), rows, 0)
	}
	const easement = `{"category":%q,"name":%q,"kind":%q,"document":%q,"sharePct":%g}`
	site := fmt.Sprintf(easement, "AC2", "Site", "Site", elsewhere, 100.)
	pipe := fmt.Sprintf(easement, "I3", "Canalisation", "Bande", gas, half.On(plot))
	b.wants("sup", "["+fmt.Sprintf(easement, "AC1", "Eglise", "Abords", monuments, 100.)+","+site+","+pipe+"]")
	b.CoverageIs("easement", "2A", "93", "93010")
	b.CoverageIs("easement AC1", "93")
	b.CoverageIs("easement I3", "93010")

	b.monumentArchive("172014607_AC1_093_20180130", "Chapelle", "F", plot)
	b.loadEasements()
	b.wants("sup", "["+fmt.Sprintf(easement, "AC1", "Chapelle", "Périmètre de protection", "172014607_AC1_093_20180130", 100.)+","+site+","+pipe+"]")
}

// An assiette whose tables are missing, or hold stars where a number was too long,
// is still an easement: it bears its own name.
func TestEasementsAlone(t *testing.T) {
	b := newFixture(t)
	b.Archive("sup/110068012_PM3_093_20161104.zip", map[string]string{
		"PM3_ASSIETTE_SUP_S_093.shp": features(plot.Feature(`"IdAss":1,"IdGen":"*****","nomAss":"Usine","typeAss":"Enveloppe"`))})
	b.loadEasements()
	b.wants("sup", `[{"category":"PM3","name":"Usine","kind":"Enveloppe","document":"110068012_PM3_093_20161104","sharePct":100}]`)
}

// Noise zones are returned where a plan is loaded, and null is returned elsewhere.
func TestAerodromeNoise(t *testing.T) {
	b := newFixture(t)
	b.wants("aerodromeServitude", "null")
	loud, quiet := extent{2.480, 48.900, 2.4805, 48.901}, extent{2.470, 48.890, 2.490, 48.9007}
	b.Load("aerodromes-peb", "peb-93.geojson", features(loud.Feature(`"aerodrome":"Bourget","zone":"A"`),
		quiet.Feature(`"aerodrome":"Bourget","zone":"C"`), quiet.Feature(`"aerodrome":"Bourget","zone":"C"`)))
	b.wants("aerodromeServitude", fmt.Sprintf(`[{"kind":"PEB","zone":"C","aerodrome":"Bourget","sharePct":%g},
		{"kind":"PEB","zone":"A","aerodrome":"Bourget","sharePct":50}]`, quiet.On(plot)))
	b.Parcel("930100000A0002", extent{2.6, 48.95, 2.601, 48.951}.WKT())
	b.wantsOf("930100000A0002", "aerodromeServitude", "[]")
}
