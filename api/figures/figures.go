// Package figures puts figures of statistics in the items of lists of territories.
package figures

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"arpent/api/fieldset"
	"arpent/api/territory"
	"arpent/internal/fault"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

// Figures of the items of a list that are no keys of their statistics.
const (
	AreaField    = "areaKm2" // that of the answer on the territory
	DensityField = "density" // at densityPaths in its statistics
	CountField   = "communeCount"
	// ChefLieuField is no number, but the commune.
	ChefLieuField = "chefLieu"
	// FormerField is the communes that became part of a commune, MergerYearField the year of the last.
	FormerField     = "formerCommunes"
	MergerYearField = "lastMergerYear"
)

// NoNumbers are the figures of the items of a list that are no numbers.
var NoNumbers = []string{ChefLieuField, FormerField}

// PlainFields lists the figures of the items of a list that are no keys of their statistics.
func PlainFields(level stats.Level) []string {
	if level == stats.Commune {
		return []string{AreaField, DensityField, MergerYearField, FormerField}
	}
	return []string{AreaField, DensityField, CountField, ChefLieuField}
}

var densityPaths = map[stats.Level]string{
	stats.Region: "rankings.density.value", stats.Departement: "rankings.density.value", stats.Commune: "population.density",
}

// FindPath is where the statistics of a level have a field of a list.
func FindPath(level stats.Level, field string) string {
	if field == DensityField {
		return densityPaths[level]
	}
	return field
}

// Reader reads the figures of territories.
type Reader struct {
	stats.Reader
	Areas *territory.Snapshot
}

// countCommunes returns how many communes a département or région has.
func (f Reader) countCommunes(level stats.Level, code string) (count gjson.Result,
	origin stats.Origin) {
	answer, err := f.Areas.CommunesOf(code, "")
	path := "count"
	if level == stats.Region {
		answer, err = f.Areas.Region(code, territory.Include{})
		path = CountField
	}
	if err != nil { // of a code that is in no list
		return count, origin
	}
	return gjson.GetBytes(answer.Body, path), f.codeOrigin()
}

// codeOrigin is the origin of what the code officiel géographique says.
func (f Reader) codeOrigin() stats.Origin {
	return stats.Origin{Source: "INSEE, Code officiel géographique", Year: f.Areas.Edition}
}

// findChefLieu returns the commune that is the chef-lieu of a département or région; null: it is not
// loaded.
func (f Reader) findChefLieu(level stats.Level, code string) (gjson.Result, stats.Origin) {
	encoded, _ := json.Marshal(f.Areas.ChefLieuOf(level, code)) // texts always encode
	return gjson.ParseBytes(encoded), f.codeOrigin()
}

// findFormer returns the communes that became part of a commune, or the year of the last, and why there is
// none.
func (f Reader) findFormer(field, code string) (gjson.Result, state.KeyState) {
	former, year := f.Areas.FormerCommunesOf(code)
	switch {
	case former.Type == gjson.Null:
		return gjson.Result{}, state.KeyState{State: state.NotLoaded, Reason: state.NoSource}
	case field == FormerField:
		return former, state.KeyState{State: state.Value}
	case year == 0:
		return gjson.Result{}, state.KeyState{State: state.None, Reason: "No commune became part of it since 1943."}
	}
	return gjson.Parse(strconv.Itoa(year)), state.KeyState{State: state.Value}
}

// Of returns the statistics of a territory, or of an arrondissement that a list of communes has.
func (f Reader) Of(level stats.Level, code string) stats.Body {
	if level == stats.Commune && f.Areas.IsArrondissement(code) {
		level = stats.Arrondissement
	}
	return f.Reader.Of(level, code)
}

// Row is an item of a list with its figures, and where they are from, in the order of the fields.
type Row struct {
	territory.CodeName
	Figures []gjson.Result
	origins []stats.Origin
	Absent  []state.KeyState // why there is no figure
	notes   []string         // of what each figure is a part of
}

// maxBytes is what the figures of a list may hold: a département has up to 890 communes, a whole key up to
// 30 kB.
const maxBytes = 8 << 20

// Read reads the figures of the items of a list, and why none of them has a value of a field. Where the items
// lack it for different reasons, ListAbsent has that of each.
func Read(ctx context.Context, items []territory.CodeName, fields []string, level stats.Level,
	from Reader) ([]Row, map[string]state.KeyState, error) {
	rows := make([]Row, len(items))
	states := map[string]state.KeyState{}
	hasValue := make([]bool, len(fields))
	var buffer []byte
	size := 0
	for i, item := range items {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		row := Row{CodeName: item}
		buffer = append(from.Of(level, cmp.Or(item.Code, item.CodeInsee)).Append(append(buffer[:0],
			`{"stats":`...)), '}')
		answer := gjson.ParseBytes(buffer)
		body := answer.Get("stats")
		for nth, field := range fields {
			names := strings.Split(FindPath(level, field), ".")
			origin := stats.Origin{}
			// It is absent where the value names its own.
			_ = json.Unmarshal([]byte(body.Get("sources."+names[0]).Raw), &origin)
			figure := stats.FindFigure(body.Get(names[0]), names[1:], &origin)
			one := state.KeyState{State: state.Value}
			switch {
			case field == AreaField:
				if figure, origin = from.Areas.AreaOf(level, cmp.Or(item.Code, item.CodeInsee)); figure.Type == gjson.Null {
					one = state.KeyState{State: state.NotLoaded, Reason: state.NoSource}
				}
			case field == CountField:
				figure, origin = from.countCommunes(level, item.Code)
			case field == ChefLieuField:
				if figure, origin = from.findChefLieu(level, item.Code); figure.Type == gjson.Null {
					one = state.KeyState{State: state.NotLoaded, Reason: state.NoSource}
				}
			case field == FormerField || field == MergerYearField:
				figure, one = from.findFormer(field, item.CodeInsee)
				origin = from.codeOrigin()
			case figure.Type == gjson.Null:
				one = absentState(answer, names)
			}
			row.Absent = append(row.Absent, one)
			if one.State == state.Value { // of a part that is null
				row.Absent[nth].State = state.NotCovered
			}
			if hasValue[nth] = hasValue[nth] || figure.Type != gjson.Null; !hasValue[nth] &&
				(i == 0 || states[field].State == state.None || one.State == state.Value &&
					(one.Reason == "" || states[field].State != state.Value)) {
				states[field] = one
			}
			row.Figures = append(row.Figures, gjson.Parse(strings.Clone(figure.Raw))) // holds no more of the body
			row.origins = append(row.origins, origin)
			row.notes = append(row.notes, body.Get(names[0]+".note").String())
		}
		rows[i] = row
		for _, figure := range row.Figures {
			size += len(figure.Raw)
		}
		if size > maxBytes {
			return nil, nil, fault.Invalid("the figures of this list are over %d MB; name parts of keys",
				maxBytes>>20).About(fieldset.ParamName)
		}
	}
	for nth, field := range fields {
		switch {
		case hasValue[nth]:
			delete(states, field)
			continue
		case states[field].State == state.Value:
			states[field] = state.KeyState{State: state.NotCovered, Reason: cmp.Or(states[field].Reason, state.Inside)}
		}
		if one := states[field]; differInAbsence(rows, nth) {
			one.Reason = strings.TrimSpace(one.Reason + " Others lack it for another reason.")
			states[field] = one
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
		if strings.HasPrefix(out.Reason, state.YearsLoaded) { // which is no reason of a null
			out.Reason = ""
		}
		if reason := fieldset.FindMissing(answer.Get("stats."+names[0]), names); reason != "" {
			out.Reason = reason
		}
	}
	return out
}

// SortRows sorts rows by their nth figure; rows without one come last.
func SortRows(rows []Row, nth int, ascending bool) {
	isNumber := func(row Row) bool { return row.Figures[nth].Type == gjson.Number }
	slices.SortStableFunc(rows, func(a, b Row) int {
		x, y := a.Figures[nth].Num, b.Figures[nth].Num
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

// CountWithout counts the rows whose nth figure is no number.
func CountWithout(rows []Row, nth int) (n int) {
	for _, row := range rows {
		if row.Figures[nth].Type != gjson.Number {
			n++
		}
	}
	return n
}

// JoinNotes gives the notes of the values that the figures are parts of, each once, where all items have the
// same.
func JoinNotes(rows []Row, fields []string) (text string) {
	for nth, field := range fields {
		var notes []string
		for _, row := range rows {
			if note := row.notes[nth]; note != "" && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
		if key, _, deep := strings.Cut(field, "."); deep && len(notes) == 1 && !strings.Contains(text, notes[0]) {
			text += " " + key + ": " + notes[0]
		}
	}
	return text
}

// FindCommonOrigins gives for each field the origin that most figures of it have.
func FindCommonOrigins(rows []Row, fields []string) map[string]stats.Origin {
	common := map[string]stats.Origin{}
	for nth, field := range fields {
		var seen []stats.Origin
		var counts []int
		most := 0
		for _, row := range rows {
			if row.Figures[nth].Type == gjson.Null {
				continue
			}
			at := slices.IndexFunc(seen, func(o stats.Origin) bool { return reflect.DeepEqual(o, row.origins[nth]) })
			if at < 0 {
				at, seen, counts = len(seen), append(seen, row.origins[nth]), append(counts, 0)
			}
			if counts[at]++; counts[at] > most {
				most, common[field] = counts[at], seen[at]
			}
		}
	}
	return common
}

// differInAbsence reports whether the items lack the nth field for different reasons.
func differInAbsence(rows []Row, nth int) bool {
	return slices.ContainsFunc(rows, func(row Row) bool {
		return row.Absent[nth].State != rows[0].Absent[nth].State
	})
}

// ListAbsent says why items have no figure of the fields that others have, or that they lack for different
// reasons.
func ListAbsent(rows []Row, fields []string, states map[string]state.KeyState) (absent []territory.Absence) {
	for nth, field := range fields {
		if _, ofAll := states[field]; ofAll && !differInAbsence(rows, nth) {
			continue
		}
		first := len(absent)
		for _, row := range rows {
			if row.Figures[nth].Type != gjson.Null {
				continue
			}
			why := row.Absent[nth]
			at := slices.IndexFunc(absent[first:], func(a territory.Absence) bool {
				return a.State == why.State && a.Reason == why.Reason
			})
			if at < 0 {
				at = len(absent) - first
				absent = append(absent, territory.Absence{Field: field, State: why.State, Reason: why.Reason})
			}
			absent[first+at].Add(cmp.Or(row.Code, row.CodeInsee))
		}
	}
	return absent
}

// FindMixedYears gives the years of the figures of each field that has some of several, oldest first.
func FindMixedYears(rows []Row, fields []string) map[string][]int {
	mixed := map[string][]int{}
	for nth, field := range fields {
		var years []int
		for _, row := range rows {
			year := row.origins[nth].Year
			if row.Figures[nth].Type != gjson.Null && year != nil && !slices.Contains(years, *year) {
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

// ListItem is the row as an item of the list. It names the origins that are not the common ones.
func (r *Row) ListItem(fields []string, common map[string]stats.Origin) territory.CodeName {
	out := r.CodeName
	out.Stats = territory.Figures{}
	for nth, field := range fields {
		figure := r.Figures[nth]
		if figure.Type == gjson.Null {
			out.Stats[field] = json.RawMessage("null")
			continue
		}
		out.Stats[field] = json.RawMessage(figure.Raw)
		if r.origins[nth].SmallBase && figure.Type == gjson.Number {
			out.SmallBase = append(out.SmallBase, field)
		}
		if origin := r.origins[nth]; !reflect.DeepEqual(origin, common[field]) {
			if out.Sources == nil {
				out.Sources = map[string]stats.Origin{}
			}
			out.Sources[field] = origin
		}
	}
	return out
}
