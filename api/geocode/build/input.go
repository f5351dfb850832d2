package build

import (
	"context"

	"arpent/api/geocode/layout"
)

// Input is what an index is built from.
type Input struct {
	Departements []Departement
	Regions      []Region
	Communes     []Commune // those of today
	Parts        []Part
	Postal       []Postal
	Spellings    []Spelling
	// Addresses gives all addresses to each, those of one street (same codes, name and postcode) one after
	// the other, by number and suffix. nil: none.
	Addresses func(ctx context.Context, each func(Address) error) error
}

// Departement is a département.
type Departement struct {
	Code, Name string
	Region     string // its code; empty: not known
}

// Region is a région.
type Region struct{ Code, Name string }

// Commune is a commune of today.
type Commune struct {
	Code, Name, Departement string
	Population              int
	Postcodes               []string
	FormerCodes             []string // of communes that were merged into it
	At                      *layout.Point
}

// Part is a place inside a commune with a name of its own: an arrondissement, or a commune of former times.
type Part struct {
	Arrondissement bool
	Code, Name     string
	Commune        string // code of the commune it belongs to
	Population     int
	Postcodes      []string
	At             *layout.Point
}

// Postal is a name that post is addressed with.
type Postal struct{ Commune, Postcode, Name string }

// Spelling is a name with accents that a street has in one of the sources; another may have it without.
type Spelling struct{ Code, OldCode, Name string }

// Address is a number of a street, or a locality.
type Address struct {
	Code     string // of the commune or arrondissement, as the producer gives it
	OldCode  string // of the former commune; empty: none
	Name     string // of the street or locality
	Postcode string
	Number   int // 0: none, the row is the street or locality itself
	Suffix   string
	Locality bool
	At       layout.Point
}
