package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

var parquetMagic = []byte("PAR1")

func isParquet(f *localFile) bool { return f.begins(parquetMagic) }

// parquetRows is how many rows are taken at a time. A page of each column is in memory anyway.
const parquetRows = 256

// parquetReader reads the flat columns of a Parquet file, one group of rows after the other.
type parquetReader struct {
	content *localFile
	file    *parquet.File
	header  []string
	leaves  []parquetLeaf // by the number of the column; those that are not flat have no name
	places  map[string]int

	groups []parquet.RowGroup // that are still to be read
	rows   parquet.Rows       // of the group that is being read
	ahead  []parquet.Row      // that were taken from it
	at     int                // the next of them
	filled int
	count  int64
	cells  []parquet.Value // of the current row, by the number of the column
}

// openParquet opens a Parquet file, with its compression taken off where somebody put one around it.
func openParquet(in input) (Reader, error) {
	content, err := openLocal(in, isParquet)
	if err != nil {
		return nil, err
	}
	r, err := newParquetReader(content)
	if err != nil {
		return nil, errors.Join(err, content.Close())
	}
	return r, nil
}

func newParquetReader(content *localFile) (r *parquetReader, err error) {
	defer damaged(&err)
	if !isParquet(content) {
		return nil, errors.New("it is no Parquet file")
	}
	if err := checkFooter(content); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(content, content.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("read parquet: %w", err)
	}
	r = &parquetReader{
		content: content, file: file, groups: file.RowGroups(), places: map[string]int{},
		ahead: make([]parquet.Row, parquetRows), leaves: make([]parquetLeaf, len(file.Schema().Columns())),
	}
	r.cells = make([]parquet.Value, len(r.leaves))
	for _, column := range file.Root().Columns() {
		if column.Leaf() && !column.Repeated() {
			r.leaves[column.Index()] = leafOf(column)
			r.header = append(r.header, column.Name())
		}
	}
	if r.header == nil {
		return nil, errors.New("it has no column that is not a list or a group")
	}
	return r, nil
}

// checkFooter refuses a footer whose lists would have more elements than it has bytes. The library makes room for what is declared, of
// 12 bytes for gigabytes.
func checkFooter(content *localFile) error {
	end := make([]byte, footerEnd)
	if content.size < int64(len(parquetMagic)+footerEnd) {
		return errFooterCut
	}
	if _, err := content.ReadAt(end, content.size-footerEnd); err != nil {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(end))
	if at := content.size - footerEnd - length; string(end[4:]) != string(parquetMagic) || at < int64(len(parquetMagic)) {
		return errFooterCut
	}
	footer := make([]byte, length)
	if _, err := content.ReadAt(footer, content.size-footerEnd-length); err != nil {
		return err
	}
	var protocol thrift.CompactProtocol
	var skipped struct{} // has none of its fields: each is read to its end and left
	if err := thrift.NewDecoder(protocol.NewReaderFromBytes(footer)).Decode(&skipped); err != nil {
		return fmt.Errorf("the footer of the file is damaged: %w", err)
	}
	return nil
}

// footerEnd are the length of the footer and the mark, behind it.
const footerEnd = 8

var errFooterCut = errors.New("the file is cut off: it does not end as a Parquet file does")

func (r *parquetReader) columns() []string { return r.header }

func (r *parquetReader) Projection() int { return 0 }

func (r *parquetReader) Close() error {
	var err error
	if r.rows != nil {
		err = r.rows.Close()
	}
	return errors.Join(err, r.content.Close())
}

func (r *parquetReader) Next() (rec Record, err error) {
	defer damaged(&err)
	for r.at == r.filled {
		if err := r.fill(); err != nil {
			return Record{}, err
		}
	}
	clear(r.cells)
	for _, v := range r.ahead[r.at] {
		if at := v.Column(); at < len(r.cells) {
			r.cells[at] = v
		}
	}
	r.at++
	r.count++
	return Record{Line: r.count, Fields: parquetFields{r}}, nil
}

// fill takes the next rows.
func (r *parquetReader) fill() error {
	r.at, r.filled = 0, 0
	if r.rows == nil {
		if len(r.groups) == 0 {
			if r.count != r.file.NumRows() {
				return fmt.Errorf("it has %d rows of the %d that it declares", r.count, r.file.NumRows())
			}
			return io.EOF
		}
		r.rows, r.groups = r.groups[0].Rows(), r.groups[1:]
	}
	n, err := r.rows.ReadRows(r.ahead)
	r.filled = n
	if n == 0 && err == nil {
		err = io.ErrNoProgress
	}
	if err == io.EOF {
		err, r.rows = r.rows.Close(), nil
	}
	if err != nil {
		return fmt.Errorf("after record %d: %w", r.count, err)
	}
	return nil
}

// damaged turns what the library does with bytes that make no sense into an error.
func damaged(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the file is damaged: %v", cause)
	}
}

// parquetFields are the cells of the current row; they are valid until the next one is read.
type parquetFields struct{ r *parquetReader }

func (f parquetFields) Text(name string) (string, bool) {
	at, known := f.r.places[name]
	if !known {
		at = -1
		names := make([]string, len(f.r.leaves))
		for i, leaf := range f.r.leaves {
			names[i] = leaf.name
		}
		if i, found := nameIn(names, name); found && name != "" {
			at = i
		}
		f.r.places[name] = at
	}
	if at < 0 {
		return "", false
	}
	return f.r.leaves[at].Text(f.r.cells[at]), true
}

func (f parquetFields) List(name string) ([]string, bool) { return single(f.Text(name)) }

// parquetLeaf is a column of single values, and what its numbers stand for.
type parquetLeaf struct {
	name    string
	logical format.LogicalTypeValue // nil: they are what they are
}

func leafOf(column *parquet.Column) parquetLeaf {
	leaf := parquetLeaf{name: column.Name()}
	if logical := column.Type().LogicalType(); logical != nil {
		leaf.logical = logical.Value
	}
	return leaf
}

// text writes a value. Null is an empty text, and so is what other programs put in its place: a number that is none.
func (l parquetLeaf) Text(v parquet.Value) string {
	if v.IsNull() {
		return ""
	}
	switch logical := l.logical.(type) {
	case *format.DateType:
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(v.Int32())).Format(time.DateOnly)
	case *format.TimestampType:
		return instant(v.Int64(), logical.Unit).Format(time.RFC3339Nano)
	case *format.DecimalType:
		return decimal(v, int(logical.Scale))
	case *format.IntType:
		if !logical.IsSigned && v.Kind() == parquet.Int32 {
			return strconv.FormatUint(uint64(v.Uint32()), 10)
		}
		if !logical.IsSigned && v.Kind() == parquet.Int64 {
			return strconv.FormatUint(v.Uint64(), 10)
		}
	}
	return plainValue(v)
}

func plainValue(v parquet.Value) string {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.FormatBool(v.Boolean())
	case parquet.Int32:
		return strconv.FormatInt(int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.FormatInt(v.Int64(), 10)
	case parquet.Float:
		return shortest(float64(v.Float()), 32)
	case parquet.Double:
		return shortest(v.Double(), 64)
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return string(v.ByteArray())
	default:
		return v.String()
	}
}

// shortest writes a number with as few digits as name it exactly, and never with an exponent.
func shortest(v float64, bits int) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, bits)
}

func instant(v int64, unit format.TimeUnit) time.Time {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return time.UnixMilli(v).UTC()
	case *format.MicroSeconds:
		return time.UnixMicro(v).UTC()
	default:
		return time.Unix(0, v).UTC()
	}
}

// decimal writes a whole number with a point before its last digits.
func decimal(v parquet.Value, scale int) string {
	whole := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		whole.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		whole.SetInt64(v.Int64())
	default:
		bytes := v.ByteArray()
		whole.SetBytes(bytes)
		if len(bytes) > 0 && bytes[0]&0x80 != 0 { // two's complement
			whole.Sub(whole, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
		}
	}
	sign := ""
	if whole.Sign() < 0 {
		sign = "-"
	}
	digits := PadLeft(whole.Abs(whole).String(), scale+1)
	if scale <= 0 {
		return sign + digits + strings.Repeat("0", -scale)
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}
