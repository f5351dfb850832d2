package format

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"arpent/internal/opendata/source"
)

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
				if year, err := strconv.Atoi(text); name == "yy" && err == nil && len(text) == 2 {
					text = strconv.Itoa(1900 + year)
					if year < 40 {
						text = strconv.Itoa(2000 + year)
					}
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
	table, is := r.(*csvReader)
	if !is {
		return ""
	}
	lacks := table.lackingNames(columns)
	if lacks == nil {
		return ""
	}
	return fmt.Sprintf("; its header lacks %s; it has %s", quoteNames(lacks), quoteNames(table.header))
}

// lackingNames lists the names of the columns of a declaration of which the header has none.
func (r *csvReader) lackingNames(columns []source.Column) (lacks []string) {
	for _, c := range columns {
		if len(c.From) > 0 && !slices.ContainsFunc(c.From, func(name string) bool {
			return strings.HasPrefix(name, "_") || r.columnIndex(name) >= 0
		}) {
			lacks = append(lacks, strings.Join(c.From, " or "))
		}
	}
	return lacks
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
	var required []source.Column
	for _, c := range s.Columns {
		if len(c.From) == 0 {
			c.From = []string{c.Name}
		}
		if c.Required && c.SQL == "" && c.Template == "" {
			required = append(required, c)
		}
	}
	return table.lackingNames(required)
}

// quoteNames shows names in a message, the first of many.
func quoteNames(names []string) string {
	const most = 40
	if len(names) > most {
		return fmt.Sprintf("%q and %d more", names[:most], len(names)-most)
	}
	return fmt.Sprintf("%q", names)
}
