package format

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"arpent/api/ingest/format/spreadsheet"
	"arpent/api/source"
)

// openSheet opens a spreadsheet of either kind as the table that one of its sheets is.
func openSheet(in input) (Reader, error) {
	content, err := openLocal(in, isSpreadsheet)
	if err != nil {
		return nil, err
	}
	r, err := newSheetReader(content, in.spec)
	if err != nil {
		return nil, errors.Join(err, content.Close())
	}
	return r, nil
}

func isSpreadsheet(f *localFile) bool { return spreadsheet.Is(f, f.size) }

func newSheetReader(content *localFile, spec source.Read) (Reader, error) {
	s, err := spreadsheet.Open(content, content.size, spec.Sheet)
	if err != nil {
		return nil, err
	}
	rows := &sheetLines{sheet: s}
	if spec.HeaderCell != "" {
		err = rows.seek(spec.HeaderCell)
	} else {
		err = rows.skip(spec.Skip)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	spec.Skip = 0 // its rows have their numbers
	r := &csvReader{
		in: &recordLimit{}, rows: rows, short: true, spec: spec, places: map[string]int{},
		close: func() error { return errors.Join(s.Close(), content.Close()) },
	}
	if err := r.begin(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return r, nil
}

// sheetLines are the rows of a sheet that hold something, as lines of a table.
type sheetLines struct {
	sheet  spreadsheet.Sheet
	number int
	cells  []string
	ready  bool // the current row has not been asked for yet
}

// Read implements tableLines.
func (l *sheetLines) Read() ([]string, error) {
	if l.ready {
		l.ready = false
		return l.cells, nil
	}
	for {
		number, cells, err := l.sheet.Row()
		if err != nil {
			return nil, err
		}
		for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
			cells = cells[:len(cells)-1]
		}
		if len(cells) > 0 {
			l.number, l.cells = number, cells
			return cells, nil
		}
	}
}

// FieldPos implements tableLines.
func (l *sheetLines) FieldPos(int) (line, column int) { return l.number, 1 }

// skip passes over rows by their numbers.
func (l *sheetLines) skip(rows int) error {
	for {
		_, err := l.Read()
		if err == io.EOF {
			return nil // that it has no header is said by who looks for it
		}
		if err != nil {
			return err
		}
		if l.number > rows {
			l.ready = true
			return nil
		}
	}
}

// seek goes to the first row with a cell that fits.
func (l *sheetLines) seek(cell string) error {
	expr, err := regexp.Compile(`^(?:` + cell + `)$`)
	if err != nil {
		return err
	}
	fits := func(text string) bool { return expr.MatchString(strings.TrimSpace(text)) }
	for {
		cells, err := l.Read()
		if err == io.EOF {
			return fmt.Errorf("it has no header: no cell of the sheet fits %q", cell)
		}
		if err != nil {
			return err
		}
		if slices.ContainsFunc(cells, fits) {
			l.ready = true
			return nil
		}
	}
}
