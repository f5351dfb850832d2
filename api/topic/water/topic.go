// Package water declares the data on rivers, lakes, the sea and tap water, and of the ground's height and acidity.
package water

import (
	"slices"

	"arpent/api/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(water(), waterSources())
}
