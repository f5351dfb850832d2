package ingest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
)

// spotSource is a synthetic source of points.
func spotSource(g source.Geometry) source.Source {
	g.Bounds = source.France
	return source.Source{
		Name: "spots", Title: "Spots", Producer: "Test producer", Licence: source.LicenceOuverte,
		Files:    []source.Files{{Path: `^spots\.csv$`}},
		Read:     source.Read{Format: source.CSV, Separator: ";", Decimal: ","},
		Columns:  []source.Column{{Name: "id", Kind: source.Integer, Required: true}},
		Geometry: &g,
		Checks:   source.Checks{MaxRefused: 0.8},
		Target:   source.Target{Table: "geo.spot", Key: []string{"id"}},
	}
}

// Every way of writing a place gives the same point, and a place that is elsewhere than France is refused.
func TestPlacesInTables(t *testing.T) {
	t.Parallel()
	const tower = "1|2.29|48.86"
	for _, tc := range []struct {
		name, content, want string
		geometry            source.Geometry
		refused             int64
	}{
		{"longitude and latitude", "id;lon;lat\n1;2,2945;48,8582\n2;48,8582;2,2945\n", tower,
			source.Geometry{From: source.LonLat, X: []string{"lon"}, Y: []string{"lat"}}, 1},
		{"latitude, longitude in one cell", "id;geo point\n1;48.8582, 2.2945\n2;48.8582\n3;\n", tower,
			source.Geometry{From: source.LatLonText, X: []string{"Geo Point"}}, 2},
		{"Lambert-93", "id;x;y\n1;648237,30;6862271,68\n2;1e300;1\n3;0;0\n", tower,
			source.Geometry{From: source.LonLat, X: []string{"x"}, Y: []string{"y"}, SRID: 2154}, 2},
		{"a projection a row", "id;x;y;epsg\n1;648237,30;6862271,68;2154\n2;2,2945;48,8582;EPSG:4326\n3;338999;40000;2975\n4;1;1;what\n5;1;1;9999\n",
			tower + "\n2|2.29|48.86", source.Geometry{From: source.LonLat, X: []string{"x"}, Y: []string{"y"}, SRIDFrom: "epsg"}, 3},
		{"well-known text", "id;shape\n1;POINT (2.2945 48.8582)\n2;SRID=4326;\n3;POINT(2.2945)\n4;PIONT(1 2)\n5;point z ( 2.2945 48.8582 35 )\n", tower + "\n5|2.29|48.86",
			source.Geometry{From: source.WKT, X: []string{"shape"}}, 3},
		{"GeoJSON in a cell, none needed", "id;shape\n1;\"{\"\"type\"\":\"\"Point\"\",\"\"coordinates\"\":[2.2945,48.8582,35]}\"\n2;\n", tower + "\n2||",
			source.Geometry{From: source.GeoJSONText, X: []string{"shape"}, Optional: true}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := loadkit.New(t, spotSource(tc.geometry))
			b.Exec("CREATE TABLE geo.spot (id integer PRIMARY KEY, geom geometry(Point, 4326))")
			b.File("spots.csv", tc.content)
			out := b.MustLoad()["spots"]
			b.Want("SELECT id, round(ST_X(geom)::numeric, 2) AS x, round(ST_Y(geom)::numeric, 2) AS y FROM geo.spot", tc.want)
			if out.Refused != tc.refused {
				t.Errorf("%d rows refused; want %d: %v", out.Refused, tc.refused, out.Rejections)
			}
		})
	}
}

// A file without the columns of places is refused with what it has in their place.
func TestPlacesWithoutTheirColumns(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, spotSource(source.Geometry{From: source.LonLat, X: []string{"lon", "x"}, Y: []string{"lat"}}))
	b.Exec("CREATE TABLE geo.spot (id integer PRIMARY KEY, geom geometry(Point, 4326))")
	b.File("spots.csv", "id;long;lat\n1;2,2945;48,8582\n")
	_, err := b.Load(ingest.Request{})
	loadkit.Contains(t, err, "spots.csv", `its header lacks ["lon or x"]; it has ["id" "long" "lat"]`)
}

// A GeoJSON file in another projection is brought to degrees when it names it, and rejected when it does not.
func TestGeoJSONThatIsNotInDegrees(t *testing.T) {
	t.Parallel()
	lambert := `{"type":"Feature","properties":{"id":"010010000A0001"},"geometry":{"type":"Polygon","coordinates":` +
		`[[[854000,6563000],[854100,6563000],[854100,6563100],[854000,6563000]]]}}`
	crs := `"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::2154"}},`
	for name, tc := range map[string]struct{ content, says string }{
		"named":       {`{"type":"FeatureCollection",` + crs + `"features":[` + lambert + `]}`, ""},
		"named late":  {`{"type":"FeatureCollection","features":[` + lambert + `],` + crs[:len(crs)-1] + `}`, "after the features"},
		"not named":   {loadkit.Collection(lambert), "out of bounds"},
		"named wrong": {`{"type":"FeatureCollection","crs":{"properties":{"name":"Mars"}},"features":[` + lambert + `]}`, `crs "Mars"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := loadkit.Cadastre(t)
			b.File("cadastre-01001-parcelles.json", tc.content)
			_, err := b.Load(ingest.Request{})
			if tc.says != "" {
				loadkit.Contains(t, err, tc.says)
				return
			}
			testkit.NoError(t, err)
			b.Want("SELECT ST_Area(geom::geography) BETWEEN 4950 AND 5050 FROM geo.parcelle", "true")
		})
	}
}

// writeIGNDelivery writes a delivery of Parcellaire Express as IGN does: a square of
// 100 m in the projection of the département.
func writeIGNDelivery(t *testing.T, path, driver, columns string, srid int, x, y float64) {
	t.Helper()
	if _, err := exec.LookPath("ogr2ogr"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("GDAL is not installed: ", err)
	}
	feature := fmt.Sprintf(`{"type":"Feature","properties":%s,"geometry":{"type":"MultiPolygon","coordinates":`+
		`[[[[%[2]f,%[3]f],[%[4]f,%[3]f],[%[4]f,%[5]f],[%[2]f,%[5]f],[%[2]f,%[3]f]]]]}}`, columns, x, y, x+100, y+100)
	in := filepath.Join(t.TempDir(), "in.geojson")
	testkit.NoError(t, os.WriteFile(in, []byte(loadkit.Collection(feature)), 0o600))
	testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	args := []string{"-f", driver, path, in, "-nln", "PARCELLE", "-nlt", "MULTIPOLYGON", "-a_srs", fmt.Sprint("EPSG:", srid)}
	if out, err := exec.Command("ogr2ogr", args...).CombinedOutput(); err != nil {
		t.Fatalf("ogr2ogr: %v: %s", err, out)
	}
}

const (
	withIDU  = `{"IDU":"010010000A0001","FEUILLE":3,"CONTENANCE":9876,"NOM_COM":"Un"}`
	withCode = `{"CODE_DEP":"01","CODE_COM":"001","COM_ABS":"000","CODE_ARR":"000","SECTION":"A","NUMERO":"1","FEUILLE":3,"CONTENANCE":9876}`
)

// IGN's deliveries give the same parcel in each projection and way of writing the reference, with its sheet.
func TestParcellaireExpress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, file, columns string
		srid                int
		x, y                float64
		dropPrj             bool
		want                string
	}{
		{"Shapefile", "PE_SHP_D001_2024-07-01/PARCELLE.SHP", withCode, 2154, 854000, 6563000, false, "010010000A0001|3|9876|01|2024-07-01"},
		{"Shapefile without projection", "parcellaire-01.2024-07-01.shp", withIDU, 2154, 854000, 6563000, true, "010010000A0001|3|9876|01|2024-07-01"},
		{"Guadeloupe without projection", "PE_SHP_D971_2024-07-01/parcelle.shp",
			`{"IDU":"97105000AB0012","FEUILLE":1,"CONTENANCE":5}`, 5490, 640000, 1769000, true, "97105000AB0012|1|5|971|2024-07-01"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := loadkit.Cadastre(t)
			path := filepath.Join(b.Data, filepath.FromSlash(tc.file))
			writeIGNDelivery(t, path, "ESRI Shapefile", tc.columns, tc.srid, tc.x, tc.y)
			if tc.dropPrj {
				testkit.NoError(t, os.Remove(path[:len(path)-3]+"prj"))
			}
			b.MustLoad()
			b.Want("SELECT idu, feuille, contenance, (SELECT scope FROM geo.load), (SELECT vintage FROM geo.load) FROM geo.parcelle", tc.want)
			b.Want("SELECT ST_Area(geom::geography) BETWEEN 9900 AND 10100 FROM geo.parcelle", "true")
			b.Want("SELECT names_sheet FROM geo.parcelle_commune WHERE EXISTS (SELECT FROM geo.parcelle WHERE starts_with(idu, code))", "true")
		})
	}
}

// A Shapefile delivery has a file for each layer: the parcels are
// found among them, whichever was written last.
func TestParcellesAmongOtherLayers(t *testing.T) {
	t.Parallel()
	b := loadkit.Cadastre(t)
	folder := filepath.Join(b.Data, "PE_SHP_D001_2024-07-01", "1_DONNEES")
	writeIGNDelivery(t, filepath.Join(folder, "PARCELLE.SHP"), "ESRI Shapefile", withCode, 2154, 854000, 6563000)
	other := t.TempDir()
	writeIGNDelivery(t, filepath.Join(other, "x.shp"), "ESRI Shapefile", `{"NOM_COM":"Un","CODE_DEP":"01"}`, 2154, 854000, 6563000)
	later := time.Now().Add(time.Hour)
	for _, ext := range []string{"shp", "shx", "dbf", "prj"} {
		path := filepath.Join(folder, "COMMUNE."+strings.ToUpper(ext))
		testkit.NoError(t, os.Rename(filepath.Join(other, "x."+ext), path))
		testkit.NoError(t, os.Chtimes(path, later, later))
	}
	b.MustLoad()
	b.Want("SELECT idu, vintage FROM geo.parcelle JOIN geo.parcelle_commune ON starts_with(idu, code)", "010010000A0001|2024-07-01")
}
