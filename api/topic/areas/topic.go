// Package areas declares the data on régions, départements and communes: their codes, names and outlines.
package areas

import "arpent/api/source"

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return append(cog(), contoursCommunes(), contoursArrondissements())
}
