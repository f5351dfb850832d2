package mcp

import (
	"fmt"
	"slices"
	"strings"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/tidwall/gjson"

	"arpent/internal/opendata/state"
)

// A result has to leave room for the question in the context of a model.
const (
	maxGeometry = 20_000 // bytes of an outline; a longer one is simplified
	// Of a longer list inside a report or statistics these are given.
	maxReportItems = 10
	maxStatsItems  = 5
)

// makeContent gives a body twice: as text, for clients that know nothing else, and as the object it is. Long
// lists inside statistics and reports are cut unless the call has chosen its keys, and a long outline is
// simplified; a second text reports this, and where all of it is.
func makeContent(body []byte, chosen bool, address func() string) *mcpgo.CallToolResult {
	c := resultTrimmer{chosen: chosen}
	if short := c.trimObject(gjson.ParseBytes(body)); c.shorter || len(c.notes) > 0 {
		body = short
	}
	result := &mcpgo.CallToolResult{Content: []mcpgo.Content{mcpgo.NewTextContent(string(body))}, RawStructuredContent: body}
	if len(c.notes) > 0 {
		note := strings.Join(c.notes, " ") + " All other members are complete. A program gets all of it with the same account from " + address()
		result.Content = append(result.Content, mcpgo.NewTextContent(note))
	}
	return result
}

// resultTrimmer copies an object without what is too long in it.
type resultTrimmer struct {
	chosen  bool     // the keys were asked for by name: their lists are whole
	items   int      // how many of a list are given
	shorter bool     // states are those of the keys without a value
	notes   []string // what was cut
	lists   []string // of them, the lists
	cut     []string // keys of the report that are lists and were cut

	lengths gjson.Result // what a report says of its lists, by key
}

// trimObject copies the answer of an operation.
func (c *resultTrimmer) trimObject(body gjson.Result) []byte {
	if !body.IsObject() {
		return nil
	}
	c.lengths = body.Get("lists")
	out := copyObject(make([]byte, 0, len(body.Raw)), body, func(out []byte, name string, value gjson.Result) []byte {
		switch {
		case name == "geometry" && len(value.Raw) >= maxGeometry:
			return c.trimOutline(out, value.Raw)
		case name == "enrichments" && !c.chosen:
			c.items = maxReportItems
			return c.trimValue(out, "", value)
		case name == "lists":
			return c.trimLengths(out, value)
		case name == "states":
			c.shorter = true
			return append(out, mustMarshal(groupAbsences(value))...)
		case name == "stats" && !c.chosen:
			c.items = maxStatsItems
			return c.trimValue(out, "", value)
		}
		return append(out, value.Raw...)
	})
	if len(c.lists) > 0 {
		c.notes = append(c.notes, fmt.Sprintf("Lists are cut to %d items: %s. With fields=[\"…\"] those of the keys that you name are as long as a program gets them.", c.items, strings.Join(c.lists, ", ")))
	}
	return out
}

// trimOutline adds a simpler form of an outline; nil: there is none.
func (c *resultTrimmer) trimOutline(out []byte, geometry string) []byte {
	simple, metres, err := simplifyOutline(geometry, maxGeometry)
	if err != nil {
		c.notes = append(c.notes, fmt.Sprintf("The geometry is left out: it is %d bytes long, and no simpler form is under %d.", len(geometry), maxGeometry))
		return nil
	}
	c.notes = append(c.notes, fmt.Sprintf("The geometry is simplified, to about %d m: the exact one is %d bytes long.", metres, len(geometry)))
	return append(out, simple...)
}

// trimValue copies a value, and of a long list the items that chooseItems keeps.
func (c *resultTrimmer) trimValue(out []byte, path string, value gjson.Result) []byte {
	switch {
	case value.IsObject():
		return copyObject(out, value, func(out []byte, name string, value gjson.Result) []byte {
			return c.trimValue(out, strings.TrimPrefix(path+"."+name, "."), value)
		})
	case value.IsArray():
		items := value.Array()
		if total := len(items); total > c.items {
			var which string
			items, which = chooseItems(items, c.items)
			there := max(total, int(c.lengths.Get(path+".total").Int())) // a report itself has only the nearest of many
			c.lists, c.cut = append(c.lists, fmt.Sprintf("%s (%s of %d)", path, which, there)), append(c.cut, path)
		}
		out = append(out, '[')
		for i, item := range items {
			if i > 0 {
				out = append(out, ',')
			}
			out = c.trimValue(out, path, item)
		}
		return append(out, ']')
	default:
		return append(out, value.Raw...)
	}
}

// trimLengths copies what is said of the lists of a report, with the number of items that are given here.
func (c *resultTrimmer) trimLengths(out []byte, lists gjson.Result) []byte {
	return copyObject(out, lists, func(out []byte, key string, length gjson.Result) []byte {
		if !slices.Contains(c.cut, key) {
			return append(out, length.Raw...)
		}
		return fmt.Appendf(out, `{"total":%s,"returned":%d,"truncated":true}`, length.Get("total").Raw, c.items)
	})
}

// absence is why keys have no value.
type absence struct {
	State   state.State `json:"state"`
	Reason  string      `json:"reason,omitempty"`
	Vintage string      `json:"vintage,omitempty"`
	Keys    []string    `json:"keys"`
}

// groupAbsences lists why keys have no value, with the keys of each reason. What the instructions say of all
// keys that were searched in vain, or have no source here, is not said again.
func groupAbsences(states gjson.Result) []absence {
	list := []absence{}
	states.ForEach(func(key, one gjson.Result) bool {
		a := absence{State: state.State(one.Get("state").Str)}
		switch a.State {
		case state.Value:
			return true
		case state.None, state.NotLoaded:
		default:
			a.Reason, a.Vintage = one.Get("reason").Str, one.Get("vintage").Str
		}
		at := slices.IndexFunc(list, func(b absence) bool { return a.State == b.State && a.Reason == b.Reason && a.Vintage == b.Vintage })
		if at < 0 {
			at, list = len(list), append(list, a)
		}
		list[at].Keys = append(list[at].Keys, key.Str)
		return true
	})
	return list
}

// copyObject copies an object with the values that member adds; where that gives nil, the member is left out.
func copyObject(out []byte, object gjson.Result, member func(out []byte, name string, value gjson.Result) []byte) []byte {
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
