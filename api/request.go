package api

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/app/fault"
)

// Request is what an operation sees of a call: parameters that were checked against its row. Its strings live as
// long as the request; whoever keeps one copies it.
type Request struct {
	fiber   *fiber.Ctx
	Include Include
}

// context is what a query of this request runs under. It is not the connection's own: that one ends as soon as the
// server begins to stop, when requests under way are to be finished.
func (r *Request) context() context.Context { return r.fiber.UserContext() }

// Path is the path parameter called name.
func (r *Request) Path(name string) string { return r.fiber.Params(name) }

// Query is the query parameter called name, and whether it was given.
func (r *Request) Query(name string) (string, bool) {
	args := r.fiber.Context().QueryArgs()
	if !args.Has(name) {
		return "", false
	}
	return r.fiber.Query(name), true
}

// Point is the pair lat, lon, both checked before.
func (r *Request) Point() (lat, lon float64) {
	lat, _ = parseDegrees(r.fiber.Query("lat"), 90)
	lon, _ = parseDegrees(r.fiber.Query("lon"), 180)
	return lat, lon
}

// read checks the parameters of the call against the operation's row.
func (r *Request) read(op *Operation) error {
	for i := range op.Params {
		if err := r.checkParam(&op.Params[i]); err != nil {
			return err
		}
	}
	if len(r.fiber.Request().URI().QueryString()) == 0 {
		return nil
	}
	if err := r.once("api_key"); err != nil {
		return err
	}
	return r.readInclude(op)
}

func (r *Request) checkParam(p *Param) error {
	if p.In == "path" {
		if value := r.Path(p.Name); !p.Valid(value) {
			return refuse(p, value)
		}
		return nil
	}
	value, given := r.Query(p.Name)
	if !given {
		if p.Required {
			return fault.Invalid("%s is missing; expected %s", p.Name, p.Expected)
		}
		return nil
	}
	if err := r.once(p.Name); err != nil {
		return err
	}
	if !p.Valid(value) {
		return refuse(p, value)
	}
	return nil
}

func refuse(p *Param, value string) error {
	return fault.Invalid("%s is %q; expected %s", p.Name, fault.Excerpt(value), p.Expected)
}

// once refuses a parameter that is given twice: the two could contradict each other.
func (r *Request) once(name string) error {
	seen := 0
	for key := range r.fiber.Context().QueryArgs().All() {
		if string(key) == name {
			seen++
		}
	}
	if seen > 1 {
		return fault.Invalid("%s is given %d times; expected it once", name, seen)
	}
	return nil
}

func (r *Request) readInclude(op *Operation) error {
	value, given := r.Query("include")
	if !given {
		return nil
	}
	if err := r.once("include"); err != nil {
		return err
	}
	if len(op.Include) == 0 {
		return fault.Invalid("include is %q; this operation takes no include value", fault.Excerpt(value))
	}
next:
	for name := range strings.SplitSeq(value, ",") {
		name = strings.TrimSpace(name)
		for _, known := range op.Include {
			if name == known.Name {
				r.Include |= known.Bit
				continue next
			}
		}
		return fault.Invalid("include names %q; expected %s", fault.Excerpt(name), includeNames(op))
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
