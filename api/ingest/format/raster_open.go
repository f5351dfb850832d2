package format

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// openRaster reads the first band of a grid through GDAL, or of the grids of an archive one after the other. Each record is a
// tile: its place in the projection of the grid and its values row by row from the north-west, NaN where the grid has none.
// Tiles without a value are left out.
func openRaster(ctx context.Context, in input) (Reader, error) {
	dir, err := os.MkdirTemp(in.o.Temp, tempName)
	if err != nil {
		return nil, err
	}
	r := &gridFiles{ctx: ctx, dir: dir, srid: in.o.SRID}
	r.pending, err = unpackWanted(in, dir)
	if err == nil && in.spec.Member == "" && len(r.pending) > 1 {
		err = fmt.Errorf("it holds %d files that fit; expected one", len(r.pending))
	}
	if err == nil {
		err = r.open()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return r, nil
}

// gridFiles reads grids one after the other.
type gridFiles struct {
	ctx     context.Context
	dir     string // where archives are unpacked
	srid    int    // of grids that do not name their own
	pending []string
	current *rasterReader // of the first to do
}

func (r *gridFiles) open() (err error) {
	var before int64
	if r.current != nil {
		before = r.current.count
	}
	path := r.pending[0]
	if r.current, err = startRaster(r.ctx, r.dir, path, r.srid); err != nil {
		if name := memberName(path, r.dir); name != path { // whoever reads a plain file names it
			err = fmt.Errorf("%s: %w", name, err)
		}
		return err
	}
	r.current.count = before
	return nil
}

func (r *gridFiles) Next() (Record, error) {
	for {
		rec, err := r.current.Next()
		if err != io.EOF || len(r.pending) == 1 {
			return rec, err
		}
		if err := r.current.Close(); err != nil {
			return Record{}, err
		}
		r.pending = r.pending[1:]
		if err := r.open(); err != nil {
			return Record{}, err
		}
	}
}

func (r *gridFiles) Projection() int { return r.current.srid }

func (r *gridFiles) Close() error {
	var err error
	if r.current != nil {
		err = r.current.Close()
	}
	return errors.Join(err, os.RemoveAll(r.dir))
}

// startRaster writes the values of a grid into a folder of its own, from which they are read. srid is the projection of a
// grid that does not name its own.
func startRaster(ctx context.Context, parent, path string, srid int) (*rasterReader, error) {
	dir, err := os.MkdirTemp(parent, "grid-")
	if err != nil {
		return nil, err
	}
	info, err := describeRaster(ctx, path)
	if err != nil {
		return nil, err
	}
	named, known := info.Projection()
	if named && !known {
		// The database does not know where such cells are: they are brought to degrees, each new cell taking the
		// value of the nearest old one.
		warped := filepath.Join(dir, "degrees.vrt")
		if _, err := gdal(ctx, "gdalwarp", "-q", "-of", "VRT", "-t_srs", "EPSG:4326", "-r", "near", path, warped); err != nil {
			return nil, err
		}
		if info, err = describeRaster(ctx, warped); err != nil {
			return nil, err
		}
		path = warped
	}
	r := &rasterReader{info: info, dir: dir, srid: srid}
	if named {
		r.srid, _ = info.srid()
	}
	if r.srid == 0 {
		return nil, errors.New("it names no projection, and none is declared for it")
	}
	if err := info.check(); err != nil {
		return nil, err
	}
	plain := filepath.Join(dir, "plain.bin")
	if _, err := gdal(ctx, "gdal_translate", "-q", "-of", "ENVI", "-ot", "Float32", "-b", "1", path, plain); err != nil {
		return nil, err
	}
	if r.file, err = os.Open(plain); err != nil {
		return nil, err
	}
	r.rows = bufio.NewReaderSize(r.file, readBufferBytes)
	return r, nil
}
