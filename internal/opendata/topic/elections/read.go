package elections

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/stats"
)

// Kinds of elections, as the ministry writes them.
const (
	presidential = "pres"
	legislative  = "legi"
	european     = "euro"
	municipal    = "muni"
)

// Election is one round of an election in one territory.
type Election struct {
	name        string // 2017_pres_t1
	kind        string
	year, round int

	registered, voters, blank, spoiled, expressed *int
	turnoutFrom                                   *stats.Load

	results     []votes // sorted by votes, descending
	resultsFrom *stats.Load
	isSum       bool // of the rounds of the départements of a région
}

// votes are the votes for one candidate or list in one place.
type votes struct {
	who     *contender
	votes   int
	place   int
	seats   *int
	elected *bool
}

// contender is a candidate or list. There is one value of each in memory.
type contender struct {
	name, given, list, nuance string // empty: not published, or not distinguished
	party                     string
	bloc                      *string
}

// electionOf parses the name of a round; false if it is not one.
func electionOf(name string) (Election, bool) {
	parts := strings.Split(name, "_")
	if len(parts) != 3 || len(parts[2]) != 2 || parts[2][0] != 't' {
		return Election{}, false
	}
	year, errYear := strconv.Atoi(parts[0])
	round, errRound := strconv.Atoi(parts[2][1:])
	return Election{name: name, kind: parts[1], year: year, round: round}, errYear == nil && errRound == nil
}

func electionName(year int, kind string, round int) string {
	return fmt.Sprintf("%d_%s_t%d", year, kind, round)
}

// electionSlot are the elections of a territory, by name.
var electionSlot stats.Slot[[]Election]

func electionsOf(t *stats.Territory) []Election { return electionSlot.Of(t) }

// findRound returns a round; nil if nothing is known of it.
func findRound(t *stats.Territory, name string) *Election {
	i, found := slices.BinarySearchFunc(electionsOf(t), name,
		func(e Election, n string) int { return cmp.Compare(e.name, n) })
	if !found {
		return nil
	}
	return &electionsOf(t)[i]
}

// makeRound returns a round, creating it if needed.
func makeRound(t *stats.Territory, of Election) *Election {
	i, found := slices.BinarySearchFunc(electionsOf(t), of.name,
		func(e Election, n string) int { return cmp.Compare(e.name, n) })
	if !found {
		electionSlot.Put(t, slices.Insert(electionsOf(t), i, of))
	}
	return &electionsOf(t)[i]
}

// newestRound returns the newest first or second round of a kind; nil if none is known.
func newestRound(t *stats.Territory, kind string, round int) *Election {
	for i := range slices.Backward(electionsOf(t)) {
		if e := &electionsOf(t)[i]; e.kind == kind && e.round == round {
			return e
		}
	}
	return nil
}

// sourceLoads returns the loads that a round is read from.
func (e *Election) sourceLoads() []*stats.Load {
	return slices.DeleteFunc([]*stats.Load{e.turnoutFrom, e.resultsFrom},
		func(l *stats.Load) bool { return l == nil })
}

// takesPrecedence reports whether load a takes precedence over b. The order
// is total, so that the same one always wins.
func takesPrecedence(a, b *stats.Load) bool {
	return b == nil || a.Rank > b.Rank || a.Rank == b.Rank && a.Part < b.Part
}

const (
	selectTurnout = `SELECT part, level, code, election, registered, voters, blank, spoiled, expressed FROM geo.election_turnout`
	selectResults = `SELECT part, level, code, election, place, coalesce(name, ''), coalesce(given, ''), coalesce(list, ''), coalesce(nuance, ''), votes, seats, elected
FROM geo.election_result`
)

// politicalCoverage calls record with each load and period that has elections or a mayor of a commune.
func politicalCoverage(d *stats.Data, t *stats.Territory, record func(from *stats.Load, period string)) {
	for _, e := range electionsOf(t) {
		for _, from := range e.sourceLoads() {
			record(from, stats.YearPeriod(e.year))
		}
	}
	if from := d.Loads[mayorSource]; from != nil {
		if _, there := officeHolders.Of(d)[t.Code]; there {
			record(from, "")
		}
	}
}

// readPolitics reads elections and mayors.
func readPolitics(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	if err := readTurnouts(ctx, tx, d); err != nil {
		return fmt.Errorf("read the turnout of elections: %w", err)
	}
	if err := readVotes(ctx, tx, d); err != nil {
		return fmt.Errorf("read the results of elections: %w", err)
	}
	for _, r := range d.Regions {
		sumElections(r)
	}
	sumCountry(d)
	for _, all := range d.ByCode {
		for _, t := range all {
			for i := range electionsOf(t) {
				slices.SortFunc(electionsOf(t)[i].results, func(a, b votes) int {
					return cmp.Or(cmp.Compare(b.votes, a.votes), cmp.Compare(a.place, b.place))
				})
			}
		}
	}
	return readMayors(ctx, tx, d)
}

func readTurnouts(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	rows, _ := tx.Query(ctx, selectTurnout) // the rows have its error too
	var part, level, code, name string
	var registered, voters, blank, spoiled, expressed *int
	_, err := pgx.ForEachRow(rows, []any{&part, &level, &code, &name, &registered, &voters, &blank, &spoiled,
		&expressed}, func() error {
		t, from := d.Place(level, code), d.Loads[part]
		of, is := electionOf(name)
		if t == nil || from == nil || !is {
			return nil
		}
		if e := makeRound(t, of); takesPrecedence(from, e.turnoutFrom) {
			e.turnoutFrom = from
			e.registered, e.voters, e.blank, e.spoiled, e.expressed = registered, voters, blank, spoiled, expressed
		}
		return nil
	})
	return err
}

func readVotes(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	rows, _ := tx.Query(ctx, selectResults) // the rows have its error too
	known := contenders{}
	var part, level, code, name string
	var who contender
	var v votes
	_, err := pgx.ForEachRow(rows, []any{&part, &level, &code, &name, &v.place, &who.name, &who.given, &who.list,
		&who.nuance, &v.votes, &v.seats, &v.elected}, func() error {
		t, from := d.Place(level, code), d.Loads[part]
		of, is := electionOf(name)
		if t == nil || from == nil || !is {
			return nil
		}
		e := makeRound(t, of)
		if e.resultsFrom != from {
			if !takesPrecedence(from, e.resultsFrom) {
				return nil
			}
			e.resultsFrom, e.results = from, nil
		}
		one := v
		one.who = known.findOrAdd(e, who)
		e.results = append(e.results, one)
		return nil
	})
	return err
}

// contenders holds one value of each contender.
type contenders map[contenderKey]*contender

type contenderKey struct {
	year                      int // of presidential elections, part of the identity of their candidates
	name, given, list, nuance string
}

// findOrAdd returns a contender. Presidential candidates are the same whatever names a source has for them.
func (known contenders) findOrAdd(e *Election, who contender) *contender {
	key := contenderKey{0, who.name, who.given, who.list, who.nuance}
	if e.kind == presidential {
		key = contenderKey{year: e.year, name: foldName(who.name)}
	}
	if c := known[key]; c != nil {
		return c
	}
	c := who
	listed := blocTable.candidates[candidateKey{e.year, foldName(who.name)}]
	if e.kind == presidential && listed != nil {
		c.name, c.given, c.party, c.bloc = listed.Surname, listed.Given, listed.Party, listed.Bloc
	} else if n := blocTable.findNuance(who.nuance); n != nil {
		c.party, c.bloc = n.Label, n.Bloc
	}
	known[key] = &c
	return &c
}

// sumElections gives a région the sum of its départements for each round that all have and that it lacks.
func sumElections(t *stats.Territory) {
	if len(t.Children) == 0 {
		return
	}
	for i := range electionsOf(t.Children[0]) {
		sum := Election{}
		complete := true
		for _, child := range t.Children {
			e := findRound(child, electionsOf(t.Children[0])[i].name)
			if complete = e != nil; !complete {
				break
			}
			sum.addFigures(e)
		}
		if complete && findRound(t, sum.name) == nil {
			sum.isSum = true
			*makeRound(t, sum) = sum
		}
	}
}

// countryRound is a round of all départements together.
type countryRound struct {
	turnoutPct *float64               // nil: the counts of a département are not known
	sharePct   map[*contender]float64 // of presidential candidates; nil: votes are missing
}

// countrySlot are the rounds of all départements together, by name.
var countrySlot stats.Slot[map[string]countryRound]

// sumCountry computes them from the rounds of the départements.
func sumCountry(d *stats.Data) {
	type counts struct {
		counted, registered, voters int // counted: the départements with the two that follow
		withResults, expressed      int
		votes                       map[*contender]int
	}
	sums := map[string]*counts{}
	for _, t := range d.Departements {
		for _, e := range electionsOf(t) {
			of := sums[e.name]
			if of == nil {
				of = &counts{votes: map[*contender]int{}}
				sums[e.name] = of
			}
			if e.registered != nil && e.voters != nil && *e.voters <= *e.registered {
				of.counted, of.registered, of.voters = of.counted+1, of.registered+*e.registered, of.voters+*e.voters
			}
			if e.kind == presidential && e.expressed != nil && len(e.results) > 0 && !e.hasExcessVotes() {
				of.withResults, of.expressed = of.withResults+1, of.expressed+*e.expressed
				for _, v := range e.results {
					of.votes[v.who] += v.votes
				}
			}
		}
	}
	rounds := map[string]countryRound{}
	for name, of := range sums {
		one := countryRound{}
		if of.counted == len(d.Departements) {
			one.turnoutPct = percentOf(&of.voters, &of.registered)
		}
		if of.withResults == len(d.Departements) {
			one.sharePct = map[*contender]float64{}
			for who, votes := range of.votes {
				one.sharePct[who] = *percentOf(&votes, &of.expressed)
			}
		}
		rounds[name] = one
	}
	countrySlot.Put(d, rounds)
}

// addFigures adds the figures of another territory in the same round. A figure
// that one of them lacks is missing in the sum.
func (e *Election) addFigures(more *Election) {
	if e.name == "" {
		*e = *more
		e.results = slices.Clone(more.results)
		return
	}
	for _, both := range [][2]**int{{&e.registered, &more.registered}, {&e.voters, &more.voters},
		{&e.blank, &more.blank}, {&e.spoiled, &more.spoiled}, {&e.expressed, &more.expressed}} {
		if a, b := *both[0], *both[1]; a == nil || b == nil {
			*both[0] = nil
		} else {
			*both[0] = new(*a + *b)
		}
	}
	if e.turnoutFrom = preferredLoad(e.turnoutFrom, more.turnoutFrom); e.results == nil || more.results == nil {
		e.results = nil
		return
	}
	e.resultsFrom = preferredLoad(e.resultsFrom, more.resultsFrom)
	at := map[*contender]int{}
	for i, r := range e.results {
		at[r.who] = i
	}
	for _, r := range more.results {
		if i, there := at[r.who]; there {
			e.results[i].votes += r.votes
			continue
		}
		r.place = len(e.results) + 1
		at[r.who] = len(e.results)
		e.results = append(e.results, r)
	}
}

// preferredLoad returns the load of two things, the one that takes precedence if they differ.
func preferredLoad(a, b *stats.Load) *stats.Load {
	if b == nil || a != nil && takesPrecedence(a, b) {
		return a
	}
	return b
}
