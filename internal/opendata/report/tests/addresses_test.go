package report_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"arpent/internal/opendata/ingest"
)

const banHeader = "id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;" +
	"nom_ancienne_commune;x;y;lon;lat;type_position;alias;nom_ld;libelle_acheminement;nom_afnor;source_position;" +
	"source_nom_voie;certification_commune;cad_parcelles\n"

// banRow is a row of the Base Adresse Nationale in the rue Haute of Bondy.
func banRow(id, numero, rep, lonLat, position, certified, parcels string) string {
	return fmt.Sprintf("%s;;%s;%s;Rue Haute;93140;93010;Bondy;;;0;0;%s;%s;;;BONDY;RUE HAUTE;commune;commune;%s;%s\n",
		id, numero, rep, lonLat, position, certified, parcels)
}

func banAddress(id, numero string, more string) string {
	return `{"id":"` + id + `","label":"` + numero + ` Rue Haute 93140 Bondy","housenumber":"` + numero +
		`","street":"Rue Haute","postcode":"93140","commune":"Bondy","codeInsee":"93010",` + more + `}`
}

// Addresses inside the parcel come before those that only the register connects with it; the best comes
// first, and an address with several positions counts once.
func TestAddressesInside(t *testing.T) {
	b := newFixture(t)
	b.Load("ban", "ban/adresses-93010.csv", banHeader+
		banRow("93010_1_00014", "14", "", "2.4801;48.9001", "segment", "0", "")+
		banRow("93010_1_00012", "12", "", "2.4805;48.9005", "segment", "1", "")+
		banRow("93010_1_00012", "12", "", "2.4806;48.9005", "entrée", "1", "")+
		banRow("93010_1_00010_bis", "10", "bis", "2.4807;48.9005", "segment", "1", "")+
		banRow("93010_1_00010", "10", "", "2.4808;48.9005", "", "1", "")+
		banRow("93010_1_00002", "2", "", "2.4900;48.9005", "entrée", "1", square))
	best := banAddress("93010_1_00012", "12", `"lon":2.4806,"lat":48.9005,"positionType":"entrée","certified":true,"match":"inside","distanceM":0`)
	b.wants("address", best)
	b.wants("banAddresses", "["+strings.Join([]string{best,
		banAddress("93010_1_00010", "10", `"lon":2.4808,"lat":48.9005,"positionType":null,"certified":true,"match":"inside","distanceM":0`),
		banAddress("93010_1_00010_bis", "10 bis", `"lon":2.4807,"lat":48.9005,"positionType":"segment","certified":true,"match":"inside","distanceM":0`),
		banAddress("93010_1_00014", "14", `"lon":2.4801,"lat":48.9001,"positionType":"segment","certified":false,"match":"inside","distanceM":0`),
		banAddress("93010_1_00002", "2", `"lon":2.49,"lat":48.9005,"positionType":"entrée","certified":true,"match":"cadastre","distanceM":660`),
	}, ",")+"]")
}

// The address that was asked for comes first, however it is written, and the others by their distance from
// it. One that the parcel does not have, or that is in another town, changes nothing, and the report says so.
func TestAddressAskedComesFirst(t *testing.T) {
	b := newFixture(t)
	b.Load("ban", "ban/adresses-93010.csv", banHeader+
		banRow("93010_1_00012", "12", "", "2.4801;48.9005", "entrée", "1", "")+
		banRow("93010_1_00012_bis", "12", "bis", "2.4807;48.9005", "segment", "1", "")+
		banRow("93010_1_00014", "14", "", "2.4806;48.9005", "segment", "0", "")+
		banRow("93010_1_00112", "112", "", "2.4803;48.9005", "segment", "0", ""))
	const best, bis = "12 12 bis 14 112", "12 bis 14 112 12"
	own := map[string]bool{"2 rue Haute": false, "14 rue Basse": false, "112 rue Haute, 75018 Paris": false, "12 rue Haute": true, "14 rue haute": true}
	for asked, want := range map[string]string{
		"": best, "12 bis Rue Haute 93140 Bondy": bis, "12bis r. haute, Bondy": bis, "12 B RUE HAUTE": bis, "14 rue haute": "14 12 bis 112 12",
		"12 rue Haute": "12 112 14 12 bis", "112, rue Haute, 93140 Bondy": "112 12 14 12 bis", "112 rue Haute, 75018 Paris": best,
		"2 rue Haute": best, "14 rue Basse": best, "rue Haute": best, "Bondy": best, "14": best,
	} {
		var all []struct{ Housenumber string }
		var first struct {
			Housenumber string
			Asked       *bool
		}
		unpack(t, b.valueBy(asked, square, "banAddresses"), &all)
		unpack(t, b.valueBy(asked, square, "address"), &first)
		var got []string
		for _, a := range all {
			got = append(got, a.Housenumber)
		}
		if strings.Join(got, " ") != want || first.Housenumber != got[0] {
			t.Errorf("%q: %q first, of %v; want %s", asked, first.Housenumber, got, want)
		}
		if isOwn, known := own[asked]; (first.Asked == nil) != (asked == "") || known && *first.Asked != isOwn {
			t.Errorf("%q is an address of the parcel: %v, want %t", asked, first.Asked, isOwn)
		}
	}
}

// Without a position inside, what the register connects with the parcel counts, with its distance; then those
// that have no nearer parcel.
func TestAddressesByCadastre(t *testing.T) {
	b := newFixture(t)
	b.Load("ban", "ban/adresses-93010.csv", banHeader+
		banRow("93010_1_00002", "2", "", "2.4820;48.9005", "entrée", "0", "930100000A0099|"+square)+
		banRow("93010_1_00004", "4", "", "2.4811;48.9005", "entrée", "0", "930100000A0002"))
	far := int(math.Round(apart(2.481, 48.9005, 2.482, 48.9005)))
	want := banAddress("93010_1_00002", "2", fmt.Sprintf(
		`"lon":2.482,"lat":48.9005,"positionType":"entrée","certified":false,"match":"cadastre","distanceM":%d`, far))
	b.wants("address", want)
	b.wants("banAddresses", "["+want+","+banAddress("93010_1_00004", "4",
		`"lon":2.4811,"lat":48.9005,"positionType":"entrée","certified":false,"match":"nearest","distanceM":7`)+"]")
}

// Most addresses lie in the street, outside all parcels: each is listed by the parcel nearest to it, up to
// 50 m, and by no other, with its distance. One of another parcel is in address alone, and called near.
func TestAddressesInTheStreet(t *testing.T) {
	b := newFixture(t)
	b.Parcel("930100000A0002", "POLYGON((2.4817 48.9, 2.4827 48.9, 2.4827 48.901, 2.4817 48.901, 2.4817 48.9))")
	b.Load("ban", "ban/adresses-93010.csv", banHeader+
		banRow("93010_1_00004", "4", "", "2.4813;48.9005", "entrée", "0", "")+
		banRow("93010_1_00006", "6", "", "2.48101;48.9005", "entrée", "0", "")+
		banRow("93010_1_00008", "8", "", "2.4815;48.9005", "entrée", "1", ""))
	near := int(math.Round(apart(2.481, 48.9005, 2.4813, 48.9005)))
	if near != 22 {
		t.Fatalf("the arithmetic of this test is off: %d", near)
	}
	own := func(id, numero, lon, certified string, metres int) string {
		return banAddress(id, numero, `"lon":`+lon+`,"lat":48.9005,"positionType":"entrée","certified":`+certified+`,"match":"nearest","distanceM":`+strconv.Itoa(metres))
	}
	first := own("93010_1_00006", "6", "2.48101", "false", 1)
	b.wants("address", first)
	b.wants("banAddresses", "["+first+","+own("93010_1_00004", "4", "2.4813", "false", 22)+"]")
	b.wantsOf("930100000A0002", "banAddresses", "["+own("93010_1_00008", "8", "2.4815", "true", 15)+"]")
	b.Exec("DELETE FROM geo.adresse WHERE numero <> 8")
	b.wants("address", banAddress("93010_1_00008", "8", `"lon":2.4815,"lat":48.9005,"positionType":"entrée","certified":true,"match":"near","distanceM":37`))
	b.wants("banAddresses", "[]")
}

func TestAddressesNone(t *testing.T) {
	b := newFixture(t)
	b.Load("ban", "ban/adresses-93010.csv", banHeader+banRow("93010_1_00004", "4", "", "2.4817;48.9005", "entrée", "0", ""))
	b.wants("address", "null") // 51 m away
	b.wants("banAddresses", "[]")
	b.Parcel("2A2470000A0001", "POLYGON((9.28 41.59, 9.281 41.59, 9.281 41.591, 9.28 41.59))")
	b.wantsOf("2A2470000A0001", "banAddresses", "null")
}

// A forest with thousands of vertices is compared piece by piece: the distance
// to its edge stays that of plain arithmetic.
func TestAddressesOfAForest(t *testing.T) {
	b := newFixture(t)
	const forest = "930100000F0001"
	b.Exec(`INSERT INTO geo.parcelle (idu, geom) SELECT $1, ST_Multi(ST_Segmentize(ST_MakeEnvelope(2.50, 48.90, 2.52, 48.92, 4326), 0.00002))`, forest)
	b.Load("ban", "ban/adresses-93010.csv", banHeader+banRow("93010_1_00004", "4", "", "2.52035;48.9123457", "entrée", "0", ""))
	var got struct {
		Match     string
		DistanceM int
	}
	unpack(t, b.valueOf(forest, "address"), &got)
	if want := int(math.Round(apart(2.52, 48.9123457, 2.52035, 48.9123457))); got.DistanceM != want || got.Match != "nearest" {
		t.Errorf("got %+v, want %d m", got, want)
	}
	b.Exec(`UPDATE geo.adresse SET geom = ST_SetSRID(ST_MakePoint(2.5111111, 48.9111111), 4326)`)
	unpack(t, b.valueOf(forest, "address"), &got)
	if got.DistanceM != 0 || got.Match != "inside" {
		t.Errorf("in the middle: %+v", got)
	}
}

// A file with a handful of rows that is named after a département must not make the rest of it look empty.
func TestAddressesOfADepartementAreMany(t *testing.T) {
	b := newFixture(t)
	b.Write("ban/adresses-93.csv", banHeader+banRow("93010_1_00004", "4", "", "2.4805;48.9005", "entrée", "0", ""))
	if out := b.TryLoad("ban"); out.State != ingest.Refused {
		t.Errorf("the load is %s", out.State)
	}
	b.wants("address", "null")
}

const fibreHeader = "x,y,imb_id,num_voie,cp_no_voie,type_voie,nom_voie,batiment,code_insee,code_poste,nom_com,catg_loc_imb,imb_etat,pm_ref,pm_etat,code_l331,geom_mod,type_imb\n"

func fibreRow(x, y, id, state string) string {
	return x + "," + y + "," + id + ",1,,RUE,HAUTE,,93010,93140,BONDY,AUTRE," + state + ",FI-93010-0001,deploye,ORAN,2023-01-01,pavillon\n"
}

// The nearest building is found in metres, not in degrees: one to the
// east looks farther in degrees than it is.
func TestFibreNearest(t *testing.T) {
	b := newFixture(t)
	b.Load("fibre", "fibre/ipe_93010.csv", fibreHeader+
		fibreRow("2.4805", "48.90135", "IMB/93010/X/NORTH", "cible")+
		fibreRow("2.48145", "48.9005", "IMB/93010/X/EAST", "deploye"))
	east := math.Round(apart(2.481, 48.9005, 2.48145, 48.9005))
	b.wants("fibre", fmt.Sprintf(`{"status":"deploye","operator":"ORAN","buildingId":"IMB/93010/X/EAST","node":"FI-93010-0001",
		"nodeStatus":"deploye","kind":"pavillon","completedOn":null,"distanceM":%g}`, east))
}

func TestFibreNone(t *testing.T) {
	b := newFixture(t)
	b.wants("fibre", "null")
	b.Load("fibre", "fibre/ipe_93010.csv", fibreHeader+fibreRow("2.4817", "48.9005", "IMB/93010/X/FAR", "deploye"))
	b.wants("fibre", "null") // 51 m
}

// One edition has semicolons and Windows-1252.
func TestFibreSemicolons(t *testing.T) {
	b := newFixture(t)
	rows := strings.ReplaceAll(fibreHeader+fibreRow("2.4805", "48.9005", "IMB/93010/X/1", "raccordable demande"), ",", ";")
	b.Load("fibre", "fibre/immeubles_2023T4_93010.csv", strings.Replace(rows, "HAUTE", "DU CH\xc2TEAU", 1))
	b.wants("fibre", `{"status":"raccordable demande","operator":"ORAN","buildingId":"IMB/93010/X/1","node":"FI-93010-0001",
		"nodeStatus":"deploye","kind":"pavillon","completedOn":null,"distanceM":0}`)
}
