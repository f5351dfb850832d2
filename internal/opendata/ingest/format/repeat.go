package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"arpent/internal/opendata/source"
)

// columnGroups are the columns of a table that repeat: each group with a cell in it is a record.
type columnGroups struct {
	names []string
	known map[string]int // position in names of the fields asked for so far; -1: none of the group's
	start int            // column of the first group; the others follow it without names of their own

	record    Record // the current line
	row       []string
	nextGroup int // the next group of it
	current   groupFields
}

// newGroups finds the first group in a header. What names there are after it have to be those of a group:
// otherwise figures would end up under other names.
func newGroups(header []string, spec source.Repeat) (*columnGroups, error) {
	g := &columnGroups{names: spec.Names, known: map[string]int{}}
	start, is := nameIn(header, spec.From)
	if !is {
		return nil, fmt.Errorf("it has no column %q, where its groups begin; it has %s", spec.From,
			quoteNames(header))
	}
	g.start = start
	for i, name := range header[start:] {
		want := g.names[i%len(g.names)]
		if name = strings.TrimSpace(name); name != "" && !strings.EqualFold(name, want) {
			return nil, fmt.Errorf("its column %q is where a group has %q", name, want)
		}
	}
	return g, nil
}

// fitRow evens out the end of a line: cells beyond the last whole group that hold nothing go, and short says
// that cells at the end which hold nothing are not written.
func (g *columnGroups) fitRow(row []string, short bool) ([]string, error) {
	if len(row) < g.start {
		if !short {
			return row, fmt.Errorf("it has %d cells; expected at least %d", len(row), g.start)
		}
		return padRow(row, g.start), nil
	}
	size := len(g.names)
	beyond := (len(row) - g.start) % size
	if end := len(row) - beyond; !slices.ContainsFunc(row[end:],
		func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
		return row[:end], nil
	}
	if !short {
		return row, fmt.Errorf("it has %d cells from %q on, which are no groups of %d", len(row)-g.start,
			g.names[0], size)
	}
	return padRow(row, len(row)+size-beyond), nil
}

// padRow adds empty cells.
func padRow(row []string, length int) []string {
	for len(row) < length {
		row = append(row, "")
	}
	return row
}

// Next is the next group of the line that has a cell in it.
func (g *columnGroups) Next() (Record, bool) {
	size := len(g.names)
	for at := g.start + g.nextGroup*size; at+size <= len(g.row); at += size {
		g.nextGroup++
		cells := g.row[at : at+size]
		if slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
			g.current = groupFields{g.record.Fields, g, cells, g.nextGroup}
			return Record{Line: g.record.Line, Fields: &g.current}, true
		}
	}
	return Record{}, false
}

// groupFields are the cells of a line with those of one group; they are valid until the next record is read.
type groupFields struct {
	Fields
	g      *columnGroups
	cells  []string // of the group
	number int
}

func (f *groupFields) Text(name string) (string, bool) {
	if name == "_group" {
		return strconv.Itoa(f.number), true
	}
	i, known := f.g.known[name]
	if !known {
		var is bool
		if i, is = nameIn(f.g.names, name); !is {
			i = -1
		}
		f.g.known[name] = i
	}
	if i >= 0 {
		return f.cells[i], true
	}
	return f.Fields.Text(name)
}

func (f *groupFields) List(name string) ([]string, bool) { return singletonList(f.Text(name)) }
