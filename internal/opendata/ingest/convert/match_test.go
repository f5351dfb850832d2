package convert_test

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"arpent/internal/opendata/ingest/convert"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// A code is accepted exactly when the expression of its column matches
// it, also where it is compared place by place.
func TestCodesAreMatchedAsByTheirExpressions(t *testing.T) {
	t.Parallel()
	expressions := map[string]bool{
		"": false, "a": false, "ab|cd": false, "(?:a|b)[0-9]{2}": false, "(?i)ab": false, "[^a]": false, "é[0-9]": false, "[0-9]+": false, "a?b": false,
		"a|": false, "(a|bc){2}": false, ".": false, "[[:alpha:]]9": false, "a$|b": false, `\d{2}\w`: false, "(|a)b": false,
	}
	for _, s := range topic.Sources() {
		for _, c := range s.Columns {
			expressions[c.Match] = false
		}
	}
	for _, expr := range []string{source.IDU, "[0-9]{14}", "[0-9]{9}", "[0-9][0-9AB][0-9]{3}"} {
		expressions[expr] = true
	}
	const letters = "0129ABab9Zéx-\n "
	draw := rand.New(rand.NewPCG(1, 2))
	for expr, code := range expressions {
		whole := regexp.MustCompile(`^(?:` + expr + `)$`)
		m, isCode := convert.NewMatcher(t, expr)
		if code && !isCode {
			t.Errorf("%s is not compared place by place", expr)
		}
		matched := 0
		for range 3000 {
			text := []byte(oneOf(draw, "", "a", "ab", "cd", "A12", "b34", "01", "2A0040000A0012", "750010000AB0001", "75001000AB00012", "12345678901234", "123456789", "01001", "2B004", "97105"))
			for range draw.IntN(3) {
				at, c := draw.IntN(len(text)+1), letters[draw.IntN(len(letters))]
				switch {
				case at == len(text):
					text = append(text, c)
				case draw.IntN(4) == 0:
					text = append(text[:at], text[at+1:]...)
				default:
					text[at] = c
				}
			}
			want := whole.Match(text)
			if want {
				matched++
			}
			if got := m(string(text)); got != want {
				t.Fatalf("%s of %q: %t", expr, text, got)
			}
		}
		if code && matched < 10 {
			t.Errorf("%s was matched by %d texts", expr, matched)
		}
	}
}

func oneOf(draw *rand.Rand, texts ...string) string { return texts[draw.IntN(len(texts))] }
