// Package mobility declares the data on roads, stations, charge points, networks and travel times.
package mobility

import (
	"slices"

	"arpent/api/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(mobility(), []source.Source{fibre()}, travelSources(), mobileSources())
}
