package convert_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest/convert"
)

// ringOf is an area in GeoJSON whose one ring has these positions, in units of 1e-7 degree from a place in
// France.
func ringOf(positions ...[2]int) string {
	var all []string
	for _, p := range append(positions, positions[0]) {
		all = append(all, fmt.Sprintf("[%.7f,%.7f]", 2.35+float64(p[0])/1e7, 48.85+float64(p[1])/1e7))
	}
	return `{"type":"Polygon","coordinates":[[` + strings.Join(all, ",") + `]]}`
}

// A ring that touches itself is never taken for a valid area, which would be served as it is.
func TestKnownValidAreas(t *testing.T) {
	t.Parallel()
	square := [][2]int{{0, 0}, {9, 0}, {9, 9}, {0, 9}}
	many := [][2]int{{0, 0}}
	for i := range 60 {
		many = append(many, [2]int{10 * i, 100})
	}
	for name, tc := range map[string]struct {
		area string
		want bool
	}{
		"a square":                    {ringOf(square...), true},
		"the other way round":         {ringOf(square[3], square[2], square[1], square[0]), true},
		"a corner on a side":          {ringOf([2]int{0, 0}, [2]int{5, 0}, [2]int{9, 0}, [2]int{9, 9}), true},
		"no area":                     {ringOf([2]int{0, 0}, [2]int{9, 0}, [2]int{4, 0}), false},
		"sides that cross":            {ringOf(square[0], square[2], square[1], square[3]), false},
		"a side that is there twice":  {ringOf(square[0], square[1], [2]int{20, 0}, square[1], square[2]), false},
		"a corner on another side":    {ringOf(square[0], square[1], square[2], [2]int{4, 0}), false},
		"a corner that is met twice":  {ringOf(square[0], square[1], [2]int{4, 4}, square[2], square[3], [2]int{4, 4}), false},
		"a position twice in a row":   {ringOf(square[0], square[1], square[1], square[2]), false},
		"more corners than are tried": {ringOf(many...), false},
		"an area of kilometres":       {ringOf([2]int{0, 0}, [2]int{1 << 17, 0}, [2]int{0, 9}), false},
		"an area with a hole": {`{"type":"Polygon","coordinates":[[[2,48],[2.001,48],[2.001,48.001],[2,48]],` +
			`[[2.0001,48.00001],[2.0002,48.00001],[2.0002,48.00002],[2.0001,48.00001]]]}`, false},
		"two areas": {`{"type":"MultiPolygon","coordinates":[[[[2,48],[2.001,48],[2.001,48.001],[2,48]]],` +
			`[[[3,48],[3.001,48],[3.001,48.001],[3,48]]]]}`, false},
	} {
		got, _, err := convert.IsKnownValid(tc.area)
		if err != nil || got != tc.want {
			t.Errorf("%s: %v (%v)", name, got, err)
		}
	}
}

// What is taken for a valid area is one for PostGIS, of random rings on so few positions that most touch
// themselves.
func TestKnownValidAreasAreValid(t *testing.T) {
	t.Parallel()
	db, _ := testkit.DB(t)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	var shapes []string
	for range 60_000 {
		grid := 3 + r.IntN(40)
		positions := make([][2]int, 3+r.IntN(7))
		for i := range positions {
			positions[i] = [2]int{r.IntN(grid), r.IntN(grid)}
		}
		isValid, wkb, err := convert.IsKnownValid(ringOf(positions...))
		testkit.NoError(t, err)
		if isValid {
			shapes = append(shapes, hex.EncodeToString(wkb))
		}
	}
	var invalid int
	err := db.QueryRow(t.Context(), "SELECT count(*) FROM unnest($1::text[]) s WHERE NOT ST_IsValid(s::geometry)",
		shapes).Scan(&invalid)
	if err != nil || invalid > 0 || len(shapes) < 5000 {
		t.Errorf("seed %d: %d of %d areas are not valid (%v)", seed, invalid, len(shapes), err)
	}
}
