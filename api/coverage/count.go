package coverage

import (
	"context"
	_ "embed"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
	"arpent/internal/opendata/stats"
)

//go:embed loaded.sql
var loadedAreas string

// layerCoverage is what is loaded of one layer.
type layerCoverage struct {
	completeUnits, partialUnits []bool         // by unit
	departementEditions         []editionRange // by département
}

// editionRange are the oldest and the newest of some loads; empty: the files do not say.
type editionRange struct{ oldest, newest string }

// countCoverage counts everything anew in one transaction. It returns the editions of the layers too.
func (c Catalogue) countCoverage(ctx context.Context, tx pgx.Tx, now time.Time) (*Document, map[string]Share,
	error) {
	p, err := readPlaces(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	layers, err := p.readLayers(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	loaded := map[string]Share{}
	for name, l := range layers {
		if !slices.Contains(l.completeUnits, true) && !slices.Contains(l.partialUnits, true) {
			continue
		}
		var all Share
		for _, e := range l.departementEditions {
			all.includeEditions(e.oldest, e.newest)
		}
		loaded[name] = all
	}
	for _, of := range c.Parcels() {
		var e editionRange
		if !of.Day.IsZero() {
			e.oldest = of.Day.Format(time.DateOnly)
			e.newest = e.oldest
		}
		p.coverArea(p.layerOf(layers, Parcels), of.Code, of.Complete, e)
	}
	d := &Document{CountedAt: now.UTC().Truncate(time.Second), Communes: len(p.communes),
		Departements: p.departements}
	for i := range d.Departements {
		of := &d.Departements[i]
		of.Data, of.Report, of.Statistics, of.Own = map[string]Share{}, map[string]Share{}, map[string]Share{},
			[]string{}
	}
	for name, made := range map[string][]string{Parcels: {Parcels}, Addresses: c.Addresses, Sales: {"dvf"}} {
		p.countKey(d, Key{Part: Data, Name: name}, report.Key{Layers: made}, layers)
	}
	slices.SortFunc(d.Keys, func(a, b Key) int { return dataOrder[a.Name] - dataOrder[b.Name] })
	for _, k := range c.Report {
		p.countKey(d, Key{Part: Report, Group: string(k.Group), Name: k.Name}, k, layers)
	}
	if c.Statistics != nil {
		d.addStatistics(c.Statistics())
	}
	return d, loaded, nil
}

var dataOrder = map[string]int{Parcels: 1, Addresses: 2, Sales: 3}

// readLayers reads what is loaded, by layer.
func (p *placeIndex) readLayers(ctx context.Context, tx pgx.Tx) (map[string]*layerCoverage, error) {
	rows, _ := tx.Query(ctx, loadedAreas) // the rows have its error too
	layers := map[string]*layerCoverage{}
	var name, area string
	var e editionRange
	_, err := pgx.ForEachRow(rows, []any{&name, &area, &e.oldest, &e.newest}, func() error {
		p.coverArea(p.layerOf(layers, name), area, true, e)
		return nil
	})
	return layers, err
}

// layerOf returns the layer of a name, an empty one if there is none yet.
func (p *placeIndex) layerOf(layers map[string]*layerCoverage, name string) *layerCoverage {
	l := layers[name]
	if l == nil {
		l = &layerCoverage{completeUnits: make([]bool, p.unitCount), partialUnits: make([]bool, p.unitCount)}
		l.departementEditions = make([]editionRange, len(p.departements))
		layers[name] = l
	}
	return l
}

// coverArea notes that a load covers an area. One that is no place of
// today's is passed over, as a report does.
func (p *placeIndex) coverArea(l *layerCoverage, area string, complete bool, e editionRange) {
	if area == "" {
		for i := range l.completeUnits {
			l.completeUnits[i] = true
		}
		for i := range l.departementEditions {
			l.departementEditions[i].includeRange(e)
		}
		return
	}
	in := l.completeUnits
	if !complete || p.former[area] {
		in = l.partialUnits
	}
	units := p.units[area]
	for _, u := range units {
		in[u] = true
	}
	if at, known := p.departementOf(area); known && len(units) > 0 {
		l.departementEditions[at].includeRange(e)
	}
}

// departementOf finds the département of an area, whose code begins with that of the département.
func (p *placeIndex) departementOf(area string) (at int, known bool) {
	for _, length := range []int{2, 3} {
		if len(area) >= length {
			if at, known = p.findDepartement(area[:length]); known {
				return at, true
			}
		}
	}
	return 0, false
}

func (e *editionRange) includeRange(other editionRange) {
	s := Share{Oldest: e.oldest, Newest: e.newest}
	s.includeEditions(other.oldest, other.newest)
	e.oldest, e.newest = s.Oldest, s.Newest
}

// countKey counts a key that is made from layers: a unit is covered where one of its layers is loaded, and
// all of those without which an empty answer would mean nothing.
func (p *placeIndex) countKey(d *Document, k Key, made report.Key, layers map[string]*layerCoverage) {
	whole, part := make([]bool, p.unitCount), make([]bool, p.unitCount)
	for _, name := range made.Layers {
		if l := layers[name]; l != nil {
			for u := range whole {
				whole[u], part[u] = whole[u] || l.completeUnits[u], part[u] || l.partialUnits[u]
			}
		}
	}
	for _, name := range made.Complete {
		l := layers[name]
		for u := range whole {
			whole[u] = whole[u] && l != nil && l.completeUnits[u]
		}
	}
	var nowhere []string
	if made.Gap.State == state.NotApplicable {
		nowhere = made.Gap.Departements
	}
	in := p.countShares(whole, part, nowhere)
	for at, s := range in {
		for _, name := range made.Layers {
			if l := layers[name]; l != nil && !s.None() {
				s.includeEditions(l.departementEditions[at].oldest, l.departementEditions[at].newest)
			}
		}
		k.addShare(s)
		of := &d.Departements[at]
		switch {
		case k.Part == Data:
			of.Data[k.Name] = s
		case !s.None() || !s.Applies():
			of.Report[k.Name] = s
		}
	}
	d.Keys = append(d.Keys, k)
}

// countShares counts the communes of each département.
func (p *placeIndex) countShares(whole, part []bool, nowhere []string) []Share {
	out := make([]Share, len(p.departements))
	for _, c := range p.communes {
		s := &out[c.departement]
		if slices.Contains(nowhere, p.departements[c.departement].Code) {
			continue
		}
		s.Of++
		covered, some := true, false
		for _, u := range c.units {
			covered, some = covered && whole[u], some || whole[u] || part[u]
		}
		switch {
		case covered:
			s.Communes++
		case some:
			s.Partly++
		}
	}
	return out
}

// addShare adds the share of a département to that of the country.
func (k *Key) addShare(s Share) {
	k.Communes, k.Partly, k.Of = k.Communes+s.Communes, k.Partly+s.Partly, k.Of+s.Of
	k.includeEditions(s.Oldest, s.Newest)
}

// addStatistics takes over what was counted when the statistics were rendered.
func (d *Document) addStatistics(served *stats.Snapshot) {
	if served == nil {
		return
	}
	for _, counted := range served.Coverage(stats.Commune) {
		k := Key{Part: Statistics, Name: counted.Key}
		for i := range d.Departements {
			of := &d.Departements[i]
			in := counted.In[of.Code]
			s := Share{Communes: min(in.Known, of.Communes), Of: of.Communes}
			s.includeEditions(formatYear(in.From), formatYear(in.To))
			k.addShare(s)
			if !s.None() {
				of.Statistics[k.Name] = s
			}
		}
		d.Keys = append(d.Keys, k)
	}
	for _, counted := range served.Coverage(stats.Departement) {
		for i := range d.Departements {
			if of := &d.Departements[i]; counted.In[of.Code].Known > 0 {
				of.Own = append(of.Own, counted.Key)
			}
		}
	}
}

func formatYear(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
