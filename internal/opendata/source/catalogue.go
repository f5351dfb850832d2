package source

import (
	"fmt"
	"slices"
	"strings"
)

// Select returns the sources that the words name, each with the sources it depends on before it, in
// loading order. A word is the name of a source or of a group. Without words it returns every
// source under an open licence; a source under another licence is only selected by its own name. It
// returns an error for a word that names neither.
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
			return nil, unknownNameError(all, word)
		}
	}
	// All is in loading order: walking it backwards visits a source before those it depends on.
	for _, s := range slices.Backward(all) {
		if wanted[s.Name] {
			for _, before := range s.After {
				wanted[before] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(s Source) bool { return !wanted[s.Name] }), nil
}

// maxSimilar is how many names are proposed for one that is not known.
const maxSimilar = 5

// unknownNameError is the error of a word that names neither a source nor a
// group: it proposes names that are written alike.
func unknownNameError(all []Source, word string) error {
	similar := slices.DeleteFunc(listNames(all), func(name string) bool {
		return !isSimilar(name, strings.ToLower(word))
	})
	perhaps := ""
	if len(similar) > 0 {
		perhaps = "; perhaps " + strings.Join(similar[:min(maxSimilar, len(similar))], ", ")
	}
	return fmt.Errorf("no source or group is called %q%s: `arpent sources --all` lists them", word, perhaps)
}

// isSimilar reports whether one is a part of the other, or a part between hyphens begins as the other does.
func isSimilar(name, word string) bool {
	const begin = 3
	if min(len(name), len(word)) < begin {
		return false
	}
	if strings.Contains(name, word) || strings.Contains(word, name) {
		return true
	}
	return slices.ContainsFunc(strings.Split(name, "-"), func(part string) bool {
		return strings.HasPrefix(part, word[:begin])
	})
}

func listNames(all []Source) []string {
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

// Filling returns the sources that fill one of the tables.
func Filling(all []Source, tables ...string) []Source {
	return slices.DeleteFunc(slices.Clone(all), func(s Source) bool {
		return !slices.Contains(tables, s.Target.Table)
	})
}

// MayFill reports whether a load of the named source can change one of the
// tables. An undeclared source may fill any table.
func MayFill(all []Source, name string, tables ...string) bool {
	i := slices.IndexFunc(all, func(s Source) bool { return s.Name == name })
	return i < 0 || slices.Contains(tables, all[i].Target.Table)
}
