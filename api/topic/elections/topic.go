// Package elections declares the data on elections and those who were elected.
package elections

import (
	_ "embed"
	"slices"

	"arpent/api/source"
)

//go:embed tables.sql
var tables string

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return slices.Concat(electionsSources(), mayorSources())
}
