package report_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// extent is a rectangle of degrees: its overlaps follow from plain arithmetic.
type extent struct{ west, south, east, north float64 }

// plot is the parcel that tests ask about.
var plot = extent{2.480, 48.900, 2.481, 48.901}

// ring is the outline, counter-clockwise, at a height: the third coordinate is one that files have and nobody wants.
func (x extent) ring() string {
	return fmt.Sprintf("[[%[1]v,%[2]v,7],[%[3]v,%[2]v,7],[%[3]v,%[4]v,7],[%[1]v,%[4]v,7],[%[1]v,%[2]v,7]]", x.west, x.south, x.east, x.north)
}

// feature is a GeoJSON feature with that outline. props are members without their braces.
func (x extent) feature(props string) string {
	return polygonFeature(props, x.ring())
}

func (x extent) wkt() string {
	return fmt.Sprintf("MULTIPOLYGON(((%[1]v %[2]v, %[3]v %[2]v, %[3]v %[4]v, %[1]v %[4]v, %[1]v %[2]v)))", x.west, x.south, x.east, x.north)
}

func polygonFeature(props, rings string) string {
	return `{"type":"Feature","properties":{` + props + `},"geometry":{"type":"Polygon","coordinates":[` + rings + `]}}`
}

func rowFeature(props string) string {
	return `{"type":"Feature","properties":{` + props + `},"geometry":null}`
}

func features(list ...string) string {
	return `{"type":"FeatureCollection","features":[` + strings.Join(list, ",\n") + `]}`
}

// on is the share of the parcel that the rectangle covers, in percent with one decimal.
func (x extent) on(parcel extent) float64 {
	width := math.Min(x.east, parcel.east) - math.Max(x.west, parcel.west)
	height := math.Min(x.north, parcel.north) - math.Max(x.south, parcel.south)
	if width <= 0 || height <= 0 {
		return 0
	}
	share := width * height / ((parcel.east - parcel.west) * (parcel.north - parcel.south))
	return math.Round(share*1000) / 10
}

// geodata writes a file of another format below the data folder, made of a feature collection.
func (b *fixture) geodata(path, format, layer, collection string, options ...string) {
	b.t.Helper()
	testkit.Tool(b.t, "ogr2ogr")
	b.write("source.geojson.txt", collection)
	path = filepath.Join(b.data, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	args := append([]string{"-q", "-f", format, path, "GeoJSON:" + filepath.Join(b.data, "source.geojson.txt"), "-nln", layer}, options...)
	if out, err := exec.Command("ogr2ogr", args...).CombinedOutput(); err != nil {
		b.t.Fatalf("ogr2ogr: %v: %s", err, out)
	}
	if err := os.Remove(filepath.Join(b.data, "source.geojson.txt")); err != nil {
		b.t.Fatal(err)
	}
}

// archive writes a zip of Shapefiles in Lambert-93 and of tables, each made of a feature collection: "ZONE_URBA.shp",
// "SERVITUDE.dbf". Other members are written as they are. The files hold UTF-8, and nothing that says so.
func (b *fixture) archive(path string, members map[string]string) {
	b.t.Helper()
	name := strings.TrimSuffix(filepath.Base(path), ".zip")
	for member, content := range members {
		layer := strings.TrimSuffix(member, filepath.Ext(member))
		inside := "unpacked/" + name + "/" + member
		switch filepath.Ext(member) {
		case ".shp":
			b.geodata(inside, "ESRI Shapefile", layer, content, "-t_srs", "EPSG:2154", "-lco", "ENCODING=UTF-8")
		case ".dbf":
			b.geodata(inside, "ESRI Shapefile", layer, content, "-nlt", "NONE", "-lco", "ENCODING=UTF-8")
		default:
			b.write(inside, content)
		}
		if err := os.RemoveAll(filepath.Join(b.data, "unpacked", name, layer+".cpg")); err != nil {
			b.t.Fatal(err)
		}
	}
	b.pack(filepath.Join(b.data, "unpacked"), filepath.Join(b.data, filepath.FromSlash(path)))
}

// pack zips a folder and removes it.
func (b *fixture) pack(folder, path string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		b.t.Fatal(err)
	}
	w := zip.NewWriter(f)
	if err := w.AddFS(os.DirFS(folder)); err != nil {
		b.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.t.Fatal(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		b.t.Fatal(err)
	}
}

// outline puts the outline of a commune in service.
func (b *fixture) outline(code string, x extent) {
	b.t.Helper()
	b.contour(code, x.west, x.south, x.east, x.north)
}

func (b *fixture) contour(code string, west, south, east, north float64) {
	b.t.Helper()
	b.exec(`INSERT INTO geo.commune_contour (code, geom, area_km2) VALUES ($1, ST_Multi(ST_MakeEnvelope($2, $3, $4, $5, 4326)), 1)`, code, west, south, east, north)
}

// The arithmetic that tests compare shares with is right itself.
func TestShareOfRectangles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x    extent
		want float64
	}{
		{plot, 100}, {extent{2, 48, 3, 49}, 100}, {extent{2.4805, 48.9, 2.49, 48.901}, 50}, {extent{2.481, 48.9, 2.49, 48.901}, 0},
	} {
		if got := c.x.on(plot); got != c.want {
			t.Errorf("%v covers %g %%, want %g", c.x, got, c.want)
		}
	}
}

// coverageIs fails unless exactly these areas are covered by a layer.
func (b *fixture) coverageIs(layer string, areas ...string) {
	b.t.Helper()
	if got := b.covered(layer); !slices.Equal(got, areas) {
		b.t.Errorf("%s covers %q, want %q", layer, got, areas)
	}
}

func (b *fixture) covered(layer string) (areas []string) {
	b.t.Helper()
	err := b.db.QueryRow(b.t.Context(),
		`SELECT coalesce(array_agg(DISTINCT area ORDER BY area), '{}') FROM geo.coverage WHERE layer = $1`, layer).Scan(&areas)
	if err != nil {
		b.t.Fatal(err)
	}
	return areas
}

func (b *fixture) path(name string) string { return filepath.Join(b.data, filepath.FromSlash(name)) }

// gdal runs a command of GDAL, to make files of formats that are not text.
func (b *fixture) gdal(name string, args ...string) {
	b.t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		b.t.Skipf("GDAL is not installed: %v", err)
	}
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		b.t.Fatalf("%s: %v: %s", name, err, out)
	}
}

// number is a member of a value.
func (b *fixture) number(key, member string) float64 {
	b.t.Helper()
	var value map[string]any
	if err := json.Unmarshal([]byte(b.value(key)), &value); err != nil {
		b.t.Fatal(err)
	}
	n, ok := value[member].(float64)
	if !ok {
		b.t.Fatalf("%s of %s is %v", member, key, value[member])
	}
	return n
}

func (b *fixture) lambert93(lon, lat float64) (x, y float64) {
	b.t.Helper()
	err := b.db.QueryRow(b.t.Context(), `SELECT ST_X(p), ST_Y(p) FROM ST_Transform(ST_SetSRID(ST_MakePoint($1, $2), 4326), 2154) p`, lon, lat).Scan(&x, &y)
	if err != nil {
		b.t.Fatal(err)
	}
	return x, y
}

// areas are the places that a layer is loaded for.
func (b *fixture) areas(layer string) []string {
	b.t.Helper()
	var areas []string
	err := b.db.QueryRow(b.t.Context(), `SELECT coalesce(array_agg(area ORDER BY area), '{}') FROM geo.coverage WHERE layer = $1`, layer).Scan(&areas)
	if err != nil {
		b.t.Fatal(err)
	}
	return areas
}

// real makes the data folder that of the real samples.
func (b *fixture) real(t *testing.T) { b.data = testkit.Data(t) }
