package stats

import "arpent/api/source"

// MinCoverage is the share of the inhabitants that must live where a figure is known for it to be added up.
const MinCoverage = 0.95

// sums are what the communes of a territory make together.
type sums struct {
	communes    int
	inhabitants float64 // of those whose number is known
	of          map[figureKey]*sum
}

// sum is a figure of several communes in the making.
type sum struct {
	value, weights, covered float64
	known                   int
	from, newest            uint16 // newest: of several loads that of the newest vintage
	mixed                   bool   // from several loads

	given *figure // of a département: its figure, of the producer or added up by a load from all rows of its file
	// Of the load that has added it up: the communes, and their inhabitants, whose figure is in it, those among them that were
	// split or restored since and have none of their own.
	parts        int
	partsCovered float64
}

// aggregate adds the figures of départements, régions and the nation that follow from those of communes: each commune is
// looked at once, a région is the sum of its départements, and the nation that of all régions. All are in the order of their
// codes, for a sum depends on the order in its last digits.
func (d *Data) aggregate() {
	measures := d.additive()
	nation := newSums()
	for _, region := range d.Regions {
		whole := newSums()
		for _, t := range region.Children {
			whole.add(d.names, d.departement(measures, t))
		}
		d.complete(region, whole)
		nation.add(d.names, whole)
	}
	for _, t := range d.Departements {
		if t.Parent == nil {
			d.departement(measures, t)
		}
	}
	d.complete(d.Nation, nation)
}

// additive lists the measures that can be added up, by their number.
func (d *Data) additive() map[uint16]source.Measure {
	out := map[uint16]source.Measure{}
	for n, name := range d.names.measures.all {
		if m, there := d.catalogue.measures[name]; there && m.Class != source.Official && m.Class != source.Own {
			out[uint16(n)] = m
		}
	}
	return out
}

func newSums() *sums { return &sums{of: map[figureKey]*sum{}} }

// departement adds the communes of a département up, and gives it what follows from them.
func (d *Data) departement(measures map[uint16]source.Measure, t *Territory) *sums {
	all := newSums()
	for _, c := range t.Children {
		all.communes++
		inhabitants := 0.0
		if p := c.Latest(source.PopulationMunicipal).Value; p != nil {
			inhabitants = *p
		}
		all.inhabitants += inhabitants
		for _, f := range c.figures {
			m, there := measures[f.measure]
			if !there || !f.known && f.status != statusSplit {
				continue
			}
			weight := 1.0
			if m.Class == source.Mean {
				w := c.At(m.Weight, d.names.periods.all[f.period]).Value
				if w == nil {
					continue
				}
				weight = *w
			}
			all.at(t, f.figureKey).commune(d.names, f, weight, inhabitants)
		}
	}
	for key, of := range all.of {
		if d.catalogue.measures[d.names.measures.all[key.measure]].Class == source.Sum {
			of.take(d.names.loads, all)
		}
	}
	d.complete(t, all)
	return all
}

// at gives the sum of a figure, which begins with the figure that the territory has.
func (s *sums) at(t *Territory, key figureKey) *sum {
	of := s.of[key]
	if of == nil {
		of = &sum{given: t.find(key)}
		s.of[key] = of
	}
	return of
}

// commune adds a commune. One that was split or restored since is in the sum of a load alone.
func (s *sum) commune(n *names, f figure, weight, inhabitants float64) {
	if s.given != nil && s.given.from == f.from {
		s.parts++
		s.partsCovered += inhabitants
	}
	if !f.known {
		return
	}
	s.mixed = s.mixed || s.known > 0 && s.from != f.from
	s.from, s.newest = f.from, n.newer(s.newest, f.from)
	s.known++
	s.value += f.value * weight
	s.weights += weight
	s.covered += inhabitants
}

// take puts the figure of the département in place of what its communes make: that of the producer, or what a load has
// added up if enough of the communes are in it.
func (s *sum) take(loads []*Load, all *sums) {
	g := s.given
	switch {
	case g == nil || !g.known:
		return
	case !loads[g.from].Sums:
		s.known, s.covered = all.communes, all.inhabitants
	case (&sum{known: s.parts, covered: s.partsCovered}).share(all) < MinCoverage:
		s.given.known = false
		return
	default:
		s.known, s.covered = s.parts, s.partsCovered
	}
	s.value, s.from, s.newest, s.mixed = g.value, g.from, g.from, false
}

// add adds what another territory makes.
func (s *sums) add(n *names, more *sums) {
	s.communes += more.communes
	s.inhabitants += more.inhabitants
	for key, m := range more.of {
		of := s.of[key]
		if of == nil {
			of = &sum{from: m.from, newest: m.newest}
			s.of[key] = of
		}
		of.mixed = of.mixed || m.mixed || m.known > 0 && of.known > 0 && of.from != m.from
		if m.known > 0 {
			of.from, of.newest = m.from, n.newer(of.newest, m.newest)
		}
		of.known += m.known
		of.value += m.value
		of.weights += m.weights
		of.covered += m.covered
	}
}

// complete gives a territory what its communes make together. Figures of the producer's own stay.
func (d *Data) complete(t *Territory, all *sums) {
	for key, of := range all.of {
		kept := t.find(key)
		if kept != nil && kept.known && !d.names.loads[kept.from].Sums {
			continue
		}
		f, coverage := figureOf(d.catalogue.measures[d.names.measures.all[key.measure]], all, of)
		f.figureKey = key
		t.put(f, shared{coverage, of.newest})
	}
}

// figureOf makes one figure from those of communes. A sum needs nearly all of them; a mean says how many it has.
func figureOf(m source.Measure, all *sums, of *sum) (f figure, coverage float64) {
	f.from = of.from
	if of.mixed {
		f.from = 0
	}
	coverage = of.share(all)
	switch {
	case m.Class == source.Mean && of.weights > 0:
		f.value, f.known = of.value/of.weights, true
	case m.Class == source.Sum && coverage >= MinCoverage && (all.inhabitants > 0 || of.known == all.communes):
		f.value, f.known = of.value, true
	}
	if f.status = statusPartial; f.known {
		f.status = statusOK
	}
	return f, coverage
}

// share is the share of the inhabitants that live where the figure is known. Where no population is loaded it is 1.
func (s *sum) share(all *sums) float64 {
	if all.inhabitants > 0 {
		return s.covered / all.inhabitants
	}
	return 1
}

// CommunesOf lists the communes of a territory.
func CommunesOf(t *Territory) []*Territory {
	if t.Level == Commune {
		return []*Territory{t}
	}
	if t.Level == Departement {
		return t.Children
	}
	var out []*Territory
	for _, child := range t.Children {
		out = append(out, CommunesOf(child)...)
	}
	return out
}
