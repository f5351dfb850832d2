package population

import (
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
)

// from lists the sources of populations and their change.
var from = []string{"population-*", "births-*", "deaths-*", "comparateur-population",
	"comparateur-naissances", "comparateur-superficie"}

// historySource is the source that has all censuses since 1876.
const historySource = "population-history"

// births lists the sources without which there is no balance and no birth rate: the files
// of rates at hand have that of deaths alone.
var births = []string{"births-*"}

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Measures: measures,
		Blocks: []stats.Block{
			stats.Object("population", "Inhabitants: in force, per census year, and how their number changes.",
				buildPopulation).At(stats.Commune, 3).From(from...).Part("naturalPctPerYear", births...).
				Part("migratoryPctPerYear", births...).Lacks(listLoadedYears),
			stats.Count("population", "Municipal population, newest.", source.PopulationMunicipal).
				At(stats.Departement, 1).At(stats.Region, 1).From(from...),
			stats.Plain("populationTimeline", "Inhabitants per census year, oldest first.", populationTimeline).
				At(stats.Departement, 13).At(stats.Region, 21).From("population-*", "comparateur-population").
				Lacks(listLoadedYears),
			stats.Plain("populationChange",
				"Change of the municipal population between two census years, at least five years apart.", countChange).
				At(stats.Departement, 27).At(stats.Region, 22).From("population-*", "comparateur-population"),
			stats.Plain("demography", "Natural and migratory balance, births and deaths per period between two censuses, oldest first.", buildDemography).
				At(stats.Departement, 25).At(stats.Region, 11).From(from...).From("rp-evolution-*").
				Part("#.naturalBalance", births...).Part("#.migratoryBalance", births...).Part("#.naturalPctPerYear",
				births...).Part("#.migratoryPctPerYear", births...).Part("#.birthRatePer1000", births...),
			stats.Plain("births", "Births and deaths of a year, by where people lived, oldest first. Where they are not published for the territory, they are the sums of its communes.", sumBirths).
				At(stats.Departement, 26).At(stats.Region, 19).From(births...).From("deaths-*", "comparateur-naissances"),
		},
		Metrics: []stats.Metric{
			{Name: "population", Unit: "inhabitants", Of: stats.Everywhere(stats.FiguresOf(source.PopulationMunicipal, 0)),
				France: stats.MeanOf(source.PopulationMunicipal, 0)},
			{Name: "density", Unit: "inhabitants per km²", Of: stats.Everywhere(densityPoints)},
			{Name: "growth", Unit: stats.PercentPerYear, Of: stats.Everywhere(growthPoints)},
		},
	}
}
