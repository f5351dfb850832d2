// Package geom holds polygons as whole numbers: coordinates are int32 in units of 1e-7
// degree (about a centimetre), so that whether a point is covered is decided exactly,
// and what is written out has no float noise.
package geom

import (
	"iter"
	"math"
	"strconv"
)

// perDegree is the number of units in a degree.
const perDegree = 1e7

const (
	maxX = 180 * perDegree
	maxY = 90 * perDegree
)

// Point is a position: X the longitude, Y the latitude, in 1e-7 degree.
type Point struct{ X, Y int32 }

// Snap is the position nearest to a longitude and a latitude in degrees. They are within ±180 and
// ±90: what is outside is brought to that limit.
func Snap(lon, lat float64) Point {
	x := math.Round(min(max(lon, -180), 180) * perDegree)
	y := math.Round(min(max(lat, -90), 90) * perDegree)
	return Point{int32(x), int32(y)}
}

// Degrees is the position as longitude and latitude.
func (p Point) Degrees() (lon, lat float64) {
	return float64(p.X) / perDegree, float64(p.Y) / perDegree
}

// String is the position as a message gives it, with the decimals that count.
func (p Point) String() string {
	lon, lat := p.Degrees()
	return "lat " + strconv.FormatFloat(lat, 'f', -1, 64) + ", lon " + strconv.FormatFloat(lon, 'f', -1, 64)
}

// Around is the square of one unit on each side of p, in degrees: least longitude, least
// latitude, greatest longitude, greatest latitude. What is stored with float noise, or with
// more decimals than ours, lies within it still.
func (p Point) Around() [4]float64 {
	x, y := p.Degrees()
	return [4]float64{x - 1/perDegree, y - 1/perDegree, x + 1/perDegree, y + 1/perDegree}
}

// Box is a rectangle, its border included.
type Box struct{ MinX, MinY, MaxX, MaxY int32 }

func emptyBox() Box { return Box{math.MaxInt32, math.MaxInt32, math.MinInt32, math.MinInt32} }

func (b *Box) extendBy(o Box) {
	b.MinX, b.MinY = min(b.MinX, o.MinX), min(b.MinY, o.MinY)
	b.MaxX, b.MaxY = max(b.MaxX, o.MaxX), max(b.MaxY, o.MaxY)
}

// Around is the smallest box around both.
func (b Box) Around(o Box) Box {
	b.extendBy(o)
	return b
}

// Expand is the box grown by so many units on each side.
func (b Box) Expand(by int32) Box { return Box{b.MinX - by, b.MinY - by, b.MaxX + by, b.MaxY + by} }

// Contains reports whether a point is in the box. It makes one comparison for each axis: what lies below the
// least wraps around to a large number. The box around nothing, whose sides wrap around too, contains no
// coordinate that there is.
func (b *Box) Contains(p Point) bool {
	return uint32(p.X-b.MinX) <= uint32(b.MaxX-b.MinX) && uint32(p.Y-b.MinY) <= uint32(b.MaxY-b.MinY)
}

// Touches reports whether the boxes have a point in common.
func (b *Box) Touches(o Box) bool {
	return b.MinX <= o.MaxX && o.MinX <= b.MaxX && b.MinY <= o.MaxY && o.MinY <= b.MaxY
}

// Middle is the position in the middle.
func (b *Box) Middle() Point {
	return Point{int32((int64(b.MinX) + int64(b.MaxX)) / 2), int32((int64(b.MinY) + int64(b.MaxY)) / 2)}
}

// Shape is a polygon, or several that do not overlap, each with its holes. Borders run
// counterclockwise, holes clockwise. The zero Shape is empty. A shape shares the memory of the
// Arena it was decoded into and is not modified.
type Shape struct {
	coords []int32 // x, y, x, y… of all rings, each closed by its first vertex
	rings  []int32 // for each ring, the vertex after its last
	parts  []int32 // for each polygon, the ring after its last
	spans  []int32 // of an Indexed shape
}

// Empty reports whether there is no polygon at all.
func (s Shape) Empty() bool { return len(s.parts) == 0 }

// Bounds is the smallest box around the shape.
func (s Shape) Bounds() Box {
	b := emptyBox()
	for i := 0; i+1 < len(s.coords); i += 2 {
		x, y := s.coords[i], s.coords[i+1]
		b.extendBy(Box{x, y, x, y})
	}
	return b
}

// Rings gives the rings of all polygons, each with the index of its polygon and its coordinates x, y, x, y…,
// closed by its first vertex. The first ring of a polygon is its border, the others are its holes.
func (s Shape) Rings() iter.Seq2[int, []int32] {
	return func(yield func(int, []int32) bool) {
		part, start := 0, int32(0)
		for i, end := range s.rings {
			for s.parts[part] <= int32(i) {
				part++
			}
			if !yield(part, s.coords[2*start:2*end]) {
				return
			}
			start = end
		}
	}
}

// AreaM2 is the area on the ellipsoid in square metres, without holes, as if the latitude in the middle held
// for all of it: that of a parcel of a few kilometres is right to a hundredth of a percent.
func (s Shape) AreaM2() float64 {
	if s.Empty() {
		return 0
	}
	twice := 0.0 // holes run the other way
	for _, ring := range s.Rings() {
		twice += signedArea(ring)
	}
	const radian = perDegree * 180 / math.Pi // in units
	box := s.Bounds()
	sin, cos := math.Sincos(float64(box.Middle().Y) / radian)
	curvature := 1 - eccentricity2*sin*sin
	return twice / 2 / radian / radian * cos * equatorMetres * equatorMetres *
		(1 - eccentricity2) / curvature / curvature
}

// Middle is the centroid of the largest border, holes left out: a place for a label. It may lie outside a
// bent shape. The middle of an empty shape is 0, 0.
func (s Shape) Middle() Point {
	var best Point
	most, last := -1.0, -1
	for part, ring := range s.Rings() {
		if part == last {
			continue // a hole
		}
		last = part
		at, area := ringCentroid(ring)
		if area > most {
			best, most = at, area
		}
	}
	return best
}

// ringCentroid is that of a closed ring, and twice its area; of a ring without one its first vertex.
func ringCentroid(ring []int32) (at Point, area float64) {
	x0, y0 := ring[0], ring[1]
	var twice, sx, sy float64
	for i := 3; i < len(ring); i += 2 {
		ax, ay := float64(ring[i-3]-x0), float64(ring[i-2]-y0)
		bx, by := float64(ring[i-1]-x0), float64(ring[i]-y0)
		cross := ax*by - bx*ay
		twice += cross
		sx += (ax + bx) * cross
		sy += (ay + by) * cross
	}
	if twice == 0 {
		return Point{x0, y0}, 0
	}
	return Point{x0 + int32(sx/(3*twice)), y0 + int32(sy/(3*twice))}, math.Abs(twice)
}
