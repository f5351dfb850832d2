package water

import "arpent/internal/opendata/stats"

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Tables: []string{"geo.enrich_tap_water", "geo.tap_sample", "geo.tap_result"},
		Read:   readWater,
		Blocks: []stats.Block{
			stats.Object("waterQuality", "Conformity of tap water over the last twelve months of control.",
				waterQuality).At(stats.Commune, 17).From("tap-*").SupplementedBy("water-network-populations"),
		},
	}
}
