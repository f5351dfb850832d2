package web_test

import (
	"context"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"arpent/app/dev/testkit"
	"arpent/web"
)

// Colours change no character of an answer: what is copied is what was answered.
func TestJSONInColoursIsTheSameText(t *testing.T) {
	t.Parallel()
	for text, spans := range map[string]int{
		`{"a": "x: <b>\"y\"</b>", "b": null, "c": -1.5e3}`: 6,
		"[\n  [2.47, 48.9], [true]\n]":                     2,
		"… and 3 more":                                     0,
		`curl "https://x/?a=1&b=2"`:                        0,
	} {
		var b strings.Builder
		testkit.NoError(t, web.JSON(text).Render(context.Background(), &b))
		page, err := goquery.NewDocumentFromReader(strings.NewReader("<pre><code>" + b.String() + "</code></pre>"))
		testkit.NoError(t, err)
		if got := page.Find("code").Text(); got != text || page.Find("span").Length() != spans {
			t.Errorf("%q became %q with %d spans", text, got, page.Find("span").Length())
		}
	}
}
