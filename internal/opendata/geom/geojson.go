package geom

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

const (
	polygonHead      = `{"type":"Polygon","coordinates":`
	multiPolygonHead = `{"type":"MultiPolygon","coordinates":[`
)

// AppendGeoJSON appends the shape as a GeoJSON geometry: a Polygon when it has one part, else a MultiPolygon.
// Numbers have at most 7 decimals, no trailing zeros and no exponent. An empty shape is null.
func (s Shape) AppendGeoJSON(b []byte) []byte {
	switch len(s.parts) {
	case 0:
		return append(b, "null"...)
	case 1:
		return append(s.appendPart(append(b, polygonHead...), 0), '}')
	}
	b = append(b, multiPolygonHead...)
	for part := range s.parts {
		if part > 0 {
			b = append(b, ',')
		}
		b = s.appendPart(b, part)
	}
	return append(b, "]}"...)
}

func (s Shape) appendPart(b []byte, part int) []byte {
	ring, vertex := 0, 0
	if part > 0 {
		ring = int(s.parts[part-1])
	}
	if ring > 0 {
		vertex = int(s.rings[ring-1])
	}
	b = append(b, '[')
	for ; ring < int(s.parts[part]); ring++ {
		b = append(b, '[')
		end := int(s.rings[ring])
		for ; vertex < end; vertex++ {
			b = slices.Grow(b, MaxVertexLen)
			n, to := len(b), b[len(b):len(b)+MaxVertexLen]
			b = b[:n+putVertex(to, s.coords[2*vertex], s.coords[2*vertex+1])]
		}
		b[len(b)-1] = ']' // a ring has vertices: this is the last one's comma
		b = append(b, ',')
	}
	b[len(b)-1] = ']'
	return b
}

// MaxVertexLen is that of [-180.1234567,-90.1234567], with the comma after it. AppendGeoJSON wants as much
// room for every vertex: memory that is to last for the whole shape has it beyond its length.
const MaxVertexLen = 28

// MaxGeoJSONLen is never less than the length of what AppendGeoJSON appends.
func (s Shape) MaxGeoJSONLen() int {
	return len(multiPolygonHead) + len("]}") + 3*(len(s.parts)+len(s.rings)) + MaxVertexLen*len(s.coords)/2
}

// putVertex writes [x,y], and returns its length. to has MaxVertexLen bytes.
func putVertex(to []byte, x, y int32) int {
	to[0] = '['
	n := 1 + putDegrees(to[1:], x)
	to[n] = ','
	n += 1 + putDegrees(to[n+1:], y)
	to[n], to[n+1] = ']', ','
	return n + 2
}

// putDegrees writes v, in 1e-7 degree, as decimal degrees, and returns their length.
func putDegrees(to []byte, v int32) int {
	n, u := 0, uint32(v)
	if v < 0 {
		to[0] = '-'
		n, u = 1, -u
	}
	whole, rest := u/perDegree, u%perDegree
	if whole >= 10 {
		if whole >= 100 {
			to[n] = byte('0' + whole/100)
			n++
		}
		to[n] = byte('0' + whole/10%10)
		n++
	}
	to[n] = byte('0' + whole%10)
	n++
	digits := eightDigits(rest) ^ ('0' ^ '.') // the first of eight is 0
	binary.LittleEndian.PutUint64(to[n:], digits)
	if used := 8 - bits.LeadingZeros64(digits&0x0f0f0f0f0f0f0f0f)/8; used > 1 {
		n += used
	}
	return n
}

// eightDigits are those of v, less than 1e8, as bytes of text, the first one lowest: they are divided side by
// side, into two numbers, four and eight, by multiplications that are exact for numbers so small.
func eightDigits(v uint32) uint64 {
	fours := uint64(v/10000) | uint64(v%10000)<<32
	hundreds := fours * 5243 >> 19 & 0x7f_0000007f
	twos := hundreds | (fours-hundreds*100)<<16
	tens := twos * 103 >> 10 & 0x000f000f_000f000f
	return (tens | (twos-tens*10)<<8) | 0x30303030_30303030
}

// GeoJSON is an encoded geometry in an answer. The type exists for the interface
// description and for those who read an answer back.
type GeoJSON []byte

// MarshalJSON gives the bytes as they are.
func (g GeoJSON) MarshalJSON() ([]byte, error) {
	if len(g) == 0 {
		return []byte("null"), nil
	}
	return g, nil
}

// UnmarshalJSON keeps a copy of the bytes.
func (g *GeoJSON) UnmarshalJSON(b []byte) error {
	if g == nil {
		return errors.New("read GeoJSON into nothing")
	}
	*g = append((*g)[:0], b...)
	return nil
}

// Schema describes a Polygon or MultiPolygon, or null where no outline is loaded.
func (GeoJSON) Schema(huma.Registry) *huma.Schema {
	array := func(items *huma.Schema) *huma.Schema { return &huma.Schema{Type: huma.TypeArray, Items: items} }
	two := 2
	position := array(&huma.Schema{Type: huma.TypeNumber})
	position.MinItems, position.MaxItems = &two, &two
	polygon := array(array(position))
	of := func(kind string, coordinates *huma.Schema) *huma.Schema {
		return &huma.Schema{Type: huma.TypeObject, Required: []string{"type", "coordinates"},
			Properties: map[string]*huma.Schema{
				"type":        {Type: huma.TypeString, Enum: []any{kind}},
				"coordinates": coordinates,
			}}
	}
	return &huma.Schema{
		Description: "Outline in WGS84 (GeoJSON geometry, longitude first, at most 7 decimals).",
		OneOf:       []*huma.Schema{of("Polygon", polygon), of("MultiPolygon", array(polygon)), {Type: "null"}},
	}
}
