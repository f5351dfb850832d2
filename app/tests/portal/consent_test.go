package portal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// reached is whether a pointer gets through to a button of the page of consent.
const reached = `(b => { const r = b.getBoundingClientRect(); return document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2) === b })
	(document.querySelector('button[value=%q]'))`

// shown is when the buttons of the page of consent are no longer hidden.
const shown = `Promise.all(document.querySelector(".held").getAnimations().map(a => a.finished)).then(() => 0)`

// pageAge is for how many milliseconds the page has been there, from its first byte.
const pageAge = `performance.now() - performance.getEntriesByType("navigation")[0].responseStart`

// decide sends the form of the page of consent by one of its buttons, once the page has been there for longer
// than nothing is accepted. It needs no window in front, where alone pages are drawn and pointers hover.
func (b *browser) decide(decision string) {
	b.t.Helper()
	b.mark()
	testkit.Eventually(b.t, browserTimeout, "the page of consent has been there for a while", func() bool {
		var age float64
		b.run(chromedp.Evaluate(pageAge, &age))
		return age > 600
	})
	b.run(chromedp.Evaluate(fmt.Sprintf(`(b => b.form.requestSubmit(b))(document.querySelector('button[value=%q]')); 0`, decision), nil))
	b.another()
}

// point presses a button of the page of consent as a person does: once the
// pointer has been over the page for a moment.
func (b *browser) point(decision string) {
	b.t.Helper()
	var at struct{ X, Y float64 }
	b.run(cdppage.BringToFront(), chromedp.WaitVisible(".held button", chromedp.ByQuery),
		chromedp.Evaluate(`(r => ({X: r.left + 1, Y: r.top + 1}))(document.querySelector(".door-form h1").getBoundingClientRect())`, &at))
	b.run(input.DispatchMouseEvent(input.MouseMoved, at.X, at.Y))
	testkit.Eventually(b.t, browserTimeout, "the buttons are reached", func() (through bool) {
		b.run(chromedp.Evaluate(fmt.Sprintf(reached, decision), &through))
		return through
	})
	b.press(fmt.Sprintf(`button[value=%q]`, decision))
}

func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// clickBlindly clicks where the page of consent has its button, with a
// pointer that was never over the page before.
func (b *browser) clickBlindly(request, when string, wait chromedp.Action) {
	b.t.Helper()
	b.run(input.DispatchMouseEvent(input.MouseMoved, 0, 0))
	b.open(request)
	var seen struct {
		X, Y    float64
		Pointer bool
	}
	b.run(cdppage.BringToFront(), chromedp.Evaluate(`(b => {
		const r = b.getBoundingClientRect(); window.clicks = 0; b.addEventListener("click", () => window.clicks++)
		return {X: r.left + r.width / 2, Y: r.top + r.height / 2, Pointer: matchMedia("(hover: hover)").matches}
	})(document.querySelector('button[value="allow"]'))`, &seen), wait)
	if !seen.Pointer {
		b.t.Fatal("the browser has no pointer that hovers")
	}
	var clicks int
	b.run(chromedp.MouseClickXY(seen.X, seen.Y), chromedp.Evaluate(`window.clicks`, &clicks))
	if clicks != 0 || !strings.HasPrefix(b.where(), b.base+"/oauth/authorize") {
		b.t.Errorf("%s: the first click reaches the button: %d at %s", when, clicks, b.where())
	}
}

// A click that finds the page under the pointer, such as the second of a double click that
// closed the window above it, authorizes nothing; one of a person who has seen the page does.
// Without scripts, and for who wants less movement.
func TestConsentIsNotClickedThrough(t *testing.T) { // not in parallel: its window is in front
	s := fixture.Portal(t, nil)
	s.SignUp("jeanne@exemple.fr")
	a := newAssistant(s, "Claude", "127.0.0.1")
	b := newBrowser(t, s.Base, browserOptions{})
	b.signIn("jeanne@exemple.fr")
	for _, motion := range []string{"no-preference", "reduce"} {
		b.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: motion}}))
		b.clickBlindly(a.request(), motion+", as the page appears", chromedp.Evaluate(`0`, nil))
		b.clickBlindly(a.request(), motion+", on a page that waited behind a window", chromedp.Evaluate(shown, nil, awaited))
	}
	b.point("allow")
	b.must("Back at the assistant")
	if a.answer().Get("code") == "" {
		t.Error("the assistant has no code")
	}
}
