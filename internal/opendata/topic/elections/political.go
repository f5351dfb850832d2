package elections

import (
	"cmp"
	"slices"

	"arpent/internal/opendata/stats"
)

// PoliticalScore is the position of a territory's votes between left and right.
type PoliticalScore struct {
	stats.Envelope
	Value                 float64         `json:"value" minimum:"-1" maximum:"1" doc:"From -1 (all votes far left) to +1 (all far right)." example:"-0.12"`
	Label                 string          `json:"label" enum:"left,centre-left,centre,centre-right,right" doc:"The value as a word: up to -0.35 left, below -0.12 centre-left, up to 0.12 centre, below 0.35 centre-right, above right." example:"centre"`
	LargestBloc           string          `json:"largestBloc" enum:"farLeft,left,centre,right,farRight,other" doc:"The bloc with most of the votes in blocs. label is of the mean, not of it: where the left and the far right are strong, label is centre and this is one of the two." example:"left"`
	Confidence            float64         `json:"confidence" minimum:"0" maximum:"1" doc:"Share of the votes expressed (0 to 1) that have a place on the scale, over the elections used." example:"0.98"`
	Blocs                 BlocShares      `json:"blocs" doc:"Weighted shares of the blocs over the elections used."`
	Elections             []ScoreElection `json:"elections" doc:"The newest known first round of each kind, which differs from place to place: scores compare only where the same elections are used. Those without a score are not used."`
	NationalValue         *float64        `json:"nationalValue" doc:"The national value for the same elections and weights; null if not known." example:"0.03"`
	DeviationFromNational *float64        `json:"deviationFromNational" doc:"Value minus nationalValue." example:"-0.15"`
	BlocTableVersion      string          `json:"blocTableVersion" doc:"Version of the published table of blocs." example:"2026-1"`
	Method                string          `json:"method" doc:"Version of the method." example:"v1"`

	Definition *stats.Definition `json:"definition" doc:"What the score is."`
}

var scoreDefinition = stats.Define("Mean position of the votes expressed in the first rounds listed in elections, on a scale of five blocs from -1 (far left) to +1 "+
	"(far right). The scale is a convention of this service; it says where votes went, nothing of persons.",
	"politics")

// BlocShares are shares of votes.
type BlocShares struct {
	FarLeftPct  float64 `json:"farLeftPct" doc:"Percent of the votes expressed." example:"1.7"`
	LeftPct     float64 `json:"leftPct" doc:"Percent of the votes expressed." example:"30.1"`
	CentrePct   float64 `json:"centrePct" doc:"Percent of the votes expressed." example:"27.9"`
	RightPct    float64 `json:"rightPct" doc:"Percent of the votes expressed." example:"8.4"`
	FarRightPct float64 `json:"farRightPct" doc:"Percent of the votes expressed." example:"28.8"`
	OtherPct    float64 `json:"otherPct" doc:"Percent of the votes expressed: candidates and lists without a place on the scale." example:"3.1"`
}

// ScoreElection is an election used for the score.
type ScoreElection struct {
	ElectionID string   `json:"electionId" doc:"Year, kind (pres, legi, euro) and round." example:"2022_pres_t1"`
	Score      *float64 `json:"score" doc:"Score of this election; null if less than 70 % of the votes have a place on the scale or fewer than 30 were expressed." example:"-0.05"`
	Weight     *float64 `json:"weight" doc:"Weight in the value; the weights add up to 1. Null if the election is not used." example:"0.625"`
	Coverage   *float64 `json:"coverage" doc:"Share of the votes expressed (0 to 1) that have a place on the scale; null if not known." example:"0.966"`
	Expressed  int      `json:"expressed" doc:"Votes expressed: score and coverage are of these." example:"17554"`
	SmallBase  bool     `json:"smallBase,omitempty" doc:"True where fewer than 200 votes were expressed: each one moves the score."`
	Provisional
}

// balance is the distribution of the votes of a round over the scale.
type balance struct {
	expressed  int
	positioned int
	blocs      map[string]int
	sum        float64 // of the positions of votes
}

// newestVotes returns the newest first round of a kind with known results; nil if there is none.
func newestVotes(t *stats.Territory, kind string) *Election {
	for i := range slices.Backward(electionsOf(t)) {
		if e := &electionsOf(t)[i]; e.kind == kind && e.round == 1 && len(e.results) > 0 {
			return e
		}
	}
	return nil
}

// voteBalance counts the votes of a round; nil if they are not known.
func (e *Election) voteBalance() *balance {
	if e == nil || len(e.results) == 0 {
		return nil
	}
	s := balance{blocs: map[string]int{}}
	total := 0
	for _, v := range e.results {
		total += v.votes
		if v.who.bloc != nil {
			s.positioned += v.votes
			s.blocs[*v.who.bloc] += v.votes
			s.sum += float64(v.votes) * blocTable.positions[*v.who.bloc]
		}
	}
	s.expressed = total
	if e.expressed != nil {
		s.expressed = max(*e.expressed, total) // provisional files have more votes than were expressed
	}
	return &s
}

// coverageShare returns the share of the votes that have a place on the scale.
func (s *balance) coverageShare() *float64 {
	if s == nil || s.expressed == 0 {
		return nil
	}
	return new(float64(s.positioned) / float64(s.expressed))
}

// meanScore returns a score between -1 and +1; nil if too few votes have a place.
func (s *balance) meanScore() *float64 {
	c := s.coverageShare()
	if c == nil || *c < blocTable.MinCoverage || s.expressed < blocTable.MinExpressed {
		return nil
	}
	return new(s.sum / float64(s.positioned))
}

// blocShare is the share of one of the blocs.
type blocShare struct {
	bloc string
	pct  *float64
}

// listShares returns the shares from left to right.
func (b *BlocShares) listShares() []blocShare {
	return []blocShare{{"farLeft", &b.FarLeftPct}, {"left", &b.LeftPct}, {"centre", &b.CentrePct},
		{"right", &b.RightPct}, {"farRight", &b.FarRightPct}, {"other", &b.OtherPct}}
}

// addWeighted adds the shares of the blocs with a weight, in percent.
func (b *BlocShares) addWeighted(s *balance, weight float64) {
	for _, v := range b.listShares() {
		votes := s.blocs[v.bloc]
		if v.bloc == "other" {
			votes = s.expressed - s.positioned
		}
		*v.pct += 100 * weight * float64(votes) / float64(s.expressed)
	}
}

func (b *BlocShares) roundShares() {
	for _, v := range b.listShares() {
		*v.pct = *stats.Round(v.pct, 2)
	}
}

// largestBloc returns the name of the bloc with most votes, of equal ones the first from left to right.
func (b *BlocShares) largestBloc() string {
	return slices.MaxFunc(b.listShares(), func(x, y blocShare) int { return cmp.Compare(*x.pct, *y.pct) }).bloc
}

// nationalKinds are the elections used for the score.
var nationalKinds = []struct{ kind, weight string }{
	{presidential, "presidential"}, {legislative, "legislative"}, {european, "european"},
}

// politicalScore weights the newest first round of each kind of national election that is known for the
// territory. These differ from place to place, and the result lists them.
func politicalScore(d *stats.Data, t *stats.Territory) *PoliticalScore {
	p := PoliticalScore{BlocTableVersion: blocTable.Version, Method: blocTable.Method,
		Definition: scoreDefinition}
	var counted []*Election
	var weights []float64
	total := 0.0
	for _, k := range nationalKinds {
		e := newestVotes(t, k.kind)
		s := e.voteBalance()
		if s == nil {
			continue
		}
		score := s.meanScore()
		p.Elections = append(p.Elections, ScoreElection{ElectionID: e.name, Score: stats.Round(score, 3),
			Coverage: stats.Round(s.coverageShare(), 3), Expressed: s.expressed,
			SmallBase: s.expressed < stats.SmallBase, Provisional: newProvisional(e)})
		if score != nil {
			counted, weights = append(counted, e), append(weights, blocTable.Weights[k.weight])
			total += blocTable.Weights[k.weight]
		}
	}
	if len(counted) == 0 {
		return nil
	}
	value := 0.0
	for i, e := range counted {
		w := weights[i] / total
		weights[i] = w
		s := e.voteBalance()
		value += w * *s.meanScore()
		p.Confidence += w * *s.coverageShare()
		p.Blocs.addWeighted(s, w)
		at := slices.IndexFunc(p.Elections, func(one ScoreElection) bool { return one.ElectionID == e.name })
		p.Elections[at].Weight = stats.Round(&w, 3)
		p.Year = stats.Newer(p.Year, e.year)
	}
	p.Envelope = roundsEnvelope(p.Year, counted)
	p.Value, p.Confidence = *stats.Round(&value, 3), *stats.Round(&p.Confidence, 3)
	p.Label = blocTable.scoreLabel(p.Value)
	p.Blocs.roundShares()
	p.LargestBloc = p.Blocs.largestBloc()
	if nation := weightedScore(d.Nation, counted, weights); nation != nil {
		p.NationalValue = stats.Round(nation, 3)
		p.DeviationFromNational = stats.Round(new(p.Value-*p.NationalValue), 3)
	}
	return &p
}

// weightedScore returns the value of a territory for the rounds of another
// one; nil if it has no score in one of them.
func weightedScore(t *stats.Territory, rounds []*Election, weights []float64) *float64 {
	value := 0.0
	for i, e := range rounds {
		score := findRound(t, e.name).voteBalance().meanScore()
		if score == nil {
			return nil
		}
		value += weights[i] * *score
	}
	return &value
}

// scoreLabel returns the word for a value.
func (b *BlocTable) scoreLabel(value float64) string {
	switch {
	case value <= b.Labels["left"]:
		return "left"
	case value < b.Labels["centre-left"]:
		return "centre-left"
	case value <= b.Labels["centre"]:
		return "centre"
	case value < b.Labels["centre-right"]:
		return "centre-right"
	default:
		return "right"
	}
}
