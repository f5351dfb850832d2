package geom

import (
	"math"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// Members says which members an answer has for a shape.
type Members struct{ Geometry, Centre, Bbox bool }

// degreesLen is the room that putDegrees needs.
const degreesLen = 16

// MaxCentreLen is never less than the length of what AppendCentre appends.
func (s Shape) MaxCentreLen() int {
	if s.Empty() {
		return len("null")
	}
	return len(`{"lat":-90.1234567,"lon":-180.1234567}`) + degreesLen
}

// MaxBboxLen is never less than the length of what AppendBbox appends.
func (s Shape) MaxBboxLen() int {
	if s.Empty() {
		return len("null")
	}
	return len(`[-180.1234567,-90.1234567,-180.1234567,-90.1234567]`) + degreesLen
}

// AppendCentre appends InnerPoint as an object of lat and lon, as answers give positions; null for an empty
// shape.
func (s Shape) AppendCentre(b []byte) []byte {
	if s.Empty() {
		return append(b, "null"...)
	}
	p := s.InnerPoint()
	b = appendDegrees(append(b, `{"lat":`...), p.Y)
	b = appendDegrees(append(b, `,"lon":`...), p.X)
	return append(b, '}')
}

// AppendBbox appends the bounding box of all parts in the order of RFC 7946, section 5: west, south, east,
// north; null for an empty shape. No shape here crosses the antimeridian.
func (s Shape) AppendBbox(b []byte) []byte {
	if s.Empty() {
		return append(b, "null"...)
	}
	box := s.Bounds()
	for i, v := range [4]int32{box.MinX, box.MinY, box.MaxX, box.MaxY} {
		b = appendDegrees(append(b, "[,,,"[i]), v)
	}
	return append(b, ']')
}

func appendDegrees(b []byte, v int32) []byte {
	b = slices.Grow(b, degreesLen)
	n := len(b)
	return b[:n+putDegrees(b[n:n+degreesLen], v)]
}

// InnerPoint is a position in the shape: Middle where the shape covers it, else the middle of the widest
// stretch of the shape at that latitude. In a shape that is too thin for either it is a vertex. An empty
// shape has none.
func (s Shape) InnerPoint() Point {
	p := s.Middle()
	if s.Covers(p) {
		return p
	}
	widest := 0.0
	crossings := s.findCrossings(p.Y)
	for i := 0; i+1 < len(crossings); i += 2 {
		if west, east := crossings[i], crossings[i+1]; east-west > widest {
			widest, p.X = east-west, int32(math.Round((west+east)/2))
		}
	}
	if s.Covers(p) {
		return p
	}
	return Point{s.coords[0], s.coords[1]}
}

// findCrossings returns the longitudes at which the edges of all rings cross the parallel half a unit north
// of y, from west to east. There is no vertex on it, so that their number is even.
func (s Shape) findCrossings(y int32) (xs []float64) {
	north := float64(y) + 0.5
	for _, ring := range s.Rings() {
		for i := 3; i < len(ring); i += 2 {
			ax, ay, bx, by := ring[i-3], ring[i-2], ring[i-1], ring[i]
			if (ay > y) != (by > y) {
				t := (north - float64(ay)) / (float64(by) - float64(ay))
				xs = append(xs, float64(ax)+t*(float64(bx)-float64(ax)))
			}
		}
	}
	slices.Sort(xs)
	return xs
}

// Position is a position in an answer.
type Position struct {
	Lat float64 `json:"lat" doc:"WGS84 latitude in decimal degrees." example:"48.9024"`
	Lon float64 `json:"lon" doc:"WGS84 longitude in decimal degrees." example:"2.4834"`
}

// Centre is the member of an answer that AppendCentre writes.
type Centre Position

// Schema describes a position, or null.
func (Centre) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{
		AnyOf: []*huma.Schema{r.Schema(reflect.TypeFor[Position](), true, "Position"), {Type: "null"}},
		Description: "Only with include=centre: a position inside the outline, or on it: the centroid of its " +
			"largest part where that is inside. Null where no outline is loaded."}
}

// Bbox is a bounding box in an answer; null where no outline is loaded.
type Bbox []float64

// Schema describes the four numbers, or null.
func (Bbox) Schema(huma.Registry) *huma.Schema {
	four := 4
	return &huma.Schema{Type: huma.TypeArray, Nullable: true, MinItems: &four, MaxItems: &four,
		Items: &huma.Schema{Type: huma.TypeNumber},
		Description: "Only with include=bbox: the bounding box of the whole outline in WGS84, west, south, east, " +
			"north (RFC 7946). Null where no outline is loaded."}
}
