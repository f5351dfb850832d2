package api

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"arpent/api/fieldset"
	"arpent/api/figures"
	"arpent/api/reply"
	"arpent/api/territory"
	"arpent/internal/fault"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
)

// themeName is the parameter by which a caller asks for the keys of a topic.
const themeName = "theme"

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
	p.Hint = func(name string, known []string) string { return hintField(levels[0], name, known) }
	return p
}

// answerMembers are the members of all answers on a territory that may be taken for keys of its statistics.
var answerMembers = map[stats.Level][]string{
	stats.Commune:     {"formerCommunes", "chefLieuOf", "postcodes", figures.AreaField},
	stats.Departement: {figures.ChefLieuField, figures.CountField, figures.AreaField},
	stats.Region:      {figures.ChefLieuField, figures.CountField, "departementCount", figures.AreaField},
}

// positionWords may be meant as the position of a territory, folded.
var positionWords = []string{"centre", "center", "centroid", "coordinates", "lat", "lon", "latitude", "longitude"}

// answersOf name the calls that answer with the statistics of a level.
var answersOf = map[stats.Level]string{stats.Commune: "/communes/{code} (tool get_commune)",
	stats.Departement: "/departements/{code} (tool get_departement)",
	stats.Region:      "/regions/{code} (tool get_region)"}

// hintField says of a name that is no field of a level which one is like it, or which call has it; empty:
// none does.
func hintField(level stats.Level, name string, known []string) string {
	key, _, _ := strings.Cut(name, ".")
	if slices.Contains(positionWords, territory.FoldName(key)) {
		return "no statistic is a position: " + answersOf[level] + " has it with include=centre"
	}
	closest := closestField(level, name, known)
	levels := []stats.Level{level, stats.Commune, stats.Departement, stats.Region}
	meant := []string{key}
	if closest == "" {
		meant = append(meant, fieldsOnSubject(name)...)
	}
	for _, field := range meant {
		for _, of := range levels {
			if slices.Contains(answerMembers[of], field) && !slices.Contains(known, field) {
				return "every answer of " + answersOf[of] + " has " + field + ", without fields"
			}
		}
	}
	other := ""
	for _, field := range meant {
		own, _, _ := strings.Cut(field, ".")
		for _, of := range levels {
			isKey := slices.Contains(topic.Statistics().Keys(of), own) ||
				of == stats.Commune && memberParts[own] != nil
			if other == "" && isKey {
				other = answersOf[of] + " has " + own + ", which is no key of this level"
			}
		}
	}
	word := strings.ReplaceAll(territory.FoldName(name), " ", "")
	onParcels := fieldset.ReportWords[word]
	if slices.ContainsFunc(topic.Report().Keys(), func(k report.Key) bool { return k.Name == name }) {
		onParcels = name
	}
	if closest == "" && other == "" && onParcels != "" && fieldset.Unserved[word] == "" {
		return "that is known of parcels: /parcelles/{idu}/enrichments (tool get_parcel_enrichments) has " +
			onParcels
	}
	if closest == "" || other != "" && (level != stats.Commune || memberParts[key] != nil) && key == name {
		return other
	}
	return closest + " may be meant"
}

// fieldsOnSubject gives the fields on the subject that a name, or one of its words, names: taux de chômage.
func fieldsOnSubject(name string) []string {
	folded := territory.FoldName(name)
	words := append([]string{strings.ReplaceAll(folded, " ", "")}, strings.Fields(folded)...)
	for _, word := range words {
		if fields := fieldset.StatisticsWords[word]; fields != "" {
			return strings.Fields(fields)
		}
	}
	return nil
}

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
	if fields := fieldsOnSubject(key); slices.ContainsFunc(fields, isKnown) {
		return fields[slices.IndexFunc(fields, isKnown)]
	}
	fields := slices.Clone(known)
	for _, key := range known {
		part, isKey := topic.Statistics().FindPart(level, key)
		if !isKey { // a plain field of lists
			continue
		}
		for _, member := range part.Names() {
			if slices.Contains(fieldset.ContextMembers, member) {
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
var reportFields = func() Param {
	p := fieldsParam("enrichments", "banAddresses", sync.OnceValue(func() (keys []string) {
		for _, k := range topic.Report().Keys() {
			keys = append(keys, k.Name)
		}
		return keys
	}))
	p.Hint = func(name string, known []string) string {
		folded := territory.FoldName(name)
		for _, one := range known {
			if territory.FoldName(one) == folded { // in other letters
				return one + " may be meant"
			}
		}
		if keys := fieldset.ReportWords[strings.ReplaceAll(folded, " ", "")]; keys != "" {
			return keys + " may be meant"
		}
		return ""
	}
	return p
}()

func fieldsParam(of, example string, keys func() []string) Param {
	return Param{Name: fieldset.ParamName, In: "query", Type: "array", Values: keys, Example: []any{example},
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
// one, each once. Its error names those that it does not know.
func (p *Param) parseList(text string) (names []string, err error) {
	if strings.Count(text, ",") >= maxListed {
		return nil, fault.Invalid("%s names more than %d values; expected %s", p.Name, maxListed, p.Expected)
	}
	known := p.Values()
	var unknown []string
	var expected string // empty: each name is of a subject that no source is of
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		key, part, deep := strings.Cut(name, ".")
		if !slices.Contains(known, key) || deep && (p.Plain || !isPart(part)) {
			hint := p.describeHint("; ", name)
			elsewhere := fieldset.Unserved[strings.ReplaceAll(territory.FoldName(name), " ", "")]
			if hint == "" && elsewhere != "" && !p.Plain {
				hint = ", which is not part of what is loaded: " + elsewhere
			} else {
				expected = "; expected " + p.Expected + ": " + strings.Join(known, ", ")
			}
			unknown = append(unknown, fmt.Sprintf("%q%s", fault.Excerpt(name), hint))
		} else if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if unknown != nil {
		return nil, fault.Invalid("%s names %s%s", p.Name,
			strings.Join(unknown[:min(len(unknown), maxUnknown)], "; and "), expected)
	}
	return names, nil
}

// describeHint says, after a text, what may be meant by a name that is no value; empty: nothing is known.
func (p *Param) describeHint(before, name string) string {
	if p.Hint == nil {
		return ""
	}
	hint := p.Hint(name, p.Values())
	if hint == "" {
		return ""
	}
	return before + hint
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
		if !v.given || p.Name != fieldset.ParamName && p.Name != themeName {
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

// memberParts are the members of a commune next to its statistics that fields may name, with the parts of
// each.
var memberParts = map[string][]string{
	fieldset.ParcelsName:    {"total", "sections", "bySection", "largest", "vintage"},
	fieldset.NeighboursName: {"count", "communes"},
}

// namesMember reports whether the call names a member of a commune next to its statistics, or a part of it.
func (r *Request) namesMember(member string) bool {
	fields := r.requestedFields(func(string) []string { return nil })
	return slices.ContainsFunc(fields, func(field string) bool {
		key, _, _ := strings.Cut(field, ".")
		return key == member
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
		key, part, _ := strings.Cut(field, ".")
		if parts := memberParts[key]; parts != nil && level == stats.Commune {
			if part != "" && !slices.Contains(parts, part) {
				return reply.Reply{}, fault.Invalid("fields names %q: %q is no part of %s; it has %s", fault.Excerpt(field),
					fault.Excerpt(part), key, strings.Join(parts, ", ")).About(fieldset.ParamName)
			}
			continue
		}
		if err := checkPart(fieldset.ParamName, level, field, gjson.GetBytes(answer.Body, "stats")); err != nil {
			return reply.Reply{}, err.About(fieldset.ParamName)
		}
	}
	body, err := fieldset.Filter(answer.Body, "stats", fields, func(path string) string {
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

// parseSort reads the field that a list is sorted by, and whether its lowest figure comes first.
func parseSort(s string) (field string, ascending, ok bool) {
	field, order, ordered := strings.Cut(s, ":")
	return strings.TrimSpace(field), order == "asc", !ordered || order == "asc" || order == "desc"
}

// principalFigures are the figures that a sort by a part means which is no number: of several the first that
// the level has.
var principalFigures = map[string][]string{
	"population": {populationField}, "population.latest": {populationField}, "revenus": {"revenus.medianIncome"},
	"population.change": {"population.change.percent", "populationChange.percent"},
	"populationChange":  {"populationChange.percent"}, "logement": {"logement.timeline.total"},
	"emploi": {"emploi.censusUnemploymentRatePct"}, "apl": {"apl.generalPractitioners"},
	"lifeExpectancy": {"lifeExpectancy.both"}, "births": {"births.births"}, "pib": {"pib.gdpMillionEur"},
	"climateAnomaly": {"climateAnomaly.anomalyC"},
}

// pricesKey is the key of the prices of sales, of which no list is sorted.
const (
	pricesKey      = "prices"
	pricesUnranked = "Communes are not ranked by prices, which are known only where sales are loaded: /communes/{code}?fields=prices " +
		"(tool get_commune) has those of one commune, or says where sales are loaded"
)

// principalMembers are the members that stand for the object which they are in.
var principalMembers = []string{".value", ".total", ".ratePer1000"}

// sortOrder reads by which figure of a level the call sorts, and whether its lowest comes first. Of a part
// that is no number it is the principal figure, where there is one. Empty: the call does not sort.
func (r *Request) sortOrder(level stats.Level) (field string, ascending bool) {
	field, ascending, _ = parseSort(r.Text(sortName))
	isNumber := func(field string) bool {
		part, found := topic.Statistics().FindPart(level, field)
		return found && part.IsNumber()
	}
	if isNumber(field) {
		return field, ascending
	}
	candidates := slices.Clip(principalFigures[field])
	for _, member := range principalMembers {
		candidates = append(candidates, field+member)
	}
	if at := slices.IndexFunc(candidates, isNumber); at >= 0 {
		field = candidates[at]
	}
	return field, ascending
}

// checkSortField returns an error unless a field leads to a number in the statistics of a level.
func checkSortField(level stats.Level, field string, sample gjson.Result) error {
	part, err := checkFigure(sortName, level, field, sample)
	switch key, _, _ := strings.Cut(field, "."); {
	case key == pricesKey && level == stats.Commune:
		return fault.Invalid("sort names %s. %s", field, pricesUnranked).About(sortName)
	case err != nil:
		return err.About(sortName)
	case slices.Contains(figures.NoNumbers, field):
		return fault.Invalid("sort names %s, which is no number", field).About(sortName)
	case slices.Contains(figures.PlainFields(level), field) || part.IsNumber():
		return nil
	}
	if numbers := part.Numbers(); numbers != nil {
		return fault.Invalid("sort names %s, which is no number; numbers in it: %s.%s", field, field,
			strings.Join(numbers, ", "+field+".")).About(sortName)
	}
	deeper := "none"
	for _, name := range part.Names() {
		inner, found := topic.Statistics().FindPart(level, field+"."+name)
		if !found { // of the items of a list
			continue
		}
		if numbers := inner.Numbers(); numbers != nil {
			deeper = fmt.Sprintf("none, but in its parts, as %s.%s.%s; it has the parts %s", field, name,
				numbers[len(numbers)-1], strings.Join(part.Names(), ", "))
			break
		}
	}
	return fault.Invalid("sort names %s, which is no number; numbers in it: %s", field, deeper).About(sortName)
}
