package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/tidwall/gjson"

	"arpent/api/fieldset"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

// A result has to leave room for the question in the context of a model.
const (
	maxGeometry = 20_000 // bytes of an outline; a longer one is simplified
	maxDigest   = 6_250  // bytes of an answer with all its keys; longer values are shortened
	maxLengths  = 500    // bytes of what it says of its lists
	// bytes of a key that the call chose; of one with several series the years of each are left out
	maxSeries = 8_000
	maxTable  = 24_000 // bytes of the rows of a list; further ones are left out
	tableStep = 50     // so many at a time
	// maxPlacesWithout is how many départements of communes without a figure are named.
	maxPlacesWithout = 10
	maxText          = 1_200 // bytes of an answer that is text, too, where a client reads it as an object
	maxSummary       = 400   // bytes of the text in place of a longer one
)

// contentOptions say in which form a client gets an answer.
type contentOptions struct {
	chosen  bool          // the call names the keys that it wants: they are given whole
	table   bool          // the items of the list become rows
	objects bool          // the client reads structuredContent
	narrow  []string      // arguments of the tool that make a list shorter
	address func() string // of the whole answer
	// readings say as what arguments were read: before the values, for clients that read no text. They come
	// first, for an answer may be of another place than was meant.
	readings []string
}

// makeContent gives an answer as the object that it is, and as text: all of it to clients that read nothing
// else, and where it is short, otherwise a summary. Where keys were not chosen, long values are shortened and
// sources are named once; a further text lists what was cut, and where all of it is.
func makeContent(body []byte, o contentOptions) *mcpgo.CallToolResult {
	c := resultTrimmer{contentOptions: o}
	if object := gjson.ParseBytes(body); object.IsObject() {
		if short := c.trimObject(object); c.changed {
			body = short
		}
	}
	if rest, isObject := bytes.CutPrefix(body, []byte("{")); len(o.readings) > 0 && isObject {
		body = slices.Concat([]byte(`{"readings":`), mustMarshal(o.readings), []byte(","), rest)
	}
	text := string(body)
	if o.objects && len(body) > maxText {
		text = summarizeAnswer(gjson.ParseBytes(body))
	}
	result := &mcpgo.CallToolResult{Content: []mcpgo.Content{mcpgo.NewTextContent(text)},
		RawStructuredContent: body}
	if len(c.notes) > 0 {
		note := strings.Join(c.notes, " ") + " A program gets all of it with the same account from " + o.address()
		result.Content = append(result.Content, mcpgo.NewTextContent(note))
	}
	return result
}

// resultTrimmer copies an answer without what is too long in it.
type resultTrimmer struct {
	contentOptions
	changed bool     // the copy differs from the answer
	notes   []string // what was cut
}

// trimObject copies the answer of an operation.
func (c *resultTrimmer) trimObject(body gjson.Result) []byte {
	values := body.Get("stats")
	if !values.IsObject() {
		values = body.Get("enrichments")
	}
	shortens := values.IsObject() && !c.chosen
	var digest digest
	if shortens {
		c.changed = true
		rest := len(body.Raw) - len(values.Raw)
		for _, name := range []string{"geometry", "communes", "departements", "states", "sources", "lists"} {
			rest -= len(body.Get(name).Raw)
		}
		rest += len(mustMarshal(groupAbsences(body.Get("states"), false))) + len(shortenSources(body.Get("sources"))) +
			min(len(body.Get("lists").Raw), maxLengths)
		digest = digestValues(values, body.Get("lists"), body.Get("stats").Exists(), maxDigest-rest)
		c.notes = append(c.notes, digest.notes()...)
	}
	timelines := c.longTimelines(body.Get("stats"))
	out := fieldset.CopyObject(make([]byte, 0, len(body.Raw)), body,
		func(out []byte, name string, value gjson.Result) []byte {
			switch {
			case name == "geometry" && len(value.Raw) >= maxGeometry:
				c.changed = true
				simple, metres, err := simplifyOutline(value.Raw, maxGeometry)
				if err != nil {
					c.notes = append(c.notes, fmt.Sprintf(
						"The geometry is left out: it is %d bytes long, and no simpler form is under %d.",
						len(value.Raw), maxGeometry))
					return nil
				}
				c.notes = append(c.notes, fmt.Sprintf(
					"The geometry is simplified, to about %d m: the exact one is %d bytes long.", metres, len(value.Raw)))
				return append(out, simple...)
			case name == "states":
				c.changed = true
				return append(out, mustMarshal(groupAbsences(value, !shortens))...)
			case name == "data" && c.table:
				c.changed = true
				return c.trimTable(out, value)
			case name == "data" && value.IsArray() && len(value.Raw) > maxTable:
				c.changed = true
				return c.trimItems(out, value)
			case name == "withoutFigureIn" && len(value.Array()) > maxPlacesWithout:
				c.changed = true
				return c.trimPlacesWithout(out, value)
			case name == "truncated" && len(body.Get("data").Raw) > maxTable:
				return nil // appendCut has it
			case name == "stats" && timelines != nil:
				return dropTimelines(out, value, timelines)
			case !shortens:
				return append(out, value.Raw...)
			case name == "stats" || name == "enrichments":
				return digest.appendTo(out)
			case name == "lists":
				return digest.appendLengths(out, value)
			case name == "parcel": // its reference has the section and the number, sources have the edition
				return fieldset.CopyObject(out, value, func(out []byte, name string, one gjson.Result) []byte {
					if !strings.Contains(strings.ToLower(name), "contenance") && name != "outlineAreaM2" {
						return nil
					}
					return append(out, one.Raw...)
				})
			case name == "sources":
				return append(out, shortenSources(value)...)
			}
			return append(out, value.Raw...)
		})
	appendMember := func(name string, value any) {
		out = append(append(out[:len(out)-1], `,"`+name+`":`...), mustMarshal(value)...)
		out = append(out, '}')
	}
	if leftOut := append(digest.leftOut, timelines...); len(leftOut) > 0 {
		appendMember("leftOut", leftOut)
	}
	if len(digest.sources) > 0 {
		appendMember("sources", digest.sources)
	}
	return out
}

// timelineMember is the member of a key that has the figures of all its series by year.
const timelineMember = "timeline"

// longTimelines lists the timelines of several series that make a key which the call chose too long, and that
// has the newest figure of each in another member.
func (c *resultTrimmer) longTimelines(values gjson.Result) (paths []string) {
	if !c.chosen {
		return nil
	}
	values.ForEach(func(key, value gjson.Result) bool {
		timeline := value.Get(timelineMember)
		if len(value.Raw) <= maxSeries || !stats.IsSeries(timeline) {
			return true
		}
		value.ForEach(func(name, member gjson.Result) bool {
			if name.Str == timelineMember || !stats.IsSeries(member) {
				return true
			}
			path := key.Str + "." + timelineMember
			paths = append(paths, path)
			c.changed = true
			c.notes = append(c.notes, fmt.Sprintf(`Left out: %s. fields=["%s.%s"] gives the years of one series, fields=["%s"] those of all.`,
				path, path, member.Get("0.key").Str, path))
			return false
		})
		return true
	})
	return paths
}

// dropTimelines copies statistics without the timelines at some paths.
func dropTimelines(out []byte, values gjson.Result, paths []string) []byte {
	return fieldset.CopyObject(out, values, func(out []byte, key string, value gjson.Result) []byte {
		if !slices.Contains(paths, key+"."+timelineMember) {
			return append(out, value.Raw...)
		}
		return fieldset.CopyObject(out, value, func(out []byte, name string, member gjson.Result) []byte {
			if name == timelineMember {
				return nil
			}
			return append(out, member.Raw...)
		})
	})
}

// trimTable appends the items of a list as rows, after which the member columns names their values, and
// smallBase the fields that rows with true in that column have of few. Rows that are too many are left out.
func (c *resultTrimmer) trimTable(out []byte, value gjson.Result) []byte {
	items := value.Array()
	columns := tableColumns(items)
	smallBase := "" // the longest list of such fields, which the answer names once
	for _, item := range items {
		if of := item.Get(smallBaseColumn).Raw; len(of) > len(smallBase) {
			smallBase = of
		}
	}
	rows := writeTable(nil, items, columns, smallBase)
	n := len(items)
	for len(rows) > maxTable && n > 1 {
		n = max(n-tableStep, n/2)
		rows = writeTable(rows[:0], items[:n], columns, smallBase)
	}
	out = append(append(append(out, rows...), `,"columns":`...), mustMarshal(columns)...)
	if smallBase != "" {
		out = append(append(out, `,"smallBase":`...), smallBase...)
	}
	return c.appendCut(out, n, len(items))
}

// trimItems appends the items of a list, as many as have room, one at least.
func (c *resultTrimmer) trimItems(out []byte, value gjson.Result) []byte {
	items := value.Array()
	size, n := 0, 0
	out = append(out, '[')
	for _, item := range items {
		if size += len(item.Raw) + 1; n > 0 && size > maxTable {
			break
		}
		if n > 0 {
			out = append(out, ',')
		}
		out = append(out, item.Raw...)
		n++
	}
	return c.appendCut(append(out, ']'), n, len(items))
}

// trimPlacesWithout appends the first départements with communes that lack the figure of a ranking: those
// with most of them.
func (c *resultTrimmer) trimPlacesWithout(out []byte, value gjson.Result) []byte {
	places := value.Array()
	c.notes = append(c.notes, fmt.Sprintf("withoutFigureIn has the %d of %d départements with most communes without the figure.",
		maxPlacesWithout, len(places)))
	for i, place := range places[:maxPlacesWithout] {
		out = append(append(out, "[,"[min(i, 1)]), place.Raw...)
	}
	return append(out, ']')
}

// appendCut appends, after a list that was cut, the members that say so.
func (c *resultTrimmer) appendCut(out []byte, shown, of int) []byte {
	if shown == of {
		return out
	}
	rest := fmt.Sprintf("data has the first %d of %d items. For the others narrow the call by %s; a program gets all with the same account from %s",
		shown, of, strings.Join(c.narrow, ", "), c.address())
	return append(fmt.Appendf(out, `,"shown":%d,"truncated":true,"rest":`, shown), mustMarshal(rest)...)
}

// reportSource is a source of a report, without what the instructions say of most.
type reportSource struct {
	Title    string   `json:"title"`
	Producer string   `json:"producer"`
	Licence  string   `json:"licence,omitempty"`
	Vintage  string   `json:"vintage,omitempty"`
	Keys     []string `json:"keys"`
}

// isLike reports whether two sources differ by their titles alone.
func (s reportSource) isLike(other reportSource) bool {
	return s.Producer == other.Producer && s.Licence == other.Licence && s.Vintage == other.Vintage &&
		slices.Equal(s.Keys, other.Keys)
}

// openLicence is the licence of which the instructions say what it asks for.
const openLicence = "Licence Ouverte 2.0"

// shortenSources copies the sources of a report, without the licence that most have.
func shortenSources(sources gjson.Result) []byte {
	list := []reportSource{}
	for _, one := range sources.Array() {
		s := reportSource{Title: one.Get("title").Str, Producer: one.Get("producer").Str,
			Licence: one.Get("licence").Str, Vintage: one.Get("vintage").Str}
		if s.Licence == openLicence {
			s.Licence = ""
		}
		for _, key := range one.Get("keys").Array() {
			s.Keys = append(s.Keys, key.Str)
		}
		last := len(list) - 1
		if last >= 0 && s.isLike(list[last]) {
			list[last].Title += "; " + s.Title
			continue
		}
		list = append(list, s)
	}
	return mustMarshal(list)
}

// absence is why keys have no value, or what their values lack.
type absence struct {
	State   state.State `json:"state"`
	Reason  string      `json:"reason,omitempty"`
	Vintage string      `json:"vintage,omitempty"`
	Keys    []string    `json:"keys"`
	// RadiusM has of the keys those that were looked for around the place, and within how many metres.
	RadiusM map[string]int64 `json:"radiusM,omitempty"`
	// Known has of the keys those of which a part is loaded, and that part.
	Known map[string]json.RawMessage `json:"known,omitempty"`
	// Sources has of the keys those that a source would fill which is not loaded, and its name.
	Sources map[string]string `json:"sources,omitempty"`
}

// isCaution reports whether a reason is given to assistants as well.
func isCaution(reason string) bool {
	return slices.ContainsFunc(state.Cautions, func(c string) bool { return strings.Contains(reason, c) })
}

// withoutMeaning takes away what the state not_loaded says itself.
var withoutMeaning = strings.NewReplacer(state.NoSource, "", state.TooLittle, "")

// groupAbsences lists why keys have no value or lack a part of it, with the keys of each reason. What the
// instructions say of all keys that were searched in vain, or have no source here, is not said again; the
// edition that was searched is. Where the keys were chosen, it names the sources that would fill them, and
// gives all that is known of a value that is not all loaded; otherwise that is shortened, and where else to look
// is left out.
func groupAbsences(states gjson.Result, chosen bool) []absence {
	list := []absence{}
	knownItems := math.MaxInt
	if !chosen {
		knownItems = fitKnown(states)
	}
	states.ForEach(func(key, one gjson.Result) bool {
		a := absence{State: state.State(one.Get("state").Str), Reason: one.Get("reason").Str}
		if !chosen {
			a.Reason = strings.TrimSpace(strings.TrimSuffix(a.Reason, state.FacilitiesOfCommune))
		}
		switch a.State {
		case state.Value:
			if !isCaution(a.Reason) {
				return true
			}
		case state.NotLoaded:
			a.Reason = strings.TrimSpace(withoutMeaning.Replace(a.Reason))
		case state.None:
			a.Vintage = one.Get("vintage").Str
			if !isCaution(a.Reason) {
				a.Reason = ""
			}
		case state.NotCovered:
			if !one.Get("known").Exists() { // else the sources have it
				a.Vintage = one.Get("vintage").Str
			}
		default:
			a.Vintage = one.Get("vintage").Str
		}
		at := slices.IndexFunc(list, func(b absence) bool {
			return a.State == b.State && a.Reason == b.Reason && a.Vintage == b.Vintage
		})
		if at < 0 {
			at, list = len(list), append(list, a)
		}
		list[at].Keys = append(list[at].Keys, key.Str)
		if source := one.Get("source").Str; chosen && source != "" {
			if list[at].Sources == nil {
				list[at].Sources = map[string]string{}
			}
			list[at].Sources[key.Str] = source
		}
		if known := one.Get("known"); known.Exists() {
			if list[at].Known == nil {
				list[at].Known = map[string]json.RawMessage{}
			}
			list[at].Known[key.Str] = cutKnown(nil, known, knownItems)
		}
		if metres := one.Get("radiusM").Int(); metres > 0 {
			if list[at].RadiusM == nil {
				list[at].RadiusM = map[string]int64{}
			}
			list[at].RadiusM[key.Str] = metres
		}
		return true
	})
	return list
}

// maxKnown is how many bytes the known parts of values that are not all loaded have in an answer with all
// keys.
const maxKnown = 1_000

// fitKnown returns how many items of each list of these parts fit in maxKnown; at least none.
func fitKnown(states gjson.Result) int {
	for _, items := range itemCounts {
		size := 0
		states.ForEach(func(_, one gjson.Result) bool {
			if known := one.Get("known"); known.Exists() {
				size += len(cutKnown(nil, known, items))
			}
			return true
		})
		if size <= maxKnown {
			return items
		}
	}
	return 0
}

// cutKnown copies the known part of a value with so many items of each list.
func cutKnown(out []byte, value gjson.Result, items int) []byte {
	switch {
	case value.IsObject():
		return fieldset.CopyObject(out, value, func(out []byte, _ string, member gjson.Result) []byte {
			return cutKnown(out, member, items)
		})
	case value.IsArray():
		out = append(out, '[')
		for i, item := range value.Array()[:min(items, len(value.Array()))] {
			if i > 0 {
				out = append(out, ',')
			}
			out = cutKnown(out, item, items)
		}
		return append(out, ']')
	default:
		return append(out, value.Raw...)
	}
}
