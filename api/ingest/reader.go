package ingest

import (
	"bufio"
	"context"
	"errors"
	"io"

	"arpent/api/source"
)

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

// open starts to read a file in the format of the source.
func (s *session) open(ctx context.Context, f file) (reader, error) {
	r, err := s.openAny(ctx, f)
	if s.src.Read.Optional && errors.Is(err, errNoMember) {
		return empty{}, nil
	}
	if err != nil || s.src.Read.Unpivot == nil {
		return r, err
	}
	split, err := newWideReader(r, s.src.Read, f.fields)
	if table, ok := r.(*csvReader); ok {
		err = table.explain(err)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return split, nil
}

func (s *session) openAny(ctx context.Context, f file) (reader, error) {
	spec := s.src.Read
	add := s.loader.o.Progress.Add
	switch spec.Format {
	case source.JSON, source.JSONLines, source.GeoJSON:
		in, err := openStream(f.path, spec.Member, usualMember[spec.Format], add)
		if err != nil {
			return nil, err
		}
		text, err := objectText(in)
		if err != nil {
			return nil, errors.Join(err, in.Close())
		}
		return newJSONReader(text, spec, in.Close), nil
	case source.CSV:
		return openCSV(f.path, spec, add)
	case source.Spreadsheet:
		return openSheet(f.path, spec, add)
	case source.Parquet:
		return openParquet(f.path, spec, add)
	case source.Raster:
		return openRaster(ctx, f.path, spec, add, s.srid(f))
	default:
		return openGDAL(ctx, f.path, spec, s.src.Geometry, s.srid(f), add)
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

func openCSV(path string, spec source.Read, add func(int64)) (reader, error) {
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

func (empty) next() (record, error) { return record{}, io.EOF }
func (empty) projection() int       { return 0 }
func (empty) Close() error          { return nil }
