package spreadsheet_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"arpent/api/ingest"
	"arpent/api/source"
	"arpent/app/dev/loadkit"
)

// everyCellXML is a sheet with each kind of cell that an .xlsx file can have, below a banner.
func everyCellXML() string {
	return `<row r="1"><c r="A1" t="inlineStr"><is><t>Banner</t></is></c></row><row r="2"/>` +
		rowsXML(4, "id;name;n;tenth;long;tiny;day;days;moment;yes;fault;sum;word;last") +
		`<row r="5" spans="1:14"><c r="A5" t="s"><v>0</v></c><c r="B5" t="s"><v>1</v></c><c r="C5"><v>767</v></c><c r="D5"><v>0.10000000000000001</v></c>` +
		`<c r="E5"><v>1.0E5</v></c><c r="F5"><v>1E-7</v></c><c r="G5" s="1"><v>44000</v></c><c r="H5" s="3"><v>2.5</v></c><c r="I5" s="2"><v>44000.5</v></c>` +
		`<c r="J5" t="b"><v>1</v></c><c r="K5" t="e"><v>#N/A</v></c><c r="L5"><f>C5*2</f><v>1534</v></c><c r="M5" t="str"><f>A5</f><v>abc</v></c>` +
		`<c r="N5" s="1"/></row>` +
		`<row><c t="inlineStr"><is><t>2</t></is></c><c r="E6"><v>-77.739999999999995</v></c><c><v>.5</v></c></row><row r="9"><c r="B9"/></row>`
}

// everyCellXLS is the same in the records of an .xls file, with a shared text that goes on in a second record, in letters
// of another width.
func everyCellXLS() []byte {
	cell := func(kind uint16, row, column, style int, values ...any) []byte {
		return biff(kind, uint16(row-1), uint16(column), uint16(style), bytesOf(values...))
	}
	text := func(s string) []byte { return bytesOf(uint16(len(s)), byte(0), s) }
	style := func(format int) []byte { return biff(0xE0, uint16(0), uint16(format), make([]byte, 16)) }
	globals := bytesOf(
		biff(0x41E, uint16(164), text("[$-40C]dd/mm/yyyy;@")), biff(0x41E, uint16(165), text(`0.0" days"`)),
		style(0), style(14), style(164), style(165),
		biff(0xFC, uint32(2), uint32(2), text("01001"), uint16(6), byte(0x0C), uint16(1), uint32(3), "\xc9v"),
		biff(0x3C, byte(1), utf16Letters("ian "), uint32(0)), biff(0x3C, "ext"),
	)
	records := bytesOf(
		biffTextRows(1, "Banner"), biff(0x208, make([]byte, 16)),
		biffTextRows(4, "id;name;n;tenth;long;tiny;day;days;moment;yes;fault;sum;word;last"),
		cell(0xFD, 5, 0, 0, uint32(0)), cell(0xFD, 5, 1, 0, uint32(1)), cell(0x27E, 5, 2, 0, uint32(767<<2|2)), cell(0x27E, 5, 3, 0, uint32(10<<2|3)),
		cell(0x203, 5, 4, 0, 1e5), cell(0x203, 5, 5, 0, 1e-7), cell(0x203, 5, 6, 1, 44000.0), cell(0x203, 5, 7, 3, 2.5), cell(0x203, 5, 8, 2, 44000.5),
		cell(0x205, 5, 9, 0, byte(1), byte(0)), cell(0x205, 5, 10, 0, byte(42), byte(1)),
		biff(0x809, make([]byte, 16)), cell(0x203, 99, 0, 0, 1.0), biff(0x0A), // a chart
		cell(0x06, 5, 11, 0, 1534.0, make([]byte, 8)),
		cell(0x06, 5, 12, 0, make([]byte, 6), uint16(0xFFFF), make([]byte, 8)), biff(0x207, text("abc")),
		cell(0x201, 5, 13, 1), biff(0xBE, uint16(4), uint16(13), uint16(1), uint16(1), uint16(14)),
		biffTextRows(6, "2"), biff(0xBD, uint16(5), uint16(4), uint16(0), uint32((1<<30-7774)<<2|3), uint16(0), uint32(0x3FE00000), uint16(5)),
	)
	return biffBook(globals, [2]string{"Notes (hidden)", ""}, [2]string{"Communes", string(records)})
}

// A figure of a spreadsheet is read with all its digits, and a code with its zeros, whichever program wrote the file.
func TestSpreadsheets(t *testing.T) {
	t.Parallel()
	names := strings.Split("name;n;tenth;long;tiny;day;days;moment;yes;fault;sum;word;last", ";")
	const first = `01001|{"n": "767", "day": "2020-06-18", "sum": "1534", "yes": "true", "days": "2.5", "long": "100000", "name": "Évian", "tiny": "0.0000001", "word": "abc", ` +
		`"fault": "#N/A", "tenth": "0.1", "moment": "2020-06-18T12:00:00Z"}`
	const second = `2|{"long": "-77.74", "tiny": "0.5"}`
	small := xlsxFile(t, [2]string{"Hidden (hidden)", rowsXML(1, "id", "9")}, [2]string{"Data 2021", rowsXML(2, "id;name", "1;a", "2;b;c", ";", "3")})
	smallXLS := compoundFile("Workbook", biffBook(nil, [2]string{"Data 2021", biffTextRows(2, "id;name", "1;a", "2;b;c", ";", "3")}))
	const smallRows, smallRefused = `1|{"name": "a"}` + "\n" + `3|{}`, "4: it has 3 cells; expected 2"
	xlsx := xlsxFile(t, [2]string{"Communes ", everyCellXML()})
	xls := compoundFile("Workbook", everyCellXLS())
	big := compoundFile("Workbook", append(everyCellXLS(), make([]byte, 5000)...))
	skip := source.Read{Skip: 3}
	for _, tc := range []struct {
		name, content string
		read          source.Read
		rows, refused string
	}{
		{name: "every kind of cell", content: xlsx, read: skip, rows: first + "\n" + second},
		{name: "every kind of cell, old", content: xls, read: skip, rows: first + "\n" + second},
		{name: "every kind of cell, old and long", content: big, read: source.Read{HeaderCell: "(?i)ID", Sheet: "Comm.*"}, rows: first + "\n" + second},
		{name: "the only sheet that shows", content: small, rows: smallRows, refused: smallRefused},
		{name: "the only sheet that shows, old", content: smallXLS, rows: smallRows, refused: smallRefused},
		{name: "a hidden sheet that is asked for", content: small, read: source.Read{Sheet: "Hidden"}, rows: "9|{}"},
		{name: "in gzip", content: loadkit.Zipped(small), read: source.Read{HeaderCell: "name"}, rows: smallRows, refused: smallRefused},
		{name: "in zip", content: loadkit.Archive(t, map[string]string{"a/readme.txt": "x", "a/book.xls": smallXLS}), rows: smallRows, refused: smallRefused},
		{name: "in zip, a member of several", content: loadkit.Archive(t, map[string]string{"b.xlsx": "x", "a.xlsx": small}), read: source.Read{Member: "^a"}, rows: smallRows, refused: smallRefused},
		{name: "groups that come again", content: xlsxFile(t, [2]string{"x", rowsXML(1, "id;name;n", "1;a;5;b;;c", "2", "3;d")}),
			read: source.Read{Repeat: &source.Repeat{Names: []string{"name", "n"}, From: "name"}},
			rows: `1/1|{"n": "5", "name": "a"}` + "\n" + `1/2|{"name": "b"}` + "\n" + `1/3|{"name": "c"}` + "\n" + `3/1|{"name": "d"}`},
		{name: "figures in columns", content: smallXLS, read: source.Read{Keep: map[string]string{"id": "1"}, Unpivot: []source.Unpivot{{Column: "name", Measure: "m"}}},
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
			b := loadkit.New(t, s)
			b.File("facts.x", tc.content)
			out := b.MustLoad()["facts"]
			b.Want("SELECT id, attrs FROM geo.enrich_radon", tc.rows)
			var refused []string
			for _, r := range out.Rejections {
				refused = append(refused, fmt.Sprintf("%d: %s", r.Line, r.Reason))
			}
			if got := strings.Join(refused, "\n"); got != tc.refused {
				t.Errorf("refused %q; want %q", got, tc.refused)
			}
		})
	}
}

// brokenBooks are files that are no spreadsheet to be read, and what is said of them.
func brokenBooks(t *testing.T) map[string][2]string {
	xlsx := xlsxFile(t, [2]string{"x", rowsXML(1, append([]string{"id"}, strings.Split(strings.Repeat("1 ", 3000), " ")...)...)})
	xls := compoundFile("Workbook", append(biffBook(nil, [2]string{"x", biffTextRows(1, "id", "1", "2")}), make([]byte, 5000)...))
	workbook := func(globals []byte, sheets ...[2]string) string {
		return compoundFile("Workbook", biffBook(globals, sheets...))
	}
	rows := func(content string) string { return xlsxFile(t, [2]string{"x", content}) }
	return map[string][2]string{
		"empty":                    {"", "no spreadsheet"},
		"text":                     {"id;name\n1;a\n", "no spreadsheet"},
		"a page":                   {"<html>503</html>", "no spreadsheet"},
		"a zip of something else":  {loadkit.Archive(t, map[string]string{"a.csv": "id\n1\n"}), "no spreadsheet"},
		"cut":                      {xlsx[:len(xlsx)/2], ""},
		"cut, old":                 {xls[:len(xls)-4096], "cut off"},
		"cut header, old":          {xls[:100], "cut off"},
		"sectors in a circle, old": {xls[:512] + strings.Repeat("\x01\x00\x00\x00", 128) + xls[1024:], "damaged"},
		"another document, old":    {compoundFile("WordDocument", make([]byte, 5000)), "holds no workbook"},
		"Excel 95":                 {compoundFile("Book", make([]byte, 5000)), "Excel 95"},
		"a password":               {workbook(biff(0x2F, make([]byte, 6))), "password"},
		"a text that is missing":   {workbook(nil, [2]string{"x", string(biff(0xFD, uint16(0), uint16(0), uint16(0), uint32(9)))}), "damaged"},
		"shared texts that end":    {workbook(biff(0xFC, uint32(9), uint32(9), uint16(500), byte(0), "abc"), [2]string{"x", ""}), "damaged"},
		"rows out of order, old":   {workbook(nil, [2]string{"x", biffTextRows(5, "id", "1") + biffTextRows(2, "2")}), "in order"},
		"rows out of order":        {rows(rowsXML(5, "id", "1") + rowsXML(2, "2")), `the next row has the number "2"`},
		"a sheet that ends early":  {loadkit.Archive(t, map[string]string{"xl/workbook.xml": `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="x" r:id="a"/></sheets></workbook>`, "xl/_rels/workbook.xml.rels": `<R><Relationship Id="a" Target="/xl/s.xml"/></R>`, "xl/s.xml": "<worksheet><sheetData>" + rowsXML(1, "id", "1")}), "cut off"},
		"a sheet without content":  {loadkit.Archive(t, map[string]string{"xl/workbook.xml": `<workbook><sheets><sheet name="x"/></sheets></workbook>`}), `"x" is missing`},
		"a cell of no column":      {rows(`<row r="1"><c r="7"><v>1</v></c></row>`), `a cell called "7"`},
		"no shared text":           {rows(`<row r="1"><c r="A1" t="s"><v>7</v></c></row>`), `shared text "7"`},
		"an empty sheet":           {rows(""), "empty"},
		"two sheets":               {xlsxFile(t, [2]string{"a", rowsXML(1, "id", "1")}, [2]string{"b", ""}), `the sheets ["a" "b"]; which one is meant?`},
		"another table":            {rows(rowsXML(1, "a;b", "1;2")), "it has no id"},
	}
}

// A file that is no spreadsheet, or one that is cut off or damaged, is refused with the reason; what was served stays and
// no copy is left on the disk.
func TestSpreadsheetsThatAreBroken(t *testing.T) { // not parallel: it has a folder for temporary files of its own
	b := loadkit.New(t, loadkit.Facts(source.Read{Format: source.Spreadsheet}))
	unpacked := t.TempDir()
	t.Setenv("TMPDIR", unpacked)
	b.File("facts.x", xlsxFile(t, [2]string{"x", rowsXML(1, "id", "before")}))
	b.MustLoad()
	refuse := func(name, content, says string) {
		b.File("facts.x", content)
		_, err := b.Load(ingest.Request{})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want it to say %q", name, err, says)
		}
		b.Want("SELECT id FROM geo.enrich_radon", "before")
	}
	for name, tc := range brokenBooks(t) {
		refuse(name, tc[0], tc[1])
		refuse(name+", in gzip", loadkit.Zipped(tc[0]), tc[1])
	}
	refuse("a zip of several", loadkit.Archive(t, map[string]string{"a.csv": "id", "b.csv": "id"}), "none of its 2 members")
	good := xlsxFile(t, [2]string{"a", rowsXML(3, "id", "1")})
	for says, read := range map[string]source.Read{
		`the sheets ["a"]; expected one that fits "b"`: {Sheet: "b"}, `no cell of the sheet fits "code"`: {HeaderCell: "code"}, "empty": {Skip: 9},
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

// No file makes the readers of spreadsheets panic, read on for ever or make up rows.
func FuzzSpreadsheet(f *testing.F) {
	f.Add([]byte(compoundFile("Workbook", everyCellXLS())))
	f.Add([]byte(compoundFile("Workbook", append(everyCellXLS(), make([]byte, 5000)...))))
	f.Add([]byte(compoundStart))
	f.Fuzz(func(t *testing.T, in []byte) { loadkit.FuzzFile(t, in, source.Read{Format: source.Spreadsheet}) })
}

// No XML in the place of a sheet makes the reader panic, read on for ever or make up rows.
func FuzzSheetXML(f *testing.F) {
	f.Add(everyCellXML())
	f.Add(`<row><c r="XFD1"><v>1</v></c><c/></row></sheetData>`)
	f.Fuzz(func(t *testing.T, rows string) {
		loadkit.FuzzFile(t, []byte(xlsxFile(t, [2]string{"x", rows})), source.Read{Format: source.Spreadsheet, HeaderCell: ".*"})
	})
}
