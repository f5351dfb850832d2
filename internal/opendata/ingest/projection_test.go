package ingest_test

import (
	"strings"
	"testing"

	"arpent/app/dev/loadkit"
	"arpent/internal/opendata/source"
)

// 2.35° E, 48.85° N in the projections that files use. The metres were computed by hand from the formulas of
// the conic projection with the constants of Lambert-93.
const (
	parisDegrees   = "2.3500000 48.8500000"
	parisLambert93 = "652301.56 6861302.73"
)

// A shape lands where it is, whatever the way its file writes the place and names the projection; one
// whose place cannot be made out costs its row.
func TestPlacesAreRead(t *testing.T) {
	t.Parallel()
	metric := &source.Geometry{From: source.Feature, MetricSRID: 2154}
	named := &source.Geometry{
		From: source.LonLat, X: []string{"x"}, Y: []string{"y"}, SRIDFrom: "system",
		SRIDNames: map[string]int{"Lambert 93": 2154, "WGS84": 4326, "1": 2154},
	}
	twice := &source.Geometry{
		From: source.LonLat, X: []string{"lon"}, Y: []string{"lat"},
		Else: &source.Geometry{From: source.LonLat, X: []string{"x"}, Y: []string{"y"}, SRID: 2154, SRIDFrom: "system"},
	}
	row := func(properties, shape string) string {
		return `{"type":"Feature","properties":{"id":1,` + properties + `"z":0},"geometry":` + shape + `}`
	}
	point := func(at string) string {
		return `{"type":"Point","coordinates":[` + strings.Replace(at, " ", ",", 1) + `]}`
	}
	for _, tc := range []struct {
		name     string
		geometry *source.Geometry
		content  string
		says     string // empty: it is in Paris
		crs      string
	}{
		{"metres in a file that names no projection", metric, row("", point(parisLambert93)), "", ""},
		{"degrees in a file that names no projection", metric, row("", point(parisDegrees)), "", ""},
		{"metres though it says degrees", metric, row("", point(parisLambert93)), "", "urn:ogc:def:crs:OGC:1.3:CRS84"},
		{"metres that it names", metric, row("", point(parisLambert93)), "", "urn:ogc:def:crs:EPSG::2154"},
		{"columns next to shapes of another projection", named, row(`"x":2.35,"y":48.85,`, point(parisLambert93)), "", "urn:ogc:def:crs:EPSG::2154"},
		{"a projection by its name", named, row(`"x":652301.56,"y":6861302.73,"system":"LAMBERT 93",`, "null"), "", ""},
		{"a projection by its number in the list", named, row(`"x":652301.56,"y":6861302.73,"system":1,`, "null"), "", ""},
		{"a projection by its code", named, row(`"x":652301.56,"y":6861302.73,"system":"epsg: 2154",`, "null"), "", ""},
		{"a projection not named", named, row(`"x":2.35,"y":48.85,"system":" ",`, "null"), "", ""},
		{"an unknown projection", named, row(`"x":2.35,"y":48.85,"system":"Bonne",`, "null"), `its projection "Bonne" is not known`, ""},
		{"the first of two", twice, row(`"lon":2.35,"lat":48.85,"x":1,"y":1,`, "null"), "", ""},
		{"the second of two", twice, row(`"lon":"","lat":null,"x":652301.56,"y":6861302.73,`, "null"), "", ""},
		{"the second of two in a projection of its own", twice, row(`"x":2.35,"y":48.85,"system":4326,`, "null"), "", ""},
		{"neither", twice, row(`"lon":"","x":"",`, "null"), "it has no geometry", ""},
		{"half of the first", twice, row(`"lon":2.35,"x":652301.56,"y":6861302.73,`, "null"), "not a pair of numbers", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := loadkit.Layer("caves", "")
			s.Geometry = tc.geometry
			s.Geometry.Subdivide = true
			s.Checks.MaxRefused = 0.9
			other := `{"type":"Feature","properties":{"id":"other","x":2,"y":48,"lon":2,"lat":48},"geometry":` + loadkit.PointJSON(2, 48) + `}`
			b := loadkit.New(t, s)
			content := loadkit.Collection(tc.content, other)
			if tc.crs != "" {
				content = strings.Replace(content, `"features"`, `"crs":{"type":"name","properties":{"name":"`+tc.crs+`"}},"features"`, 1)
			}
			b.File("caves.geojson", content)
			out := b.MustLoad()["caves"]
			if tc.says != "" {
				if len(out.Rejections) != 1 || !strings.Contains(out.Rejections[0].Reason, tc.says) {
					t.Errorf("refused %v; expected one row because %q", out.Rejections, tc.says)
				}
				return
			}
			b.Want("SELECT ST_Distance(geom::geography, ST_Point(2.35, 48.85, 4326)::geography) < 0.05 AS there FROM geo.enrich_cavity WHERE id = '1'", "true")
		})
	}
}

// A place that its projection cannot hold costs its row alone, and the others keep theirs: those before it in
// the same projection, and those in degrees.
func TestPlaceBeyondItsProjection(t *testing.T) {
	t.Parallel()
	s := loadkit.Layer("caves", "")
	s.Geometry = &source.Geometry{From: source.LonLat, X: []string{"x"}, Y: []string{"y"}, SRIDFrom: "system"}
	b := loadkit.New(t, s)
	place := func(id, properties string) string {
		return `{"type":"Feature","properties":{"id":"` + id + `",` + properties + `},"geometry":null}`
	}
	b.File("caves.geojson", loadkit.Collection(
		place("degrees", `"x":2.35,"y":48.85`),
		place("metres", `"x":652301.56,"y":6861302.73,"system":2154`),
		place("nowhere", `"x":90000000,"y":90000000,"system":2975`)))
	out := b.MustLoad()["caves"]
	if out.Rows != 2 || len(out.Rejections) != 1 || out.Rejections[0].Line != 3 {
		t.Errorf("loaded %d rows and refused %v; expected two, and the third", out.Rows, out.Rejections)
	}
	b.Want("SELECT id, ST_AsText(geom, 5) AS place FROM geo.enrich_cavity",
		"degrees|POINT(2.35 48.85)\nmetres|POINT(2.35 48.85)")
}
