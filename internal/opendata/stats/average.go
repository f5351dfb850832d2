package stats

import "arpent/internal/opendata/source"

// Basis is how a figure of the whole country came about.
type Basis string

// The bases. Totals are the same computation as for a territory, from the sums over all communes or all
// authorities of the level; Weighted is a mean weighted as that of a département; MeanOfRanked is a mean
// in which each ranked territory counts once.
const (
	Producer     Basis = "producer"
	Totals       Basis = "totals"
	Weighted     Basis = "weighted"
	MeanOfRanked Basis = "mean"
)

// Average is the figure of the whole country by a metric, in the period and by the definition that
// territories are ranked by: never of another year.
type Average struct {
	Value    float64
	Basis    Basis
	From     *origins
	Coverage *float64 // the share of the inhabitants that live where the figure is known; nil: all
	Sum      *float64 // of the ranked territories; nil: the figure is no mean of them
}

// francePoints gives the points of the whole country by a metric.
func (d *Data) francePoints(m Metric, level Level) []Point {
	if m.France != nil {
		return m.France(d, level)
	}
	out := m.Of[level](d.Nation)
	for i := range out {
		switch {
		case out[i].coverage == 0:
			out[i].Basis = Producer
		case m.Basis != "":
			out[i].Basis = m.Basis
		default:
			out[i].Basis = Totals
		}
	}
	return out
}

func (p Point) toAverage(r *rankings) *Average {
	a := Average{Value: p.value, Basis: p.Basis, From: r.originsOf(p), Coverage: RoundCoverage(p.coverage)}
	if p.sum != 0 {
		a.Sum = &p.sum
	}
	return &a
}

// MeanOf gives, for each period of a measure, its mean over the territories of the level that have it.
func MeanOf(measure string, decimals int) func(d *Data, level Level) []Point {
	return func(d *Data, level Level) []Point {
		totals := newTotals()
		for _, t := range d.territoriesOf(level) {
			for _, f := range t.Series(measure) {
				totals.addTerritory(t, Figure{Period: f.Period, Value: f.Value, From: f.From}, Figure{Value: new(1.0)})
			}
		}
		return totals.quotientPoints(d, 1, decimals, MeanOfRanked, false)
	}
}

// TotalsOf gives, for each period, the sum of one measure by that of another over the territories of the
// level that have both, times factor: of authorities whose figures are their own, and no part of those
// of others. It takes nearly all inhabitants.
func TotalsOf(a, b string, factor float64, decimals int) func(d *Data, level Level) []Point {
	return func(d *Data, level Level) []Point {
		return d.levelTotals(level, a, func(t *Territory, f Figure) Figure { return t.At(b, f.Period) }, factor,
			decimals)
	}
}

// TotalsPer gives, for each period of a measure, its sum over the départements by
// that of the figures of denominator, which may be of other periods, times factor. A département
// that lacks one of the two is in neither sum.
func TotalsPer(measure string, denominator func(*Territory, Figure) Figure, factor float64,
	decimals int) func(d *Data, _ Level) []Point {
	return func(d *Data, _ Level) []Point {
		return d.levelTotals(Departement, measure, denominator, factor, decimals)
	}
}

func (d *Data) levelTotals(level Level, measure string, denominator func(*Territory, Figure) Figure,
	factor float64, decimals int) []Point {
	totals := newTotals()
	for _, t := range d.territoriesOf(level) {
		for _, f := range t.Series(measure) {
			totals.addTerritory(t, f, denominator(t, f))
		}
	}
	return totals.quotientPoints(d, factor, decimals, Totals, true)
}

// totals are sums over territories, by period.
type totals struct {
	periods  []string
	byPeriod map[string]*total
}

type total struct {
	numerator, denominator, covered float64
	sourceFigures                   []Figure
}

func newTotals() *totals { return &totals{byPeriod: map[string]*total{}} }

// addTerritory adds a territory that has both figures.
func (s *totals) addTerritory(t *Territory, part, whole Figure) {
	if part.Value == nil || whole.Value == nil {
		return
	}
	of := s.byPeriod[part.Period]
	if of == nil {
		of = &total{}
		s.byPeriod[part.Period], s.periods = of, append(s.periods, part.Period)
	}
	of.numerator += *part.Value
	of.denominator += *whole.Value
	if p := t.Latest(source.PopulationMunicipal).Value; p != nil {
		of.covered += *p
	}
	of.sourceFigures = append(of.sourceFigures, part, whole)
}

// quotientPoints divides the sums.
func (s *totals) quotientPoints(d *Data, factor float64, decimals int, basis Basis,
	nearlyAll bool) (out []Point) {
	inhabitants := 0.0
	for _, t := range d.Departements {
		if p := t.Latest(source.PopulationMunicipal).Value; p != nil {
			inhabitants += *p
		}
	}
	for _, period := range s.periods {
		of := s.byPeriod[period]
		share := 1.0
		if inhabitants > 0 {
			share = of.covered / inhabitants
		}
		v := Ratio(&of.numerator, &of.denominator, factor, decimals)
		if v == nil || nearlyAll && share < MinCoverage {
			continue
		}
		p := PointOf(period, *v, of.sourceFigures...)
		if p.Basis = basis; nearlyAll {
			p.coverage = share
		}
		if basis == MeanOfRanked {
			p.sum = of.numerator
		}
		out = append(out, p)
	}
	return out
}
