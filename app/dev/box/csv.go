package box

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// table is a delimited file: its columns and rows as the producer wrote them.
type table struct {
	separator rune
	header    []string
	rows      [][]string
}

// parseTable reads a delimited file in UTF-8 or windows-1252, without its byte order mark.
func parseTable(content []byte, separator rune) (table, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if !utf8.Valid(content) {
		decoded, err := charmap.Windows1252.NewDecoder().Bytes(content)
		if err != nil {
			return table{}, err
		}
		content = decoded
	}
	r := csv.NewReader(bytes.NewReader(content))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = separator, -1, true
	all, err := r.ReadAll()
	if err != nil {
		return table{}, err
	}
	if len(all) == 0 {
		return table{}, errors.New("it has no header")
	}
	t := table{separator: separator, header: all[0], rows: all[1:]}
	for i, row := range t.rows {
		if missing := len(t.header) - len(row); missing > 0 {
			t.rows[i] = append(row, make([]string, missing)...)
		}
	}
	return t, nil
}

// columnIndex returns the place of a column, -1 if there is none.
func (t table) columnIndex(name string) int { return slices.Index(t.header, name) }

func (t table) encodeCSV() ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Comma = t.separator
	if err := w.Write(t.header); err != nil {
		return nil, err
	}
	if err := w.WriteAll(t.rows); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// row gives a condition the cells of a row by column.
type row func(column string) string

// selection says which part of a delimited file is kept.
type selection struct {
	separator rune
	columns   []string       // regular expressions of whole names; each must match one at least
	when      func(row) bool // the rows that are kept; nil: all of them
	once      bool           // rows that are alike in the columns are kept once
}

// keepColumns keeps some columns of a delimited file, in the producer's order.
func keepColumns(separator rune, names ...string) Conversion {
	return selection{separator: separator, columns: names}.convertTable
}

func (s selection) convertTable(full []byte) ([]byte, error) {
	t, err := parseTable(full, s.separator)
	if err != nil {
		return nil, err
	}
	places, err := t.columnIndexes(s.columns)
	if err != nil {
		return nil, err
	}
	out := table{separator: s.separator, header: pickCells(t.header, places)}
	written := map[string]bool{}
	for _, cells := range t.rows {
		if s.when != nil && !s.when(func(column string) string { return cells[t.columnIndex(column)] }) {
			continue
		}
		kept := pickCells(cells, places)
		if key := strings.Join(kept, "\x00"); s.once {
			if written[key] {
				continue
			}
			written[key] = true
		}
		out.rows = append(out.rows, kept)
	}
	return out.encodeCSV()
}

// columnIndexes returns the columns whose names match, in the order of the file.
func (t table) columnIndexes(names []string) ([]int, error) {
	wanted := map[int]bool{}
	for _, name := range names {
		pattern, err := regexp.Compile("^(?:" + name + ")$")
		if err != nil {
			return nil, err
		}
		found := false
		for i, h := range t.header {
			if pattern.MatchString(h) {
				wanted[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("it has no column %s; its columns are %s", name,
				strings.Join(t.header, ", "))
		}
	}
	var out []int
	for i := range t.header {
		if wanted[i] {
			out = append(out, i)
		}
	}
	return out, nil
}

func pickCells(cells []string, places []int) []string {
	out := make([]string, len(places))
	for i, p := range places {
		out[i] = cells[p]
	}
	return out
}

// Total is an official figure that the values of a column must add up to.
type Total struct {
	Separator rune
	Column    string
	Sum       float64
	When      func(row) bool // the rows that count; nil: all of them
}

func (t Total) checkSum(made []byte) error {
	parsed, err := parseTable(made, t.Separator)
	if err != nil {
		return err
	}
	place := parsed.columnIndex(t.Column)
	if place < 0 {
		return fmt.Errorf("it has no column %s to add up", t.Column)
	}
	sum := 0.0
	for _, cells := range parsed.rows {
		if t.When != nil && !t.When(func(column string) string { return cells[parsed.columnIndex(column)] }) {
			continue
		}
		if value, err := strconv.ParseFloat(strings.Replace(cells[place], ",", ".", 1), 64); err == nil {
			sum += value
		}
	}
	if sum != t.Sum {
		return fmt.Errorf("its %s add up to %v, the official total is %v", t.Column, sum, t.Sum)
	}
	return nil
}
