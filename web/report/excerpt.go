package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"arpent/internal/opendata/state"
)

// noindexKeys are the keys that hold single sales: the law that opens these data (R. 112 A-3 of the livre des
// procédures fiscales) forbids that search engines index them, and the page is there for search engines too.
var noindexKeys = []string{"dvf", "dvfNearby"}

// ellipsis stands for what an excerpt leaves out.
const ellipsis = "…"

// excerptKeys is how many keys an excerpt shows of a group.
const excerptKeys = 2

// Excerpt is the answer in short, to be read: of each group the first keys that have a value, of a list the
// first item, and the state and the sources of one key.
func (r *Report) Excerpt() string {
	var b strings.Builder
	b.WriteString("{\n  \"idu\": \"" + r.IDU + "\",\n  \"enrichments\": {\n")
	first := ""
	for _, k := range r.excerptKeys() {
		first = cmp.Or(first, k)
		b.WriteString("    \"" + k + "\": ")
		writeValue(&b, r.Values[k], "    ", true)
		b.WriteString(",\n")
	}
	b.WriteString("    " + ellipsis + "\n  },\n  \"states\": {\n")
	for _, k := range r.chooseStateKeys(first) {
		b.WriteString("    \"" + k + "\": ")
		text, err := json.Marshal(r.States[k])
		if err != nil {
			panic(err) // made of texts alone
		}
		writeValue(&b, text, "    ", true)
		b.WriteString(",\n")
	}
	b.WriteString("    " + ellipsis + "\n  }\n}")
	return b.String()
}

// excerptKeys are the keys whose values are shown.
func (r *Report) excerptKeys() (out []string) {
	for _, g := range groupsOf {
		n := 0
		for _, k := range g.keys {
			if n < excerptKeys && r.States[k.name].State == state.Value && !slices.Contains(noindexKeys, k.name) {
				out = append(out, k.name)
				n++
			}
		}
	}
	return out
}

// chooseStateKeys returns the keys whose states the excerpt shows: first, which has a value, and one without.
func (r *Report) chooseStateKeys(first string) (out []string) {
	if first != "" {
		out = append(out, first)
	}
	for _, of := range []state.State{state.None, state.NotLoaded, state.NotCovered} {
		for _, g := range groupsOf {
			if i := slices.IndexFunc(g.keys, func(k key) bool { return r.States[k.name].State == of }); i >= 0 {
				return append(out, g.keys[i].name)
			}
		}
	}
	return out
}

// writeValue writes JSON in lines. Of a list that is a value itself it
// writes the first item; of one within it nothing.
func writeValue(b *strings.Builder, raw json.RawMessage, indent string, whole bool) {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) > 0 && raw[0] == '[':
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil || len(items) == 0 {
			b.WriteString("[]")
			return
		}
		if !whole {
			b.WriteString("[" + ellipsis + "]")
			return
		}
		b.WriteString("[\n" + indent + "  ")
		writeValue(b, items[0], indent+"  ", false)
		if len(items) > 1 {
			b.WriteString(", " + ellipsis)
		}
		b.WriteString("\n" + indent + "]")
	case len(raw) > 0 && raw[0] == '{':
		writeObject(b, raw, indent)
	default:
		b.Write(raw)
	}
}

func writeObject(b *strings.Builder, raw json.RawMessage, indent string) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return
	}
	b.WriteString("{")
	for n := 0; d.More(); n++ {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			break
		}
		if n > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n" + indent + "  \"" + name.(string) + "\": ")
		writeValue(b, value, indent+"  ", false)
	}
	b.WriteString("\n" + indent + "}")
}
