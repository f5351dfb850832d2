package stats

import "arpent/internal/opendata/source"

// MinCoverage is the share of the inhabitants that must live where a figure is known for it to be added up.
const MinCoverage = 0.95

// territorySums are what the communes of a territory make together.
type territorySums struct {
	communes    int
	inhabitants float64 // of those whose number is known
	byKey       map[figureKey]*figureSum
}

// figureSum is a figure of several communes in the making.
type figureSum struct {
	value, weights, covered float64
	knownCommunes           int
	from, newest            uint16 // newest: of several loads that of the newest vintage
	mixed                   bool   // from several loads

	// of a département: its figure, of the producer or added up by a load from all rows of its file
	ownFigure *figure
	// Of the load that has added it up: the communes, and their inhabitants, whose figure is in it, those
	// among them that were split or restored since and have none of their own.
	loadCommunes    int
	loadInhabitants float64
}

// aggregateFigures adds the figures of départements, régions and the nation that follow from those of
// communes: each commune is looked at once, a région is the sum of its départements, and the nation that of
// all régions. All are in the order of their codes, for a sum depends on the order in its last digits.
func (d *Data) aggregateFigures() {
	measures := map[uint16]source.Measure{} // that can be added up, by their number
	for n, name := range d.names.measures.all {
		if m, there := d.catalogue.measures[name]; there && m.Class != source.Official && m.Class != source.Own {
			measures[uint16(n)] = m
		}
	}
	nation := newTerritorySums()
	for _, region := range d.Regions {
		whole := newTerritorySums()
		for _, t := range region.Children {
			whole.addSums(d.names, d.sumDepartement(measures, t))
		}
		d.storeSums(region, whole)
		nation.addSums(d.names, whole)
	}
	for _, t := range d.Departements {
		if t.Parent == nil {
			d.sumDepartement(measures, t)
		}
	}
	d.storeSums(d.Nation, nation)
}

func newTerritorySums() *territorySums { return &territorySums{byKey: map[figureKey]*figureSum{}} }

// sumDepartement adds the communes of a département up, and gives it what follows from them.
func (d *Data) sumDepartement(measures map[uint16]source.Measure, t *Territory) *territorySums {
	all := newTerritorySums()
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
			all.sumFor(t, f.figureKey).addCommune(d.names, f, weight, inhabitants)
		}
	}
	for key, of := range all.byKey {
		if d.catalogue.measures[d.names.measures.all[key.measure]].Class == source.Sum {
			of.applyOwnFigure(d.names.loads, all)
		}
	}
	d.storeSums(t, all)
	return all
}

// sumFor gives the sum of a figure, which begins with the figure that the territory has.
func (s *territorySums) sumFor(t *Territory, key figureKey) *figureSum {
	of := s.byKey[key]
	if of == nil {
		of = &figureSum{ownFigure: t.findFigure(key)}
		s.byKey[key] = of
	}
	return of
}

// addCommune adds a commune. One that was split or restored since is in the sum of a load alone.
func (s *figureSum) addCommune(n *figureNames, f figure, weight, inhabitants float64) {
	if s.ownFigure != nil && s.ownFigure.from == f.from {
		s.loadCommunes++
		s.loadInhabitants += inhabitants
	}
	if !f.known {
		return
	}
	s.mixed = s.mixed || s.knownCommunes > 0 && s.from != f.from
	s.from, s.newest = f.from, n.newerLoad(s.newest, f.from)
	s.knownCommunes++
	s.value += f.value * weight
	s.weights += weight
	s.covered += inhabitants
}

// applyOwnFigure puts the figure of the département in place of what its communes make: that of the producer,
// or what a load has added up if enough of the communes are in it.
func (s *figureSum) applyOwnFigure(loads []*Load, all *territorySums) {
	g := s.ownFigure
	switch {
	case g == nil || !g.known:
		return
	case !loads[g.from].Sums:
		s.knownCommunes, s.covered = all.communes, all.inhabitants
	case (&figureSum{knownCommunes: s.loadCommunes, covered: s.loadInhabitants}).coverageShare(
		all) < MinCoverage:
		s.ownFigure.known = false
		return
	default:
		s.knownCommunes, s.covered = s.loadCommunes, s.loadInhabitants
	}
	s.value, s.from, s.newest, s.mixed = g.value, g.from, g.from, false
}

// addSums adds what another territory makes.
func (s *territorySums) addSums(n *figureNames, more *territorySums) {
	s.communes += more.communes
	s.inhabitants += more.inhabitants
	for key, m := range more.byKey {
		of := s.byKey[key]
		if of == nil {
			of = &figureSum{from: m.from, newest: m.newest}
			s.byKey[key] = of
		}
		of.mixed = of.mixed || m.mixed || m.knownCommunes > 0 && of.knownCommunes > 0 && of.from != m.from
		if m.knownCommunes > 0 {
			of.from, of.newest = m.from, n.newerLoad(of.newest, m.newest)
		}
		of.knownCommunes += m.knownCommunes
		of.value += m.value
		of.weights += m.weights
		of.covered += m.covered
	}
}

// storeSums gives a territory what its communes make together. Figures of the producer's own stay.
func (d *Data) storeSums(t *Territory, all *territorySums) {
	for key, of := range all.byKey {
		kept := t.findFigure(key)
		if kept != nil && kept.known && !d.names.loads[kept.from].Sums {
			continue
		}
		f, coverage := computeFigure(d.catalogue.measures[d.names.measures.all[key.measure]], all, of)
		f.figureKey = key
		t.putFigure(f, coverageInfo{coverage, of.newest})
	}
}

// computeFigure makes one figure from those of communes. A sum needs
// nearly all of them; a mean says how many it has.
func computeFigure(m source.Measure, all *territorySums, of *figureSum) (f figure, coverage float64) {
	f.from = of.from
	if of.mixed {
		f.from = 0
	}
	coverage = of.coverageShare(all)
	switch {
	case m.Class == source.Mean && of.weights > 0:
		f.value, f.known = of.value/of.weights, true
	case m.Class == source.Sum && coverage >= MinCoverage && (all.inhabitants > 0 ||
		of.knownCommunes == all.communes):
		f.value, f.known = of.value, true
	}
	if f.status = statusPartial; f.known {
		f.status = statusOK
	}
	return f, coverage
}

// coverageShare is the share of the inhabitants that live where the figure is
// known. Where no population is loaded it is 1.
func (s *figureSum) coverageShare(all *territorySums) float64 {
	if all.inhabitants > 0 {
		return s.covered / all.inhabitants
	}
	return 1
}

// CommunesOf lists the communes of a territory: a commune or arrondissement itself.
func CommunesOf(t *Territory) []*Territory {
	if t.IsLocal() {
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
