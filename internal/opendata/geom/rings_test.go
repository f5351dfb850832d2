package geom_test

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"testing"

	"github.com/paulmach/orb"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/geom"
)

// A reader of RFC 7946 finds borders counterclockwise and holes
// clockwise, in whatever direction a source has them.
func TestRingsRunAsRFC7946Wants(t *testing.T) {
	t.Parallel()
	for n := range 16 {
		turned := func(r ring, bit int) ring {
			if n&(1<<bit) != 0 {
				out := slices.Clone(r)
				slices.Reverse(out)
				for i := 0; i < len(out); i += 2 {
					out[i], out[i+1] = out[i+1], out[i]
				}
				return out
			}
			return r
		}
		polygons := []polygon{{turned(square, 0), turned(hole, 1)}, {turned(islet, 2)}, {turned(diamond, 3)}}
		shape := decodeShape(t, polygons...)
		kept, err := new(geom.Arena).DecodeDelta(shape.AppendDelta(nil, geom.Point{}), geom.Point{})
		testkit.NoError(t, err)
		for _, s := range []geom.Shape{shape, kept} {
			var got struct{ Coordinates orb.MultiPolygon }
			testkit.NoError(t, json.Unmarshal(s.AppendGeoJSON(nil), &got))
			checkRings(t, got.Coordinates)
		}
	}
}

// checkRings reports the rings that do not run as RFC 7946 wants them.
func checkRings(t *testing.T, polygons orb.MultiPolygon) {
	t.Helper()
	for _, p := range polygons {
		for i, r := range p {
			want := orb.CCW
			if i > 0 {
				want = orb.CW
			}
			if r.Orientation() != want {
				t.Errorf("ring %d runs in the wrong direction: %v", i, r)
			}
		}
	}
}

// An index of parcels of an earlier version holds shapes as their source
// had them: they are turned when they are read.
func TestStoredRingsAreTurned(t *testing.T) {
	t.Parallel()
	b := binary.AppendUvarint(nil, 4) // a clockwise square
	for _, v := range []int64{0, 0, 0, 10, 10, 0, 0, -10} {
		b = binary.AppendVarint(b, v)
	}
	shape, err := new(geom.Arena).DecodeDelta(b, geom.Point{})
	testkit.NoError(t, err)
	const want = `{"type":"Polygon","coordinates":[[[0,0],[0.000001,0],[0.000001,0.000001],[0,0.000001],[0,0]]]}`
	if got := string(shape.AppendGeoJSON(nil)); got != want {
		t.Errorf("read %s; want %s", got, want)
	}
}

func BenchmarkDecodeDelta(b *testing.B) {
	text := decodeShape(b, polygon{square, hole}, polygon{islet}).AppendDelta(nil, geom.Point{})
	var arena geom.Arena
	for b.Loop() {
		arena.Reset()
		_, err := arena.DecodeDelta(text, geom.Point{})
		testkit.NoError(b, err)
	}
}
