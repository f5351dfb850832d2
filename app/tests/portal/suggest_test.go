package portal_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// A visitor who types an address chooses a suggestion from the keyboard, in the explorer and on the first
// page: arrow keys move through the list of the combobox, Escape closes it and keeps the text, Enter shows
// the place.
func TestSuggestionsAreChosenFromTheKeyboard(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	reader := s.Browser()
	const asked = "/explore/suggest?q=bond"
	s.Until(func() bool { return strings.Contains(reader.Get(asked).Body, "Bondy") })
	screens := []browserOptions{{language: "en", dark: true, width: 390}, {language: "fr", width: 1440},
		{language: "fr", width: 768}}
	screens = screens[:testkit.Rounds(2, len(screens))]
	for _, page := range []struct{ path, field, list, shows, text string }{
		{"/explore", "#q", "#q-suggestions", "#found", "Bondy 93010"},
		{"/", "#adresse", "#adresse-suggestions", "#found", "Bondy 93010"},
	} {
		for _, o := range screens {
			b := newBrowser(t, s.Base, o)
			b.run(screen(o.width))
			b.open(page.path)
			first := page.list + " li:first-child"
			b.run(chromedp.SendKeys(page.field, "bond", chromedp.ByQuery), chromedp.WaitVisible(first, chromedp.ByQuery))
			state := func() (text string) {
				b.run(chromedp.Evaluate(`(() => { const f = document.querySelector("`+page.field+`");
					return [f.value, f.getAttribute("aria-expanded"), f.getAttribute("aria-activedescendant"),
						document.querySelectorAll("[role=option][aria-selected=true]").length].join(" ") })()`, &text))
				return text
			}
			list := strings.TrimPrefix(page.list, "#")
			if got := b.text(page.list + " + [role=status]"); got != "1 suggestion" {
				t.Errorf("%s: a screen reader hears %q", page.path, got)
			}
			for _, step := range []struct{ key, want string }{
				{kb.ArrowDown, "bond true " + list + "-0 1"}, {kb.ArrowUp, "bond true  0"},
				{kb.Escape, "bond false  0"}, {kb.ArrowDown, "bond true " + list + "-0 1"},
			} {
				b.run(chromedp.KeyEvent(step.key))
				if got := state(); got != step.want {
					t.Errorf("%s: the field is %q; want %q", page.path, got, step.want)
				}
			}
			if o.dark { // the other screens show the same elements
				b.judge(page.path)
			}
			b.picture("suggest" + strings.ReplaceAll(page.path, "/", "-") + "-" + o.name())
			if pixels := b.overflow(); pixels > 0 {
				t.Errorf("%s: %d pixels wider than a screen of %d", page.path, pixels, o.width)
			}
			b.run(chromedp.KeyEvent(kb.Enter))
			b.until("the place is shown", func() bool {
				return strings.HasPrefix(b.text(page.shows+" h2, "+page.shows+" a"), page.text)
			})
			if page.path == "/explore" { // the first page leads there
				if got := state(); got != "Bondy, Seine-Saint-Denis false  0" {
					t.Errorf("%s: the field is %q after the choice", page.path, got)
				}
			}
			b.picture("chosen" + strings.ReplaceAll(page.path, "/", "-") + "-" + o.name())
		}
	}
}
