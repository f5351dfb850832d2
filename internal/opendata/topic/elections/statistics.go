package elections

import "arpent/internal/opendata/stats"

// overfullReason is why a round has no shares: see Election.overfull.
const overfullReason = "The file counts more votes than were expressed, or does not count these: no share is given."

// noTotalReason is why the turnout of all départements is not known.
const noTotalReason = "The counts of this round are not loaded of all 101 départements."

// noSecondRound is why an election has its first round alone.
const noSecondRound = "No loaded file has its second round, or none was held."

// explainContests gives the states of the members of the newest elections that are null.
func explainContests(b stats.Block) stats.Block {
	b = b.Part("presidential", "election-presidentielle*", "election-agregee*").
		Part("legislative", "election-legislatives*", "election-agregee*").
		Part("european", "election-agregee*").Part("municipal", "election-municipales*", "election-agregee*").
		Because("presidential.round2", noSecondRound).Because("legislative.round2", noSecondRound).
		Because("presidential.round1.results.#.sharePct", overfullReason).
		Because("presidential.round2.results.#.sharePct", overfullReason).
		Because("municipal.results.#.sharePct", overfullReason)
	for _, round := range []string{"presidential.round1", "presidential.round2", "legislative.round1",
		"legislative.round2", "european.round1", "municipal"} {
		b = b.Because(round+".allDepartementsTurnoutPct", noTotalReason)
	}
	return b
}

// Statistics returns the topic's part of the territory statistics.
func Statistics() stats.Topic {
	return stats.Topic{
		Tables:   []string{"geo.election_turnout", "geo.election_result", "geo.mayor"},
		Read:     readPolitics,
		EachLoad: politicalCoverage,
		Blocks: []stats.Block{
			explainContests(stats.Object("election", "Turnout and results of the newest elections of each kind.",
				buildElections).
				At(stats.Commune, 9).At(stats.Departement, 20).From("election-*").OfResidents()),
			stats.Object("maire", "The mayor, as the national register had it on the day asOf.", mayorInOffice).
				At(stats.Commune, 10).From("mayors").SupplementedBy("election-municipales*",
				"election-agregee*").OfResidents().Related(pointToVote),
			stats.Object("politicalScore", "Left/right position derived from first rounds of national elections: -1 is far left, +1 far right. The method is published.", politicalScore).
				At(stats.Commune, 11).From("election-presidentielle*", "election-legislatives*",
				"election-agregee*").OfResidents(),
			stats.Object("municipalWave", "Trend of three municipal elections on the same scale.", municipalWave).
				At(stats.Commune, 12).At(stats.Departement, 23).At(stats.Region, 17).From("election-municipales*",
				"election-agregee*").OfResidents(),
			stats.Object("presidentialWave", "Trend of three presidential elections on the same scale, against the nation.", presidentialWave).
				At(stats.Commune, 13).At(stats.Departement, 24).At(stats.Region, 18).From("election-presidentielle*",
				"election-agregee*").OfResidents(),
			stats.Object("politicalScore", "Left/right position derived from first rounds of national elections.",
				politicalScore).
				At(stats.Departement, 22).At(stats.Region, 16).From("election-presidentielle*", "election-legislatives*",
				"election-agregee*"),
			explainContests(stats.Object("election", "Turnout of elections, and results of the newest of each kind: "+
				"the sums of the départements, where all of the région have them.", buildRegionElections).
				At(stats.Region, 15).From("election-*")).Because("turnout.#.allDepartementsTurnoutPct", noTotalReason),
		},
	}
}
