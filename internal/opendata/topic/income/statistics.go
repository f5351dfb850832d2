package income

import "arpent/internal/opendata/stats"

// pointToCommunes says where the poverty rates of communes are, where those of a larger territory are not
// known; empty: no commune of it has one.
func pointToCommunes(d *stats.Data, t *stats.Territory) string {
	for _, part := range t.Children {
		if part.Level == stats.Commune && part.Latest(IncomePovertyRate).Value != nil ||
			part.Level == stats.Departement && pointToCommunes(d, part) != "" {
			return "Communes have it as revenus.povertyRate: list_communes."
		}
	}
	return ""
}

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Measures: measures,
		Blocks: []stats.Block{
			stats.Object("revenus", "Disposable income of the inhabitants: median, poverty rate, deciles.",
				buildIncome).At(stats.Commune, 2).At(stats.Departement, 14).From("filosofi-*").OfResidents().
				Figure("povertyRate", IncomePovertyRate).Figure("d1", IncomeD1).Figure("d9", IncomeD9).
				Figure("interdecileRatio", IncomeRatio).Figure("gini", IncomeGini).
				Figure("taxedHouseholdsPct", IncomeTaxed).Figure("socialBenefitsPct", IncomeSocialBenefits).
				Figure("socialMinimaPct", IncomeSocialMinima).Figure("medianIncome", IncomeMedian),
			stats.Decimal("medianIncome", "Median disposable income per consumption unit, euros a year.", IncomeMedian, 0).
				At(stats.Departement, 2).At(stats.Region, 2).From("filosofi-*"),
			stats.Decimal("povertyRate", "Share of the inhabitants below 60 % of the national median, in percent.",
				IncomePovertyRate, 1).At(stats.Departement, 3).At(stats.Region, 3).From("filosofi-*").
				Related(pointToCommunes),
		},
		Metrics: []stats.Metric{
			{Name: "medianIncome", Unit: "euros per year", Of: stats.Everywhere(stats.FiguresOf(IncomeMedian, 0))},
			{Name: "povertyRate", Unit: "percent", Ascending: true, Of: stats.Everywhere(stats.FiguresOf(IncomePovertyRate, 2))},
		},
	}
}
