package geom

import "math"

// MetresPerUnit is the length of a unit of latitude, on a sphere of 6 371 km.
const MetresPerUnit = 6_371_000 * math.Pi / 180 / perDegree

// plane measures around a point as if the earth were flat there: within 3 % at 500 km.
type plane struct {
	at    Point
	unit  float64 // metres of a unit of latitude
	scale float64 // of a unit of longitude, in units of latitude
}

func planeAt(p Point) plane {
	return plane{p, MetresPerUnit, math.Cos(p.latitudeRadians())}
}

// The ellipsoid of WGS84.
const (
	equatorMetres = 6_378_137.0 // its greatest radius
	eccentricity2 = 0.00669437999014
)

// ellipsoidAt is the plane that touches the ellipsoid at p: within a millimetre at 100 m.
func ellipsoidAt(p Point) plane {
	sin, cos := math.Sincos(p.latitudeRadians())
	w := 1 - eccentricity2*sin*sin
	meridian := equatorMetres * (1 - eccentricity2) / (w * math.Sqrt(w)) // its radius there
	return plane{p, meridian * math.Pi / 180 / perDegree, cos * w / (1 - eccentricity2)}
}

func (p Point) latitudeRadians() float64 { return float64(p.Y) / perDegree * math.Pi / 180 }

// Within is a box that contains every position up to so many metres from p.
func (p Point) Within(metres float64) Box {
	around := planeAt(p)
	y := 1.01*metres/MetresPerUnit + 1
	x := y / max(around.scale, 0.01)
	return Box{
		MinX: int32(max(float64(p.X)-x, -maxX)), MinY: int32(max(float64(p.Y)-y, -maxY)),
		MaxX: int32(min(float64(p.X)+x, maxX)), MaxY: int32(min(float64(p.Y)+y, maxY)),
	}
}

// Nearest finds the box whose content is nearest to p, of several the one with the lowest id, and how far
// it is in metres. metresTo measures what is in a box. It is asked for those alone that could be nearer
// than the best so far. false: there is no box.
func (t *Tree) Nearest(p Point, metresTo func(id int32) float64) (id int32, metres float64, ok bool) {
	around := planeAt(p)
	metres = math.Inf(1)
	for i, at := range t.ids {
		b := &t.boxes[i]
		if b.MinX > b.MaxX || around.toBox(b) > metres { // the box around nothing is nowhere
			continue
		}
		if m := metresTo(at); m < metres || m == metres && ok && at < id {
			id, metres, ok = at, m, true
		}
	}
	return id, metres, ok
}

// MetresTo is about how far the border is from p; infinite where there is none.
func (s Shape) MetresTo(p Point) float64 { return planeAt(p).toBorder(s) }

// LocalMetresTo is how far the shape is from p, for short distances: PostGIS measures the same within a
// millimetre at 100 m. It is 0 where the shape covers p.
func (s Shape) LocalMetresTo(p Point) float64 {
	if s.Covers(p) {
		return 0
	}
	return ellipsoidAt(p).toBorder(s)
}

func (pl plane) toBorder(s Shape) float64 {
	best, start := math.Inf(1), int32(0)
	for _, end := range s.rings {
		for v := start + 1; v < end; v++ {
			best = min(best, pl.toSegment(s.coords[2*v-2], s.coords[2*v-1], s.coords[2*v], s.coords[2*v+1]))
		}
		start = end
	}
	return best
}

func (pl plane) toBox(b *Box) float64 {
	gap := func(low, high, v int32) float64 { return max(0, float64(low)-float64(v), float64(v)-float64(high)) }
	return pl.unit * math.Hypot(gap(b.MinX, b.MaxX, pl.at.X)*pl.scale, gap(b.MinY, b.MaxY, pl.at.Y))
}

func (pl plane) toSegment(ax, ay, bx, by int32) float64 {
	x, y := (float64(ax)-float64(pl.at.X))*pl.scale, float64(ay)-float64(pl.at.Y)
	dx, dy := (float64(bx)-float64(ax))*pl.scale, float64(by)-float64(ay)
	if length := dx*dx + dy*dy; length > 0 {
		t := min(1, max(0, -(x*dx+y*dy)/length))
		x, y = x+t*dx, y+t*dy
	}
	return pl.unit * math.Hypot(x, y)
}
