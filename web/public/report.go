package public

import (
	"slices"
	"strings"
)

// reportGroup is the keys of one group, in the order of the report.
type reportGroup struct {
	name string
	keys []ReportKey
}

// anchorID is the place of the group on the page. A key may have the same name.
func (g reportGroup) anchorID() string {
	return "theme-" + strings.ReplaceAll(strings.ToLower(g.name), " ", "-")
}

// reportGroups returns the keys by group, in the order in which the groups first appear.
func (v view) reportGroups() []reportGroup {
	var out []reportGroup
	for _, k := range v.options.Report {
		i := slices.IndexFunc(out, func(g reportGroup) bool { return g.name == k.Group })
		if i < 0 {
			i, out = len(out), append(out, reportGroup{name: k.Group})
		}
		out[i].keys = append(out[i].keys, k)
	}
	return out
}

// isLoaded reports whether a layer of the key is loaded for any place.
func (v view) isLoaded(k ReportKey) bool {
	return slices.ContainsFunc(k.Layers, func(layer string) bool {
		return slices.Contains(v.status.Layers, layer)
	})
}
