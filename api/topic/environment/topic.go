// Package environment declares the data on the air and reported pests.
package environment

import (
	"slices"

	"arpent/api/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(airSources(), pestsSources())
}
