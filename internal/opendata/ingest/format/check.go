package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"arpent/internal/opendata/source"
)

// What can be said of some formats only.
var (
	unpivotFormats = []source.Format{source.CSV, source.Spreadsheet, source.JSON, source.JSONLines,
		source.GeoJSON}
	tableFormats = []source.Format{source.CSV, source.Spreadsheet}
)

// parameter is a parameter of a statement, which the rows of a source cannot have.
var parameter = regexp.MustCompile(`\$[0-9]`)

// Check returns an error for a declaration that contradicts itself.
func Check(s source.Source) error {
	read := s.Read
	switch {
	case parameter.MatchString(s.Rows):
		return errors.New("field Rows has a parameter that nothing fills")
	case read.Unpivot != nil && !slices.Contains(unpivotFormats, read.Format):
		return fmt.Errorf("field Unpivot does not apply to format %s", read.Format)
	case read.Repeat != nil && !slices.Contains(tableFormats, read.Format):
		return fmt.Errorf("field Repeat does not apply to format %s", read.Format)
	case read.Unpivot != nil && read.Repeat != nil:
		return errors.New("a record is split by Unpivot or by Repeat, not by both")
	case read.Repeat != nil && (len(read.Repeat.Names) == 0 || read.Repeat.From == ""):
		return errors.New("field Repeat lacks Names or From")
	case read.Keyed && (read.Format != source.JSON || len(read.Items) != 1):
		return errors.New("field Keyed applies only to JSON with one item in Items")
	case read.AllMembers && (read.Format != source.CSV || read.Member == ""):
		return errors.New("field AllMembers applies only to CSV with Member")
	case read.Sheet != "" && read.Format != source.Spreadsheet:
		return fmt.Errorf("field Sheet does not apply to format %s", read.Format)
	case read.HeaderCell != "" && !slices.Contains(tableFormats, read.Format):
		return fmt.Errorf("field HeaderCell does not apply to format %s", read.Format)
	case read.Skip > 0 && (read.Format != source.CSV || read.HeaderCell != ""):
		return errors.New("field Skip applies only to CSV without HeaderCell")
	}
	for _, expr := range []string{read.Sheet, read.HeaderCell} {
		if _, err := regexp.Compile(expr); err != nil {
			return err
		}
	}
	if _, err := compileUnpivot(read.Unpivot); err != nil {
		return err
	}
	return checkMade(s)
}

// checkMade returns an error for columns that read a field which nothing makes: they would always be empty.
func checkMade(s source.Source) error {
	unpivot, repeat, keyed := s.Read.Unpivot != nil, s.Read.Repeat != nil, s.Read.Keyed
	made := map[string]bool{
		"_measure": unpivot, "_period": unpivot, "_missing": unpivot, "_value": unpivot || keyed, "_group": repeat,
		"_key": keyed,
	}
	for _, col := range s.Columns {
		empty := len(col.From) > 0
		for _, name := range col.From {
			is, special := made[name]
			empty = empty && special && !is
		}
		if empty {
			return fmt.Errorf("its column %s is read from %q, which needs Unpivot, Repeat or Keyed", col.Name,
				col.From)
		}
	}
	return nil
}

// TemplatePart is a part of a template: a literal, or a field (the
// first of Names that is there) padded to Pad.
type TemplatePart struct {
	Literal string
	Names   []string
	Pad     int
}

// ParseTemplate cuts a template such as "{code:5}-{year|annee}" into its parts.
func ParseTemplate(t string) ([]TemplatePart, error) {
	var out []TemplatePart
	for t != "" {
		open := strings.IndexByte(t, '{')
		if open < 0 {
			return append(out, TemplatePart{Literal: t}), nil
		}
		if open > 0 {
			out = append(out, TemplatePart{Literal: t[:open]})
		}
		end := strings.IndexByte(t, '}')
		if end < open {
			return nil, fmt.Errorf("template %q is not closed", t)
		}
		names, pad, padded := strings.Cut(t[open+1:end], ":")
		p := TemplatePart{Names: strings.Split(names, "|")}
		if padded {
			var err error
			if p.Pad, err = strconv.Atoi(pad); err != nil {
				return nil, fmt.Errorf("template %q: %w", t, err)
			}
		}
		out, t = append(out, p), t[end+1:]
	}
	return out, nil
}

// PadLeft fills a text up with zeros.
func PadLeft(text string, width int) string {
	if width == 0 {
		return text
	}
	if missing := width - utf8.RuneCountInString(text); missing > 0 {
		return strings.Repeat("0", missing) + text
	}
	return text
}

// completeYear completes a year of two digits.
func completeYear(yy string) string {
	year, err := strconv.Atoi(yy)
	switch {
	case err != nil || len(yy) != 2:
		return yy
	case year < 40:
		return "20" + yy
	default:
		return "19" + yy
	}
}

// fixTemplate puts into a template what the name of the column and the path of the file say.
func (w *unpivotReader) fixTemplate(template []TemplatePart, groups map[string]string) []TemplatePart {
	var out []TemplatePart
	for _, p := range template {
		for _, name := range p.Names {
			text, there := groups[name]
			if !there {
				text, there = w.path[name]
			}
			if there {
				if name == "yy" {
					text = completeYear(text)
				}
				p = TemplatePart{Literal: PadLeft(text, p.Pad)}
				break
			}
		}
		if last := len(out) - 1; p.Names == nil && last >= 0 && out[last].Names == nil {
			out[last].Literal += p.Literal
			continue
		}
		out = append(out, p)
	}
	return out
}

// fillTemplate puts the fields of a record into a template. One that is not there makes the whole empty.
func fillTemplate(template []TemplatePart, f Fields) string {
	if len(template) == 1 && template[0].Names == nil {
		return template[0].Literal
	}
	var b strings.Builder
	for _, p := range template {
		if p.Names == nil {
			b.WriteString(p.Literal)
			continue
		}
		text := ""
		for _, name := range p.Names {
			text, _ = f.Text(name)
			if text = strings.TrimSpace(text); text != "" {
				break
			}
		}
		if text == "" {
			return ""
		}
		b.WriteString(PadLeft(text, p.Pad))
	}
	return b.String()
}

// quoteTemplate shows a template in a message.
func quoteTemplate(template []TemplatePart) string {
	var b strings.Builder
	for _, p := range template {
		b.WriteString(p.Literal)
		if p.Names != nil {
			b.WriteString("{" + strings.Join(p.Names, "|") + "}")
		}
	}
	return strconv.Quote(b.String())
}

// Lacking says which columns of a declaration the header of a table lacks, and which it has;
// empty: it lacks none, or there is no header.
func Lacking(r Reader, columns []source.Column) string {
	if split, is := r.(*unpivotReader); is {
		r = split.Reader
	}
	table, is := r.(headerReader)
	if !is {
		return ""
	}
	header := table.columnNames()
	var lacks []string
	for _, c := range columns {
		found := slices.ContainsFunc(c.From, func(name string) bool {
			_, there := nameIn(header, name)
			return there || strings.HasPrefix(name, "_")
		})
		if len(c.From) > 0 && !found {
			lacks = append(lacks, strings.Join(c.From, " or "))
		}
	}
	if lacks == nil {
		return ""
	}
	return fmt.Sprintf("; its header lacks %s; it has %s", quoteNames(lacks), quoteNames(header))
}

// MissingColumns lists the required columns of a source that the header of its table has under none of their
// names. head is the beginning of the file, plain or compressed with gzip. A file whose header cannot be read
// from it, such as an archive, lacks none.
func MissingColumns(s source.Source, head []byte) (missing []string) {
	isArchive := bytes.HasPrefix(head, zipMagic) || bytes.HasPrefix(head, sevenZipMagic)
	if s.Read.Format != source.CSV || s.Read.Header != nil || isArchive {
		return nil
	}
	plain, err := openCompressed(bufio.NewReaderSize(bytes.NewReader(head), readBufferBytes), int64(len(head)))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(plain, maxRecordBytes)) // its end is cut off
	if s.Read.Encoding == "" || s.Read.Encoding == "utf-8" {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	table, err := newCSVReader(bytes.NewReader(text), source.Read{Separator: s.Read.Separator, Skip: s.Read.Skip,
		HeaderCell: s.Read.HeaderCell, Lazy: true}, "mixed", nil)
	switch {
	case err != nil && s.Read.HeaderCell != "":
		return []string{s.Read.HeaderCell}
	case err != nil:
		return nil
	}
	for _, c := range s.Columns {
		names := c.From
		if len(names) == 0 {
			names = []string{c.Name}
		}
		isFound := slices.ContainsFunc(names, func(name string) bool {
			return strings.HasPrefix(name, "_") || table.columnIndex(name) >= 0
		})
		if c.Required && c.SQL == "" && c.Template == "" && !isFound {
			missing = append(missing, strings.Join(names, " or "))
		}
	}
	return missing
}

// quoteNames shows names in a message, the first of many.
func quoteNames(names []string) string {
	const most = 40
	if len(names) > most {
		return fmt.Sprintf("%q and %d more", names[:most], len(names)-most)
	}
	return fmt.Sprintf("%q", names)
}
