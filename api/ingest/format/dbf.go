package format

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// shapefile is the files that make up a Shapefile, by their extension in small letters.
type shapefile map[string]string

// shapefileOf finds the files that belong to a member, which may be the table alone.
func shapefileOf(member string) (shapefile, error) {
	dir := filepath.Dir(member)
	beside, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	s := shapefile{}
	for _, f := range beside {
		if stem(f.Name()) == stem(filepath.Base(member)) {
			s[strings.ToLower(filepath.Ext(f.Name()))] = filepath.Join(dir, f.Name())
		}
	}
	return s, nil
}

// whole complains about files that are shorter than their first bytes say. GDAL reads what is left of them and takes
// the rest for empty.
func (s shapefile) whole() error {
	for ext, length := range map[string]func([]byte) int64{
		".shp": func(head []byte) int64 { return 2 * int64(binary.BigEndian.Uint32(head[24:])) },
		".dbf": func(head []byte) int64 {
			rows, header, row := binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint16(head[8:]), binary.LittleEndian.Uint16(head[10:])
			return int64(header) + int64(rows)*int64(row)
		},
	} {
		path, there := s[ext]
		if !there {
			continue
		}
		if err := atLeast(path, length); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
	}
	return nil
}

func atLeast(path string, length func([]byte) int64) error {
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

// encoding is that of the table when no .cpg file says it: UTF-8 when all of its text is, else Windows-1252. Empty:
// there is a .cpg file, or no table.
func (s shapefile) encoding() (string, error) {
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

// isTableUTF8 looks at all texts of a .dbf table. Writers cut texts at the width of the column, within a letter if it
// comes to that.
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
