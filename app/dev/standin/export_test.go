package standin

import (
	"slices"

	"arpent/api/source"
)

// HasFile reports whether a folder has a file that a source reads, of all of France or of a département.
func HasFile(src source.Source, dir, departement string) bool {
	names, err := filesBelow(dir)
	return err == nil && slices.ContainsFunc(match(src, dir, names), func(l local) bool {
		return l.code == "" && len(within[src.Name]) == 0 || departementOf(l.code) == departement || slices.Contains(within[src.Name], departement)
	})
}
