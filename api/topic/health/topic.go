// Package health holds what the service knows of doctors, life expectancy and regional wealth.
package health

import (
	"slices"

	"arpent/api/source"
)

// Sources are the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(doctorsSources(), lifeSources())
}
