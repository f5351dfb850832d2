package report

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/source"
	"arpent/internal/opendata/state"
)

// Group is a group of keys, as the contract names it.
type Group string

// Key is one member of the report.
type Key struct {
	Name string
	// Doc says what it is, within which distance, in which order, how many at most. {x} stands for the
	// argument x of the query, and {x km} for a thousandth of it.
	Doc    string
	Layers []string // what it is made from; where none of them is loaded it is null
	With   []string // what adds to it where it is loaded
	// where one of them is not loaded, an empty list does not mean that there is nothing: it is null
	Complete []string
	Value    any    // zero value of the type of what is not null
	Gap      Gap    // where there is no value, whatever is loaded
	None     string // reason of an empty value; default: nothing applies, or lies within the radius
	Instead  string // where else to look, which follows the reason of a missing value
	Group    Group  // that of its topic
	// Within names the argument of the query that is the radius within which the key is looked for, in
	// metres; of several the widest. Empty: it is looked for at the parcel or in its commune alone.
	Within  string
	RadiusM int // its value
	// Lacks says what no loaded file has of it, in the states of a value and of an empty one.
	Lacks string
	// Unplaced says which rows of the files are within no radius because their place is not known.
	Unplaced string
}

// And names layers that add to a key.
func (k Key) And(layers ...string) Key {
	k.With = layers
	return k
}

// DrawsOn reports whether a layer has a part in the key.
func (k Key) DrawsOn(layer string) bool {
	return slices.Contains(k.Layers, layer) || slices.Contains(k.With, layer)
}

// Args are the constants of a statement: radii and limits, which its text names as @radius and
// the documentation of its keys as {radius}.
type Args map[string]int

// Query is one statement of the report: One, List or Rows say what its rows are.
type Query struct {
	File string // in the files of its topic
	Args Args
	// Weight is how long it takes compared with the others: the longest begin first.
	Weight     int
	Keys       []Key
	scanValues func(*Subject, pgx.Rows) ([]any, error) // by the order of Keys
}

// One makes a query whose row is the value of a key: a T, whose fields have the names of the columns without
// their underscores. Without a row the value is null.
func One[T any](q Query, k Key) Query {
	k.Value = *new(T)
	return Rows(q, func(rows []T) []any {
		if len(rows) == 0 {
			return []any{nil}
		}
		return []any{rows[0]}
	}, k)
}

// List makes a query whose rows are the items of a key, in their order.
func List[T any](q Query, k Key) Query {
	k.Value = []T{}
	return Rows(q, func(rows []T) []any { return []any{rows} }, k)
}

// Counted is part of the items of a list whose statement has a limit. Its column total,
// the same in each row, is how many there are.
type Counted struct {
	Total int `json:"-"`
}

func (c Counted) count() int { return c.Total }

// Length says how much of a list is given.
type Length struct {
	Total     int  `json:"total" doc:"How many there are of what the key lists."`
	Returned  int  `json:"returned" doc:"How many of them are given, in the order that the key states."`
	Truncated bool `json:"truncated" doc:"True where there are more than are given."`
	RadiusM   int  `json:"radiusM,omitempty" doc:"Of a list of what lies around the place: the radius in metres." example:"1000"`
	// Note is empty where Total counts all.
	Note string `json:"note,omitempty" doc:"Which are not counted: those that the loaded files have without a position, and those beyond the radius."`
}

// lengthOf is the length of a value of a key that is a list, made from the layers that are covered.
func lengthOf(k Key, value any, isCovered func(layer string) bool) *Length {
	list := reflect.ValueOf(value)
	if !list.IsValid() || list.Kind() != reflect.Slice {
		return nil
	}
	n := list.Len()
	l := &Length{Total: n, Returned: n, RadiusM: k.RadiusM, Note: k.Unplaced}
	if k.RadiusM > 0 {
		l.Note = strings.TrimSpace(l.Note + " " + state.NotFarther)
	}
	if n > 0 {
		if counted, ok := list.Index(0).Interface().(interface{ count() int }); ok {
			l.Total = max(n, counted.count())
		}
	}
	// An empty list has no item to ask. A list that lacks some is that of the commune, not of a radius.
	if limited, ok := reflect.Zero(list.Type().Elem()).Interface().(interface {
		Uncounted(isCovered func(layer string) bool) string
	}); ok {
		if note := limited.Uncounted(isCovered); note != "" {
			l.RadiusM, l.Note = 0, note
		}
	}
	l.Truncated = l.Total > n
	return l
}

// Rows makes a query of whose rows a function makes the values of the keys, in their order. Each is of
// the type of the key's Value, or nil for null.
func Rows[R any](q Query, values func([]R) []any, keys ...Key) Query {
	return RowsAbout(q, func(_ *Subject, all []R) []any { return values(all) }, keys...)
}

// RowsAbout makes a query as Rows does, where the values are also made from what is asked.
func RowsAbout[R any](q Query, values func(*Subject, []R) []any, keys ...Key) Query {
	q.Keys = keys
	q.scanValues = func(about *Subject, rows pgx.Rows) ([]any, error) {
		all, err := pgx.CollectRows(rows, pgx.RowToStructByName[R])
		if err != nil {
			return nil, err
		}
		return values(about, all), nil
	}
	return q
}

// Partial is the value of a key with what its state says of it: the counts of what it leaves out, and in a
// sentence what was searched.
type Partial struct {
	Value    any
	LeftOut  *state.LeftOut // nil: not known
	None     string         // reason of an empty value; empty: that of the key
	Searched string         // reason of a value; empty: that of the key
}

// NotCovered is the value of a key that may lack what is not loaded: it is null, and its state says so. Known
// is the value made from what is loaded; nil: there is none.
type NotCovered struct {
	Reason string
	Known  any
}

// Topic is what one topic adds to the report.
type Topic struct {
	Group   Group // of its keys
	Files   fs.FS
	Queries []Query // in the order of their keys in answers
}

// Catalogue is all that a report consists of.
type Catalogue struct {
	keys           []Key
	statements     []statement
	sourcesByLayer map[string][]source.Source // by layer

	selectEdges statement
}

// NewCatalogue combines topics, in the order that their keys have in answers. Sources are those of
// all topics, in loading order. It returns an error for a file that is missing and for a statement
// that names an argument that it is not given.
func NewCatalogue(sources []source.Source, topics []Topic) (*Catalogue, error) {
	c := &Catalogue{sourcesByLayer: layerSources(sources)}
	for _, t := range topics {
		for _, q := range t.Queries {
			text, err := fs.ReadFile(t.Files, q.File)
			if err != nil {
				return nil, fmt.Errorf("read a statement of the report: %w", err)
			}
			s, err := prepareStatement(q, string(text))
			if err != nil {
				return nil, err
			}
			s.firstKey = len(c.keys)
			c.statements = append(c.statements, s)
			for _, k := range s.Keys {
				k.Group = t.Group
				c.keys = append(c.keys, k)
			}
		}
	}
	edges, err := prepareStatement(Query{File: "edge.sql"}, strings.ReplaceAll(edgeSQL, "@reaching::text[]",
		source.SQLList(c.radiusLayers())))
	if err != nil {
		return nil, err
	}
	c.selectEdges = edges
	slices.SortStableFunc(c.statements, func(a, b statement) int { return cmp.Compare(b.Weight, a.Weight) })
	return c, nil
}

// Keys lists the keys of the report in the order of answers.
func (c *Catalogue) Keys() []Key { return c.keys }

// statement is a query made ready: its SQL has numbered parameters, and the texts of its keys have figures.
type statement struct {
	Query
	sql      string
	args     []any // by number; an input is what it reads from the subject
	firstKey int   // place of its first key in the report
}

func prepareStatement(q Query, text string) (statement, error) {
	s := statement{Query: q}
	named := maps.Clone(inputs)
	var figures []string
	for name, n := range q.Args {
		named[name] = n
		if name == "limit" {
			named[name] = input(func(s *Subject) any { return s.listLength(n) })
		}
		figures = append(figures, "{"+name+"}", formatThousands(n), "{"+name+" km}", formatThousands(n/1000))
	}
	var err error
	if s.sql, s.args, err = named.RewriteQuery(context.Background(), nil, text, nil); err != nil {
		return s, fmt.Errorf("read %s: %w", q.File, err)
	}
	if slices.Contains(s.args, nil) {
		return s, fmt.Errorf("%s names an argument that it does not have", q.File)
	}
	s.Keys = slices.Clone(q.Keys)
	for i := range s.Keys {
		if within := s.Keys[i].Within; within != "" {
			if s.Keys[i].RadiusM = q.Args[within]; s.Keys[i].RadiusM <= 0 {
				return s, fmt.Errorf("the key %s is looked for within %q, which is no radius of %s", s.Keys[i].Name,
					within, q.File)
			}
		}
		s.Keys[i].Doc = strings.NewReplacer(figures...).Replace(s.Keys[i].Doc)
	}
	return s, nil
}

// formatThousands writes a number with a space before its thousands.
func formatThousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d %03d", n/1000, n%1000)
}

// Slivers says in a key's text which overlaps are left out: those that geo.is_sliver finds.
const Slivers = " Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out."
