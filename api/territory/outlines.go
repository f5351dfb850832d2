package territory

import (
	"slices"
	"sync/atomic"

	"arpent/api/geom"
)

// keptOutlines bounds the memory of outlines that are kept: those of some 2 700 communes.
const keptOutlines = 16 << 20 // bytes

// outlines keeps the GeoJSON of the communes whose outline was asked for twice: writing the numbers takes two fifths of the
// processor time of such a request. Whoever asks for every commune once displaces nothing. A nil one keeps nothing.
type outlines struct {
	kept  []atomic.Pointer[[]byte] // by commune; nil: not asked for, empty: once
	size  atomic.Int64
	limit int64
}

func newOutlines(communes int) *outlines {
	return &outlines{kept: make([]atomic.Pointer[[]byte], communes), limit: keptOutlines}
}

var askedOnce = new([]byte)

// append appends the outline of the nth commune. When there is no room for one more, all are forgotten.
func (o *outlines) append(b []byte, nth int32, shape geom.Shape) []byte {
	if o == nil {
		return shape.AppendGeoJSON(b)
	}
	text := o.kept[nth].Load()
	if text != nil && text != askedOnce {
		return append(b, *text...)
	}
	at := len(b)
	b = shape.AppendGeoJSON(b)
	switch {
	case text == nil:
		o.kept[nth].Store(askedOnce)
	case o.size.Add(int64(len(b)-at)) > o.limit:
		for i := range o.kept {
			o.kept[i].Store(nil)
		}
		o.size.Store(0)
	default:
		o.kept[nth].Store(new(slices.Clone(b[at:])))
	}
	return b
}
