package geocode

import "arpent/app/base/snapshot"

// Format is of the layout and of how words are made: a file of another version is built anew.
var Format = snapshot.Format{Kind: "addresses", Version: 3}

type section uint8

const (
	secText section = iota // display texts
	secTermText
	secTermEnd
	secTermWeight
	secTermOrder
	secTermSignature
	secTermBucket
	secTermPosting // where the names with a term begin, in secPosting
	secPosting
	secNameText    // offset of each name's display text
	secNameTerm    // where the terms of a name begin, in secNameTerms
	secNameTerms   // with tellingTerm where the term is such
	secNameStreet  // where the streets with a name begin, in secNameStreets
	secNameStreets // those of the most important communes first
	secStreet
	secNumber
	secPlace
	secPlacePostcode
	secAliasText
	secAliasEnd
	secAliasOrder
	secAliasSignature
	secAliasBucket
	secAliasPlace // where the places with an alias begin, in secAliasPlaces
	secAliasPlaces
	secPostcode
	secPostcodePlace
	secPostcodePlaces
	secLast
)

// sectionNames are the names of the sections in the file.
var sectionNames = [secLast]string{
	secText: "text", secTermText: "term.text", secTermEnd: "term.end", secTermWeight: "term.weight", secTermOrder: "term.order",
	secTermSignature: "term.signature", secTermBucket: "term.bucket", secTermPosting: "term.posting", secPosting: "posting",
	secNameText: "name.text", secNameTerm: "name.term", secNameTerms: "name.terms", secNameStreet: "name.street",
	secNameStreets: "name.streets", secStreet: "street", secNumber: "number", secPlace: "place", secPlacePostcode: "place.postcode",
	secAliasText: "alias.text", secAliasEnd: "alias.end", secAliasOrder: "alias.order", secAliasSignature: "alias.signature",
	secAliasBucket: "alias.bucket", secAliasPlace: "alias.place", secAliasPlaces: "alias.places", secPostcode: "postcode",
	secPostcodePlace: "postcode.place", secPostcodePlaces: "postcode.places",
}

// place is an area with a name, as it lies in the file.
type place struct {
	Code        [8]byte
	Name        span
	Postcodes   span   // in secPlacePostcode
	Streets     span   // in secStreet
	Parent      uint32 // the commune it belongs to; itself for a commune
	Departement uint32 // index of a place
	Population  uint32
	Importance  float32 // 0…1, from the population
	Lat, Lon    int32   // millionths of a degree; noPosition when not known
	Kind        placeKind
	_           [3]byte
}

type span struct{ From, To uint32 }

func (s span) length() int { return int(s.To - s.From) }

type placeKind uint8

const (
	commune placeKind = iota
	arrondissement
	former
	departement
)

// street is a street or locality, as it lies in the file.
type street struct {
	Name     uint32
	Place    uint32 // commune, or the arrondissement or former commune it lies in
	Postcode uint32 // 0: not known
	Lat, Lon int32
	Numbers  uint32 // where they begin, in secNumber
	Count    uint32 // of numbers, times 2; odd for a locality
}

const noPosition = -1 << 31

// put writes a whole section.
func put[T any](w *snapshot.Writer, s section, values []T) error {
	return snapshot.Put(w, sectionNames[s], values)
}
