package portal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"arpent/app/dev/fixture"
)

// sheetful is a hundred parcels of a section, as many as a sheet needs, in the commune for which most
// is loaded, and the notification of a load.
const sheetful = `
INSERT INTO geo.parcelle (idu, contenance, feuille, geom)
SELECT '93010000AB' || to_char(n, 'FM0000'), 300 + n, 1, ST_Multi(ST_MakeEnvelope(2.53 + x, 48.93 + y, 2.5302 + x, 48.9302 + y, 4326))
FROM generate_series(1, 100) n, LATERAL (SELECT (n % 10) * 0.0002 x, (n / 10) * 0.0002 y) at;
INSERT INTO geo.coverage (layer, area, load_id) SELECT 'qpv', '93010', max(id) FROM geo.load;
UPDATE geo.parcelle_commune SET vintage = '2025-02-01' WHERE code = '93010';
SELECT pg_notify('arpent_geo', 'test')`

// shown waits until the page shows a parcel, and returns its name.
func (b *browser) shown(than string) (title string) {
	b.t.Helper()
	deadline := time.Now().Add(browserTimeout)
	for {
		b.run(chromedp.Text("#demo h2", &title, chromedp.ByQuery))
		if title != "" && title != than { // empty: read while the part was replaced
			return title
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("the page still shows %s:\n%s", title, b.excerpt())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// A visitor who chooses another parcel reads its report in place: the page is not loaded anew,
// does not jump, and leaves the keyboard where it was; the address of the page leads back to what is
// shown. Without scripts the same forms load it.
func TestLandingUpdatesInPlace(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	s.Exec(sheetful)
	reader := s.Browser()
	s.Until(func() bool { return reader.Get("/").Find("#demo .report").Length() == 1 })
	b := newBrowser(t, s.Base, browserOptions{language: "en"})
	b.open("/")
	b.judge("/")
	if stops := evaluate[int](b, `[...document.querySelectorAll("#plan a, #plan select, #plan button")].filter(e => e.tabIndex >= 0).length`); stops != 2 {
		t.Errorf("the plan has %d tab stops", stops)
	}
	var scrolled, now float64
	var mark bool
	var at, focus string
	state := chromedp.Tasks{chromedp.Evaluate(`window.here === true`, &mark), chromedp.Evaluate(`scrollY`, &now), chromedp.Location(&at),
		chromedp.Evaluate(`document.activeElement.id || document.activeElement.tagName`, &focus)}
	check := func(what, place, focused string) {
		t.Helper()
		b.run(state)
		if !mark || now != scrolled || !strings.Contains(at, place) || focus != focused {
			t.Errorf("%s: loaded anew %t, scrolled from %v to %v, at %s, focus on %s", what, !mark, scrolled, now, at, focus)
		}
	}
	first := b.shown("")
	b.run(chromedp.Evaluate(`window.here = true; scrollTo(0, 60); 0`, nil), chromedp.Evaluate(`scrollY`, &scrolled),
		chromedp.Focus("#parcelle", chromedp.ByQuery), chromedp.WaitReady("script#htmx", chromedp.ByQuery),
		chromedp.Poll(`window.htmx && document.querySelector("#plan form[data-htmx-powered]") !== null`, nil, chromedp.WithPollingTimeout(0)),
		chromedp.SetValue("#parcelle", "93010000AB0043", chromedp.ByQuery), chromedp.Focus("#voir", chromedp.ByQuery), chromedp.SendKeys("#voir", kb.Enter, chromedp.ByQuery))
	second := b.shown(first)
	check("chosen in the list", "parcelle=93010000AB0043", "voir")
	b.run(chromedp.Evaluate(`document.querySelector('#plan a[data-parcel="93010000AB0044"] path').dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true})); 0`, nil))
	third := b.shown(second)
	b.run(chromedp.WaitVisible("#demo [data-print]", chromedp.ByQuery)) // also in what was replaced
	check("chosen on the plan", "parcelle=93010000AB0044", "voir")
	var said, chosen string
	b.run(chromedp.Text("#said", &said, chromedp.ByQuery), chromedp.Value("#parcelle", &chosen, chromedp.ByQuery))
	if strings.TrimSpace(said) != strings.TrimSpace(third) || chosen != "93010000AB0044" {
		t.Errorf("%q is shown, %q is said, %s is chosen", third, said, chosen)
	}
	plain := newBrowser(t, s.Base, browserOptions{language: "en", noScript: true})
	plain.open("/")
	plain.run(chromedp.SetValue("#parcelle", "93010000AB0044", chromedp.ByQuery))
	plain.press("#voir")
	if got := plain.shown(""); got != third {
		t.Errorf("without scripts %q is shown", got)
	}
}
