package checks_test

import (
	"regexp"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// anAnswer is a recorded answer in the README: its file below api/recorded, and the lines that show it.
var anAnswer = regexp.MustCompile(`(?m)^<!-- answer (\S+) -->\n\n((?:    .+\n)+)`)

// The first calls of the README show what the service answers, as it was recorded last.
func TestReadmeShowsRecordedAnswers(t *testing.T) {
	t.Parallel()
	text := projectFile(t, "README.md")
	if shown := len(anAnswer.FindAllString(text, -1)); shown != 2 {
		t.Fatalf("%d answers found: the form of the README has changed", shown)
	}
	want := anAnswer.ReplaceAllStringFunc(text, func(block string) string {
		name := anAnswer.FindStringSubmatch(block)[1]
		recorded := strings.TrimSpace(projectFile(t, "api/recorded/answers/"+name))
		return "<!-- answer " + name + " -->\n\n" + indentJSON(recorded)
	})
	testkit.Golden(t, "../../../../README.md", []byte(want)) // next to testdata
}

// indentJSON breaks compact JSON into indented lines of up to 110 characters, between its members.
func indentJSON(compact string) string {
	var out strings.Builder
	line, piece, quoted := "    ", "", false
	for i, r := range compact {
		piece += string(r)
		if r == '"' && compact[max(i-1, 0)] != '\\' {
			quoted = !quoted
		}
		switch {
		case quoted || r != ',' && r != ':' && i < len(compact)-1:
			continue
		case r == ':':
			piece += " "
			continue
		}
		if len([]rune(line+piece)) > 110 {
			out.WriteString(strings.TrimRight(line, " ") + "\n")
			line = "     "
		}
		line, piece = line+piece+" ", ""
	}
	return out.String() + strings.TrimRight(line, " ") + "\n"
}

// Lines break between members alone, whatever the texts hold.
func TestIndentJSON(t *testing.T) {
	t.Parallel()
	member := `"text":"é, \"x\": ` + strings.Repeat("y", 60) + `"`
	got := indentJSON(`{` + member + `,` + member + `,` + member + `}`)
	spaced := strings.Replace(member, `":"`, `": "`, 1)
	if want := "    {" + spaced + ",\n     " + spaced + ",\n     " + spaced + "}\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
