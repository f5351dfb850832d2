package format_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/source"
)

// everyCell is a workbook with each kind of cell that figures and codes come in: the sheet "Communes ", below
// a banner, after a sheet that is not meant.
func everyCell(t *testing.T) string {
	t.Helper()
	workbook := excelize.NewFile()
	defer workbook.Close()
	const sheet = "Communes "
	_, err := workbook.NewSheet(sheet)
	set := func(cell string, row ...any) {
		if err == nil {
			err = workbook.SetSheetRow(sheet, cell, &row)
		}
	}
	set("A1", "Banner\nof two lines")
	set("A4", "id", "name", "n", "tenth", "long", "sum", "word", "text", "last")
	set("A5", "01001", "Évian ; \"Bains\"", 767, 0.1, 123456789012, 1534, "abc", "two\nlines", nil)
	set("A7", 2, nil, nil, 9.3, -77.74)
	set("B9", " ")
	if err == nil {
		err = workbook.SetCellFormula(sheet, "F5", "C5*2") // the result that was set stays
	}
	if err == nil {
		err = workbook.SetCellRichText(sheet, "G5", []excelize.RichTextRun{{Text: "ab", Font: &excelize.Font{Bold: true}}, {Text: "c"}})
	}
	var out bytes.Buffer
	if err == nil {
		err = workbook.Write(&out)
	}
	testkit.NoError(t, err)
	return out.String()
}

// oldBook is the workbook testdata/codes.xls: the sheets "Notes" and "Communes", whose header is in row 4.
func oldBook(t *testing.T) string {
	t.Helper()
	content := testkit.Must(os.ReadFile("testdata/codes.xls"))(t)
	return string(content)
}

// A figure of a spreadsheet is read with all its digits, and a code with its zeros, whichever program wrote
// the file. A row that is refused has the number that a program shows next to it.
func TestSpreadsheets(t *testing.T) {
	t.Parallel()
	names := strings.Split("name;n;tenth;long;sum;word;text;last", ";")
	const every = `01001|{"n": "767", "sum": "1534", "long": "123456789012", "name": "Évian ; \"Bains\"", "text": "two\nlines", "word": "abc", "tenth": "0.1"}` + "\n" + `2|{"long": "-77.74", "tenth": "9.3"}`
	small := loadkit.Workbook(t, []string{"Data 2021"}, []string{"", "id;name", "1;a", "2;b;c", ";", "3"})
	const smallRows, smallRefused = `1|{"name": "a"}` + "\n" + `3|{}`, "4: it has 3 cells; expected 2"
	const old = `01001|{"n": "767", "long": "123456789012", "name": "Évian", "tenth": "0.1"}` + "\n" + `2|{"long": "-77.74"}`
	for _, tc := range []struct {
		name, content string
		read          source.Read
		rows, refused string
	}{
		{name: "every kind of cell", content: everyCell(t), read: source.Read{Sheet: "Comm.*", HeaderCell: "(?i)ID"}, rows: every},
		{name: "an old workbook", content: oldBook(t), read: source.Read{Sheet: "Communes", HeaderCell: "id"}, rows: old},
		{name: "the only sheet", content: small, rows: smallRows, refused: smallRefused},
		{name: "in gzip", content: loadkit.Zipped(small), read: source.Read{HeaderCell: "name"}, rows: smallRows, refused: smallRefused},
		{name: "in zip", content: loadkit.Archive(t, map[string]string{"a/readme.txt": "x", "a/workbook.xls": oldBook(t)}), read: source.Read{Sheet: "Comm.*", HeaderCell: "id"}, rows: old},
		{name: "in zip, a member of several", content: loadkit.Archive(t, map[string]string{"b.xlsx": "x", "a.xlsx": small}), read: source.Read{Member: "^a"}, rows: smallRows, refused: smallRefused},
		{name: "a sheet that is optional", content: small, read: source.Read{Sheet: "Data 2022", Optional: true}},
		{name: "groups that come again", content: loadkit.Workbook(t, []string{"x"}, []string{"id;name;n", "1;a;5;b;;c", "2", "3;d"}),
			read: source.Read{Repeat: &source.Repeat{Names: []string{"name", "n"}, From: "name"}},
			rows: `1/1|{"n": "5", "name": "a"}` + "\n" + `1/2|{"name": "b"}` + "\n" + `1/3|{"name": "c"}` + "\n" + `3/1|{"name": "d"}`},
		{name: "figures in columns", content: small, read: source.Read{Keep: map[string]string{"id": "1"}, Unpivot: []source.Unpivot{{Column: "name", Measure: "m"}}},
			rows: `1|{"name": "a"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.read.Format = source.Spreadsheet
			s := loadkit.Facts(tc.read, loadkit.Columns(names...)...)
			if tc.read.Repeat != nil {
				s.Columns[len(s.Columns)-2].From = nil
				s.Columns[len(s.Columns)-2].Template = "{id}/{_group}"
			}
			wantFacts(t, s, tc.content, tc.rows, tc.refused)
		})
	}
}

// withParts writes an .xlsx file anew with other parts; an empty one is left out.
func withParts(t *testing.T, workbook string, parts map[string]string) string {
	t.Helper()
	in, err := zip.NewReader(strings.NewReader(workbook), int64(len(workbook)))
	testkit.NoError(t, err)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range in.File {
		content, replaced := parts[f.Name]
		switch {
		case !replaced:
			err = z.Copy(f)
		case content != "":
			w, e := z.Create(f.Name)
			if err = e; err == nil {
				_, err = w.Write([]byte(content))
			}
		}
		testkit.NoError(t, err)
	}
	testkit.NoError(t, z.Close())
	return out.String()
}

const (
	sheetPart = "xl/worksheets/sheet1.xml"
	textsPart = "xl/sharedStrings.xml"
)

// A file that is no spreadsheet, or one that is cut off or damaged, is refused with the reason, and no copy
// is left on the disk.
func TestSpreadsheetsThatAreBroken(t *testing.T) { // not parallel: it has a folder for temporary files of its own
	good := loadkit.Workbook(t, []string{"x"}, []string{"id", "before"})
	long := loadkit.Workbook(t, []string{"x"}, append([]string{"id"}, strings.Split(strings.Repeat("1 ", 3000), " ")...))
	with := func(part, content string) string { return withParts(t, good, map[string]string{part: content}) }
	flipped := []byte(good)
	flipped[strings.Index(good, sheetPart)+len(sheetPart)+20] ^= 0x10
	old := oldBook(t)
	const sheet = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`
	unpacked := t.TempDir()
	for name, tc := range map[string]struct {
		content, says string
		read          source.Read
	}{
		"empty":                   {content: "", says: "not a spreadsheet"},
		"text":                    {content: "id;name\n1;a\n", says: "not a spreadsheet"},
		"a page":                  {content: "<html>503</html>", says: "not a spreadsheet"},
		"a zip of something else": {content: loadkit.Archive(t, map[string]string{"a.csv": "id\n1\n"}), says: "not a spreadsheet"},
		"a zip of several":        {content: loadkit.Archive(t, map[string]string{"a.csv": "id", "b.csv": "id"}), says: "none of its 2 members"},
		"cut":                     {content: long[:len(long)/2], says: "cut off"},
		"cut, in gzip":            {content: loadkit.Zipped(long[:len(long)/2]), says: "cut off"},
		"cut, old":                {content: old[:len(old)/2], says: "cut off"},
		"cut, old, in gzip":       {content: loadkit.Zipped(old[:len(old)/2]), says: "cut off"},
		"cut header, old":         {content: old[:100], says: "cut off"},
		"a part with another sum": {content: string(flipped), says: "damaged"},
		"a sheet that ends early": {content: with(sheetPart, sheet+`<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c></row>`), says: "XML parsing"},
		"a sheet without content": {content: with(sheetPart, ""), says: "empty"},
		"texts that end early":    {content: with(textsPart, `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>id</t></si>`), says: "XML parsing"},
		"an empty sheet":          {content: loadkit.Workbook(t, []string{"x"}, nil), says: "empty"},
		"two sheets":              {content: loadkit.Workbook(t, []string{"a", "b"}, []string{"id", "1"}, []string{"id", "2"}), says: `the sheets ["a" "b"]; which one is meant?`},
		"no such sheet":           {content: good, says: `the sheets ["x"]; expected one that fits "b"`, read: source.Read{Sheet: "b"}},
		"no such header":          {content: good, says: "has a cell that matches code", read: source.Read{HeaderCell: "code"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFiles(t, []string{"facts.x"}, tc.content)
			t.Setenv("TMPDIR", unpacked)
			tc.read.Format = source.Spreadsheet
			_, err := readAll(t, path, tc.read)
			loadkit.Contains(t, err, tc.says)
		})
	}
	left, err := os.ReadDir(unpacked)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// hostileWorkbooks are workbooks that were tampered with, by their names, and what is said of
// them. Some try to read a file or an address.
func hostileWorkbooks(t *testing.T, secret, remote string) map[string][2]string {
	t.Helper()
	const start = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`
	good := loadkit.Workbook(t, []string{"zone"}, []string{"id", "1"})
	with := func(part, content string) string { return withParts(t, good, map[string]string{part: content}) }
	cell := func(head, text string) string {
		return with(sheetPart, head+start+`<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c></row>`+
			`<row r="2"><c r="A2" t="inlineStr"><is><t>`+text+`</t></is></c></row></sheetData></worksheet>`)
	}
	laughs := `<!ENTITY a "haha">`
	for c := 'b'; c < 'k'; c++ {
		laughs += fmt.Sprintf(`<!ENTITY %c "%s">`, c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
	}
	var manyCells strings.Builder // each row takes 2 000 cells of memory
	for n := range 20_000 {
		fmt.Fprintf(&manyCells, `<row r="%d"><c r="BXW%[1]d"><v>1</v></c></row>`, n+1)
	}
	relations := func(target string) string {
		return with("xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+
			`<Relationship Id="rId1" Target="`+target+`" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/></Relationships>`)
	}
	old := oldBook(t)
	const header, sector, damaged = 512, 512, "cut off, damaged"
	return map[string][2]string{
		"workbook of 2 GiB":                        {claimingPart(t, good, 2<<30), "more than 200 times as much"},
		"workbook that is longer than it claims":   {claimingPart(t, good, 100_000), damaged},
		"workbook that fills the memory":           {with(sheetPart, start+manyCells.String()+`</sheetData></worksheet>`), damaged},
		"workbook of nested entities":              {cell(`<!DOCTYPE x [`+laughs+`]>`, `&j;`), "entities"},
		"workbook of entities after a comment":     {cell("<!--"+strings.Repeat(" ", 100_000)+`--><!DOCTYPE x [`+laughs+`]>`, `&b;`), "entities"},
		"workbook of entities in UTF-16":           {with(sheetPart, "\xff\xfe"+inUTF16(`<!DOCTYPE x [`+laughs+`]>`+start+`<row r="1"><c r="A1"><v>&b;</v></c></row></sheetData></worksheet>`)), "entities"},
		"workbook with an entity of a file":        {cell(`<!DOCTYPE x [<!ENTITY e SYSTEM "file://`+secret+`">]>`, `&e;`), "entities"},
		"workbook with an entity of an address":    {cell(`<!DOCTYPE x [<!ENTITY e SYSTEM "`+strings.TrimPrefix(remote, "/vsicurl/")+`">]>`, `&e;`), "entities"},
		"workbook whose sheet is a file":           {relations("../../../../../../.." + secret), "empty"},
		"workbook whose sheet is at an address":    {relations(remote), "empty"},
		"sheet that is called as an option":        {loadkit.Workbook(t, []string{"-sql"}, []string{"id", "1"}), "the name"},
		"old workbook that claims all cells":       {dimensions.ReplaceAllString(old, "$1\x00\x00\x01\x00\x00\x00\x00\x01"), damaged},
		"old workbook that is cut in its middle":   {old[:len(old)/2], damaged},
		"old workbook whose sectors run in a ring": {old[:header] + strings.Repeat("\x01\x00\x00\x00", sector/4) + old[header+sector:], damaged},
	}
}

// dimensions matches what a sheet of testdata/codes.xls says of its rows and columns.
var dimensions = regexp.MustCompile(`(\x00\x02\x0e\x00\x00\x00\x00\x00).\x00\x00\x00\x00\x00.\x00`)

// claimingPart replaces the sheet of a workbook by 64 MiB of blanks that claim another size.
func claimingPart(t *testing.T, workbook string, size uint64) string {
	t.Helper()
	blanks := bytes.Repeat([]byte(" "), 64<<20)
	var packed, out bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(blanks)
	}
	if err == nil {
		err = w.Close()
	}
	in, e := zip.NewReader(strings.NewReader(workbook), int64(len(workbook)))
	testkit.NoError(t, errors.Join(err, e))
	z := zip.NewWriter(&out)
	for _, f := range in.File {
		if f.Name != sheetPart {
			err = errors.Join(err, z.Copy(f))
		}
	}
	part, e := z.CreateRaw(&zip.FileHeader{Name: sheetPart, Method: zip.Deflate, UncompressedSize64: size,
		CompressedSize64: uint64(packed.Len()), CRC32: crc32.ChecksumIEEE(blanks)})
	if err = errors.Join(err, e); err == nil {
		_, err = part.Write(packed.Bytes())
	}
	testkit.NoError(t, errors.Join(err, z.Close()))
	return out.String()
}
