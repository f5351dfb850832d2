package source

import (
	"fmt"
	"slices"
	"strings"
)

// Select finds the sources that the words name, by name or by group, with the sources they depend on before them, in
// loading order. No word selects every source under an open licence; one under another licence is selected by its own
// name only.
func Select(all []Source, words []string) ([]Source, error) {
	wanted := map[string]bool{}
	for _, s := range all {
		if len(words) == 0 && s.Licence.Open {
			wanted[s.Name] = true
		}
	}
	for _, word := range words {
		found := false
		for _, s := range all {
			if s.Name == word || s.Group == word {
				wanted[s.Name], found = wanted[s.Name] || s.Licence.Open || s.Name == word, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no source is called %q; there are %s", word, strings.Join(names(all), ", "))
		}
	}
	// All is in loading order, so that walking it backwards meets a source before those it depends on.
	for _, s := range slices.Backward(all) {
		if wanted[s.Name] {
			for _, before := range s.After {
				wanted[before] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(s Source) bool { return !wanted[s.Name] }), nil
}

func names(all []Source) []string {
	var out []string
	for _, s := range all {
		for _, name := range []string{s.Group, s.Name} {
			if name != "" && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// Filling lists the sources that fill one of the tables.
func Filling(all []Source, tables ...string) []Source {
	return slices.DeleteFunc(slices.Clone(all), func(s Source) bool { return !slices.Contains(tables, s.Target.Table) })
}

// MayFill tells whether a load of the named source can change one of the tables. One that is not declared may fill any.
func MayFill(all []Source, name string, tables ...string) bool {
	i := slices.IndexFunc(all, func(s Source) bool { return s.Name == name })
	return i < 0 || slices.Contains(tables, all[i].Target.Table)
}
