package rankings

import "arpent/internal/opendata/stats"

// rankedSources lists the sources of the ranked values.
var rankedSources = []string{"population-*", "comparateur-*", "filosofi-*", "rp-emploi*", "chomage-*",
	"housing-census*", "housing-observatory*",
	"apl-*", "facilities*", "finances-*", "safety-*", "life-*"}

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Blocks: []stats.Block{
			stats.Object("rankings", "National and départemental ranks.", communeRankings).
				At(stats.Commune, 14).From(rankedSources...),
			stats.Object("rankings", "Ranks among the 101 départements.", buildRankings).
				At(stats.Departement, 11).From(rankedSources...),
			stats.Object("rankings", "Ranks among the 18 régions.", buildRankings).
				At(stats.Region, 13).From(rankedSources...),
		},
	}
}
