package environment

import "arpent/internal/opendata/stats"

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Measures: measures,
		Read:     readStations,
		Blocks: []stats.Block{
			stats.Object("climateAnomaly", "Yearly mean temperature against the mean of 1991 to 2020.",
				climateAnomaly).
				At(stats.Commune, 15).At(stats.Departement, 12).At(stats.Region, 14).From("climat-*"),
			stats.Object("airQuality", "Regulated pollutants. Ozone is the mean of the peak season's daily maxima of 8-hour means, not an annual mean.", airQuality).
				At(stats.Commune, 18).From("air-*"),
			stats.Plain("nuisibles", "Pests that were reported. What is not listed was not reported, which is not the same as absent.", buildPests).
				At(stats.Commune, 22).From("pest-reports").Complete("None of these species was reported here."),
		},
	}
}
