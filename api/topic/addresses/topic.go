// Package addresses holds what the service knows of addresses and the places that are searched by name.
package addresses

import (
	"slices"

	"arpent/api/source"
)

// Sources are the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(addresses(), geocode())
}
