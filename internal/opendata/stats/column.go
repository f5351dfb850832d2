package stats

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// maxColumns is how many columns a snapshot keeps: one of the communes of France takes 450 kB.
const maxColumns = 32

// Column is the order of the territories of a level by a figure, without those that have none.
type Column struct {
	codes  []string  // of all territories of the level, in order
	values []float64 // by place in codes; NaN: none
	order  []int32   // places in codes, the lowest figure first; of equal figures the lower code comes first
}

// NewColumn sorts territories by a figure. codes are in order; the value of one that has none is NaN.
func NewColumn(codes []string, values []float64) *Column {
	c := &Column{codes: codes, values: values}
	for i, value := range values {
		if !math.IsNaN(value) {
			c.order = append(c.order, int32(i))
		}
	}
	slices.SortStableFunc(c.order, func(a, b int32) int { return cmp.Compare(values[a], values[b]) })
	return c
}

// Codes yields the codes of the territories that have the figure, in their order. Of equal figures the lower
// code comes first either way.
func (c *Column) Codes(ascending bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		if ascending {
			for _, at := range c.order {
				if !yield(c.codes[at]) {
					return
				}
			}
			return
		}
		for end := len(c.order); end > 0; {
			first := end - 1 // of the equal figures before end
			for first > 0 && c.values[c.order[first-1]] == c.values[c.order[end-1]] {
				first--
			}
			for _, at := range c.order[first:end] {
				if !yield(c.codes[at]) {
					return
				}
			}
			end = first
		}
	}
}

// IsTied reports whether two territories that have the figure have the same.
func (c *Column) IsTied(code, other string) bool {
	a, _ := slices.BinarySearch(c.codes, code)
	b, _ := slices.BinarySearch(c.codes, other)
	return c.values[a] == c.values[b]
}

// AtLeast returns whether a territory, by its code, has a figure that is not below a least one.
func (c *Column) AtLeast(least float64) func(code string) bool {
	return func(code string) bool {
		at, ok := slices.BinarySearch(c.codes, code)
		return ok && c.values[at] >= least
	}
}

// columnCache keeps the columns that were used last.
type columnCache struct {
	mu      sync.Mutex
	kept    []namedColumn // the last used first
	reading chan struct{} // mutex of what reads a column, as a channel
}

type namedColumn struct {
	level  Level
	field  string
	column *Column
}

// findColumn returns a column that is kept; nil: it is not.
func (c *columnCache) findColumn(level Level, field string) *Column {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.kept, func(k namedColumn) bool { return k.level == level && k.field == field })
	if at < 0 {
		return nil
	}
	found := c.kept[at]
	c.kept = slices.Insert(slices.Delete(c.kept, at, at+1), 0, found)
	return found.column
}

// keepColumn keeps a column in place of the one that was not used for the longest time.
func (c *columnCache) keepColumn(k namedColumn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = slices.Insert(c.kept[:min(len(c.kept), maxColumns-1)], 0, k)
}

// Column sorts the territories of a level by a figure, which field names as FindFigure has it. The first call
// of a field reads all bodies of the level, one field at a time; later calls get the column that is kept. The
// caller has checked with FindPart that field leads to a number: any other text would be a scan, too. ctx ends
// the wait for the other fields, and the error is its own: a reading that has begun ends, for the next call
// would begin it anew. Without a snapshot no territory has a figure.
func (s *Snapshot) Column(ctx context.Context, level Level, field string) (*Column, error) {
	if s == nil {
		return &Column{}, nil
	}
	if found := s.columns.findColumn(level, field); found != nil {
		return found, nil
	}
	select {
	case s.columns.reading <- struct{}{}:
		defer func() { <-s.columns.reading }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if found := s.columns.findColumn(level, field); found != nil { // read while this call waited
		return found, nil
	}
	if err := ctx.Err(); err != nil { // select may have taken the turn of a caller who has gone
		return nil, err
	}
	column := s.readColumn(level, field)
	s.columns.keepColumn(namedColumn{level, strings.Clone(field), column}) // the text of a request ends with it
	return column, nil
}

// readColumn reads a figure from all bodies of a level.
func (s *Snapshot) readColumn(level Level, field string) *Column {
	values := make([]float64, len(s.codes[level]))
	names := strings.Split(field, ".")
	var buffer []byte
	for i, code := range s.codes[level] {
		body, _ := s.Of(level, code)
		buffer = append(body.Append(append(buffer[:0], `{"stats":`...)), '}')
		key := gjson.ParseBytes(buffer).Get("stats").Get(names[0])
		figure := FindFigure(key, names[1:], nil)
		if values[i] = math.NaN(); figure.Type == gjson.Number {
			values[i] = figure.Num
		}
	}
	return NewColumn(s.codes[level], values)
}
