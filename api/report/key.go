package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
)

// Group is a group of keys, as the contract names it.
type Group string

// Key is one member of the report.
type Key struct {
	Name   string
	Group  Group
	Doc    string   // what it tells, within which distance, in which order, how many at most
	Layers []string // what it is made from; where none of them is loaded it is null
	With   []string // what adds to it where it is loaded
	Value  any      // zero value of the type of what is not null, for the document
}

// And names layers that add to a key.
func (k Key) And(layers ...string) Key {
	k.With = layers
	return k
}

// DrawsOn tells whether a layer has a part in the key.
func (k Key) DrawsOn(layer string) bool {
	return slices.Contains(k.Layers, layer) || slices.Contains(k.With, layer)
}

// Query is one statement of the report. It returns one row with a JSON value for each of its keys, in their order.
type Query struct {
	File string // in the files of its topic
	Keys []Key
	// Weight says how long it takes beside the others: the longest begin first.
	Weight int
}

// Topic is what one topic adds to the report.
type Topic struct {
	Files   fs.FS
	Queries []Query
	Order   []string // of its keys in answers, where it is not that of the queries; those that it lacks come last
}

// Catalogue is all that a report consists of.
type Catalogue struct {
	keys       []Key
	statements []statement
}

// NewCatalogue puts topics together, in the order that their keys have in answers.
func NewCatalogue(topics []Topic) (*Catalogue, error) {
	c := &Catalogue{}
	for _, t := range topics {
		var keys []Key
		for _, q := range t.Queries {
			keys = append(keys, q.Keys...)
			text, err := fs.ReadFile(t.Files, q.File)
			if err != nil {
				return nil, fmt.Errorf("read the statement for %s: %w", q.Keys[0].Name, err)
			}
			s := statement{Query: q}
			s.sql, s.args = number(string(text))
			c.statements = append(c.statements, s)
		}
		place := func(k Key) uint { return uint(slices.Index(t.Order, k.Name)) } // the greatest of all for one that is not listed
		slices.SortStableFunc(keys, func(a, b Key) int { return cmp.Compare(place(a), place(b)) })
		c.keys = append(c.keys, keys...)
	}
	for i := range c.statements {
		s := &c.statements[i]
		for _, k := range s.Keys {
			s.places = append(s.places, slices.IndexFunc(c.keys, func(other Key) bool { return other.Name == k.Name }))
		}
	}
	slices.SortStableFunc(c.statements, func(a, b statement) int { return cmp.Compare(b.Weight, a.Weight) })
	return c, nil
}

// Keys lists the keys of the report in the order of answers.
func (c *Catalogue) Keys() []Key { return c.keys }

// begin is the statement that all others start from.
//
//go:embed begin.sql
var begin string

// statement is a query made ready: its SQL with numbered parameters.
type statement struct {
	Query
	sql    string
	args   []string // names of the parameters, by number
	places []int    // of its keys in the report
}

// parameter is what a statement can ask for, see Parcel.
var parameter = regexp.MustCompile(`@(idu|shape|commune|arrondissement|departement|covered)\b`)

// number replaces the named parameters of a statement.
func number(sql string) (numbered string, args []string) {
	numbered = parameter.ReplaceAllStringFunc(sql, func(name string) string {
		i := slices.Index(args, name[1:])
		if i < 0 {
			i = len(args)
			args = append(args, name[1:])
		}
		return "$" + strconv.Itoa(i+1)
	})
	return numbered, args
}

// Slivers says in a key's text which overlaps are left out.
const Slivers = " Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out."
