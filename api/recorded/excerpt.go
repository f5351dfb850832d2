package recorded

import (
	"bytes"
	"math"
	"strings"

	"github.com/tidwall/gjson"
)

// maxItems is how many items of a list an excerpt has.
const maxItems = 2

// Excerpt is a JSON text over several lines, with the first items of each list. mark is the line in place of the others, as many
// as it is given; nil: there is none, and what is left is JSON.
func Excerpt(body []byte, mark func(left int) string) string {
	var b bytes.Buffer
	writer{&b, mark, maxItems, math.MaxInt}.value(gjson.ParseBytes(body), "\n")
	return b.String()
}

// Lines is a JSON text over several lines, with every item, or the lines of it that begin within so many bytes. Lines that follow are
// not even read, however many there are.
func Lines(body []byte, maxBytes int) (text string, whole bool) {
	var b bytes.Buffer
	writer{&b, nil, math.MaxInt, maxBytes}.value(gjson.ParseBytes(body), "\n")
	if b.Len() <= maxBytes {
		return b.String(), true
	}
	end := bytes.LastIndexByte(b.Bytes()[:maxBytes], '\n')
	return string(b.Bytes()[:max(end, 0)]), false
}

type writer struct {
	*bytes.Buffer
	mark     func(left int) string
	maxItems int // of a list
	maxBytes int // nothing is added to more
}

func (w writer) full() bool { return w.Len() > w.maxBytes }

// value writes a value whose lines begin with indent.
func (w writer) value(v gjson.Result, indent string) {
	switch {
	case v.IsObject():
		w.object(v, indent)
	case v.IsArray() && !short(v):
		w.list(v, indent)
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
		return !w.full()
	})
	if !first {
		w.WriteString(indent)
	}
	w.WriteByte('}')
}

func (w writer) list(items gjson.Result, indent string) {
	w.WriteByte('[')
	n, inner := 0, indent+"  "
	items.ForEach(func(_, item gjson.Result) bool {
		if n++; n <= w.maxItems {
			if n > 1 {
				w.WriteByte(',')
			}
			w.WriteString(inner)
			w.value(item, inner)
		}
		return !w.full()
	})
	if left := n - w.maxItems; left > 0 && w.mark != nil {
		w.WriteString(inner + w.mark(left))
	}
	w.WriteString(indent + "]")
}

// short reports whether a list is written on one line: a position, or nothing.
func short(list gjson.Result) bool {
	n, isShort := 0, true
	list.ForEach(func(_, item gjson.Result) bool {
		n++
		isShort = item.Type == gjson.Number && n <= maxItems
		return isShort
	})
	return isShort
}
