// Package parcels holds what the service knows of parcels of the cadastre.
package parcels

import (
	"slices"

	"arpent/api/source"
)

// Sources are the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(parcelles(), planches())
}
