// Package parcels declares the data on parcels of the cadastre.
package parcels

import (
	"slices"

	"arpent/api/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(parcelles(), planches())
}
