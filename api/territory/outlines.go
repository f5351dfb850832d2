package territory

import (
	"slices"
	"sync/atomic"

	"arpent/internal/opendata/geom"
)

// keptOutlines bounds the memory of outlines that are kept: those of some 2 700 communes.
const keptOutlines = 16 << 20 // bytes

// outlineCache keeps the GeoJSON of the communes whose outline was asked for twice: writing the numbers
// takes two fifths of the processor time of such a request. A client that asks for every commune once
// displaces nothing. A nil one keeps nothing.
type outlineCache struct {
	cachedTexts []atomic.Pointer[[]byte] // by commune; nil: not asked for, empty: once
	size        atomic.Int64
	limit       int64
}

func newOutlineCache(communes int) *outlineCache {
	return &outlineCache{cachedTexts: make([]atomic.Pointer[[]byte], communes), limit: keptOutlines}
}

var askedOnce = new([]byte)

// appendOutline appends the outline of the nth commune. When there is
// no room for one more, all are forgotten.
func (o *outlineCache) appendOutline(b []byte, nth int32, shape geom.Shape) []byte {
	if o == nil {
		return shape.AppendGeoJSON(b)
	}
	text := o.cachedTexts[nth].Load()
	if text != nil && text != askedOnce {
		return append(b, *text...)
	}
	at := len(b)
	b = shape.AppendGeoJSON(b)
	switch {
	case text == nil:
		o.cachedTexts[nth].Store(askedOnce)
	case o.size.Add(int64(len(b)-at)) > o.limit:
		for i := range o.cachedTexts {
			o.cachedTexts[i].Store(nil)
		}
		o.size.Store(0)
	default:
		o.cachedTexts[nth].Store(new(slices.Clone(b[at:])))
	}
	return b
}
