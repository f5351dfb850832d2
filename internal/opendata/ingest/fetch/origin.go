package fetch

import (
	"context"
	"errors"
	"io"
)

// Origin is where a producer publishes the files of a source, as it was read in public material. A
// source with several has all of them, see Chosen.
type Origin struct {
	From Resolver // how the address is found; nil: none is known
	// As is the name of the saved file, with slashes, in place of the name that the server gives it, which
	// {served} stands for. {departement}, {departement:3} (three characters: 075, 02A), {commune} and the
	// fields of a Remote stand for themselves. A declaration reads the file by this name.
	As   string
	Area Area // what it is asked for
	// Extent is which requests ask it where its source is not named: a source for all of France and another
	// one for its places have the same things.
	Extent Extent
	// OnDemand: it is asked only when its source is named. Another source has the same
	// things, and both would hold them twice.
	OnDemand bool

	Bytes int64 // of one file, as it was read; 0: not known
	// how often it is renewed: "yearly", "half-yearly", "quarterly", "monthly", "weekly", "daily",
	// "irregularly", "once"
	Rhythm  string
	Derived bool   // by analogy with what was read; else address and names were read in public source code
	ReadOn  string // month of reading; empty: 2026-10, when most were
	// what an operator must know; without an address: what was looked for, and the form that can be given
	Note string
}

// Area is what one request to an origin covers.
type Area uint8

// The areas.
const (
	France Area = iota
	Departement
	Commune
	Grouping // an intercommunality
)

// Extent limits an origin to some requests.
type Extent uint8

// The extents.
const (
	AnyExtent  Extent = iota
	PlacesOnly        // départements and communes: for all of France it would be thousands of requests
	FranceOnly        // all of France: a département does not need so large a file
)

// Includes reports whether an extent includes requests for a place.
func (e Extent) Includes(p Place) bool {
	return e == AnyExtent || (e == FranceOnly) == (p == Place{})
}

// ErrNothing is the error of a resolver where the producer has no file for a place: a commune without a
// document of its own, a département that is not covered. That is no fault of the producer's.
var ErrNothing = errors.New("the producer has no file for this place")

// Place is what files are fetched for: a commune, a département, an intercommunality, or all of France where
// all are empty.
type Place struct {
	Departement string // "93", "2A", "971"
	Commune     string // "93010"; its Departement is set too
	Grouping    string // SIREN of an intercommunality: "200057875"; alone
}

// Resolver finds the files that an origin has.
type Resolver interface {
	// Resolve returns the files for a place: those of the newest edition, unless the resolver says otherwise.
	// Without any it returns an error that says where it looked.
	Resolve(ctx context.Context, c *Client, p Place) ([]Remote, error)
	// String describes where it looks, for people: an address as far as it is known.
	String() string
}

// Remote is one file at a producer's.
type Remote struct {
	Address string
	Served  string // the name that the server gives it; empty: the last part of the address
	Edition string // what the catalogue says of its edition: "2026-06-15"; may be empty
	Bytes   int64  // 0: not known
	Sum     Checksum
	// Fields are what the name to save it by may use: {year}.
	Fields map[string]string
	// Write writes the file where it has no address of its own: pages that are
	// joined. Address then is the first page's.
	Write func(ctx context.Context, c *Client, w io.Writer) error
}

// Checksum is what the catalogue of a producer says of a file; without a Kind there is none.
type Checksum struct {
	Kind string // "md5", "sha1", "sha256"
	Hex  string
}
