package geom_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"arpent/api/geom"
	"arpent/app/dev/testkit"
)

// The cover test agrees with ST_Covers inside, outside, on edges and on vertices of random polygons, holes and parts
// included. All coordinates are whole degrees, where PostGIS is exact too.
func TestCoversAgreesWithPostGIS(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	random := rand.New(rand.NewPCG(7, 8))
	for n := range 40 {
		combine := "ST_UnaryUnion"
		shapes := triangles(random)
		if n%2 == 1 { // edges of any slope
			combine, shapes = "ST_ConvexHull", shapes[:6]
		}
		rows, err := pool.Query(t.Context(), `
WITH shape AS (SELECT ST_Multi(`+combine+`(ST_GeomFromText($1, 4326))) AS geom)
SELECT ST_AsBinary(geom), x::float8, y::float8, ST_Covers(geom, ST_SetSRID(ST_MakePoint(x, y), 4326))
FROM shape, generate_series(-1, 13) x, generate_series(-1, 13) y`, "MULTIPOLYGON("+strings.Join(shapes, ",")+")")
		if err != nil {
			t.Fatal(err)
		}
		points, covered := 0, 0
		for rows.Next() {
			var wkb []byte
			var lon, lat float64
			var want bool
			if err := rows.Scan(&wkb, &lon, &lat, &want); err != nil {
				t.Fatal(err)
			}
			points++
			if want {
				covered++
			}
			s, err := new(geom.Arena).Decode(wkb)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Covers(geom.Snap(lon, lat)); got != want {
				t.Errorf("polygon %d, (%v, %v): covered %v, PostGIS says %v: %s", n, lon, lat, got, want, s.AppendGeoJSON(nil))
			}
		}
		if rows.Err() != nil || points != 15*15 || covered == 0 {
			t.Fatalf("%d points, %d covered, error %v", points, covered, rows.Err())
		}
	}
}

// triangles are halves of random squares of a grid of twelve by twelve: united, they make slanted edges, holes, several
// parts, and parts that touch in a point.
func triangles(random *rand.Rand) []string {
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
