package api

import (
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
	"arpent/api/figures"
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
	fields.Description = "Figures of each item: " + strings.Join(figures.PlainFields(level), ", ") +
		" or keys of its statistics; " +
		"a dot leads to a figure in one, such as " + listParts[level] + "."
	keys := fields.Values
	fields.Values = func() []string { return append(figures.PlainFields(level), keys()...) }
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
			if level == stats.Commune && closestField(level, field, fields.Values()) == pricesKey {
				return pricesUnranked + "."
			}
			hint := fields.describeHint("", field)
			if hint != "" {
				hint += ". "
			}
			return hint + "It begins with one of the keys " + strings.Join(fields.Values(), ", ") + ", as " +
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

func parseTop(s string) (int, bool) { return parseCount(s, maxTop) }

// parseCount reads a number from 1 to another one.
func parseCount(s string, largest int) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 1 && n <= largest && s[0] != '+'
}

// maxFigures is how many figures an item of a list may have.
const maxFigures = 20

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
	return addFigures(r, level, all, figures.Reader{Reader: h.statistics.Reader(), Areas: snap})
}

// addOverseas gives the overseas départements of a list the figures that its items have, and notes where they
// would stand among these. rows are the items in order, of which the first listed are in the list.
func addOverseas(r *Request, all *territory.CodeNameList, fields []string, rows []figures.Row, listed int,
	from figures.Reader) error {
	overseas, _, err := figures.Read(r.ctx, all.Overseas, fields, stats.Departement, from)
	if err != nil || len(overseas) == 0 {
		return err
	}
	const missing = "Overseas départements (971 to 976) are not in data"
	if !slices.ContainsFunc(overseas, func(row figures.Row) bool {
		return slices.ContainsFunc(row.Figures, func(f gjson.Result) bool { return f.Type != gjson.Null })
	}) {
		all.Overseas, all.Note = nil, strings.TrimSpace(missing+"; none of these figures is known of them. "+all.Note)
		return nil
	}
	note := missing + "; overseas has their figures. "
	by, ascending := r.sortOrder(stats.Departement)
	if nth := slices.Index(fields, by); nth >= 0 {
		figures.SortRows(overseas, nth, ascending)
		var places, without []string
		for i, row := range overseas {
			if row.Figures[nth].Type != gjson.Number {
				without = append(without, row.Name)
			}
			ahead := func(other figures.Row) bool {
				return other.Figures[nth].Type == gjson.Number && other.Figures[nth].Num != row.Figures[nth].Num &&
					(other.Figures[nth].Num < row.Figures[nth].Num) == ascending
			}
			place := 1
			for _, other := range slices.Concat(rows, overseas[:i]) {
				if ahead(other) {
					place++
				}
			}
			if row.Figures[nth].Type == gjson.Number && place <= listed {
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
		all.Overseas[i] = row.ListItem(fields, all.Sources)
	}
	return nil
}

// figureFields are the figures that the call names, that which it sorts by last.
func figureFields(r *Request, level stats.Level) []string {
	fields := r.requestedFields(nil)
	if by, _ := r.sortOrder(level); by != "" && !slices.Contains(fields, by) {
		fields = append(fields, by)
	}
	return fields
}

// listCommunes lists the communes of a département or an intercommunal body, or those that the call names,
// with the figures that it names.
func (h *Handlers) listCommunes(r *Request, snap *territory.Snapshot) (reply.Reply, error) {
	list, err := snap.CommunesOfBody(r.Text(communeEPCI.Name))
	switch {
	case r.Given("departement"):
		list, err = snap.CommunesOf(r.Text("departement"), r.Text("name"))
	case r.Given(communeCodes.Name):
		list, err = snap.CommunesOfCodes(strings.Split(r.Text(communeCodes.Name), ","))
	}
	if err != nil || !r.Given(minPopulation.Name) && !r.Given(communeEPCI.Name) {
		return h.listFigures(r, snap, stats.Commune, list, err)
	}
	var all territory.CodeNameList
	if err := json.Unmarshal(list.Body, &all); err != nil {
		return reply.Reply{}, fmt.Errorf("read a list: %w", err)
	}
	if all.EPCI != nil { // each of its communes has its population
		body := h.statistics.Reader().Of(stats.Commune, all.Data[0].CodeInsee).Append(nil)
		for _, path := range []string{"epci", "epci.territory"} {
			if one := gjson.GetBytes(body, path); one.Get("code").Str == all.EPCI.Code {
				// It was made by this program.
				_ = json.Unmarshal([]byte(one.Get("population").Raw), &all.EPCI.Population)
			}
		}
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

// columnTimeout is how long a call waits while the communes are sorted by other figures for the first time.
const columnTimeout = 15 * time.Second // reading the statistics of all of them takes one, under load ten

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
	by, ascending := r.sortOrder(stats.Commune)
	top, _ := parseTop(r.Text(topName))
	if err := checkSortField(stats.Commune, by, gjson.Result{}); err != nil {
		return reply.Reply{}, err
	}
	populated, err := h.populatedCommunes(r)
	if err != nil {
		return reply.Reply{}, err
	}
	column := snap.CommuneAreas()
	switch by {
	case figures.AreaField:
	case figures.MergerYearField:
		column = snap.MergerYears()
	default:
		if column, err = h.sortCommunes(r, figures.FindPath(stats.Commune, by)); err != nil {
			return reply.Reply{}, err
		}
	}
	list, err := snap.FirstCommunes(r.Text(communeRegion.Name), populated, column, ascending, top)
	if err != nil {
		return reply.Reply{}, err
	}
	return addFigures(r, stats.Commune, list, figures.Reader{Reader: h.statistics.Reader(), Areas: snap})
}

// checkFigure returns an error, which names the parameter, unless a field leads to a part of the statistics
// of a level, whatever is loaded.
func checkFigure(param string, level stats.Level, field string, sample gjson.Result) (stats.Part, *fault.Error) {
	switch key, _, deep := strings.Cut(field, "."); {
	case !slices.Contains(figures.PlainFields(level), key):
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
		names := []string{path}
		for _, key := range topic.Statistics().Keys(level) { // such as populationChange
			if strings.HasPrefix(key, path) && key != path {
				names = append(names, key)
			}
		}
		return fault.Invalid("%s names %q: %s is a value without parts here; name %s", param, fault.Excerpt(field),
			path, strings.Join(names, " or "))
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

// addFigures adds to a list the figures that the call names, sorts it by one and cuts it. A list that has a
// total is sorted and cut already.
func addFigures(r *Request, level stats.Level, all territory.CodeNameList, from figures.Reader) (reply.Reply,
	error) {
	fields := figureFields(r, level)
	by, ascending := r.sortOrder(level)
	if asked, _, _ := parseSort(r.Text(sortName)); by != "" && asked != by {
		all.Note = strings.TrimSpace(all.Note + " " + describeOrder(level, asked, by))
	}
	if key, _, _ := strings.Cut(by, "."); key == "epci" {
		all.Note = strings.TrimSpace(all.Note + " Communes are sorted, each by the figure of its intercommunal body: " +
			"bodies are not ranked.")
	}
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
	rows, states, err := figures.Read(r.ctx, all.Data, fields, level, from)
	if err != nil {
		return reply.Reply{}, err
	}
	if by != "" {
		figures.SortRows(rows, slices.Index(fields, by), ascending)
	}
	isRanked := true
	if by != "" && len(rows) > 0 {
		n := figures.CountWithout(rows, slices.Index(fields, by))
		isRanked = n < len(rows)
		if n > 0 && all.Total == nil {
			all.WithoutFigure = &n
		}
	}
	hasOther := !r.Given(topName) && slices.ContainsFunc(rows, func(row figures.Row) bool {
		return slices.ContainsFunc(row.Figures, func(f gjson.Result) bool { return f.Type != gjson.Null })
	})
	switch {
	case isRanked || r.Given(nameFilter.Name):
	case hasOther:
		all.Note = strings.TrimSpace("Not sorted, for none has " + by + ": by code. " + all.Note)
	default: // the order of rows is not one of the figure
		if all.Total == nil {
			all.Total = new(len(rows))
		}
		rows, all.Unranked, all.WithoutFigureIn = nil, nil, nil
		// All territories of the level lack it.
		if isAll := r.Text(communeRegion.Name)+r.Text("departement")+r.Text(communeEPCI.Name) == ""; isAll &&
			strings.HasPrefix(states[by].Reason, state.Inside) {
			states[by] = state.KeyState{State: state.NotLoaded, Reason: state.TooLittle}
		}
	}
	ranked := rows
	if n, ok := parseTop(r.Text(topName)); ok && n < len(rows) {
		nth := slices.Index(fields, by)
		for _, row := range rows[n:] {
			if last := rows[n-1].Figures[nth]; last.Type == gjson.Number && row.Figures[nth].Raw == last.Raw {
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
			text, err := figures.DescribeCensusRate(r.ctx, all.Data, field, level, from)
			if err != nil {
				return reply.Reply{}, err
			}
			pointed, err := figures.PointToCommunes(r.ctx, all.Data, closestField(stats.Commune, field,
				topic.Statistics().Keys(stats.Commune)), level, from)
			if err != nil {
				return reply.Reply{}, err
			}
			all.Note = strings.TrimSpace(all.Note + text + pointed)
		}
	}
	all.Note = strings.TrimSpace(all.Note + figures.DescribeMissingElections(all.Data, fields, level, from) +
		figures.JoinNotes(rows, fields) + figures.DescribeMixedSources(rows, fields))
	all.UnrankedTruncated = all.Unranked != nil &&
		figures.CountWithout(rows, slices.Index(fields, by))+len(all.Unranked) < countWithoutFigure(all)
	without, _, err := figures.Read(r.ctx, all.Unranked, []string{by}, level, from)
	if err != nil {
		return reply.Reply{}, err
	}
	for i, row := range without {
		all.Unranked[i].State = row.Absent[0].State
	}
	all.Count, all.Sources, all.States = len(rows), figures.FindCommonOrigins(rows, fields), states
	if err := addOverseas(r, &all, fields, ranked, len(rows), from); err != nil {
		return reply.Reply{}, err
	}
	all.MixedYears, all.Absent = figures.FindMixedYears(rows, fields), figures.ListAbsent(rows, fields, states)
	for i, row := range rows {
		all.Data[i] = row.ListItem(fields, all.Sources)
	}
	all.Data = all.Data[:len(rows)]
	body, err := json.Marshal(all)
	if err != nil {
		return reply.Reply{}, fmt.Errorf("encode a list: %w", err)
	}
	return reply.New(body), nil
}

// describeOrder says by which figure a list is sorted where the call names a value that it is in, and of a
// change in percent which one its number is.
func describeOrder(level stats.Level, asked, by string) string {
	whole, isPercent := strings.CutSuffix(by, ".percent")
	if part, _ := topic.Statistics().FindPart(level, asked); isPercent && slices.Contains(part.Numbers(), "number") {
		return "Sorted by " + by + ", not by " + whole + ".number."
	}
	return "Sorted by " + by + "."
}

// countWithoutFigure is how many items of a list are known to have no figure.
func countWithoutFigure(list territory.CodeNameList) int {
	if list.WithoutFigure == nil {
		return 0
	}
	return *list.WithoutFigure
}
