package ingest

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"arpent/api/source"
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
func openParquet(path string, spec source.Read, add func(int64)) (reader, error) {
	content, err := openLocal(path, spec.Member, usualMember[source.Parquet], isParquet, add)
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
	end := make([]byte, len(parquetMagic))
	if _, err := content.ReadAt(end, max(0, content.size-int64(len(end)))); err != nil || string(end) != string(parquetMagic) {
		return nil, errors.New("the file is cut off: it does not end as a Parquet file does")
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

func (r *parquetReader) columns() []string { return r.header }

func (r *parquetReader) projection() int { return 0 }

func (r *parquetReader) Close() error {
	var err error
	if r.rows != nil {
		err = r.rows.Close()
	}
	return errors.Join(err, r.content.Close())
}

func (r *parquetReader) next() (rec record, err error) {
	defer damaged(&err)
	for r.at == r.filled {
		if err := r.fill(); err != nil {
			return record{}, err
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
	return record{line: r.count, fields: parquetFields{r}}, nil
}

// fill takes the next rows.
func (r *parquetReader) fill() error {
	r.at, r.filled = 0, 0
	if r.rows == nil {
		if len(r.groups) == 0 {
			if r.count != r.file.NumRows() {
				return fmt.Errorf("it has %d rows of the %d that it tells", r.count, r.file.NumRows())
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

func (f parquetFields) text(name string) (string, bool) {
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
	return f.r.leaves[at].text(f.r.cells[at]), true
}

func (f parquetFields) list(name string) ([]string, bool) {
	text, there := f.text(name)
	if !there || text == "" {
		return nil, false
	}
	return []string{text}, true
}
