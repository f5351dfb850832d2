package format

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"arpent/internal/opendata/source"
)

// The kinds of workbooks, which are also the extensions by which GDAL knows them.
const (
	xlsFormat  source.Format = "xls"
	xlsxFormat source.Format = "xlsx"
)

// maxWorkbookBytes limits what a workbook unpacks to. GDAL holds all cells in memory: a workbook that needs
// more than the cage allows is refused in any case.
const maxWorkbookBytes = 1 << 30

// errNoSheet is a workbook without the sheet that is meant.
var errNoSheet = errors.New("the sheet is not there")

// plainCells are the options by which GDAL gives every row of a sheet as texts: by itself it takes a first
// row of texts for names, and a code of digits for a number.
var plainCells = []string{
	"--config", "OGR_XLSX_HEADERS", "DISABLE", "--config", "OGR_XLSX_FIELD_TYPES", "STRING",
	"--config", "OGR_XLS_HEADERS", "DISABLE", "--config", "OGR_XLS_FIELD_TYPES", "STRING",
}

// openSheet opens a sheet of a workbook of either kind as a table. GDAL reads it, and writes its rows as
// delimited text, the empty ones included.
func openSheet(ctx context.Context, in input) (_ Reader, err error) {
	dir, err := os.MkdirTemp(in.o.Temp, tempName)
	if err != nil {
		return nil, err
	}
	var p *gdalProcess
	closeAll := func() error {
		if p != nil {
			p.stop()
		}
		return os.RemoveAll(dir)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeAll())
		}
	}()
	workbook, err := placeWorkbook(in, dir)
	if err != nil {
		return nil, err
	}
	names, err := layerNames(ctx, workbook)
	if err != nil {
		return nil, fmt.Errorf("the workbook is cut off, damaged, encrypted or too large: %w", err)
	}
	if workbook.name, err = pickSheet(names, in.spec.Sheet); err != nil {
		return nil, err
	}
	if p, err = startOGR(ctx, workbook, "CSV"); err != nil {
		return nil, err
	}
	limited := &recordLimit{in: p.out, left: maxRecordBytes}
	rows := &sheetLines{process: p, in: limited, rows: csv.NewReader(limited)}
	rows.rows.ReuseRecord, rows.rows.FieldsPerRecord = true, -1
	// where the text ends within quotes, the process has the reason
	rows.rows.LazyQuotes = true
	if _, err := rows.readLine(); err != nil && err != io.EOF { // Field1,Field2
		return nil, err
	}
	r := &csvReader{in: limited, rows: rows, short: true, spec: in.spec, close: closeAll}
	if err := r.prepareHeader(); err != nil {
		return nil, err
	}
	return r, nil
}

// placeWorkbook puts a workbook into a folder, under a name with the extension of its kind: a link to a plain
// one, a copy of one that is compressed or in an archive.
func placeWorkbook(in input, dir string) (gdalLayer, error) {
	path, err := filepath.Abs(in.path)
	if err != nil {
		return gdalLayer{}, err
	}
	kind, err := workbookKind(path)
	isPacked := err == nil && kind == ""
	if isPacked {
		path = filepath.Join(dir, "content")
		if err = copyContent(in, path); err == nil {
			kind, err = workbookKind(path)
		}
	}
	switch {
	case err != nil:
		return gdalLayer{}, err
	case kind == "":
		return gdalLayer{}, errors.New("it is not a spreadsheet: .xlsx or .xls is expected")
	case !isPacked:
		in.o.Read(sizeOf(path))
	}
	workbook := gdalLayer{path: filepath.Join(dir, "workbook."+string(kind)), format: kind, options: plainCells}
	return workbook, os.Symlink(path, workbook.path)
}

// copyContent writes the content of a compressed file, or of the wanted member of an archive, to a path.
func copyContent(in input, path string) error {
	content, err := openStream(in)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return errors.Join(err, content.Close())
	}
	n, err := io.Copy(f, io.LimitReader(content, maxWorkbookBytes+1))
	if err == nil && n > maxWorkbookBytes {
		err = fmt.Errorf("it unpacks to more than %d MiB", maxWorkbookBytes>>20)
	}
	return errors.Join(err, f.Close(), content.Close())
}

// compoundMagic begins the files that old office programs write: a small file system of sectors in one file.
var compoundMagic = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

// workbookKind is the kind of a workbook by its content; empty: it is none.
func workbookKind(path string) (source.Format, error) {
	start, err := firstBytes(path)
	switch {
	case err != nil:
		return "", err
	case bytes.HasPrefix(start, compoundMagic):
		return xlsFormat, nil
	case !bytes.HasPrefix(start, zipMagic):
		return "", nil
	}
	parts, err := openZip(path, func(int64) {})
	if err != nil {
		return "", err
	}
	defer parts.Close()
	if !slices.Contains(parts.fieldNames(), "xl/workbook.xml") {
		return "", nil
	}
	return xlsxFormat, checkParts(parts)
}

// checkParts returns an error for an .xlsx file that unpacks to too much, or has a part that defines
// entities. GDAL itself compares the parts that it reads with their sums.
func checkParts(parts *archive) error {
	if err := parts.checkMembers(parts.members); err != nil {
		return err
	}
	if claimed := claimedBytes(parts.members); claimed > maxWorkbookBytes {
		return fmt.Errorf("the workbook unpacks to %d MiB, more than %d MiB", claimed>>20, maxWorkbookBytes>>20)
	}
	for _, m := range parts.members {
		content, err := m.open()
		if err != nil {
			return err
		}
		start, err := io.ReadAll(io.LimitReader(content, readBufferBytes))
		if err = errors.Join(err, content.Close()); err != nil {
			return fmt.Errorf("the workbook is damaged: read %s: %w", m.name, err)
		}
		text := bytes.TrimPrefix(start, byteOrderMark)
		isWide := bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
		isMarkup := bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n\x00"), []byte("<"))
		if isWide || isMarkup && !plainXML.Match(text) {
			return fmt.Errorf("%s in the workbook may define entities, which no office program writes", m.name)
		}
	}
	return nil
}

// plainXML matches the start of a part in UTF-8 or ASCII up to its first element: before it there is a
// declaration at most, and comments. One that does not match may be XML that defines entities there, or hides
// what it defines by another encoding or a comment longer than the start.
var plainXML = regexp.MustCompile(`(?s)^\s*(<\?xml[^>]*>)?(\s|<!--.*?-->)*<[A-Za-z_]`)

// pickSheet finds the sheet whose name an expression fits; without one, the only sheet.
func pickSheet(names []string, wanted string) (string, error) {
	expr, err := regexp.Compile(`^(?:` + wanted + `)$`)
	if err != nil {
		return "", err
	}
	found := filterNames(names, func(name string) bool {
		return wanted == "" || expr.MatchString(strings.TrimSpace(name))
	})
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("%w: it has the sheets %q; expected one that fits %q", errNoSheet, names, wanted)
	default:
		return "", fmt.Errorf("it has the sheets %q; which one is meant?", found)
	}
}

// sheetLines are the rows of a sheet that hold something, as lines of a table.
type sheetLines struct {
	process *gdalProcess
	in      *recordLimit
	rows    *csv.Reader
	number  int
}

// readLine returns the cells of the next line that GDAL writes.
func (l *sheetLines) readLine() ([]string, error) {
	if l.process.end != nil {
		return nil, l.process.end
	}
	l.in.left = maxRecordBytes
	cells, err := l.rows.Read()
	if err == io.EOF {
		err = l.process.waitForEnd()
	}
	return cells, err
}

// Read implements tableLines.
func (l *sheetLines) Read() ([]string, error) {
	for {
		cells, err := l.readLine()
		if err != nil {
			return nil, err
		}
		l.number++
		for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
			cells = cells[:len(cells)-1]
		}
		if len(cells) > 0 {
			for i := range cells {
				cells[i] = roundDigits(cells[i])
			}
			return cells, nil
		}
	}
}

// roundDigits rounds a fraction to the 15 digits that office programs show: 9.3 is 9.300000000000001 in
// GDAL's text of an .xls file, and 9.3000000000000007 in an .xlsx file.
func roundDigits(cell string) string {
	const shown = 15
	if len(cell) <= shown+len(".") || !strings.Contains(cell, ".") {
		return cell
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err == nil {
		v, err = strconv.ParseFloat(strconv.FormatFloat(v, 'g', shown, 64), 64)
	}
	if err != nil {
		return cell // a text
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// FieldPos implements tableLines.
func (l *sheetLines) FieldPos(int) (line, column int) { return l.number, 1 }
