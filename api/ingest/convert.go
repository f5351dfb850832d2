package ingest

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"arpent/api/source"
)

// converter turns the records of a source into rows of its staging table.
type converter struct {
	columns  []column
	geometry *source.Geometry
	spec     source.Read
}

type column struct {
	source.Column
	match    *regexp.Regexp
	template []piece
}

// piece is a part of a template: a literal, or a field (the first of names that is there) padded to pad.
type piece struct {
	literal string
	names   []string
	pad     int
}

// newConverter checks a source's columns. Those computed by SQL are not its business.
func newConverter(s source.Source) (*converter, error) {
	c := &converter{geometry: s.Geometry, spec: s.Read}
	for _, spec := range s.Columns {
		if spec.SQL != "" {
			continue
		}
		col := column{Column: spec}
		if spec.From == nil && spec.Template == "" {
			col.From = []string{spec.Name}
		}
		if spec.Kind == "" {
			col.Kind = source.Text
		}
		var err error
		if spec.Match != "" {
			if col.match, err = regexp.Compile(`^(?:` + spec.Match + `)$`); err != nil {
				return nil, fmt.Errorf("column %s of %s: %w", spec.Name, s.Name, err)
			}
		}
		if col.template, err = parseTemplate(spec.Template); err != nil {
			return nil, fmt.Errorf("column %s of %s: %w", spec.Name, s.Name, err)
		}
		c.columns = append(c.columns, col)
	}
	return c, nil
}

func parseTemplate(t string) ([]piece, error) {
	var out []piece
	for t != "" {
		open := strings.IndexByte(t, '{')
		if open < 0 {
			return append(out, piece{literal: t}), nil
		}
		if open > 0 {
			out = append(out, piece{literal: t[:open]})
		}
		end := strings.IndexByte(t, '}')
		if end < open {
			return nil, fmt.Errorf("template %q is not closed", t)
		}
		names, pad, padded := strings.Cut(t[open+1:end], ":")
		p := piece{names: strings.Split(names, "|")}
		if padded {
			var err error
			if p.pad, err = strconv.Atoi(pad); err != nil {
				return nil, fmt.Errorf("template %q: %w", t, err)
			}
		}
		out, t = append(out, p), t[end+1:]
	}
	return out, nil
}

// row converts a record. path holds the fields taken from the file's path. The error is a reason to refuse the record.
func (c *converter) row(rec record, path map[string]string, srid int) ([]any, error) {
	out := make([]any, 0, len(c.columns)+3)
	for i := range c.columns {
		v, err := c.value(&c.columns[i], rec.fields, path)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if c.geometry == nil {
		return out, nil
	}
	shape, err := c.shape(rec, srid)
	if err != nil {
		return nil, err
	}
	if shape == nil && !c.geometry.Optional {
		return nil, errors.New("it has no geometry")
	}
	if shape == nil {
		return append(out, nil), nil
	}
	return append(out, shape), nil
}

func (c *converter) value(col *column, f fields, path map[string]string) (any, error) {
	if col.Kind == source.TextList {
		return c.textList(col, f)
	}
	text := c.find(col, f, path)
	if text == "" {
		if col.Required {
			return nil, fmt.Errorf("it has no %s", col.Name)
		}
		return nil, nil
	}
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("its %s is not text", col.Name)
	}
	text = padLeft(text, col.Pad)
	if col.match != nil && !col.match.MatchString(text) {
		return nil, fmt.Errorf("its %s %s is not of the form %s", col.Name, excerpt(text), col.Match)
	}
	v, err := c.parse(col.Kind, text)
	if err != nil {
		return nil, fmt.Errorf("its %s %s %w", col.Name, excerpt(text), err)
	}
	return v, nil
}

// find gives the text of a column, empty when the record has none.
func (c *converter) find(col *column, f fields, path map[string]string) string {
	for _, name := range col.From {
		if text, there := f.text(name); there {
			return c.meant(text)
		}
	}
	var b strings.Builder
	for _, p := range col.template {
		text := p.literal
		if p.names != nil {
			if text = c.part(p, f, path); text == "" {
				return ""
			}
		}
		b.WriteString(text)
	}
	return b.String()
}

// part fills one place of a template. Of several fields the first that holds something is taken: zeros alone in a
// field that has alternatives after it stand for nothing, as in the arrondissement of a commune that has none.
func (c *converter) part(p piece, f fields, path map[string]string) string {
	for i, name := range p.names {
		text, there := path[name]
		if !there {
			text, _ = f.text(name)
		}
		text = c.meant(text)
		if text == "" || i < len(p.names)-1 && strings.Trim(text, "0") == "" {
			continue
		}
		return padLeft(text, p.pad)
	}
	return ""
}

// meant trims a cell and empties the tokens that mean nothing.
func (c *converter) meant(text string) string {
	text = strings.TrimSpace(text)
	if slices.Contains(c.spec.Nulls, text) {
		return ""
	}
	return text
}

func (c *converter) textList(col *column, f fields) (any, error) {
	for _, name := range col.From {
		if items, there := f.list(name); there {
			for _, item := range items {
				if !utf8.ValidString(item) || strings.IndexByte(item, 0) >= 0 {
					return nil, fmt.Errorf("its %s is not text", col.Name)
				}
			}
			return items, nil
		}
	}
	if col.Required {
		return nil, fmt.Errorf("it has no %s", col.Name)
	}
	return nil, nil
}

func (c *converter) parse(kind source.Kind, text string) (any, error) {
	switch kind {
	case source.Integer:
		v, err := c.number(text)
		if err != nil || v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
			return nil, errors.New("is not a whole number in range")
		}
		return int32(v), nil
	case source.Number:
		return c.number(text)
	case source.Date:
		return parseDate(text)
	case source.Boolean:
		switch strings.ToLower(text) {
		case "true", "t", "1", "oui", "o", "vrai":
			return true, nil
		case "false", "f", "0", "non", "n", "faux":
			return false, nil
		}
		return nil, errors.New("is neither yes nor no")
	default:
		return text, nil
	}
}

// blanks are what French files put between the digits of long numbers.
var blanks = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "")

func (c *converter) number(text string) (float64, error) {
	text = blanks.Replace(text)
	if c.spec.Decimal == "," {
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || strings.ContainsAny(text, "xX_") {
		return 0, errors.New("is not a number")
	}
	return v, nil
}

func parseDate(text string) (any, error) {
	for _, layout := range []string{time.DateOnly, "02/01/2006", "20060102", time.RFC3339} {
		t, err := time.Parse(layout, text)
		if err == nil && t.Year() >= 1000 {
			return t, nil
		}
	}
	return nil, errors.New("is not a date")
}

func padLeft(text string, width int) string {
	if missing := width - utf8.RuneCountInString(text); missing > 0 {
		return strings.Repeat("0", missing) + text
	}
	return text
}

// excerpt quotes what a file holds, cut to a readable length.
func excerpt(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return strconv.Quote(text)
}
