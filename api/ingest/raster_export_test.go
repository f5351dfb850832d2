package ingest

import (
	"context"
	"io"

	"arpent/api/source"
)

// Tile is what a record of a grid holds.
type Tile struct {
	Fields map[string]string
	Cells  []float32
	Shape  string
	SRID   int
}

// Tiles reads a grid whose file names no projection, or names another than srid.
func Tiles(ctx context.Context, path string, srid int) ([]Tile, error) {
	r, err := openRaster(ctx, path, source.Read{Format: source.Raster}, func(int64) {}, srid)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var tiles []Tile
	for {
		rec, err := r.next()
		if err == io.EOF {
			return tiles, nil
		}
		if err != nil {
			return nil, err
		}
		t := Tile{Fields: map[string]string{}, Shape: string(rec.shape), SRID: r.projection()}
		for _, name := range []string{"id", "srid", "west", "north", "cell_x", "cell_y", "width", "height"} {
			t.Fields[name], _ = rec.fields.text(name)
		}
		t.Cells, _ = rec.fields.(realFields).reals("cells")
		tiles = append(tiles, t)
	}
}
