package ingest_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
	"arpent/internal/pgdb"
)

const (
	served = "SELECT part, id, piece, attrs->>'kind' AS kind FROM geo.enrich_cavity"
)

// Sources and scopes that share a layer live side by side: loading one of them again, or refusing it, leaves
// the rows and the areas of the others as they are.
func TestPartsOfALayer(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Layer("caves", "risks"), loadkit.Layer("pits", "risks"))
	b.File("caves_33.geojson", loadkit.Collection(loadkit.Thing("1", "cave", loadkit.PointJSON(0, 45)), loadkit.Thing("2", "well", loadkit.PointJSON(0.1, 45))))
	b.File("caves_2a.geojson", loadkit.Collection(loadkit.Thing("1", "cave", loadkit.PointJSON(9, 42))))
	b.File("pits.geojson", loadkit.Collection(loadkit.Thing("1", "pit", loadkit.PointJSON(2, 48))))
	b.MustLoad()
	b.Want(served, "caves/2A|1|1|cave\ncaves/33|1|1|cave\ncaves/33|2|1|well\npits|1|1|pit")
	b.Want(loadkit.Coverage, "cavity||pits||true\ncavity|2A|caves|2A|true\ncavity|33|caves|33|true")

	kept := b.Text("SELECT part, id, xmin FROM geo.enrich_cavity WHERE part <> 'caves/33' OR id = '1'")
	for name, out := range b.MustLoad() {
		if out.State != ingest.Unchanged {
			t.Errorf("%s again is %s; expected unchanged", name, out.State)
		}
	}
	b.File("caves_33.geojson", loadkit.Collection(loadkit.Thing("1", "cave", loadkit.PointJSON(0, 45)), loadkit.Thing("3", "new", loadkit.PointJSON(0.2, 45))))
	b.MustLoad()
	b.Want(served, "caves/2A|1|1|cave\ncaves/33|1|1|cave\ncaves/33|3|1|new\npits|1|1|pit")
	b.Want("SELECT part, id, xmin FROM geo.enrich_cavity WHERE id <> '3'", kept)
	b.Want(loadkit.Coverage, "cavity||pits||true\ncavity|2A|caves|2A|true\ncavity|33|caves|33|true")

	b.File("caves_33.geojson", `{"type":"FeatureCollection","features":[`+loadkit.Thing("1", "cave", loadkit.PointJSON(0, 45)))
	b.File("pits.geojson", "<html>503 Service Unavailable</html>")
	_, err := b.Load(ingest.Request{})
	loadkit.Contains(t, err, "caves_33.geojson", "cut off", "pits.geojson", "got HTML or XML")
	b.Want(served, "caves/2A|1|1|cave\ncaves/33|1|1|cave\ncaves/33|3|1|new\npits|1|1|pit")
	b.Want(loadkit.Coverage, "cavity||pits||true\ncavity|2A|caves|2A|true\ncavity|33|caves|33|true")
}

// What a load speaks for can come from its rows; an area that is no place is a slip of the declaration that
// would let the service say "nothing there" of a place it knows nothing of.
func TestAreasOfALoad(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, file, areas, covered, says string }{
		{"the rows say", "caves_38DDT1.geojson", "SELECT DISTINCT id FROM ready", "cavity|38001|caves|38DDT1|true\ncavity|38002|caves|38DDT1|true", ""},
		{"unknown ones are left out", "caves.geojson", "SELECT nullif(id, '38001') FROM ready", "cavity|38002|caves||true", ""},
		{"all of France", "caves_38DDT1.geojson", "SELECT ''", "cavity||caves|38DDT1|true", ""},
		{"the load says", "caves_2A.geojson", "SELECT scope FROM this_load", "cavity|2A|caves|2A|true", ""},
		{"an area that is none", "caves.geojson", "SELECT DISTINCT attrs->>'kind' FROM ready", "", `it would cover "cave"`},
		{"a scope that is none", "caves_38DDT1.geojson", "", "", `it would cover "38DDT1"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := loadkit.Layer("caves", "")
			s.Covers[0].Areas = tc.areas
			b := loadkit.New(t, s)
			b.File(tc.file, loadkit.Collection(loadkit.Thing("38001", "cave", loadkit.PointJSON(5, 45)), loadkit.Thing("38002", "cave", loadkit.PointJSON(5, 45))))
			_, err := b.Load(ingest.Request{})
			if tc.says != "" {
				loadkit.Contains(t, err, tc.says, tc.file)
				b.Want(served, "")
			} else if err != nil {
				t.Fatal(err)
			}
			b.Want(loadkit.Coverage, tc.covered)
		})
	}
}

// starPolygon is a polygon of many vertices around a place.
func starPolygon(lon, lat float64, vertices int) string {
	var out []string
	for i := range vertices + 1 {
		angle, r := 2*math.Pi*float64(i%vertices)/float64(vertices), 0.1+0.02*float64(i%vertices%2)
		out = append(out, fmt.Sprintf("[%.7f,%.7f]", lon+r*math.Cos(angle), lat+r*math.Sin(angle)))
	}
	return `{"type":"Polygon","coordinates":[[` + strings.Join(out, ",") + `]]}`
}

// A large shape is subdivided into parts that make up the whole and nothing else; small ones and points stay
// as they are, broken ones are repaired, and those without an extent refused.
func TestSubdividedShape(t *testing.T) {
	t.Parallel()
	line := make([]string, 300)
	for i := range line {
		line[i] = fmt.Sprintf("[%g,%g,12]", 2+float64(i)/1000, 48+float64(i%2)/1000)
	}
	b := loadkit.New(t, loadkit.Layer("caves", ""))
	b.File("caves.geojson", loadkit.Collection(
		loadkit.Thing("a point", "", loadkit.PointJSON(2, 48)), loadkit.Thing("small", "", loadkit.Square(2, 48)), loadkit.Thing("star", "", starPolygon(2, 48, 1000)),
		loadkit.Thing("line", "", `{"type":"LineString","coordinates":[`+strings.Join(line, ",")+`]}`),
		loadkit.Thing("bow", "", `{"type":"Polygon","coordinates":[[[2,48],[2.01,48.01],[2.01,48],[2,48.01],[2,48]]]}`),
		loadkit.Thing("flat", "", `{"type":"Polygon","coordinates":[[[2,48],[2.01,48],[2.02,48],[2,48]]]}`),
		loadkit.Thing("stub", "", `{"type":"LineString","coordinates":[[2,48],[2,48]]}`),
		loadkit.Thing("nothing", "", `{"type":"MultiPolygon","coordinates":[]}`), loadkit.Thing("none", "", "null"),
	))
	out := b.MustLoad()["caves"]
	var refused []string
	for _, r := range out.Rejections {
		refused = append(refused, fmt.Sprintf("%d: %s", r.Line, r.Reason))
	}
	slices.Sort(refused)
	const reason = "its geometry has no area, length or place"
	if got, want := strings.Join(refused, "\n"), "6: "+reason+"\n7: "+reason+"\n8: "+reason+"\n9: it has no geometry"; got != want {
		t.Errorf("refused\n%s\nwant\n%s", got, want)
	}
	b.Want(`SELECT id, count(*) > 1 AS cut, min(piece), max(piece) = count(*) AS counted, max(ST_NPoints(geom)) <= 128 AS few,
		bool_and(ST_IsValid(geom)) AS valid, bool_and(ST_NDims(geom) = 2) AS flat FROM geo.enrich_cavity GROUP BY id`,
		"a point|false|1|true|true|true|true\nbow|true|1|true|true|true|true\nline|true|1|true|true|true|true\n"+
			"small|false|1|true|true|true|true\nstar|true|1|true|true|true|true")
	// The area of a star of 2n vertices with radii a and b is n·a·b·sin(π/n).
	area := 500 * 0.1 * 0.12 * math.Sin(math.Pi/500)
	b.Want(fmt.Sprintf(`SELECT abs(sum(ST_Area(geom)) / %.12f - 1) < 1e-5 AS whole,
		(SELECT sum(ST_Area(ST_Intersection(a.geom, b.geom))) < 1e-12 FROM geo.enrich_cavity a, geo.enrich_cavity b
		WHERE a.id = 'star' AND b.id = 'star' AND a.piece < b.piece) AS apart FROM geo.enrich_cavity WHERE id = 'star'`, area), "true|true")
	b.Want("SELECT abs(sum(ST_Area(geom)) / 0.00005 - 1) < 1e-6 AS both_wings FROM geo.enrich_cavity WHERE id = 'bow'", "true")

	before := b.Text("SELECT id, piece, xmin FROM geo.enrich_cavity")
	testkit.Must(b.Load(ingest.Request{Force: true}))(t)
	b.Want("SELECT id, piece, xmin FROM geo.enrich_cavity", before)
}

// A table that is derived from the rows of a load is shared in the same way.
func TestDerivedParts(t *testing.T) {
	t.Parallel()
	s := loadkit.Layer("caves", "")
	s.Derived = []source.Derived{{
		Name: "kinds", Query: "SELECT attrs->>'kind' AS id, jsonb_build_object('count', count(DISTINCT id)) AS attrs FROM ready GROUP BY 1",
		Target: source.Target{Table: "geo.enrich_radon", Key: []string{"part", "id"}, Part: true},
	}}
	b := loadkit.New(t, s)
	b.File("caves_33.geojson", loadkit.Collection(loadkit.Thing("1", "cave", loadkit.PointJSON(0, 45)), loadkit.Thing("2", "cave", loadkit.PointJSON(0, 45))))
	b.File("caves_34.geojson", loadkit.Collection(loadkit.Thing("1", "well", loadkit.PointJSON(3, 43))))
	b.MustLoad()
	b.File("caves_34.geojson", loadkit.Collection(loadkit.Thing("1", "pit", loadkit.PointJSON(3, 43))))
	b.MustLoad()
	b.Want("SELECT part, id, attrs->>'count' AS n FROM geo.enrich_radon", "caves/33|cave|2\ncaves/34|pit|1")
}

// Of several vintages of a place the newest is served, in whatever order they came.
func TestTheNewestVintageOfAPart(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Layer("caves", ""))
	b.File("caves_33.20250101.geojson", loadkit.Collection(loadkit.Thing("1", "new", loadkit.PointJSON(0, 45))))
	b.File("caves_33.2024-01-01.geojson", loadkit.Collection(loadkit.Thing("1", "old", loadkit.PointJSON(0, 45)), loadkit.Thing("2", "old", loadkit.PointJSON(0, 45))))
	b.MustLoad()
	b.Want(served, "caves/33|1|1|new")
	for range 2 {
		b.MustLoad()
		b.Want(served, "caves/33|1|1|new")
	}
	b.Want(loadkit.Coverage, "cavity|33|caves|33|true")
	b.Want("SELECT vintage FROM geo.load WHERE active", "2025-01-01")
}

// Asking for one département leaves the other places alone; what is
// not about one place comes with every request.
func TestRequestsForAPlace(t *testing.T) {
	t.Parallel()
	s := loadkit.Layer("caves", "")
	s.Covers[0].Areas = "SELECT ''"
	b := loadkit.New(t, s)
	for _, scope := range []string{"33", "33063", "34", "2025"} {
		b.File("caves_"+scope+".geojson", loadkit.Collection(loadkit.Thing("1", scope, loadkit.PointJSON(0, 45))))
	}
	testkit.Must(b.Load(ingest.Request{Departement: "33"}))(t)
	b.Want(served, "caves/2025|1|1|2025\ncaves/33|1|1|33\ncaves/33063|1|1|33063")
}

// The list of sources says for which places each layer is known, and what an operator
// has to do where there is no file to be had.
func TestCoverageAndNotesAreListed(t *testing.T) {
	t.Parallel()
	none := loadkit.Layer("ponds", "")
	none.Note = "no public file of all of France"
	b := loadkit.New(t, loadkit.Layer("caves", ""), loadkit.Layer("pits", ""), none)
	b.File("caves_33.geojson", loadkit.Collection(loadkit.Thing("1", "cave", loadkit.PointJSON(0, 45))))
	b.File("caves_34.geojson", loadkit.Collection(loadkit.Thing("1", "cave", loadkit.PointJSON(3, 43))))
	b.File("pits.geojson", loadkit.Collection(loadkit.Thing("1", "pit", loadkit.PointJSON(2, 48))))
	b.MustLoad()
	all := testkit.Must(b.Loader().Sources(t.Context()))(t)
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
	b := loadkit.New(t, loadkit.Layer("caves", ""), loadkit.Layer("pits", ""))
	b.File("caves_33.geojson", loadkit.Collection(loadkit.Thing("1", "of 33", loadkit.PointJSON(0, 45))))
	b.File("caves_2a004.geojson", loadkit.Collection(loadkit.Thing("2", "of 2A004", loadkit.PointJSON(9, 42))))
	b.File("pits_33.geojson", loadkit.Collection(loadkit.Thing("1", "pit", loadkit.PointJSON(0, 45))))
	b.MustLoad()
	b.File("caves.geojson", loadkit.Collection(loadkit.Thing("1", "of France", loadkit.PointJSON(0, 45)), loadkit.Thing("2", "of France", loadkit.PointJSON(9, 42))))
	b.MustLoad()
	b.Want(served, "caves|1|1|of France\ncaves|2|1|of France\npits/33|1|1|pit")
	b.Want(loadkit.Coverage, "cavity||caves||true\ncavity|33|pits|33|true")
	for name, out := range b.MustLoad() {
		if out.State != ingest.Unchanged {
			t.Errorf("%s again is %s; expected unchanged", name, out.State)
		}
	}
	testkit.NoError(t, os.Remove(filepath.Join(b.Data, "caves.geojson")))
	b.File("caves_2a.geojson", loadkit.Collection(loadkit.Thing("2", "of 2A", loadkit.PointJSON(9, 42))))
	b.MustLoad()
	b.Want(served, "caves/2A|2|1|of 2A\ncaves/33|1|1|of 33\npits/33|1|1|pit")
	b.Want(loadkit.Coverage, "cavity|2A|caves|2A|true\ncavity|33|caves|33|true\ncavity|33|pits|33|true")
}

// A new layer needs its declaration alone: the next migration makes its table, whichever
// instance runs it, and its files are loaded and stand for their place. An index that is
// declared later comes to the rows that are there.
func TestNewLayerForConcurrentReaders(t *testing.T) {
	t.Parallel()
	hives := loadkit.Layer("hives", "")
	hives.Target, hives.Covers = source.ShapeLayer("beehive"), source.Covers("beehive")
	b := loadkit.New(t, hives)
	url := b.DB.Config().ConnString()
	migrate := func(wanted bool) {
		t.Helper()
		if pending, err := pgdb.Pending(t.Context(), url, ingest.Tables(b.Catalogue)); err != nil || pending != wanted {
			t.Fatalf("pending %v, expected %v; error %v", pending, wanted, err)
		}
		var instances errgroup.Group
		for range 2 {
			instances.Go(func() error { return pgdb.Migrate(t.Context(), url, ingest.Tables(b.Catalogue)) })
		}
		testkit.NoError(t, instances.Wait())
	}
	migrate(true)
	b.File("hives_33.geojson", loadkit.Collection(loadkit.Thing("1", "wood", loadkit.PointJSON(0, 45))))
	b.MustLoad()
	b.Want("SELECT part, id, attrs->>'kind' AS kind FROM geo.enrich_beehive", "hives/33|1|wood")
	b.Want(loadkit.Coverage, "beehive|33|hives|33|true")

	b.Catalogue[0].Target = source.ShapeLayer("beehive", "CREATE INDEX enrich_beehive_kind ON geo.enrich_beehive ((attrs->>'kind'));")
	migrate(true)
	migrate(false)
	b.Want("SELECT part, id FROM geo.enrich_beehive", "hives/33|1")
	b.Want("SELECT indexname FROM pg_indexes WHERE tablename = 'enrich_beehive'",
		"enrich_beehive_geom_idx\nenrich_beehive_kind\nenrich_beehive_pkey")
}
