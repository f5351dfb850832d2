// Package format reads the records of a file in any of the formats that producers publish: delimited text, JSON, GeoJSON,
// spreadsheets, Parquet, what GDAL reads, and grids; plain, compressed or in an archive. It reads record by record, so that
// the memory does not grow with the file, and limits what a hostile file can make it read. It knows no database.
package format

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"arpent/api/ingest/format/spreadsheet"
	"arpent/api/source"
)

// Record is one row of a file, as read.
type Record struct {
	Line   int64 // line of a text file, number of the object otherwise; both start at 1
	Fields Fields
	Shape  []byte // geometry in GeoJSON; nil when the record has none
}

// Fields gives the cells of a record by the name they have in the file. They are valid until the next record is read.
type Fields interface {
	Text(name string) (string, bool)
	List(name string) ([]string, bool)
}

// RealFields are fields that hold whole lists of numbers, as the tiles of a raster do.
type RealFields interface {
	Reals(name string) ([]float32, bool)
}

// Reader yields the records of a file. Next returns io.EOF after the last one, a *RecordError for a record that cannot be
// used while the others can, and any other error when the file is broken.
type Reader interface {
	Next() (Record, error)
	// Projection is the SRID that the file itself names; 0: it names none.
	Projection() int
	Close() error
}

// RecordError is why a record cannot be used.
type RecordError struct {
	Line   int64
	Reason string
}

func (r *RecordError) Error() string { return r.Reason }

// Options of Open.
type Options struct {
	Geometry *source.Geometry  // nil: shapes are not read
	SRID     int               // the projection of a file that does not name its own
	Path     map[string]string // the fields that the file's path gives
	Read     func(bytes int64) // is called as the file is read; nil: nothing is
}

// usualMember finds the data among the members of an archive when the declaration does not say.
var usualMember = map[source.Format]string{
	source.CSV:         `(?i)\.(csv|txt|tsv)$`,
	source.JSON:        `(?i)\.json$`,
	source.JSONLines:   `(?i)\.(jsonl|ndjson|json)$`,
	source.GeoJSON:     `(?i)\.(geojson|json)$`,
	source.Spreadsheet: `(?i)\.xlsx?$`,
	source.Parquet:     `(?i)\.parquet$`,
	source.GeoPackage:  `(?i)\.gpkg$`,
	source.Shapefile:   `(?i)\.shp$`,
	source.EDIGEO:      `(?i)\.thf$`,
}

// Open starts to read a file as its source declares it. Where the declaration says Optional, a file without the member or the
// sheet is read as one without records. The error says what is wrong with the file or the declaration.
func Open(ctx context.Context, path string, spec source.Read, o Options) (Reader, error) {
	if o.Read == nil {
		o.Read = func(int64) {}
	}
	r, err := openAny(ctx, path, spec, o)
	if spec.Optional && (errors.Is(err, errNoMember) || errors.Is(err, spreadsheet.ErrNoSheet)) {
		return empty{}, nil
	}
	if err != nil || spec.Unpivot == nil {
		return r, err
	}
	split, err := newUnpivotReader(r, spec, o.Path)
	if table, ok := r.(*csvReader); ok {
		err = table.explain(err)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return split, nil
}

func openAny(ctx context.Context, path string, spec source.Read, o Options) (Reader, error) {
	switch spec.Format {
	case source.JSON, source.JSONLines, source.GeoJSON:
		in, err := openStream(path, spec.Member, usualMember[spec.Format], o.Read)
		if err != nil {
			return nil, err
		}
		text, err := objectText(in)
		if err != nil {
			return nil, errors.Join(err, in.Close())
		}
		return newJSONReader(text, spec, in.Close), nil
	case source.CSV:
		return openCSV(path, spec, o.Read)
	case source.Spreadsheet:
		return openSheet(path, spec, o.Read)
	case source.Parquet:
		return openParquet(path, spec, o.Read)
	case source.Raster:
		return openRaster(ctx, path, spec, o.Read, o.SRID)
	default:
		return openGDAL(ctx, path, spec, o.Geometry, o.SRID, o.Read)
	}
}

// objectText is the text of a JSON file, which is always UTF-8; some writers put a mark before it.
func objectText(in io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(in, readBufferBytes)
	if _, err := dropMark(buffered); err != nil {
		return nil, err
	}
	return decoded(buffered, &letters{said: "utf-8", line: 1})
}

func openCSV(path string, spec source.Read, add func(int64)) (Reader, error) {
	encoding := spec.Encoding
	if encoding == "sniff" {
		in, err := openStream(path, spec.Member, usualMember[source.CSV], func(int64) {})
		if err != nil {
			return nil, err
		}
		encoding, err = sniffEncoding(in)
		if err = errors.Join(err, in.Close()); err != nil {
			return nil, err
		}
	}
	in, err := openStream(path, spec.Member, usualMember[source.CSV], add)
	if err != nil {
		return nil, err
	}
	r, err := newCSVReader(in, spec, encoding, in.Close)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return r, nil
}

// empty is a file that has nothing of the source.
type empty struct{}

func (empty) Next() (Record, error) { return Record{}, io.EOF }
func (empty) Projection() int       { return 0 }
func (empty) Close() error          { return nil }

// nameIn finds a column by one of its names: exactly, else without regard to letter case and surrounding blanks.
func nameIn(names []string, wanted string) (int, bool) {
	found := -1
	for i, name := range names {
		if name == wanted {
			return i, true
		}
		if found < 0 && strings.EqualFold(strings.TrimSpace(name), wanted) {
			found = i
		}
	}
	return found, found >= 0
}
