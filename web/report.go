package web

import "slices"

// reportGroup is the keys of one group, in the order of the report.
type reportGroup struct {
	name string
	keys []ReportKey
}

// reportGroups sorts the keys into their groups, in the order in which these first appear.
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

// loaded tells whether something that the key is made from is loaded for some place.
func (v view) loaded(k ReportKey) bool {
	return slices.ContainsFunc(k.Layers, func(layer string) bool { return slices.Contains(v.status.Layers, layer) })
}
