// Package layout is what the builder and the reader of the address index have in common: the sections
// of the file, the records in them, and the form in which words of names and queries are compared. A
// change of either is a new version of Format.
package layout

import (
	"strings"

	"arpent/internal/snapshot"
)

// Format is of the layout, of how words are made and of how names are
// spelt: a file of another version is built anew.
var Format = snapshot.Format{Kind: "addresses", Version: 9}

// Section is the name of a section of the file.
type Section string

// The sections, in addition to those of the two lexicons.
const (
	SecText           Section = "text" // display texts
	SecTermWeight     Section = "term.weight"
	SecTermPosting    Section = "term.posting" // where the names with a term begin, in SecPosting
	SecPosting        Section = "posting"
	SecNameText       Section = "name.text"    // offset of each name's display text
	SecNameTerm       Section = "name.term"    // where the terms of a name begin, in SecNameTerms
	SecNameTerms      Section = "name.terms"   // with InformativeBit where the term is such
	SecNameStreet     Section = "name.street"  // where the streets with a name begin, in SecNameStreets
	SecNameStreets    Section = "name.streets" // those of the most important communes first
	SecStreet         Section = "street"
	SecNumber         Section = "number"
	SecPlace          Section = "place"
	SecPlacePostcode  Section = "place.postcode"
	SecAliasPlace     Section = "alias.place" // where the places with an alias begin, in SecAliasPlaces
	SecAliasPlaces    Section = "alias.places"
	SecPostcode       Section = "postcode"
	SecPostcodePlace  Section = "postcode.place"
	SecPostcodePlaces Section = "postcode.places"
)

// Reader reads the sections of a file. Err is set when one was missing.
type Reader struct {
	File *snapshot.File
	Err  error
}

// Bytes returns the bytes of a section.
func (r *Reader) Bytes(s Section) []byte {
	b, err := r.File.Section(string(s))
	if err != nil {
		r.Err = err
	}
	return b
}

// Numbers returns the numbers of a section.
func (r *Reader) Numbers(s Section) []uint32 { return snapshot.View[uint32](r.Bytes(s)) }

// Place is an area with a name, as it lies in the file.
type Place struct {
	Code        [8]byte
	Name        Span
	Postcodes   Span   // in SecPlacePostcode
	Streets     Span   // in SecStreet
	Parent      uint32 // the commune it belongs to, of a département the région; itself for others
	Departement uint32 // index of a place
	Population  uint32
	Importance  float32 // 0…1, from the population
	Lat, Lon    int32   // millionths of a degree; NoPosition when not known
	Kind        placeKind
	_           [3]byte
}

type Span struct{ From, To uint32 }

func (s Span) Length() int { return int(s.To - s.From) }

// Within reports whether it lies in a list of so many and has at most max of them.
func (s Span) Within(length, max int) bool {
	return s.From <= s.To && uint64(s.To) <= uint64(length) && uint64(s.To-s.From) <= uint64(max)
}

type placeKind uint8

const (
	Commune placeKind = iota
	Arrondissement
	Former // a commune of former times, or a locality that post is addressed to
	Departement
	Region
	// an overseas collectivity or a commune of one: known by name and postcode alone, and never an answer
	Uncovered
)

// Street is a street or locality, as it lies in the file.
type Street struct {
	Name     uint32
	Place    uint32 // commune, or the arrondissement or former commune it lies in
	Postcode uint32 // 0: not known
	Lat, Lon int32
	Numbers  uint32 // where they begin, in SecNumber
	Count    uint32 // of numbers, times 2; odd for a locality
}

const NoPosition = -1 << 31

// Put writes a whole section.
func Put[T any](w *snapshot.Writer, s Section, values []T) error {
	return snapshot.Put(w, string(s), values)
}

// AliasClass says how a name stands for a place. It lies above the index of the place.
type AliasClass uint32

const (
	ByName          AliasClass = iota // its name
	ByArticle                         // its name without the article
	ByRenamed                         // a name that it had before, or has for its part or in English
	ByFormer                          // the name of a commune that it was, or that became part of it
	ByFormerArticle                   // a name of former times without the article
	ByPostal                          // the name that its post is addressed with
	ByHead                            // the beginning of its name: Châlons
)

const AliasShift = 24 // places are fewer than 2^24

// Quality is how sure a name makes of the place.
var Quality = [...]float32{ByName: 1, ByArticle: 0.99, ByRenamed: 0.995, ByFormer: 0.96,
	ByFormerArticle: 0.955, ByPostal: 0.93, ByHead: 0.91}

// CodeOf is the code of a place.
func CodeOf(p *Place) string { return strings.TrimRight(string(p.Code[:]), "\x00") }

// Point is a position in degrees; nil where it is not known.
type Point struct{ Lat, Lon float64 }
