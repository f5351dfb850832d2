package ingest

import (
	"bufio"
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
	for {
		rec, err := r.next()
		if err == nil {
			rec.fields.text("a.b")
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

// IsTableUTF8 sniffs the encoding of a .dbf table.
func IsTableUTF8(in io.Reader) (bool, error) { return isTableUTF8(bufio.NewReader(in)) }

// EncodeShape is the GeoJSON to EWKB conversion.
var EncodeShape = encodeShape

// EncodeWKT is the conversion of well-known text in degrees to EWKB.
func EncodeWKT(text string) ([]byte, error) {
	shape, err := fromWKT(text)
	if err != nil {
		return nil, err
	}
	return encodeShape(shape, wgs84, false)
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
