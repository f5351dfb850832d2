package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// figure is a Figure as it is kept: there are millions of them, so they are small and hold
// no pointer. Texts are kept as their numbers.
type figure struct {
	value float64
	figureKey
	from   uint16
	status uint8
	known  bool // it has a value
}

// figureKey distinguishes the figures of a territory.
type figureKey struct{ measure, period uint16 }

// textNumbers gives numbers to texts that many figures share.
type textNumbers struct {
	all     []string
	numbers map[string]uint16
}

func newTextNumbers() textNumbers { return textNumbers{numbers: map[string]uint16{}} }

// numberOf gives the same number for the same text, from 0 on.
func (t *textNumbers) numberOf(text []byte) (uint16, error) {
	if n, there := t.numbers[string(text)]; there {
		return n, nil
	}
	if len(t.all) > math.MaxUint16 {
		return 0, fmt.Errorf("more than %d different measures, periods or states of figures: %q is one too many",
			len(t.all), text)
	}
	n := uint16(len(t.all))
	t.all = append(t.all, string(text))
	t.numbers[t.all[n]] = n
	return n, nil
}

// figureNames are what the numbers in figures stand for.
type figureNames struct {
	measures, periods, statuses textNumbers
	loads                       []*Load // 0 is none
}

// The states that adding up gives and reads; others that were read follow.
const (
	statusOK uint8 = iota
	statusPartial
	statusSplit
)

func newFigureNames() *figureNames {
	n := figureNames{measures: newTextNumbers(), periods: newTextNumbers(), statuses: newTextNumbers(),
		loads: []*Load{nil}}
	n.statuses.all = []string{statusOK: "ok", statusPartial: "partial", statusSplit: "split"}
	for i, text := range n.statuses.all {
		n.statuses.numbers[text] = uint16(i)
	}
	return &n
}

// newerLoad gives, of two loads, the one of the newer vintage.
func (n *figureNames) newerLoad(a, b uint16) uint16 {
	if a == b || b == 0 || a != 0 && n.loads[a].Vintage >= n.loads[b].Vintage {
		return a
	}
	return b
}

// toFigure is what is kept as callers see it.
func (t *Territory) toFigure(f *figure) Figure {
	of := t.shares[f.figureKey]
	out := Figure{Period: t.names.periods.all[f.period], Status: t.names.statuses.all[f.status],
		From:     t.names.loads[f.from],
		Coverage: of.coverage, newest: t.names.loads[of.newest]}
	if f.known {
		out.Value = &f.value
	}
	return out
}

// measureFigures gives the figures of a measure as they are kept.
func (t *Territory) measureFigures(measure string) []figure {
	if t.names == nil {
		return nil
	}
	m, there := t.names.measures.numbers[measure]
	if !there {
		return nil
	}
	from, _ := slices.BinarySearchFunc(t.figures, m,
		func(f figure, m uint16) int { return cmp.Compare(f.measure, m) })
	to := from
	for to < len(t.figures) && t.figures[to].measure == m {
		to++
	}
	return t.figures[from:to]
}

// findFigure gives a figure as it is kept; nil when there is none. It is good until the next is put.
func (t *Territory) findFigure(key figureKey) *figure {
	at, there := slices.BinarySearchFunc(t.figures, figure{figureKey: key}, t.names.compareFigures)
	if !there {
		return nil
	}
	return &t.figures[at]
}

// Series gives the figures of a measure, oldest first.
func (t *Territory) Series(measure string) []Figure {
	kept := t.measureFigures(measure)
	if len(kept) == 0 {
		return nil
	}
	out := make([]Figure, len(kept))
	for i := range kept {
		out[i] = t.toFigure(&kept[i])
	}
	return out
}

// At gives the figure of a period; its value is nil when there is none.
func (t *Territory) At(measure, period string) Figure {
	kept := t.measureFigures(measure)
	for i := range kept {
		if t.names.periods.all[kept[i].period] == period {
			return t.toFigure(&kept[i])
		}
	}
	return Figure{Period: period}
}

// Latest gives the newest figure that has a value; else the newest of all, which says why there is none.
func (t *Territory) Latest(measure string) Figure {
	kept := t.measureFigures(measure)
	for i := range slices.Backward(kept) {
		if kept[i].known {
			return t.toFigure(&kept[i])
		}
	}
	if len(kept) == 0 {
		return Figure{}
	}
	return t.toFigure(&kept[len(kept)-1])
}

// compareFigures orders figures by measure, then period.
func (n *figureNames) compareFigures(a, b figure) int {
	if a.measure != b.measure || a.period == b.period {
		return cmp.Compare(a.measure, b.measure)
	}
	return cmp.Compare(n.periods.all[a.period], n.periods.all[b.period])
}

// sortFigures puts figures in order once they are all there. Of two sources for the same figure one with a
// value comes before one without, then the one of the greater rank, then the one that was read first.
func (t *Territory) sortFigures() {
	slices.SortStableFunc(t.figures, func(a, b figure) int {
		if order := t.names.compareFigures(a, b); order != 0 {
			return order
		}
		if a.known != b.known {
			if a.known {
				return -1
			}
			return 1
		}
		return cmp.Compare(t.names.loads[b.from].Rank, t.names.loads[a.from].Rank)
	})
	t.figures = slices.CompactFunc(t.figures, func(a, b figure) bool { return a.figureKey == b.figureKey })
	if spare := cap(t.figures) - len(t.figures); spare > len(t.figures)/4 {
		t.figures = slices.Clip(slices.Clone(t.figures))
	}
}

// coverageInfo describes the data of a figure that was added up or averaged.
type coverageInfo struct {
	coverage float64
	newest   uint16 // the load of the newest vintage in it
}

// putFigure adds a figure that was added up or averaged. One of the same period is replaced.
func (t *Territory) putFigure(f figure, of coverageInfo) {
	at, there := slices.BinarySearchFunc(t.figures, f, t.names.compareFigures)
	if there {
		t.figures[at] = f
	} else {
		t.figures = slices.Insert(t.figures, at, f)
	}
	if t.shares == nil {
		t.shares = map[figureKey]coverageInfo{}
	}
	t.shares[f.figureKey] = of
}
