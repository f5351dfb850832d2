package stats

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// maxColumns is how many columns a snapshot keeps: one of the communes of France takes 320 kB.
const maxColumns = 32

// Column is the order of the territories of a level by a figure, without those that have none.
type Column struct {
	codes                 []string // of all territories of the level
	ascending, descending []int32  // places in codes; of equal figures the lower code comes first in both
}

// Codes yields the codes of the territories that have the figure, in their order.
func (c *Column) Codes(ascending bool) iter.Seq[string] {
	order := c.descending
	if ascending {
		order = c.ascending
	}
	return func(yield func(string) bool) {
		for _, at := range order {
			if !yield(c.codes[at]) {
				return
			}
		}
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

func newColumnCache() *columnCache { return &columnCache{reading: make(chan struct{}, 1)} }

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
// caller has checked with FindPart that field leads to a number: any other text would be a scan, too. The
// error is that of ctx. Without a snapshot no territory has a figure.
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
	column, err := s.readColumn(ctx, level, field)
	if err == nil {
		s.columns.keepColumn(namedColumn{level, strings.Clone(field), column}) // the text of a request ends with it
	}
	return column, err
}

// readColumn reads a figure from all bodies of a level.
func (s *Snapshot) readColumn(ctx context.Context, level Level, field string) (*Column, error) {
	c := &Column{codes: s.codes[level]}
	values := make([]float64, len(c.codes))
	names := strings.Split(field, ".")
	var buffer []byte
	for i, code := range c.codes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		body, _ := s.Of(level, code)
		buffer = append(body.Append(append(buffer[:0], `{"stats":`...)), '}')
		key := gjson.ParseBytes(buffer).Get("stats").Get(names[0])
		if figure := FindFigure(key, names[1:], &Origin{}); figure.Type == gjson.Number {
			values[i] = figure.Num
			c.ascending = append(c.ascending, int32(i))
		}
	}
	c.descending = slices.Clone(c.ascending)
	slices.SortStableFunc(c.ascending, func(a, b int32) int { return cmp.Compare(values[a], values[b]) })
	slices.SortStableFunc(c.descending, func(a, b int32) int { return cmp.Compare(values[b], values[a]) })
	return c, nil
}
