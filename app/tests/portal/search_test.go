package portal_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"arpent/app/dev/fixture"
)

// A reader of the documentation finds a field from the keyboard alone: "/" leads to the search, what is found
// shows while it is typed, the arrows lead to it and Enter opens it. On the page of results they follow what
// is typed, and its address leads back to them.
func testSearchWhileTyping(t *testing.T, s *fixture.Service) {
	t.Helper()
	b := newBrowser(t, s.Base, browserOptions{language: "en"})
	b.open("/docs/addresses")
	// the key itself would be typed too: the browser's driver sends its letter apart
	if focused := evaluate[string](b, `document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true})); document.activeElement.id`); focused != "search" {
		t.Fatalf("the slash leads to %q", focused)
	}
	b.run(chromedp.SendKeys("#search", "namesakes", chromedp.ByQuery), chromedp.WaitVisible(".found .results a", chromedp.ByQuery))
	b.judge("/docs/addresses")
	var href string
	b.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.Evaluate(`document.activeElement.getAttribute("href")`, &href))
	if !strings.HasPrefix(href, "/docs/") {
		t.Fatalf("an arrow leads to %q", href)
	}
	b.run(chromedp.KeyEvent(kb.Enter))
	path, _, _ := strings.Cut(href, "#")
	b.until("the page that was found", func() bool { return strings.HasPrefix(b.where(), s.Base+path) })

	b.open("/docs/search?q=zzz")
	b.run(chromedp.Evaluate(`window.here = true; document.getElementById("search").value = ""`, nil),
		chromedp.SendKeys("#search", "population", chromedp.ByQuery), chromedp.WaitVisible("#found .results a", chromedp.ByQuery),
		chromedp.Poll(`window.here && location.search.includes("q=population")`, nil, chromedp.WithPollingTimeout(browserTimeout)))
}
