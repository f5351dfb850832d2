package population

import (
	"arpent/api/source"
	"arpent/api/stats"
)

// Statistics is what the topic adds to the statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Measures: measures,
		Blocks: []stats.Block{
			stats.Object("population", "Inhabitants: in force, per census year, and how their number changes.", population).
				At(stats.Commune, 3).From("population-*", "births-*", "deaths-*", "comparateur-population", "comparateur-naissances"),
			stats.Plain("population", "Municipal population, newest.", populationCount).
				At(stats.Departement, 1).At(stats.Region, 1).From("population-*", "births-*", "deaths-*", "comparateur-population", "comparateur-naissances"),
			stats.Plain("populationTimeline", "Inhabitants per census year, oldest first.", populationTimeline).
				At(stats.Departement, 13).From("population-*", "comparateur-population"),
			stats.Plain("demography", "Natural and migratory balance, births and deaths per period between two censuses, oldest first.", demography).
				At(stats.Departement, 25).At(stats.Region, 11).From("population-*", "births-*", "deaths-*", "comparateur-population", "comparateur-naissances", "rp-evolution-*"),
		},
		Metrics: []stats.Metric{
			{Name: "population", Of: stats.Everywhere(stats.FiguresOf(source.PopulationMunicipal, 0))},
			{Name: "density", Of: stats.Everywhere(density)},
			{Name: "growth", Of: stats.Everywhere(growthPoints)},
		},
	}
}
