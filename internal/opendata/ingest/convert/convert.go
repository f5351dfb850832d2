// Package convert turns the records of a file into the values of a staging table: text into numbers, dates
// and lists, and whatever stands for a shape into EWKB.
package convert

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"arpent/internal/opendata/ingest/format"
	"arpent/internal/opendata/source"
)

// Converter turns the records of a source into rows of its staging table.
type Converter struct {
	columns  []column
	geometry *source.Geometry
	spec     source.Read
}

type column struct {
	source.Column
	match    *regexp.Regexp // nil: any text
	template []format.TemplatePart
}

// New checks a source's columns. Those computed by SQL are not its business.
func New(s source.Source) (*Converter, error) {
	c := &Converter{geometry: s.Geometry, spec: s.Read}
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
		if col.template, err = format.ParseTemplate(spec.Template); err != nil {
			return nil, fmt.Errorf("column %s of %s: %w", spec.Name, s.Name, err)
		}
		c.columns = append(c.columns, col)
	}
	return c, nil
}

// Columns are those that AppendRow gives values of, with their kinds. The shape comes after them.
func (c *Converter) Columns() []source.Column {
	out := make([]source.Column, len(c.columns))
	for i, col := range c.columns {
		out[i] = col.Column
	}
	return out
}

// AppendRow appends the values of a record. path holds the fields taken from the file's path, named is the
// projection that the file names. The error is a reason to refuse the record.
func (c *Converter) AppendRow(
	out []any, rec format.Record, path map[string]string, named int) ([]any, error) {
	for i := range c.columns {
		v, err := c.convertValue(&c.columns[i], rec.Fields, path)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if c.geometry == nil {
		return out, nil
	}
	shape, err := c.encodeGeometry(c.geometry, rec, path["scope"], named)
	if shape.wkb == nil && err == nil && c.geometry.Else != nil {
		shape, err = c.encodeGeometry(c.geometry.Else, rec, path["scope"], 0)
	}
	switch {
	case err != nil:
		return nil, err
	case shape.wkb != nil:
		out = append(out, shape.wkb)
	case c.geometry.Optional:
		out = append(out, nil) // not the nil slice, which would be a value
	default:
		return nil, errors.New("it has no geometry")
	}
	return out, nil
}

// missingError is the error of a row without a value of the column, where it needs one.
func (col *column) missingError() error {
	if col.Required {
		return fmt.Errorf("it has no %s", col.Name)
	}
	return nil
}

// isStorable reports whether the database can hold a text.
func isStorable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

func (c *Converter) convertValue(col *column, f format.Fields, path map[string]string) (any, error) {
	switch col.Kind {
	case source.TextList:
		for _, name := range col.From {
			items, there := f.List(name)
			if there && !slices.ContainsFunc(items, func(item string) bool { return !isStorable(item) }) {
				return items, nil
			}
			if there {
				return nil, fmt.Errorf("its %s is not text", col.Name)
			}
		}
		return nil, col.missingError()
	case source.Reals:
		if lists, ok := f.(format.RealFields); ok {
			for _, name := range col.From {
				if values, there := lists.Reals(name); there {
					return values, nil
				}
			}
		}
		return nil, col.missingError()
	}
	text := c.columnText(col, f, path)
	if _, listed := c.spec.Missing[text]; listed && col.Kind != source.Text {
		text = ""
	}
	if text == "" {
		return nil, col.missingError()
	}
	if !isStorable(text) {
		return nil, fmt.Errorf("its %s is not text", col.Name)
	}
	if col.FixMojibake {
		text = fixMojibake(text)
	}
	text = format.PadLeft(text, col.Pad)
	if col.match != nil && !col.match.MatchString(text) {
		return nil, fmt.Errorf("its %s %s is not of the form %s", col.Name, quoteExcerpt(text), col.Match)
	}
	if text = withoutPerson(col.Persons, text); text == "" {
		return nil, nil
	}
	v, err := c.parseValue(col.Kind, text)
	if err != nil {
		return nil, fmt.Errorf("its %s %s %w", col.Name, quoteExcerpt(text), err)
	}
	return v, nil
}

// columnText gives the text of a column, empty when the record has none. Of several fields in one place of a
// template the first that holds something is taken: zeros alone in a field that has alternatives after it
// stand for nothing, as in the arrondissement of a commune that has none.
func (c *Converter) columnText(col *column, f format.Fields, path map[string]string) string {
	for _, name := range col.From {
		if text, there := f.Text(name); there {
			return c.cleanCell(text)
		}
	}
	var b strings.Builder
	for _, p := range col.template {
		text := p.Literal
		for i, name := range p.Names {
			there := false
			if text, there = path[name]; !there {
				text, _ = f.Text(name)
			}
			text = c.cleanCell(text)
			if text != "" && (i == len(p.Names)-1 || strings.Trim(text, "0") != "") {
				text = format.PadLeft(text, p.Pad)
				break
			}
			text = ""
		}
		if p.Names != nil && text == "" {
			return ""
		}
		b.WriteString(text)
	}
	return b.String()
}

// cleanCell trims a cell and empties the tokens that mean nothing.
func (c *Converter) cleanCell(text string) string {
	text = strings.TrimSpace(text)
	if slices.Contains(c.spec.Nulls, text) {
		return ""
	}
	return text
}
