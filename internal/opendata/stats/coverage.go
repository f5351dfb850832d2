package stats

import "slices"

// KeyCoverage counts how many territories of a level have a key.
type KeyCoverage struct {
	Key   string `json:"key"`
	Known int    `json:"known"` // territories with a value
	Of    int    `json:"of"`
	From  int    `json:"from,omitempty"` // the oldest and the newest year
	To    int    `json:"to,omitempty"`
	// In counts them by the code of the département that they lie in; a
	// département lies in itself, a région in none.
	In map[string]KnownIn `json:"in,omitempty"`
}

// KnownIn is how many territories of a département have a key, and of which years: 0 is none.
type KnownIn struct {
	Known int `json:"known"`
	From  int `json:"from,omitempty"`
	To    int `json:"to,omitempty"`
}

// SourceSummary describes what of a source is served.
type SourceSummary struct {
	Communes int      `json:"communes"` // of today that have a value
	Of       int      `json:"of"`
	Periods  []string `json:"periods"`
}

// keyTally counts the keys of rendered territories.
type keyTally struct {
	blocks         []Block
	territoryCount int
	keys           map[string]*KeyCoverage
}

func newKeyTally(blocks []Block) *keyTally {
	t := &keyTally{blocks: blocks, keys: map[string]*KeyCoverage{}}
	for _, b := range blocks {
		t.keys[b.key] = &KeyCoverage{Key: b.key}
	}
	return t
}

// countKey notes that a territory has a key, and of which year if it has one.
func (t *keyTally) countKey(key string, of *Territory, year *int) {
	k := t.keys[key]
	k.Known++
	k.From, k.To = widenYears(k.From, k.To, year)
	departement := of.enclosingDepartement()
	if departement == nil {
		return
	}
	if k.In == nil {
		k.In = map[string]KnownIn{}
	}
	in := k.In[departement.Code]
	in.Known++
	in.From, in.To = widenYears(in.From, in.To, year)
	k.In[departement.Code] = in
}

// widenYears widens a span of years, of which 0 is none.
func widenYears(from, to int, year *int) (int, int) {
	if year == nil {
		return from, to
	}
	if from == 0 || *year < from {
		from = *year
	}
	return from, max(to, *year)
}

// enclosingDepartement is the one that a territory lies in; nil: in none.
func (t *Territory) enclosingDepartement() *Territory {
	switch t.Level {
	case Arrondissement:
		return t.Parent.enclosingDepartement()
	case Commune:
		return t.Parent
	case Departement:
		return t
	default:
		return nil
	}
}

func (t *keyTally) keyCoverages() (out []KeyCoverage) {
	for _, b := range t.blocks {
		k := *t.keys[b.key]
		k.Of = t.territoryCount
		out = append(out, k)
	}
	return out
}

// summarizeSources counts the communes of which a source has something.
func (d *Data) summarizeSources() map[string]SourceSummary {
	all := sourceSummaries{}
	figures := map[[2]uint16]*Territory{} // the last commune that has some of a load and period
	for _, t := range d.Communes {
		for _, f := range t.figures {
			if key := [2]uint16{f.from, f.period}; f.known && f.from != 0 && figures[key] != t {
				figures[key] = t
				all.countCommune(t, d.names.loads[f.from], d.names.periods.all[f.period])
			}
		}
		for _, f := range t.facts {
			all.countCommune(t, f.From, f.Period)
		}
		for _, of := range d.catalogue.topics {
			if of.EachLoad != nil {
				of.EachLoad(d, t, func(from *Load, period string) { all.countCommune(t, from, period) })
			}
		}
	}
	out := map[string]SourceSummary{}
	for name, sum := range all {
		sum.Of = len(d.Communes)
		slices.Sort(sum.Periods)
		out[name] = sum.SourceSummary
	}
	return out
}

// sourceSummaries are those in the making, by name of the source.
type sourceSummaries map[string]*summaryCounter

type summaryCounter struct {
	SourceSummary
	lastCounted *Territory // that was counted
}

func (all sourceSummaries) countCommune(t *Territory, from *Load, period string) {
	sum := all[from.Source]
	if sum == nil {
		sum = &summaryCounter{}
		all[from.Source] = sum
	}
	if sum.lastCounted != t {
		sum.lastCounted = t
		sum.Communes++
	}
	if period != "" && !slices.Contains(sum.Periods, period) {
		sum.Periods = append(sum.Periods, period)
	}
}
