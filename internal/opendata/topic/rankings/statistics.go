package rankings

import (
	"maps"
	"slices"

	"arpent/internal/opendata/stats"
)

// metricSources lists, by metric, the sources without which no territory has a value of it.
var metricSources = map[string][]string{
	"population": {"population-*", "comparateur-population"}, "growth": {"population-*", "comparateur-population"},
	"density":      {"comparateur-superficie"},
	"medianIncome": {"filosofi-*"}, "povertyRate": {"filosofi-*"},
	"unemploymentRate":       {"chomage-departements", "chomage-regions"},
	"censusUnemploymentRate": {"rp-emploi*", "comparateur-emploi"},
	"vacancyRate":            {"housing-census*", "housing-observatory*"}, "secondaryHomeRate": {"housing-census*"},
	"apl": {"apl-*"}, "lifeExpectancy": {"life-*"}, "equipmentPer10000": {"facilities*"},
	"debtPerInhabitant": {"finances-*"}, "crimeRate": offences, "burglaryRate": offences,
}

var offences = []string{"safety-communes", "safety-departements*", "safety-regions*"}

var rankedSources = []string{"population-*", "comparateur-*", "filosofi-*", "rp-emploi*", "chomage-*",
	"housing-census*", "housing-observatory*", "apl-*", "facilities*", "finances-*", "safety-*", "life-*"}

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Blocks: []stats.Block{
			explainNulls(stats.Commune, stats.Object("rankings", "National and départemental ranks.", communeRankings).
				At(stats.Commune, 14).From(rankedSources...)),
			explainNulls(stats.Departement, stats.Object("rankings", "Ranks among the 101 départements.", buildRankings).
				At(stats.Departement, 11).From(rankedSources...)),
			explainNulls(stats.Region, stats.Object("rankings", "Ranks among the 18 régions.", buildRankings).
				At(stats.Region, 13).From(rankedSources...)),
		},
	}
}

// explainNulls gives the states of ranks that are null, and of figures of France that are, at a level.
func explainNulls(level stats.Level, b stats.Block) stats.Block {
	const (
		noRank    = "It has no value of the period that is ranked, or fewer than four territories in five have one."
		noDensity = "Its land area, or that of communes with over 1 % of its inhabitants, is not published " +
			"(Mayotte, communes that were split); or the inhabitants of the ranked year are not known."
		noFrance = "What is loaded has no figure of France of this period, and a median or a rate does not follow from those of its parts."
	)
	for _, metric := range slices.Sorted(maps.Keys(metricSources)) {
		reason, sources := noRank, metricSources[metric]
		switch {
		case metric == "density":
			reason = noDensity
		case metric == "unemploymentRate" && level == stats.Commune: // the census rate is ranked
			sources = metricSources["censusUnemploymentRate"]
		}
		b = b.Because(metric, reason, sources...).Because(metric+".france", noFrance)
	}
	return b
}
