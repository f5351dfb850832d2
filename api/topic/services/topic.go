// Package services holds what the service knows of schools, health care, shops and other facilities.
package services

import (
	"slices"

	"arpent/api/source"
)

// Sources are the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(services(), facilitiesSources())
}
