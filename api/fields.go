package api

import (
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"arpent/api/reply"
	"arpent/internal/fault"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
)

// fieldsName is the parameter by which a caller asks for some keys alone.
const fieldsName = "fields"

// statsFields is the parameter fields of the territories of some levels, whose keys may differ.
func statsFields(levels ...stats.Level) Param {
	return fieldsParam("stats", "population", sync.OnceValue(func() (keys []string) {
		for _, level := range levels {
			for _, key := range topic.Statistics().Keys(level) {
				if !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
		return keys
	}))
}

// reportFields is the parameter fields of the report.
var reportFields = fieldsParam("enrichments", "banAddresses", sync.OnceValue(func() (keys []string) {
	for _, k := range topic.Report().Keys() {
		keys = append(keys, k.Name)
	}
	return keys
}))

func fieldsParam(of, example string, keys func() []string) Param {
	return Param{Name: fieldsName, In: "query", Type: "array", Values: keys, Example: []any{example},
		Description: "Only these keys of " + of + ".",
		Expected:    "a comma-separated list of keys of " + of}
}

// parseList reads a comma-separated list of the values of a parameter. Its error
// names the first one that it does not know.
func (p *Param) parseList(text string) (names []string, err error) {
	known := p.Values()
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(known, name) {
			return nil, fault.Invalid("%s names %q; expected %s: %s", p.Name, fault.Excerpt(name), p.Expected, strings.Join(known, ", "))
		}
		names = append(names, name)
	}
	return names, nil
}

// requestedKeys are the keys that the call asks for; nil: all.
func (r *Request) requestedKeys() (keys []string) {
	for i := range r.op.Params {
		if p, v := &r.op.Params[i], &r.arguments.values[i]; p.Name == fieldsName && v.given {
			keys, _ = p.parseList(v.text) // it was checked
		}
	}
	return keys
}

// filterFields leaves the statistics that the call does not ask for out of the answer, and their states.
func (r *Request) filterFields(answer reply.Reply, err error) (reply.Reply, error) {
	keys := r.requestedKeys()
	if err != nil || keys == nil {
		return answer, err
	}
	return reply.New(filterObject(make([]byte, 0, len(answer.Body)), gjson.ParseBytes(answer.Body), func(name string) copyDepth {
		if name == "stats" || name == "states" {
			return copyNested
		}
		return copyAll
	}, func(name string) copyDepth {
		key, _, _ := strings.Cut(name, ".") // of a state that is of a part of a value
		switch {
		case name == "sources": // by key, too
			return copyNested
		case slices.Contains(keys, key), slices.Contains(keys, strings.TrimSuffix(key, stats.YearSuffix)):
			return copyAll
		default:
			return copyNothing
		}
	})), nil
}

// copyDepth says what is copied of a member: nothing, all of it, or what the next rule says.
type copyDepth uint8

const (
	copyNothing copyDepth = iota
	copyAll
	copyNested
)

// filterObject copies of a JSON object what the first rule says; inside members the
// next one holds, and the last one further in.
func filterObject(out []byte, object gjson.Result, rule func(name string) copyDepth, next ...func(name string) copyDepth) []byte {
	out = append(out, '{')
	first := true
	object.ForEach(func(name, value gjson.Result) bool {
		how := rule(name.Str)
		if how == copyNothing {
			return true
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(append(out, name.Raw...), ':')
		switch {
		case how == copyAll || !value.IsObject():
			out = append(out, value.Raw...)
		case len(next) == 0:
			out = filterObject(out, value, rule)
		default:
			out = filterObject(out, value, next[0], next[1:]...)
		}
		return true
	})
	return append(out, '}')
}
