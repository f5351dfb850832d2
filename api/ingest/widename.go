package ingest

import (
	"fmt"
	"strconv"
	"strings"
)

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
func (w *wideReader) fixed(template []piece, groups map[string]string) []piece {
	var out []piece
	for _, p := range template {
		for _, name := range p.names {
			text, there := groups[name]
			if !there {
				text, there = w.path[name]
			}
			if there {
				if name == "yy" {
					text = century(text)
				}
				p = piece{literal: padLeft(text, p.pad)}
				break
			}
		}
		if last := len(out) - 1; p.names == nil && last >= 0 && out[last].names == nil {
			out[last].literal += p.literal
			continue
		}
		out = append(out, p)
	}
	return out
}

// filled puts the fields of a record into a template. One that is not there makes the whole empty.
func filled(template []piece, f fields) string {
	if len(template) == 1 && template[0].names == nil {
		return template[0].literal
	}
	var b strings.Builder
	for _, p := range template {
		if p.names == nil {
			b.WriteString(p.literal)
			continue
		}
		text := ""
		for _, name := range p.names {
			text, _ = f.text(name)
			if text = strings.TrimSpace(text); text != "" {
				break
			}
		}
		if text == "" {
			return ""
		}
		b.WriteString(padLeft(text, p.pad))
	}
	return b.String()
}

// written shows a template in a message.
func written(template []piece) string {
	var b strings.Builder
	for _, p := range template {
		b.WriteString(p.literal)
		if p.names != nil {
			b.WriteString("{" + strings.Join(p.names, "|") + "}")
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
