package spreadsheet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// biff8 is the version of .xls files since Excel 97.
const biff8 = 0x0600

// xlsSheet reads a sheet of an .xls file.
type xlsSheet struct {
	workbook *xlsWorkbook
	in       *biffReader
	depth    int // of charts and the like inside the sheet
	count    int // number of the current row
	cells    []string
	ahead    bool // the current record is the first of the next row
	done     bool
}

// xlsWorkbook is what the sheets of an .xls file share.
type xlsWorkbook struct {
	shared   []string
	formats  map[int]string
	styles   []int  // their formats
	isDate   []bool // by style
	from1904 bool
	names    []string
	hidden   []bool
	begins   []int64
}

// openXLS opens the sheet that is meant.
func openXLS(content io.ReaderAt, size int64, wanted string) (*xlsSheet, error) {
	stream, err := openWorkbook(content, size)
	if err != nil {
		return nil, err
	}
	in := newBIFFReader(stream)
	if err := in.next(); err != nil {
		return nil, err
	}
	if !strings.EqualFold(stream.Name, workbookStream) || in.kind != biffBegin || len(in.data) < 2 || binary.LittleEndian.Uint16(in.data) != biff8 {
		return nil, errors.New("it is a workbook of Excel 95 or older, which cannot be read: save it as .xlsx")
	}
	workbook := &xlsWorkbook{formats: map[int]string{}}
	if err := workbook.read(in); err != nil {
		return nil, err
	}
	at, err := pickSheet(workbook.names, workbook.hidden, wanted)
	if err != nil {
		return nil, err
	}
	if _, err := stream.Seek(workbook.begins[at], io.SeekStart); err != nil {
		return nil, errBIFF
	}
	s := &xlsSheet{workbook: workbook, in: newBIFFReader(stream)}
	if err := s.in.next(); err != nil {
		return nil, err
	}
	if s.in.kind != biffBegin {
		return nil, errBIFF
	}
	return s, nil
}

// read reads up to the first sheet.
func (b *xlsWorkbook) read(in *biffReader) error {
	for {
		if err := in.next(); err != nil {
			return err
		}
		if in.kind == biffEnd {
			for _, format := range b.styles {
				b.isDate = append(b.isDate, isDateFormat(format, b.formats[format]))
			}
			return nil
		}
		if err := b.take(in); err != nil {
			return err
		}
	}
}

func (b *xlsWorkbook) take(in *biffReader) error {
	texts := &biffTexts{b: in, left: in.data}
	switch in.kind {
	case biffEncrypted:
		return errors.New("it is locked by a password: save it without one")
	case biffDate1904:
		b.from1904 = texts.take(2)[0] == 1
	case biffFormat:
		id := int(binary.LittleEndian.Uint16(texts.take(2)))
		b.formats[id] = texts.text(2)
	case biffStyle:
		b.styles = append(b.styles, int(binary.LittleEndian.Uint16(texts.take(4)[2:])))
	case biffSheet:
		head := texts.take(6)
		begin, hidden, kind := binary.LittleEndian.Uint32(head), head[4], head[5]
		if name := texts.text(1); kind == 0 { // a table, not a chart or macros
			b.names, b.hidden, b.begins = append(b.names, name), append(b.hidden, hidden&3 != 0), append(b.begins, int64(begin))
		}
	case biffShared:
		count := binary.LittleEndian.Uint32(texts.take(8)[4:])
		for n := uint32(0); n < count && texts.err == nil; n++ {
			b.shared = append(b.shared, texts.text(2))
		}
	}
	return texts.err
}

func (b *xlsWorkbook) number(v float64, style int) string {
	return sheetNumber(v, style < len(b.isDate) && b.isDate[style], b.from1904)
}

func (s *xlsSheet) Close() error { return nil } // its file is closed by who opened it

// Row reads on to the end of the next row with cells.
func (s *xlsSheet) Row() (int, []string, error) {
	s.cells = s.cells[:0]
	begun := false
	for !s.done {
		if !s.ahead {
			if err := s.in.next(); err != nil {
				return 0, nil, fmt.Errorf("after row %d: %w", s.count, err)
			}
		}
		if s.outside() {
			continue
		}
		if !holdsCell(s.in.kind) {
			continue
		}
		if len(s.in.data) < 6 {
			return 0, nil, fmt.Errorf("after row %d: %w", s.count, errBIFF)
		}
		number := int(binary.LittleEndian.Uint16(s.in.data)) + 1
		if begun && number != s.count {
			s.ahead = true
			return s.count, s.cells, nil
		}
		if !begun && number <= s.count {
			return 0, nil, fmt.Errorf("after row %d there is row %d: save it as .xlsx, with its rows in order", s.count, number)
		}
		s.ahead, begun, s.count = false, true, number
		if err := s.take(); err != nil {
			return 0, nil, fmt.Errorf("in row %d: %w", s.count, err)
		}
	}
	if begun {
		return s.count, s.cells, nil
	}
	return 0, nil, io.EOF
}

// outside passes over the charts inside the sheet, and ends with it.
func (s *xlsSheet) outside() bool {
	switch s.in.kind {
	case biffBegin:
		s.depth++
	case biffEnd:
		s.depth--
		s.done = s.depth < 0
	default:
		return s.depth > 0
	}
	return true
}

func holdsCell(kind uint16) bool {
	switch kind {
	case biffFormula, biffManyRK, biffRichText, biffSharedText, biffNumber, biffText, biffBoolean, biffRK:
		return true
	}
	return false
}

// take reads the cell or cells of the current record.
func (s *xlsSheet) take() error {
	texts := &biffTexts{b: s.in, left: s.in.data}
	head := texts.take(4)
	column := int(binary.LittleEndian.Uint16(head[2:]))
	if column >= maxSheetColumns {
		return errBIFF
	}
	if s.in.kind == biffManyRK {
		for ; len(texts.left) >= 8; column++ { // the last two bytes are the number of the last column
			style := int(binary.LittleEndian.Uint16(texts.take(2)))
			s.cells = put(s.cells, column, s.workbook.number(rk(texts.take(4)), style))
		}
		return texts.err
	}
	style := int(binary.LittleEndian.Uint16(texts.take(2)))
	text, err := s.value(texts, style)
	s.cells = put(s.cells, column, text)
	return errors.Join(err, texts.err)
}

func (s *xlsSheet) value(texts *biffTexts, style int) (string, error) {
	switch s.in.kind {
	case biffSharedText:
		at := binary.LittleEndian.Uint32(texts.take(4))
		if int64(at) >= int64(len(s.workbook.shared)) {
			return "", errBIFF
		}
		return s.workbook.shared[at], nil
	case biffNumber:
		return s.workbook.number(math.Float64frombits(binary.LittleEndian.Uint64(texts.take(8))), style), nil
	case biffRK:
		return s.workbook.number(rk(texts.take(4)), style), nil
	case biffText, biffRichText:
		return texts.text(2), nil
	case biffBoolean:
		v := texts.take(2)
		return trueOrFault(v[0], v[1] == 1), nil
	default:
		return s.result(texts.take(8), style)
	}
}

// result is what a formula gave when the file was written.
func (s *xlsSheet) result(v []byte, style int) (string, error) {
	if binary.LittleEndian.Uint16(v[6:]) != 0xFFFF {
		return s.workbook.number(math.Float64frombits(binary.LittleEndian.Uint64(v)), style), nil
	}
	switch v[0] {
	case 0: // a text, in a record that follows
		for {
			if err := s.in.next(); err != nil {
				return "", err
			}
			if s.in.kind == biffResult {
				texts := &biffTexts{b: s.in, left: s.in.data}
				return texts.text(2), texts.err
			}
			if holdsCell(s.in.kind) || s.in.kind == biffEnd {
				return "", errBIFF
			}
		}
	case 1, 2:
		return trueOrFault(v[2], v[0] == 2), nil
	default:
		return "", nil
	}
}

var sheetFaults = map[byte]string{0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}

func trueOrFault(v byte, fault bool) string {
	if fault {
		return sheetFaults[v]
	}
	return strconv.FormatBool(v == 1)
}

// rk reads a number that is packed into four bytes.
func rk(b []byte) float64 {
	packed := binary.LittleEndian.Uint32(b)
	v := math.Float64frombits(uint64(packed&^3) << 32)
	if packed&2 != 0 {
		v = float64(int32(packed) >> 2)
	}
	if packed&1 != 0 {
		v /= 100
	}
	return v
}
