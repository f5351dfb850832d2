// Package parcel finds cadastral parcels by reference and at a point, in a file that is read in place and is
// made of what is loaded.
package parcel

import (
	"sync"
	"time"

	"arpent/api/reply"
	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/report"
)

// Place is where a parcel lies, from the first five characters of its reference.
type Place struct {
	CodeInsee   string // of the commune
	CommuneName string
	CodeDep     string // three characters overseas
	CodeArr     string // last three digits of the arrondissement's code; empty elsewhere
}

// Places returns the place of a commune or arrondissement code; false when it is unknown or not loaded yet.
type Places func(code string) (Place, bool)

// Explain says what a code is that is taken for that of a commune: a postcode, or one of an
// overseas collectivity. Empty: it is neither.
type Explain func(code string) string

// Store reads parcels.
type Store struct {
	places          Places
	explain         Explain
	arrondissements func(commune string) []string
	index           func() *Index // nil while there is no file
	arenas          sync.Pool     // of *geom.Arena
}

// New returns a store that reads parcels from the file that index gives; their place is from places. explain
// is for references that are not found, and so is arrondissements, which lists the codes of those of a
// commune in order.
func New(places Places, explain Explain, arrondissements func(commune string) []string,
	index func() *Index) *Store {
	return &Store{places: places, explain: explain, arrondissements: arrondissements, index: index,
		arenas: sync.Pool{New: func() any { return new(geom.Arena) }}}
}

// openIndex returns what parcels are read from, or the error while there is none.
func (s *Store) openIndex() (*Index, error) {
	if x := s.index(); x != nil {
		return x, nil
	}
	f := fault.Down("The parcels are not ready yet: their file is being built. Try again in a minute.", nil)
	f.RetryAfter = 30 * time.Second // it takes minutes for all of France
	return nil, f
}

// unreadable is the error for a file whose content is wrong.
func unreadable(err error) error {
	return fault.Down("This part of the parcels cannot be read.", err)
}

// Find returns the parcel with this reference, with these members of its outline. The answer is written
// over buffer, if that is large enough. It returns fault.Invalid for a malformed reference, fault.Missing for
// a parcel that is not served, and fault.Down while there is no file.
func (s *Store) Find(idu string, in geom.Members, buffer []byte) (reply.Reply, error) {
	arena := s.takeArena()
	defer s.arenas.Put(arena)
	found, shape, err := s.findServed(idu, arena)
	if err != nil {
		return reply.Reply{}, err
	}
	return s.composeReply(found, shape, in, buffer, pointMatch{})
}

// findServed finds a parcel and its outline.
func (s *Store) findServed(idu string, arena *geom.Arena) (row, geom.Shape, error) {
	id, err := ParseIDU(idu)
	if err != nil {
		return row{}, geom.Shape{}, err
	}
	x, err := s.openIndex()
	if err != nil {
		return row{}, geom.Shape{}, err
	}
	found, shape, ok, err := x.findParcel(id, arena)
	switch {
	case err != nil:
		return row{}, geom.Shape{}, unreadable(err)
	case !ok:
		return row{}, geom.Shape{}, s.missingParcelError(x, id)
	}
	return found, shape, nil
}

// Subject returns a parcel as its report is asked for, with the parcels around it, and its ParcelleAttributes
// as JSON. Its errors are those of Find.
func (s *Store) Subject(idu string) (about report.Parcel, attributes []byte, err error) {
	arena := s.takeArena()
	defer s.arenas.Put(arena)
	found, shape, err := s.findServed(idu, arena)
	if err != nil {
		return report.Parcel{}, nil, err
	}
	place, err := s.placeOfIDU(found.idu)
	if err != nil {
		return report.Parcel{}, nil, err
	}
	x, err := s.openIndex()
	if err != nil {
		return report.Parcel{}, nil, err
	}
	near, err := x.Surrounding(found.idu, shape)
	if err != nil {
		return report.Parcel{}, nil, unreadable(err)
	}
	attributes = append(appendAttributes([]byte("{"), found, shape.AreaM2()), '}')
	return report.Parcel{IDU: idu, Outline: shape.AppendEWKB(nil), Near: near, Commune: place.CodeInsee,
		Arrondissement: found.idu.Commune(), Departement: place.CodeDep, ParcelNear: x.OfAddress}, attributes, nil
}

func (s *Store) takeArena() *geom.Arena {
	a := s.arenas.Get().(*geom.Arena)
	a.Reset()
	return a
}

func (s *Store) placeOfIDU(id IDU) (Place, error) {
	place, ok := s.places(id.Commune())
	if !ok {
		return Place{}, fault.Down("The commune of this parcel is not loaded yet. Try again later.", nil)
	}
	return place, nil
}

// composeReply encodes the answer, with these members of the outline, and with how the parcel matches the
// point that was asked for, if one was.
func (s *Store) composeReply(r row, shape geom.Shape, in geom.Members, buffer []byte,
	match pointMatch) (reply.Reply, error) {
	place, err := s.placeOfIDU(r.idu)
	if err != nil {
		return reply.Reply{}, err
	}
	answer := reply.New(encodeParcelle(buffer, r, place, &shape, in, match))
	answer.Own = true
	return answer, nil
}

// At answers for the parcel that covers a point; on a border, for the one with the lowest reference. Where
// none does, it answers for the nearest one up to so many metres away. buffer is as in Find.
func (s *Store) At(lat, lon, maxMetres float64, in geom.Members, buffer []byte) (reply.Reply, error) {
	x, err := s.openIndex()
	if err != nil {
		return reply.Reply{}, err
	}
	arena := s.takeArena()
	defer s.arenas.Put(arena)
	p := geom.Snap(lon, lat)
	match := pointMatch{name: MatchInside}
	found, shape, ok, err := x.parcelAt(p, arena)
	if err == nil && !ok && maxMetres > 0 {
		var nearest Neighbour
		if nearest, ok, err = x.Nearest(lat, lon, maxMetres); ok {
			match = pointMatch{MatchNearest, nearest.DistanceM()}
			found, shape, ok, err = x.findParcel(nearest.IDU, arena)
		}
	}
	switch {
	case err != nil:
		return reply.Reply{}, unreadable(err)
	case !ok:
		return reply.Reply{}, fault.Missing("No parcel covers the point %s.", p)
	}
	return s.composeReply(found, shape, in, buffer, match)
}
