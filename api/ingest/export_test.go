package ingest

import (
	"bufio"
	"context"
	"io"

	"arpent/api/source"
)

// ReadRecords reads a whole content as a format and says how many records there are and how many were refused.
func ReadRecords(in io.Reader, spec source.Read) (good, refused int, err error) {
	noClose := func() error { return nil }
	var r reader = newJSONReader(in, spec, noClose)
	if spec.Format == source.CSV {
		if r, err = newCSVReader(in, spec, spec.Encoding, noClose); err != nil {
			return 0, 0, err
		}
	}
	if spec.Unpivot != nil {
		if r, err = newWideReader(r, spec, nil); err != nil {
			return 0, 0, err
		}
	}
	for {
		rec, err := r.next()
		if err == nil {
			for _, name := range []string{"a.b", "", "_value", "_period", "_group", "_key", "#1"} {
				rec.fields.text(name)
			}
			rec.fields.list("a#2")
		}
		if err == io.EOF {
			return good, refused, nil
		}
		if _, bad := err.(*refusal); bad {
			refused++
			continue
		}
		if err != nil {
			return good, refused, err
		}
		good++
	}
}

// EachRecord reads a file of whatever format and hands over some fields of each record, in the place of one buffer.
func EachRecord(ctx context.Context, path string, spec source.Read, names []string, take func(line int64, cells []string)) error {
	s := &session{loader: New(Options{Catalogue: []source.Source{}}), src: source.Source{Read: spec}}
	r, err := s.open(ctx, file{path: path})
	if err != nil {
		return err
	}
	defer r.Close()
	cells := make([]string, len(names))
	for {
		rec, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i, name := range names {
			cells[i], _ = rec.fields.text(name)
		}
		take(rec.line, cells)
	}
}

// IsTableUTF8 sniffs the encoding of a .dbf table.
func IsTableUTF8(in io.Reader) (bool, error) { return isTableUTF8(bufio.NewReader(in)) }

// EncodeShape is the GeoJSON to EWKB conversion.
func EncodeShape(shape []byte, srid int, polygon bool) ([]byte, error) {
	out, _, err := encodeShape(shape, srid, polygon)
	return out, err
}

// EncodeWKT is the conversion of well-known text in degrees to EWKB.
func EncodeWKT(text string) ([]byte, error) {
	shape, err := fromWKT(text)
	if err != nil {
		return nil, err
	}
	return EncodeShape(shape, wgs84, false)
}

// CheckDeclaration complains about a source that cannot be read as it is declared.
func CheckDeclaration(s source.Source) error {
	_, err := newConverter(s)
	return err
}

// Convert converts one record, given as cells, with the columns of a source.
func Convert(s source.Source, cells map[string]string) ([]any, error) {
	c, err := newConverter(s)
	if err != nil {
		return nil, err
	}
	return c.row(record{line: 1, fields: cellMap(cells)}, nil, 0)
}

type cellMap map[string]string

func (m cellMap) text(name string) (string, bool) {
	v, ok := m[name]
	return v, ok
}

func (m cellMap) list(string) ([]string, bool) { return nil, false }

// Mended is what becomes of a text that may have been encoded twice.
var Mended = mended
