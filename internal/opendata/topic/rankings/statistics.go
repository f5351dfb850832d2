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
			explainNulls(stats.Object("rankings", "National and départemental ranks.", communeRankings).
				At(stats.Commune, 14).From(rankedSources...)),
			explainNulls(stats.Object("rankings", "Ranks among the 101 départements.", buildRankings).
				At(stats.Departement, 11).From(rankedSources...)),
			explainNulls(stats.Object("rankings", "Ranks among the 18 régions.", buildRankings).
				At(stats.Region, 13).From(rankedSources...)),
		},
	}
}

// explainNulls gives the states of ranks that are null, and of figures of France that are.
func explainNulls(b stats.Block) stats.Block {
	const (
		noRank   = "It has no value of the period that is ranked, or fewer than four territories in five have one."
		noFrance = "What is loaded has no figure of France of this period, and a median or a rate does not follow from those of its parts."
	)
	for _, metric := range []string{"population", "density", "growth", "medianIncome", "povertyRate", "unemploymentRate",
		"vacancyRate", "secondaryHomeRate", "apl", "equipmentPer10000", "debtPerInhabitant", "crimeRate", "lifeExpectancy",
		"censusUnemploymentRate", "burglaryRate"} {
		b = b.Because(metric, noRank).Because(metric+".france", noFrance)
	}
	return b
}
