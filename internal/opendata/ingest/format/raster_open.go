package format

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"arpent/internal/opendata/ingest/gdal"
	"arpent/internal/opendata/source"
)

// openRaster reads the first band of a grid through GDAL, or of the grids of an archive one after the other.
// Each record is a tile: its place in the projection of the grid and its values row by row from the
// north-west, NaN where the grid has none. Tiles without a value are left out.
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
		err = r.openNext()
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

func (r *gridFiles) openNext() (err error) {
	var before int64
	if r.current != nil {
		before = r.current.count
	}
	path := r.pending[0]
	if r.current, err = startRaster(r.ctx, r.dir, path, r.srid); err != nil {
		if name := memberName(path, r.dir); name != path { // the reader of a plain file names it
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
		if err := r.openNext(); err != nil {
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

// startRaster writes the values of a grid into a folder of its own, from which they are read. srid is the
// projection of a grid that does not name its own.
func startRaster(ctx context.Context, parent, path string, srid int) (*rasterReader, error) {
	dir, err := os.MkdirTemp(parent, "grid-")
	if err != nil {
		return nil, err
	}
	driver, err := gridDriver(path)
	if err != nil {
		return nil, err
	}
	files, err := ownFiles(path, source.Raster)
	if err != nil {
		return nil, err
	}
	grid := gridFile{path: path, driver: driver, files: files, plain: filepath.Join(dir, "plain.bin")}
	info, err := grid.readInfo(ctx)
	if err != nil {
		return nil, err
	}
	r := &rasterReader{info: info, dir: dir, srid: srid}
	named, known := info.Projection()
	if named {
		r.srid, _ = info.horizontalSRID()
	}
	if r.srid == 0 && (!named || known) {
		return nil, errors.New("it names no projection, and none is declared for it")
	}
	if named && !known {
		// The database does not know where such cells are: they are brought to degrees, each new cell taking the
		// value of the nearest old one.
		r.srid = wgs84
		if err := info.checkGrid(dir, fileSizes(files), len(info.Bands)); err != nil {
			return nil, err
		}
		if err := grid.writePlain(ctx, "gdalwarp", "-t_srs", "EPSG:4326", "-r", "near"); err != nil {
			return nil, err
		}
		warped := gridFile{path: grid.plain, driver: plainDriver, files: []string{dir}}
		if r.info, err = warped.readInfo(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.info.checkGrid(dir, fileSizes(files), 1); err != nil {
		return nil, err
	}
	if !named || known {
		if err := grid.writePlain(ctx, "gdal_translate", "-b", "1"); err != nil {
			return nil, err
		}
	}
	if r.file, err = os.Open(grid.plain); err != nil {
		return nil, err
	}
	r.rows = bufio.NewReaderSize(r.file, readBufferBytes)
	return r, nil
}

// plainDriver writes the values of the bands one after the other, and nothing else.
const plainDriver = "ENVI"

// gridFile is a grid, the files that belong to it, and where its plain values are written.
type gridFile struct {
	path, driver string
	files        []string
	plain        string
}

func (g gridFile) readInfo(ctx context.Context) (*rasterInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	out, err := gdal.Output(ctx, gdal.Call{
		Program: "gdalinfo", Drivers: []string{g.driver}, Reads: g.files,
		Args: []string{"-if", g.driver, "-json", "-norat", "-noct", g.path},
	})
	if err != nil {
		return nil, err
	}
	info := &rasterInfo{}
	if err := json.Unmarshal(out, info); err != nil {
		return nil, fmt.Errorf("read what gdalinfo says: %w", err)
	}
	return info, nil
}

// writePlain writes the plain values with gdal_translate or gdalwarp.
func (g gridFile) writePlain(ctx context.Context, program string, options ...string) error {
	args := slices.Concat([]string{"-q", "-if", g.driver, "-of", plainDriver, "-ot", "Float32"}, options,
		[]string{g.path, g.plain})
	_, err := gdal.Output(ctx, gdal.Call{
		Program: program, Drivers: []string{g.driver, plainDriver}, Args: args, Reads: g.files,
		Writes: filepath.Dir(g.plain),
	})
	return err
}

func fileSizes(paths []string) (n int64) {
	for _, p := range paths {
		n += sizeOf(p)
	}
	return n
}
