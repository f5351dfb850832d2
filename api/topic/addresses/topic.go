// Package addresses declares the data on addresses and the places that are searched by name.
package addresses

import (
	"slices"

	"arpent/api/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(addresses(), geocode())
}
