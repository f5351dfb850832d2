// Package fieldset cuts answers to the fields that a call asks for.
package fieldset

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"arpent/internal/fault"
	"arpent/internal/opendata/state"
)

// parts are the parts of a value that a call asks for, by the names of members; none: all of it.
type parts map[string]parts

// partsOf groups fields by their keys. A key that is named as a whole is given whole.
func partsOf(fields []string) parts {
	all := parts{}
	for _, field := range fields {
		at := all
		names := strings.Split(field, ".")
		for i, name := range names {
			next, seen := at[name]
			if seen && len(next) == 0 {
				break // it is named as a whole
			}
			if !seen || i == len(names)-1 {
				next = parts{}
				at[name] = next
			}
			at = next
		}
	}
	return all
}

// overlapsPath reports whether the value at a path of names, with dots between them, is wanted, is in a value
// that is, or has a part that is.
func (p parts) overlapsPath(path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		next, ok := p[name]
		if !ok || len(next) == 0 {
			return ok
		}
		p = next
	}
	return true
}

// The parameter by which a call names fields, and the members next to the statistics of a commune that it may
// name as one of them.
const (
	ParamName      = "fields"
	ParcelsName    = "parcels"
	NeighboursName = "neighbours"
)

// yearSuffix is what the key of the year of a number has after that of the number.
const yearSuffix = "Year"

// Filter copies an answer whose member of a name has values by key, with the fields of it alone, and the
// sources and states of these. A part that a value of statistics does not have, or has as null, gets a state,
// to which point adds where it is known; in a report a part that a value does not have is an error.
func Filter(body []byte, member string, fields []string, point func(path string) string) ([]byte, error) {
	wanted := partsOf(fields)
	var copier partCopier
	isWanted := func(key string) bool {
		return wanted[key] != nil || wanted[strings.TrimSuffix(key, yearSuffix)] != nil
	}
	out := CopyObject(make([]byte, 0, len(body)), gjson.ParseBytes(body),
		func(out []byte, name string, value gjson.Result) []byte {
			switch {
			case name == "states":
				added := map[string]state.KeyState{}
				if member == "stats" {
					added = copier.explainNulls(value, fields, point)
				}
				out = CopyObject(out, value, func(out []byte, path string, one gjson.Result) []byte {
					if _, ok := added[path]; ok || !wanted.overlapsPath(path) {
						return nil
					}
					return append(out, one.Raw...)
				})
				for _, path := range slices.Sorted(maps.Keys(added)) {
					if out = out[:len(out)-1]; out[len(out)-1] != '{' {
						out = append(out, ',')
					}
					out = append(append(append(out, `"`+path+`":`...), MustMarshal(added[path])...), '}')
				}
				return out
			case (name == ParcelsName || name == NeighboursName) && member == "stats":
				if wanted[name] == nil {
					return nil
				}
				return new(partCopier).appendParts(out, name, value, wanted[name]) // it has a state of its own
			case name != member:
				return append(out, value.Raw...)
			}
			return CopyObject(out, value, func(out []byte, key string, one gjson.Result) []byte {
				switch {
				case key == "sources" && member == "stats": // by key, too
					return CopyObject(out, one, func(out []byte, key string, one gjson.Result) []byte {
						if !isWanted(key) {
							return nil
						}
						of := value.Get(key)
						if sources := sourcesOf(of, wanted[key]); len(wanted[key]) > 0 && len(sources) > 0 && of.IsObject() {
							return setSource(out, one, strings.Join(sources, "; "))
						}
						return append(out, one.Raw...)
					})
				case !isWanted(key):
					return nil
				}
				return copier.appendParts(out, key, one, wanted[key])
			})
		})
	if member != "stats" && len(copier.missing) > 0 {
		m := copier.missing[0]
		return out, fault.Invalid("fields names %q, which is no part of %s; it has %s", fault.Excerpt(m.joinPath()), m.of,
			ListOrNone(m.has)).About(ParamName)
	}
	return out, nil
}

// setSource appends an object with another source.
func setSource(out []byte, object gjson.Result, source string) []byte {
	return CopyObject(out, object, func(out []byte, name string, member gjson.Result) []byte {
		if name == "source" {
			return append(out, MustMarshal(source)...)
		}
		return append(out, member.Raw...)
	})
}

// CopyObject copies a JSON object with the values that member appends to out; where that returns nil, the
// member is left out.
func CopyObject(out []byte, object gjson.Result,
	member func(out []byte, name string, value gjson.Result) []byte) []byte {
	out = append(out, '{')
	first := true
	object.ForEach(func(name, value gjson.Result) bool {
		with := out
		if !first {
			with = append(with, ',')
		}
		if with = member(append(append(with, name.Raw...), ':'), name.Str, value); with != nil {
			out, first = with, false
		}
		return true
	})
	return append(out, '}')
}

// ListOrNone joins names for a sentence; without any it is "none".
func ListOrNone(names []string) string { return cmp.Or(strings.Join(names, ", "), "none") }

// MustMarshal encodes what is made of texts and numbers alone.
func MustMarshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // made of texts and numbers alone
	}
	return b
}
