package ingest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"arpent/api/source"
)

// sheet is a sheet of a spreadsheet: its rows, with the numbers that a program shows beside them. The cells are valid
// until the next row is read; rows without a cell may be left out.
type sheet interface {
	row() (number int, cells []string, err error)
	Close() error
}

// openSheet opens a spreadsheet of either kind as the table that one of its sheets is.
func openSheet(path string, spec source.Read, add func(int64)) (reader, error) {
	content, err := openLocal(path, spec.Member, usualMember[source.Spreadsheet], isSpreadsheet, add)
	if err != nil {
		return nil, err
	}
	r, err := newSheetReader(content, spec)
	if err != nil {
		return nil, errors.Join(err, content.Close())
	}
	return r, nil
}

func isSpreadsheet(f *localFile) bool { return f.begins(compoundMagic) || isXLSX(f) }

func newSheetReader(content *localFile, spec source.Read) (reader, error) {
	var s sheet
	var err error
	switch {
	case content.begins(compoundMagic):
		s, err = openXLS(content, spec.Sheet)
	case isXLSX(content):
		s, err = openXLSX(content, spec.Sheet)
	default:
		return nil, errors.New("it is no spreadsheet: neither .xlsx nor .xls")
	}
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

// pickSheet finds the sheet that is meant among all; hidden ones count only when they are asked for.
func pickSheet(names []string, hidden []bool, wanted string) (int, error) {
	expr, err := regexp.Compile(`^(?:` + wanted + `)$`)
	if err != nil {
		return 0, err
	}
	var found []string
	at := -1
	for i, name := range names {
		if wanted == "" && !hidden[i] || wanted != "" && expr.MatchString(strings.TrimSpace(name)) {
			found, at = append(found, name), i
		}
	}
	switch {
	case len(found) == 1:
		return at, nil
	case len(found) == 0:
		return 0, fmt.Errorf("%w: it has the sheets %q; expected one that fits %q", errNoMember, names, wanted)
	default:
		return 0, fmt.Errorf("it has the sheets %q; which one is meant?", found)
	}
}

// sheetLines are the rows of a sheet that hold something, as lines of a table.
type sheetLines struct {
	sheet  sheet
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
		number, cells, err := l.sheet.row()
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

// put sets a cell of a row that is being read.
func put(cells []string, at int, text string) []string {
	cells = padded(cells, at+1)
	cells[at] = text
	return cells
}

// sheetNumber writes a number as a program shows it, but with all its digits: the days of dates are counted from 1900,
// or 1904.
func sheetNumber(v float64, isDate, from1904 bool) string {
	const latest = 2958466 // the year 10000
	if !isDate || v < 0 || v >= latest {
		return shortest(v, 64)
	}
	first := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if from1904 {
		first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	days := math.Floor(v)
	seconds := math.Round((v - days) * 24 * 60 * 60)
	at := first.AddDate(0, 0, int(days)).Add(time.Duration(seconds) * time.Second)
	if seconds == 0 {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02T15:04:05Z07:00")
}

// dateSigns are what formats of dates are made of, once quoted text and colours are gone.
var (
	formatText = regexp.MustCompile(`"[^"]*"|\\.|\[[^\]]*\]|_.`)
	dateSigns  = regexp.MustCompile(`(?i)[dy]|h|mm?m|s`)
)

// isDateFormat tells whether numbers in a format are dates. Those up to 49 have fixed meanings.
func isDateFormat(id int, code string) bool {
	switch {
	case id >= 14 && id <= 22:
		return true
	case id < 164:
		return false
	}
	code, _, _ = strings.Cut(formatText.ReplaceAllString(code, ""), ";")
	return !strings.EqualFold(code, "General") && !strings.EqualFold(code, "Standard") && dateSigns.MatchString(code)
}
