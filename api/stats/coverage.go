package stats

import "slices"

// KeyCoverage counts how many territories of a level have a key.
type KeyCoverage struct {
	Key   string `json:"key"`
	Known int    `json:"known"` // territories with a value
	Of    int    `json:"of"`
	From  int    `json:"from,omitempty"` // the oldest and the newest year
	To    int    `json:"to,omitempty"`
	// In counts them by the code of the département that they lie in; a département lies in itself, a région in none.
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

// tally counts keys while they are rendered.
type tally struct {
	blocks []Block
	of     int
	keys   map[string]*KeyCoverage
}

func newTally(blocks []Block) *tally {
	t := &tally{blocks: blocks, keys: map[string]*KeyCoverage{}}
	for _, b := range blocks {
		t.keys[b.key] = &KeyCoverage{Key: b.key}
	}
	return t
}

// count notes that a territory has a key, and of which year if it has one.
func (t *tally) count(key string, of *Territory, year *int) {
	k := t.keys[key]
	k.Known++
	k.From, k.To = span(k.From, k.To, year)
	departement := of.departement()
	if departement == nil {
		return
	}
	if k.In == nil {
		k.In = map[string]KnownIn{}
	}
	in := k.In[departement.Code]
	in.Known++
	in.From, in.To = span(in.From, in.To, year)
	k.In[departement.Code] = in
}

// span widens a span of years, of which 0 is none.
func span(from, to int, year *int) (int, int) {
	if year == nil {
		return from, to
	}
	if from == 0 || *year < from {
		from = *year
	}
	return from, max(to, *year)
}

// departement is the one that a territory lies in; nil: in none.
func (t *Territory) departement() *Territory {
	switch t.Level {
	case Commune:
		return t.Parent
	case Departement:
		return t
	default:
		return nil
	}
}

func (t *tally) result() (out []KeyCoverage) {
	for _, b := range t.blocks {
		k := *t.keys[b.key]
		k.Of = t.of
		out = append(out, k)
	}
	return out
}

// summaries counts the communes of which a source has something.
func (d *Data) summaries() map[string]SourceSummary {
	all := summaries{}
	figures := map[[2]uint16]*Territory{} // the last commune that has some of a load and period
	for _, t := range d.Communes {
		for _, f := range t.figures {
			if key := [2]uint16{f.from, f.period}; f.known && f.from != 0 && figures[key] != t {
				figures[key] = t
				all.add(t, d.names.loads[f.from], d.names.periods.all[f.period])
			}
		}
		for _, f := range t.facts {
			all.add(t, f.From, f.Period)
		}
		for _, of := range d.catalogue.topics {
			if of.EachLoad != nil {
				of.EachLoad(d, t, func(from *Load, period string) { all.add(t, from, period) })
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

// summaries are those in the making, by name of the source.
type summaries map[string]*summary

type summary struct {
	SourceSummary
	last *Territory // that was counted
}

func (all summaries) add(t *Territory, from *Load, period string) {
	sum := all[from.Source]
	if sum == nil {
		sum = &summary{}
		all[from.Source] = sum
	}
	if sum.last != t {
		sum.last = t
		sum.Communes++
	}
	if period != "" && !slices.Contains(sum.Periods, period) {
		sum.Periods = append(sum.Periods, period)
	}
}
