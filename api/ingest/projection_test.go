package ingest_test

import (
	"strings"
	"testing"

	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

// 2.35° E, 48.85° N in the projections that files use. The metres were computed by hand from the formulas of the conic
// projection with the constants of Lambert-93.
const (
	parisDegrees   = "2.3500000 48.8500000"
	parisLambert93 = "652301.56 6861302.73"
)

// A shape lands where it is, whatever the way its file writes the place and names the projection; one whose place
// cannot be made out costs its row.
func TestPlacesAreRead(t *testing.T) {
	t.Parallel()
	metric := &source.Geometry{From: source.Feature, MetricSRID: 2154}
	named := &source.Geometry{
		From: source.LonLat, X: []string{"x"}, Y: []string{"y"}, SRIDFrom: "system",
		SRIDNames: map[string]int{"Lambert 93": 2154, "WGS84": 4326, "1": 2154},
	}
	angles := &source.Geometry{From: source.DMS, X: []string{"xd", "xm", "xs", "xe"}, Y: []string{"yd", "ym", "ys", "yn"}}
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
		{"columns beside shapes of another projection", named, row(`"x":2.35,"y":48.85,`, point(parisLambert93)), "", "urn:ogc:def:crs:EPSG::2154"},
		{"a projection by its name", named, row(`"x":652301.56,"y":6861302.73,"system":"LAMBERT 93",`, "null"), "", ""},
		{"a projection by its number in the list", named, row(`"x":652301.56,"y":6861302.73,"system":1,`, "null"), "", ""},
		{"a projection by its code", named, row(`"x":652301.56,"y":6861302.73,"system":"epsg: 2154",`, "null"), "", ""},
		{"a projection not named", named, row(`"x":2.35,"y":48.85,"system":" ",`, "null"), "", ""},
		{"a projection that nobody knows", named, row(`"x":2.35,"y":48.85,"system":"Bonne",`, "null"), `its projection "Bonne" is not known`, ""},
		{"degrees, minutes, seconds", angles, row(`"xd":2,"xm":21,"xs":0,"xe":"E","yd":"48","ym":"51","ys":"","yn":"n",`, "null"), "", ""},
		{"degrees, minutes, seconds without the half", angles, row(`"xd":2,"xm":21,"xs":0,"xe":"","yd":48,"ym":51,"ys":0,"yn":"N",`, "null"), "degrees, minutes and seconds", ""},
		{"degrees, minutes, seconds out of range", angles, row(`"xd":2,"xm":61,"xs":0,"xe":"E","yd":48,"ym":51,"ys":0,"yn":"N",`, "null"), "degrees, minutes and seconds", ""},
		{"no degrees, minutes, seconds", angles, row("", "null"), "it has no geometry", ""},
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
			other := `{"type":"Feature","properties":{"id":"other","x":2,"y":48,"lon":2,"lat":48,"xd":2,"xe":"E","yd":48,"yn":"N"},"geometry":` + loadkit.Spot(2, 48) + `}`
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

// West and south are negative: the letters count.
func TestHalvesOfTheWorld(t *testing.T) {
	t.Parallel()
	s := loadkit.Layer("caves", "")
	s.Geometry = &source.Geometry{From: source.DMS, X: []string{"xd", "xm", "xs", "xe"}, Y: []string{"yd", "ym", "ys", "yn"}}
	s.Target.Key = []string{"part", "id"}
	s.Target.Table = "geo.cave"
	b := loadkit.New(t, s)
	b.Exec("CREATE TABLE geo.cave (part text, id text, attrs jsonb, geom geometry, PRIMARY KEY (part, id))")
	b.File("caves.geojson", loadkit.Collection(
		`{"type":"Feature","properties":{"id":"brest","xd":4,"xm":29,"xs":24,"xe":"W","yd":48,"ym":23,"ys":24,"yn":"N"},"geometry":null}`,
		`{"type":"Feature","properties":{"id":"reunion","xd":55,"xm":27,"xs":0,"xe":"E","yd":20,"ym":52,"ys":48,"yn":"S"},"geometry":null}`,
		`{"type":"Feature","properties":{"id":"ouest","xd":0,"xm":30,"xs":"0","xe":"O","yd":44,"ym":30,"ys":0,"yn":"N"},"geometry":null}`))
	b.MustLoad()
	b.Want("SELECT id, round(ST_X(geom)::numeric, 4) AS x, round(ST_Y(geom)::numeric, 4) AS y FROM geo.cave",
		"brest|-4.4900|48.3900\nouest|-0.5000|44.5000\nreunion|55.4500|-20.8800")
}
