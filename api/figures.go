package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"arpent/api/fieldset"
	"arpent/api/reply"
	"arpent/api/territory"
	"arpent/internal/fault"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
)

// The parameters by which a list of territories is sorted and cut.
const (
	sortName = "sort"
	topName  = "top"
	maxTop   = 1000
)

// listFields are the parameters of a list whose items may have figures of a level.
func listFields(level stats.Level) []Param {
	fields := statsFields(level)
	fields.Description = "Figures of each item: " + strings.Join(plainFields(level), ", ") +
		" or keys of its statistics; " +
		"a dot leads to a figure in one, such as " + listParts[level] + "."
	keys := fields.Values
	fields.Values = func() []string { return append(plainFields(level), keys()...) }
	fields.Example = []any{listExamples[level]}
	sort := Param{Name: sortName, In: "query", Type: "string", Example: listExamples[level],
		Description: "Figure to sort by, highest first; :asc after it: lowest first.",
		Expected:    "the name of a figure, which :asc or :desc may follow",
		Valid: func(s string) bool {
			field, _, ok := parseSort(s)
			_, err := fields.parseList(field)
			return ok && !strings.Contains(field, ",") && err == nil
		},
		Explain: func(_ loaded, text string) string {
			field, _, _ := parseSort(text)
			closest := fields.describeClosest("", field)
			if closest != "" {
				closest += ". "
			}
			return closest + "It begins with one of the keys " + strings.Join(fields.Values(), ", ") + ", as " +
				listExamples[level] + " does."
		}}
	top := Param{Name: topName, In: "query", Type: "integer", Example: 10, Min: 1, Max: maxTop,
		Description: "With sort: only so many items.", Expected: "a whole number between 1 and 1000",
		Valid: func(s string) bool { _, ok := parseTop(s); return ok }}
	return []Param{fields, sort, top}
}

// listExamples are figures that items of a list may have.
var listExamples = map[stats.Level]string{
	stats.Region: "medianIncome", stats.Departement: "medianIncome", stats.Commune: "revenus.medianIncome",
}

// listParts are figures in keys that items of a list may have.
var listParts = map[stats.Level]string{
	stats.Region:      "finances.debt or pib.gdpPerCapitaEur",
	stats.Departement: "logement.timeline.vacancyRatePct or securite.burglary.ratePer1000",
	stats.Commune:     "population.latest.municipal or securite.burglary.ratePer1000",
}

// Figures of the items of a list that are no keys of their statistics.
const (
	areaField    = "areaKm2" // that of the answer on the territory
	densityField = "density" // at densityPaths in its statistics
	countField   = "communeCount"
)

// plainFields lists the figures of the items of a list that are no keys of their statistics.
func plainFields(level stats.Level) []string {
	if level == stats.Commune {
		return []string{areaField, densityField}
	}
	return []string{areaField, densityField, countField}
}

var densityPaths = map[stats.Level]string{
	stats.Region: "rankings.density.value", stats.Departement: "rankings.density.value", stats.Commune: "population.density",
}

// figurePath is where the statistics of a level have a field of a list.
func figurePath(level stats.Level, field string) string {
	if field == densityField {
		return densityPaths[level]
	}
	return field
}

// figureReader reads the figures of territories.
type figureReader struct {
	stats.Reader
	areas *territory.Snapshot
}

// countCommunes returns how many communes a département or région has.
func (f figureReader) countCommunes(level stats.Level, code string) (count gjson.Result,
	origin stats.Origin) {
	answer, err := f.areas.CommunesOf(code, "")
	path := "count"
	if level == stats.Region {
		answer, err = f.areas.Region(code, territory.Include{})
		path = countField
	}
	if err != nil { // of a code that is in no list
		return count, origin
	}
	return gjson.GetBytes(answer.Body, path), stats.Origin{Source: "INSEE, Code officiel géographique",
		Year: f.areas.Edition}
}

// parseSort reads the field that a list is sorted by, and whether its lowest figure comes first.
func parseSort(s string) (field string, ascending, ok bool) {
	field, order, ordered := strings.Cut(s, ":")
	return strings.TrimSpace(field), order == "asc", !ordered || order == "asc" || order == "desc"
}

func parseTop(s string) (int, bool) { return parseCount(s, maxTop) }

// parseCount reads a number from 1 to another one.
func parseCount(s string, largest int) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 1 && n <= largest && s[0] != '+'
}

// What a list with figures may hold: a département has up to 890 communes, a whole key up to 30 kB.
const (
	maxFigures      = 20
	maxFiguresBytes = 8 << 20
)

// listFigures adds to a list of territories the figures that the call names, sorts it by one and cuts it.
func (h *Handlers) listFigures(r *Request, snap *territory.Snapshot, level stats.Level, list reply.Reply, err error) (
	reply.Reply, error,
) {
	switch {
	case err != nil:
		return list, err
	case !r.Given(sortName) && r.Given(topName):
		return reply.Reply{}, fault.Invalid("top is given without sort; expected both, such as sort=%s&top=10",
			listExamples[level]).About(sortName)
	case !r.Given(sortName) && !r.Given(fieldset.ParamName):
		return list, nil
	}
	var all territory.CodeNameList
	if err := json.Unmarshal(list.Body, &all); err != nil {
		return reply.Reply{}, fmt.Errorf("read a list: %w", err)
	}
	if level == stats.Departement {
		all.Overseas = snap.Overseas(r.Text(regionFilter.Name))
	}
	return addFigures(r, level, all, figureReader{h.statistics.Reader(), snap})
}

// addOverseas gives the overseas départements of a list the figures that its items have, and notes where they
// would stand among these. rows are the items in order, of which the first listed are in the list.
func addOverseas(r *Request, all *territory.CodeNameList, fields []string, rows []figureRow, listed int,
	from figureReader) error {
	overseas, _, err := readFigures(r.ctx, all.Overseas, fields, stats.Departement, from)
	if err != nil || len(overseas) == 0 {
		return err
	}
	const missing = "Overseas départements (971 to 976) are not in data"
	if !slices.ContainsFunc(overseas, func(row figureRow) bool {
		return slices.ContainsFunc(row.figures, func(f gjson.Result) bool { return f.Type != gjson.Null })
	}) {
		all.Overseas, all.Note = nil, strings.TrimSpace(missing+"; none of these figures is known of them. "+all.Note)
		return nil
	}
	note := missing + "; overseas has their figures. "
	by, ascending, _ := parseSort(r.Text(sortName))
	if nth := slices.Index(fields, by); nth >= 0 {
		sortRows(overseas, nth, ascending)
		var places, without []string
		for i, row := range overseas {
			if row.figures[nth].Type != gjson.Number {
				without = append(without, row.Name)
			}
			ahead := func(other figureRow) bool {
				return other.figures[nth].Type == gjson.Number && other.figures[nth].Num != row.figures[nth].Num &&
					(other.figures[nth].Num < row.figures[nth].Num) == ascending
			}
			place := 1
			for _, other := range slices.Concat(rows, overseas[:i]) {
				if ahead(other) {
					place++
				}
			}
			if row.figures[nth].Type == gjson.Number && place <= listed {
				places = append(places, fmt.Sprintf("%s is number %d", row.Name, place))
			}
		}
		if places != nil {
			note += "Among all that have the figure, " + strings.Join(places, ", ") + ". "
		}
		if without != nil {
			note += "Without the figure: " + strings.Join(without, ", ") + ". "
		}
	}
	all.Note = strings.TrimSpace(note + all.Note)
	for i, row := range overseas {
		all.Overseas[i] = row.listItem(fields, all.Sources)
	}
	return nil
}

// figureFields are the figures that the call names, that which it sorts by last.
func figureFields(r *Request) []string {
	fields := r.requestedFields(nil)
	if by, _, _ := parseSort(r.Text(sortName)); by != "" && !slices.Contains(fields, by) {
		fields = append(fields, by)
	}
	return fields
}

// listCommunes lists the communes of a département with the figures that the call names.
func (h *Handlers) listCommunes(r *Request, snap *territory.Snapshot) (reply.Reply, error) {
	list, err := snap.CommunesOf(r.Text("departement"), r.Text("name"))
	if err != nil || !r.Given(minPopulation.Name) {
		return h.listFigures(r, snap, stats.Commune, list, err)
	}
	var all territory.CodeNameList
	if err := json.Unmarshal(list.Body, &all); err != nil {
		return reply.Reply{}, fmt.Errorf("read a list: %w", err)
	}
	populated, err := h.populatedCommunes(r)
	if err != nil {
		return reply.Reply{}, err
	}
	all.Data = slices.DeleteFunc(all.Data, func(c territory.CodeName) bool { return !populated(c.CodeInsee) })
	if all.Count = len(all.Data); all.Count == 0 && all.Note == "" {
		all.Note = "No commune of this list is known to have so many inhabitants."
	}
	body, err := json.Marshal(all)
	return h.listFigures(r, snap, stats.Commune, reply.New(body), err)
}

// columnTimeout is how long a call waits until the communes are sorted by a figure for the first time.
const columnTimeout = 10 * time.Second // reading the statistics of all of them takes up to one

// sortCommunes sorts the communes of France by a figure.
func (h *Handlers) sortCommunes(r *Request, field string) (*stats.Column, error) {
	ctx, end := r.withHangupCancel()
	defer end()
	ctx, cancel := context.WithTimeout(ctx, columnTimeout)
	defer cancel()
	column, err := h.statistics.Reader().Column(ctx, stats.Commune, field)
	if err != nil {
		return nil, fault.Down("The communes are being sorted by other figures. Try again in a few seconds.", err)
	}
	return column, nil
}

// populationField is the figure that minPopulation is about.
const populationField = "population.latest.municipal"

// populatedCommunes returns which communes have the inhabitants that the call asks for; all where it asks for
// none.
func (h *Handlers) populatedCommunes(r *Request) (has func(code string) bool, err error) {
	least, ok := parseCount(r.Text(minPopulation.Name), math.MaxInt)
	if !ok {
		return func(string) bool { return true }, nil
	}
	column, err := h.sortCommunes(r, populationField)
	if err != nil {
		return nil, err
	}
	return column.AtLeast(float64(least)), nil
}

// rankCommunes lists the first communes of a région, or of France, by the figure that the call sorts by.
func (h *Handlers) rankCommunes(r *Request, snap *territory.Snapshot) (reply.Reply, error) {
	by, ascending, _ := parseSort(r.Text(sortName))
	top, _ := parseTop(r.Text(topName))
	if err := checkSortField(stats.Commune, by, gjson.Result{}); err != nil {
		return reply.Reply{}, err
	}
	populated, err := h.populatedCommunes(r)
	if err != nil {
		return reply.Reply{}, err
	}
	column := snap.CommuneAreas()
	if by != areaField {
		if column, err = h.sortCommunes(r, figurePath(stats.Commune, by)); err != nil {
			return reply.Reply{}, err
		}
	}
	list, err := snap.FirstCommunes(r.Text(communeRegion.Name), populated, column, ascending, top)
	if err != nil {
		return reply.Reply{}, err
	}
	return addFigures(r, stats.Commune, list, figureReader{h.statistics.Reader(), snap})
}

// checkFigure returns an error, which names the parameter, unless a field leads to a part of the statistics
// of a level, whatever is loaded.
func checkFigure(param string, level stats.Level, field string, sample gjson.Result) (stats.Part, *fault.Error) {
	switch key, _, deep := strings.Cut(field, "."); {
	case !slices.Contains(plainFields(level), key):
	case deep:
		return stats.Part{}, fault.Invalid("%s names %q: %s is a value without parts; name %s", param, fault.Excerpt(field),
			key, key)
	default:
		return stats.Part{}, nil
	}
	part, found := topic.Statistics().FindPart(level, field)
	if found {
		return part, nil
	}
	if err := checkPart(param, level, field, sample); err != nil {
		return part, err
	}
	list, whole, rest := deepestPart(level, field)
	item := ""
	if len(whole.Names()) > 0 {
		if one := list + "." + whole.Names()[0] + "." + rest; topic.Statistics().HasPart(level, one) {
			item = ", " + one + " one item"
		}
	}
	return part, fault.Invalid("%s names %q: %s is a list, and no single item represents it; %s names the whole list%s",
		param, fault.Excerpt(field), list, list, item)
}

// deepestPart cuts a field after the last part that is found in the values of a level.
func deepestPart(level stats.Level, field string) (path string, part stats.Part, rest string) {
	path, rest, _ = strings.Cut(field, ".")
	part, _ = topic.Statistics().FindPart(level, path) // it is a key: the parameter was checked
	for rest != "" {
		name, after, _ := strings.Cut(rest, ".")
		next, found := topic.Statistics().FindPart(level, path+"."+name)
		if !found {
			break
		}
		path, part, rest = path+"."+name, next, after
	}
	return path, part, rest
}

// checkPart returns an error, which names the parameter and the parts that exist, unless the values of a
// level, or items of lists in them, have the part that a field leads to, whatever is loaded. Of the parts it
// names those that the statistics of a sample have, where these have the value.
func checkPart(param string, level stats.Level, field string, sample gjson.Result) *fault.Error {
	if topic.Statistics().HasPart(level, field) {
		return nil
	}
	path, part, rest := deepestPart(level, field)
	if len(part.Names()) == 0 {
		names := path
		if timeline := path + "Timeline"; topic.Statistics().HasPart(level, timeline) {
			names += " or " + timeline
		}
		return fault.Invalid("%s names %q: %s is a value without parts here; name %s", param, fault.Excerpt(field),
			path, names)
	}
	names := part.Names()
	if value := sample.Get(path); value.IsObject() || value.IsArray() {
		has := fieldset.PartNames(value)
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(has, name) })
	}
	meant := ""
	for _, name := range names {
		deeper := path + "." + name + "." + rest
		switch _, found := topic.Statistics().FindPart(level, deeper); {
		case meant != "":
		case found || param == fieldset.ParamName && topic.Statistics().HasPart(level, deeper):
			meant = ". If " + deeper + " is meant, name that"
		case topic.Statistics().HasPart(level, deeper):
			meant = ". " + deeper + " is of the items of a list: no figure of the whole place is made of them"
		}
	}
	return fault.Invalid("%s names %q: %q is no part of %s; it has %s%s", param, fault.Excerpt(field),
		fault.Excerpt(rest), path, fieldset.ListOrNone(names), meant)
}

// checkSortField returns an error unless a field leads to a number in the statistics of a level.
func checkSortField(level stats.Level, field string, sample gjson.Result) error {
	part, err := checkFigure(sortName, level, field, sample)
	switch {
	case err != nil:
		return err.About(sortName)
	case slices.Contains(plainFields(level), field) || part.IsNumber():
		return nil
	}
	if numbers := part.Numbers(); numbers != nil {
		if inhabitants, ok := strings.CutPrefix(populationField, field+"."); ok { // the one that is usually meant
			numbers = append([]string{inhabitants}, numbers...)
		}
		return fault.Invalid("sort names %s, which is no number; numbers in it: %s.%s", field, field,
			strings.Join(numbers, ", "+field+".")).About(sortName)
	}
	deeper := "none"
	for _, name := range part.Names() {
		inner, _ := topic.Statistics().FindPart(level, field+"."+name)
		if numbers := inner.Numbers(); numbers != nil {
			deeper = fmt.Sprintf("none, but in its parts, as %s.%s.%s; it has the parts %s", field, name,
				numbers[len(numbers)-1], strings.Join(part.Names(), ", "))
			break
		}
	}
	return fault.Invalid("sort names %s, which is no number; numbers in it: %s", field, deeper).About(sortName)
}

// addFigures adds to a list the figures that the call names, sorts it by one and cuts it. A list that has a
// total is sorted and cut already.
func addFigures(r *Request, level stats.Level, all territory.CodeNameList, from figureReader) (reply.Reply,
	error) {
	fields := figureFields(r)
	by, ascending, _ := parseSort(r.Text(sortName))
	if len(fields) > maxFigures {
		return reply.Reply{}, fault.Invalid("fields names %d figures; a list takes %d at most", len(fields),
			maxFigures).About(fieldset.ParamName)
	}
	var sample gjson.Result
	if len(all.Data) > 0 {
		first := cmp.Or(all.Data[0].Code, all.Data[0].CodeInsee)
		sample = gjson.Parse(`{"stats":` + string(from.Of(level, first).Append(nil)) + "}").Get("stats")
	}
	for _, field := range fields {
		if _, err := checkFigure(fieldset.ParamName, level, field, sample); err != nil && field != by {
			return reply.Reply{}, err.About(fieldset.ParamName)
		}
	}
	if by != "" {
		if err := checkSortField(level, by, sample); err != nil {
			return reply.Reply{}, err
		}
	}
	rows, states, err := readFigures(r.ctx, all.Data, fields, level, from)
	if err != nil {
		return reply.Reply{}, err
	}
	if by != "" {
		sortRows(rows, slices.Index(fields, by), ascending)
	}
	isRanked := true
	if by != "" && len(rows) > 0 {
		n := countWithout(rows, slices.Index(fields, by))
		isRanked = n < len(rows)
		if n > 0 && all.Total == nil {
			all.WithoutFigure = &n
		}
	}
	if !isRanked && !r.Given(nameFilter.Name) { // the order of rows is not one of the figure
		if all.Total == nil {
			all.Total = new(len(rows))
		}
		rows, all.Unranked, all.WithoutFigureIn = nil, nil, nil
		// All territories of the level lack it.
		if isAll := r.Text(communeRegion.Name) == "" && r.Text("departement") == ""; isAll &&
			states[by].Reason == state.Inside {
			states[by] = state.KeyState{State: state.NotLoaded, Reason: state.TooLittle}
		}
	}
	ranked := rows
	if n, ok := parseTop(r.Text(topName)); ok && n < len(rows) {
		nth := slices.Index(fields, by)
		for _, row := range rows[n:] {
			if last := rows[n-1].figures[nth]; last.Type == gjson.Number && row.figures[nth].Raw == last.Raw {
				all.TiedWithLast = all.TiedWithLast.Add(row.CodeName)
			}
		}
		for i := max(n, len(rows)-countWithoutFigure(all)); i < len(rows) && len(all.Unranked) < territory.MaxUnranked; i++ {
			all.Unranked = append(all.Unranked, rows[i].CodeName)
		}
		all.Total, rows = new(len(rows)), rows[:n]
	}
	for _, field := range fields {
		if states[field].State == state.NotLoaded {
			text, err := describeCensusRate(r.ctx, all.Data, field, level, from)
			if err != nil {
				return reply.Reply{}, err
			}
			all.Note = strings.TrimSpace(all.Note + text)
		}
	}
	all.Note = strings.TrimSpace(all.Note + describeMissingElections(all.Data, fields, level, from))
	all.UnrankedTruncated = all.Unranked != nil &&
		countWithout(rows, slices.Index(fields, by))+len(all.Unranked) < countWithoutFigure(all)
	without, _, err := readFigures(r.ctx, all.Unranked, []string{by}, level, from)
	if err != nil {
		return reply.Reply{}, err
	}
	for i, row := range without {
		all.Unranked[i].State = row.absent[0]
	}
	all.Count, all.Sources, all.States = len(rows), commonOrigins(rows, fields), states
	if err := addOverseas(r, &all, fields, ranked, len(rows), from); err != nil {
		return reply.Reply{}, err
	}
	all.MixedYears, all.Absent = mixedYears(rows, fields), absentFigures(rows, fields, states)
	for i, row := range rows {
		all.Data[i] = row.listItem(fields, all.Sources)
	}
	all.Data = all.Data[:len(rows)]
	body, err := json.Marshal(all)
	if err != nil {
		return reply.Reply{}, fmt.Errorf("encode a list: %w", err)
	}
	return reply.New(body), nil
}

// censusRates are figures by the census that say nearly what others say by a source that may not be loaded.
var censusRates = map[string]string{
	"unemploymentRate":                "rankings.censusUnemploymentRate.value",
	"rankings.unemploymentRate.value": "rankings.censusUnemploymentRate.value",
}

// describeCensusRate names, for a rate that no item of a list has, that by the census, if some have it. It
// begins with a blank; empty: there is none.
func describeCensusRate(ctx context.Context, items []territory.CodeName, field string, level stats.Level,
	from figureReader) (string, error) {
	other, hasOther := censusRates[field]
	if !hasOther {
		return "", nil
	}
	rows, _, err := readFigures(ctx, items[:min(len(items), maxTop/10)], []string{other}, level, from)
	if !slices.ContainsFunc(rows, func(row figureRow) bool { return row.figures[0].Type == gjson.Number }) {
		return "", err
	}
	return " " + other + ", by the census, is loaded in place of " + field + ".", err
}

// describeMissingElections names the elections that are newer than those of which the fields have figures,
// and that no source is loaded of. It begins with a blank; empty: there are none.
func describeMissingElections(items []territory.CodeName, fields []string, level stats.Level, from figureReader) string {
	text := ""
	var named []string
	for _, field := range fields {
		key, part, _ := strings.Cut(field, ".")
		kind, _, _ := strings.Cut(part, ".")
		if key != "election" || len(items) == 0 || slices.Contains(named, kind) {
			continue
		}
		named = append(named, kind)
		body := from.Of(level, cmp.Or(items[0].Code, items[0].CodeInsee)).Append(nil)
		for _, missing := range gjson.GetBytes(body, "election.notLoaded").Array() {
			if of := missing.Get("kind").Str; of == kind || kind == "" {
				text += fmt.Sprintf(" The %s election of %d is not loaded at this level (source %s).", of, missing.Get("year").Int(),
					missing.Get("source").Str)
			}
		}
	}
	return text
}

// figureRow is an item of a list with its figures, and where they are from, in the order of the fields.
type figureRow struct {
	territory.CodeName
	figures []gjson.Result
	origins []stats.Origin
	absent  []state.State // why there is no figure
}

// readFigures reads the figures of the items of a list, and why none of them has a value of a field.
func readFigures(ctx context.Context, items []territory.CodeName, fields []string, level stats.Level,
	from figureReader) ([]figureRow, map[string]state.KeyState, error) {
	rows := make([]figureRow, len(items))
	states := map[string]state.KeyState{}
	hasValue := make([]bool, len(fields))
	var buffer []byte
	size := 0
	for i, item := range items {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		row := figureRow{CodeName: item}
		buffer = append(from.Of(level, cmp.Or(item.Code, item.CodeInsee)).Append(append(buffer[:0],
			`{"stats":`...)), '}')
		answer := gjson.ParseBytes(buffer)
		body := answer.Get("stats")
		for nth, field := range fields {
			names := strings.Split(figurePath(level, field), ".")
			origin := stats.Origin{}
			// It is absent where the value names its own.
			_ = json.Unmarshal([]byte(body.Get("sources."+names[0]).Raw), &origin)
			figure := stats.FindFigure(body.Get(names[0]), names[1:], &origin)
			one := state.KeyState{State: state.Value}
			switch {
			case field == areaField:
				if figure, origin = from.areas.AreaOf(level, cmp.Or(item.Code, item.CodeInsee)); figure.Type == gjson.Null {
					one = state.KeyState{State: state.NotLoaded, Reason: state.NoSource}
				}
			case field == countField:
				figure, origin = from.countCommunes(level, cmp.Or(item.Code, item.CodeInsee))
			case figure.Type == gjson.Null:
				one = absentState(answer, names)
			}
			row.absent = append(row.absent, one.State)
			if one.State == state.Value { // of a part that is null
				row.absent[nth] = state.NotCovered
			}
			if hasValue[nth] = hasValue[nth] || figure.Type != gjson.Null; !hasValue[nth] &&
				(i == 0 || states[field].State == state.None || one.State == state.Value &&
					(one.Reason == "" || states[field].State != state.Value)) {
				states[field] = one
			}
			row.figures = append(row.figures, gjson.Parse(strings.Clone(figure.Raw))) // holds no more of the body
			row.origins = append(row.origins, origin)
		}
		rows[i] = row
		for _, figure := range row.figures {
			size += len(figure.Raw)
		}
		if size > maxFiguresBytes {
			return nil, nil, fault.Invalid("the figures of this list are over %d MB; name parts of keys",
				maxFiguresBytes>>20).About(fieldset.ParamName)
		}
	}
	for nth, field := range fields {
		switch {
		case hasValue[nth]:
			delete(states, field)
		case states[field].State == state.Value:
			states[field] = state.KeyState{State: state.NotCovered, Reason: cmp.Or(states[field].Reason, state.Inside)}
		}
	}
	return rows, states, nil
}

// absentState is why an item has no value of a field: the state of the part, or of what it is in, or that of
// its key, which is Value where the value has the part as null, or, with a reason, lacks it.
func absentState(answer gjson.Result, names []string) (out state.KeyState) {
	var one gjson.Result
	for n := len(names); n > 0 && !one.Exists(); n-- { // what a part is in may be null as a whole
		one = answer.Get("states." + strings.Join(names[:n], `\.`))
	}
	_ = json.Unmarshal([]byte(one.Raw), &out) // absent where nothing at all is known of the item
	if out.State == state.Value {
		if reason := fieldset.FindMissing(answer.Get("stats."+names[0]), names); reason != "" {
			out.Reason = reason
		}
	}
	return out
}

// sortRows sorts rows by their nth figure; rows without one come last.
func sortRows(rows []figureRow, nth int, ascending bool) {
	isNumber := func(row figureRow) bool { return row.figures[nth].Type == gjson.Number }
	slices.SortStableFunc(rows, func(a, b figureRow) int {
		x, y := a.figures[nth].Num, b.figures[nth].Num
		switch hasX, hasY := isNumber(a), isNumber(b); {
		case !hasX && !hasY:
			return 0
		case !hasY:
			return -1
		case !hasX:
			return 1
		case ascending:
			return cmp.Compare(x, y)
		default:
			return cmp.Compare(y, x)
		}
	})
}

// countWithoutFigure is how many items of a list are known to have no figure.
func countWithoutFigure(list territory.CodeNameList) int {
	if list.WithoutFigure == nil {
		return 0
	}
	return *list.WithoutFigure
}

// countWithout counts the rows whose nth figure is no number.
func countWithout(rows []figureRow, nth int) (n int) {
	for _, row := range rows {
		if row.figures[nth].Type != gjson.Number {
			n++
		}
	}
	return n
}

// commonOrigins gives for each field the origin that most figures of it have.
func commonOrigins(rows []figureRow, fields []string) map[string]stats.Origin {
	common := map[string]stats.Origin{}
	for nth, field := range fields {
		counts := map[string]int{}
		most := ""
		for _, row := range rows {
			if row.figures[nth].Type == gjson.Null {
				continue
			}
			text := string(mustMarshal(row.origins[nth]))
			if counts[text]++; counts[text] > counts[most] {
				most, common[field] = text, row.origins[nth]
			}
		}
	}
	return common
}

// absentFigures says why items have no figure of the fields that others have.
func absentFigures(rows []figureRow, fields []string, states map[string]state.KeyState) (absent []territory.Absence) {
	for nth, field := range fields {
		if _, ofAll := states[field]; ofAll {
			continue
		}
		first := len(absent)
		for _, row := range rows {
			if row.figures[nth].Type != gjson.Null {
				continue
			}
			at := slices.IndexFunc(absent[first:], func(a territory.Absence) bool { return a.State == row.absent[nth] })
			if at < 0 {
				at, absent = len(absent)-first, append(absent, territory.Absence{Field: field, State: row.absent[nth]})
			}
			absent[first+at].Add(cmp.Or(row.Code, row.CodeInsee))
		}
	}
	return absent
}

// mixedYears gives the years of the figures of each field that has some of several, oldest first.
func mixedYears(rows []figureRow, fields []string) map[string][]int {
	mixed := map[string][]int{}
	for nth, field := range fields {
		var years []int
		for _, row := range rows {
			year := row.origins[nth].Year
			if row.figures[nth].Type != gjson.Null && year != nil && !slices.Contains(years, *year) {
				years = append(years, *year)
			}
		}
		if len(years) > 1 {
			slices.Sort(years)
			mixed[field] = years
		}
	}
	return mixed
}

// listItem is the row as an item of the list. It names the origins that are not the common ones.
func (r *figureRow) listItem(fields []string, common map[string]stats.Origin) territory.CodeName {
	out := r.CodeName
	out.Stats = territory.Figures{}
	for nth, field := range fields {
		figure := r.figures[nth]
		if figure.Type == gjson.Null {
			out.Stats[field] = json.RawMessage("null")
			continue
		}
		out.Stats[field] = json.RawMessage(figure.Raw)
		if r.origins[nth].SmallBase && figure.Type == gjson.Number {
			out.SmallBase = append(out.SmallBase, field)
		}
		if origin := r.origins[nth]; !isSameOrigin(origin, common[field]) {
			if out.Sources == nil {
				out.Sources = map[string]stats.Origin{}
			}
			out.Sources[field] = origin
		}
	}
	return out
}

func isSameOrigin(a, b stats.Origin) bool { return bytes.Equal(mustMarshal(a), mustMarshal(b)) }
