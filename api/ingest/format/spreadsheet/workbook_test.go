package spreadsheet_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"arpent/app/dev/loadkit"
)

// xlsxFile is an .xlsx file of sheets, given as a name and the XML of the rows.
func xlsxFile(t *testing.T, sheets ...[2]string) string {
	t.Helper()
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	parts := map[string]string{
		"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-40C]dd/mm/yyyy;@"/><numFmt numFmtId="165" formatCode="0.0&quot; days&quot;"/></numFmts>` +
			`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
		"xl/sharedStrings.xml": `<sst><si><t>01001</t></si><si><r><t>É</t></r><r><t xml:space="preserve">vian </t></r><rPh><t>no</t></rPh></si></sst>`,
	}
	var listed, related string
	for i, s := range sheets {
		name, hidden := strings.CutSuffix(s[0], " (hidden)")
		state := map[bool]string{true: "hidden", false: "visible"}[hidden]
		listed += fmt.Sprintf(`<sheet name="%s" sheetId="%d" state="%s" r:id="r%d"/>`, name, i+1, state, i)
		related += fmt.Sprintf(`<Relationship Id="r%d" Target="worksheets/s%d.xml"/>`, i, i)
		parts[fmt.Sprintf("xl/worksheets/s%d.xml", i)] = `<worksheet><sheetData>` + s[1] + `</sheetData></worksheet>`
	}
	parts["xl/workbook.xml"] = `<workbook xmlns:r="` + office + `"><sheets>` + listed + `</sheets></workbook>`
	parts["xl/_rels/workbook.xml.rels"] = `<Relationships>` + related + `</Relationships>`
	return loadkit.Archive(t, parts)
}

// rowsXML are rows of texts, from the row with a number on.
func rowsXML(from int, rows ...string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, `<row r="%d">`, from+i)
		for cell := range strings.SplitSeq(row, ";") {
			b.WriteString(`<c t="inlineStr"><is><t>` + cell + `</t></is></c>`)
		}
		b.WriteString(`</row>`)
	}
	return b.String()
}

// bytesOf puts numbers and texts one after the other, as .xls files hold them.
func bytesOf(values ...any) []byte {
	var out []byte
	for _, v := range values {
		switch v := v.(type) {
		case string:
			out = append(out, v...)
		case []byte:
			out = append(out, v...)
		case float64:
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		default:
			var err error
			if out, err = binary.Append(out, binary.LittleEndian, v); err != nil {
				panic(err) // a slip in the test
			}
		}
	}
	return out
}

func utf16Letters(text string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}

// biff is a record of an .xls file.
func biff(kind uint16, values ...any) []byte {
	data := bytesOf(values...)
	return bytesOf(kind, uint16(len(data)), data)
}

// biffBook is the workbook of an .xls file: records that go before those that name the sheets, and the sheets, each a
// name and its records.
func biffBook(globals []byte, sheets ...[2]string) []byte {
	begin := biff(0x809, uint16(0x0600), uint16(5), make([]byte, 12))
	end := biff(0x0A)
	at := len(begin) + len(globals) + len(end)
	for _, s := range sheets {
		at += 4 + 8 + len(strings.TrimSuffix(s[0], " (hidden)"))
	}
	out := bytesOf(begin, globals)
	var content []byte
	for _, s := range sheets {
		name, hidden := strings.CutSuffix(s[0], " (hidden)")
		state := map[bool]byte{true: 1}[hidden]
		out = append(out, biff(0x85, uint32(at+len(content)), state, byte(0), byte(len(name)), byte(0), name)...)
		content = append(content, bytesOf(begin, s[1], end)...)
	}
	return bytesOf(out, end, content)
}

// compoundFile is the file around a workbook. Small contents share sectors, as in real files.
func compoundFile(name string, content []byte) string {
	const sector, small, end, none = 512, 64, uint32(0xFFFFFFFE), uint32(0xFFFFFFFF)
	pad := func(b []byte, to int) []byte { return append(b, make([]byte, (to-len(b)%to)%to)...) }
	follow := func(from, count int) []byte {
		var out []byte
		for i := range count {
			next := end
			if i < count-1 {
				next = uint32(from + i + 1)
			}
			out = binary.LittleEndian.AppendUint32(out, next)
		}
		return out
	}
	free := func(b []byte) []byte {
		for len(b) < sector {
			b = binary.LittleEndian.AppendUint32(b, none)
		}
		return b
	}
	entry := func(name string, kind byte, child, first uint32, size int) []byte {
		letters := utf16Letters(name)
		return bytesOf(letters, make([]byte, 64-len(letters)), uint16(len(letters)+2), kind, byte(1), none, none, child, make([]byte, 36), first, uint64(size))
	}
	// Sectors: the table, the directory, the table of the small ones, then the content.
	body := pad(bytes.Clone(content), sector)
	table := free(bytesOf(uint32(0xFFFFFFFD), end, end, follow(3, len(body)/sector)))
	directory := bytesOf(entry("Root Entry", 5, 1, end, 0), entry(name, 2, none, 3, len(content)))
	var smallTable []byte
	if len(content) < 4096 {
		directory = bytesOf(entry("Root Entry", 5, 1, 3, len(body)), entry(name, 2, none, 0, len(content)))
		smallTable = follow(0, (len(content)+small-1)/small)
	}
	head := bytesOf(compoundStart, make([]byte, 16), uint16(0x3E), uint16(3), uint16(0xFFFE), uint16(9), uint16(6), make([]byte, 10),
		uint32(1), uint32(1), uint32(0), uint32(4096), uint32(2), uint32(1), end, uint32(0), uint32(0))
	return string(bytesOf(free(head), table, pad(directory, sector), free(smallTable), body))
}

const compoundStart = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// biffTexts are rows of texts.
func biffTextRows(from int, rows ...string) string {
	var out []byte
	for i, row := range rows {
		for column, cell := range strings.Split(row, ";") {
			out = append(out, biff(0x204, uint16(from+i-1), uint16(column), uint16(0), uint16(len(cell)), byte(0), cell)...)
		}
	}
	return string(out)
}
