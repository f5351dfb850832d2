package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// A link to us is not a way to another site: what is wrong with a request is written out on a
// page, whether the visitor is signed in or not.
func TestAuthorizeDoesNotRedirectUnasked(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	const wrong = "/oauth/authorize?client_id=abc&response_type=token&redirect_uri=https%3A%2F%2Fevil.example%2Fcallback"
	const back = "https://evil.example/callback?error=unsupported_response_type"
	for lang, says := range map[string]string{"fr": "vous n’avez rien accepté", "en": "you have not agreed to anything"} {
		browsers := []*browser{s.browser().stay()}
		if lang == "fr" { // the language of new accounts
			browsers = append(browsers, s.member("jeanne@exemple.fr").stay())
		}
		for _, b := range browsers {
			b.lang = lang
			page := b.Get(wrong).Want(http.StatusBadRequest, says, back)
			if page.Header.Get("Location") != "" || page.Header.Get("Refresh") != "" || strings.Contains(page.Body, `href="https://evil.example`) {
				t.Errorf("leads to the address: %v", page.Header)
			}
			b.Post("/oauth/authorize", url.Values{"request": {strings.TrimPrefix(wrong, "/oauth/authorize?")}, "decision": {"refuse"}}).
				Want(http.StatusBadRequest, says)
		}
	}
}

// The second click of a double click that began elsewhere authorizes nothing: the page is asked again.
func TestAuthorizeIsHeld(t *testing.T) {
	t.Parallel()
	s, a := newAssistantSite(t)
	b := s.member("jeanne@exemple.fr").stay()
	b.reads = 0
	page := b.Get(plain)
	if page.Text(`form[action="/oauth/authorize"] .held`) != "Autoriser Refuser" {
		t.Error("browsers do not keep the buttons back")
	}
	for _, wait := range []time.Duration{0, 499 * time.Millisecond} {
		page := b.Get(plain)
		s.clock.Advance(wait)
		if to := b.Submit(page, "/oauth/authorize", "decision", "allow").Want(http.StatusSeeOther).Header.Get("Location"); to != plain {
			t.Errorf("after %s it leads to %q", wait, to)
		}
	}
	if got := a.grants(); len(got) != 0 {
		t.Errorf("granted by %v", got)
	}
	page = b.Get(plain)
	s.clock.Advance(500 * time.Millisecond)
	b.Submit(page, "/oauth/authorize", "decision", "allow").Want(http.StatusSeeOther)
	if got := a.grants(); len(got) != 1 {
		t.Errorf("granted by %v", got)
	}
}

// A window is kept for a client that may be a web page, and for no other.
func TestAuthorizeOpener(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	b := s.member("jeanne@exemple.fr").stay()
	for redirect, want := range map[string]string{
		"https://claude.ai/cb": "unsafe-none", "http://localhost:6274/cb": "unsafe-none",
		"cursor://anysphere.cursor-mcp/oauth/callback": "same-origin", "com.example.app:/callback": "same-origin", "": "same-origin",
	} {
		request := loopbackRequest(redirect)
		for _, path := range []string{request, "/signin?next=" + url.QueryEscape(request), "/account/security/access?next=" + url.QueryEscape(request)} {
			if got := b.Get(path).Header.Get("Cross-Origin-Opener-Policy"); got != want {
				t.Errorf("%s: %q, want %q", path, got, want)
			}
		}
		answer := b.Post("/oauth/authorize", url.Values{"request": {strings.TrimPrefix(request, "/oauth/authorize?")}, "decision": {"allow"}})
		if got := answer.Header.Get("Cross-Origin-Opener-Policy"); got != want {
			t.Errorf("the answer to %q: %q, want %q", redirect, got, want)
		}
	}
}
