package web

import (
	"slices"
	"strings"
)

// producers returns the producers of the loaded data, each once. A data set may have several.
func (v view) producers() string {
	var names []string
	for _, s := range v.status.Sources {
		for name := range strings.FieldsFuncSeq(s.Producer, func(r rune) bool { return r == ';' || r == ',' || r == '/' }) {
			if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return strings.Join(names, ", ") + "."
}
