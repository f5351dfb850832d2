package tile

import (
	"math"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"

	"arpent/internal/opendata/geom"
)

const (
	extent = 4096 // units of a tile's grid
	buffer = 64   // units that are drawn beyond its border, for lines that run along it
)

// clipFrame is what of a drawing is kept.
var clipFrame = orb.Bound{Min: orb.Point{-buffer, -buffer}, Max: orb.Point{extent + buffer, extent + buffer}}

// gridProjection projects positions to the grid of a tile.
type gridProjection struct {
	size, x, y float64 // width of the world in units, and the tile's corner
	// vertices are moved to multiples of it: those that neighbours share stay in the same place
	step float64
	// half of it in units of positions: of vertices that are nearer to each other one is projected
	near int32
}

func (a Address) projectionWith(step float64) gridProjection {
	size := extent * float64(int(1)<<a.Z)
	return gridProjection{size, extent * float64(a.X), extent * float64(a.Y), step,
		int32(step / size * 360e7 / 2)}
}

func (p gridProjection) projectPoint(x, y int32) orb.Point {
	lon, lat := geom.Point{X: x, Y: y}.Degrees()
	s := math.Sin(lat * math.Pi / 180)
	return orb.Point{p.snapToGrid((lon/360+0.5)*p.size - p.x),
		p.snapToGrid((0.5-math.Log((1+s)/(1-s))/(4*math.Pi))*p.size - p.y)}
}

func (p gridProjection) snapToGrid(v float64) float64 { return math.Round(v/p.step) * p.step }

// projectShape projects a shape, cut at the frame; nil: nothing of it is left. The zero area of a polygon
// that is smaller than the grid leaves it out.
func (p gridProjection) projectShape(s geom.Shape) orb.Geometry {
	var out orb.MultiPolygon
	at, kept := -1, false // the polygon that is read, and whether its border is there
	for part, coords := range s.Rings() {
		ring := p.projectRing(coords)
		border := part != at
		if border {
			at, kept = part, ring != nil
		}
		switch {
		case ring == nil || !kept:
		case border:
			out = append(out, orb.Polygon{orientRing(ring, orb.CCW)})
		default:
			last := len(out) - 1
			out[last] = append(out[last], orientRing(ring, orb.CW))
		}
	}
	if bound := out.Bound(); !clipFrame.Contains(bound.Min) || !clipFrame.Contains(bound.Max) {
		out = clip.MultiPolygon(clipFrame, out)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// projectRing projects a closed ring, without the vertices that are nearer than half a step of the grid to
// the one before or lie on a line with their neighbours; nil: it has no area.
func (p gridProjection) projectRing(coords []int32) orb.Ring {
	var out orb.Ring
	last := 0
	for i := 0; i < len(coords); i += 2 {
		if i > 0 && i+2 < len(coords) && absInt32(coords[i]-coords[last])+
			absInt32(coords[i+1]-coords[last+1]) < p.near {
			continue
		}
		out, last = appendVertex(out, p.projectPoint(coords[i], coords[i+1])), i
	}
	if len(out) < 4 || out.Orientation() == 0 {
		return nil
	}
	return out
}

func absInt32(v int32) int32 { return max(v, -v) }

// appendVertex appends a vertex, and takes out the last one where the line does not turn there.
func appendVertex(line []orb.Point, v orb.Point) []orb.Point {
	last := len(line) - 1
	if last >= 0 && line[last] == v {
		return line
	}
	if last >= 1 {
		a, b := line[last-1], line[last]
		if (b[0]-a[0])*(v[1]-a[1]) == (b[1]-a[1])*(v[0]-a[0]) {
			line[last] = v
			return line
		}
	}
	return append(line, v)
}

// orientRing turns a ring: seen on the screen, where y grows downwards, borders run clockwise.
func orientRing(r orb.Ring, way orb.Orientation) orb.Ring {
	if r.Orientation() != way {
		r.Reverse()
	}
	return r
}
