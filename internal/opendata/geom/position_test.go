package geom_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/geom"
)

// A client that puts a mark on the centre puts it on the territory, and one that zooms to the bbox sees all
// of it.
func TestCentreAndBbox(t *testing.T) {
	t.Parallel()
	hook := ring{0, 0, 10, 0, 10, 1, 1, 1, 1, 9, 10, 9, 10, 10, 0, 10, 0, 0}
	box := func(x, y, side float64) ring {
		return ring{x, y, x + side, y, x + side, y + side, x, y + side, x, y}
	}
	for name, tc := range map[string]struct {
		shape        geom.Shape
		centre, bbox string
	}{
		"square": {decodeShape(t, polygon{box(2, 48, 1)}), `{"lat":48.5,"lon":2.5}`, `[2,48,3,49]`},
		"hook":   {decodeShape(t, polygon{hook}), `{"lat":4.9999999,"lon":0.5}`, `[0,0,10,10]`},
		"hole":   {decodeShape(t, polygon{box(0, 0, 10), box(4, 4, 2)}), `{"lat":5,"lon":2}`, `[0,0,10,10]`},
		"islands": {decodeShape(t, polygon{box(-61.5, 16, 0.5)}, polygon{box(-63, 17.9, 0.125)}),
			`{"lat":16.25,"lon":-61.25}`, `[-63,16,-61,18.025]`},
		"south": {decodeShape(t, polygon{box(55.25, -21.25, 0.5)}), `{"lat":-21,"lon":55.5}`,
			`[55.25,-21.25,55.75,-20.75]`},
		"empty": {geom.Shape{}, `null`, `null`},
	} {
		centre, bbox := string(tc.shape.AppendCentre(nil)), string(tc.shape.AppendBbox(nil))
		if centre != tc.centre || bbox != tc.bbox {
			t.Errorf("%s: centre %s, bbox %s; want %s, %s", name, centre, bbox, tc.centre, tc.bbox)
		}
	}
}

// Whatever its form, also where it is a centimetre wide, the centre lies on the shape, and no vertex
// outside the bbox.
func TestCentreOfAnyShape(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		star := ring{}
		n, thin := 3+random.IntN(20), math.Pow(10, -float64(random.IntN(7)))
		for i := range n { // by angle: it does not cross itself
			angle, far := 2*math.Pi*float64(i)/float64(n), 0.01+random.Float64()
			star = append(star, -61+thin*far*math.Cos(angle), -21+far*math.Sin(angle))
		}
		shape := decodeShape(t, polygon{append(star, star[:2]...)})
		if p := shape.InnerPoint(); !shape.Covers(p) {
			t.Fatalf("the centre %v is not on %s", p, shape.AppendGeoJSON(nil))
		}
		var bbox [4]float64
		testkit.NoError(t, json.Unmarshal(shape.AppendBbox(nil), &bbox))
		const unit = 1e-7
		for i, v := range star {
			if v < bbox[i%2]-unit || v > bbox[i%2+2]+unit {
				t.Fatalf("vertex %d lies outside %v of %s", i/2, bbox, shape.AppendGeoJSON(nil))
			}
		}
	}
}

// A label stands in what it names: in the middle of the largest part.
func TestMiddle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shape geom.Shape
		want  geom.Point
	}{
		"square":    {decodeShape(t, polygon{square}), geom.Snap(2, 2)},
		"a hole":    {decodeShape(t, polygon{square, {0.5, 0.5, 0.5, 1, 1, 1, 1, 0.5, 0.5, 0.5}}), geom.Snap(2, 2)},
		"two parts": {decodeShape(t, polygon{diamond}, polygon{square}), geom.Snap(2, 2)},
		"nothing":   {geom.Shape{}, geom.Point{}},
	} {
		testkit.Want(t, c.shape.Middle(), c.want, name)
	}
}
