package convert

import (
	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// EncodeShape is the GeoJSON to EWKB conversion.
func EncodeShape(shape string, srid int, polygon bool) ([]byte, error) {
	out, err := encodeShape(shape, srid, polygon)
	return out.wkb, err
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
	_, err := New(s)
	return err
}

// Convert converts one record, given as cells, with the columns of a source.
func Convert(s source.Source, cells map[string]string) ([]any, error) {
	c, err := New(s)
	if err != nil {
		return nil, err
	}
	return c.AppendRow(nil, format.Record{Line: 1, Fields: cellMap(cells)}, nil, 0)
}

type cellMap map[string]string

func (m cellMap) Text(name string) (string, bool) {
	v, ok := m[name]
	return v, ok
}

func (m cellMap) List(string) ([]string, bool) { return nil, false }

// FixMojibake is what becomes of a text that may have been encoded twice.
var FixMojibake = fixMojibake

// WithoutPerson is withoutPerson.
var WithoutPerson = withoutPerson
