package report_test

import (
	"fmt"
	"strings"
	"testing"
)

const facilityFile = "bpe/bpe23_ensemble_xy.csv"

// facility is a line of the inventory at a longitude east of the test's parcel.
func (b *fixture) facility(kind, name string, lon float64, quality string) string {
	xy := strings.ReplaceAll(b.Lambert(lon, 48.9005), ",", ".")
	return fmt.Sprintf("2023;%s;93010;93;%s;%s;EPSG:2154;%s\n", name, kind, xy, quality)
}

const facilityHeader = "AN;NOMRS;DEPCOM;DEP;TYPEQU;LAMBERT_X;LAMBERT_Y;EPSG;QUALITE_XY\n"

// Shops are returned by kind in the codes of both nomenclatures. A shop whose place is only known to be the commune is no
// neighbour, and the names of doctors are not read.
func TestShops(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	loaded(t, b.Load("bpe", facilityFile, facilityHeader+
		b.facility("B105", "SUPER", 2.490, "Bonne")+
		b.facility("B102", "", 2.485, "Bonne")+
		b.facility("B105", "VAGUE", 2.482, "Mauvaise")+
		b.facility("B104", "HYPER", 2.600, "Bonne")+
		b.facility("B202", "EPICERIE", 2.481, "")+
		b.facility("D265", "DR DURAND", 2.481, "Bonne")+
		"2023;SANS PLACE;93010;93;B105;;;;\n"+
		"2023;AU LOIN;97411;974;B105;338000.5;7690000.5;EPSG:2975;Bonne\n"), 6, 0)
	b.wants("nearestSupermarket", fmt.Sprintf(`{"name":null,"distanceM":%d,"source":"BPE"}`, eastOf(2.485)))
	b.wants("nearestHypermarket", fmt.Sprintf(`{"name":"HYPER","distanceM":%d,"source":"BPE"}`, eastOf(2.6)))
	b.wants("nearestConvenience", `{"name":"EPICERIE","distanceM":0,"source":"BPE"}`)
	var named int
	if err := b.DB.QueryRow(t.Context(), "SELECT count(*) FROM geo.enrich_facility WHERE attrs->>'name' LIKE 'DR %'").Scan(&named); err != nil || named != 0 {
		t.Errorf("%d doctors are named (%v)", named, err)
	}
	b.Parcel("974110000A0001", "POLYGON((55.45 -20.88, 55.451 -20.88, 55.451 -20.879, 55.45 -20.879, 55.45 -20.88))")
	if got := b.valueOf("974110000A0001", "nearestSupermarket"); !strings.Contains(got, "AU LOIN") {
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

// The radius is right to the metre. The count says 0 where there is nothing, and nothing at all where nothing is loaded.
func TestNearbyServices(t *testing.T) {
	t.Parallel()
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

// Whatever its form, a parcel has the services that are within 1 km of its edge, as if each had been measured.
func TestNearbyServicesOfAnyShape(t *testing.T) {
	t.Parallel()
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
		if err := b.DB.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE m <= 1000), count(*) FILTER (WHERE m BETWEEN 990 AND 1010) FROM (
			SELECT ST_Distance(f.geom::geography, p.g) AS m FROM geo.enrich_facility f, (SELECT geom::geography AS g FROM geo.parcelle WHERE idu = $1 OFFSET 0) p) d`,
			idu).Scan(&want, &doubtful); err != nil {
			t.Fatal(err)
		}
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

const osmBuilding = `{"type":"Polygon","coordinates":[[[2.484,48.9],[2.486,48.9],[2.486,48.901],[2.484,48.901],[2.484,48.9]]]}`

// OpenStreetMap stands in for the inventory and is named; a building is as near as its wall; the same object twice is one.
func TestOpenStreetMap(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	collection := func(features ...string) string {
		return `{"type":"FeatureCollection","features":[` + strings.Join(features, ",") + "]}"
	}
	shops := []string{osmFeature("way/1", `"shop":"supermarket"`, "Wall", osmBuilding), osmFeature("node/3", `"shop":"bakery"`, "Bread", osmPoint(2.482))}
	for i := range 120 {
		shops = append(shops, osmFeature(fmt.Sprintf("node/1%d", i), `"shop":"supermarket"`, "Far", osmPoint(2.49)))
	}
	shops = append(shops, osmFeature("node/10", `"shop":"supermarket"`, "Far", osmPoint(2.49)))
	loaded(t, b.Load("osm-supermarkets", "osm/osm-supermarkets-93.geojson", collection(shops...)), 121, 1)
	b.wants("nearestSupermarket", fmt.Sprintf(`{"name":"Wall","distanceM":%d,"source":"OpenStreetMap"}`, eastOf(2.484)))
	b.wants("nearestHypermarket", "null")
	b.Load("bpe", facilityFile, facilityHeader+b.facility("B105", "SUPER", 2.490, "Bonne"))
	b.wants("nearestSupermarket", fmt.Sprintf(`{"name":"SUPER","distanceM":%d,"source":"BPE"}`, eastOf(2.490)))

	b.wants("nearestMarketplace", "null")
	loaded(t, b.Load("osm-marketplaces", "osm/osm-marketplaces-93.geojson",
		collection(osmFeature("node/1", `"amenity":"marketplace"`, "Halle", osmPoint(2.486)), osmFeature("node/2", `"amenity":"bank"`, "Bank", osmPoint(2.482)))), 1, 0)
	b.wants("nearestMarketplace", fmt.Sprintf(`{"name":"Halle","distanceM":%d,"source":"OpenStreetMap"}`, eastOf(2.486)))
	b.Exec("DELETE FROM geo.enrich_marketplace")
	b.wants("nearestMarketplace", "null")
}

// A handful of objects in a file without a département in its name is not all that France has.
func TestOpenStreetMapOfSomewhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for source, tag := range map[string]string{"osm-supermarkets": `"shop":"supermarket"`, "osm-marketplaces": `"amenity":"marketplace"`} {
		b.Load(source, "osm/"+source+".geojson", `{"type":"FeatureCollection","features":[`+
			osmFeature("node/1", tag, "Paris", osmPoint(2.40))+","+osmFeature("node/2", tag, "Bondy", osmPoint(2.53))+`]}`)
	}
	b.speaksFor("osm_shop", "")
	b.speaksFor("marketplace", "")
}

// finessLines are the two lines of a structure in the FINESS file.
func finessLines(id, name, category, x, y string) string {
	return "structureet;" + id + ";930000001;" + name + ";;;;;;;;;010;93;SEINE ST DENIS;93140 BONDY;;;" + category + ";;;;;;;;;;;;;\n" +
		"geolocalisation;" + id + ";" + x + ";" + y + ";1,ATLASANTE,100,IGN;2024-01-01\n"
}

// The lines of a structure and of its place stand apart; coordinates are of the département's own projection.
func TestHealth(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	at := func(lon float64) (x, y string) {
		x, y, _ = strings.Cut(strings.ReplaceAll(b.Lambert(lon, 48.9005), ",", "."), ";")
		return x, y
	}
	hx, hy := at(2.50)
	cx, cy := at(2.485)
	b.Write("finess/etalab-cs1100507-stock-20240111-0339.csv", "finess;etalab;93;2024-01-11\n"+
		finessLines("930000010", "CH DE L'ESSAI", "355", hx, hy)+
		finessLines("930000020", "CLINIQUE", "365", cx, cy)+ // no hospital of the report
		finessLines("9D0000030", "CHU DU SUD", "101", "338000.5", "7690000.5")+
		finessLines("930000040", "SANS PLACE", "355", "", ""))
	loaded(t, b.LoadSource("finess-structures"), 3, 0)
	loaded(t, b.LoadSource("finess-positions"), 2, 0)
	b.wants("nearestHospital", fmt.Sprintf(`{"finess":"930000010","name":"CH DE L'ESSAI","category":"355","distanceM":%d}`, eastOf(2.5)))
	b.wants("nearestPharmacy", "null") // the file has none at all: that proves nothing
	b.wants("nearestMsp", "null")
	if b.covers("pharmacy") || b.covers("msp") || !b.covers("hospital") {
		t.Error("the file speaks for kinds that it has no row of, or not for that which it has")
	}
	b.Parcel("974110000A0001", "POLYGON((55.45 -20.88, 55.451 -20.88, 55.451 -20.879, 55.45 -20.879, 55.45 -20.88))")
	if got := b.valueOf("974110000A0001", "nearestHospital"); !strings.Contains(got, "9D0000030") {
		t.Errorf("overseas: %s", got)
	}
}

// covers reports whether a layer is loaded for any area.
func (b *fixture) covers(layer string) bool {
	b.T.Helper()
	var there bool
	if err := b.DB.QueryRow(b.T.Context(), "SELECT EXISTS (SELECT FROM geo.coverage WHERE layer = $1)", layer).Scan(&there); err != nil {
		b.T.Fatal(err)
	}
	return there
}

// FINESS+ nests structures in legal entities and calls the northing X; those that are closed are left out.
func TestHealthPlus(t *testing.T) {
	t.Parallel()
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
	b.wants("nearestPharmacy", fmt.Sprintf(`{"finess":"930000050","name":"PHARMACIE","category":"620","distanceM":%d}`, eastOf(2.485)))
	b.wants("nearestMsp", fmt.Sprintf(`{"finess":"930000070","name":"MAISON DE SANTE","category":"603","distanceM":%d}`, eastOf(2.49)))
	b.wants("nearestHospital", "null")
	b.Exec("DELETE FROM geo.enrich_health")
	b.wants("nearestPharmacy", "null")
}

// A list of hospitals of one département says nothing of another.
func TestHospitalExtract(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	feature := func(id, category string, lon float64) string {
		return fmt.Sprintf(`{"type":"Feature","geometry":{"type":"Point","coordinates":[%g,48.9005]},"properties":{"finess_et":%q,"raison_sociale":"H","num_cat":%q,"num_dept":"93"}}`,
			lon, id, category)
	}
	loaded(t, b.Load("finess-hospitals", "finess/hopitaux_essai_2014.geojson",
		`{"type":"FeatureCollection","features":[`+feature("930000010", "292", 2.5)+","+feature("930000020", "620", 2.485)+"]}"), 1, 0)
	b.wants("nearestHospital", fmt.Sprintf(`{"finess":"930000010","name":"H","category":"292","distanceM":%d}`, eastOf(2.5)))
	b.wants("nearestPharmacy", "null")
	b.Parcel("910010000A0001", squareWKT)
	if got := b.valueOf("910010000A0001", "nearestHospital"); got != "null" {
		t.Errorf("another département: %s", got)
	}
	b.cover("hospital", "")
	b.wants("nearestHospital", "null")
}
