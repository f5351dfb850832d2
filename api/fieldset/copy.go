package fieldset

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

// missingPart is a part that a value does not have, and the parts that it has.
type missingPart struct {
	of, name string
	has      []string
}

func (m missingPart) joinPath() string { return m.of + "." + m.name }

// toState is the state of the part.
func (m missingPart) toState() state.KeyState {
	return state.KeyState{State: state.NotCovered, Reason: fmt.Sprintf("The value of %s here has no %s; it has %s.", m.of,
		m.name, ListOrNone(m.has))}
}

// partCopier copies parts of values, and notes those that it does not find.
type partCopier struct {
	missing []missingPart
	isNull  map[string]bool   // by the path of a part that is there: it is null, of a list in all items
	why     map[string]string // by the path of a part that is null: the reason that its value gives
}

// whyNull is the member of a value that has the reasons of those of its members that are null.
const whyNull = "whyNull"

// notePart notes whether a part is null in a value, or in one more item of a list.
func (c *partCopier) notePart(path string, null bool) {
	if c.isNull == nil {
		c.isNull = map[string]bool{}
	}
	before, seen := c.isNull[path]
	c.isNull[path] = null && (before || !seen)
}

// explainNulls returns the states of the parts that are missing or null, and of keys that are null, where
// states lacks them or point has something to add. fields are those that the call names.
func (c *partCopier) explainNulls(states gjson.Result, fields []string,
	point func(path string) string) map[string]state.KeyState {
	out := map[string]state.KeyState{}
	for _, m := range c.missing {
		one := m.toState()
		one.Reason = strings.TrimSpace(one.Reason + " " + point(m.joinPath()))
		out[m.joinPath()] = one
	}
	for _, path := range slices.Sorted(maps.Keys(c.isNull)) {
		if !c.isNull[path] {
			continue
		}
		at, isNew := path, true
		one := state.KeyState{State: state.NotCovered, Reason: cmp.Or(c.why[path], state.Inside)}
		for name := path; name != ""; name = name[:max(0, strings.LastIndexByte(name, '.'))] {
			var known state.KeyState
			found := states.Get(strings.ReplaceAll(name, ".", `\.`))
			_ = json.Unmarshal([]byte(found.Raw), &known) // absent where the part has no state of its own
			if found.Exists() && known.State != state.Value {
				at, one, isNew = name, known, false
				break
			}
		}
		isLacking := one.State == state.NotLoaded || one.State == state.NotCovered
		isYear := isNew && !strings.Contains(path, ".") // of a key, which has the state
		// it says already which territory has it
		if !isLacking || isYear || strings.Contains(one.Reason, " has it:") || strings.Contains(one.Reason, " has it.") {
			continue
		}
		asked := slices.IndexFunc(fields, func(field string) bool {
			return field == path || strings.HasPrefix(field, path+".")
		})
		text := point(fields[max(asked, 0)])
		if isNew || text != "" {
			one.Reason = strings.TrimSpace(one.Reason + " " + text)
			out[at] = one
		}
	}
	return out
}

// ContextMembers are the members of an object that stay with any part of it: they say what it is of, or keep
// it from being misread.
var ContextMembers = []string{"source", "year", "quarter", "period", "periodFrom", "periodTo", "key", "type",
	"periodStart", "periodEnd", "coverage", "provisional", "beforeAnnulments", "rounded", "denominator", "unit", "largestBloc", "notLoaded",
	"note", "radiusM", "mandateOver"}

// contextOf names for a member those that it says what they are of: it stays with them.
var contextOf = map[string][]string{
	"growthPeriod": {"growthPctPerYear", "naturalPctPerYear", "migratoryPctPerYear"},
	"landAreaKm2":  {"density"}, "landAreaYear": {"density"},
	"allDepartementsNote": {"allDepartementsTurnoutPct", "results"},
	"vintage":             parcelCounts, "state": parcelCounts, "reason": parcelCounts,
	"total": {"schools"}, "shown": {"schools"}, "truncated": {"schools"},
}

var parcelCounts = []string{"total", "sections", "bySection", "largest"}

// appendParts appends the wanted parts of a value: of an object the members, with its context; of a list
// whose items have a key the items of that key, of another list the parts of each item.
func (c *partCopier) appendParts(out []byte, path string, value gjson.Result, wanted parts) []byte {
	if len(wanted) == 0 || value.Type == gjson.Null {
		c.notePart(path, value.Type == gjson.Null)
		return append(out, value.Raw...)
	}
	has := PartNames(value)
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if !slices.Contains(has, name) {
			c.missing = append(c.missing, missingPart{path, name, has})
		}
	}
	return c.copyParts(out, path, value, wanted)
}

// copyParts appends the wanted parts that the value has.
func (c *partCopier) copyParts(out []byte, path string, value gjson.Result, wanted parts) []byte {
	if value.IsArray() {
		return c.copyItems(out, path, value, wanted)
	}
	sources, year := sourcesOf(value, wanted), newestYear(value, wanted)
	return CopyObject(out, value, func(out []byte, name string, member gjson.Result) []byte {
		inner, named := wanted[name]
		switch {
		case name == "source" && !named && len(sources) > 0:
			return append(out, MustMarshal(strings.Join(sources, "; "))...)
		case name == "year" && !named && year.Exists():
			return append(out, year.Raw...)
		case named:
			if why := value.Get(whyNull).Get(name); why.Exists() {
				if c.why == nil {
					c.why = map[string]string{}
				}
				c.why[path+"."+name] = why.Str
			}
			return c.appendParts(out, path+"."+name, member, inner)
		case slices.Contains(ContextMembers, name) ||
			slices.ContainsFunc(contextOf[name], func(of string) bool { return wanted[of] != nil }):
			return append(out, member.Raw...)
		case slices.ContainsFunc(seriesKeys(member), func(key string) bool { return wanted[key] != nil }):
			return c.copyItems(out, path, member, wanted)
		}
		return nil
	})
}

// sourcesOf lists the sources of the wanted parts of a value: those that they name themselves, where all do,
// else that of the value; none: it names none.
func sourcesOf(value gjson.Result, wanted parts) (sources []string) {
	own := value.Get("source").Str
	if value.IsObject() {
		for _, name := range slices.Sorted(maps.Keys(wanted)) {
			inner := sourcesOf(value.Get(name), wanted[name])
			if inner == nil {
				sources = nil
				break
			}
			for _, one := range inner {
				if !slices.Contains(sources, one) {
					sources = append(sources, one)
				}
			}
		}
	}
	if sources == nil && own != "" {
		sources = []string{own}
	}
	return sources
}

// newestYear returns the newest of the years that the wanted parts of a value name themselves, where all
// parts that are not null do, else that of the value. It does not exist where the value names none.
func newestYear(value gjson.Result, wanted parts) (newest gjson.Result) {
	own := value.Get("year")
	if !value.IsObject() {
		return gjson.Result{}
	}
	for name, inner := range wanted {
		part := value.Get(name)
		if part.Raw == "null" {
			continue
		}
		year := newestYear(part, inner)
		if year.Type != gjson.Number {
			return own
		}
		if !newest.Exists() || year.Int() > newest.Int() {
			newest = year
		}
	}
	if !newest.Exists() {
		return own
	}
	return newest
}

// copyItems appends the wanted items of a list, or the wanted parts of each.
func (c *partCopier) copyItems(out []byte, path string, list gjson.Result, wanted parts) []byte {
	series := stats.IsSeries(list)
	ofEach := series && slices.ContainsFunc(list.Array(), func(item gjson.Result) bool {
		return slices.ContainsFunc(memberNames(item), func(name string) bool { return wanted[name] != nil })
	})
	out = append(out, '[')
	start := len(out)
	for _, item := range list.Array() {
		key := item.Get("key").Str
		if series && !ofEach && wanted[key] == nil {
			continue
		}
		if len(out) > start {
			out = append(out, ',')
		}
		switch {
		case series && wanted[key] != nil:
			out = c.appendParts(out, path+"."+key, item, wanted[key])
		case item.IsObject():
			out = c.copyParts(out, path, item, wanted)
		default:
			out = append(out, item.Raw...)
		}
	}
	return append(out, ']')
}

// seriesKeys are the keys of the items of a series; none: the value is no series.
func seriesKeys(value gjson.Result) (keys []string) {
	if stats.IsSeries(value) {
		for _, key := range value.Get("#.key").Array() {
			keys = append(keys, key.Str)
		}
	}
	return keys
}

// memberNames are the names of the members of an object.
func memberNames(object gjson.Result) (names []string) {
	object.ForEach(func(name, _ gjson.Result) bool { names = append(names, name.Str); return true })
	return names
}

// PartNames are the names of the parts of a value: members, those of the items of a list, and keys of series
// in it.
func PartNames(value gjson.Result) (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case value.IsArray():
		for _, key := range seriesKeys(value) {
			add(key)
		}
		for _, item := range value.Array() {
			for _, name := range memberNames(item) {
				add(name)
			}
		}
	case value.IsObject():
		value.ForEach(func(name, member gjson.Result) bool {
			add(name.Str)
			for _, key := range seriesKeys(member) {
				add(key)
			}
			return true
		})
	}
	return names
}

// FindMissing says that a value has no part at a path of names below its own, and which parts it has; empty:
// it has the part.
func FindMissing(value gjson.Result, names []string) string {
	var c partCopier
	c.appendParts(nil, names[0], value, partsOf([]string{strings.Join(names, ".")})[names[0]])
	if len(c.missing) == 0 {
		return ""
	}
	return c.missing[0].toState().Reason
}
