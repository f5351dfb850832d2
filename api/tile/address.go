package tile

import (
	"math"
	"strconv"

	"arpent/internal/opendata/geom"
)

// The zoom levels that have tiles: France fills a screen at the first, a tile of the last is 400 m wide at
// 48° north, and a unit of its grid a decimetre. Maps enlarge tiles beyond it.
const (
	MinZoom = 4
	MaxZoom = 16
)

// Address names a tile as web maps do: the whole world is tile 0, 0
// of zoom 0, and each zoom halves the tiles.
type Address struct{ Z, X, Y int }

// ParseAddress reads an address; false: it names no tile, or is not written as addresses are.
func ParseAddress(z, x, y string) (Address, bool) {
	var n [3]int
	for i, text := range []string{z, x, y} {
		v, err := strconv.Atoi(text)
		if err != nil || strconv.Itoa(v) != text { // one address, one entry in every cache
			return Address{}, false
		}
		n[i] = v
	}
	a := Address{n[0], n[1], n[2]}
	if a.Z < MinZoom || a.Z > MaxZoom {
		return Address{}, false
	}
	across := 1 << a.Z
	return a, a.X >= 0 && a.X < across && a.Y >= 0 && a.Y < across
}

// franceBoxes are boxes around metropolitan France and each département overseas: elsewhere every tile is
// empty.
var franceBoxes = []geom.Box{
	boxFromDegrees(-5.6, 41.2, 9.8, 51.3), boxFromDegrees(-61.9, 15.7, -60.9, 16.6), boxFromDegrees(-61.4, 14.3,
		-60.7, 15),
	boxFromDegrees(-54.7, 2, -51.5, 6), boxFromDegrees(55.1, -21.5, 55.95, -20.8), boxFromDegrees(44.9, -13.1,
		45.4, -12.5),
}

func boxFromDegrees(west, south, east, north float64) geom.Box {
	a, b := geom.Snap(west, south), geom.Snap(east, north)
	return geom.Box{MinX: a.X, MinY: a.Y, MaxX: b.X, MaxY: b.Y}
}

// boundingBox returns the box that the tile shows, with the margin that is drawn beyond its border.
func (a Address) boundingBox() geom.Box {
	across := float64(int(1) << a.Z)
	const beyond = float64(buffer) / extent
	lon := func(x float64) float64 { return (x/across - 0.5) * 360 }
	lat := func(y float64) float64 { return math.Atan(math.Sinh(math.Pi*(1-2*y/across))) * 180 / math.Pi }
	x, y := float64(a.X), float64(a.Y)
	return boxFromDegrees(lon(x-beyond), lat(y+1+beyond), lon(x+1+beyond), lat(y-beyond))
}

// Around is the tile at a zoom that holds a position.
func Around(z int, lon, lat float64) Address {
	s := math.Sin(lat * math.Pi / 180)
	across := float64(int(1) << z)
	return Address{z, int((lon/360 + 0.5) * across), int((0.5 - math.Log((1+s)/(1-s))/(4*math.Pi)) * across)}
}
