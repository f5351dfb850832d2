package health

import (
	"slices"

	"arpent/internal/opendata/stats"
)

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Measures: slices.Concat(doctorsMeasures, lifeMeasures),
		Blocks: []stats.Block{
			stats.Object("apl", "Accessibility of general practitioners: consultations per standardised inhabitant per year.", buildDoctors).
				At(stats.Commune, 19).At(stats.Departement, 21).From("apl-*"),
			stats.Object("lifeExpectancy", "Life expectancy at birth, in years.", lifeExpectancy).
				At(stats.Departement, 10).At(stats.Region, 12).From("life-expectancy-*"),
			stats.Plain("pib", "Gross domestic product per year, oldest first.", buildGDP).
				At(stats.Region, 10).From("comptes-regionaux", "eurostat-gdp"),
		},
		Metrics: []stats.Metric{
			{Name: "apl", Unit: "consultations per year", Of: stats.Everywhere(stats.FiguresOf(DoctorsAll, 2)),
				Basis: stats.Weighted},
			{Name: "lifeExpectancy", Unit: "years", Of: stats.Above(lifePoints)},
		},
	}
}
