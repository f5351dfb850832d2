// Package areas holds what the service knows of régions, départements and communes: their codes, names and outlines.
package areas

import (
	"slices"

	"arpent/api/source"
)

// Sources are the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(cog(), contours())
}
