package ingest_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arpent/api/ingest"
	"arpent/api/source"
)

// layer is a made-up source; several of them share one layer.
func layer(name, group string) source.Source {
	return source.Source{
		Name: name, Group: group, Title: name, Producer: "Nobody", Licence: source.LicenceOuverte,
		Files: []source.Files{{Path: `^` + name + `(_(?P<scope>[0-9A-Za-z]+))?(\.(?P<vintage>[0-9-]{8,10}))?\.geojson$`}},
		Read:  source.Read{Format: source.GeoJSON},
		Columns: []source.Column{
			{Name: "id", Required: true},
			{Name: "kind", Internal: true},
			{Name: "attrs", SQL: "jsonb_strip_nulls(jsonb_build_object('kind', kind))"},
		},
		Geometry: &source.Geometry{From: source.Feature, Subdivide: true},
		Checks:   source.Checks{MaxRefused: 0.5},
		Target:   source.Target{Table: "geo.enrich_cavity", Key: []string{"part", "id", "piece"}, Part: true},
		Covers:   []source.Coverage{{Layer: "cavity"}},
	}
}

func thing(id, kind, shape string) string {
	return fmt.Sprintf(`{"type":"Feature","properties":{"id":%q,"kind":%q},"geometry":%s}`, id, kind, shape)
}

func spot(lon, lat float64) string {
	return fmt.Sprintf(`{"type":"Point","coordinates":[%g,%g]}`, lon, lat)
}

const (
	served   = "SELECT part, id, piece, attrs->>'kind' AS kind FROM geo.enrich_cavity"
	coverage = "SELECT c.layer, c.area, l.source, l.scope, l.active FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id"
)

// Sources and scopes that share a layer live side by side: loading one of them again, or refusing it, leaves the rows
// and the areas of the others as they are.
func TestPartsOfALayer(t *testing.T) {
	t.Parallel()
	b := newBench(t, layer("caves", "risks"), layer("pits", "risks"))
	b.file("caves_33.geojson", collection(thing("1", "cave", spot(0, 45)), thing("2", "well", spot(0.1, 45))))
	b.file("caves_2a.geojson", collection(thing("1", "cave", spot(9, 42))))
	b.file("pits.geojson", collection(thing("1", "pit", spot(2, 48))))
	b.mustLoad()
	b.want(served, "caves/2A|1|1|cave\ncaves/33|1|1|cave\ncaves/33|2|1|well\npits|1|1|pit")
	b.want(coverage, "cavity||pits||true\ncavity|2A|caves|2A|true\ncavity|33|caves|33|true")

	kept := b.text("SELECT part, id, xmin FROM geo.enrich_cavity WHERE part <> 'caves/33' OR id = '1'")
	for name, out := range b.mustLoad() {
		if out.State != ingest.Unchanged {
			t.Errorf("%s again is %s; expected unchanged", name, out.State)
		}
	}
	b.file("caves_33.geojson", collection(thing("1", "cave", spot(0, 45)), thing("3", "new", spot(0.2, 45))))
	b.mustLoad()
	b.want(served, "caves/2A|1|1|cave\ncaves/33|1|1|cave\ncaves/33|3|1|new\npits|1|1|pit")
	b.want("SELECT part, id, xmin FROM geo.enrich_cavity WHERE id <> '3'", kept)
	b.want(coverage, "cavity||pits||true\ncavity|2A|caves|2A|true\ncavity|33|caves|33|true")

	b.file("caves_33.geojson", `{"type":"FeatureCollection","features":[`+thing("1", "cave", spot(0, 45)))
	b.file("pits.geojson", "<html>503 Service Unavailable</html>")
	_, err := b.load(ingest.Request{})
	contains(t, err, "caves_33.geojson", "cut off", "pits.geojson", "invalid character")
	b.want(served, "caves/2A|1|1|cave\ncaves/33|1|1|cave\ncaves/33|3|1|new\npits|1|1|pit")
	b.want(coverage, "cavity||pits||true\ncavity|2A|caves|2A|true\ncavity|33|caves|33|true")
}

// What a load speaks for can come from its rows; an area that is no place is a slip of the declaration that would let
// the service say "nothing there" of a place it knows nothing of.
func TestAreasOfALoad(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, file, areas, covered, says string }{
		{"the rows say", "caves_38DDT1.geojson", "SELECT DISTINCT id FROM ready", "cavity|38001|caves|38DDT1|true\ncavity|38002|caves|38DDT1|true", ""},
		{"unknown ones are left out", "caves.geojson", "SELECT nullif(id, '38001') FROM ready", "cavity|38002|caves||true", ""},
		{"all of France", "caves_38DDT1.geojson", "SELECT ''", "cavity||caves|38DDT1|true", ""},
		{"the load says", "caves_2A.geojson", "SELECT scope FROM this_load", "cavity|2A|caves|2A|true", ""},
		{"an area that is none", "caves.geojson", "SELECT DISTINCT attrs->>'kind' FROM ready", "", `it would cover "cave"`},
		{"a scope that is none", "caves_38DDT1.geojson", "", "", `"38DDT1" is not the code of a département or commune`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := layer("caves", "")
			s.Covers[0].Areas = tc.areas
			b := newBench(t, s)
			b.file(tc.file, collection(thing("38001", "cave", spot(5, 45)), thing("38002", "cave", spot(5, 45))))
			_, err := b.load(ingest.Request{})
			if tc.says != "" {
				contains(t, err, tc.says, tc.file)
				b.want(served, "")
			} else if err != nil {
				t.Fatal(err)
			}
			b.want(coverage, tc.covered)
		})
	}
}

// star is a polygon of many corners around a place.
func star(lon, lat float64, corners int) string {
	var out []string
	for i := range corners + 1 {
		angle, r := 2*math.Pi*float64(i%corners)/float64(corners), 0.1+0.02*float64(i%corners%2)
		out = append(out, fmt.Sprintf("[%.7f,%.7f]", lon+r*math.Cos(angle), lat+r*math.Sin(angle)))
	}
	return `{"type":"Polygon","coordinates":[[` + strings.Join(out, ",") + `]]}`
}

// A large shape is cut into pieces that make up the whole and nothing else; small ones and points stay as they are,
// broken ones are repaired, and those without an extent refused.
func TestPiecesOfAShape(t *testing.T) {
	t.Parallel()
	line := make([]string, 300)
	for i := range line {
		line[i] = fmt.Sprintf("[%g,%g,12]", 2+float64(i)/1000, 48+float64(i%2)/1000)
	}
	b := newBench(t, layer("caves", ""))
	b.file("caves.geojson", collection(
		thing("a point", "", spot(2, 48)), thing("small", "", square(2, 48)), thing("star", "", star(2, 48, 1000)),
		thing("line", "", `{"type":"LineString","coordinates":[`+strings.Join(line, ",")+`]}`),
		thing("bow", "", `{"type":"Polygon","coordinates":[[[2,48],[2.01,48.01],[2.01,48],[2,48.01],[2,48]]]}`),
		thing("flat", "", `{"type":"Polygon","coordinates":[[[2,48],[2.01,48],[2.02,48],[2,48]]]}`),
		thing("stub", "", `{"type":"LineString","coordinates":[[2,48],[2,48]]}`),
		thing("nothing", "", `{"type":"MultiPolygon","coordinates":[]}`), thing("none", "", "null"),
	))
	out := b.mustLoad()["caves"]
	var refused []string
	for _, r := range out.Refusals {
		refused = append(refused, fmt.Sprintf("%d: %s", r.Line, r.Reason))
	}
	slices.Sort(refused)
	const reason = "its geometry has no area, length or place"
	if got, want := strings.Join(refused, "\n"), "6: "+reason+"\n7: "+reason+"\n8: "+reason+"\n9: it has no geometry"; got != want {
		t.Errorf("refused\n%s\nwant\n%s", got, want)
	}
	b.want(`SELECT id, count(*) > 1 AS cut, min(piece), max(piece) = count(*) AS counted, max(ST_NPoints(geom)) <= 128 AS few,
		bool_and(ST_IsValid(geom)) AS valid, bool_and(ST_NDims(geom) = 2) AS flat FROM geo.enrich_cavity GROUP BY id`,
		"a point|false|1|true|true|true|true\nbow|true|1|true|true|true|true\nline|true|1|true|true|true|true\n"+
			"small|false|1|true|true|true|true\nstar|true|1|true|true|true|true")
	// The area of a star of 2n corners with radii a and b is n·a·b·sin(π/n).
	area := 500 * 0.1 * 0.12 * math.Sin(math.Pi/500)
	b.want(fmt.Sprintf(`SELECT abs(sum(ST_Area(geom)) / %.12f - 1) < 1e-5 AS whole,
		(SELECT sum(ST_Area(ST_Intersection(a.geom, b.geom))) < 1e-12 FROM geo.enrich_cavity a, geo.enrich_cavity b
		WHERE a.id = 'star' AND b.id = 'star' AND a.piece < b.piece) AS apart FROM geo.enrich_cavity WHERE id = 'star'`, area), "true|true")
	b.want("SELECT abs(sum(ST_Area(geom)) / 0.00005 - 1) < 1e-6 AS both_wings FROM geo.enrich_cavity WHERE id = 'bow'", "true")

	before := b.text("SELECT id, piece, xmin FROM geo.enrich_cavity")
	if _, err := b.load(ingest.Request{Force: true}); err != nil {
		t.Fatal(err)
	}
	b.want("SELECT id, piece, xmin FROM geo.enrich_cavity", before)
}

// A table that is derived from the rows of a load is shared in the same way.
func TestDerivedParts(t *testing.T) {
	t.Parallel()
	s := layer("caves", "")
	s.Derived = []source.Derived{{
		Name: "kinds", Query: "SELECT attrs->>'kind' AS id, jsonb_build_object('count', count(DISTINCT id)) AS attrs FROM ready GROUP BY 1",
		Target: source.Target{Table: "geo.enrich_radon", Key: []string{"part", "id"}, Part: true},
	}}
	b := newBench(t, s)
	b.file("caves_33.geojson", collection(thing("1", "cave", spot(0, 45)), thing("2", "cave", spot(0, 45))))
	b.file("caves_34.geojson", collection(thing("1", "well", spot(3, 43))))
	b.mustLoad()
	b.file("caves_34.geojson", collection(thing("1", "pit", spot(3, 43))))
	b.mustLoad()
	b.want("SELECT part, id, attrs->>'count' AS n FROM geo.enrich_radon", "caves/33|cave|2\ncaves/34|pit|1")
}

// Of several vintages of a place the newest is served, in whatever order they came.
func TestTheNewestVintageOfAPart(t *testing.T) {
	t.Parallel()
	b := newBench(t, layer("caves", ""))
	b.file("caves_33.20250101.geojson", collection(thing("1", "new", spot(0, 45))))
	b.file("caves_33.2024-01-01.geojson", collection(thing("1", "old", spot(0, 45)), thing("2", "old", spot(0, 45))))
	b.mustLoad()
	b.want(served, "caves/33|1|1|new")
	for range 2 {
		b.mustLoad()
		b.want(served, "caves/33|1|1|new")
	}
	b.want(coverage, "cavity|33|caves|33|true")
	b.want("SELECT vintage FROM geo.load WHERE active", "2025-01-01")
}

// Asking for one département leaves the other places alone; what is not about one place comes with every request.
func TestRequestsForAPlace(t *testing.T) {
	t.Parallel()
	s := layer("caves", "")
	s.Covers[0].Areas = "SELECT ''"
	b := newBench(t, s)
	for _, scope := range []string{"33", "33063", "34", "2025"} {
		b.file("caves_"+scope+".geojson", collection(thing("1", scope, spot(0, 45))))
	}
	if _, err := b.load(ingest.Request{Departement: "33"}); err != nil {
		t.Fatal(err)
	}
	b.want(served, "caves/2025|1|1|2025\ncaves/33|1|1|33\ncaves/33063|1|1|33063")
}

// The list of sources says for which places each layer is known, and what an operator has to do where there is no
// file to be had.
func TestCoverageAndNotesAreListed(t *testing.T) {
	t.Parallel()
	none := layer("ponds", "")
	none.Note = "no public file of all of France"
	b := newBench(t, layer("caves", ""), layer("pits", ""), none)
	b.file("caves_33.geojson", collection(thing("1", "cave", spot(0, 45))))
	b.file("caves_34.geojson", collection(thing("1", "cave", spot(3, 43))))
	b.file("pits.geojson", collection(thing("1", "pit", spot(2, 48))))
	b.mustLoad()
	all, err := b.loader().Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	caves, pits, ponds := all[0], all[1], all[2]
	if caves.Covers == nil || *caves.Covers != (ingest.Covered{Areas: 2}) || caves.Rows != 2 {
		t.Errorf("caves: %+v, %+v; expected two areas and two rows", caves, caves.Covers)
	}
	if pits.Covers == nil || *pits.Covers != (ingest.Covered{France: true}) {
		t.Errorf("pits: %+v; expected all of France", pits.Covers)
	}
	if ponds.Covers != nil || ponds.State != "no file" || ponds.Note != none.Note {
		t.Errorf("ponds: %+v; expected no file, no coverage and the note", ponds)
	}
}

// A file of all of France and one of a part of it hold the same things: they are served once.
func TestScopesWithinEachOther(t *testing.T) {
	t.Parallel()
	b := newBench(t, layer("caves", ""), layer("pits", ""))
	b.file("caves_33.geojson", collection(thing("1", "of 33", spot(0, 45))))
	b.file("caves_2a004.geojson", collection(thing("2", "of 2A004", spot(9, 42))))
	b.file("pits_33.geojson", collection(thing("1", "pit", spot(0, 45))))
	b.mustLoad()
	b.file("caves.geojson", collection(thing("1", "of France", spot(0, 45)), thing("2", "of France", spot(9, 42))))
	b.mustLoad()
	b.want(served, "caves|1|1|of France\ncaves|2|1|of France\npits/33|1|1|pit")
	b.want(coverage, "cavity||caves||true\ncavity|33|pits|33|true")
	for name, out := range b.mustLoad() {
		if out.State != ingest.Unchanged {
			t.Errorf("%s again is %s; expected unchanged", name, out.State)
		}
	}
	if err := os.Remove(filepath.Join(b.data, "caves.geojson")); err != nil {
		t.Fatal(err)
	}
	b.file("caves_2a.geojson", collection(thing("2", "of 2A", spot(9, 42))))
	b.mustLoad()
	b.want(served, "caves/2A|2|1|of 2A\ncaves/33|1|1|of 33\npits/33|1|1|pit")
	b.want(coverage, "cavity|2A|caves|2A|true\ncavity|33|caves|33|true\ncavity|33|pits|33|true")
}
