package report_test

import (
	"fmt"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

const facilityFile = "bpe/bpe23_ensemble_xy.csv"

// facility is a line of the inventory at a longitude east of the test's parcel.
func (b *fixture) facility(kind, name string, lon float64, quality string) string {
	xy := strings.ReplaceAll(b.Lambert(lon, 48.9005), ",", ".")
	return fmt.Sprintf("2023;%s;93010;93;%s;%s;EPSG:2154;%s\n", name, kind, xy, quality)
}

const facilityHeader = "AN;NOMRS;DEPCOM;DEP;TYPEQU;LAMBERT_X;LAMBERT_Y;EPSG;QUALITE_XY\n"

// Shops are returned by kind in the codes of both nomenclatures. A shop whose place is only known to be the
// commune is no neighbour, and the names of doctors are not read.
func TestShops(t *testing.T) {
	b := newFixture(t)
	loaded(t, b.Load("bpe", facilityFile, facilityHeader+
		b.facility("B105", "SUPER", 2.490, "Bonne")+
		b.facility("B102", "", 2.485, "Bonne")+
		b.facility("B105", "VAGUE", 2.482, "Mauvaise")+
		b.facility("B104", "HYPER", 2.600, "Bonne")+
		b.facility("B202", "EPICERIE", 2.481, "")+
		b.facility("D265", "DR DURAND", 2.481, "Bonne")+
		"2023;SANS PLACE;93010;93;B105;;;;\n"+
		"2023;MARKET LOINTAIN;97411;974;B105;338000.5;7690000.5;EPSG:2975;Bonne\n"), 6, 0)
	b.wants("nearestSupermarket", fmt.Sprintf(`{"name":null,"distanceM":%d,"source":"BPE"}`, east(2.485)))
	b.wants("nearestHypermarket", fmt.Sprintf(`{"name":"HYPER","distanceM":%d,"source":"BPE"}`, east(2.6)))
	b.wants("nearestConvenience", `{"name":"EPICERIE","distanceM":0,"source":"BPE"}`)
	var named int
	if err := b.DB.QueryRow(t.Context(), "SELECT count(*) FROM geo.enrich_facility WHERE attrs->>'name' LIKE 'DR %'").Scan(&named); err != nil || named != 0 {
		t.Errorf("%d doctors are named (%v)", named, err)
	}
	b.Parcel("974110000A0001", "POLYGON((55.45 -20.88, 55.451 -20.88, 55.451 -20.879, 55.45 -20.879, 55.45 -20.88))")
	if got := b.valueOf("974110000A0001", "nearestSupermarket"); !strings.Contains(got, "MARKET LOINTAIN") {
		t.Errorf("overseas: %s", got)
	}
	// The file of an earlier year, still in the folder, adds nothing.
	b.Write("bpe/bpe22_ensemble_xy.csv", facilityHeader+strings.Replace(b.facility("B105", "OLD", 2.482, "Bonne"), "2023", "2022", 1))
	loaded(t, b.LoadSource("bpe"), 6, 0)
	b.Exec("DELETE FROM geo.enrich_facility")
	for _, key := range []string{"nearestSupermarket", "nearestHypermarket", "nearestConvenience"} {
		b.wants(key, "null")
	}
}

// The radius is right to the metre. The count says 0 where there is nothing,
// and nothing at all where nothing is loaded.
func TestNearbyServices(t *testing.T) {
	b := newFixture(t)
	b.Load("bpe", facilityFile, facilityHeader+
		b.facility("A203", "", 2.485, "Bonne")+b.facility("A504", "", 2.490, "Bonne")+
		b.facility("B105", "", 2.494626, "Bonne")+ // 999.0 m
		b.facility("B105", "", 2.494652, "Bonne")+ // 1000.9 m
		b.facility("C108", "", 2.481, "Bonne")+b.facility("G101", "", 2.4805, "Bonne"))
	b.wants("nearbyServices", `{"radiusM":1000,"counts":{"services":2,"shops":1,"education":1,"health":0,"transport":0,"sports":0,"tourism":1},"total":5}`)
	b.Exec("DELETE FROM geo.enrich_facility")
	b.wants("nearbyServices", `{"radiusM":1000,"counts":{"services":0,"shops":0,"education":0,"health":0,"transport":0,"sports":0,"tourism":0},"total":0}`)
}

// Whatever its form, a parcel has the services that are within 1 km
// of its edge, as if each had been measured.
func TestNearbyServicesOfAnyShape(t *testing.T) {
	b := newFixture(t)
	b.cover("facility", "")
	for i, at := range [][2]float64{{2.48, 50.9}, {9.0, 41.6}, {-52.5, 4.5}, {55.5, -21.1}} {
		idu := fmt.Sprintf("930100000S%04d", i)
		b.Exec(`INSERT INTO geo.parcelle (idu, geom) SELECT $1, ST_Multi(ST_MakePolygon(ST_MakeLine(p || p[1]))) FROM (
			SELECT ARRAY(SELECT ST_SetSRID(ST_MakePoint($2 + (0.02 + 0.008 * sin(a * 40)) * cos(a), $3 + (0.02 + 0.008 * sin(a * 40)) * sin(a)), 4326)
				FROM (SELECT k * 2 * pi() / 400 AS a FROM generate_series(0, 399) k) c) AS p) r`, idu, at[0], at[1])
		b.Exec(`INSERT INTO geo.enrich_facility (part, id, attrs, geom) SELECT 'test', $1 || k, '{"type":"A203"}',
				ST_SetSRID(ST_MakePoint($2 + 0.045 * cos(k * 2.4) * sqrt(k / 3000.0), $3 + 0.045 * sin(k * 2.4) * sqrt(k / 3000.0)), 4326)
			FROM generate_series(1, 3000) k`, idu, at[0], at[1])
		var want, doubtful int
		testkit.NoError(t, b.DB.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE m <= 1000), count(*) FILTER (WHERE m BETWEEN 990 AND 1010) FROM (
			SELECT ST_Distance(f.geom::geography, p.g) AS m FROM geo.enrich_facility f, (SELECT geom::geography AS g FROM geo.parcelle WHERE idu = $1 OFFSET 0) p) d`,
			idu).Scan(&want, &doubtful))
		var got struct{ Total int }
		unpack(t, b.valueOf(idu, "nearbyServices"), &got)
		if got.Total != want || doubtful < 5 {
			t.Errorf("at %v there are %d, %d were counted; %d are about 1 km away", at, want, got.Total, doubtful)
		}
	}
}

func osmFeature(id, tag, name, geometry string) string {
	return fmt.Sprintf(`{"type":"Feature","id":%q,"properties":{"@id":%q,%s,"name":%q},"geometry":%s}`, id, id, tag, name, geometry)
}

func osmPoint(lon float64) string {
	return fmt.Sprintf(`{"type":"Point","coordinates":[%g,48.9005]}`, lon)
}

// Markets are those of OpenStreetMap, which is named as their source.
func TestMarketplaces(t *testing.T) {
	b := newFixture(t)
	b.wants("nearestMarketplace", "null")
	loaded(t, b.Load("osm-marketplaces", "osm/osm-marketplaces-93.geojson", features(
		osmFeature("node/1", `"amenity":"marketplace"`, "Halle", osmPoint(2.486)), osmFeature("node/2", `"amenity":"bank"`, "Bank", osmPoint(2.482)))), 1, 0)
	b.wants("nearestMarketplace", fmt.Sprintf(`{"name":"Halle","distanceM":%d,"source":"OpenStreetMap"}`, east(2.486)))
	b.Exec("DELETE FROM geo.enrich_marketplace")
	b.wants("nearestMarketplace", "null")
}

// A handful of objects in a file without a département in its name is not all that France has.
func TestMarketplacesOfSomewhere(t *testing.T) {
	b := newFixture(t)
	const tag = `"amenity":"marketplace"`
	b.Load("osm-marketplaces", "osm/osm-marketplaces.geojson", features(
		osmFeature("node/1", tag, "Paris", osmPoint(2.40)), osmFeature("node/2", tag, "Bondy", osmPoint(2.53))))
	b.CoverageIs("marketplace")
}

// FINESS+ nests structures in legal entities and calls the northing X; those that are closed are left out.
func TestHealthPlus(t *testing.T) {
	b := newFixture(t)
	ege := func(id, name, category, state, place string) string {
		return fmt.Sprintf(`{"informationsGeneralesEGE":{"numFinessEge":%q,"nomEgeLong":%q},"categorieentiteGeographiqueExercice":%q,"etatObjet":%q,
			"adresse":[{"cogCommune":"93010","coordonneesGeographique":{%s}}]}`, id, name, category, state, place)
	}
	degrees := func(lon float64) string {
		return fmt.Sprintf(`"directionLatitude":"48.9005","directionLongitude":"%g"`, lon)
	}
	x, y, _ := strings.Cut(strings.ReplaceAll(b.Lambert(2.49, 48.9005), ",", "."), ";")
	loaded(t, b.Load("finess-plus", "finess/finess-structures-journalier-20260309.json", `{"schemaVersion":"v1.0.0","pmej":[
		{"etatObjet":"I","ege":[]},
		{"etatObjet":"A","ege":[`+ege("930000050", "PHARMACIE", "620", "A", degrees(2.485))+","+ege("930000060", "FERMEE", "620", "F", degrees(2.482))+`]},
		{"etatObjet":"A","ege":[`+ege("930000070", "MAISON DE SANTE", "603", "A", `"coordonneeX":"`+y+`","coordonneeY":"`+x+`"`)+`]}],"gco":[]}`), 2, 0)
	b.wants("nearestPharmacy", fmt.Sprintf(`{"finess":"930000050","name":"PHARMACIE","category":"620","distanceM":%d}`, east(2.485)))
	b.wants("nearestMsp", fmt.Sprintf(`{"finess":"930000070","name":"MAISON DE SANTE","category":"603","distanceM":%d}`, east(2.49)))
	b.wants("nearestHospital", "null") // the file has none at all, which proves nothing
	if len(b.Covered("hospital")) > 0 || len(b.Covered("pharmacy")) == 0 {
		t.Error("the file covers kinds that it has no row of, or not those that it has")
	}
	b.Exec("DELETE FROM geo.enrich_health")
	b.wants("nearestPharmacy", "null")
}

// A list of hospitals of one département says nothing of another.
func TestHospitalExtract(t *testing.T) {
	b := newFixture(t)
	feature := func(id, category string, lon float64) string {
		return fmt.Sprintf(`{"type":"Feature","geometry":{"type":"Point","coordinates":[%g,48.9005]},"properties":{"finess_et":%q,"raison_sociale":"HOPITAL","num_cat":%q,"num_dept":"93"}}`,
			lon, id, category)
	}
	loaded(t, b.Load("finess-hospitals", "finess/hopitaux_essai_2014.geojson",
		`{"type":"FeatureCollection","features":[`+feature("930000010", "355", 2.5)+","+feature("930000020", "620", 2.485)+"]}"), 1, 0)
	b.wants("nearestHospital", fmt.Sprintf(`{"finess":"930000010","name":"HOPITAL","category":"355","distanceM":%d,"emergencies":null}`, east(2.5)))
	b.wants("nearestPharmacy", "null")
	b.Parcel("910010000A0001", squareWKT)
	b.wantsOf("910010000A0001", "nearestHospital", "null")
	b.cover("hospital", "")
	b.wants("nearestHospital", "null")
}

// A hospital is one where an ambulance goes: the outposts of one that FINESS lists under its category are
// none, nor are local and psychiatric ones; and where the inventory of facilities is loaded, the nearest is
// the nearest with an emergency department.
func TestNearestHospitalIsOneWithEmergencies(t *testing.T) {
	b := newFixture(t)
	var features []string
	for i, h := range []struct{ category, name string }{
		{"101", "CLINIQUE DENTAIRE GARANCIERE (AP-HP)"}, {"101", "SMUR PEDIA.AVICENNE AP-HP"}, {"355", "HOPITAL DE JOUR 93G01"}, {"355", "CMP BAUER"},
		{"355", "CH- MARINES SSR GERIATRIQUE"}, {"355", "HAD CH COURBEVOIE NEUILLY"}, {"355", "UNITE PSYCHIATRIQUE  77G09-G10"}, {"355", "APPARTEMENT THERAPEUTIQUE"},
		{"292", "CENTRE HOSP.FONDATION VALLEE"}, {"106", "HOPITAL LOCAL DE HOUDAN"},
		{"355", "CENTRE HOSPITALIER DE NEMOURS"}, {"101", "HOPITAL AVICENNE (AP-HP)"}, {"355", "C.H.G ST DENIS (HOP . CASANOVA)"}, {"101", "HÔPITAL JEAN VERDIER"},
		{"355", "GHI LE RAINCY-MONTFERMEIL"}, {"355", "CTRE HOSP  INTERCOMM  ANDRE GREGOIRE"},
	} {
		features = append(features, fmt.Sprintf(`{"type":"Feature","geometry":{"type":"Point","coordinates":[%g,48.9005]},"properties":{"finess_et":"9300001%02d",
			"raison_sociale":%q,"num_cat":%q,"num_dept":"93"}}`, 2.49+0.01*float64(i), i, h.name, h.category))
	}
	loaded(t, b.Load("finess-hospitals", "finess/hopitaux_essai_2014.geojson", `{"type":"FeatureCollection","features":[`+strings.Join(features, ",")+`]}`), 6, 0)
	b.wants("nearestHospital", fmt.Sprintf(`{"finess":"930000110","name":"CENTRE HOSPITALIER DE NEMOURS","category":"355","distanceM":%d,"emergencies":null}`, east(2.59)))
	b.Exec(`INSERT INTO geo.enrich_facility (part, id, attrs, geom) VALUES ('test', '1', '{"type":"D106"}', ST_SetSRID(ST_MakePoint(2.604, 48.9005), 4326)),
		('test', '2', '{"type":"D108"}', ST_SetSRID(ST_MakePoint(2.59, 48.9005), 4326))`)
	b.cover("facility", "")
	b.wants("nearestHospital", fmt.Sprintf(`{"finess":"930000111","name":"HOPITAL AVICENNE (AP-HP)","category":"101","distanceM":%d,"emergencies":true}`, east(2.60)))
	b.Exec("DELETE FROM geo.enrich_facility WHERE attrs->>'type' = 'D106'")
	b.wants("nearestHospital", "null")
}
