package recorded

import (
	"bytes"
	"math"
	"strings"

	"github.com/tidwall/gjson"
)

// maxItems is how many items of a list an excerpt has.
const maxItems = 2

// Excerpt is a JSON text over several lines, with the first items of each list. mark is the line in place of
// the others, as many as it is given; nil: there is none, and what is left is JSON.
func Excerpt(body []byte, mark func(left int) string) string {
	var b bytes.Buffer
	writer{&b, mark, maxItems, math.MaxInt}.writeValue(gjson.ParseBytes(body), "\n")
	return b.String()
}

// Lines is a JSON text over several lines, with every item, or the lines of it that begin within so many
// bytes. Lines that follow are not even read, however many there are.
func Lines(body []byte, maxBytes int) (text string, whole bool) {
	var b bytes.Buffer
	writer{&b, nil, math.MaxInt, maxBytes}.writeValue(gjson.ParseBytes(body), "\n")
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

func (w writer) isFull() bool { return w.Len() > w.maxBytes }

// writeValue writes a value whose lines begin with indent.
func (w writer) writeValue(v gjson.Result, indent string) {
	switch {
	case v.IsObject():
		w.writeObject(v, indent)
	case v.IsArray() && !isOneLine(v):
		w.writeList(v, indent)
	case v.IsArray():
		w.WriteString(strings.ReplaceAll(v.Raw, ",", ", "))
	default:
		w.WriteString(v.Raw)
	}
}

func (w writer) writeObject(v gjson.Result, indent string) {
	w.WriteByte('{')
	first, inner := true, indent+"  "
	v.ForEach(func(name, member gjson.Result) bool {
		if !first {
			w.WriteByte(',')
		}
		first = false
		w.WriteString(inner + name.Raw + ": ")
		w.writeValue(member, inner)
		return !w.isFull()
	})
	if !first {
		w.WriteString(indent)
	}
	w.WriteByte('}')
}

func (w writer) writeList(items gjson.Result, indent string) {
	w.WriteByte('[')
	n, inner := 0, indent+"  "
	items.ForEach(func(_, item gjson.Result) bool {
		if n++; n <= w.maxItems {
			if n > 1 {
				w.WriteByte(',')
			}
			w.WriteString(inner)
			w.writeValue(item, inner)
		}
		return !w.isFull()
	})
	if left := n - w.maxItems; left > 0 && w.mark != nil {
		w.WriteString(inner + w.mark(left))
	}
	w.WriteString(indent + "]")
}

// isOneLine reports whether a list is written on one line: a position, or nothing.
func isOneLine(list gjson.Result) bool {
	n, isShort := 0, true
	list.ForEach(func(_, item gjson.Result) bool {
		n++
		isShort = item.Type == gjson.Number && n <= maxItems
		return isShort
	})
	return isShort
}
