package mcp

import (
	"cmp"
	"slices"

	"github.com/tidwall/gjson"
)

// timeMembers and sizeMembers are the members by which items of a list are newer or larger than others. Of
// several the first that an item has counts.
var (
	timeMembers = []string{"year", "quarter", "date", "start", "periodEnd"}
	sizeMembers = []string{"votes", "count", "sharePct", "population", "total", "score"}
)

// chooseItems returns n items of a longer list, in the order of the list, and by what they were chosen: the
// nearest of a list by distance; else the newest, of one time the largest; else the largest; else the first.
func chooseItems(items []gjson.Result, n int) (kept []gjson.Result, by string) {
	time, size := memberOf(items, timeMembers), memberOf(items, sizeMembers)
	switch {
	case items[0].Get("distanceM").Type == gjson.Number && slices.IsSortedFunc(items,
		func(a, b gjson.Result) int { return compareMember(a, b, "distanceM") }):
		return items[:n], "nearest by distanceM"
	case time != "" && size != "":
		by = "newest by " + time + ", then largest by " + size
	case time != "":
		by = "newest by " + time
	case size != "":
		by = "largest by " + size
	default:
		return items[:n], "first"
	}
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(compareMember(items[b], items[a], time), compareMember(items[b], items[a], size))
	})
	order = order[:n]
	slices.Sort(order)
	for _, i := range order {
		kept = append(kept, items[i])
	}
	return kept, by
}

// memberOf returns the first of some members by which the items of a list differ; empty: there is none.
func memberOf(items []gjson.Result, members []string) string {
	for _, name := range members {
		first := items[0].Get(name)
		if slices.ContainsFunc(items, func(item gjson.Result) bool {
			return compareValues(item.Get(name), first) != 0
		}) {
			return name
		}
	}
	return ""
}

// compareMember orders two items by a member; all are equal without one.
func compareMember(a, b gjson.Result, name string) int {
	if name == "" {
		return 0
	}
	return compareValues(a.Get(name), b.Get(name))
}

// compareValues orders values: null and nothing come before all others.
func compareValues(a, b gjson.Result) int {
	switch {
	case a.Less(b, true):
		return -1
	case b.Less(a, true):
		return 1
	default:
		return 0
	}
}
