package format

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"arpent/internal/opendata/source"
)

// unpivotRule is a compiled source.Unpivot.
type unpivotRule struct {
	column          *regexp.Regexp
	measure, period []TemplatePart
}

// namedFields are fields that know their names.
type namedFields interface{ fieldNames() []string }

// unpivotReader makes a record of each cell that holds a figure.
type unpivotReader struct {
	Reader // of the whole records
	rules  []unpivotRule
	spec   source.Read
	path   map[string]string

	known  map[string]*unpivotCell // by the name of the column; nil: it holds no figure
	taken  map[string]string       // measure and period to the name of the column that is for them
	seen   []string                // names of the fields of the first record that was looked at
	cells  []*unpivotCell          // of the current record
	at     int                     // the next of them
	record Record
	cell   overlay // the same for all records: they are used up one by one
}

// unpivotCell is a column that holds figures.
type unpivotCell struct {
	column          string
	measure, period []TemplatePart // without the parts that are the same in the whole file
}

// newUnpivotReader splits the records of a reader. The columns of a table are looked at at once.
func newUnpivotReader(r Reader, spec source.Read, path map[string]string) (Reader, error) {
	w := &unpivotReader{Reader: r, spec: spec, path: path, known: map[string]*unpivotCell{},
		taken: map[string]string{}, cell: overlay{named: map[string]string{}}}
	for _, one := range spec.Unpivot {
		column, err := regexp.Compile(`^(?:` + one.Column + `)$`)
		measure, noMeasure := ParseTemplate(one.Measure)
		period, noPeriod := ParseTemplate(one.Period)
		if err := errors.Join(err, noMeasure, noPeriod); err != nil {
			return nil, err
		}
		w.rules = append(w.rules, unpivotRule{column, measure, period})
	}
	table, ok := r.(*csvReader)
	if !ok {
		return w, nil
	}
	if err := w.findColumns(table.header); err != nil {
		return nil, err
	}
	w.at = len(w.cells) // there is no record yet
	return w, w.checkColumns()
}

func (w *unpivotReader) Next() (Record, error) {
	for {
		for w.at < len(w.cells) {
			cell := w.cells[w.at]
			w.at++
			fields := w.record.Fields
			text, _ := fields.Text(cell.column)
			text = strings.TrimSpace(text)
			word, listed := w.spec.Missing[text]
			if listed {
				text = ""
			} else if text == "" || slices.Contains(w.spec.Nulls, text) {
				continue
			}
			w.cell.Fields = fields
			w.cell.named["_value"], w.cell.named["_missing"] = text, word
			w.cell.named["_measure"] = fillTemplate(cell.measure, fields)
			w.cell.named["_period"] = fillTemplate(cell.period, fields)
			return Record{Line: w.record.Line, Fields: &w.cell, Shape: w.record.Shape}, nil
		}
		rec, err := w.Reader.Next()
		if err == io.EOF && w.seen != nil {
			if none := w.checkColumns(); none != nil {
				return Record{}, none
			}
		}
		if err != nil {
			return Record{}, err
		}
		w.record, w.at = rec, 0
		if object, ok := rec.Fields.(namedFields); ok {
			if err := w.findColumns(object.fieldNames()); err != nil {
				return Record{}, err
			}
		}
	}
}

// findColumns finds the columns that hold figures.
func (w *unpivotReader) findColumns(names []string) error {
	if w.seen == nil {
		w.seen = slices.Clone(names)
	}
	w.cells = w.cells[:0]
	_, isTable := w.Reader.(*csvReader) // in a header two columns can bear one name
	for _, name := range names {
		cell, looked := w.known[name]
		if !looked || isTable {
			var err error
			if cell, err = w.matchColumn(name); err != nil {
				return err
			}
			w.known[name] = cell
		}
		if cell != nil {
			w.cells = append(w.cells, cell)
		}
	}
	return nil
}

// matchColumn makes the cell of a column; nil: it holds no figures.
func (w *unpivotReader) matchColumn(name string) (*unpivotCell, error) {
	for _, rule := range w.rules {
		m := rule.column.FindStringSubmatch(strings.TrimSpace(name))
		if m == nil {
			continue
		}
		groups := map[string]string{}
		for i, group := range rule.column.SubexpNames() {
			if group != "" {
				groups[group] = m[i]
			}
		}
		cell := &unpivotCell{name, w.fixTemplate(rule.measure, groups), w.fixTemplate(rule.period, groups)}
		key := fmt.Sprint(cell.measure, cell.period)
		if other, is := w.taken[key]; is {
			return nil, fmt.Errorf("its columns %q and %q both are the measure %s of the period %s",
				other, name, quoteTemplate(cell.measure), quoteTemplate(cell.period))
		}
		w.taken[key] = name
		return cell, nil
	}
	return nil, nil
}

// checkColumns complains when no column holds figures.
func (w *unpivotReader) checkColumns() error {
	if len(w.taken) > 0 {
		return nil
	}
	looked := make([]string, len(w.spec.Unpivot))
	for i, spec := range w.spec.Unpivot {
		looked[i] = spec.Column
	}
	return fmt.Errorf("it has no column of figures: none fits %s; it has %s", quoteNames(looked),
		quoteNames(w.seen))
}
