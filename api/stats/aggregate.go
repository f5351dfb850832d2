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
	from                    uint16
	mixed                   bool // from several loads
}

// aggregate adds the figures of départements, régions and the nation that follow from those of communes. Each commune is
// looked at once, in the order of régions and départements, for a sum depends on the order in its last digits.
func (d *Data) aggregate() {
	measures := d.additive()
	nation := newSums()
	for _, region := range d.Regions {
		whole := newSums()
		for _, t := range region.Children {
			d.complete(t, d.sumUp(measures, t, whole, nation))
		}
		d.complete(region, whole)
	}
	for _, t := range d.Departements {
		if t.Parent == nil {
			d.complete(t, d.sumUp(measures, t))
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

// sumUp adds the communes of a département up, and adds them to what it is part of.
func (d *Data) sumUp(measures map[uint16]source.Measure, t *Territory, larger ...*sums) *sums {
	own := newSums()
	into := append([]*sums{own}, larger...)
	for _, c := range t.Children {
		inhabitants := 0.0
		if p := c.Latest(source.PopulationMunicipal).Value; p != nil {
			inhabitants = *p
		}
		for _, s := range into {
			s.communes++
			s.inhabitants += inhabitants
		}
		for _, f := range c.figures {
			m, there := measures[f.measure]
			if !there || !f.known {
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
			for _, s := range into {
				s.add(f, weight, inhabitants)
			}
		}
	}
	return own
}

func (s *sums) add(f figure, weight, inhabitants float64) {
	of := s.of[f.figureKey]
	if of == nil {
		of = &sum{from: f.from}
		s.of[f.figureKey] = of
	}
	of.known++
	of.value += f.value * weight
	of.weights += weight
	of.covered += inhabitants
	of.mixed = of.mixed || of.from != f.from
	of.from = f.from
}

// complete gives a territory what its communes make together. Figures of the producer's own stay.
func (d *Data) complete(t *Territory, all *sums) {
	for key, of := range all.of {
		name, period := d.names.measures.all[key.measure], d.names.periods.all[key.period]
		if t.At(name, period).Value == nil {
			f, coverage := d.figureOf(d.catalogue.measures[name], all, of)
			f.figureKey = key
			t.put(f, coverage)
		}
	}
}

// figureOf makes one figure from those of communes. A sum needs nearly all of them; a mean says how many it has.
func (d *Data) figureOf(m source.Measure, all *sums, of *sum) (f figure, coverage float64) {
	coverage, f.from = 1, of.from
	if of.mixed {
		f.from = 0
	}
	if all.inhabitants > 0 {
		coverage = of.covered / all.inhabitants
	}
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
