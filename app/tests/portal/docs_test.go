package portal_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// These need no account, and share an instance.
func TestPublicPages(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil).Service
	for name, test := range map[string]func(*testing.T, *fixture.Service){
		"documentation on a phone": testDocumentationOnAPhone, "missing page": testMissingPageOfDocumentation,
		"search": testSearchWhileTyping, "shifts": testPagesDoNotShift, "console": testConsoleInPlaceWithoutAnAccount,
		"locating": testLocatingOnTheMap, "explorer on a phone": testExplorerOnAPhone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s.For(t))
		})
	}
}

// A reader on a phone opens the list of pages and chooses the language of the examples, with scripts and
// without. With them the language is remembered on the next page, and a link to a folded key unfolds it.
func testDocumentationOnAPhone(t *testing.T, s *fixture.Service) {
	t.Helper()
	const python = `.langs [data-language="python"] pre`
	for _, o := range []browserOptions{{width: 390, language: "en"}, {width: 390, language: "en", dark: true, noScript: true}} {
		b := newBrowser(t, s.Base, o)
		b.open("/docs")
		b.run(chromedp.WaitNotVisible("#docs-pages", chromedp.ByQuery), chromedp.Click(".docs-menu", chromedp.ByQuery),
			chromedp.WaitVisible(`#docs-pages a[aria-current="page"]`, chromedp.ByQuery))
		b.picture("docs-menu-" + o.name())
		b.run(chromedp.Click(".docs-close", chromedp.ByQuery),
			chromedp.WaitNotVisible("#docs-pages", chromedp.ByQuery))
		b.open("/docs#50%")
		b.run(chromedp.WaitNotVisible(python, chromedp.ByQuery),
			chromedp.Click(`.langs label:has([value="python"])`, chromedp.ByQuery), chromedp.WaitVisible(python, chromedp.ByQuery))
		if o.noScript {
			continue
		}
		b.judge("/docs")
		b.open("/docs/reference/get_parcel_enrichments#enrichments.radon")
		b.run(chromedp.WaitVisible(python, chromedp.ByQuery), chromedp.WaitVisible(`[id="enrichments.radon"]`, chromedp.ByQuery))
		b.judge("/docs/reference/get_parcel_enrichments")
	}
}

// An address of the documentation that is not there leaves the reader in its list of pages, with one search.
func testMissingPageOfDocumentation(t *testing.T, s *fixture.Service) {
	t.Helper()
	p := testkit.NewBrowser(t, s.Base).Get("/docs/nothing", "Accept", "text/html", "Accept-Language", "en")
	p.Want(http.StatusNotFound, "There is no such page", "Client libraries")
	if p.Find("nav.side a").Length() == 0 || p.Find("#search").Length() != 1 {
		t.Error("the page lacks the list of the documentation, or has two searches")
	}
}
