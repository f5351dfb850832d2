package api

import (
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"arpent/api/reply"
	"arpent/api/stats"
	"arpent/api/topic"
	"arpent/app/base/fault"
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

// listed reads a comma-separated list of the values of a parameter. Its error names the first one that it does not know.
func (p *Param) listed(text string) (names []string, err error) {
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

// wanted are the keys that the call asks for; nil: all.
func (r *Request) wanted() (keys []string) {
	for i := range r.op.Params {
		if p, v := &r.op.Params[i], &r.arguments.values[i]; p.Name == fieldsName && v.given {
			keys, _ = p.listed(v.text) // it was checked
		}
	}
	return keys
}

// only leaves the statistics that the call does not ask for out of the answer, and their states.
func (r *Request) only(answer reply.Reply, err error) (reply.Reply, error) {
	keys := r.wanted()
	if err != nil || keys == nil {
		return answer, err
	}
	return reply.New(narrow(make([]byte, 0, len(answer.Body)), gjson.ParseBytes(answer.Body), func(name string) depth {
		if name == "stats" || name == "states" {
			return inside
		}
		return whole
	}, func(name string) depth {
		key, _, _ := strings.Cut(name, ".") // of a state that is of a part of a value
		switch {
		case name == "sources": // by key, too
			return inside
		case slices.Contains(keys, key):
			return whole
		default:
			return nothing
		}
	})), nil
}

// depth says what is copied of a member: nothing, all of it, or what the next rule says.
type depth uint8

const (
	nothing depth = iota
	whole
	inside
)

// narrow copies of a JSON object what the first rule says; inside members the next one holds, and the last one further in.
func narrow(out []byte, object gjson.Result, rule func(name string) depth, next ...func(name string) depth) []byte {
	out = append(out, '{')
	first := true
	object.ForEach(func(name, value gjson.Result) bool {
		how := rule(name.Str)
		if how == nothing {
			return true
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(append(out, name.Raw...), ':')
		switch {
		case how == whole || !value.IsObject():
			out = append(out, value.Raw...)
		case len(next) == 0:
			out = narrow(out, value, rule)
		default:
			out = narrow(out, value, next[0], next[1:]...)
		}
		return true
	})
	return append(out, '}')
}
