package ingest

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"arpent/api/source"
)

// csvReader reads delimited text. Its records have line numbers.
type csvReader struct {
	in     *recordLimit
	rows   *csv.Reader
	close  func() error
	header []string
	spec   source.Read
	places map[string]int // position of the columns asked for so far; -1: not there
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// newCSVReader reads the header. encoding is a concrete one: "sniff" has been settled by sniffEncoding.
func newCSVReader(in io.Reader, spec source.Read, encoding string, close func() error) (*csvReader, error) {
	limited := &recordLimit{in: in, left: maxRecordBytes}
	buffered := bufio.NewReaderSize(limited, readBufferBytes)
	marked := false
	if start, err := buffered.Peek(len(byteOrderMark)); err == nil && bytes.Equal(start, byteOrderMark) {
		marked = true
		if _, err := buffered.Discard(len(byteOrderMark)); err != nil {
			return nil, err
		}
	}
	for range spec.Skip {
		if _, err := buffered.ReadString('\n'); err != nil {
			return nil, fmt.Errorf("skip the lines above its header: %w", err)
		}
	}
	var text io.Reader = buffered
	switch {
	case encoding == "" || encoding == "utf-8" || marked:
	case encoding == "cp1252":
		text = charmap.Windows1252.NewDecoder().Reader(buffered)
	case encoding == "latin1":
		text = charmap.ISO8859_1.NewDecoder().Reader(buffered)
	default:
		return nil, fmt.Errorf("the encoding %q is not known", encoding)
	}
	r := &csvReader{in: limited, rows: csv.NewReader(text), close: close, spec: spec, places: map[string]int{}}
	r.rows.ReuseRecord = true
	r.rows.LazyQuotes = spec.Lazy
	if spec.Separator != "" {
		r.rows.Comma, _ = utf8.DecodeRuneInString(spec.Separator)
	}
	return r, r.readHeader()
}

func (r *csvReader) readHeader() error {
	if r.header = r.spec.Header; r.header != nil {
		r.rows.FieldsPerRecord = len(r.header)
		return nil
	}
	row, err := r.rows.Read()
	if err == io.EOF {
		return errors.New("the file is empty: it has no header line")
	}
	if err != nil {
		return fmt.Errorf("read its header: %w", err)
	}
	r.header = append([]string(nil), row...)
	return nil
}

func (r *csvReader) Close() error { return r.close() }

func (r *csvReader) projection() int { return 0 }

func (r *csvReader) next() (record, error) {
	r.in.left = maxRecordBytes
	row, err := r.rows.Read()
	if err == io.EOF {
		return record{}, io.EOF
	}
	line := 0
	if len(row) > 0 {
		line, _ = r.rows.FieldPos(0)
		line += r.spec.Skip
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return record{}, &refusal{int64(line), fmt.Sprintf("it has %d cells; expected %d", len(row), len(r.header))}
	}
	if err != nil {
		return record{}, err // names the line itself
	}
	return record{line: int64(line), fields: csvFields{r, row}}, nil
}

// csvFields are the cells of the current row; they are valid until the next one is read.
type csvFields struct {
	r   *csvReader
	row []string
}

func (f csvFields) text(name string) (string, bool) {
	i, known := f.r.places[name]
	if !known {
		var found bool
		if i, found = nameIn(f.r.header, name); !found {
			i = -1
		}
		f.r.places[name] = i
	}
	if i < 0 {
		return "", false
	}
	return f.row[i], true
}

func (f csvFields) list(name string) ([]string, bool) {
	s, ok := f.text(name)
	if !ok || s == "" {
		return nil, false
	}
	return []string{s}, true
}

// sniffEncoding reads a whole text: it is UTF-8 when all of it is, else Windows-1252, which French administrations
// fall back to.
func sniffEncoding(in io.Reader) (string, error) {
	r := bufio.NewReaderSize(in, readBufferBytes)
	for {
		c, size, err := r.ReadRune()
		if err == io.EOF {
			return "utf-8", nil
		}
		if err != nil {
			return "", err
		}
		if c == utf8.RuneError && size == 1 {
			return "cp1252", nil
		}
	}
}
