package territory

import (
	"iter"
	"maps"
	"slices"

	"arpent/internal/opendata/geom"
)

// Outline is a territory that has an outline.
type Outline struct {
	Code, Name string
	Shape      geom.Shape
}

// CommunesIn gives the communes whose outline may lie in a box, in no particular order.
func (s *Snapshot) CommunesIn(box geom.Box) iter.Seq[Outline] {
	return func(yield func(Outline) bool) {
		for i := range s.tree.In(box) {
			shape := s.communes[i].shape
			if !shape.Empty() && !yield(Outline{s.places[i].CodeInsee, s.places[i].CommuneName, shape}) {
				return
			}
		}
	}
}

// DepartementsIn gives the metropolitan départements whose outline may lie in a box, by code.
func (s *Snapshot) DepartementsIn(box geom.Box) iter.Seq[Outline] {
	return func(yield func(Outline) bool) {
		for _, code := range slices.Sorted(maps.Keys(s.departements)) {
			d := s.departements[code]
			if bounds := d.shape.Bounds(); !d.shape.Empty() && bounds.Touches(box) &&
				!yield(Outline{Code: code, Shape: d.shape}) {
				return
			}
		}
	}
}

// Bounds is the box around a commune of today; false: there is none with this code, or it has no outline.
func (s *Snapshot) Bounds(commune string) (geom.Box, bool) {
	i, ok := s.byCode.Find(commune)
	if !ok || s.communes[i].shape.Empty() {
		return geom.Box{}, false
	}
	return s.communes[i].shape.Bounds(), true
}
