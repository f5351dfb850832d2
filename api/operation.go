// Package api has the operations of the service: the table that declares them, Execute,
// which runs one for its caller, the REST adapter under /api/v1, and the OpenAPI
// document that is made from the same table.
package api

import (
	"reflect"
	"strings"

	"arpent/api/parcel"
	"arpent/api/reference"
	"arpent/api/reply"
	"arpent/api/territory"
	"arpent/billing/meter"
	"arpent/internal/fault"
)

// Operation is one row of the operations table: the route, its documentation
// and the tools of assistants all come from it.
type Operation struct {
	Name        string // verb_noun, stable: usage is counted under it
	Path        string // below /api/v1, parameters as {name}
	Tag         string // what it is about, one of Tags
	Summary     string
	Description string
	// SummaryFrench and DescriptionFrench introduce it on the pages; the contract itself is in English.
	SummaryFrench     string
	DescriptionFrench string
	Params            []Param
	Include           []IncludeValue // values of ?include=, empty when the operation knows none
	Results           []any          // zero values of the result types; more than one: one of them
	Class             meter.Class    // which limits apply
	Cost              int            // requests it counts for
	Keyless           bool           // answered without a key
	NotCached         bool           // no-store, no validator
	// path and query of a request that works on real data, whose answer is recorded
	Example     string
	Places      []Place // what may be tried without an account, the example first
	Unavailable bool    // may answer 503
	Run         func(h *Handlers, r *Request) (reply.Reply, error)
	Tools       []Tool // by which assistants call it

	number uint8 // place in the table, for the counters
}

// Tighter reports whether it has a limit a minute of its own, below that of the plan.
func (o *Operation) Tighter() bool { return o.Class == meter.Enrichments }

// What operations are about.
const (
	TagService     = "Service"
	TagTerritories = "Territories"
	TagAddresses   = "Addresses"
	TagParcels     = "Parcels"
)

// Tags are what operations are about, in the order of the documentation, each with a sentence on it.
var Tags = [][2]string{
	{TagService, "What the service offers, without a key."},
	{TagTerritories, "Régions, départements and communes, with their outlines and statistics."},
	{TagAddresses, "From what people write to a code and coordinates."},
	{TagParcels, "Cadastral parcels, and all that is known of one."},
}

// Param is a parameter of an operation. Valid decides; Pattern says the same thing to people and machines.
type Param struct {
	Name        string
	In          string // path or query
	Type        string // JSON schema type: string or number; array for a list of Values
	Description string
	Pattern     string
	Expected    string // ends "expected …" in the message of a 400
	Example     any
	Required    bool
	Default     any     // what is meant where it is left out; nil: nothing
	Min, Max    float64 // of a number; 0 and 0: any
	MaxLength   int     // of a text, in characters; 0: any
	Written     string  // pattern of all forms of a code that tools take; empty: Pattern is
	Valid       func(value string) bool
	// Read gives the value that is meant by one in another form; false: it means none. A message
	// names it, and tools take it. It may be nil.
	Read func(value string) (means string, ok bool)
	// Named gives the code of the territory that has a name: as Read, where
	// codes are read from names. It may be nil.
	Named func(in loaded, name string) (code string, ok bool)
	// Explain says in a sentence what is to be known of a text that is no code: which codes it may mean, where
	// there are several, or what it lacks. Empty: nothing. It may be nil.
	Explain func(in loaded, text string) string
	// AsWritten reports whether REST, too, takes a value as Read and Named
	// read it. It may be nil: it takes none.
	AsWritten func(value string) bool
	// Elsewhere is the error that names the calls for a valid value that has no answer
	// here; nil: it may have one. It may be nil.
	Elsewhere func(snap *territory.Snapshot, value string) *fault.Error
	// Search is the address of what finds codes by names, up to the name; empty: there is none.
	Search string
	Values func() []string // of a list, in place of Pattern and Valid: what it may hold
	Plain  bool            // of a list: dots do not lead to parts of its values
	// Hint says which value of a list is like a name, of those that are known, or what has it; empty: nothing.
	// It may be nil.
	Hint func(name string, known []string) string
}

// loaded is what names are looked up in. Either may be nil.
type loaded struct {
	territory *territory.Snapshot
	parcels   *parcel.Index
}

// Place is a request that any visitor may try on the page of the operation, by the
// name that people have for what it asks about.
type Place struct{ French, English, Call string }

// IncludeValue is one value that ?include= takes.
type IncludeValue struct {
	Name string
	Bit  Include
}

// Include is a set of include values.
type Include uint8

// The include values: those of the contract, then further ones.
const (
	Geometry Include = 1 << iota
	Stats
	Departements
	Communes
	Population
	Centre
	Bbox
)

var (
	includeGeometry     = IncludeValue{"geometry", Geometry}
	includeStats        = IncludeValue{"stats", Stats}
	includeDepartements = IncludeValue{"departements", Departements}
	includeCommunes     = IncludeValue{"communes", Communes}
	includePopulation   = IncludeValue{"population", Population}
	includeCentre       = IncludeValue{"centre", Centre}
	includeBbox         = IncludeValue{"bbox", Bbox}
)

// resultTypes are the Go types behind Results, for the document.
func (o *Operation) resultTypes() []reflect.Type {
	types := make([]reflect.Type, 0, len(o.Results))
	for _, r := range o.Results {
		types = append(types, reflect.TypeOf(r))
	}
	return types
}

var (
	latitude  = coordinateParam("lat", "latitude", 90, 48.9024)
	longitude = coordinateParam("lon", "longitude", 180, 2.4834)
)

// splitPoint says what to do with a text that has both coordinates.
const splitPoint = "It holds two numbers: give the first of a latitude and a longitude as lat, the second as lon."

// isPointText reports whether a text has two decimal numbers, as 48.9024,2.4834 has.
func isPointText(text string) bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,;/", r) })
	if len(parts) != 2 || !strings.Contains(text, ".") {
		return false
	}
	_, isFirst := parseDegrees(parts[0], 180)
	_, isSecond := parseDegrees(parts[1], 180)
	return isFirst && isSecond
}

// coordinateParam is a coordinate in decimal degrees. Tools read one with a decimal comma as the number with
// a point, which the error of a request names.
func coordinateParam(name, word string, limit float64, example float64) Param {
	isValid := func(s string) bool { _, ok := parseDegrees(s, limit); return ok }
	return Param{Name: name, In: "query", Type: "number", Example: example, Min: -limit, Max: limit,
		Description: "WGS84 " + word + " in decimal degrees.",
		Expected: "a " + word + " in decimal degrees between −" + formatDegrees(limit) + " and " +
			formatDegrees(limit),
		Valid: isValid,
		Read: func(s string) (string, bool) {
			degrees := strings.Replace(strings.TrimSpace(s), ",", ".", 1)
			return degrees, isValid(degrees)
		},
		Explain: func(_ loaded, s string) string {
			if isPointText(s) {
				return splitPoint
			}
			return ""
		}}
}

func makeRequired(p Param) Param {
	p.Required = true
	return p
}

func withReader(p Param, read func(string) (string, bool)) Param {
	p.Read = read
	return p
}

func asWritten(p Param, takes func(value string) bool) Param {
	p.AsWritten = takes
	return p
}

// withLooseCode has a code of so many characters read from one in small letters, with spaces, with the letter
// O for zeros, or without the zero that it begins with, which spreadsheets and numbers lose.
func withLooseCode(characters int, p Param) Param {
	return withReader(p, func(text string) (string, bool) {
		code := strings.ToUpper(strings.Join(strings.Fields(text), ""))
		if strings.ContainsAny(code, "123456789") {
			code = strings.ReplaceAll(code, "O", "0")
		}
		if isCodeOfLength(code, characters-1, characters-1, "") {
			code = "0" + code
		}
		return code, p.Valid(code)
	})
}

func codeParam(name, in, pattern, expected, description string, example any, valid func(string) bool) Param {
	return Param{Name: name, In: in, Type: "string", Pattern: pattern, Expected: expected,
		Description: description, Example: example, Required: in == "path", Valid: valid}
}

func withNameLookup(p Param, find func(snap *territory.Snapshot, name string) (string, bool)) Param {
	p.Named = func(in loaded, name string) (string, bool) { return find(in.territory, name) }
	return p
}

func asWrittenLike(pattern string, p Param) Param {
	p.Written = pattern
	return p
}

func withExplanation(p Param, explain func(snap *territory.Snapshot, text string) string) Param {
	p.Explain = func(in loaded, text string) string { return explain(in.territory, text) }
	return p
}

// withReferenceLookup has references of parcels read that have the name of their commune in place of its
// code.
func withReferenceLookup(p Param) Param {
	p.Named = func(in loaded, text string) (string, bool) {
		return reference.Read(in.territory, in.parcels, text)
	}
	p.Explain = func(in loaded, text string) string {
		return reference.Explain(in.territory, in.parcels, text)
	}
	return p
}

func withRedirect(p Param, find func(snap *territory.Snapshot, value string) *fault.Error) Param {
	p.Elsewhere = find
	return p
}

func withSearchPath(search string, p Param) Param {
	p.Search = search
	return p
}

// isCodeOfLength reports whether s has between minLength and maxLength
// characters, all of them digits or among others.
func isCodeOfLength(s string, minLength, maxLength int, others string) bool {
	if len(s) < minLength || len(s) > maxLength {
		return false
	}
next:
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			continue
		}
		for j := range len(others) {
			if s[i] == others[j] {
				continue next
			}
		}
		return false
	}
	return true
}
