package geocode

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/geocode/build"
	"arpent/api/geocode/layout"
	"arpent/internal/fault"
	"arpent/internal/opendata/source"
	"arpent/internal/snapshot"
)

// Index is an index file, read in place. It is never modified, and safe for use by many at once.
type Index struct {
	file *snapshot.File // keeps the memory mapping alive, which all fields below point into

	text        []byte
	terms       layout.Lexicon
	termWeight  []float32
	termNames   lists // names by term
	nameText    []uint32
	nameTerms   lists // terms by name, in their order
	nameStreets lists // streets by name
	streets     []layout.Street
	numbers     []byte
	places      []layout.Place
	aliases     layout.Lexicon
	aliasPlaces lists
	postcodes   []uint32
	postcodeIn  lists
	// postcodeTexts are the postcodes as they are written, postcodesOf those of the places
	// one after the other: answers share them.
	postcodeTexts, postcodesOf []string

	departements map[string]uint32 // by code
	streetCover  streetCover
}

// lists are lists of numbers, one after the other.
type lists struct{ first, all []uint32 }

func (l lists) listAt(i uint32) []uint32 {
	if int(i)+1 >= len(l.first) {
		return nil
	}
	return l.all[l.first[i]:l.first[i+1]]
}

func readIndex(f *snapshot.File) (*Index, error) {
	r := layout.Reader{File: f}
	numbers := r.Numbers
	x := &Index{
		file: f, text: r.Bytes(layout.SecText),
		terms: r.Lexicon(layout.Terms), termWeight: snapshot.View[float32](r.Bytes(layout.SecTermWeight)),
		termNames:   lists{numbers(layout.SecTermPosting), numbers(layout.SecPosting)},
		nameText:    numbers(layout.SecNameText),
		nameTerms:   lists{numbers(layout.SecNameTerm), numbers(layout.SecNameTerms)},
		nameStreets: lists{numbers(layout.SecNameStreet), numbers(layout.SecNameStreets)},
		streets:     snapshot.View[layout.Street](r.Bytes(layout.SecStreet)), numbers: r.Bytes(layout.SecNumber),
		places:      snapshot.View[layout.Place](r.Bytes(layout.SecPlace)),
		aliases:     r.Lexicon(layout.Aliases),
		aliasPlaces: lists{numbers(layout.SecAliasPlace), numbers(layout.SecAliasPlaces)},
		postcodes:   numbers(layout.SecPostcode), postcodeIn: lists{numbers(layout.SecPostcodePlace),
			numbers(layout.SecPostcodePlaces)},
		departements: map[string]uint32{},
	}
	postcodesOf := numbers(layout.SecPlacePostcode)
	if err := cmp.Or(r.Err, x.checkPlaces(postcodesOf)); err != nil {
		return nil, err
	}
	for i := range x.places {
		if x.places[i].Kind != layout.Departement {
			break // they come first
		}
		x.departements[layout.CodeOf(&x.places[i])] = uint32(i)
	}
	x.writePostcodes(postcodesOf)
	x.streetCover = x.measureStreetCover()
	return x, nil
}

// What a file may hold at most, many times the numbers of France: a search
// gathers all that a name or a postcode stands for.
const (
	maxPlaces       = 1 << 20
	maxPostcodes    = 1 << 17 // numbers of five digits
	maxPlacesOf     = 1 << 11 // of a name or postcode
	maxPostcodesOf  = 1 << 8  // of a place
	maxDepartements = 1 << 10
	maxText         = 1 << 10 // bytes of a name
)

// checkPlaces looks through the lists of places, which are short, for what would make a search take memory or
// time without a limit. Whatever else is wrong with a file, a search finds out.
func (x *Index) checkPlaces(postcodesOf []uint32) error {
	if len(x.places) > maxPlaces || len(x.postcodes) > maxPostcodes || len(postcodesOf) > maxPlaces {
		return fmt.Errorf("%w: it has %d places and %d postcodes", snapshot.ErrInvalid, len(x.places),
			len(x.postcodes))
	}
	departements := 0
	for i := range x.places {
		p := &x.places[i]
		if p.Kind == layout.Departement {
			departements++
		}
		if departements > maxDepartements || int(p.Parent) >= len(x.places) ||
			int(p.Departement) >= len(x.places) ||
			!p.Name.Within(len(x.text), maxText) || !p.Postcodes.Within(len(postcodesOf), maxPostcodesOf) ||
			!p.Streets.Within(len(x.streets), len(x.streets)) {
			return fmt.Errorf("%w: place %d has invalid references", snapshot.ErrInvalid, i)
		}
	}
	return cmp.Or(x.aliasPlaces.checkLengths("name"), x.postcodeIn.checkLengths("postcode"))
}

// checkLengths reports a list that is longer than the places of a name or postcode are.
func (l lists) checkLengths(of string) error {
	for i := range l.first {
		if i > 0 && !(layout.Span{From: l.first[i-1], To: l.first[i]}).Within(len(l.all), maxPlacesOf) {
			return fmt.Errorf("%w: the places of %s %d are from %d to %d", snapshot.ErrInvalid, of, i-1, l.first[i-1],
				l.first[i])
		}
	}
	return nil
}

// writePostcodes makes the texts of the postcodes, which answers outlive the file with.
func (x *Index) writePostcodes(ofPlaces []uint32) {
	x.postcodeTexts, x.postcodesOf = make([]string, len(x.postcodes)), make([]string, len(ofPlaces))
	for i, code := range x.postcodes {
		x.postcodeTexts[i] = fmt.Sprintf("%05d", code)
	}
	for i, code := range ofPlaces {
		x.postcodesOf[i] = x.postcodeText(code)[0]
	}
}

// postcodeText is a postcode as it is written; empty: no place has it.
func (x *Index) postcodeText(code uint32) []string {
	i, ok := slices.BinarySearch(x.postcodes, code)
	if !ok {
		return []string{}
	}
	return x.postcodeTexts[i : i+1 : i+1]
}

func (x *Index) textOf(s layout.Span) string { return snapshot.Text(x.text[s.From:s.To]) }

// nameOf is the name of a street. What would be too long for one, in a file that is wrong, is cut.
func (x *Index) nameOf(id uint32) string {
	name := x.text[x.nameText[id]:x.nameText[id+1]]
	return snapshot.Text(name[:min(len(name), maxText)])
}

// postcodePlaces are the places with a postcode; none when no place has it.
func (x *Index) postcodePlaces(postcode uint32) []uint32 {
	i, ok := slices.BinarySearch(x.postcodes, postcode)
	if !ok {
		return nil
	}
	return x.postcodeIn.listAt(uint32(i))
}

// hasPostcode reports whether letters for the place may bear the postcode.
func (x *Index) hasPostcode(in, postcode uint32) bool {
	return slices.Contains(x.postcodePlaces(postcode), in) || slices.Contains(x.postcodePlaces(postcode),
		x.places[in].Parent) && x.places[in].Kind == layout.Former
}

// HasStreets reports whether a street of the commune with this code is loaded.
func (x *Index) HasStreets(code string) bool {
	p, ok := x.communeOf(code)
	return ok && p.Streets.Length() > 0
}

func (x *Index) houseReader(s *layout.Street) layout.HouseReader {
	return layout.HouseReader{B: x.numbers[s.Numbers:], Left: int(s.Count >> 1), House: layout.House{Lat: s.Lat,
		Lon: s.Lon}}
}

// Source identifies the loads that the index was built from.
func (x *Index) Source() string { return x.file.Source() }

// Size is the length of the file.
func (x *Index) Size() int64 { return x.file.Size() }

// Counts are the numbers of what can be found.
type Counts struct{ Streets, Places, Names, Terms, NumberBytes int }

// Counts says how much the index holds.
func (x *Index) Counts() Counts {
	return Counts{len(x.streets), len(x.places), len(x.nameText) - 1, len(x.terms.End), len(x.numbers)}
}

// Tables are what an index is built from.
var Tables = []string{"geo.departement", "geo.region", "geo.commune", "geo.commune_contour",
	"geo.arrondissement_contour", "geo.commune_movement", "geo.postcode", "geo.adresse", "geo.adresse_locale",
	"geo.adresse_bano", "geo.lieu_dit"}

// Store keeps the active index.
type Store struct{ *snapshot.Store[Index] }

// New makes a store whose file is in dir, of what the sources fill. It serves nothing until Open or Refresh.
func New(pool *pgxpool.Pool, dir string, sources []source.Source) *Store {
	var names []string
	for _, s := range source.Filling(sources, Tables...) {
		names = append(names, s.Name)
	}
	return &Store{snapshot.NewStore(snapshot.Kind[Index]{
		File: "addresses.index", Format: layout.Format, Read: readIndex,
		Source: func(ctx context.Context, tx pgx.Tx) (string, error) { return build.ActiveLoads(ctx, tx, names) },
		Build: func(ctx context.Context, tx pgx.Tx, w *snapshot.Writer) error {
			in, err := build.Read(ctx, tx)
			if err != nil {
				return err
			}
			return build.Build(ctx, w, in)
		},
	}, pool, dir)}
}

// Index returns the active index; nil while there is none.
func (s *Store) Index() *Index { return s.Get() }

// Refresh serves an index of what is in the database, and builds it unless the file is one already. Searches
// under way end on the index they began with. When it fails, the index before stays active.
func (s *Store) Refresh(ctx context.Context) error {
	return fault.Wrap("build the index of addresses", s.Store.Refresh(ctx))
}
