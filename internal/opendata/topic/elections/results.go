package elections

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"arpent/internal/opendata/stats"
)

// Elections is the newest vote of a commune or département in each kind of election.
type Elections struct {
	stats.Envelope
	Contests
}

// Contests are the newest elections of each kind.
type Contests struct {
	Presidential *Contest          `json:"presidential" doc:"The newest presidential election whose results are loaded for the place; null where its results are not known."`
	Legislative  *Contest          `json:"legislative" doc:"The newest legislative election whose results are loaded for the place, by nuance in départements and régions; null where its results are not known."`
	European     *Contest          `json:"european" doc:"The newest European election whose results are loaded for the place, which has one round; null where its results are not known."`
	Municipal    *MunicipalContest `json:"municipal" doc:"The newest municipal election whose results are loaded for the place; null where its results are not known."`
	NotLoaded    []MissingElection `json:"notLoaded" doc:"Elections that are newer than those given, or of a kind that is not given, and that no source is loaded of on this server; empty where all of the newest are."`
}

// MissingElection is an election that no source is loaded of.
type MissingElection struct {
	Kind   string `json:"kind" enum:"presidential,legislative,european,municipal" doc:"Kind of election."`
	Year   int    `json:"year" doc:"Year of the election." example:"2024"`
	Source string `json:"source" doc:"A source that has it, by its name on the page of sources." example:"election-agregee-candidats"`
	Reason string `json:"reason,omitempty" doc:"Only of communes and arrondissements whose département has the election: how to ask for it." example:"Its département has it: 93 with fields=election.presidential."`
}

// newestElections are the newest elections of each kind, with a source of their results by commune and one by
// département.
var newestElections = []struct {
	kind                     string
	year                     int
	byCommune, byDepartement string
}{
	{"presidential", 2022, "election-presidentielle-2022-communes", "election-presidentielle-2022-departements"},
	{"legislative", 2024, "election-agregee-candidats", "election-legislatives-2024"},
	{"european", 2024, "election-agregee-candidats", "election-agregee-candidats"},
	{"municipal", 2026, "election-municipales-2026", "election-municipales-2026"},
}

// listMissingElections lists the newest elections that no source is loaded of. years are those that are
// given, by kind.
func listMissingElections(d *stats.Data, t *stats.Territory, years map[string]int) []MissingElection {
	missing := []MissingElection{}
	for _, e := range newestElections {
		source := e.byCommune
		if !t.IsLocal() {
			source = e.byDepartement
		}
		if years[e.kind] < e.year && len(d.LoadsOf(source)) == 0 {
			missing = append(missing, MissingElection{Kind: e.kind, Year: e.year, Source: source,
				Reason: pointToDepartement(t, e.kind, e.year)})
		}
	}
	return missing
}

// electionKinds are the kinds of elections in the names of rounds, by their names in answers.
var electionKinds = map[string]string{"presidential": presidential, "legislative": legislative,
	"european": european, "municipal": municipal}

// pointToDepartement says that the département of a commune or arrondissement has an election; empty: it has
// not, or the territory is larger.
func pointToDepartement(t *stats.Territory, kind string, year int) string {
	if !t.IsLocal() {
		return ""
	}
	above := t.Parent
	for above != nil && above.Level != stats.Departement {
		above = above.Parent
	}
	if above == nil || findRound(above, electionName(year, electionKinds[kind], 1)) == nil &&
		findRound(above, electionName(year, electionKinds[kind], 2)) == nil {
		return ""
	}
	return fmt.Sprintf("Its département has it: %s with fields=election.%s.", above.Code, kind)
}

// Contest is an election.
type Contest struct {
	Year   int    `json:"year" doc:"Year of the election." example:"2022"`
	Source string `json:"source" doc:"Producer and title of the data set." example:"Ministère de l'Intérieur, Élection présidentielle 2022"`
	Round1 *Round `json:"round1" doc:"First round; null if not known."`
	Round2 *Round `json:"round2" doc:"Second round; null where it was not held, and where its results are not loaded."`
	Provisional
}

// Provisional marks what comes from a file that says that it is provisional.
type Provisional struct {
	Provisional bool `json:"provisional,omitempty" doc:"True where the file says that its numbers are provisional: those of the night of the vote, before they were checked. Absent where it does not say so."`
}

// Struck marks votes of which some were struck later.
type Struck struct {
	BeforeAnnulments bool `json:"beforeAnnulments,omitempty" doc:"True where the counts are those before the Constitutional Council struck some votes: the result that it declared has slightly fewer."`
}

// CountryTurnout is the turnout of all départements in a round.
type CountryTurnout struct {
	AllDepartementsTurnoutPct *float64 `json:"allDepartementsTurnoutPct" doc:"turnoutPct of the 101 départements together, from their counts, to compare with. It is not that of France as it is announced, which has the overseas collectivities and the French abroad too. Null where the counts of a département are not loaded." example:"73.26"`
}

// newCountryTurnout looks it up.
func newCountryTurnout(d *stats.Data, e *Election) CountryTurnout {
	return CountryTurnout{countrySlot.Of(d)[e.name].turnoutPct}
}

// newStruck reports whether a round is of a file that was made before votes were struck: that of the second
// round of 2022 by département has 32 077 524 votes expressed.
func newStruck(e *Election) Struck {
	return Struck{e.name == electionName(2022, presidential, 2) && slices.ContainsFunc(e.sourceLoads(),
		func(l *stats.Load) bool { return l.Source == secondRoundsByDepartement })}
}

// newProvisional reports whether any of the rounds is of a provisional file.
func newProvisional(rounds ...*Election) Provisional {
	for _, e := range rounds {
		if e == nil {
			continue
		}
		for _, l := range e.sourceLoads() {
			if l.Provisional {
				return Provisional{true}
			}
		}
	}
	return Provisional{}
}

// Ballot counts the voters of a round.
type Ballot struct {
	Registered *int     `json:"registered" doc:"Registered voters." example:"24568"`
	Voters     *int     `json:"voters" doc:"Number who voted." example:"18122"`
	TurnoutPct *float64 `json:"turnoutPct" doc:"Voters in percent of the registered." example:"73.76"`
	Blank      *int     `json:"blank" doc:"Blank votes; null where they were not counted separately from the spoiled ones." example:"386"`
	Spoiled    *int     `json:"spoiled" doc:"Spoiled votes." example:"182"`
	Expressed  *int     `json:"expressed" doc:"Votes expressed: those that are neither blank nor spoiled." example:"17554"`
	SmallBase  bool     `json:"smallBase,omitempty" doc:"True where fewer than 200 votes were expressed: each one moves the shares by half a percent or more."`
}

// Round is one round of an election.
type Round struct {
	// Source is left out where it is that of the election.
	Source string `json:"source,omitempty" doc:"Producer and title of the data set, where the rounds have different ones."`
	Ballot
	Struck
	Results []Candidate `json:"results" doc:"Candidates or lists, sorted by votes, descending; null if not known."`
	CountryTurnout
	AllDepartementsNote string `json:"allDepartementsNote,omitempty" doc:"Only of presidential rounds: what allDepartementsTurnoutPct and allDepartementsSharePct leave out. Absent where neither is known."`
}

// beyondDepartements says what figures of all départements leave out.
const beyondDepartements = "Of the 101 départements, without the overseas collectivities and the French abroad: not the result of France."

// Candidate is a candidate, a list or a nuance with its votes.
type Candidate struct {
	Key      string   `json:"key,omitempty" doc:"Only of presidential candidates and of votes by nuance: the surname or the code of the nuance in letters and digits, by which fields and sort name one of the results, such as election.presidential.round2.results.LEPEN.sharePct." example:"MELENCHON"`
	Name     *string  `json:"name" doc:"Candidate, or title of the list; null where votes are published by nuance." example:"Jean-Luc MÉLENCHON"`
	Party    *string  `json:"party" doc:"Party, or the meaning of the nuance; null if not known." example:"La France insoumise"`
	Nuance   *string  `json:"nuance" doc:"Political label assigned by the ministry, as its code; null where it assigned none, as for presidential candidates." example:"RN"`
	Bloc     *string  `json:"bloc" doc:"farLeft, left, centre, right or farRight in the published table; null for what has no place in it." example:"left"`
	Votes    int      `json:"votes" doc:"Votes." example:"6055"`
	SharePct *float64 `json:"sharePct" doc:"Votes in percent of those expressed; null for all of them where a provisional file has more votes than were expressed." example:"34.49"`
	// AllDepartementsSharePct is left out of what is known by list or by nuance.
	AllDepartementsSharePct *float64 `json:"allDepartementsSharePct,omitempty" doc:"Only of presidential candidates: sharePct in the 101 départements together, from their counts, to compare with. It is not that of France as it is announced, which has the overseas collectivities and the French abroad too. Absent where the results of a département are not loaded." example:"21.95"`
	FranceSharePct          *float64 `json:"franceSharePct,omitempty" doc:"Only of presidential candidates: sharePct in all of France, the overseas collectivities and the French abroad among it. Absent where the loaded files lack these." example:"21.95"`
}

// SeriesKeys are the surnames of the presidential candidates in the table of blocs, of the newest election
// first, and its nuances.
func (Candidate) SeriesKeys() []string { return candidateKeys() }

var candidateKeys = sync.OnceValue(func() (keys []string) {
	byYear := slices.Clone(blocTable.Candidates)
	slices.SortStableFunc(byYear, func(a, b CandidateBloc) int { return b.Year - a.Year })
	add := func(name string) {
		if key := resultKey(name); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, c := range byYear {
		add(c.Surname)
	}
	for _, n := range blocTable.Nuances {
		add(n.Code)
	}
	return keys
})

// resultKey is a surname or the code of a nuance as the part of a field.
func resultKey(name string) string { return strings.ReplaceAll(foldName(name), " ", "") }

// MunicipalContest is a round of a municipal election.
type MunicipalContest struct {
	Year   int    `json:"year" doc:"Year of the election." example:"2026"`
	Source string `json:"source" doc:"Producer and title of the data set." example:"Ministère de l'Intérieur, Élections municipales 2026"`
	Provisional
	Round int `json:"round" doc:"The newest round with known results. For départements the first, in which all communes voted." example:"1"`
	// DecisiveRound is null where the results of the second round may be missing.
	DecisiveRound *int `json:"decisiveRound" doc:"Round that decided who won the council: 1 where a list had more than half of the votes or was elected in the first, 2 where there was a second; null where the results at hand do not say, and for départements." example:"1"`
	Ballot
	Results []MunicipalList `json:"results" doc:"Lists, sorted by votes, descending; for départements nuances, with all lists without one counted together. Null if not known."`
	CountryTurnout
}

// MunicipalList is a list of candidates or, for départements, all lists of a nuance.
type MunicipalList struct {
	List     *string  `json:"list" doc:"Title of the list, or the candidate where there were no lists, as in communes of under 1 000 inhabitants until 2020; null for départements." example:"TOUS AMBARROIS"`
	Nuance   *string  `json:"nuance" doc:"Political label assigned by the ministry, as its code; null where it assigned none, as in most communes of under 3 500 inhabitants." example:"LDVC"`
	Bloc     *string  `json:"bloc" doc:"farLeft, left, centre, right or farRight in the published table; null for what has no place in it." example:"centre"`
	Votes    int      `json:"votes" doc:"Votes." example:"2210"`
	SharePct *float64 `json:"sharePct" doc:"Votes in percent of those expressed; null for all of them where a provisional file has more votes than were expressed." example:"54.15"`
	Seats    *int     `json:"seats" doc:"Seats in the municipal council; null while they are not allocated, and for départements." example:"26"`
	Elected  *bool    `json:"elected" doc:"Whether the list won the council; null where the source does not say."`
}

// buildElections returns the newest election of each kind.
func buildElections(d *stats.Data, t *stats.Territory) *Elections {
	contests, sources, newest := findContests(d, t)
	if newest == 0 {
		return nil
	}
	return &Elections{stats.Envelope{Source: joinLabels(sources), Year: &newest}, contests}
}

// findContests returns the newest election of each kind, their sources and the newest year; 0: none is known.
func findContests(d *stats.Data, t *stats.Territory) (e Contests, sources []string, newest int) {
	e = Contests{
		Presidential: newestContest(d, t, presidential), Legislative: newestContest(d, t, legislative),
		European:  newestContest(d, t, european),
		Municipal: municipalContest(d, t),
	}
	years := map[string]int{}
	for kind, c := range map[string]*Contest{"presidential": e.Presidential, "legislative": e.Legislative, "european": e.European} {
		if c != nil {
			sources, newest, years[kind] = append(sources, c.Source), max(newest, c.Year), c.Year
		}
	}
	if m := e.Municipal; m != nil {
		sources, newest, years["municipal"] = append(sources, m.Source), max(newest, m.Year), m.Year
	}
	e.NotLoaded = listMissingElections(d, t, years)
	return e, sources, newest
}

// joinLabels joins the labels of several sources, each once.
func joinLabels(sources []string) string {
	var all []string
	for _, s := range sources {
		all = append(all, strings.Split(s, "; ")...)
	}
	slices.Sort(all)
	all = slices.DeleteFunc(slices.Compact(all), func(s string) bool { return s == "" })
	return strings.Join(all, "; ")
}

// roundsEnvelope returns the envelope of a value of rounds, the newest of which is of that year.
func roundsEnvelope(year *int, rounds []*Election) stats.Envelope {
	var loads []*stats.Load
	for _, e := range rounds {
		loads = append(loads, e.sourceLoads()...)
	}
	e := stats.EnvelopeOfLoads(loads)
	e.Source, e.Year = joinRoundLabels(rounds...), year
	return e
}

// summedMethod stands next to the sources of what is summed for a région.
const summedMethod = "summed from the départements"

func joinRoundLabels(rounds ...*Election) string {
	var all []string
	for _, e := range rounds {
		if e != nil {
			all = append(all, e.turnoutFrom.Label(), e.resultsFrom.Label())
			if e.isSum {
				all = append(all, summedMethod)
			}
		}
	}
	return joinLabels(all)
}

func newestContest(d *stats.Data, t *stats.Territory, kind string) *Contest {
	year := 0
	for _, round := range []int{1, 2} {
		if e := newestRound(t, kind, round); e != nil {
			year = max(year, e.year)
		}
	}
	if year == 0 {
		return nil
	}
	first, second := findRound(t, electionName(year, kind, 1)), findRound(t, electionName(year, kind, 2))
	c := Contest{Year: year, Source: joinRoundLabels(first, second), Round1: newRound(d, first),
		Round2: newRound(d, second), Provisional: newProvisional(first, second)}
	for round, e := range map[*Round]*Election{c.Round1: first, c.Round2: second} {
		if label := joinRoundLabels(e); round != nil && label != c.Source {
			round.Source = label
		}
	}
	return &c
}

func newRound(d *stats.Data, e *Election) *Round {
	if e == nil {
		return nil
	}
	r := Round{Ballot: e.ballotCounts(), Struck: newStruck(e), CountryTurnout: newCountryTurnout(d, e)}
	nation := findRound(d.Nation, e.name)
	for _, v := range e.results {
		r.Results = append(r.Results, Candidate{
			Name: v.who.displayName(), Party: stats.OmitZero(v.who.party), Nuance: stats.OmitZero(v.who.nuance),
			Bloc: v.who.bloc, Votes: v.votes, SharePct: e.sharePct(v.votes),
		})
		one := &r.Results[len(r.Results)-1]
		switch {
		case e.kind == presidential:
			one.Key = resultKey(v.who.name)
			if share, known := countrySlot.Of(d)[e.name].sharePct[v.who]; known {
				one.AllDepartementsSharePct = &share
				r.AllDepartementsNote = beyondDepartements
			}
			if one.FranceSharePct = nation.shareOf(v.who); one.FranceSharePct != nil && r.AllDepartementsNote != "" {
				r.AllDepartementsNote = beyondDepartements + " franceSharePct is."
			}
		case one.Name == nil:
			one.Key = resultKey(v.who.nuance)
		}
	}
	return &r
}

// shareOf returns the share of a contender in a round; nil: it is not known, or the round is none.
func (e *Election) shareOf(who *contender) *float64 {
	if e == nil {
		return nil
	}
	at := slices.IndexFunc(e.results, func(v votes) bool { return v.who == who })
	if at < 0 {
		return nil
	}
	return e.sharePct(e.results[at].votes)
}

// ballotCounts omits the voters where there are more than registered, or fewer than
// votes: provisional files have such errors.
func (e *Election) ballotCounts() Ballot {
	b := Ballot{Registered: e.registered, Voters: e.voters, Blank: e.blank, Spoiled: e.spoiled,
		Expressed: e.expressed}
	if isGreater(b.Voters, b.Registered) || isGreater(b.Expressed, b.Voters) {
		b.Voters = nil
	}
	b.TurnoutPct = percentOf(b.Voters, b.Registered)
	b.SmallBase = b.Expressed != nil && *b.Expressed < stats.SmallBase
	return b
}

func isGreater(a, b *int) bool { return a != nil && b != nil && *a > *b }

// displayName returns the name of the candidate, else that of the list.
func (c *contender) displayName() *string {
	if c.name == "" || c.list != "" {
		return stats.OmitZero(c.list)
	}
	return stats.OmitZero(strings.TrimSpace(c.given + " " + c.name))
}

// percentOf returns a in percent of b, with two decimals.
func percentOf(a, b *int) *float64 {
	if a == nil || b == nil {
		return nil
	}
	x, y := float64(*a), float64(*b)
	return stats.Share(&x, &y)
}

func municipalContest(d *stats.Data, t *stats.Territory) *MunicipalContest {
	e := newestRound(t, municipal, 1)
	if second := newestRound(t, municipal, 2); second != nil && t.IsLocal() &&
		(e == nil || second.year >= e.year) {
		e = second
	}
	if e == nil {
		return nil
	}
	c := MunicipalContest{Year: e.year, Source: joinRoundLabels(e), Provisional: newProvisional(e),
		Round: e.round, Ballot: e.ballotCounts(), CountryTurnout: newCountryTurnout(d, e)}
	if t.IsLocal() {
		// A second round is only held where it decides. In the first, candidates without a list won seats one by
		// one: the others may have been left for the second.
		if v := e.councilWinner(t.Code); e.round == 2 || v != nil && v.who.list != "" {
			c.DecisiveRound = new(e.round)
		}
	}
	for _, v := range e.results {
		c.Results = append(c.Results, MunicipalList{
			List: v.who.displayName(), Nuance: stats.OmitZero(v.who.nuance), Bloc: v.who.bloc, Votes: v.votes,
			SharePct: e.sharePct(v.votes), Seats: v.seats, Elected: v.elected,
		})
	}
	return &c
}

// RegionElections is the turnout of a région in each round, and its newest vote in each kind of election.
type RegionElections struct {
	stats.Envelope
	Turnout []ElectionTurnout `json:"turnout" doc:"Rounds of elections, by name. The second round of municipal elections took place in some communes only."`
	Contests
}

// ElectionTurnout is the turnout of a round.
type ElectionTurnout struct {
	ElectionID string   `json:"electionId" doc:"Year, kind (pres, legi, euro, muni) and round." example:"2022_pres_t1"`
	Year       int      `json:"year" doc:"Year of the election." example:"2022"`
	Source     string   `json:"source" doc:"Producer and title of the data set." example:"Ministère de l'Intérieur, Élection présidentielle 2022"`
	Registered *int     `json:"registered" doc:"Registered voters." example:"5730461"`
	Voters     *int     `json:"voters" doc:"Number who voted." example:"4376853"`
	TurnoutPct *float64 `json:"turnoutPct" doc:"Voters in percent of the registered." example:"76.38"`
	Provisional
	Struck
	CountryTurnout
}

func buildRegionElections(d *stats.Data, t *stats.Territory) *RegionElections {
	contests, sources, newest := findContests(d, t)
	out := RegionElections{Turnout: []ElectionTurnout{}, Contests: contests}
	for i := range electionsOf(t) {
		e := &electionsOf(t)[i]
		if e.voters == nil || e.registered == nil {
			continue
		}
		one := ElectionTurnout{ElectionID: e.name, Year: e.year, Source: e.turnoutFrom.Label(),
			Registered: e.registered, Voters: e.voters, TurnoutPct: percentOf(e.voters, e.registered),
			Provisional: newProvisional(e), Struck: newStruck(e), CountryTurnout: newCountryTurnout(d, e)}
		out.Turnout = append(out.Turnout, one)
		sources, newest = append(sources, one.Source), max(newest, e.year)
	}
	if newest == 0 {
		return nil
	}
	out.Source, out.Year = joinLabels(sources), &newest
	return &out
}

// sharePct returns the share of the votes expressed; nil where the shares cannot be relied on: see overfull.
func (e *Election) sharePct(votes int) *float64 {
	if e.expressed == nil || e.hasExcessVotes() {
		return nil
	}
	return percentOf(&votes, e.expressed)
}

// hasExcessVotes reports whether the votes are more than those expressed, as in some communes of
// provisional files: which of the numbers is wrong is not known. In sums an excess below the last
// decimal of a share is none. Until 2020 the voters of small communes named several candidates each, so
// that only those of a single one can be too many.
func (e *Election) hasExcessVotes() bool {
	total, most := 0, 0
	for _, v := range e.results {
		total, most = total+v.votes, max(most, v.votes)
	}
	if e.kind == municipal && e.year <= 2020 {
		total = most
	}
	excess := total - *e.expressed
	return excess > 0 && excess*20_000 >= *e.expressed
}
