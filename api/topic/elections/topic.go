// Package elections declares the data on elections and those who were elected.
package elections

import (
	"slices"

	"arpent/api/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(electionsSources(), mayorSources())
}
