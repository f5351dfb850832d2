// Package format reads the records of a file in any of the formats that producers publish: delimited
// text, JSON, GeoJSON, spreadsheets, what GDAL reads, and grids; plain, compressed or in an archive. It
// reads record by record, so that the memory does not grow with the file, and limits what a hostile
// file can make it read. It knows no database.
package format

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	text "golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"arpent/internal/opendata/source"
)

// Record is one row of a file, as read.
type Record struct {
	Line   int64 // line of a text file, number of the object otherwise; both start at 1
	Fields Fields
	Shape  string // geometry in GeoJSON; empty when the record has none
}

// Fields gives the cells of a record by the name they have in the file.
// They are valid until the next record is read.
type Fields interface {
	Text(name string) (string, bool)
	List(name string) ([]string, bool)
}

// RealFields are fields that hold whole lists of numbers, as the tiles of a raster do.
type RealFields interface {
	Reals(name string) ([]float32, bool)
}

// Reader yields the records of a file. Next returns io.EOF after the last one, a *RecordError for a record
// that cannot be used while the others can, and any other error when the file is broken.
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
	// Fits picks the members of an archive where several are of the format and the
	// declaration names none; nil: it picks none.
	Fits func(member string) bool
	// folder for what is unpacked, which is removed when the Reader is closed; empty: that of the system
	Temp string
}

// usualMember finds the data among the members of an archive when the declaration does not say.
var usualMember = map[source.Format]string{
	source.CSV:         `(?i)\.(csv|txt|tsv)$`,
	source.JSON:        `(?i)\.json$`,
	source.JSONLines:   `(?i)\.(jsonl|ndjson|json)$`,
	source.GeoJSON:     `(?i)\.(geo|topo)?json$`,
	source.Spreadsheet: `(?i)\.xlsx?$`,
	source.GeoPackage:  `(?i)\.gpkg$`,
	source.Shapefile:   `(?i)\.shp$`,
	source.Raster:      `(?i)\.(tiff?|asc)$`,
}

// Open starts to read a file as its source declares it. Where the declaration says Optional,
// a file without the member or the sheet is read as one without records. The error says what
// is wrong with the file or the declaration.
func Open(ctx context.Context, path string, spec source.Read, o Options) (Reader, error) {
	if o.Read == nil {
		o.Read = func(int64) {}
	}
	r, err := openAny(ctx, input{path, spec, o})
	if spec.Optional && (errors.Is(err, errNoMember) || errors.Is(err, errNoSheet)) {
		return &partsReader{}, nil // without a part
	}
	if err != nil || spec.Unpivot == nil {
		return r, err
	}
	split, err := newUnpivotReader(r, spec, o.Path)
	if table, ok := r.(*csvReader); ok {
		err = table.explainError(err)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return split, nil
}

func openAny(ctx context.Context, in input) (Reader, error) {
	switch in.spec.Format {
	case source.JSON, source.JSONLines, source.GeoJSON:
		content, err := openStream(in)
		if err != nil {
			return nil, err
		}
		r, err := openObjects(content, in.spec)
		if err != nil {
			return nil, errors.Join(err, content.Close())
		}
		return r, nil
	case source.CSV:
		if in.spec.AllMembers {
			return openMembers(in)
		}
		return openCSV(in)
	case source.Spreadsheet:
		return openSheet(ctx, in)
	case source.Raster:
		return openRaster(ctx, in)
	default:
		return openParts(in, func(paths []string, dir string) ([]part, error) {
			return findLayers(ctx, in, paths, dir)
		})
	}
}

// openObjects reads a JSON text, which is always UTF-8, or the topology that takes the place of a GeoJSON
// collection. Some writers put a mark before it.
func openObjects(content *stream, spec source.Read) (Reader, error) {
	buffered := bufio.NewReaderSize(content, readBufferBytes)
	if _, err := dropMark(buffered); err != nil {
		return nil, err
	}
	const shown = 80
	begin, err := buffered.Peek(shown)
	switch {
	case len(begin) == 0 && err == io.EOF && spec.Format != source.JSONLines:
		return nil, errors.New("the file is empty")
	case markup.Match(begin):
		return nil, webPageError(begin)
	}
	isTopology := spec.Format == source.GeoJSON && topologyHead.Match(begin)
	plain, err := decodeText(buffered, &encodingChecker{declared: "utf-8", line: 1})
	switch {
	case err != nil:
		return nil, err
	case isTopology:
		return newTopologyReader(plain, spec, content.Close)
	}
	return newJSONReader(plain, spec, content.Close), nil
}

func openCSV(in input) (Reader, error) {
	encoding := in.spec.Encoding
	if encoding == "sniff" {
		before := in
		before.o.Read = func(int64) {}
		content, err := openStream(before)
		if err != nil {
			return nil, err
		}
		// It is UTF-8 when all of it is, else Windows-1252, which French administrations fall back to.
		_, err = io.Copy(io.Discard, transform.NewReader(content, text.UTF8Validator))
		if encoding = "utf-8"; errors.Is(err, text.ErrInvalidUTF8) {
			encoding, err = "cp1252", nil
		}
		if err = errors.Join(err, content.Close()); err != nil {
			return nil, err
		}
	}
	content, err := openStream(in)
	if err != nil {
		return nil, err
	}
	r, err := newCSVReader(content, in.spec, encoding, content.Close)
	if err != nil {
		return nil, errors.Join(err, content.Close())
	}
	return r, nil
}

// nameIn finds a column by one of its names: exactly, else without
// regard to letter case and surrounding blanks.
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

// input is a file, and what of it is read.
type input struct {
	path string
	spec source.Read
	o    Options
}

// memberPattern matches the paths of the members that can be meant.
func (in input) memberPattern() (*regexp.Regexp, error) {
	return regexp.Compile(cmp.Or(in.spec.Member, usualMember[in.spec.Format]))
}

// wantedMembers picks the members that are meant. Where the declaration names none and several are of its
// format, they are those that it would read if the archive were unpacked.
func (in input) wantedMembers(names []string) ([]string, error) {
	expr, err := in.memberPattern()
	if err != nil {
		return nil, err
	}
	found := filterNames(names, expr.MatchString)
	if in.spec.Member != "" || len(found) < 2 || in.o.Fits == nil {
		return found, nil
	}
	if fitting := filterNames(found, in.o.Fits); len(fitting) > 0 {
		return fitting, nil
	}
	return found, nil
}

func filterNames(names []string, fits func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !fits(name) })
}
