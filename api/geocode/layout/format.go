// Package layout is what the builder and the reader of the address index have in common: the sections of the file, the
// records in them, and the form in which words of names and queries are compared. A change of either is a new version of
// Format.
package layout

import (
	"strings"

	"arpent/app/base/snapshot"
)

// Format is of the layout and of how words are made: a file of another version is built anew.
var Format = snapshot.Format{Kind: "addresses", Version: 3}

type Section uint8

const (
	SecText Section = iota // display texts
	secTermText
	secTermEnd
	SecTermWeight
	secTermOrder
	secTermSignature
	secTermBucket
	SecTermPosting // where the names with a term begin, in secPosting
	SecPosting
	SecNameText    // offset of each name's display text
	SecNameTerm    // where the terms of a name begin, in secNameTerms
	SecNameTerms   // with informativeBit where the term is such
	SecNameStreet  // where the streets with a name begin, in secNameStreets
	SecNameStreets // those of the most important communes first
	SecStreet
	SecNumber
	SecPlace
	SecPlacePostcode
	secAliasText
	secAliasEnd
	secAliasOrder
	secAliasSignature
	secAliasBucket
	SecAliasPlace // where the places with an alias begin, in secAliasPlaces
	SecAliasPlaces
	SecPostcode
	SecPostcodePlace
	SecPostcodePlaces
	SecLast
)

// sectionNames are the names of the sections in the file.
var SectionNames = [SecLast]string{
	SecText: "text", secTermText: "term.text", secTermEnd: "term.end", SecTermWeight: "term.weight", secTermOrder: "term.order",
	secTermSignature: "term.signature", secTermBucket: "term.bucket", SecTermPosting: "term.posting", SecPosting: "posting",
	SecNameText: "name.text", SecNameTerm: "name.term", SecNameTerms: "name.terms", SecNameStreet: "name.street",
	SecNameStreets: "name.streets", SecStreet: "street", SecNumber: "number", SecPlace: "place", SecPlacePostcode: "place.postcode",
	secAliasText: "alias.text", secAliasEnd: "alias.end", secAliasOrder: "alias.order", secAliasSignature: "alias.signature",
	secAliasBucket: "alias.bucket", SecAliasPlace: "alias.place", SecAliasPlaces: "alias.places", SecPostcode: "postcode",
	SecPostcodePlace: "postcode.place", SecPostcodePlaces: "postcode.places",
}

// place is an area with a name, as it lies in the file.
type Place struct {
	Code        [8]byte
	Name        Span
	Postcodes   Span   // in secPlacePostcode
	Streets     Span   // in secStreet
	Parent      uint32 // the commune it belongs to; itself for a commune
	Departement uint32 // index of a place
	Population  uint32
	Importance  float32 // 0…1, from the population
	Lat, Lon    int32   // millionths of a degree; noPosition when not known
	Kind        placeKind
	_           [3]byte
}

type Span struct{ From, To uint32 }

func (s Span) Length() int { return int(s.To - s.From) }

type placeKind uint8

const (
	Commune placeKind = iota
	Arrondissement
	Former
	Departement
)

// street is a street or locality, as it lies in the file.
type Street struct {
	Name     uint32
	Place    uint32 // commune, or the arrondissement or former commune it lies in
	Postcode uint32 // 0: not known
	Lat, Lon int32
	Numbers  uint32 // where they begin, in secNumber
	Count    uint32 // of numbers, times 2; odd for a locality
}

const NoPosition = -1 << 31

// put writes a whole section.
func Put[T any](w *snapshot.Writer, s Section, values []T) error {
	return snapshot.Put(w, SectionNames[s], values)
}

// aliasClass says how a name stands for a place. It lies above the index of the place.
type AliasClass uint32

const (
	ByName    AliasClass = iota // its name
	ByArticle                   // its name without the article
	ByRenamed                   // a name that it had before, or has for its part
	ByFormer                    // the name of a commune that it was, or that became part of it
	ByPostal                    // the name that its post is addressed with
	ByHead                      // the beginning of its name: Châlons
)

const AliasShift = 24 // places are fewer than 2^24

// quality is how sure a name makes of the place.
var Quality = [...]float32{ByName: 1, ByArticle: 0.99, ByRenamed: 0.995, ByFormer: 0.96, ByPostal: 0.93, ByHead: 0.91}

// codeOf is the code of a place.
func CodeOf(p *Place) string { return strings.TrimRight(string(p.Code[:]), "\x00") }

// Point is a position in degrees; nil where it is not known.
type Point struct{ Lat, Lon float64 }
