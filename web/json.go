package web

import (
	"regexp"
	"strings"

	"github.com/a-h/templ"
)

// jsonToken matches a string with the colon after it, where it is a name; numbers in a row; and the other
// values.
var jsonToken = regexp.MustCompile(
	`"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*(?:,\s+-?\d[\d.eE+-]*)*|\b(?:true|false|null)\b`)

// IsJSON reports whether text is an object or a list.
func IsJSON(text string) bool { return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") }

// JSON renders a text with the names and values of JSON in colours; a text that is not JSON stays as it is.
func JSON(text string) templ.Component {
	if !IsJSON(text) {
		return templ.Raw(templ.EscapeString(text))
	}
	var b strings.Builder
	at := 0
	for _, m := range jsonToken.FindAllStringSubmatchIndex(text, -1) {
		class, end := "jn", m[1]
		switch {
		case m[2] >= 0:
			class, end = "jk", m[2]
		case text[m[0]] == '"':
			class = "js"
		}
		b.WriteString(templ.EscapeString(text[at:m[0]]))
		b.WriteString(`<span class="` + class + `">` + templ.EscapeString(text[m[0]:end]) + `</span>`)
		at = end
	}
	b.WriteString(templ.EscapeString(text[at:]))
	return templ.Raw(b.String())
}

// foldedLines is how many lines of an answer are in sight before it is unfolded.
const foldedLines = 24
