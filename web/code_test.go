package web_test

import (
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/web"
)

// A long address is broken between its parts, and copied without what breaks it. What it has of HTML is text.
func TestBreakable(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"jeanne.martin@exemple.fr":    "jeanne.|martin@|exemple.|fr",
		"https://exemple.fr/a_b?x=1&": "https://|exemple.|fr/|a_b?|x=|1&amp;",
		"_arpent.durand-fils.fr":      "_arpent.|durand-fils.|fr",
		"<b>é</b>":                    "&lt;b&gt;é&lt;/|b&gt;",
		"":                            "",
	} {
		var b strings.Builder
		testkit.NoError(t, web.Breakable(address).Render(t.Context(), &b))
		if got := strings.ReplaceAll(b.String(), "<wbr>", "|"); got != want {
			t.Errorf("%q is written %q, want %q", address, got, want)
		}
	}
}
