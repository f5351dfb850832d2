package portal_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// A visitor who has confirmed their address has a first report two clicks later: one makes a key, the other
// makes the call. It counts as any request does, and the key is where it is shown once, and nowhere else.
func TestFirstMinute(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	s.Exec(sheetful)
	reader := s.Browser()
	s.Until(func() bool { return reader.Get("/").Find("#demo .report").Length() == 1 })
	b := newBrowser(t, s.Base, browserOptions{language: "en", dark: true, width: 390})
	signUpInBrowser(b, s, "jeanne@exemple.fr")
	b.send("/account/keys/new")
	secret := shownKey(b)
	shown := len(*b.seen)
	var line string
	// Before its scripts have run the form opens a page of its own.
	b.run(chromedp.Poll(`document.querySelector("#run")?.closest("form").hasAttribute("data-htmx-powered")`, nil, chromedp.WithPollingTimeout(0)), chromedp.Text("#export", &line, chromedp.ByQuery))
	if line != "export ARPENT_KEY="+secret {
		t.Errorf("to be pasted: %q", line)
	}
	at := b.where()
	b.run(chromedp.Click("#run", chromedp.ByQuery), chromedp.WaitVisible("#ran .report", chromedp.ByQuery))
	if b.where() != at || shownKey(b) != secret {
		t.Errorf("the page that shows the key is left for %s", b.where())
	}
	if clicks := b.clicks + 2; clicks > 6 { // in addition, the link in the mail and the button of the call
		t.Errorf("%d clicks from the first page to a report", clicks)
	}
	b.judge(b.path())
	if used := s.Get("/api/v1", "X-API-Key", secret).Used(t); used != 2 {
		t.Errorf("%d requests are counted, of the call and of this one", used)
	}
	for _, path := range []string{"/account", "/account/keys", "/account/usage"} {
		b.open(path)
	}
	for i, html := range (*b.seen)[shown:] {
		if strings.Contains(html, secret) {
			t.Errorf("page %d after it shows the key again", i)
		}
	}
	nowhere(s, secret)
}

// Without scripts the same two forms do it. The second opens a page of its own, as the key
// is shown once; the call is held to the limits of the account and of the key; an account cannot run a
// key of another account, or one that has ended.
func TestFirstCallWithoutScripts(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	b := s.SignUp("jeanne@exemple.fr")
	made := b.Submit(b.Get("/account").Want(http.StatusOK), "/account/keys/new").Want(http.StatusCreated)
	secret := keyText.FindString(made.Text("#secret"))
	form := made.Find(`form[action$="/run"]`)
	run := form.AttrOr("action", "")
	if secret == "" || form.AttrOr("target", "") != "_blank" || strings.Contains(form.Text()+run, secret) || form.Find(`input:not([name=token])`).Length() != 0 {
		t.Fatal("the form holds more than it needs")
	}
	ran := b.Submit(made, run).Want(http.StatusOK, "200 OK.", "/api/v1/communes/75056") // no parcel is drawn here
	if strings.Contains(ran.Body, secret) || ran.Header.Get("Cache-Control") != "no-store" {
		t.Error("the answer holds the key, or may be kept")
	}
	testkit.Want(t, s.Get("/api/v1", "X-API-Key", secret).Used(t), 2, "requests are counted")
	s.SignUp("autre@exemple.fr").Post(run, nil).Want(http.StatusNotFound)
	b.Get(run).Want(http.StatusMethodNotAllowed)
	for range 20 {
		ran = b.Post(run, nil).Want(http.StatusOK)
		if strings.Contains(ran.Body, "rate_limited") {
			break
		}
	}
	if !strings.Contains(ran.Body, "429 rate_limited") {
		t.Errorf("the limits of the account do not hold:\n%s", ran.Text("main"))
	}
	s.Exec(`UPDATE account.api_key SET revoked_at = now() WHERE name = 'Première clé'`)
	s.Until(func() bool { return b.Post(run, nil).Status == http.StatusNotFound })
	// With scripts, the sentence shown instead of an answer is next to the button too.
	missing := b.Post(run, nil)
	s.Exec(`DELETE FROM account.session`)
	ended, signedOut := b.Get(b.Submit(made, run).Location()), b.Submit(made, run)
	for _, p := range []*testkit.Page{missing, ended, signedOut} {
		if p.Find(form.AttrOr("hx-select", "")).Text() == "" {
			t.Errorf("nothing is said next to the button of %s (%d)", p.Text("h1"), p.Status)
		}
	}
}
