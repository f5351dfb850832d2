package elections

import (
	"cmp"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/stats"
)

var (
	presidentialDefinition = stats.Define("How the votes of the first rounds of three presidential elections in a row moved from left to right against those of France, in "+
		"steps of politicalScore's scale.", "presidential-wave")
	municipalDefinition = stats.Define("How the votes of the first rounds of three municipal elections in a row moved from left to right on politicalScore's scale: of lists "+
		"that the ministry has given a nuance.", "municipal-wave")
)

// Elections of both kinds are held in fixed years: the newest one determines three in a row.
const (
	PresidentialYears = 5
	MunicipalYears    = 6
)

// PresidentialWave is how a territory moved relative to the nation over three presidential elections.
type PresidentialWave struct {
	stats.Envelope
	Elections        []PresidentialStand `json:"elections" doc:"First rounds, oldest first."`
	TrendPerElection float64             `json:"trendPerElection" doc:"Change of relativeScore from one election to the next: (third - first) / 2. Above 0 is to the right." example:"0.042"`
	Acceleration     float64             `json:"acceleration" doc:"Third relativeScore minus twice the second plus the first." example:"-0.01"`
	TurnoutTrend     *float64            `json:"turnoutTrend" doc:"Change of turnout from one election to the next minus the national change, in percentage points; null if not known." example:"-1.2"`
	Direction        string              `json:"direction" enum:"left,right,stable" doc:"left for a trend of at most -0.03, right for at least 0.03, else stable." example:"right"`
	BlocTableVersion string              `json:"blocTableVersion" doc:"Version of the published table of blocs." example:"2026-1"`
	Method           string              `json:"method" doc:"Version of the method." example:"v1"`

	Definition *stats.Definition `json:"definition" doc:"What the wave is."`
}

// PresidentialStand is one of the elections of a wave.
type PresidentialStand struct {
	Year          int        `json:"year" doc:"Year of the election." example:"2022"`
	Score         float64    `json:"score" doc:"From -1 (all votes far left) to +1 (all far right)." example:"0.08"`
	RelativeScore float64    `json:"relativeScore" doc:"Score minus the national score." example:"0.05"`
	TurnoutPct    *float64   `json:"turnoutPct" doc:"Voters in percent of the registered; null if not known." example:"73.5"`
	Registered    *int       `json:"registered" doc:"Registered voters: turnoutPct is of these." example:"24568"`
	Expressed     int        `json:"expressed" doc:"Votes expressed: the shares and the score are of these." example:"17554"`
	Winner        *string    `json:"winner" doc:"Candidate with the most votes here." example:"Emmanuel MACRON"`
	Blocs         BlocShares `json:"blocs" doc:"Shares of the blocs."`
}

// presidentialWave returns nil unless all three elections are known, here and nationally.
func presidentialWave(d *stats.Data, t *stats.Territory) *PresidentialWave {
	last := newestVotes(d.Nation, presidential)
	if last == nil {
		return nil
	}
	w := PresidentialWave{BlocTableVersion: blocTable.Version, Method: blocTable.Method,
		Definition: presidentialDefinition}
	var relative [3]float64
	var turnouts [3]*float64
	var rounds []*Election
	for i := range relative {
		name := electionName(last.year-(2-i)*PresidentialYears, presidential, 1)
		here, nation := findRound(t, name), findRound(d.Nation, name)
		s := here.voteBalance()
		score, of := s.meanScore(), nation.voteBalance().meanScore()
		if score == nil || of == nil {
			return nil
		}
		relative[i] = *score - *of
		one := PresidentialStand{Year: here.year, Score: *stats.Round(score, 3),
			RelativeScore: *stats.Round(&relative[i], 3),
			TurnoutPct:    here.ballotCounts().TurnoutPct, Registered: here.registered, Expressed: s.expressed,
			Winner: here.results[0].who.displayName()}
		one.Blocs.addWeighted(s, 1)
		one.Blocs.roundShares()
		turnouts[i] = stats.Minus(exactTurnoutPct(here), exactTurnoutPct(nation))
		w.Elections, rounds = append(w.Elections, one), append(rounds, here)
	}
	trend, bend := (relative[2]-relative[0])/2, relative[2]-2*relative[1]+relative[0]
	w.TrendPerElection, w.Acceleration = *stats.Round(&trend, 3), *stats.Round(&bend, 3)
	if change := stats.Minus(turnouts[2], turnouts[0]); change != nil {
		w.TurnoutTrend = stats.Round(new(*change/2), 2)
	}
	w.Direction = blocTable.trendDirection(w.TrendPerElection)
	w.Envelope = roundsEnvelope(&last.year, rounds)
	return &w
}

func exactTurnoutPct(e *Election) *float64 {
	if e.voters == nil || e.registered == nil || *e.registered == 0 {
		return nil
	}
	return new(100 * float64(*e.voters) / float64(*e.registered))
}

// trendDirection returns the word for a trend.
func (b *BlocTable) trendDirection(trend float64) string {
	switch {
	case trend <= -b.WaveDirection:
		return "left"
	case trend >= b.WaveDirection:
		return "right"
	default:
		return "stable"
	}
}

// MunicipalWave is how municipal votes moved over three elections.
type MunicipalWave struct {
	stats.Envelope
	Elections            []MunicipalStand `json:"elections" doc:"The elections that are known, oldest first."`
	TrendPerElection     float64          `json:"trendPerElection" doc:"Change of the score from one election to the next, between the first and the last that have one." example:"0.05"`
	Direction            string           `json:"direction" enum:"left,right,stable" doc:"left for a trend of at most -0.03, right for at least 0.03, else stable." example:"stable"`
	Continuity           *string          `json:"continuity" doc:"Bloc of the winner of the newest election compared with the previous one: same, switchLeft, switchRight or unknown; null for départements and régions." example:"same"`
	PanelPopulationShare *float64         `json:"panelPopulationShare" doc:"Share of the inhabitants (0 to 1) in the communes that are summed: those with a score in all three elections. Null for a commune." example:"0.61"`
	BlocTableVersion     string           `json:"blocTableVersion" doc:"Version of the published table of blocs." example:"2026-1"`
	Method               string           `json:"method" doc:"Version of the method." example:"v1"`

	Definition *stats.Definition `json:"definition" doc:"What the wave is."`
}

// MunicipalStand is one of the elections of a wave.
type MunicipalStand struct {
	Year         int      `json:"year" doc:"Year of the election." example:"2026"`
	Round        int      `json:"round" doc:"Last round held, in which the winner was elected. The score is always that of the first round." example:"2"`
	Score        *float64 `json:"score" doc:"From -1 (all votes far left) to +1 (all far right), of lists with a nuance; null if less than 70 % of the votes have a place on the scale." example:"-0.2"`
	Coverage     *float64 `json:"coverage" doc:"Share of the votes expressed (0 to 1) that have a place on the scale." example:"0.91"`
	WinnerNuance *string  `json:"winnerNuance" doc:"Nuance of the list that won the council; null if not known, if the list has none, and for départements and régions." example:"LDVG"`
	WinnerBloc   *string  `json:"winnerBloc" doc:"Its bloc." example:"left"`
	TurnoutPct   *float64 `json:"turnoutPct" doc:"Voters of the first round in percent of the registered." example:"48.67"`
	Registered   *int     `json:"registered" doc:"Registered voters of the first round: turnoutPct is of these." example:"24568"`
	Expressed    int      `json:"expressed" doc:"Votes expressed in the first round: score and coverage are of these." example:"11200"`
}

// municipalWave needs a score in two of the three elections; for départements
// and régions, the same communes in all three.
func municipalWave(d *stats.Data, t *stats.Territory) *MunicipalWave {
	last := newestRound(d.Nation, municipal, 1)
	if last == nil {
		return nil
	}
	var names [3]string
	for i := range names {
		names[i] = electionName(last.year-(2-i)*MunicipalYears, municipal, 1)
	}
	w := MunicipalWave{BlocTableVersion: blocTable.Version, Method: blocTable.Method,
		Definition: municipalDefinition}
	var rounds []*Election
	if t.IsLocal() {
		rounds = w.addCommuneElections(t, names)
	} else {
		rounds = w.addPanelElections(t, names)
	}
	var scores []*float64
	for _, e := range rounds {
		scores = append(scores, e.voteBalance().meanScore())
	}
	trend := trendPerElection(rounds, scores)
	if trend == nil {
		return nil
	}
	w.TrendPerElection = *stats.Round(trend, 3)
	w.Direction = blocTable.trendDirection(w.TrendPerElection)
	var newest *int
	for _, e := range rounds {
		newest = stats.Newer(newest, e.year)
	}
	w.Envelope = roundsEnvelope(newest, rounds)
	return &w
}

// trendPerElection returns the change from one election to the next between the first and the last
// that have a score; nil with fewer than two.
func trendPerElection(rounds []*Election, scores []*float64) *float64 {
	first, last := -1, -1
	for i, s := range scores {
		if s != nil && first < 0 {
			first = i
		}
		if s != nil {
			last = i
		}
	}
	if first == last {
		return nil
	}
	return new((*scores[last] - *scores[first]) * MunicipalYears / float64(rounds[last].year-rounds[first].year))
}

func (w *MunicipalWave) addCommuneElections(t *stats.Territory, names [3]string) (rounds []*Election) {
	var winners [3]*contender
	for i, name := range names {
		e := findRound(t, name)
		if e == nil || len(e.results) == 0 {
			continue
		}
		rounds = append(rounds, e)
		decisive := e
		if second := findRound(t, electionName(e.year, municipal, 2)); second != nil {
			decisive = second
		}
		one := newMunicipalStand(e)
		one.Round = decisive.round
		if v := decisive.councilWinner(t.Code); v != nil {
			winners[i] = v.who
			one.WinnerNuance, one.WinnerBloc = stats.OmitZero(v.who.nuance), v.who.bloc
		}
		w.Elections = append(w.Elections, one)
	}
	continuity := blocTable.compareWinners(winners[1], winners[2])
	w.Continuity = &continuity
	return rounds
}

func newMunicipalStand(e *Election) MunicipalStand {
	s := e.voteBalance()
	return MunicipalStand{Year: e.year, Round: e.round, Score: stats.Round(s.meanScore(), 3),
		Coverage:   stats.Round(s.coverageShare(), 3),
		TurnoutPct: e.ballotCounts().TurnoutPct, Registered: e.registered, Expressed: s.expressed}
}

// lastBySector is the last year in which Paris, Lyon and Marseille elected their councils by sector: the
// votes of the whole city did not decide who won.
const lastBySector = 2020

// councilWinner returns the list that won the council: the one marked by the source, else the one with the
// most seats, else the one that the votes leave no doubt about; nil if it is not known.
func (e *Election) councilWinner(commune string) *votes {
	var best *votes
	for i := range e.results {
		v := &e.results[i]
		if v.elected != nil && *v.elected {
			return v
		}
		if v.seats != nil && *v.seats > 0 && (best == nil || *v.seats > *best.seats) {
			best = v
		}
	}
	sectors := e.year <= lastBySector && (commune == "75056" || commune == "69123" || commune == "13055")
	if best != nil || sectors || len(e.results) == 0 || e.expressed == nil {
		return best
	}
	first := &e.results[0] // results are in the order of votes
	tied := len(e.results) > 1 && e.results[1].votes == first.votes
	if !tied && (e.round == 2 || 2*first.votes > *e.expressed) {
		return first
	}
	return nil
}

// compareWinners compares the winners of two elections.
func (b *BlocTable) compareWinners(before, now *contender) string {
	if before == nil || now == nil || before.bloc == nil || now.bloc == nil {
		return "unknown"
	}
	switch cmp.Compare(b.positions[*now.bloc], b.positions[*before.bloc]) {
	case -1:
		return "switchLeft"
	case 1:
		return "switchRight"
	default:
		return "same"
	}
}

// addPanelElections sums the communes that have a score in all three elections, if
// at least half of the inhabitants live there.
func (w *MunicipalWave) addPanelElections(t *stats.Territory, names [3]string) []*Election {
	var sums [3]Election
	all, inside := 0.0, 0.0
	for _, c := range stats.CommunesOf(t) {
		population := c.Latest(source.PopulationMunicipal).Value
		if population == nil {
			continue
		}
		all += *population
		var rounds [3]*Election
		complete := true
		for i, name := range names {
			rounds[i] = findRound(c, name)
			complete = complete && rounds[i].voteBalance().meanScore() != nil
		}
		if !complete {
			continue
		}
		inside += *population
		for i := range sums {
			sums[i].addFigures(rounds[i])
		}
	}
	if all == 0 || inside/all < blocTable.MinPanel {
		return nil
	}
	w.PanelPopulationShare = stats.Round(new(inside/all), 3)
	rounds := make([]*Election, len(sums))
	for i := range sums {
		rounds[i] = &sums[i]
		w.Elections = append(w.Elections, newMunicipalStand(rounds[i]))
	}
	return rounds
}
