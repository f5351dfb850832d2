package geography

import "arpent/internal/opendata/stats"

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Blocks: []stats.Block{
			stats.Object("geography", "Elevation, distance to coast and mountains.", buildGeography).
				At(stats.Commune, 21).From("commune-geography"),
		},
	}
}
