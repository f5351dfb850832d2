// Package spreadsheet reads the sheets of .xlsx and .xls files row by row: texts as they are, numbers with all their
// digits, dates as dates.
//
// Both are read by hand, down to the XML and the records of Excel. The libraries that there are read bad files as good
// ones (rows out of order, missing texts, damaged XML), or need the whole workbook in memory to distinguish a date from a
// number and a number from a text.
package spreadsheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const readBufferBytes = 1 << 16

// ErrNoSheet is a workbook without the sheet that is looked for.
var ErrNoSheet = errors.New("the sheet is not there")

// Sheet is a sheet of a spreadsheet: its rows, with the numbers that a program shows beside them. The cells are valid
// until the next row is read; rows without a cell may be left out. Row returns io.EOF after the last.
type Sheet interface {
	Row() (number int, cells []string, err error)
	Close() error
}

// Is reports whether a content is a spreadsheet of either kind.
func Is(content io.ReaderAt, size int64) bool { return isXLS(content) || isXLSX(content, size) }

// Open opens the sheet whose name fits an expression; without one, the only sheet that is not hidden. It returns
// ErrNoSheet when none fits. The content must stay open until the sheet is closed.
func Open(content io.ReaderAt, size int64, sheet string) (Sheet, error) {
	switch {
	case isXLS(content):
		return openXLS(content, size, sheet)
	case isXLSX(content, size):
		return openXLSX(content, size, sheet)
	default:
		return nil, errors.New("it is no spreadsheet: neither .xlsx nor .xls")
	}
}

func begins(content io.ReaderAt, magic []byte) bool {
	head := make([]byte, len(magic))
	_, err := content.ReadAt(head, 0)
	return err == nil && bytes.Equal(head, magic)
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
		return 0, fmt.Errorf("%w: it has the sheets %q; expected one that fits %q", ErrNoSheet, names, wanted)
	default:
		return 0, fmt.Errorf("it has the sheets %q; which one is meant?", found)
	}
}

// put sets a cell of a row that is being read.
func put(cells []string, at int, text string) []string {
	for len(cells) <= at {
		cells = append(cells, "")
	}
	cells[at] = text
	return cells
}

// sheetNumber writes a number as a program shows it, but with all its digits: the days of dates are counted from 1900,
// or 1904.
func sheetNumber(v float64, isDate, from1904 bool) string {
	const latest = 2958466 // the year 10000
	if !isDate || v < 0 || v >= latest {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
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

// isDateFormat reports whether numbers in a format are dates. Those up to 49 have fixed meanings.
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
