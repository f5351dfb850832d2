package spreadsheet

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Limits of a sheet, which are those of the format, and of the texts that its cells share.
const (
	maxSheetColumns    = 16384
	maxSheetRows       = 1 << 20
	maxSharedTextBytes = 512 << 20
	maxPartBytes       = 32 << 20 // of the parts that say what the others are
)

var zipMagic = []byte("PK\x03\x04")

const workbookPart = "xl/workbook.xml"

func isXLSX(content io.ReaderAt, size int64) bool {
	if !begins(content, zipMagic) {
		return false
	}
	archive, err := zip.NewReader(content, size)
	return err == nil && workbookMember(archive, workbookPart) != nil
}

func workbookMember(archive *zip.Reader, name string) *zip.File {
	i := slices.IndexFunc(archive.File, func(f *zip.File) bool { return strings.EqualFold(f.Name, name) })
	if i < 0 {
		return nil
	}
	return archive.File[i]
}

// xlsxWorkbook is what the parts of a workbook say of each other.
type xlsxWorkbook struct {
	Properties struct {
		Date1904 string `xml:"date1904,attr"`
	} `xml:"workbookPr"`
	Sheets []struct {
		Name     string `xml:"name,attr"`
		State    string `xml:"state,attr"`
		Relation string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		Strict   string `xml:"http://purl.oclc.org/ooxml/officeDocument/relationships id,attr"`
	} `xml:"sheets>sheet"`
}

type xlsxRelations struct {
	Relations []struct {
		ID     string `xml:"Id,attr"`
		Target string `xml:"Target,attr"`
	} `xml:"Relationship"`
}

type xlsxStyles struct {
	Formats []struct {
		ID   int    `xml:"numFmtId,attr"`
		Code string `xml:"formatCode,attr"`
	} `xml:"numFmts>numFmt"`
	Cells []struct {
		Format int `xml:"numFmtId,attr"`
	} `xml:"cellXfs>xf"`
}

// xlsxSheet reads a sheet of an .xlsx file.
type xlsxSheet struct {
	member   io.ReadCloser
	xml      *xml.Decoder
	shared   []string
	isDate   []bool // by style
	from1904 bool
	number   int
	cells    []string
	done     bool
}

// openXLSX opens the sheet that is meant.
func openXLSX(content io.ReaderAt, size int64, wanted string) (*xlsxSheet, error) {
	archive, err := zip.NewReader(content, size)
	if err != nil {
		return nil, fmt.Errorf("read xlsx: %w", err)
	}
	var workbook xlsxWorkbook
	var styles xlsxStyles
	if err := errors.Join(decodePart(archive, workbookPart, &workbook), decodePart(archive, "xl/styles.xml", &styles)); err != nil {
		return nil, err
	}
	part, err := sheetPart(archive, workbook, wanted)
	if err != nil {
		return nil, err
	}
	s := &xlsxSheet{from1904: workbook.Properties.Date1904 == "1" || workbook.Properties.Date1904 == "true", isDate: styles.dates()}
	if s.shared, err = sharedTexts(archive); err != nil {
		return nil, err
	}
	if s.member, err = part.Open(); err != nil {
		return nil, fmt.Errorf("read %s: %w", part.Name, err)
	}
	s.xml = xml.NewDecoder(bufio.NewReaderSize(s.member, readBufferBytes))
	return s, nil
}

// decodePart reads one of the small parts; one that is not there says nothing.
func decodePart(archive *zip.Reader, name string, into any) error {
	part := workbookMember(archive, name)
	if part == nil {
		return nil
	}
	in, err := part.Open()
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	defer in.Close()
	if err := xml.NewDecoder(io.LimitReader(in, maxPartBytes)).Decode(into); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

func sheetPart(archive *zip.Reader, workbook xlsxWorkbook, wanted string) (*zip.File, error) {
	var relations xlsxRelations
	if err := decodePart(archive, "xl/_rels/workbook.xml.rels", &relations); err != nil {
		return nil, err
	}
	var names []string
	var hidden []bool
	for _, s := range workbook.Sheets {
		names = append(names, s.Name)
		hidden = append(hidden, s.State == "hidden" || s.State == "veryHidden")
	}
	at, err := pickSheet(names, hidden, wanted)
	if err != nil {
		return nil, err
	}
	for _, r := range relations.Relations {
		if r.ID != workbook.Sheets[at].Relation && r.ID != workbook.Sheets[at].Strict {
			continue
		}
		target := strings.TrimPrefix(r.Target, "/")
		if target == r.Target {
			target = path.Join("xl", target)
		}
		if part := workbookMember(archive, target); part != nil {
			return part, nil
		}
	}
	return nil, fmt.Errorf("the content of its sheet %q is missing", names[at])
}

func (s xlsxStyles) dates() []bool {
	codes := map[int]string{}
	for _, f := range s.Formats {
		codes[f.ID] = f.Code
	}
	out := make([]bool, len(s.Cells))
	for i, c := range s.Cells {
		out[i] = isDateFormat(c.Format, codes[c.Format])
	}
	return out
}

// sharedTexts are the texts that cells name by their number.
func sharedTexts(archive *zip.Reader) ([]string, error) {
	part := workbookMember(archive, "xl/sharedStrings.xml")
	if part == nil {
		return nil, nil
	}
	if part.UncompressedSize64 > maxSharedTextBytes { // a part that is longer than it says is refused as it is read
		return nil, fmt.Errorf("%s is longer than %d MiB", part.Name, maxSharedTextBytes>>20)
	}
	in, err := part.Open()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", part.Name, err)
	}
	defer in.Close()
	d := xml.NewDecoder(bufio.NewReaderSize(in, readBufferBytes))
	var out []string
	for {
		token, err := d.RawToken()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", part.Name, err)
		}
		if start, is := token.(xml.StartElement); is && start.Name.Local == "si" {
			text, err := xmlText(d, "si")
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", part.Name, err)
			}
			out = append(out, text)
		}
	}
}

// xmlText joins the texts inside an element, but for how they are pronounced.
func xmlText(d *xml.Decoder, element string) (string, error) {
	var b strings.Builder
	spoken, inText := 0, false
	for {
		token, err := d.RawToken()
		if err != nil {
			return "", cutXML(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			inText = t.Name.Local == "t"
			if t.Name.Local == "rPh" {
				spoken++
			}
		case xml.CharData:
			if inText && spoken == 0 {
				b.Write(t)
			}
		case xml.EndElement:
			inText = false
			switch t.Name.Local {
			case "rPh":
				spoken--
			case element:
				return b.String(), nil
			}
		}
	}
}

func cutXML(err error) error {
	if err == io.EOF {
		return errors.New("the file is cut off: the sheet does not end")
	}
	return err
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// columnOf is the number of a column from the name of a cell: "AB12" is in the column 27.
func columnOf(cell string) (int, error) {
	column := 0
	for i := 0; i < len(cell) && cell[i] >= 'A' && cell[i] <= 'Z' && column <= maxSheetColumns; i++ {
		column = column*26 + int(cell[i]-'A') + 1
	}
	if column == 0 || column > maxSheetColumns {
		return 0, fmt.Errorf("it has a cell called %.60q", cell)
	}
	return column - 1, nil
}

// value is what a cell shows.
func (s *xlsxSheet) value(kind, style, text string) (string, error) {
	switch kind {
	case "", "n":
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return text, nil // empty
		}
		xf, err := strconv.Atoi(style)
		return sheetNumber(v, err == nil && xf >= 0 && xf < len(s.isDate) && s.isDate[xf], s.from1904), nil
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || i < 0 || i >= len(s.shared) {
			return "", fmt.Errorf("it has a cell with the shared text %.60q, which is not there", text)
		}
		return s.shared[i], nil
	case "b":
		return strconv.FormatBool(text == "1"), nil
	default:
		return text, nil
	}
}
