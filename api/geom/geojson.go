package geom

import (
	"errors"

	"github.com/danielgtaylor/huma/v2"
)

const (
	polygonHead      = `{"type":"Polygon","coordinates":`
	multiPolygonHead = `{"type":"MultiPolygon","coordinates":[`
)

// AppendGeoJSON appends the shape as a GeoJSON geometry: a Polygon when it has one part, else a MultiPolygon. Numbers
// have at most 7 decimals, no trailing zeros and no exponent. An empty shape is null.
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
			b = append(b, '[')
			b = appendDegrees(b, s.coords[2*vertex])
			b = append(b, ',')
			b = appendDegrees(b, s.coords[2*vertex+1])
			b = append(b, ']', ',')
		}
		b[len(b)-1] = ']' // a ring has vertices: this is the last one's comma
		b = append(b, ',')
	}
	b[len(b)-1] = ']'
	return b
}

// maxVertexLen is that of [-180.1234567,-90.1234567], with the comma after it.
const maxVertexLen = 28

// MaxGeoJSONLen is never less than the length of what AppendGeoJSON appends.
func (s Shape) MaxGeoJSONLen() int {
	return len(multiPolygonHead) + len("]}") + 3*(len(s.parts)+len(s.rings)) + maxVertexLen*len(s.coords)/2
}

// appendDegrees writes v, in 1e-7 degree, as decimal degrees.
func appendDegrees(b []byte, v int32) []byte {
	u := uint32(v)
	if v < 0 {
		b = append(b, '-')
		u = -u
	}
	whole, rest := u/perDegree, u%perDegree
	if whole >= 100 {
		b = append(b, byte('0'+whole/100))
	}
	if whole >= 10 {
		b = append(b, byte('0'+whole/10%10))
	}
	b = append(b, byte('0'+whole%10))
	if rest == 0 {
		return b
	}
	var digits [8]byte
	digits[0] = '.'
	for i := 7; i > 0; i-- {
		digits[i] = byte('0' + rest%10)
		rest /= 10
	}
	n := len(digits)
	for digits[n-1] == '0' {
		n--
	}
	return append(b, digits[:n]...)
}

// GeoJSON is an encoded geometry in an answer. The type exists for the interface description and for those who read
// an answer back.
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
