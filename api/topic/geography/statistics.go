package geography

import "arpent/api/stats"

// Statistics is what the topic adds to the statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Blocks: []stats.Block{
			stats.Object("geography", "Elevation, distance to coast and mountains.", geography).
				At(stats.Commune, 21).From("commune-geography"),
		},
	}
}
