package mail

import (
	"fmt"
	"html"
	"strings"
)

// parts is a message before it is laid out. Nothing in it is markup.
type parts struct {
	voice               *voice
	language, service   string
	subject             string
	body, after, footer [][]span
	facts               []fact
	button, target      string
	single              bool // the button leads to a single-use link, which can also be copied
}

// text lays the message out for a reader of plain text.
func (p parts) text() string {
	var b strings.Builder
	b.WriteString(p.voice.greeting + "\n")
	for _, spans := range p.body {
		b.WriteString("\n" + join(spans) + "\n")
	}
	if p.button != "" {
		b.WriteString("\n" + p.button + p.voice.colon + "\n" + p.target + "\n")
	}
	if len(p.facts) > 0 {
		b.WriteString("\n")
	}
	for _, f := range p.facts {
		b.WriteString(f.label + p.voice.colon + " " + f.value + "\n")
	}
	for _, spans := range p.after {
		b.WriteString("\n" + join(spans) + "\n")
	}
	b.WriteString("\n-- \n" + p.service + "\n") // the signature mark that readers know
	for _, spans := range p.footer {
		b.WriteString(join(spans) + "\n")
	}
	return b.String()
}

// Mail readers drop style sheets; what matters stands inline, and the sheet only serves those that know dark pages.
const pageHead = `<!doctype html>
<html lang="%s">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>%s</title>
<style>
@media (prefers-color-scheme: dark) {
  .paper { background: #0f1d20 !important; color: #f1ece0 !important; }
  .line { border-color: #3a4a4c !important; }
  .soft { color: #b3bfbf !important; }
  .button { background: #e0a04a !important; color: #0f1d20 !important; }
  .paper a.link { color: #e0a04a !important; }
}
</style>
</head>
<body class="paper" style="margin:0;padding:0;background:#faf7f0;color:#13262a;font:16px/1.6 'Source Sans 3','Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif">
<div style="max-width:560px;margin:0 auto;padding:32px 20px">
<p class="line" style="margin:0 0 24px;padding:0 0 12px;border-bottom:1px solid #d8d6cf;font-weight:600">%s</p>
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:600">%s</h1>
`

const (
	paragraphStyle = `<p style="margin:0 0 16px">`
	smallStyle     = `<p class="soft" style="margin:0 0 8px;font-size:14px;line-height:1.5;color:#46585b">`
	linkStyle      = `<a class="link" style="color:#9c5a0a" href="`
	buttonStyle    = `<p style="margin:24px 0"><a class="button" style="display:inline-block;padding:12px 20px;border-radius:6px;background:#9c5a0a;color:#ffffff;font-weight:600;text-decoration:none" href="`
)

// html lays the message out as a page: no table, no picture, nothing fetched.
func (p parts) html() string {
	var b strings.Builder
	esc := html.EscapeString
	fmt.Fprintf(&b, pageHead, esc(p.language), esc(p.subject), esc(p.service), esc(p.subject))
	paragraphs := func(open string, all [][]span) {
		for _, spans := range all {
			b.WriteString(open)
			for _, s := range spans {
				if s.href != "" {
					b.WriteString(linkStyle + esc(s.href) + `">` + esc(s.text) + "</a>")
					continue
				}
				b.WriteString(esc(s.text))
			}
			b.WriteString("</p>\n")
		}
	}
	paragraphs(paragraphStyle, [][]span{{{text: p.voice.greeting}}})
	paragraphs(paragraphStyle, p.body)
	if p.button != "" {
		b.WriteString(buttonStyle + esc(p.target) + `">` + esc(p.button) + "</a></p>\n")
	}
	if p.single {
		b.WriteString(smallStyle + esc(p.voice.copyLink) + `<br>` + linkStyle + esc(p.target) +
			`"><span style="word-break:break-all">` + esc(p.target) + "</span></a></p>\n")
	}
	if len(p.facts) > 0 {
		b.WriteString(`<p class="line" style="margin:20px 0;padding:12px 16px;border:1px solid #d8d6cf;border-radius:6px">`)
		for i, f := range p.facts {
			if i > 0 {
				b.WriteString("<br>\n")
			}
			b.WriteString(`<span class="soft" style="color:#46585b">` + esc(f.label+p.voice.colon) + "</span> " + esc(f.value))
		}
		b.WriteString("</p>\n")
	}
	if len(p.after) > 0 {
		b.WriteString(`<div style="margin:20px 0 0">` + "\n")
		paragraphs(paragraphStyle, p.after)
		b.WriteString("</div>\n")
	}
	b.WriteString(`<div class="line" style="margin:32px 0 0;padding:16px 0 0;border-top:1px solid #d8d6cf">` + "\n")
	paragraphs(smallStyle, p.footer)
	b.WriteString("</div>\n</div>\n</body>\n</html>\n")
	return b.String()
}
