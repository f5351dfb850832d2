package stats

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/source"
)

// Topic is what one topic adds to the statistics.
type Topic struct {
	Measures []source.Measure
	Tables   []string // that Read reads, in addition to those of territories, figures and facts
	// Read reads what the topic keeps in addition to figures and facts, see Slot. It may be nil.
	Read    func(ctx context.Context, tx pgx.Tx, d *Data) error
	Blocks  []Block
	Metrics []Metric
	// EachLoad yields each load and period that has something of a commune
	// besides figures and facts. It may be nil.
	EachLoad func(d *Data, t *Territory, yield func(from *Load, period string))
}

// Catalogue is all that statistics are made of.
type Catalogue struct {
	declared []source.Source // of all topics
	sources  []source.Source // that fill the tables
	topics   []Topic
	tables   []string
	blocks   map[Level][]Block
	metrics  []Metric
	measures map[string]source.Measure
	types    map[reflect.Type]bool
	open     map[string]bool // sources by name: whether their licence is open
}

// NewCatalogue puts topics together. Sources are those of all topics, in loading order.
func NewCatalogue(sources []source.Source, topics []Topic) *Catalogue {
	c := &Catalogue{declared: sources, topics: topics, tables: slices.Clone(commonTables),
		blocks:   map[Level][]Block{},
		measures: map[string]source.Measure{}, types: map[reflect.Type]bool{reflect.TypeFor[Origin](): true},
		open: map[string]bool{}}
	for _, s := range sources {
		c.open[s.Name] = s.Licence.Open
	}
	for _, t := range topics {
		c.tables = append(c.tables, t.Tables...)
		c.metrics = append(c.metrics, t.Metrics...)
		for _, m := range t.Measures {
			c.measures[m.Name] = m
		}
		for _, b := range t.Blocks {
			c.addTypes(b.value)
			for level := range b.places {
				c.blocks[level] = append(c.blocks[level], b)
			}
		}
	}
	c.sources = source.Filling(sources, c.tables...)
	for level, blocks := range c.blocks {
		slices.SortStableFunc(blocks, func(a, b Block) int { return cmp.Compare(a.places[level], b.places[level]) })
	}
	c.blocks[Arrondissement] = c.blocks[Commune]
	return c
}

// Tables are what statistics are made from.
func (c *Catalogue) Tables() []string { return c.tables }

// Sources are the sources that statistics are made from, in loading order.
func (c *Catalogue) Sources() []source.Source { return c.sources }

// Keys lists the keys of a level.
func (c *Catalogue) Keys(level Level) (keys []string) {
	for _, b := range c.blocks[level] {
		keys = append(keys, b.key)
	}
	return keys
}

// IsOnRequest reports whether tools give the value of a key to calls that name it alone.
func (c *Catalogue) IsOnRequest(key string) bool {
	return slices.ContainsFunc(c.blocks[Commune], func(b Block) bool { return b.key == key && b.onRequest })
}

// Holds reports whether a type is that of a value of statistics, or of something inside one.
func (c *Catalogue) Holds(t reflect.Type) bool { return c.types[t] }

// addTypes adds a type and all inside to those that statistics hold.
func (c *Catalogue) addTypes(t reflect.Type) {
	if t = elementOf(t); t.Kind() != reflect.Struct || c.types[t] {
		return
	}
	c.types[t] = true
	for i := range t.NumField() {
		c.addTypes(t.Field(i).Type)
	}
}

// Metrics lists what territories are ranked by.
func (c *Catalogue) Metrics() []Metric { return c.metrics }

// sourcesOfKey lists the sources of a key, in loading order: those
// that the block names and that cover the level.
func (c *Catalogue) sourcesOfKey(level Level, b Block) (names []string) {
	if level == Arrondissement {
		level = Commune // whose keys it has
	}
	for _, s := range c.sources {
		if (len(s.Levels) == 0 || slices.Contains(s.Levels, string(level))) && matchesSourceName(b.from, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// matchesSourceName reports whether a name is one of those, or of a family that ends in "*".
func matchesSourceName(names []string, name string) bool {
	return slices.ContainsFunc(names, func(one string) bool {
		family, all := strings.CutSuffix(one, "*")
		return one == name || all && strings.HasPrefix(name, family)
	})
}

// Slot is where a topic keeps what it has read, in Data or with a territory.
type Slot[T any] struct{ _ byte }

// Holder is what slots are of: Data and Territory.
type Holder interface{ topicSlots() *[]slot }

type slot struct{ key, value any }

func (d *Data) topicSlots() *[]slot      { return &d.slots }
func (t *Territory) topicSlots() *[]slot { return &t.slots }

// Of gives what was put; the zero value where nothing was.
func (s *Slot[T]) Of(h Holder) (v T) {
	for _, kept := range *h.topicSlots() {
		if kept.key == s {
			return kept.value.(T)
		}
	}
	return v
}

// Put keeps a value in place of the one before.
func (s *Slot[T]) Put(h Holder, v T) {
	all := h.topicSlots()
	for i := range *all {
		if (*all)[i].key == s {
			(*all)[i].value = v
			return
		}
	}
	*all = append(*all, slot{s, v})
}
