package reference

import (
	"fmt"
	"strings"

	"arpent/api"
	"arpent/api/recorded"
	"arpent/web"
)

// Markdown is all pages in one text.
func (p *Pages) Markdown() string {
	var b strings.Builder
	for _, o := range p.operations {
		b.WriteString(o.markdownText() + "\n")
	}
	return b.String()
}

// indexText is the index.
func (p *Pages) indexText() string {
	var b strings.Builder
	b.WriteString("# API reference\n")
	for _, g := range (view{operations: p.operations}).operationGroups() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", g.Tag, g.About)
		for _, o := range g.Operations {
			fmt.Fprintf(&b, "- [`GET %s%s`](%s.md): %s\n", api.Root, o.Path, o.pagePath(), o.Summary)
		}
	}
	return b.String()
}

func (o operation) markdownText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n`GET %s%s` (%s)\n\n%s\n", o.Summary, api.Root, o.Path, o.Name, o.Description)
	b.WriteString("\n## Example\n\n```sh\n" + web.RequestSnippets(o.URL)[0].Code +
		"\n```\n\nAnswer, lists shortened:\n\n```json\n" + recorded.Excerpt(o.Recorded, nil) + "\n```\n")
	b.WriteString("\n## Parameters\n\n")
	if len(o.Parameters) == 0 {
		b.WriteString("None.\n")
	}
	for _, f := range o.Parameters {
		fmt.Fprintf(&b, "- `%s` (%s): %s %s\n", f.Name, f.typeText(), f.Doc, f.Note)
	}
	b.WriteString("\n## Answer\n")
	for _, a := range o.Answers {
		b.WriteString("\n")
		if len(o.Answers) > 1 {
			b.WriteString("### " + a.Type + "\n\n")
		}
		if a.Elsewhere != "" {
			fmt.Fprintf(&b, "Its fields are those of [%s](%s/%s.md).\n", a.Elsewhere, Path, a.Elsewhere)
		}
		writeFields(&b, a.Fields, "")
	}
	b.WriteString("\n## Statuses\n\n")
	for _, s := range o.Statuses {
		fmt.Fprintf(&b, "- %s: %s\n", s.statusText(), s.About)
		for _, body := range s.Bodies {
			b.WriteString("  ```json\n  " + strings.ReplaceAll(body, "\n", "\n  ") + "\n  ```\n")
		}
	}
	return b.String()
}

// writeFields writes a list with the members of each field below it.
func writeFields(b *strings.Builder, fields []field, indent string) {
	for _, f := range fields {
		parts := []string{f.Doc, f.Note}
		if f.SameAs != "" {
			parts = append(parts, "Has the members of "+f.SameAs+".")
		}
		if n := len(f.Sources); n > 0 {
			parts = append(parts, web.English.Count(n, "source", "source")+": "+strings.Join(f.Sources, "; ")+".")
		}
		text := strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
		b.WriteString(strings.TrimSuffix(indent+"- `"+f.Name+"` ("+f.typeText()+"): "+text, ": ") + "\n")
		writeFields(b, f.Members, indent+"  ")
	}
}
