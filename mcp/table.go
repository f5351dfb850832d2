package mcp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// writeTable appends the items of a list as rows, in the order of the columns: codes and names come once, and
// not with each item. A row with all of smallBase has true in its place.
func writeTable(out []byte, items []gjson.Result, columns []string, smallBase string) []byte {
	out = append(out, '[')
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, '[')
		stats := item.Get("stats")
		for n, column := range columns {
			if n > 0 {
				out = append(out, ',')
			}
			value := item.Get(column)
			if field, ok := strings.CutPrefix(column, "stats."); ok {
				value = memberNamed(stats, field)
			}
			if column == smallBaseColumn && value.Exists() && value.Raw == smallBase {
				value.Raw = "true"
			}
			out = append(out, cmp.Or(value.Raw, "null")...)
		}
		out = append(out, ']')
	}
	return append(out, ']')
}

// smallBaseColumn has the fields of a row whose figure is one of few.
const smallBaseColumn = "smallBase"

// tableColumns are the members of the items of a list, and the figures in their statistics.
func tableColumns(items []gjson.Result) []string {
	columns := []string{}
	add := func(name string) {
		if !slices.Contains(columns, name) {
			columns = append(columns, name)
		}
	}
	for _, item := range items {
		item.ForEach(func(name, value gjson.Result) bool {
			if name.Str != "stats" {
				add(name.Str)
				return true
			}
			value.ForEach(func(field, _ gjson.Result) bool { add("stats." + field.Str); return true })
			return true
		})
	}
	return columns
}

// memberNamed is the member of an object whose name may have dots in it.
func memberNamed(object gjson.Result, name string) (found gjson.Result) {
	object.ForEach(func(key, value gjson.Result) bool {
		if key.Str == name {
			found = value
		}
		return key.Str != name
	})
	return found
}
