package geocode

import (
	"math"
	"strings"

	"arpent/api/geocode/layout"
	"arpent/internal/opendata/geom"
)

// StreetLabel is the name of a street where a map writes it.
type StreetLabel struct {
	Name  string
	At    geom.Point
	Angle int // degrees clockwise from the east, -90 to 90; 0 where the direction of the street is not known
}

// labelledNumbers are the house numbers that the position and the direction of a label are taken from.
const labelledNumbers = 9

// LabelStreets returns the streets of a commune that have a house number in the box, each labelled at the
// middle one of these numbers, and those without numbers that lie in it.
func (x *Index) LabelStreets(commune string, box geom.Box) (out []StreetLabel) {
	of, ok := x.communeOf(commune)
	if !ok {
		return nil
	}
	var houses []geom.Point
	for i := of.Streets.From; i < of.Streets.To; i++ {
		s := &x.streets[i]
		houses = houses[:0]
		for r := x.houseReader(s); r.Next(); {
			if at := pointOf(r.House.Lat, r.House.Lon); box.Contains(at) {
				houses = append(houses, at)
			}
		}
		if s.Count>>1 == 0 && s.Lat != layout.NoPosition {
			if at := pointOf(s.Lat, s.Lon); box.Contains(at) {
				houses = append(houses, at)
			}
		}
		if len(houses) == 0 {
			continue
		}
		from := max(0, (len(houses)-labelledNumbers)/2)
		label := placeLabel(houses[from:min(len(houses), from+labelledNumbers)])
		label.Name = x.nameOf(s.Name)
		out = append(out, label)
	}
	return out
}

// communeOf finds a commune by its code.
func (x *Index) communeOf(code string) (*layout.Place, bool) {
	alias, ok := x.aliases.Find(strings.ToLower(code))
	if !ok {
		return nil, false
	}
	for _, entry := range x.aliasPlaces.listAt(alias) {
		p := &x.places[entry&(1<<layout.AliasShift-1)]
		if p.Kind == layout.Commune && layout.CodeOf(p) == code {
			return p, true
		}
	}
	return nil, false
}

// pointOf is a position of the file, in millionths of a degree.
func pointOf(lat, lon int32) geom.Point { return geom.Point{X: lon * 10, Y: lat * 10} }

// placeLabel returns the mean of positions of house numbers and the direction of their longer axis. The
// numbers of both sides of a street are in it, so that the mean lies on the street.
func placeLabel(houses []geom.Point) StreetLabel {
	n := float64(len(houses))
	var meanX, meanY float64
	for _, h := range houses {
		meanX += float64(h.X) / n
		meanY += float64(h.Y) / n
	}
	out := StreetLabel{At: geom.Point{X: int32(math.Round(meanX)), Y: int32(math.Round(meanY))}}
	_, lat := out.At.Degrees()
	narrow := math.Cos(lat * math.Pi / 180) // a degree of longitude in degrees of latitude
	var xx, xy, yy float64
	for _, h := range houses {
		dx, dy := (float64(h.X)-meanX)*narrow, float64(h.Y)-meanY
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	// The longer axis is at least twice as long as the shorter one: a square has no direction.
	if spread := math.Hypot(xx-yy, 2*xy); len(houses) > 2 && spread > 0.6*(xx+yy) {
		out.Angle = -int(math.Round(math.Atan2(2*xy, xx-yy) / 2 * 180 / math.Pi))
	}
	return out
}
