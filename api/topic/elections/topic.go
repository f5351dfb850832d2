// Package elections holds what the service knows of elections and those who were elected.
package elections

import (
	"slices"

	"arpent/api/source"
)

// Sources are the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(electionsSources(), mayorSources())
}
