package format

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"arpent/internal/opendata/source"
)

// csvReader reads delimited text. Its records have line numbers.
type csvReader struct {
	in       *recordLimit
	encoding *encodingChecker // nil: they need no judging
	rows     tableLines
	close    func() error
	header   []string
	spec     source.Read
	places   []columnPlace // of the columns asked for so far
	asked    int           // the one of them that was asked for last
	keep     []keepCondition
	groups   *columnGroups // nil: a line is one record
	short    bool          // lines end with their last cell that holds something
	ahead    *csvRow       // what was read before it was asked for
}

// tableLines are the cells of a table, line by line, valid until the next
// is read. FieldPos is the number of the line.
type tableLines interface {
	Read() ([]string, error)
	FieldPos(field int) (line, column int)
}

type csvRow struct {
	row []string
	err error
}

// columnPlace is the position of a column; -1: it is not there.
type columnPlace struct {
	name string
	at   int
}

// keepCondition is a condition on the lines that are read.
type keepCondition struct {
	at   int
	fits *regexp.Regexp
}

// newCSVReader reads the header. encoding is a concrete one: sniffEncoding has replaced "sniff".
func newCSVReader(in io.Reader, spec source.Read, encoding string, close func() error) (*csvReader, error) {
	limited := &recordLimit{in: in, left: maxRecordBytes}
	buffered := bufio.NewReaderSize(limited, readBufferBytes)
	marked, err := dropMark(buffered)
	if err != nil {
		return nil, err
	}
	if marked && encoding != "mixed" { // a mark that one writer put there does not bind the next
		encoding = "utf-8"
	}
	for range spec.Skip {
		if _, err := buffered.ReadString('\n'); err != nil {
			return nil, fmt.Errorf("skip the lines above its header: %w", err)
		}
	}
	separator, _ := utf8.DecodeRuneInString(spec.Separator)
	if spec.Separator == "sniff" {
		if separator, err = sniffSeparator(buffered); err != nil {
			return nil, err
		}
	}
	said := &encodingChecker{declared: encoding, line: spec.Skip + 1}
	text, err := decodeText(buffered, said)
	if err != nil {
		return nil, err
	}
	rows := csv.NewReader(text)
	rows.ReuseRecord = true
	rows.LazyQuotes = spec.Lazy
	rows.FieldsPerRecord = -1
	if spec.Separator != "" {
		rows.Comma = separator
	}
	r := &csvReader{in: limited, encoding: said, rows: rows, close: close, spec: spec}
	return r, r.explainError(r.prepareHeader())
}

// explainError reports what is wrong with the letters of a header in place of what is not found in it.
func (r *csvReader) explainError(err error) error {
	if r.encoding == nil || err == nil {
		return err
	}
	return cmp.Or(r.encoding.checkEncoding(), err)
}

// prepareHeader reads the header and looks up what is asked for in it.
func (r *csvReader) prepareHeader() error {
	if err := r.readHeader(); err != nil {
		return err
	}
	if r.spec.Repeat != nil {
		var err error
		if r.groups, err = newGroups(r.header, *r.spec.Repeat); err != nil {
			return err
		}
	}
	for name, expr := range r.spec.Keep {
		fits, err := regexp.Compile(`^(?:` + expr + `)$`)
		if err != nil {
			return err
		}
		at := r.columnIndex(name)
		if at < 0 {
			return fmt.Errorf("it has no column %s, by which lines are selected", name)
		}
		r.keep = append(r.keep, keepCondition{at, fits})
	}
	return nil
}

// markup begins what a server answers in place of a file. A page on one line
// would be a header without rows: nothing there.
var markup = regexp.MustCompile(`(?i)^\s*<(!doctype|html|head|body|\?xml|!--)`)

func webPageError(begin []byte) error {
	return fmt.Errorf("expected data, got HTML or XML: %.80q", begin)
}

func (r *csvReader) readHeader() error {
	if r.header = r.spec.Header; r.header != nil {
		return nil
	}
	isHeader, err := regexp.Compile("^(?:" + cmp.Or(r.spec.HeaderCell, "(?s).*") + ")$")
	if err != nil {
		return err
	}
	for range maxLinesAbove + 1 {
		row, err := r.rows.Read()
		if err == io.EOF && r.spec.HeaderCell != "" {
			break
		}
		if err == io.EOF {
			return errors.New("the file is empty: it has no header line")
		}
		if err != nil {
			return fmt.Errorf("read its header: %w", err)
		}
		if markup.MatchString(row[0]) {
			return webPageError([]byte(row[0]))
		}
		fits := func(cell string) bool { return isHeader.MatchString(strings.TrimSpace(cell)) }
		if slices.ContainsFunc(row, fits) {
			r.header = append([]string(nil), row...)
			return nil
		}
	}
	return fmt.Errorf("none of its first lines has a cell that matches %s: it has no header", r.spec.HeaderCell)
}

// maxLinesAbove is how many lines there may be above the header of a file whose header is found by a cell.
const maxLinesAbove = 20

func (r *csvReader) Close() error { return r.close() }

func (r *csvReader) Projection() int { return 0 }

func (r *csvReader) Next() (Record, error) {
	for {
		if r.groups != nil {
			if rec, more := r.groups.Next(); more {
				return rec, nil
			}
		}
		row, err := r.readRow()
		if err != nil {
			return Record{}, err // names the line itself
		}
		line, _ := r.rows.FieldPos(0)
		line += r.spec.Skip
		passed := slices.ContainsFunc(r.keep, func(k keepCondition) bool {
			return k.at < len(row) && !k.fits.MatchString(strings.TrimSpace(row[k.at]))
		})
		row, misfit := r.fitRow(row)
		isShort := misfit != nil && (r.groups != nil || len(row) < len(r.header))
		if isShort && r.in.ended && r.in.last != '\n' { // the last line, if none is left
			next, err := r.readRow() // spoils the cells of this one
			r.ahead = &csvRow{next, err}
			if err == io.EOF {
				return Record{}, fmt.Errorf("line %d: the file is cut off: its last line is not whole", line)
			}
		}
		if passed {
			continue
		}
		if misfit != nil {
			return Record{}, &RecordError{int64(line), misfit.Error()}
		}
		rec := Record{Line: int64(line), Fields: csvFields{r, row}}
		if r.groups == nil {
			return rec, nil
		}
		r.groups.record, r.groups.row, r.groups.nextGroup = rec, row, 0
	}
}

func (r *csvReader) readRow() (row []string, err error) {
	if r.ahead != nil {
		row, err = r.ahead.row, r.ahead.err
		r.ahead = nil
		return row, err
	}
	r.in.left = maxRecordBytes
	return r.rows.Read()
}

// fitRow evens out a separator at the end of lines that the header does not have, or the other way round. The
// error says how a line does not have the cells of the header.
func (r *csvReader) fitRow(row []string) ([]string, error) {
	if r.groups != nil {
		return r.groups.fitRow(row, r.short)
	}
	if r.short {
		row = padRow(row, len(r.header))
	}
	switch last := len(r.header) - 1; {
	case len(row) == last+1:
		return row, nil
	case len(row) == last && r.header[last] == "":
		return append(row, ""), nil
	case len(row) == last+2 && row[last+1] == "":
		return row[:last+1], nil
	default:
		return row, fmt.Errorf("it has %d cells; expected %d", len(row), len(r.header))
	}
}

// columnIndex finds a column by its name, or by name, "#" and a number where
// several bear the name; -1: it is not there.
func (r *csvReader) columnIndex(name string) int {
	for range r.places { // each row is asked for the same columns in the same order
		r.asked = (r.asked + 1) % len(r.places)
		if place := r.places[r.asked]; place.name == name {
			return place.at
		}
	}
	at, found := nameIn(r.header, name)
	base, number, _ := strings.Cut(name, "#")
	if nth, err := strconv.Atoi(number); !found && err == nil && nth > 0 {
		at = slices.IndexFunc(r.header, func(h string) bool {
			if strings.EqualFold(strings.TrimSpace(h), base) {
				nth--
			}
			return nth == 0
		})
	}
	r.places = append(r.places, columnPlace{name, at})
	return at
}

// csvFields are the cells of the current row; they are valid until the next one is read.
type csvFields struct {
	r   *csvReader
	row []string
}

func (f csvFields) Text(name string) (string, bool) {
	i := f.r.columnIndex(name)
	if i < 0 || i >= len(f.row) { // a line without groups can be shorter than the header
		return "", false
	}
	return f.row[i], true
}

func (f csvFields) List(name string) ([]string, bool) { return singletonList(f.Text(name)) }

// singletonList is the list of the one text that a cell holds.
func singletonList(text string, there bool) ([]string, bool) {
	if text == "" {
		return nil, false
	}
	return []string{text}, there
}
