package stats

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
)

// point is a value that can be ranked. Points compare if period and variant are the same.
type point struct {
	period, variant string // variant: which of several definitions
	value           float64
	from            []*Load
	method          string // added to the source
}

// scale is what territories of a level are ranked by.
type scale struct {
	metric         string
	ascending      bool
	period, method string
	of             int32 // how many have a value
}

// standing is the place of a territory by a metric.
type standing struct {
	*scale
	value        float64
	from         *origins
	rank         int32
	near, nearOf int32 // rank within the parent
}

// origins are the sources of a value.
type origins struct {
	labels []string
	text   string
}

// ranked holds the standings of all territories, made when the first is asked for.
type ranked struct {
	once sync.Once
	of   map[*Territory][]standing
	from map[string]*origins // by numbers of loads: one of each in memory
}

// standings gives the places of a territory.
func (d *Data) standings(t *Territory) []standing {
	d.ranked.once.Do(func() {
		d.ranked.of, d.ranked.from = map[*Territory][]standing{}, map[string]*origins{}
		for _, level := range []Level{Commune, Departement, Region} {
			for _, m := range metrics {
				if of := m.of[level]; of != nil {
					d.ranked.add(m, d.territories(level), of)
				}
			}
		}
	})
	return d.ranked.of[t]
}

// add ranks all territories of a level by a metric.
func (r *ranked) add(m metric, all []*Territory, of func(*Territory) []point) {
	points := make([][]point, len(all))
	for i, t := range all {
		points[i] = of(t)
	}
	period, variant, ok := commonPeriod(points)
	if !ok {
		return
	}
	by := &scale{metric: m.name, ascending: m.ascending, period: period}
	var known []candidate
	for i, t := range all {
		at := slices.IndexFunc(points[i], func(p point) bool { return p.period == period && p.variant == variant })
		if at >= 0 {
			p := points[i][at]
			by.method = p.method
			known = append(known, candidate{t, standing{scale: by, value: p.value, from: r.origins(p.from)}})
		}
	}
	by.of = int32(len(known))
	rank(known, m.ascending)
	for _, c := range known {
		if r.of[c.t] == nil {
			r.of[c.t] = make([]standing, 0, len(metrics))
		}
		r.of[c.t] = append(r.of[c.t], c.standing)
	}
}

// origins names the loads that a value is from.
func (r *ranked) origins(from []*Load) *origins {
	var room [64]byte
	key := room[:0]
	for _, l := range from {
		key = binary.LittleEndian.AppendUint16(key, l.number)
	}
	if kept := r.from[string(key)]; kept != nil {
		return kept
	}
	var o origins
	for _, l := range from {
		if label := l.Label(); label != "" && !slices.Contains(o.labels, label) {
			o.labels = append(o.labels, label)
		}
	}
	slices.Sort(o.labels)
	o.text = strings.Join(o.labels, "; ")
	r.from[string(key)] = &o
	return &o
}

// commonPeriod is the newest period for which four territories in five have a value.
func commonPeriod(points [][]point) (period, variant string, ok bool) {
	known := map[[2]string]int{}
	for _, of := range points {
		for _, p := range of {
			known[[2]string{p.period, p.variant}]++
		}
	}
	var best [2]string
	for at, n := range known {
		if n*5 >= len(points)*4 && (!ok || later(at, best)) {
			best, ok = at, true
		}
	}
	return best[0], best[1], ok
}

func later(a, b [2]string) bool {
	if x, y := yearOf(a[0]), yearOf(b[0]); x != y {
		return x > y
	}
	if a[0] != b[0] {
		return a[0] > b[0]
	}
	return a[1] > b[1]
}

type candidate struct {
	t *Territory
	standing
}

// rank writes the ranks of candidates, among all and among those of the same parent.
func rank(all []candidate, ascending bool) {
	slices.SortStableFunc(all, func(a, b candidate) int {
		if ascending {
			return cmp.Compare(a.value, b.value)
		}
		return cmp.Compare(b.value, a.value)
	})
	near := map[*Territory][]*candidate{} // those that are ranked so far
	for i := range all {
		c := &all[i]
		c.rank = int32(i + 1)
		if i > 0 && all[i-1].value == c.value {
			c.rank = all[i-1].rank
		}
		before := near[c.t.Parent]
		c.near = int32(len(before) + 1)
		if len(before) > 0 && before[len(before)-1].value == c.value {
			c.near = before[len(before)-1].near
		}
		near[c.t.Parent] = append(before, c)
	}
	for _, some := range near {
		for _, c := range some {
			c.nearOf = int32(len(some))
		}
	}
}
