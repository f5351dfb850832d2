package parcel

import (
	"cmp"
	"math"
	"slices"

	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/topic/addresses"
)

// Outline is a parcel to be drawn.
type Outline struct {
	IDU  string
	Ring [][2]float64 // the outer one: longitude and latitude in degrees
}

// NearbyMetres is the greatest distance of a point from the parcel that is taken for its own.
const NearbyMetres = addresses.ReachMetres

// Neighbour is a parcel near a point.
type Neighbour struct {
	IDU    IDU
	Metres float64 // from the point to the outline; 0: it covers the point
}

// DistanceM is the distance in whole metres, 0 only for a parcel that covers the point.
func (n Neighbour) DistanceM() int {
	if n.Metres == 0 {
		return 0
	}
	return max(1, int(math.Round(n.Metres)))
}

// listNearby lists the parcels up to so many metres from a point, the nearest first.
func (x *Index) listNearby(p geom.Point, within float64) (list []Neighbour, err error) {
	defer x.endLookup(&err)
	for d, err := range x.In(p.Within(within)) {
		if err != nil {
			return nil, err
		}
		if metres := d.Shape.LocalMetresTo(p); metres <= within {
			list = append(list, Neighbour{d.IDU, metres})
		}
	}
	slices.SortFunc(list, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(a.Metres, b.Metres), cmp.Compare(a.IDU, b.IDU))
	})
	return list, nil
}

// Nearest returns the parcel nearest to a point, up to so many metres away; false: there is none. Most points
// have one within the first few metres: the search widens until it has found one.
func (x *Index) Nearest(lat, lon, within float64) (n Neighbour, ok bool, err error) {
	p := geom.Snap(lon, lat)
	for metres := min(within, nextMetres); ; metres = min(within, 4*metres) {
		list, err := x.listNearby(p, metres)
		switch {
		case err != nil:
			return Neighbour{}, false, err
		case len(list) > 0:
			return list[0], true, nil
		case metres >= within:
			return Neighbour{}, false, nil
		}
	}
}

// nextMetres is the distance within which Nearest looks first.
const nextMetres = 2

// OfAddress returns the parcel of an address at a point: the one that contains it, or the nearest one up to
// NearbyMetres away, with its distance in whole metres; false: no parcel is loaded there.
func (x *Index) OfAddress(lat, lon float64) (idu string, metres int, ok bool) {
	n, ok, err := x.Nearest(lat, lon, NearbyMetres)
	if !ok || err != nil {
		return "", 0, false
	}
	return string(n.IDU), n.DistanceM(), true
}

// Surrounding returns the parcels around one with this reference and outline.
func (x *Index) Surrounding(idu IDU, shape geom.Shape) (report.Near, error) {
	return x.nearBox(shape.Bounds().Expand(report.NearUnits), func(other IDU) bool { return other != idu })
}

// nearBox returns the parcels that may lie in a box, those of them that are wanted.
func (x *Index) nearBox(box geom.Box, wanted func(IDU) bool) (near report.Near, err error) {
	defer x.endLookup(&err)
	for d, err := range x.In(box) {
		if err != nil {
			return report.Near{}, err
		}
		if wanted(d.IDU) {
			near.IDUs = append(near.IDUs, string(d.IDU))
			near.Outlines = append(near.Outlines, d.Shape.AppendEWKB(nil))
		}
	}
	return near, nil
}

// Near returns the parcel nearest to a point, up to so many metres away, and its distance: the point of an
// address often lies in the street, which has no parcel. It returns fault.NotFound where there is none, and
// fault.Down while there is no file.
func (s *Store) Near(lat, lon float64, within int) (idu string, metres float64, err error) {
	x, err := s.openIndex()
	if err != nil {
		return "", 0, err
	}
	n, ok, err := x.Nearest(lat, lon, float64(within))
	switch {
	case err != nil:
		return "", 0, unreadable(err)
	case !ok:
		return "", 0, fault.Missing("No parcel lies within %d m of the point.", within)
	}
	return string(n.IDU), n.Metres, nil
}

// Neighbours are looked for up to so many metres away, first within the least.
const (
	minSearchMetres = 100
	maxSearchMetres = 25_600
)

// Around returns the outlines of a parcel and of those nearest to its middle, count in all, by reference.
// There are none when it is not served. It returns fault.Down while there is no file.
func (s *Store) Around(idu string, count int) ([]Outline, error) {
	x, err := s.openIndex()
	if err != nil {
		return nil, err
	}
	id, err := ParseIDU(idu)
	if err != nil {
		return nil, nil
	}
	out, err := x.outlinesAround(id, count)
	if err != nil {
		return nil, unreadable(err)
	}
	slices.SortFunc(out, func(a, b Outline) int { return cmp.Compare(a.IDU, b.IDU) })
	return out, nil
}

func (x *Index) outlinesAround(id IDU, count int) (out []Outline, err error) {
	_, shape, ok, err := x.findParcel(id, new(geom.Arena))
	if err != nil || !ok {
		return nil, err
	}
	var list []Neighbour
	for within := float64(minSearchMetres); within <= maxSearchMetres && len(list) < count; within *= 2 {
		if list, err = x.listNearby(shape.Middle(), within); err != nil {
			return nil, err
		}
	}
	out = append(out, outlineOf(id, shape))
	for _, n := range list {
		if len(out) == count {
			break
		}
		if n.IDU == id {
			continue
		}
		_, shape, _, err := x.findParcel(n.IDU, new(geom.Arena))
		if err != nil {
			return nil, err
		}
		out = append(out, outlineOf(n.IDU, shape))
	}
	return out, nil
}

// outlineOf draws the border of the first polygon of a parcel.
func outlineOf(id IDU, shape geom.Shape) Outline {
	o := Outline{IDU: string(id)}
	for _, ring := range shape.Rings() {
		for i := 0; i+1 < len(ring); i += 2 {
			lon, lat := geom.Point{X: ring[i], Y: ring[i+1]}.Degrees()
			o.Ring = append(o.Ring, [2]float64{lon, lat})
		}
		break
	}
	return o
}
