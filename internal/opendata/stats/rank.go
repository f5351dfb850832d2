package stats

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
)

// Metric is something that territories are ranked by.
type Metric struct {
	Name      string
	Unit      string // what the values are counted in
	Ascending bool   // the smallest value is the best
	Of        map[Level]func(*Territory) []Point
	// France gives the points of the whole country, to compare with those of a level. nil: what Of gives for
	// the nation, whose figures are added up from all communes unless their producer publishes them.
	France func(d *Data, level Level) []Point
	Basis  Basis // of what Of gives for the nation, where its figures are not the producer's; default Totals
}

func Everywhere(of func(*Territory) []Point) map[Level]func(*Territory) []Point {
	return map[Level]func(*Territory) []Point{Commune: of, Departement: of, Region: of}
}

// Above are départements and régions.
func Above(of func(*Territory) []Point) map[Level]func(*Territory) []Point {
	return map[Level]func(*Territory) []Point{Departement: of, Region: of}
}

// FiguresOf ranks by a measure as it is.
func FiguresOf(measure string, decimals int) func(*Territory) []Point {
	return func(t *Territory) []Point {
		var out []Point
		for _, f := range t.Series(measure) {
			if f.Value != nil {
				out = append(out, PointOf(f.Period, *Round(f.Value, decimals), f))
			}
		}
		return out
	}
}

// Quotient ranks by a / b × factor of the same period.
func Quotient(a, b string, factor float64, decimals int) func(*Territory) []Point {
	return func(t *Territory) []Point {
		var out []Point
		for _, f := range t.Series(a) {
			by := t.At(b, f.Period)
			if v := Ratio(f.Value, by.Value, factor, decimals); v != nil {
				out = append(out, PointOf(f.Period, *v, f, by).Of(by))
			}
		}
		return out
	}
}

func PointOf(period string, value float64, from ...Figure) Point {
	p := Point{period: period, value: value}
	for _, f := range from {
		if f.Coverage > 0 && (p.coverage == 0 || f.Coverage < p.coverage) {
			p.coverage = f.Coverage
		}
		if y := f.Year(); y > 0 && f.Value != nil && !slices.Contains(p.years, y) {
			p.years = append(p.years, y)
		}
		if f.From != nil && f.Value != nil && !slices.Contains(p.from, f.From) {
			p.from = append(p.from, f.From)
		}
	}
	return p
}

// Point is a value that can be ranked. Points compare if period and variant are the same.
type Point struct {
	period, Variant string // variant: which of several definitions
	value           float64
	from            []*Load
	Method          string  // added to the source
	coverage        float64 // the least of the figures that were added up or averaged; 0: none was
	Basis           Basis   // of a point of Metric.France
	years           []int   // of the figures
	sum             float64 // of the territories of a mean; 0: it is none
	isSmall         bool    // it is a share of few
}

// Of notes what a value is a share of.
func (p Point) Of(whole Figure) Point {
	p.isSmall = IsSmallBase(whole.Value)
	return p
}

// mixedYears returns the years of the figures of a value, oldest first; nil where they are of one, and for a
// change, whose period says between which.
func (p *Point) mixedYears() []int {
	if len(p.years) < 2 || p.period != YearPeriod(YearOf(p.period)) {
		return nil
	}
	return slices.Sorted(slices.Values(p.years))
}

// scale is what territories of a level are ranked by.
type scale struct {
	Metric, Unit   string
	Ascending      bool
	Period, Method string
	Of             int32    // how many have a value
	France         *Average // to compare with the values; nil where none can be said
}

// Standing is the place of a territory by a metric.
type Standing struct {
	*scale
	Value        float64
	SmallBase    bool    // the value is a share of few
	Coverage     float64 // of what was added up: the share of the inhabitants; 0: it was not
	From         *origins
	Rank         int32
	Near, NearOf int32 // rank within the parent
}

// origins are the sources of a value.
type origins struct {
	Labels []string
	Text   string
	Loads  []*Load
	Years  []int // of the figures of the value, where they are of several
}

// rankings holds the standings of all territories, made when the first is asked for.
type rankings struct {
	once        sync.Once
	byTerritory map[*Territory][]Standing
	originCache map[string]*origins // by numbers of loads and years: one of each in memory
}

// Standings gives the places of a territory.
func (d *Data) Standings(t *Territory) []Standing {
	d.rankings.once.Do(func() {
		d.rankings.byTerritory, d.rankings.originCache = map[*Territory][]Standing{}, map[string]*origins{}
		for _, level := range []Level{Commune, Departement, Region} {
			for _, m := range d.catalogue.metrics {
				if of := m.Of[level]; of != nil {
					d.rankings.addMetric(m, d.territoriesOf(level), of, func() []Point { return d.francePoints(m, level) })
				}
			}
		}
	})
	return d.rankings.byTerritory[t]
}

// addMetric ranks all territories of a level by a metric. france gives the points of the whole country.
func (r *rankings) addMetric(m Metric, all []*Territory, of func(*Territory) []Point, france func() []Point) {
	points := make([][]Point, len(all))
	for i, t := range all {
		points[i] = of(t)
	}
	period, variant, ok := commonPeriod(points)
	if !ok {
		return
	}
	by := &scale{Metric: m.Name, Unit: m.Unit, Ascending: m.Ascending, Period: period}
	var known []candidate
	for i, t := range all {
		at := slices.IndexFunc(points[i], func(p Point) bool { return p.period == period && p.Variant == variant })
		if at >= 0 {
			p := points[i][at]
			by.Method = p.Method
			known = append(known, candidate{t, Standing{scale: by, Value: p.value, SmallBase: p.isSmall,
				Coverage: p.coverage, From: r.originsOf(p)}})
		}
	}
	by.Of = int32(len(known))
	for _, p := range france() {
		if p.period == period && p.Variant == variant {
			by.France = p.toAverage(r)
		}
	}
	assignRanks(known, m.Ascending)
	for _, c := range known {
		if r.byTerritory[c.t] == nil {
			r.byTerritory[c.t] = make([]Standing, 0, 11)
		}
		r.byTerritory[c.t] = append(r.byTerritory[c.t], c.Standing)
	}
}

// originsOf names the loads that a value is from, and the years where they are several.
func (r *rankings) originsOf(p Point) *origins {
	var buffer [64]byte
	key, from, years := buffer[:0], p.from, p.mixedYears()
	for _, l := range from {
		key = binary.LittleEndian.AppendUint16(key, l.number)
	}
	for _, y := range years {
		key = binary.LittleEndian.AppendUint16(append(key, 0, 0), uint16(y)) // 0 is no load
	}
	if kept := r.originCache[string(key)]; kept != nil {
		return kept
	}
	o := origins{Loads: slices.Clone(from), Years: years}
	for _, l := range from {
		if label := l.Label(); label != "" && !slices.Contains(o.Labels, label) {
			o.Labels = append(o.Labels, label)
		}
	}
	slices.Sort(o.Labels)
	o.Text = strings.Join(o.Labels, "; ")
	r.originCache[string(key)] = &o
	return &o
}

// commonPeriod is the newest period for which four territories in five have a value.
func commonPeriod(points [][]Point) (period, variant string, ok bool) {
	known := map[[2]string]int{}
	for _, of := range points {
		for _, p := range of {
			known[[2]string{p.period, p.Variant}]++
		}
	}
	var best [2]string
	for at, n := range known {
		if n*5 >= len(points)*4 && (!ok || isLaterPeriod(at, best)) {
			best, ok = at, true
		}
	}
	return best[0], best[1], ok
}

func isLaterPeriod(a, b [2]string) bool {
	if x, y := YearOf(a[0]), YearOf(b[0]); x != y {
		return x > y
	}
	if a[0] != b[0] {
		return a[0] > b[0]
	}
	return a[1] > b[1]
}

type candidate struct {
	t *Territory
	Standing
}

// assignRanks writes the ranks of candidates, among all and among those of the same parent.
func assignRanks(all []candidate, ascending bool) {
	slices.SortStableFunc(all, func(a, b candidate) int {
		if ascending {
			return cmp.Compare(a.Value, b.Value)
		}
		return cmp.Compare(b.Value, a.Value)
	})
	near := map[*Territory][]*candidate{} // those that are ranked so far
	for i := range all {
		c := &all[i]
		c.Rank = int32(i + 1)
		if i > 0 && all[i-1].Value == c.Value {
			c.Rank = all[i-1].Rank
		}
		before := near[c.t.Parent]
		c.Near = int32(len(before) + 1)
		if len(before) > 0 && before[len(before)-1].Value == c.Value {
			c.Near = before[len(before)-1].Near
		}
		near[c.t.Parent] = append(before, c)
	}
	for _, some := range near {
		for _, c := range some {
			c.NearOf = int32(len(some))
		}
	}
}
