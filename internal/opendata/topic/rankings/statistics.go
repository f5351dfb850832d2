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
		noRank    = "It has no value of the period that is ranked, or fewer than four territories in five have one."
		noDensity = "Its land area, or that of communes with over 1 % of its inhabitants, is not published " +
			"(Mayotte, communes that were split) or not loaded; or the inhabitants of the ranked year are not known."
		noFrance = "What is loaded has no figure of France of this period, and a median or a rate does not follow from those of its parts."
	)
	for _, metric := range []string{"population", "density", "growth", "medianIncome", "povertyRate", "unemploymentRate",
		"vacancyRate", "secondaryHomeRate", "apl", "equipmentPer10000", "debtPerInhabitant", "crimeRate", "lifeExpectancy",
		"censusUnemploymentRate", "burglaryRate"} {
		reason := noRank
		if metric == "density" {
			reason = noDensity
		}
		b = b.Because(metric, reason).Because(metric+".france", noFrance)
	}
	return b
}
