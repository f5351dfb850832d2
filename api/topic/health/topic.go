// Package health declares the data on doctors, life expectancy and regional wealth.
package health

import (
	"slices"

	"arpent/api/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(doctorsSources(), lifeSources())
}
