package finances

import "arpent/internal/opendata/stats"

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Measures: measures,
		Blocks: []stats.Block{
			stats.Plain("finances", "Municipal accounts, one entry a year, oldest first, in euros.", buildFinances).
				At(stats.Commune, 1).From("finances-*"),
			stats.Plain("finances", "Accounts of the département, one entry a year, oldest first, in euros.",
				buildFinances).At(stats.Departement, 9).From("finances-*"),
			stats.Plain("finances", "Accounts of the région, one entry a year, oldest first, in euros.",
				buildFinances).At(stats.Region, 9).From("finances-*"),
		},
		Metrics: []stats.Metric{
			{Name: "debtPerInhabitant", Unit: "euros per inhabitant", Ascending: true,
				Of:     stats.Everywhere(stats.Quotient(FinancesDebt, FinancesPopulation, 1, 0)),
				France: stats.TotalsOf(FinancesDebt, FinancesPopulation, 1, 0)},
		},
	}
}
