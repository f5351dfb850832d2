package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/ingest/convert"
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// maxKeptRejections is how many rejected rows are recorded with their reason; all are counted.
const maxKeptRejections = 100

// Rejection is one row that was not loaded, and why.
type Rejection struct {
	File   string `json:"file"`
	Line   int64  `json:"line"` // line of a text file, number of the object in other files
	Reason string `json:"reason"`
}

// rejections counts the rows that were not loaded and keeps the first.
type rejections struct {
	count   int64
	first   []Rejection
	leftOut LeftOut
}

// LeftOut are the rows of places that are not served, or without a position of their own: they are no fault
// of a file, see source.Known and source.Geometry.
type LeftOut struct {
	Count int64
	First Rejection
}

func (r *rejections) add(x Rejection) {
	r.count++
	if len(r.first) < maxKeptRejections {
		r.first = append(r.first, x)
	}
}

// columnNames returns the columns of the staging table: where a row comes from, its values, its shape.
func columnNames(c *convert.Converter, g *source.Geometry) []string {
	names := []string{"_file", "_line"}
	for _, col := range c.Columns() {
		names = append(names, col.Name)
	}
	if g != nil {
		names = append(names, "geom")
	}
	return names
}

// createStage makes the staging table. It is temporary: readers cannot
// see it, and a crash leaves nothing behind.
func createStage(ctx context.Context, conn *pgx.Conn, c *convert.Converter, g *source.Geometry) error {
	var b strings.Builder
	b.WriteString("CREATE TEMP TABLE stage (_file integer NOT NULL, _line bigint NOT NULL")
	for _, col := range c.Columns() {
		fmt.Fprintf(&b, ", %s %s", pgx.Identifier{col.Name}.Sanitize(), col.Kind)
	}
	if g != nil {
		b.WriteString(", geom geometry")
	}
	b.WriteString(")")
	_, err := conn.Exec(ctx, b.String())
	return err
}

// copySource hands the rows of all files of a load to COPY, one at a time.
type copySource struct {
	ctx            context.Context
	conv           *convert.Converter
	files          []file
	open           func(context.Context, file) (format.Reader, error)
	refused        *rejections
	drops          []dropCondition
	neededColumns  []source.Column // what is read of a record, and its place
	missingColumns string          // see format.Lacking; of the first file
	shapeAt        int             // of the shape in a row; -1: there is none
	anyProjected   bool            // a shape is in other units than degrees

	at      int // index of the open file
	current format.Reader
	row     []any
	err     error
}

// Next reads on to the next row that can be loaded.
func (f *copySource) Next() bool {
	for f.err == nil && f.at < len(f.files) {
		if f.current == nil {
			if f.current, f.err = f.open(f.ctx, f.files[f.at]); f.err != nil {
				break
			}
			if f.at == 0 {
				f.missingColumns = format.Lacking(f.current, f.neededColumns)
			}
		}
		rec, err := f.current.Next()
		if err == io.EOF {
			err = f.current.Close()
			f.current = nil
			if f.err = err; err == nil {
				f.at++
			}
			continue
		}
		if f.convertRecord(rec, err) {
			return true
		}
	}
	if f.err != nil && f.at < len(f.files) {
		f.err = fmt.Errorf("%s: %w", f.files[f.at].name, f.err)
	}
	return false
}

// convertRecord converts a record into the current row. false: there is none, for this record or for good.
func (f *copySource) convertRecord(rec format.Record, err error) bool {
	var bad *format.RecordError
	if errors.As(err, &bad) {
		f.refused.add(Rejection{f.files[f.at].name, bad.Line, bad.Reason})
		return false
	}
	if err != nil {
		f.err = err
		return false
	}
	here := f.files[f.at]
	row, err := f.conv.AppendRow(append(f.row[:0], int32(f.at), rec.Line), rec, here.fields,
		f.current.Projection())
	if err != nil {
		f.refused.add(Rejection{here.name, rec.Line, err.Error()})
		return false
	}
	f.row = row
	if slices.ContainsFunc(f.drops, func(drop dropCondition) bool { return drop(f.row) }) {
		return false
	}
	f.anyProjected = f.anyProjected || f.shapeAt >= 0 && convert.IsProjected(f.row[f.shapeAt])
	return true
}

// Values is the row that Next found.
func (f *copySource) Values() ([]any, error) { return f.row, nil }

// Err is what stopped the reading.
func (f *copySource) Err() error { return f.err }

func (f *copySource) Close() error {
	if f.current == nil {
		return nil
	}
	return f.current.Close()
}

// dropCondition reports whether a row that was read is one that the source drops.
type dropCondition func(values []any) bool

// dropWhen are the conditions that are judged as rows are read: a text against one value.
var dropWhen = regexp.MustCompile(`^(\w+) (?:(IS NULL)|(=|IS DISTINCT FROM) '([^']*)'|LIKE '([^'%_\\]+)%')$`)

// compileDrops are the conditions of a source that can be judged as rows are read, so that rows out of scope,
// two thirds of some files, are not staged to be deleted. Those after the first that only the database knows
// may depend on what that one leaves. What a row is rejected for by its shape comes before what it is dropped
// for: of a source with shapes only rows without one are dropped here.
func compileDrops(src source.Source, columns []string) (all []dropCondition) {
	for _, when := range src.Drop {
		drop := compileDrop(src, columns, when)
		if drop == nil {
			break
		}
		all = append(all, drop)
	}
	return all
}

// compileDrop is a condition on the values of columns; nil: only the database knows.
func compileDrop(src source.Source, columns []string, when string) dropCondition {
	m := dropWhen.FindStringSubmatch(when)
	if m == nil {
		return nil
	}
	at := slices.Index(columns, m[1])
	if at < 0 {
		return nil
	}
	if m[2] != "" && (src.Geometry == nil || src.Geometry.Optional && m[1] == "geom") {
		return func(values []any) bool { return values[at] == nil }
	}
	if src.Geometry != nil || !slices.ContainsFunc(src.Columns, func(c source.Column) bool {
		return c.Name == m[1] && (c.Kind == "" || c.Kind == source.Text)
	}) {
		return nil
	}
	return func(values []any) bool {
		text, there := values[at].(string)
		switch {
		case m[3] == "=":
			return there && text == m[4]
		case m[3] != "":
			return !there || text != m[4]
		default:
			return there && strings.HasPrefix(text, m[5])
		}
	}
}
