package mail

import "strings"

// parts is a message before it is laid out. Nothing in it is markup.
type parts struct {
	voice               *locale
	language, service   string
	subject             string
	body, after, footer [][]span
	facts               []fact
	button, target      string
	single              bool // the button leads to a single-use link, which can also be copied
}

// plainText lays the message out for a reader of plain text.
func (p parts) plainText() string {
	var b strings.Builder
	b.WriteString(p.voice.greeting + "\n")
	for _, spans := range p.body {
		b.WriteString("\n" + joinSpans(spans) + "\n")
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
		b.WriteString("\n" + joinSpans(spans) + "\n")
	}
	b.WriteString("\n-- \n" + p.service + "\n") // the signature mark that readers know
	for _, spans := range p.footer {
		b.WriteString(joinSpans(spans) + "\n")
	}
	return b.String()
}

// keepHyphen has "e-mail" stay on one line of a page. Plain text keeps the hyphen that readers search for.
func keepHyphen(s string) string { return strings.ReplaceAll(s, "e-mail", "e\u2011mail") }
