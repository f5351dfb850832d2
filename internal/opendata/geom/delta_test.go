package geom_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/internal/opendata/geom"
)

// A shape comes back as it was, whatever position it is compared with.
func TestDelta(t *testing.T) {
	t.Parallel()
	world := ring{-180, -90, 180, -90, 180, 90, -180, 90, -180, -90}
	var arena geom.Arena
	for name, s := range map[string]geom.Shape{
		"square": decodeShape(t, polygon{square}), "hole": decodeShape(t, polygon{square, hole}), "two": decodeShape(t, polygon{square, hole}, polygon{diamond}),
		"islet": decodeShape(t, polygon{square, hole}, polygon{islet}), "world": decodeShape(t, polygon{world}),
	} {
		for _, from := range []geom.Point{{}, geom.Snap(2.48, 48.9), geom.Snap(180, 90), geom.Snap(-180, -90)} {
			b := s.AppendDelta([]byte("before"), from)[6:]
			got, err := arena.DecodeDelta(b, from)
			if want := string(s.AppendGeoJSON(nil)); err != nil || string(got.AppendGeoJSON(nil)) != want {
				t.Errorf("%s from %v: %s (%v), want %s", name, from, got.AppendGeoJSON(nil), err, want)
			}
			for end := range len(b) {
				if _, err := arena.DecodeDelta(b[:end], from); err == nil {
					t.Errorf("%s from %v: %d of %d bytes are read", name, from, end, len(b))
				}
			}
		}
	}
}

// Bytes that are no shape are an error, take no time, and never more memory than they could fill.
func FuzzDecodeDelta(f *testing.F) {
	for _, p := range [][]polygon{{{square}}, {{square, hole}}, {{square, hole}, {diamond}}} {
		s, err := new(geom.Arena).Decode(encodeWKB(binary.LittleEndian, false, p...))
		testkit.NoError(f, err)
		f.Add(s.AppendDelta(nil, geom.Point{}))
	}
	f.Add([]byte{0, 255, 255, 255, 255, 255, 255, 255, 255, 127, 255, 255, 255, 255, 255, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := new(geom.Arena).DecodeDelta(b, geom.Point{})
		if err != nil {
			return
		}
		again, err := new(geom.Arena).DecodeDelta(s.AppendDelta(nil, geom.Point{}), geom.Point{})
		if want := s.AppendGeoJSON(nil); err != nil || !slices.Equal(again.AppendGeoJSON(nil), want) {
			t.Errorf("%x is %s, again %s (%v)", b, want, again.AppendGeoJSON(nil), err)
		}
	})
}
