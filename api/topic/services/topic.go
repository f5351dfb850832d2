// Package services declares the data on schools, health care, shops and other facilities.
package services

import (
	"slices"

	"arpent/api/source"
)

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(services(), facilitiesSources())
}
