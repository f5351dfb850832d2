// Package environment declares the data on the air and reported pests.
package environment

import "arpent/api/source"

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return []source.Source{communeAir(), communeOzone(), pestReports()}
}
