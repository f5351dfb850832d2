package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// nameMembers are the members by which people know an item of a list.
var nameMembers = []string{"label", "name", "title", "idu"}

// summarizeAnswer says in a few words what an answer holds, for clients that have it as an object: its plain
// members, and how many items and keys the others have.
func summarizeAnswer(answer gjson.Result) string {
	var parts []string
	length := 0
	answer.ForEach(func(name, value gjson.Result) bool {
		part := name.Str + " " + value.String()
		switch {
		case value.Type == gjson.Null:
			return true
		case value.IsArray():
			part = describeItems(name.Str, value.Array())
		case value.IsObject():
			part = fmt.Sprintf("%s with %d members", name.Str, len(value.Map()))
		}
		if length += len(part) + 2; length > maxSummary {
			return false
		}
		parts = append(parts, part)
		return true
	})
	return strings.Join(parts, "; ") + ". structuredContent has the values; an answer of a few fields is text, too."
}

// describeItems says how many items a list has, and the names of the first.
func describeItems(list string, items []gjson.Result) string {
	const named = 3
	text := fmt.Sprintf("%s of %d", list, len(items))
	var names []string
	for _, item := range items[:min(len(items), named)] {
		if i := slices.IndexFunc(nameMembers, func(member string) bool {
			return item.Get(member).Type == gjson.String
		}); i >= 0 {
			names = append(names, item.Get(nameMembers[i]).Str)
		}
	}
	if len(names) == 0 {
		return text
	}
	return text + " (" + strings.Join(names, ", ") + ")"
}
