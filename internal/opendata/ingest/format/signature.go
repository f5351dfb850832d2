package format

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

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
	return "", signatureError(path)
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

// shapefile is the files that make up a Shapefile, by their extension in small letters.
type shapefile map[string]string

// shapefileOf finds the files that belong to a member, which may be the table alone.
func shapefileOf(member string) (shapefile, error) {
	files, err := ownFiles(member, source.Shapefile)
	s := shapefile{}
	for _, f := range files {
		s[strings.ToLower(filepath.Ext(f))] = f
	}
	return s, err
}

// checkComplete complains about files that are shorter than their first bytes say. GDAL reads what is
// left of them and takes the rest for empty.
func (s shapefile) checkComplete() error {
	for ext, length := range map[string]func([]byte) int64{
		".shp": func(head []byte) int64 { return 2 * int64(binary.BigEndian.Uint32(head[24:])) },
		".dbf": func(head []byte) int64 {
			rows, header, row := binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint16(head[8:]),
				binary.LittleEndian.Uint16(head[10:])
			return int64(header) + int64(rows)*int64(row)
		},
	} {
		path, there := s[ext]
		if !there {
			continue
		}
		if err := checkLength(path, length); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
	}
	return nil
}

func checkLength(path string, length func([]byte) int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, tableHeaderBytes)
	if _, err := io.ReadFull(f, head); err != nil {
		return errors.New("the file is cut off: it has not even its header")
	}
	if want, size := length(head), fileSize(f); size < want {
		return fmt.Errorf("the file is cut off: it has %d bytes of %d", size, want)
	}
	return nil
}

// tableEncoding is that of the table when no .cpg file says it: UTF-8 when all of its text is, else
// Windows-1252. Empty: there is a .cpg file, or no table.
func (s shapefile) tableEncoding() (string, error) {
	table, there := s[".dbf"]
	if _, named := s[".cpg"]; named || !there {
		return "", nil
	}
	f, err := os.Open(table)
	if err != nil {
		return "", err
	}
	defer f.Close()
	utf, err := isTableUTF8(bufio.NewReaderSize(f, readBufferBytes))
	if err != nil || !utf {
		return "CP1252", err
	}
	return "UTF-8", nil
}

// The parts of a .dbf table: a header, 32 bytes for each column, the rows.
const (
	tableHeaderBytes = 32
	tableColumnBytes = 32
)

// isTableUTF8 looks at all texts of a .dbf table. Writers cut texts at the width of the
// column, within a letter if it comes to that.
func isTableUTF8(r *bufio.Reader) (bool, error) {
	head := make([]byte, tableHeaderBytes)
	if _, err := io.ReadFull(r, head); err != nil {
		return true, nil // what is wrong with it is said elsewhere
	}
	headerLength := int(binary.LittleEndian.Uint16(head[8:]))
	columns := make([]byte, max(0, headerLength-tableHeaderBytes))
	if _, err := io.ReadFull(r, columns); err != nil {
		return true, nil
	}
	var widths []int
	var texts []bool
	for ; len(columns) >= tableColumnBytes && columns[0] != '\r'; columns = columns[tableColumnBytes:] {
		widths = append(widths, int(columns[16]))
		texts = append(texts, columns[11] == 'C')
	}
	row := make([]byte, binary.LittleEndian.Uint16(head[10:]))
	for len(row) > 0 {
		if _, err := io.ReadFull(r, row); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return true, nil
			}
			return false, err
		}
		at := 1 // after the mark of deleted rows
		for i, width := range widths {
			if at+width > len(row) {
				break
			}
			if texts[i] && !isCutUTF8(row[at:at+width]) {
				return false, nil
			}
			at += width
		}
	}
	return true, nil
}

// isCutUTF8 reports whether a text is UTF-8, but for a letter at its end that is cut.
func isCutUTF8(text []byte) bool {
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		if c == utf8.RuneError && size == 1 {
			return !utf8.FullRune(text)
		}
		text = text[size:]
	}
	return true
}
