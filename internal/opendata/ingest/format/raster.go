package format

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"arpent/internal/opendata/ingest/gdal"
	"arpent/internal/opendata/source"
)

// openRaster reads the first band of a grid through GDAL, or of the grids of an archive one after the other.
// Each record is a tile: its place in the projection of the grid and its values row by row from the
// north-west, NaN where the grid has none. Tiles without a value are left out.
func openRaster(ctx context.Context, in input) (Reader, error) {
	return openParts(in, func(paths []string, dir string) (grids []part, err error) {
		for _, path := range paths {
			grid := part{open: func() (Reader, error) { return startRaster(ctx, dir, path, in.o.SRID) }}
			if name := memberName(path, dir); name != path { // the reader of a plain file names it
				grid.name = name
			}
			grids = append(grids, grid)
		}
		return grids, nil
	})
}

// startRaster writes the values of a grid into a folder of its own, from which they are read. srid is the
// projection of a grid that does not name its own.
func startRaster(ctx context.Context, parent, path string, srid int) (*rasterReader, error) {
	dir, err := os.MkdirTemp(parent, "grid-")
	if err != nil {
		return nil, err
	}
	start, err := firstBytes(path)
	if err != nil {
		return nil, err
	}
	driver := ""
	for name, signature := range gridSignatures {
		if signature.Match(start) {
			driver = name
		}
	}
	if driver == "" {
		return nil, signatureError(path)
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
	code, known := info.horizontalSRID()
	named := strings.TrimSpace(info.CoordinateSystem.WKT) != ""
	if named {
		r.srid = code
	}
	if r.srid == 0 && (!named || known) {
		return nil, errors.New("it names no projection, and none is declared for it")
	}
	if named && !known {
		// The database does not know where such cells are: they are brought to degrees, each new cell taking the
		// value of the nearest old one.
		r.srid = wgs84
		if err := info.checkGrid(dir, sizeOf(files...), len(info.Bands)); err != nil {
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
	if err := r.info.checkGrid(dir, sizeOf(files...), 1); err != nil {
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

// tileCells is the side of a tile: small enough that a parcel reads one
// or two, large enough that a country has few.
const tileCells = 64

// goode is the SRID of the interrupted Goode homolosine projection,
// which files describe without giving it a code.
const goode = 54052

// rasterInfo is what gdalinfo reports of a grid.
type rasterInfo struct {
	Size             [2]int     `json:"size"`
	GeoTransform     [6]float64 `json:"geoTransform"`
	CoordinateSystem struct {
		WKT string `json:"wkt"`
	} `json:"coordinateSystem"`
	Bands []struct {
		NoData json.RawMessage `json:"noDataValue"`
	} `json:"bands"`
}

var (
	horizontalCRS = regexp.MustCompile(`(PROJCRS|GEOGCRS|BASEGEOGCRS)\[`)
	epsgAtEnd     = regexp.MustCompile(`ID\["EPSG",(\d+)\]\s*\]$`)
)

// horizontalSRID is the code of the horizontal projection: that of a compound one without its heights.
func (i *rasterInfo) horizontalSRID() (int, bool) {
	wkt := i.CoordinateSystem.WKT
	at := horizontalCRS.FindStringIndex(wkt)
	if at == nil {
		return 0, false
	}
	crs := cutAtBracket(wkt[at[0]:])
	if m := epsgAtEnd.FindStringSubmatch(crs); m != nil {
		srid, err := strconv.Atoi(m[1])
		return srid, err == nil
	}
	greenwich := strings.Contains(crs, `PARAMETER["Longitude of natural origin",0`)
	if greenwich && strings.Contains(crs, `METHOD["Interrupted Goode Homolosine"]`) {
		return goode, true
	}
	return 0, false
}

// cutAtBracket cuts a text after the bracket that closes its first one. Brackets inside
// quotes do not occur in names of projections.
func cutAtBracket(text string) string {
	depth := 0
	for i, c := range text {
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

// maxGridColumns bounds the strip of rows that is held in memory, at 64 MiB: France in cells of 5 m.
const maxGridColumns = 1 << 18

// checkGrid refuses grids that are not north up, and those whose bands, as plain values in dir, would fill
// the memory or the disk, or claim far more than a file of so many bytes holds.
func (i *rasterInfo) checkGrid(dir string, fileBytes int64, bands int) error {
	gt := i.GeoTransform
	switch {
	case len(i.Bands) == 0 || i.Size[0] <= 0 || i.Size[1] <= 0:
		return errors.New("it holds no band of values")
	case gt[1] <= 0 || gt[5] >= 0 || gt[2] != 0 || gt[4] != 0:
		return errors.New("its rows do not run from west to east and from north to south")
	case i.Size[0] > maxGridColumns:
		return fmt.Errorf("it is %d cells wide; expected at most %d", i.Size[0], maxGridColumns)
	}
	claimed := int64(min(float64(i.Size[0])*float64(i.Size[1])*4*float64(bands), maxClaimBytes))
	return errors.Join(checkClaim("grid", fileBytes, claimed), checkSpace(dir, claimed))
}

// rasterReader cuts the plain values of a grid into tiles. It holds one strip of rows at a time.
type rasterReader struct {
	info *rasterInfo
	dir  string
	srid int
	file *os.File
	rows *bufio.Reader

	strip  []float32
	height int // rows in the strip
	row    int // of the grid, where the strip begins
	column int // of the grid, where the next tile begins
	count  int64
}

func (r *rasterReader) Projection() int { return r.srid }

func (r *rasterReader) Close() error { return errors.Join(r.file.Close(), os.RemoveAll(r.dir)) }

func (r *rasterReader) Next() (Record, error) {
	for {
		if r.strip == nil || r.column >= r.info.Size[0] {
			if err := r.readStrip(); err != nil {
				return Record{}, err
			}
		}
		gt := r.info.GeoTransform
		t := &tile{
			srid: r.srid, cellX: gt[1], cellY: -gt[5],
			west: gt[0] + gt[1]*float64(r.column), north: gt[3] + gt[5]*float64(r.row),
			width: min(tileCells, r.info.Size[0]-r.column), height: r.height,
		}
		t.cells = make([]float32, 0, t.width*t.height)
		for y := range t.height {
			from := y*r.info.Size[0] + r.column
			t.cells = append(t.cells, r.strip[from:from+t.width]...)
		}
		r.column += t.width
		if !slices.ContainsFunc(t.cells, func(v float32) bool { return !math.IsNaN(float64(v)) }) {
			continue // it is empty
		}
		r.count++
		return Record{Line: r.count, Fields: t, Shape: t.outlineGeoJSON()}, nil
	}
}

// readStrip reads the next strip of rows.
func (r *rasterReader) readStrip() error {
	r.row += r.height
	r.column = 0
	r.height = min(tileCells, r.info.Size[1]-r.row)
	if r.height <= 0 {
		return io.EOF
	}
	if r.strip == nil {
		r.strip = make([]float32, tileCells*r.info.Size[0])
	}
	r.strip = r.strip[:r.height*r.info.Size[0]]
	if err := binary.Read(r.rows, binary.NativeEndian, r.strip); err != nil {
		return fmt.Errorf("read the values of row %d: %w", r.row, err)
	}
	nan := float32(math.NaN())
	none, err := strconv.ParseFloat(strings.Trim(string(r.info.Bands[0].NoData), `"`), 64)
	for i, v := range r.strip {
		if err == nil && v == float32(none) || math.IsInf(float64(v), 0) {
			r.strip[i] = nan
		}
	}
	return nil
}

// tile is a rectangle of cells of a grid, in the grid's projection.
type tile struct {
	srid         int
	west, north  float64
	cellX, cellY float64 // size of a cell, both positive
	width        int     // cells from west to east
	height       int     // cells from north to south
	cells        []float32
}

func (t *tile) Text(name string) (string, bool) {
	text, is := map[string]string{"id": formatCoordinate(t.west) + " " + formatCoordinate(t.north),
		"srid": strconv.Itoa(t.srid), "west": formatCoordinate(t.west), "north": formatCoordinate(t.north),
		"cell_x": formatCoordinate(t.cellX), "cell_y": formatCoordinate(t.cellY),
		"width": strconv.Itoa(t.width), "height": strconv.Itoa(t.height)}[name]
	return text, is
}

func (t *tile) List(string) ([]string, bool) { return nil, false }

// Reals gives the values row by row from the north-west; NaN: none.
func (t *tile) Reals(name string) ([]float32, bool) { return t.cells, name == "cells" }

// outlineGeoJSON is the rectangle of the tile as a GeoJSON polygon. Its sides have vertices in
// between, because they are curved in degrees.
func (t *tile) outlineGeoJSON() string {
	const steps = 8
	east, south := t.west+t.cellX*float64(t.width), t.north-t.cellY*float64(t.height)
	vertices := [][2]float64{{t.west, t.north}, {t.west, south}, {east, south}, {east, t.north},
		{t.west, t.north}}
	out := []byte(`{"type":"Polygon","coordinates":[[`)
	for i := range 4 {
		a, b := vertices[i], vertices[i+1]
		for s := range steps {
			part := float64(s) / steps
			out = append(appendPosition(out, a[0]+(b[0]-a[0])*part, a[1]+(b[1]-a[1])*part), ',')
		}
	}
	return string(append(appendPosition(out, t.west, t.north), "]]}"...))
}

func appendPosition(out []byte, x, y float64) []byte {
	out = strconv.AppendFloat(append(out, '['), x, 'g', -1, 64)
	return append(strconv.AppendFloat(append(out, ','), y, 'g', -1, 64), ']')
}

func formatCoordinate(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
