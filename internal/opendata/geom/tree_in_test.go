package geom_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"arpent/internal/opendata/geom"
)

// What a map shows is all that lies in its frame, and nothing else.
func TestTreeFindsWhatLiesInABox(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(11, 25))
	box := func(size int32) geom.Box {
		x, y := dice.Int32N(10_000)-5_000, dice.Int32N(10_000)-5_000
		return geom.Box{MinX: x, MinY: y, MaxX: x + dice.Int32N(size), MaxY: y + dice.Int32N(size)}
	}
	for _, n := range []int{0, 1, 16, 17, 300, 5000} {
		boxes := make([]geom.Box, n)
		for i := range boxes {
			boxes[i] = box(200)
		}
		tree := geom.NewTree(boxes)
		for range 50 {
			in := box(3000)
			var want []int32
			for i := range boxes {
				if boxes[i].Touches(in) {
					want = append(want, int32(i))
				}
			}
			if got := slices.Sorted(tree.In(in)); !slices.Equal(got, want) {
				t.Fatalf("%d boxes: %v lie in %v, want %v", n, got, in, want)
			}
		}
		leaves := 0
		for id, of := range tree.Leaves() {
			leaves++
			if of != boxes[id] {
				t.Errorf("leaf %d is %v", id, of)
			}
		}
		if leaves != n {
			t.Errorf("%d leaves of %d boxes", leaves, n)
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
		if got := c.shape.Middle(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
