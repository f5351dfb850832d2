package api

import (
	"context"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"arpent/api/fieldset"
	"arpent/api/territory"
	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
)

// Arguments are the arguments of a call, as texts: those of a URL, or what stands for them.
type Arguments struct {
	values   [maxParams]argument // by the place of the parameter in the row
	include  argument
	fault    error // what is wrong with them already
	readings []reading
	explains bool
	ofTool   bool // of a tool, which takes names of territories, and codes of arrondissements
}

// maxParams is how many parameters a row has at most.
const maxParams = 11

type argument struct {
	text  string
	given bool
}

// Set gives the parameter of a name its text; the name is one of the row's, or include. A name that the row
// does not know is ignored. One that is given twice is rejected: the two could contradict each other.
func (a *Arguments) Set(op *Operation, name, text string) { a.setParam(op, "", name, text) }

// setParam is Set for the parameters that are in one place alone; an empty one means anywhere.
func (a *Arguments) setParam(op *Operation, in, name, text string) {
	place := a.findArgument(op, in, name)
	if place == nil {
		return
	}
	if place.given {
		a.Reject(givenTwiceError(name))
		return
	}
	*place = argument{text, true}
}

// Get is the text of a parameter, and whether it was given.
func (a *Arguments) Get(op *Operation, name string) (text string, given bool) {
	if place := a.findArgument(op, "", name); place != nil {
		return place.text, place.given
	}
	return "", false
}

func (a *Arguments) findArgument(op *Operation, in, name string) *argument {
	if name == "include" {
		return &a.include
	}
	for i := range op.Params {
		if p := &op.Params[i]; p.Name == name && (in == "" || p.In == in) {
			return &a.values[i]
		}
	}
	return nil
}

// Reject has the call answered with a fault, once it was admitted. The first one counts.
func (a *Arguments) Reject(reason error) {
	if a.fault == nil {
		a.fault = reason
	}
}

// Rejected reports whether Reject or Set found something wrong.
func (a *Arguments) Rejected() bool { return a.fault != nil }

// Explains reports whether the call of a tool asks for the meaning of keys.
func (a *Arguments) Explains() bool { return a.explains }

// ChoosesKeys reports whether a call names the keys that it asks for.
func (a *Arguments) ChoosesKeys(op *Operation) bool {
	for _, name := range []string{fieldset.ParamName, themeName, sortName} {
		if _, given := a.Get(op, name); given {
			return true
		}
	}
	return false
}

// Address is the path and query of the REST request that means the same.
func (a *Arguments) Address(op *Operation) string {
	path, query := Root+op.Path, url.Values{}
	if a.include.given {
		query.Set("include", a.include.text)
	}
	for i := range op.Params {
		switch p, v := &op.Params[i], a.values[i]; {
		case !v.given:
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(v.text))
		default:
			query.Set(p.Name, v.text)
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// Request is what an operation sees of a call: arguments that were checked against its row. Its texts live as
// long as the request; a caller that keeps one copies it.
type Request struct {
	ctx       context.Context
	op        *Operation
	arguments Arguments
	conn      net.Conn     // see Caller
	memory    bufferSource // nil: the operation takes its own
	Include   Include
	reading   string // as what REST read an argument, where that may mean something else
}

// bufferSource is where the body of an answer may be written, until the answer was sent.
type bufferSource interface{ takeBuffer() []byte }

// takeBuffer is memory for the body of the answer; nil: there is none.
func (r *Request) takeBuffer() []byte {
	if r.memory == nil {
		return nil
	}
	return r.memory.takeBuffer()
}

// Text is the text of a parameter; empty where it is not given.
func (r *Request) Text(name string) string {
	text, _ := r.arguments.Get(r.op, name)
	return text
}

// Given reports whether a parameter was given.
func (r *Request) Given(name string) bool {
	_, given := r.arguments.Get(r.op, name)
	return given
}

// shapeMembers returns the members of the outline that the request asks for.
func (r *Request) shapeMembers() geom.Members {
	return geom.Members{Geometry: r.Include&Geometry != 0, Centre: r.Include&Centre != 0,
		Bbox: r.Include&Bbox != 0}
}

// Point is the pair lat, lon, both checked before.
func (r *Request) Point() (lat, lon float64) {
	lat, _ = parseDegrees(r.Text("lat"), 90)
	lon, _ = parseDegrees(r.Text("lon"), 180)
	return lat, lon
}

// validateArguments holds the arguments of the call against the declarations of the row.
func (r *Request) validateArguments(in loaded) error {
	if r.arguments.fault != nil {
		return r.arguments.fault
	}
	if include := &r.arguments.include; include.given {
		if err := r.readInclude(include.text); err != nil {
			return err.About("include")
		}
	}
	for i := range r.op.Params {
		p, v := &r.op.Params[i], &r.arguments.values[i]
		switch {
		case v.given && p.Values != nil:
			if _, err := p.parseList(v.text); err != nil {
				return fault.From(err).About(p.Name)
			}
		case v.given && !p.Valid(v.text):
			if means, ok := p.meantValue(in, v.text); ok && p.AsWritten != nil && p.AsWritten(v.text) {
				if others := p.explainValue(in, v.text); others != "" {
					r.reading = reading{p.Name, v.text, means, others}.describeReading()
				}
				v.text = means
				continue
			}
			return p.invalidValueError(in, r.op.Path, v.text).About(p.Name)
		case !v.given && p.Required:
			return fault.Invalid("%s is missing; expected %s", p.Name, p.Expected).About(p.Name)
		}
	}
	return nil
}

// meantValue is the valid value that is meant by one in another form; false: it means none.
func (p *Param) meantValue(in loaded, value string) (means string, ok bool) {
	if p.Read != nil {
		means, ok = p.Read(value)
	}
	if !ok && p.Named != nil && in.territory != nil {
		means, ok = p.Named(in, value)
	}
	return means, ok
}

// explainValue says what is to be known of a text that is no code; empty: nothing.
func (p *Param) explainValue(in loaded, text string) string {
	if p.Explain == nil || in.territory == nil {
		return ""
	}
	return p.Explain(in, text)
}

// invalidValueError is the error for a value that is not valid. It names the one that is
// meant, where that can be read, and its call.
func (p *Param) invalidValueError(in loaded, path, value string) *fault.Error {
	means, ok := p.meantValue(in, value)
	var moved *fault.Error
	explanation := p.explainValue(in, value)
	if ok && p.Elsewhere != nil && in.territory != nil {
		moved = p.Elsewhere(in.territory, means)
	}
	switch {
	case !ok && explanation != "":
		return fault.Invalid("%s is %q; expected %s. %s", p.Name, fault.Excerpt(value), p.Expected, explanation)
	case !ok && p.Search != "" && strings.ContainsFunc(value, unicode.IsLetter) && addressQuery.Valid(value):
		return fault.Invalid("%s is %q; expected %s.", p.Name, fault.Excerpt(value), p.Expected).
			Instead("A name is found by "+p.Search+url.QueryEscape(value)+".", "")
	case !ok:
		return fault.Invalid("%s is %q; expected %s", p.Name, fault.Excerpt(value), p.Expected)
	case moved != nil:
		return fault.Invalid("%s is %q; if it means %s: %s", p.Name, fault.Excerpt(value), means,
			moved.Message).Instead(moved.Path, moved.Tool)
	case p.In == "path":
		path = strings.Replace(path, "{"+p.Name+"}", means, 1)
	default:
		path += "?" + p.Name + "=" + means
	}
	return fault.Invalid("%s is %q; if it means %s, ask for %s; expected %s", p.Name, fault.Excerpt(value),
		means, path, p.Expected)
}

func givenTwiceError(name string) error {
	return fault.Invalid("%s is given more than once; expected it once", name).About(strings.Clone(name))
}

func (r *Request) readInclude(value string) *fault.Error {
	if len(r.op.Include) == 0 {
		return fault.Invalid("include is %q; this operation takes no include value", fault.Excerpt(value))
	}
next:
	for name := range strings.SplitSeq(value, ",") {
		name = strings.TrimSpace(name)
		for _, known := range r.op.Include {
			if name == known.Name {
				r.Include |= known.Bit
				continue next
			}
		}
		return fault.Invalid("include names %q; expected %s", fault.Excerpt(name), includeNames(r.op))
	}
	return nil
}

func includeNames(op *Operation) string {
	names := make([]string, 0, len(op.Include))
	for _, v := range op.Include {
		names = append(names, v.Name)
	}
	return "a comma-separated list from " + strings.Join(names, ", ")
}

// parseDegrees reads finite decimal degrees between −limit and limit. The forms that ParseFloat takes beyond
// a decimal number (NaN, Inf, hexadecimal, underscores) are refused.
func parseDegrees(s string, limit float64) (float64, bool) {
	if s == "" || len(s) > 40 {
		return 0, false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Abs(v) > limit {
		return 0, false
	}
	return v, true
}

func formatDegrees(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// maxUnknown is how many unknown names an error has.
const maxUnknown = 10

// argumentWords are words that callers give arguments, by the arguments that they may mean, without accents
// and blanks.
var argumentWords = [][2]string{
	{"codes", "communes villes cities towns codescommunes"},
	{"code", "ville commune city town insee inseecode codeinsee nom name departement departementcode region " +
		"regioncode"},
	{"q", "ville commune city town name nom adresse address query search text recherche place lieu"},
	{"fields", "sujet sujets subject subjects topic topics theme themes champ champs field key keys stats data " +
		"donnees indicateur indicateurs"},
	{"departement", "dep dept department departementcode code"},
	{"epci", "siren intercommunalite body code"},
	{"region", "regioncode code"},
	{"sort", "tri order orderby sortby"}, {"top", "limit max n count nombre"},
	{"limit", "top max n count nombre"},
	{"lat", "latitude y"}, {"lon", "longitude lng long x"},
	{"idu", "parcelle parcel reference id code ref"}, {"minPopulation", "population habitants"},
}

// meantArgument is which of the arguments that a tool takes a name may mean; empty: none.
func meantArgument(name string, takes []string) string {
	folded := strings.ReplaceAll(territory.FoldName(name), " ", "")
	for _, one := range takes {
		if strings.EqualFold(one, folded) {
			return one
		}
	}
	for _, of := range argumentWords {
		if slices.Contains(takes, of[0]) && slices.Contains(strings.Fields(of[1]), folded) {
			return of[0]
		}
	}
	return ""
}
