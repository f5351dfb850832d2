package format

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// TemplatePart is a part of a template: a literal, or a field (the first of Names that is there) padded to Pad.
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
	if missing := width - utf8.RuneCountInString(text); missing > 0 {
		return strings.Repeat("0", missing) + text
	}
	return text
}

// century completes a year of two digits.
func century(yy string) string {
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

// fixed puts into a template what the name of the column and the path of the file say.
func (w *unpivotReader) fixed(template []TemplatePart, groups map[string]string) []TemplatePart {
	var out []TemplatePart
	for _, p := range template {
		for _, name := range p.Names {
			text, there := groups[name]
			if !there {
				text, there = w.path[name]
			}
			if there {
				if name == "yy" {
					text = century(text)
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

// filled puts the fields of a record into a template. One that is not there makes the whole empty.
func filled(template []TemplatePart, f Fields) string {
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

// written shows a template in a message.
func written(template []TemplatePart) string {
	var b strings.Builder
	for _, p := range template {
		b.WriteString(p.Literal)
		if p.Names != nil {
			b.WriteString("{" + strings.Join(p.Names, "|") + "}")
		}
	}
	return strconv.Quote(b.String())
}

// listed shows names in a message, the first of many.
func listed(names []string) string {
	const most = 40
	if len(names) > most {
		return fmt.Sprintf("%q and %d more", names[:most], len(names)-most)
	}
	return fmt.Sprintf("%q", names)
}
