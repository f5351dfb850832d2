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
	"arpent/internal/opendata/ingest"
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
	content, err := os.ReadFile("testdata/codes.xls")
	testkit.NoError(t, err)
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

// A file that is no spreadsheet, or one that is cut off or damaged, is refused with the reason; what was
// served stays and no copy is left on the disk.
func TestSpreadsheetsThatAreBroken(t *testing.T) { // not parallel: it has a folder for temporary files of its own
	b := loadkit.New(t, loadkit.Facts(source.Read{Format: source.Spreadsheet}))
	unpacked := t.TempDir()
	t.Setenv("TMPDIR", unpacked)
	good := loadkit.Workbook(t, []string{"x"}, []string{"id", "before"})
	b.File("facts.x", good)
	b.MustLoad()
	refuse := func(name, content, says string) {
		t.Helper()
		b.File("facts.x", content)
		_, err := b.Load(ingest.Request{})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want it to say %q", name, err, says)
		}
		b.Want("SELECT id FROM geo.enrich_radon", "before")
	}
	long := loadkit.Workbook(t, []string{"x"}, append([]string{"id"}, strings.Split(strings.Repeat("1 ", 3000), " ")...))
	with := func(part, content string) string { return withParts(t, good, map[string]string{part: content}) }
	flipped := []byte(good)
	flipped[strings.Index(good, sheetPart)+len(sheetPart)+20] ^= 0x10
	old := oldBook(t)
	const sheet = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`
	for name, tc := range map[string][2]string{
		"empty":                   {"", "not a spreadsheet"},
		"text":                    {"id;name\n1;a\n", "not a spreadsheet"},
		"a page":                  {"<html>503</html>", "not a spreadsheet"},
		"a zip of something else": {loadkit.Archive(t, map[string]string{"a.csv": "id\n1\n"}), "not a spreadsheet"},
		"cut":                     {long[:len(long)/2], "cut off"},
		"cut, old":                {old[:len(old)/2], "cut off"},
		"cut header, old":         {old[:100], "cut off"},
		"a part with another sum": {string(flipped), "damaged"},
		"a sheet that ends early": {with(sheetPart, sheet+`<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c></row>`), "XML parsing"},
		"a sheet without content": {with(sheetPart, ""), "empty"},
		"texts that end early":    {with(textsPart, `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>id</t></si>`), "XML parsing"},
		"an empty sheet":          {loadkit.Workbook(t, []string{"x"}, nil), "empty"},
		"two sheets":              {loadkit.Workbook(t, []string{"a", "b"}, []string{"id", "1"}, []string{"id", "2"}), `the sheets ["a" "b"]; which one is meant?`},
		"another table":           {loadkit.Workbook(t, []string{"x"}, []string{"a;b", "1;2"}), "it has no id"},
	} {
		refuse(name, tc[0], tc[1])
	}
	refuse("cut, in gzip", loadkit.Zipped(long[:len(long)/2]), "cut off")
	refuse("cut, old, in gzip", loadkit.Zipped(old[:len(old)/2]), "cut off")
	refuse("a zip of several", loadkit.Archive(t, map[string]string{"a.csv": "id", "b.csv": "id"}), "none of its 2 members")
	for says, read := range map[string]source.Read{
		`the sheets ["x"]; expected one that fits "b"`: {Sheet: "b"}, "has a cell that matches code": {HeaderCell: "code"},
	} {
		read.Format = source.Spreadsheet
		b.Catalogue = []source.Source{loadkit.Facts(read)}
		refuse("another layout", good, says)
	}
	left, err := os.ReadDir(unpacked)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// GDAL does not notice bytes of an .xls file that were overwritten, because the format has no sums: cells are
// then empty or others, as in delimited text. It also leaves the cells of formulas in an .xls file empty, and
// takes an .xlsx file without its texts for one of their numbers. The number of rows and the header that a
// source expects refuse such files.
func TestDamageThatIsNotNoticed(t *testing.T) {
	t.Parallel()
	old, good := oldBook(t), loadkit.Workbook(t, []string{"Communes"}, []string{"id;name", "01001;a", "2;b"})
	const numbers, numbersBytes = "\x7e\x02\x0a\x00\x06\x00\x00\x00", 28 // the two cells of the last row
	row := strings.Index(old, numbers)
	if row < 0 {
		t.Fatal("the last row is not found")
	}
	for name, tc := range map[string]struct{ before, after, says string }{
		"overwritten, old": {old, old[:row] + strings.Repeat("\x00", numbersBytes) + old[row+numbersBytes:], "1 row"},
		"no texts":         {good, withParts(t, good, map[string]string{textsPart: ""}), "has a cell that matches id"},
	} {
		t.Run(name, func(t *testing.T) {
			s := loadkit.Facts(source.Read{Format: source.Spreadsheet, Sheet: "Communes", HeaderCell: "id"})
			s.Checks.MinRows = 2
			b := loadkit.New(t, s)
			b.File("facts.x", tc.before)
			b.MustLoad()
			b.File("facts.x", tc.after)
			_, err := b.Load(ingest.Request{})
			loadkit.Contains(t, err, tc.says)
			b.Want("SELECT id FROM geo.enrich_radon", "01001\n2")
		})
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
