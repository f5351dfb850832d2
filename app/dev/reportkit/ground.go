package reportkit

import (
	"archive/zip"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"arpent/app/dev/testkit"
)

// Extent is a rectangle of degrees, as west, south, east, north: its overlaps follow from plain arithmetic.
type Extent [4]float64

// Plot is the parcel that tests ask about.
var Plot = Extent{2.480, 48.900, 2.481, 48.901}

// Edges are its four numbers.
func (x Extent) Edges() (west, south, east, north float64) { return x[0], x[1], x[2], x[3] }

// ringJSON is the outline, counter-clockwise, at a height: the third
// coordinate is in real files and is ignored.
func (x Extent) ringJSON() string {
	return fmt.Sprintf("[[%[1]v,%[2]v,7],[%[3]v,%[2]v,7],[%[3]v,%[4]v,7],[%[1]v,%[4]v,7],[%[1]v,%[2]v,7]]", x[0],
		x[1], x[2], x[3])
}

// Feature is a GeoJSON feature with that outline. props are members without their braces.
func (x Extent) Feature(props string) string { return PolygonFeature(props, x.ringJSON()) }

// WKT is the outline as the database reads it.
func (x Extent) WKT() string {
	return fmt.Sprintf("MULTIPOLYGON(((%[1]v %[2]v, %[3]v %[2]v, %[3]v %[4]v, %[1]v %[4]v, %[1]v %[2]v)))", x[0],
		x[1], x[2], x[3])
}

// On is the share of the parcel that the rectangle covers, in percent with one decimal.
func (x Extent) On(parcel Extent) float64 {
	width := math.Min(x[2], parcel[2]) - math.Max(x[0], parcel[0])
	height := math.Min(x[3], parcel[3]) - math.Max(x[1], parcel[1])
	if width <= 0 || height <= 0 {
		return 0
	}
	share := width * height / ((parcel[2] - parcel[0]) * (parcel[3] - parcel[1]))
	return math.Round(share*1000) / 10
}

// PolygonFeature is a GeoJSON feature of any rings.
func PolygonFeature(props, rings string) string {
	return `{"type":"Feature","properties":{` + props + `},"geometry":{"type":"Polygon","coordinates":[` +
		rings + `]}}`
}

// RowFeature is a GeoJSON feature without a place: a row of a table.
func RowFeature(props string) string {
	return `{"type":"Feature","properties":{` + props + `},"geometry":null}`
}

// Geodata writes a file of another format below the data folder, made of a feature collection.
func (f *Fixture) Geodata(path, format, layer, collection string, options ...string) {
	f.T.Helper()
	testkit.Tool(f.T, "ogr2ogr")
	f.Write("source.geojson.txt", collection)
	path = filepath.Join(f.Data, filepath.FromSlash(path))
	testkit.NoError(f.T, os.MkdirAll(filepath.Dir(path), 0o755))
	args := append([]string{"-q", "-f", format, path, "GeoJSON:" + filepath.Join(f.Data, "source.geojson.txt"),
		"-nln", layer}, options...)
	if out, err := exec.Command("ogr2ogr", args...).CombinedOutput(); err != nil {
		f.T.Fatalf("ogr2ogr: %v: %s", err, out)
	}
	testkit.NoError(f.T, os.Remove(filepath.Join(f.Data, "source.geojson.txt")))
}

// Archive writes a zip of Shapefiles in Lambert-93 and of tables, each made of a feature
// collection: "ZONE_URBA.shp", "SERVITUDE.dbf". Other members are written as they are. The
// files hold UTF-8, without declaring it.
func (f *Fixture) Archive(path string, members map[string]string) {
	f.T.Helper()
	name := strings.TrimSuffix(filepath.Base(path), ".zip")
	for member, content := range members {
		layer := strings.TrimSuffix(member, filepath.Ext(member))
		inside := "unpacked/" + name + "/" + member
		switch filepath.Ext(member) {
		case ".shp":
			f.Geodata(inside, "ESRI Shapefile", layer, content, "-t_srs", "EPSG:2154", "-lco", "ENCODING=UTF-8")
		case ".dbf":
			f.Geodata(inside, "ESRI Shapefile", layer, content, "-nlt", "NONE", "-lco", "ENCODING=UTF-8")
		default:
			f.Write(inside, content)
		}
		testkit.NoError(f.T, os.RemoveAll(filepath.Join(f.Data, "unpacked", name, layer+".cpg")))
	}
	f.zipFolder(filepath.Join(f.Data, "unpacked"), filepath.Join(f.Data, filepath.FromSlash(path)))
}

// zipFolder zips a folder and removes it.
func (f *Fixture) zipFolder(folder, path string) {
	f.T.Helper()
	testkit.NoError(f.T, os.MkdirAll(filepath.Dir(path), 0o755))
	file, err := os.Create(path)
	testkit.NoError(f.T, err)
	w := zip.NewWriter(file)
	testkit.NoError(f.T, w.AddFS(os.DirFS(folder)))
	testkit.NoError(f.T, w.Close())
	testkit.NoError(f.T, file.Close())
	testkit.NoError(f.T, os.RemoveAll(folder))
}

// Projected gives a position in another projection.
func (f *Fixture) Projected(lon, lat float64, srid int) (x, y float64) {
	f.T.Helper()
	err := f.DB.QueryRow(f.T.Context(), `SELECT ST_X(p), ST_Y(p) FROM ST_Transform(ST_SetSRID(ST_MakePoint($1, $2), 4326), $3::integer) p`, lon, lat, srid).Scan(&x, &y)
	testkit.NoError(f.T, err)
	return x, y
}

// Lambert93 gives a position in Lambert-93.
func (f *Fixture) Lambert93(lon, lat float64) (x, y float64) {
	f.T.Helper()
	return f.Projected(lon, lat, 2154)
}

// Lambert gives a position in Lambert-93 as French files write it.
func (f *Fixture) Lambert(lon, lat float64) string {
	f.T.Helper()
	x, y := f.Lambert93(lon, lat)
	return decimalComma(x) + ";" + decimalComma(y)
}

func decimalComma(x float64) string {
	whole, part := math.Modf(x)
	return fmt.Sprintf("%.0f,%03.0f", whole, math.Floor(part*1000))
}
