package geom_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/geom"
)

// The cover test agrees with ST_Covers inside, outside, on edges and on vertices of random polygons, holes
// and parts included. All coordinates are whole degrees, where PostGIS is exact too.
func TestCoversAgreesWithPostGIS(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	random := rand.New(rand.NewPCG(7, 8))
	for n := range 40 {
		combine := "ST_UnaryUnion"
		shapes := randomTriangles(random)
		if n%2 == 1 { // edges of any slope
			combine, shapes = "ST_ConvexHull", shapes[:6]
		}
		rows, err := pool.Query(t.Context(), `
WITH shape AS (SELECT ST_Multi(`+combine+`(ST_GeomFromText($1, 4326))) AS geom)
SELECT ST_AsBinary(geom), x::float8, y::float8, ST_Covers(geom, ST_SetSRID(ST_MakePoint(x, y), 4326))
FROM shape, generate_series(-1, 13) x, generate_series(-1, 13) y`, "MULTIPOLYGON("+strings.Join(shapes, ",")+")")
		testkit.NoError(t, err)
		points, covered := 0, 0
		for rows.Next() {
			var wkb []byte
			var lon, lat float64
			var want bool
			testkit.NoError(t, rows.Scan(&wkb, &lon, &lat, &want))
			points++
			if want {
				covered++
			}
			var arena geom.Arena
			s, err := arena.Decode(wkb)
			testkit.NoError(t, err)
			p := geom.Snap(lon, lat)
			if got, indexed := s.Covers(p), arena.Indexed(s).Covers(p); got != want || indexed != want {
				t.Errorf("polygon %d, (%v, %v): covered %v, indexed %v, PostGIS says %v: %s", n, lon, lat, got, indexed, want, s.AppendGeoJSON(nil))
			}
		}
		if rows.Err() != nil || points != 15*15 || covered == 0 {
			t.Fatalf("%d points, %d covered, error %v", points, covered, rows.Err())
		}
	}
}

// randomTriangles are halves of random squares of a grid of twelve by twelve: united, they make slanted
// edges, holes, several parts, and parts that touch in a point.
func randomTriangles(random *rand.Rand) []string {
	var out []string
	for range 90 {
		x, y := random.IntN(12), random.IntN(12)
		vertices := [][2]int{{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}}
		left := random.IntN(4) // the vertex that is cut off
		vertices = append(vertices[:left], vertices[left+1:]...)
		vertices = append(vertices, vertices[0])
		var ring []string
		for _, c := range vertices {
			ring = append(ring, fmt.Sprint(c[0], " ", c[1]))
		}
		out = append(out, "(("+strings.Join(ring, ",")+"))")
	}
	return out
}

// How far a place is agrees with PostGIS within 3 % at the distances of a neighbouring country, and the
// nearest outline is found without measuring all of them.
func TestNearestAgreesWithPostGIS(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	random := rand.New(rand.NewPCG(9, 10))
	var shapes []geom.Shape
	var boxes []geom.Box
	var texts []string
	for range 200 {
		x, y := random.Float64()*6-2, 44+random.Float64()*5
		texts = append(texts, fmt.Sprintf("MULTIPOLYGON(((%[1]f %[2]f,%[3]f %[2]f,%[3]f %[4]f,%[1]f %[2]f)))", x, y, x+0.1, y+0.2))
		var wkb []byte
		testkit.NoError(t, pool.QueryRow(t.Context(), "SELECT ST_AsBinary(ST_GeomFromText($1, 4326))", texts[len(texts)-1]).Scan(&wkb))
		s, err := new(geom.Arena).Decode(wkb)
		testkit.NoError(t, err)
		shapes, boxes = append(shapes, s), append(boxes, s.Bounds())
	}
	tree, measured := geom.NewTree(boxes), 0
	for range 50 {
		lon, lat := random.Float64()*14-6, 41+random.Float64()*11
		p := geom.Snap(lon, lat)
		_, metres, ok := tree.Nearest(p, func(id int32) float64 { measured++; return shapes[id].MetresTo(p) })
		var want float64
		err := pool.QueryRow(t.Context(), "SELECT min(ST_Distance(ST_SetSRID(ST_MakePoint($1, $2), 4326)::geography, ST_Boundary(ST_GeomFromText(g, 4326))::geography)) FROM unnest($3::text[]) g",
			lon, lat, texts).Scan(&want)
		if err != nil || !ok || metres > want*1.03+10 || metres < want*0.97-10 {
			t.Errorf("lat %f, lon %f: %f m, PostGIS says %f (%v)", lat, lon, metres, want, err)
		}
	}
	if measured > 50*len(shapes)/3 {
		t.Errorf("%d outlines were measured", measured)
	}
	if _, _, ok := geom.NewTree(nil).Nearest(geom.Snap(0, 0), nil); ok {
		t.Error("something is near where there is nothing")
	}
}

// The area of an outline is that of PostGIS on the ellipsoid: of several parts and holes, in the direction in
// which a file has them, near the equator and far from it.
func TestAreaIsThatOfPostGIS(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	rows, err := pool.Query(t.Context(), `
SELECT ST_AsBinary(geom), ST_Area(geom::geography)
FROM generate_series(1, 500) n, LATERAL (SELECT ST_SetSRID(ST_MakePoint(-62 + n * 0.2345678901, -21 + n * 0.15), 4326) AS at, 1e-4 * (1 + n % 90) AS wide) p,
	LATERAL (SELECT ST_Multi(ST_Difference(ST_Buffer(at, wide, 1 + n % 9), ST_Buffer(at, wide / 3, 2))) AS ring) a,
	LATERAL (SELECT CASE n % 3 WHEN 0 THEN ST_Reverse(ring) WHEN 1 THEN ST_Multi(ST_Union(ring, ST_Translate(ring, 5 * wide, -3 * wide))) ELSE ring END AS geom) g`)
	testkit.NoError(t, err)
	var wkb []byte
	var want float64
	n := 0
	_, err = pgx.ForEachRow(rows, []any{&wkb, &want}, func() error {
		shape, err := new(geom.Arena).Decode(wkb)
		if n++; math.Abs(shape.AreaM2()-want) > 1e-4*want+0.02*math.Sqrt(want) { // vertices are rounded to 1 cm
			t.Errorf("outline %d: %f m², PostGIS has %f", n, shape.AreaM2(), want)
		}
		return err
	})
	if err != nil || n != 500 {
		t.Errorf("%d outlines: %v", n, err)
	}
	if area := (geom.Shape{}).AreaM2(); area != 0 {
		t.Errorf("an empty shape has %f m²", area)
	}
}
