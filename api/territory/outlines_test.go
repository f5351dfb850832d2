package territory

import (
	"encoding/binary"
	"math"
	"sync"
	"testing"

	"arpent/internal/opendata/geom"
)

// An outline is the same however often and by however many it is asked for, and
// what is kept of it stays within its bound.
func TestOutlines(t *testing.T) { // not parallel: it counts allocations
	shapes, texts := make([]geom.Shape, 20), make([]string, 20)
	for i := range shapes {
		shapes[i] = triangleShape(t, float64(i))
		texts[i] = string(shapes[i].AppendGeoJSON(nil))
	}
	o := newOutlineCache(len(shapes))
	o.limit = 5 * int64(len(texts[0]))
	var all sync.WaitGroup
	for start := range 4 {
		all.Go(func() {
			for n := range 2000 {
				i := (start + n/3) % len(shapes)
				if got := string(o.appendOutline([]byte("before"), int32(i), shapes[i])); got != "before"+texts[i] {
					t.Errorf("outline %d: %s, want %s", i, got, texts[i])
				}
			}
		})
	}
	all.Wait()
	kept := int64(0)
	for i := range o.cachedTexts {
		if text := o.cachedTexts[i].Load(); text != nil {
			kept += int64(len(*text))
		}
	}
	if most := o.limit + 4*int64(len(texts[19])); kept > most {
		t.Errorf("%d bytes are kept, at most %d are to be", kept, most)
	}
	for range 3 {
		o.appendOutline(nil, 0, shapes[0])
	}
	buffer := make([]byte, 0, 1000)
	if n := testing.AllocsPerRun(100, func() { o.appendOutline(buffer, 0, shapes[0]) }); n != 0 || o.cachedTexts[0].Load() == nil {
		t.Errorf("what is kept takes %v allocations", n)
	}
}

// triangleShape is a shape east of a meridian.
func triangleShape(t *testing.T, lon float64) geom.Shape {
	t.Helper()
	wkb := []byte{1, 3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0}
	for _, v := range []float64{lon, 45, lon + 1, 45, lon, 46, lon, 45} {
		wkb = binary.LittleEndian.AppendUint64(wkb, math.Float64bits(v))
	}
	s, err := new(geom.Arena).Decode(wkb)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
