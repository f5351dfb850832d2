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
	names   []string
	known   map[string]int // position in names of the fields asked for so far; -1: none of the group's
	numbers []int          // of the groups whose columns have names
	places  [][]int        // of the columns of these, in the order of names
	start   int            // of the first group, where the groups have no names of their own
	unnamed bool

	record    Record // the current line
	row       []string
	nextGroup int // the next group of it
	current   groupFields
}

// newGroups finds the groups in a header.
func newGroups(header []string, spec source.Repeat) (*columnGroups, error) {
	g := &columnGroups{names: spec.Names, known: map[string]int{}, unnamed: spec.From != ""}
	if g.unnamed {
		return g, g.locateUnnamed(header, spec.From)
	}
	found := map[int][]int{}
	for at, name := range header {
		i, n := g.parseColumn(strings.TrimSpace(name))
		if n == 0 {
			continue
		}
		if found[n] == nil {
			found[n] = slices.Repeat([]int{-1}, len(g.names))
			g.numbers = append(g.numbers, n)
		}
		if found[n][i] >= 0 {
			return nil, fmt.Errorf("it has two columns %q", name)
		}
		found[n][i] = at
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("it has no groups of columns: looked for %q; it has %s", g.names[0]+"_1",
			quoteNames(header))
	}
	slices.Sort(g.numbers)
	for _, n := range g.numbers {
		if i := slices.Index(found[n], -1); i >= 0 {
			return nil, fmt.Errorf("its group %d has no column %q; it has %s", n, fmt.Sprint(g.names[i], "_", n),
				quoteNames(header))
		}
		g.places = append(g.places, found[n])
	}
	return g, nil
}

// parseColumn takes "Voix_3" for the column "Voix" of the group 3. 0: it is of no group.
func (g *columnGroups) parseColumn(name string) (i, n int) {
	cut := strings.LastIndexByte(name, '_')
	if cut < 0 {
		return 0, 0
	}
	n, err := strconv.Atoi(name[cut+1:])
	i, is := nameIn(g.names, name[:cut])
	if err != nil || !is || n < 1 {
		return 0, 0
	}
	return i, n
}

// locateUnnamed finds the first of the groups that have no names of their own. What names there are have to
// be those of a group: otherwise figures would end up under other names.
func (g *columnGroups) locateUnnamed(header []string, from string) error {
	start, is := nameIn(header, from)
	if !is {
		return fmt.Errorf("it has no column %q, where its groups begin; it has %s", from, quoteNames(header))
	}
	g.start = start
	for i, name := range header[start:] {
		want := g.names[i%len(g.names)]
		if name = strings.TrimSpace(name); name != "" && !strings.EqualFold(name, want) {
			return fmt.Errorf("its column %q is where a group has %q", name, want)
		}
	}
	return nil
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

// beginRow takes up a line.
func (g *columnGroups) beginRow(rec Record, row []string) { g.record, g.row, g.nextGroup = rec, row, 0 }

// next is the next group of the line that has a cell in it.
func (g *columnGroups) Next() (Record, bool) {
	for g.nextGroup < g.groupCount() {
		n := g.nextGroup
		g.nextGroup++
		for i := range g.names {
			if strings.TrimSpace(g.row[g.cellIndex(n, i)]) != "" {
				g.current = groupFields{g.record.Fields, g, n}
				return Record{Line: g.record.Line, Fields: &g.current}, true
			}
		}
	}
	return Record{}, false
}

func (g *columnGroups) groupCount() int {
	switch {
	case g.row == nil: // no line has been read yet
		return 0
	case g.unnamed:
		return (len(g.row) - g.start) / len(g.names)
	default:
		return len(g.places)
	}
}

func (g *columnGroups) cellIndex(n, i int) int {
	if g.unnamed {
		return g.start + n*len(g.names) + i
	}
	return g.places[n][i]
}

// groupFields are the cells of a line with those of one group; they are valid until the next record is read.
type groupFields struct {
	Fields
	g *columnGroups
	n int
}

func (f *groupFields) Text(name string) (string, bool) {
	if name == "_group" {
		if f.g.unnamed {
			return strconv.Itoa(f.n + 1), true
		}
		return strconv.Itoa(f.g.numbers[f.n]), true
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
		return f.g.row[f.g.cellIndex(f.n, i)], true
	}
	return f.Fields.Text(name)
}

func (f *groupFields) List(name string) ([]string, bool) { return singletonList(f.Text(name)) }
