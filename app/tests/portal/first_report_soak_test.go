//go:build soak

package portal_test

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// A person who types five keys a second, reads four seconds before each click and needs ten to find the mail.
const (
	perKey          = time.Second / 5
	beforeClick     = 4 * time.Second
	toTheMail       = 10 * time.Second
	maxFirstReport  = 90 * time.Second
	maxClicks       = 6 // see TestFirstMinute
	soakAddress     = "jeanne@exemple.fr"
	emailField      = `form[action^="/signup"] [name=email]`
	focusedIsTheBox = `document.activeElement === document.querySelector('form[action^="/signup"] [name=email]')`
)

// person is a browser with a person in front of it. Without scripts the page is not
// asked which field has the focus.
type person struct {
	*browser
	clicks int
}

func (p *person) click(selector string) {
	p.t.Helper()
	time.Sleep(beforeClick)
	p.clicks++
	p.run(chromedp.Click(selector, chromedp.ByQuery))
}

// next clicks, and waits for another page.
func (p *person) next(selector string) {
	p.t.Helper()
	p.mark()
	p.click(selector)
	p.another()
}

func (p *person) types(text string) {
	p.t.Helper()
	for _, key := range text {
		p.run(chromedp.KeyEvent(string(key)))
		time.Sleep(perKey)
	}
}

// From the first page to a report of one's own takes less than a minute and a half, with scripts and without.
func TestSoakFirstReport(t *testing.T) {
	for name, o := range map[string]browserOptions{"French, phone": {language: "fr", width: 390}, "English": {language: "en"},
		"French, no scripts": {language: "fr", noScript: true}} {
		t.Run(name, func(t *testing.T) {
			s := fixture.Portal(t, nil)
			s.Exec(sheetful)
			reader := s.Browser()
			s.Until(func() bool { return reader.Get("/").Find("#demo .report").Length() == 1 })
			p := &person{browser: newBrowser(t, s.Base, o)}
			begun := time.Now()
			p.open("/")
			p.next(`main a[href^="/signup"]`)
			p.toEmailField()
			p.types(soakAddress + kb.Tab + fixture.Password)
			p.next(`form[action^="/signup"] button:not([type=button])`)
			time.Sleep(toTheMail)
			p.clicks++ // the link in the mail
			p.open(s.Link(soakAddress, "confirm"))
			p.next(`form[action^="/confirm/"] button`)
			p.next(`form[action="/account/keys/new"] button`)
			shownKey(p.browser)
			if o.noScript {
				p.runInAnotherTab()
			} else {
				p.click("#run")
				p.run(chromedp.WaitVisible("#ran .report", chromedp.ByQuery))
			}
			took := time.Since(begun)
			t.Logf("%s, %d clicks", took.Round(100*time.Millisecond), p.clicks)
			if took > maxFirstReport || p.clicks > maxClicks {
				t.Errorf("the first report takes %s and %d clicks", took, p.clicks)
			}
		})
	}
}

// toEmailField clicks into the field, unless the page has the cursor there.
func (p *person) toEmailField() {
	p.t.Helper()
	there := false
	time.Sleep(beforeClick)
	p.run(chromedp.Evaluate(focusedIsTheBox, &there))
	if !there {
		p.click(emailField)
	}
}

// runInAnotherTab is what the form does without scripts, as the page that shows the key must stay.
func (p *person) runInAnotherTab() {
	p.t.Helper()
	opened := chromedp.WaitNewTarget(p.ctx, func(i *target.Info) bool { return i.Type == "page" })
	p.click("#run")
	tab, cancel := chromedp.NewContext(p.ctx, chromedp.WithTargetID(<-opened))
	defer cancel()
	testkit.NoError(p.t, chromedp.Run(tab, chromedp.WaitVisible("main .report", chromedp.ByQuery)))
}
