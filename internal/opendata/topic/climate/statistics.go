package climate

import "arpent/internal/opendata/stats"

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Read: readStations,
		Blocks: []stats.Block{
			stats.Object("climateAnomaly", "Yearly mean temperature against the mean of 1991 to 2020.",
				climateAnomaly).
				At(stats.Commune, 15).At(stats.Departement, 12).At(stats.Region, 14).From("climat-*"),
		},
	}
}
