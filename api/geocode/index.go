package geocode

import (
	"slices"

	"arpent/app/base/snapshot"
)

// Index is an index file, read in place. It is never modified, and safe for use by many at once.
type Index struct {
	file *snapshot.File // held for the mapping that everything below is in

	text         []byte
	terms        lexicon
	termWeight   []float32
	termNames    lists // names by term
	nameText     []uint32
	nameTerms    lists // terms by name, in their order
	nameStreets  lists // streets by name
	streets      []street
	numbers      []byte
	places       []place
	postcodeList []uint32
	aliases      lexicon
	aliasPlaces  lists
	postcodes    []uint32
	postcodeIn   lists
	departements map[string]uint32 // by code
}

// lists are lists of numbers, one after the other.
type lists struct{ first, all []uint32 }

func (l lists) of(i uint32) []uint32 {
	if int(i)+1 >= len(l.first) {
		return nil
	}
	return l.all[l.first[i]:l.first[i+1]]
}

// Open serves searches from an index file.
func Open(path string) (*Index, error) {
	f, err := snapshot.Open(path, Format)
	if err != nil {
		return nil, err
	}
	return read(f)
}

func read(f *snapshot.File) (*Index, error) {
	var all [secLast][]byte
	for i, name := range sectionNames {
		var err error
		if all[i], err = f.Section(name); err != nil {
			return nil, err
		}
	}
	numbers := func(s section) []uint32 { return snapshot.View[uint32](all[s]) }
	x := &Index{
		file: f, text: all[secText],
		terms: readLexicon(&all, termSections), termWeight: snapshot.View[float32](all[secTermWeight]),
		termNames: lists{numbers(secTermPosting), numbers(secPosting)}, nameText: numbers(secNameText),
		nameTerms: lists{numbers(secNameTerm), numbers(secNameTerms)}, nameStreets: lists{numbers(secNameStreet), numbers(secNameStreets)},
		streets: snapshot.View[street](all[secStreet]), numbers: all[secNumber], places: snapshot.View[place](all[secPlace]),
		postcodeList: numbers(secPlacePostcode), aliases: readLexicon(&all, aliasSections),
		aliasPlaces: lists{numbers(secAliasPlace), numbers(secAliasPlaces)},
		postcodes:   numbers(secPostcode), postcodeIn: lists{numbers(secPostcodePlace), numbers(secPostcodePlaces)},
		departements: map[string]uint32{},
	}
	for i := range x.places {
		if x.places[i].Kind != departement {
			break // they come first
		}
		x.departements[codeOf(&x.places[i])] = uint32(i)
	}
	return x, nil
}

func (x *Index) say(s span) string { return snapshot.Text(x.text[s.From:s.To]) }

func (x *Index) nameOf(id uint32) string {
	return snapshot.Text(x.text[x.nameText[id]:x.nameText[id+1]])
}

// placesOf are the places with a postcode; none when no place has it.
func (x *Index) placesOf(postcode uint32) []uint32 {
	i, ok := slices.BinarySearch(x.postcodes, postcode)
	if !ok {
		return nil
	}
	return x.postcodeIn.of(uint32(i))
}

// hasPostcode tells whether letters for the place may bear the postcode.
func (x *Index) hasPostcode(in, postcode uint32) bool {
	return slices.Contains(x.placesOf(postcode), in) || slices.Contains(x.placesOf(postcode), x.places[in].Parent) && x.places[in].Kind == former
}

func (x *Index) houses(s *street) houseReader {
	return houseReader{b: x.numbers[s.Numbers:], left: int(s.Count >> 1), house: house{lat: s.Lat, lon: s.Lon}}
}

// Source tells which loads the index was built from.
func (x *Index) Source() string { return x.file.Source() }

// Size is the length of the file.
func (x *Index) Size() int64 { return x.file.Size() }

// Counts are the numbers of what can be found.
type Counts struct{ Streets, Places, Names, Terms, NumberBytes int }

// Counts says how much the index holds.
func (x *Index) Counts() Counts {
	return Counts{len(x.streets), len(x.places), len(x.nameText) - 1, len(x.terms.end), len(x.numbers)}
}
