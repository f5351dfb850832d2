// Package health declares the data on doctors, life expectancy and regional wealth.
package health

import "arpent/api/source"

// Sources returns the data sets, in loading order.
func Sources() []source.Source {
	return append(doctorsSources(), lifeTables("departement", "départements"), lifeTables("region", "régions"), lifeMelodi(),
		regionalAccounts(), eurostatAccounts())
}
