package recorded

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
)

// maxItems is how many items of a list an excerpt has.
const maxItems = 2

// Excerpt is a JSON text over several lines, with the first items of each list. mark is the line in place of the others, as many
// as it is given; nil: there is none, and what is left is JSON.
func Excerpt(body []byte, mark func(left int) string) string {
	var b bytes.Buffer
	writer{&b, mark}.value(gjson.ParseBytes(body), "\n")
	return b.String()
}

type writer struct {
	*bytes.Buffer
	mark func(left int) string
}

// value writes a value whose lines begin with indent.
func (w writer) value(v gjson.Result, indent string) {
	switch {
	case v.IsObject():
		w.object(v, indent)
	case v.IsArray() && !short(v):
		w.list(v.Array(), indent)
	case v.IsArray():
		w.WriteString(strings.ReplaceAll(v.Raw, ",", ", "))
	default:
		w.WriteString(v.Raw)
	}
}

func (w writer) object(v gjson.Result, indent string) {
	w.WriteByte('{')
	first, inner := true, indent+"  "
	v.ForEach(func(name, member gjson.Result) bool {
		if !first {
			w.WriteByte(',')
		}
		first = false
		w.WriteString(inner + name.Raw + ": ")
		w.value(member, inner)
		return true
	})
	if !first {
		w.WriteString(indent)
	}
	w.WriteByte('}')
}

func (w writer) list(items []gjson.Result, indent string) {
	w.WriteByte('[')
	inner := indent + "  "
	for i, item := range items[:min(len(items), maxItems)] {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString(inner)
		w.value(item, inner)
	}
	if left := len(items) - maxItems; left > 0 && w.mark != nil {
		w.WriteString(inner + w.mark(left))
	}
	w.WriteString(indent + "]")
}

// short reports whether a list is written on one line: a position, or nothing.
func short(list gjson.Result) bool {
	items := list.Array()
	for _, i := range items {
		if i.Type != gjson.Number {
			return false
		}
	}
	return len(items) <= maxItems
}
