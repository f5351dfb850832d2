// Package mobility holds what the service knows of roads, stations, charge points, networks and travel times.
package mobility

import (
	"slices"

	"arpent/api/source"
)

// Sources are the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(mobility(), []source.Source{fibre()}, travelSources(), mobileSources())
}
