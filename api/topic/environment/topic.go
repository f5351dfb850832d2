// Package environment holds what the service knows of the air and reported pests.
package environment

import (
	"slices"

	"arpent/api/source"
)

// Sources are the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(airSources(), pestsSources())
}
