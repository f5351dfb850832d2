package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"arpent/web"
)

// A visitor who comes back at least once in 30 days stays signed in: the
// browser's cookie moves on with the session.
func TestCookieMovesOnWithTheSession(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	given := func() string {
		for _, c := range b.Get("/account").Header["Set-Cookie"] {
			if strings.HasPrefix(c, web.SessionCookie+"=") {
				return c
			}
		}
		return ""
	}
	if c := given(); c != "" {
		t.Errorf("a new session is given again: %s", c)
	}
	s.clock.Advance(2 * time.Hour)
	c := given()
	if !strings.Contains(c, b.Cookie(web.SessionCookie)) || !strings.Contains(c, "max-age=3196800") || !strings.Contains(c, "HttpOnly") {
		t.Errorf("after two hours: %q", c)
	}
	if c := given(); c != "" {
		t.Errorf("given with every page: %s", c)
	}
}

// Signing in with an existing session leaves one session, and ends the one before.
func TestSignInEndsTheSessionBefore(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	before := b.Cookie(web.SessionCookie)
	b.Post("/signin", url.Values{"email": {"jeanne@exemple.fr"}, "password": {testPassword}})
	if now := b.Cookie(web.SessionCookie); now == before {
		t.Fatal("no new session")
	}
	if _, err := s.auth.Session(t.Context(), before); err == nil {
		t.Error("the session before is still good")
	}
}

// Who stayed signed in for ninety days is asked to sign in again, reads
// why, and is led on to where they were going.
func TestSignInSaysThatTheSessionEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	for range 9 {
		s.clock.Advance(10*24*time.Hour - time.Minute)
		b.Get("/account").Want(http.StatusOK)
	}
	s.clock.Advance(10 * time.Minute)
	page := b.Get("/account/usage")
	page.Want(http.StatusOK, "90\u00a0jours après la connexion")
	if !strings.HasPrefix(page.Path, "/signin?") || b.Cookie(web.SessionCookie) != "" || page.Find("input[name=next]").AttrOr("value", "") != "/account/usage" {
		t.Errorf("at %s, with the cookie %q", page.Path, b.Cookie(web.SessionCookie))
	}
}

// A form that is sent after signing out in another tab leads to signing in, and from there back to its page.
func TestFormOfAnEndedTab(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	page := b.Get("/account/keys/new")
	b.Post("/signout", nil)
	refused := b.Submit(page, "/account/keys/new", "name", "import").Want(http.StatusForbidden, "Vous n’êtes plus connecté", "Se reconnecter")
	in := b.Submit(b.Get(refused.Link("/signin?next=")), "/signin", "email", "jeanne@exemple.fr", "password", testPassword)
	if in.Path != "/account/keys/new" {
		t.Errorf("leads to %s", in.Path)
	}
}

// After a sign-out, or a deletion of the account, the browser keeps nothing: what was stored in spite of
// no-store goes too, and the choice of a language stays.
func TestSignedOutBrowsersKeepNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for path, form := range map[string]url.Values{
		"/signout":                       nil,
		"/account/security/sessions/all": nil,
		"/account/delete":                {"email": nil},
	} {
		email := strings.ReplaceAll(strings.Trim(path, "/"), "/", "-") + "@exemple.fr"
		b := s.member(email)
		if form != nil {
			form = url.Values{"email": {email}}
		}
		if kept := b.Get("/account").Header.Get("Clear-Site-Data"); kept != "" {
			t.Errorf("cleared while signed in: %s", kept)
		}
		b.Stay()
		page := b.Post(path, form)
		if got := page.Header.Get("Clear-Site-Data"); page.Status != http.StatusSeeOther || got != `"cache", "storage"` {
			t.Errorf("%s: %d, %q", path, page.Status, got)
		}
	}
}

// A window is found again among others: its title names the service, as those of the public pages do.
func TestTitlesNameTheService(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	for path, title := range map[string]string{"/account/keys": "Clés · Arpent", "/account/keys/999": "Cette page n’existe pas · Arpent"} {
		if got := b.Get(path).Text("title"); got != title {
			t.Errorf("%s is called %q", path, got)
		}
	}
	if got := s.browser().Get("/signin").Text("title"); got != "Se connecter · Arpent" {
		t.Errorf("the sign-in is called %q", got)
	}
}

// Every answer about an address is sent at a step of the clock. The clock of the test stands still: the work
// takes no time, and the whole step is waited for.
func TestAnswersAboutAddressesTakeAWholeStep(t *testing.T) {
	t.Parallel()
	const step = 250 * time.Millisecond
	s := newSite(t)
	s.account("connue@exemple.fr")
	for _, path := range []string{"/signin", "/signup", "/forgot", "/resend"} {
		for _, email := range []string{"connue@exemple.fr", "inconnue@exemple.fr"} {
			b := s.browser()
			form := signUp(email, ownersPassword)
			form.Set("token", b.Token())
			asked := time.Now()
			b.Send(http.MethodPost, path, form)
			if took := time.Since(asked); took < step {
				t.Errorf("%s answers about %s after %v", path, email, took)
			}
		}
	}
}
