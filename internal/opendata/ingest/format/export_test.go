package format

import (
	"context"
	"io"

	"arpent/internal/opendata/source"
)

// ReadRecords reads a whole content as a format and says how many
// records there are and how many were refused.
func ReadRecords(in io.Reader, spec source.Read) (good, refused int, err error) {
	noClose := func() error { return nil }
	var r Reader = newJSONReader(in, spec, noClose)
	if spec.Format == source.CSV {
		if r, err = newCSVReader(in, spec, spec.Encoding, noClose); err != nil {
			return 0, 0, err
		}
	}
	if spec.Unpivot != nil {
		if r, err = newUnpivotReader(r, spec, nil); err != nil {
			return 0, 0, err
		}
	}
	for {
		rec, err := r.Next()
		if err == nil {
			for _, name := range []string{"a.b", "", "_value", "_period", "_group", "_key", "#1"} {
				rec.Fields.Text(name)
			}
			rec.Fields.List("a#2")
		}
		if err == io.EOF {
			return good, refused, nil
		}
		if _, bad := err.(*RecordError); bad {
			refused++
			continue
		}
		if err != nil {
			return good, refused, err
		}
		good++
	}
}

// Tile is what a record of a grid holds.
type Tile struct {
	Fields map[string]string
	Cells  []float32
	Shape  string
	SRID   int
}

// Tiles reads a grid whose file names no projection, or names another than srid.
func Tiles(ctx context.Context, path string, srid int) ([]Tile, error) {
	r, err := Open(ctx, path, source.Read{Format: source.Raster}, Options{SRID: srid})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var tiles []Tile
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return tiles, nil
		}
		if err != nil {
			return nil, err
		}
		t := Tile{Fields: map[string]string{}, Shape: rec.Shape, SRID: r.Projection()}
		for _, name := range []string{"id", "srid", "west", "north", "cell_x", "cell_y", "width", "height"} {
			t.Fields[name], _ = rec.Fields.Text(name)
		}
		t.Cells, _ = rec.Fields.(RealFields).Reals("cells")
		tiles = append(tiles, t)
	}
}

// Unpack writes the members of an archive that are of a format into a folder and returns their paths.
func Unpack(path, dir string, spec source.Read, fits func(string) bool) ([]string, error) {
	return unpackWanted(input{path, spec, Options{Read: func(int64) {}, Fits: fits}}, dir)
}

// Content is the uncompressed content of a file, or of the only member of an archive.
func Content(path string, spec source.Read, add func(int64)) (io.ReadCloser, error) {
	return openStream(input{path, spec, Options{Read: add}})
}

// SetFreeBytes replaces what is free on every disk, until restore is called.
func SetFreeBytes(n int64) (restore func()) {
	before := freeBytes
	freeBytes = func(string) (int64, error) { return n, nil }
	return func() { freeBytes = before }
}
