package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"arpent/internal/opendata/source"
)

// ogrDrivers are the drivers of GDAL that read the formats of shapes and workbooks. GDAL itself would go by
// the content, and some of its formats read other files, or addresses, that a file names.
var ogrDrivers = map[source.Format]string{
	source.GeoPackage: "GPKG", source.Shapefile: "ESRI Shapefile", xlsxFormat: "XLSX", xlsFormat: "XLS",
}

// signatures are how the files of a format begin.
var signatures = map[source.Format]*regexp.Regexp{
	source.GeoPackage: regexp.MustCompile(`^SQLite format 3\x00`),
	source.Shapefile:  regexp.MustCompile(`^\x00\x00\x27\x0a`),
}

// tableVersions are the first bytes of the table of a Shapefile, which may be there alone: the version of
// dBASE.
const tableVersions = "\x02\x03\x04\x05\x30\x31\x32\x43\x63\x83\x8b\xcb\xf5\xfb"

// gridSignatures are how grids begin, by the driver that reads them.
var gridSignatures = map[string]*regexp.Regexp{
	"GTiff":   regexp.MustCompile(`^(II[*+]\x00|MM\x00[*+])`),
	"AAIGrid": regexp.MustCompile(`(?i)^\s*(ncols|nrows|xllcorner|yllcorner|xllcenter|yllcenter|cellsize|dx|dy)\s+[-+.0-9]`),
}

// checkSignature returns an error for a file that does not begin as its format does.
func checkSignature(path string, format source.Format) error {
	start, err := firstBytes(path)
	if err != nil {
		return err
	}
	isGenuine := signatures[format].Match(start)
	if format == source.Shapefile && strings.EqualFold(filepath.Ext(path), ".dbf") {
		isGenuine = len(start) > 0 && strings.IndexByte(tableVersions, start[0]) >= 0
	}
	if !isGenuine {
		return signatureError(path)
	}
	return nil
}

func signatureError(path string) error {
	return fmt.Errorf("%s is not what its name says", filepath.Base(path))
}

func firstBytes(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	start := make([]byte, 64)
	n, err := io.ReadFull(f, start)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return start[:n], nil
}

// ownFiles returns a file and those that belong to it: of Shapefiles and grids, those of the
// same name with another extension. A link that leads out of the folder is refused: GDAL
// would read its target as a part of the data.
func ownFiles(path string, format source.Format) ([]string, error) {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	main, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	if format != source.Shapefile && format != source.Raster {
		return []string{main}, nil
	}
	members, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var own []string
	for _, m := range members {
		if commonStem(m.Name()) != commonStem(filepath.Base(path)) || m.IsDir() {
			continue
		}
		target, err := filepath.EvalSymlinks(filepath.Join(folder, m.Name()))
		if err != nil {
			return nil, err
		}
		if where := filepath.Dir(target); where != folder && where != filepath.Dir(main) {
			return nil, fmt.Errorf("%s is a link to another folder than that of %s", m.Name(), filepath.Base(main))
		}
		own = append(own, target)
	}
	return own, nil
}

// checkLength complains about a file of a Shapefile that is shorter than its first bytes say. GDAL reads what
// is left of it and takes the rest for empty.
func checkLength(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, tableHeaderBytes)
	if _, err := io.ReadFull(f, head); err != nil {
		return fmt.Errorf("%s: the file is cut off: it has not even its header", filepath.Base(path))
	}
	want := 2 * int64(binary.BigEndian.Uint32(head[24:]))
	if strings.EqualFold(filepath.Ext(path), ".dbf") {
		header, row := binary.LittleEndian.Uint16(head[8:]), binary.LittleEndian.Uint16(head[10:])
		want = int64(header) + int64(binary.LittleEndian.Uint32(head[4:]))*int64(row)
	}
	if size := sizeOf(path); size < want {
		return fmt.Errorf("%s: the file is cut off: it has %d bytes of %d", filepath.Base(path), size, want)
	}
	return nil
}

// tableHeaderBytes begin a .dbf table, and a .shp file has more.
const tableHeaderBytes = 32
