package mobility

import "arpent/internal/opendata/stats"

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Tables: []string{"geo.enrich_travel_time"},
		Read:   readTravelTimes,
		Blocks: []stats.Block{
			stats.Object("travelTime", "Travel times to Paris and to the préfecture, by road and rail.", travelTime).
				At(stats.Commune, 16).From("travel-times").SupplementedBy("departement-prefectures"),
			stats.Object("anfr", "Mobile-network supports and 5G.", mobileNetworks).
				At(stats.Commune, 23).From("mobile-supports"),
		},
	}
}
