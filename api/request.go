package api

import (
	"context"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/fault"
)

// Request is what an operation sees of a call: parameters that were checked against its row. Its strings live as
// long as the request; whoever keeps one copies it.
type Request struct {
	fiber   *fiber.Ctx
	op      *Operation
	query   [queryMost]queryValue // by the place of the parameter in the row
	Include Include
}

// queryMost is how many parameters a row has at most.
const queryMost = 4

type queryValue struct {
	value string
	given bool
}

// context is what a query of this request runs under. It is not the connection's own: that one ends as soon as the
// server begins to stop, when requests under way are to be finished.
func (r *Request) context() context.Context { return r.fiber.UserContext() }

// roomSize holds the answers that are asked most among those put together for one request: a commune with its statistics.
const roomSize = 16 << 10

// room is memory that the answer to this request may be written into. It belongs to the connection, and is used again
// once the answer was sent.
func (r *Request) room() []byte {
	res := r.fiber.Response()
	room := res.SwapBody(nil)[:0]
	if cap(room) < roomSize {
		room = make([]byte, 0, roomSize)
	}
	res.SwapBody(room)
	return room
}

// Path is the path parameter called name, with escapes undone.
func (r *Request) Path(name string) string {
	if ask := askOf(r.fiber); ask != nil {
		return ask.Path.Get(name)
	}
	value := r.fiber.Params(name)
	if strings.IndexByte(value, '%') >= 0 {
		if plain, err := url.PathUnescape(value); err == nil {
			return plain
		}
	}
	return value
}

// pathGiven tells whether there is a path parameter called name. Over HTTP there always is: the route has it.
func (r *Request) pathGiven(name string) bool {
	ask := askOf(r.fiber)
	return ask == nil || ask.Path.Has(name)
}

// Query is the query parameter called name, and whether it was given.
func (r *Request) Query(name string) (string, bool) {
	for i := range r.op.Params {
		if p := &r.op.Params[i]; p.Name == name && p.In == "query" {
			return r.query[i].value, r.query[i].given
		}
	}
	return "", false
}

// Point is the pair lat, lon, both checked before.
func (r *Request) Point() (lat, lon float64) {
	latitude, _ := r.Query("lat")
	longitude, _ := r.Query("lon")
	lat, _ = parseDegrees(latitude, 90)
	lon, _ = parseDegrees(longitude, 180)
	return lat, lon
}

// read checks the parameters of the call against the operation's row. One that the row does not know is passed over.
func (r *Request) read() error {
	if ask := askOf(r.fiber); ask != nil && ask.Fault != nil {
		return ask.Fault
	}
	if len(r.fiber.Request().URI().QueryString()) > 0 {
		if err := r.readQuery(); err != nil {
			return err
		}
	}
	for i := range r.op.Params {
		p := &r.op.Params[i]
		value, given := r.query[i].value, r.query[i].given
		if p.In == "path" {
			value, given = r.Path(p.Name), r.pathGiven(p.Name)
		}
		switch {
		case given && !p.Valid(value):
			return fault.Invalid("%s is %q; expected %s", p.Name, fault.Excerpt(value), p.Expected)
		case !given && p.Required:
			return fault.Invalid("%s is missing; expected %s", p.Name, p.Expected)
		}
	}
	return nil
}

// readQuery goes through the query once. A parameter that is given twice is refused: the two could contradict each
// other.
func (r *Request) readQuery() error {
	var include queryValue
	key := false
	for name, text := range r.fiber.Context().QueryArgs().All() {
		var into *queryValue
		switch string(name) {
		case "include":
			into = &include
		case "api_key":
			if key {
				return twice("api_key")
			}
			key = true
			continue
		default:
			if into = r.queryPlace(name); into == nil {
				continue
			}
		}
		if into.given {
			return twice(string(name))
		}
		*into = queryValue{unsafeString(text), true}
	}
	if include.given {
		return r.readInclude(include.value)
	}
	return nil
}

func twice(name string) error {
	return fault.Invalid("%s is given more than once; expected it once", name)
}

func (r *Request) queryPlace(name []byte) *queryValue {
	for i := range r.op.Params {
		if p := &r.op.Params[i]; p.In == "query" && p.Name == string(name) {
			return &r.query[i]
		}
	}
	return nil
}

func (r *Request) readInclude(value string) error {
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

// parseDegrees reads finite decimal degrees between −most and most. The forms that ParseFloat takes beyond a
// decimal number (NaN, Inf, hexadecimal, underscores) are refused.
func parseDegrees(s string, most float64) (float64, bool) {
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
	if err != nil || math.Abs(v) > most {
		return 0, false
	}
	return v, true
}

func degrees(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
