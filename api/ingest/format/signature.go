package format

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"arpent/api/source"
)

// ogrDrivers are the drivers of GDAL that read the formats of shapes. GDAL itself would go by the content, and some of its
// formats read other files, or addresses, that a file names.
var ogrDrivers = map[source.Format]string{
	source.GeoPackage: "GPKG", source.Shapefile: "ESRI Shapefile",
}

// signatures are how the files of a format begin.
var signatures = map[source.Format]*regexp.Regexp{
	source.GeoPackage: regexp.MustCompile(`^SQLite format 3\x00`),
	source.Shapefile:  regexp.MustCompile(`^\x00\x00\x27\x0a`),
}

// tableSignature is how the table of a Shapefile begins, which may be there alone: the version of dBASE.
var tableSignature = regexp.MustCompile(`^[\x02-\x05\x30-\x32\x43\x63\x83\x8b\xcb\xf5\xfb]`)

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
	signature := signatures[format]
	if format == source.Shapefile && strings.EqualFold(filepath.Ext(path), ".dbf") {
		signature = tableSignature
	}
	if !signature.Match(start) {
		return notGenuine(path)
	}
	return nil
}

// gridDriver is the driver of a grid, by how the file begins.
func gridDriver(path string) (string, error) {
	start, err := firstBytes(path)
	if err != nil {
		return "", err
	}
	for driver, signature := range gridSignatures {
		if signature.Match(start) {
			return driver, nil
		}
	}
	return "", notGenuine(path)
}

func notGenuine(path string) error {
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

// ownFiles returns a file and those that belong to it: of Shapefiles and grids, those of the same name with another extension. A link
// that leads out of the folder is refused: GDAL would read its target as a part of the data.
func ownFiles(path string, format source.Format) ([]string, error) {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	main, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	if format == source.GeoPackage {
		return []string{main}, nil
	}
	members, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var own []string
	for _, m := range members {
		if stem(m.Name()) != stem(filepath.Base(path)) || m.IsDir() {
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
