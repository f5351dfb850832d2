package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"arpent/api/reply"
	"arpent/api/territory"
	"arpent/internal/fault"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
)

// The parameters by which a caller asks for some keys alone.
const (
	FieldsName = "fields"
	themeName  = "theme"
)

// statsFields is the parameter fields of the territories of some levels, whose keys may differ.
func statsFields(levels ...stats.Level) Param {
	p := fieldsParam("stats", "population", sync.OnceValue(func() (keys []string) {
		for _, level := range levels {
			for _, key := range topic.Statistics().Keys(level) {
				if !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
		return keys
	}))
	p.Closest = func(name string, known []string) string { return closestField(levels[0], name, known) }
	return p
}

// keyWords are words for the subjects of keys, and keys on these, in the order in which they are preferred.
var keyWords = map[string][]string{
	"chomage": unemploymentFields, "unemployment": unemploymentFields,
	"pauvrete": {"povertyRate", "revenus.povertyRatePct"}, "poverty": {"povertyRate", "revenus.povertyRatePct"},
	"revenu": {"medianIncome", "revenus.medianIncome"}, "income": {"medianIncome", "revenus.medianIncome"},
	"delinquance": {"securite"}, "crime": {"securite"}, "cambriolages": {"securite.burglary.ratePer1000"},
	"burglaries": {"securite.burglary.ratePer1000"}, "superficie": {"areaKm2"}, "area": {"areaKm2"},
	"habitants": {"population"}, "inhabitants": {"population"}, "densite": {"density"},
	"naissances": {"births", "population.births"},
	"dette":      {"finances.debt", "finances"}, "communes": {"communeCount"},
	"intercommunalite": {"epci"}, "dvf": {"prices"}, "prix": {"prices"}, "ventes": {"prices"}, "sales": {"prices"},
	"commerces": {"equipementTypes"}, "clothing": {"equipementTypes"}, "gares": {"nearestGare"}, "stations": {"nearestGare"},
}

var unemploymentFields = []string{"unemploymentRate", "emploi.censusUnemploymentRatePct"}

// closestField returns the field of a level that is like a name, which is none: a key, or a figure in one;
// empty: none is.
func closestField(level stats.Level, name string, known []string) string {
	isKnown := func(field string) bool {
		key, _, deep := strings.Cut(field, ".")
		return slices.Contains(known, key) && (!deep || topic.Statistics().HasPart(level, field))
	}
	key, _, _ := strings.Cut(name, ".")
	for _, one := range known {
		if territory.FoldName(one) == territory.FoldName(key) && one != key { // in other letters
			return one
		}
	}
	if at := slices.IndexFunc(keyWords[territory.FoldName(key)], isKnown); at >= 0 {
		return keyWords[territory.FoldName(key)][at]
	}
	fields := slices.Clone(known)
	for _, key := range known {
		part, isKey := topic.Statistics().FindPart(level, key)
		if !isKey { // a plain field of lists
			continue
		}
		for _, member := range part.Names() {
			if slices.Contains(contextMembers, member) {
				continue
			}
			field := key + "." + member
			if value := field + ".value"; isKnown(value) {
				field = value
			}
			fields = append(fields, field)
		}
	}
	last := strings.ToLower(name[strings.LastIndex(name, ".")+1:])
	closest, most := "", 4 // letters that two names share at least, and one more
	for _, field := range fields {
		names := strings.Split(strings.ToLower(strings.TrimSuffix(field, ".value")), ".")
		of := names[len(names)-1]
		shared := min(len(of), len(last))
		if strings.Contains(of, last) || strings.Contains(last, of) {
			if of == last {
				shared++
			}
			if shared > most {
				closest, most = field, shared
			}
		}
	}
	return closest
}

// reportFields is the parameter fields of the report.
var reportFields = fieldsParam("enrichments", "banAddresses", sync.OnceValue(func() (keys []string) {
	for _, k := range topic.Report().Keys() {
		keys = append(keys, k.Name)
	}
	return keys
}))

func fieldsParam(of, example string, keys func() []string) Param {
	return Param{Name: FieldsName, In: "query", Type: "array", Values: keys, Example: []any{example},
		Description: "Only these keys of " + of + ". A dot leads to a part of one: a member, or the series of that key.",
		Expected:    "a comma-separated list of keys of " + of}
}

// statsThemes is the parameter theme of the territories of a level.
func statsThemes(level stats.Level) Param {
	return themeParam("stats", func() []string { return topic.StatisticsThemes(level) })
}

// themeParam is the parameter theme of a report or of the statistics of a level.
func themeParam(of string, themes func() []string) Param {
	return Param{Name: themeName, In: "query", Type: "array", Values: themes, Plain: true,
		Example:     []any{"services"},
		Description: "Only the keys of " + of + " on these subjects, and those of fields.",
		Expected:    "a comma-separated list of subjects"}
}

// maxListed is how many values a list may name: there are fewer keys.
const maxListed = 100

// parseList reads a comma-separated list of the values of a parameter, which dots may follow with a part of
// one, each once. Its error names the first one that it does not know.
func (p *Param) parseList(text string) (names []string, err error) {
	if strings.Count(text, ",") >= maxListed {
		return nil, fault.Invalid("%s names more than %d values; expected %s", p.Name, maxListed, p.Expected)
	}
	known := p.Values()
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		key, part, deep := strings.Cut(name, ".")
		if !slices.Contains(known, key) || deep && (p.Plain || !isPart(part)) {
			return nil, fault.Invalid("%s names %q%s; expected %s: %s", p.Name, fault.Excerpt(name),
				p.describeClosest("; ", name), p.Expected, strings.Join(known, ", "))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// describeClosest names, after a text, the value that is like a name that is none; empty: there is none.
func (p *Param) describeClosest(before, name string) string {
	if p.Closest == nil {
		return ""
	}
	closest := p.Closest(name, p.Values())
	if closest == "" {
		return ""
	}
	return before + closest + " may be meant"
}

// PartsPattern is a regular expression for the values of a list, and parts of them.
func (p *Param) PartsPattern() string {
	return "^(" + strings.Join(p.Values(), "|") + `)(\.[A-Za-z0-9]+)*$`
}

// isPart reports whether a text is the names of members, with dots between them.
func isPart(text string) bool {
	for name := range strings.SplitSeq(text, ".") {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool {
			return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		}) {
			return false
		}
	}
	return true
}

// requestedFields are the keys that the call asks for, with their parts; nil: all keys, whole.
// themed gives the keys of a theme.
func (r *Request) requestedFields(themed func(theme string) []string) (fields []string) {
	for i := range r.op.Params {
		p, v := &r.op.Params[i], &r.arguments.values[i]
		if !v.given || p.Name != FieldsName && p.Name != themeName {
			continue
		}
		names, _ := p.parseList(v.text) // it was checked
		if p.Name == themeName {
			var keys []string
			for _, theme := range names {
				keys = append(keys, themed(theme)...)
			}
			names = keys
		}
		fields = append(fields, names...)
	}
	return fields
}

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

// ParcelsName is the member next to the statistics of a commune that fields may name as one of them.
const ParcelsName = "parcels"

// namesParcels reports whether the call names the parcels of a commune, or a part of them.
func (r *Request) namesParcels() bool {
	fields := r.requestedFields(func(string) []string { return nil })
	return slices.ContainsFunc(fields, func(field string) bool {
		key, _, _ := strings.Cut(field, ".")
		return key == ParcelsName
	})
}

// filterFields leaves the statistics that the call does not ask for out of the answer, and their states.
func (h *Handlers) filterFields(r *Request, level stats.Level, answer reply.Reply, err error) (reply.Reply,
	error) {
	fields := r.requestedFields(func(theme string) []string { return topic.StatisticsOn(level, theme) })
	if err != nil || fields == nil {
		return answer, err
	}
	for _, field := range fields {
		if key, part, deep := strings.Cut(field, "."); key == ParcelsName && level == stats.Commune {
			// any of its members is given with the others, which say what it is of
			if names := memberNames(gjson.GetBytes(answer.Body, ParcelsName)); deep && !slices.Contains(names, part) {
				return reply.Reply{}, fault.Invalid("fields names %q: %q is no part of parcels; it has %s", fault.Excerpt(field),
					fault.Excerpt(part), listOrNone(names)).About(FieldsName)
			}
			continue
		}
		if err := checkPart(FieldsName, level, field, gjson.GetBytes(answer.Body, "stats")); err != nil {
			return reply.Reply{}, err.About(FieldsName)
		}
	}
	body, err := filterBody(answer.Body, "stats", fields, func(path string) string {
		return pointToEnclosing(h.statistics.Reader(), level, answer.Body, path)
	})
	if err != nil {
		return reply.Reply{}, err
	}
	return reply.New(body), nil
}

// pointToEnclosing says that the département of a commune, or the région of a département, has the part of
// the statistics at a path that the answer lacks; empty: it has not. Overseas only the région is asked for.
func pointToEnclosing(from stats.Reader, level stats.Level, answer []byte, path string) string {
	above, name, code := stats.Region, "région", gjson.GetBytes(answer, "regionCode").Str
	if departement := gjson.GetBytes(answer, "deptCode").Str; level == stats.Commune && len(departement) == 2 {
		above, name, code = stats.Departement, "département", departement
	}
	if level == stats.Region || code == "" || !topic.Statistics().HasPart(above, path) {
		return ""
	}
	body := append(from.Of(above, code).Append([]byte(`{"stats":`)), '}')
	names := strings.Split(path, ".")
	if stats.FindFigure(gjson.GetBytes(body, "stats."+names[0]), names[1:], nil).Type == gjson.Null {
		return ""
	}
	return fmt.Sprintf("Its %s has it: %s with fields=%s.", name, code, path)
}

// yearSuffix is what the key of the year of a number has after that of the number.
const yearSuffix = "Year"

// filterBody copies an answer whose member of a name has values by key, with the fields of it alone, and the
// sources and states of these. A part that a value of statistics does not have, or has as null, gets a state,
// to which point adds where it is known; in a report a part that a value does not have is an error.
func filterBody(body []byte, member string, fields []string, point func(path string) string) ([]byte, error) {
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
					out = append(append(append(out, `"`+path+`":`...), mustMarshal(added[path])...), '}')
				}
				return out
			case name == ParcelsName && member == "stats" && wanted[ParcelsName] == nil:
				return nil
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
			listOrNone(m.has)).About(FieldsName)
	}
	return out, nil
}

// setSource appends an object with another source.
func setSource(out []byte, object gjson.Result, source string) []byte {
	return CopyObject(out, object, func(out []byte, name string, member gjson.Result) []byte {
		if name == "source" {
			return append(out, mustMarshal(source)...)
		}
		return append(out, member.Raw...)
	})
}

// missingPart is a part that a value does not have, and the parts that it has.
type missingPart struct {
	of, name string
	has      []string
}

func (m missingPart) joinPath() string { return m.of + "." + m.name }

// toState is the state of the part.
func (m missingPart) toState() state.KeyState {
	return state.KeyState{State: state.NotCovered, Reason: fmt.Sprintf("The value of %s here has no %s; it has %s.", m.of,
		m.name, listOrNone(m.has))}
}

// partCopier copies parts of values, and notes those that it does not find.
type partCopier struct {
	missing []missingPart
	isNull  map[string]bool // by the path of a part that is there: it is null, of a list in all items
}

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
		at, one, isNew := path, state.KeyState{State: state.NotCovered, Reason: state.Inside}, true
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

// contextMembers are the members of an object that stay with any part of it: they say what it is of, or keep
// it from being misread.
var contextMembers = []string{"source", "year", "quarter", "period", "periodFrom", "periodTo", "key", "type",
	"periodStart", "periodEnd", "coverage", "provisional", "beforeAnnulments", "rounded", "denominator", "unit", "largestBloc", "notLoaded",
	"mandateOver", "note"}

// contextOf names for a member those that it says what they are of: it stays with them.
var contextOf = map[string][]string{
	"growthPeriod": {"growthPctPerYear", "naturalPctPerYear", "migratoryPctPerYear"},
	"landAreaKm2":  {"density"}, "landAreaYear": {"density"},
	"allDepartementsNote": {"allDepartementsTurnoutPct", "results"},
	"total":               {"schools"}, "shown": {"schools"}, "truncated": {"schools"},
}

// appendParts appends the wanted parts of a value: of an object the members, with its context; of a list
// whose items have a key the items of that key, of another list the parts of each item.
func (c *partCopier) appendParts(out []byte, path string, value gjson.Result, wanted parts) []byte {
	if len(wanted) == 0 || value.Type == gjson.Null {
		c.notePart(path, value.Type == gjson.Null)
		return append(out, value.Raw...)
	}
	has := partNames(value)
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
			return append(out, mustMarshal(strings.Join(sources, "; "))...)
		case name == "year" && !named && year.Exists():
			return append(out, year.Raw...)
		case named:
			return c.appendParts(out, path+"."+name, member, inner)
		case slices.Contains(contextMembers, name) ||
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

// partNames are the names of the parts of a value: members, those of the items of a list, and keys of series
// in it.
func partNames(value gjson.Result) (names []string) {
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
