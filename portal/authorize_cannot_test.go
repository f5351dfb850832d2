package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"arpent/auth/apikey"
)

// What is wrong with a request is on its page for the developer of the assistant, as text.
func TestAuthorizeDetail(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	page := s.browser().stay().Get("/oauth/authorize?client_id=zzz").Want(http.StatusBadRequest, "client_id <b>zzz</b> is not registered here", "Pour qui développe l’assistant")
	if strings.Contains(page.Body, "<b>zzz") {
		t.Error("the detail is markup")
	}
}

// What stands in the way on the account's side is said in its own words, with the way to the account's
// assistants and the way back to the client, with the error access_denied.
func TestAuthorizeCannot(t *testing.T) {
	t.Parallel()
	s, a := newAssistantSite(t)
	b := s.member("jeanne@exemple.fr").stay()
	form := url.Values{"request": {strings.TrimPrefix(plain, "/oauth/authorize?")}, "decision": {"allow"}}
	for _, tc := range []struct {
		err     error
		fr, eng string
	}{
		{apikey.ErrTooManyAssistants, "Votre compte a déjà 100 assistants connectés", "Your account already has 100 connected assistants"},
		{fmt.Errorf("approve: %w", apikey.ErrUnconfirmed), "L’adresse e-mail de votre compte n’est pas confirmée", "The email address of your account is not confirmed"},
	} {
		a.fail(tc.err)
		for lang, text := range map[string]string{"fr": tc.fr, "en": tc.eng} {
			s.speak(b, lang)
			page := b.Post("/oauth/authorize", form).Want(http.StatusConflict, text, "Claude")
			page.Link("/account/assistants")
			if to := page.Link("https://claude.ai/"); !strings.HasPrefix(to, "https://claude.ai/api/mcp/auth_callback?error=access_denied&state=a%2Bb") {
				t.Errorf("leads back to %q", to)
			}
			if page.Header.Get("Referrer-Policy") != "no-referrer" || page.Header.Get("Cache-Control") != "no-store" || page.Header.Get("Location") != "" {
				t.Errorf("headers %v", page.Header)
			}
		}
	}
	own := strings.Replace(form.Get("request"), "https%3A%2F%2Fclaude.ai%2Fapi%2Fmcp%2Fauth_callback", "cursor%3A%2F%2Fanysphere.cursor-mcp%2Foauth%2Fcallback", 1)
	b.Post("/oauth/authorize", url.Values{"request": {own}, "decision": {"allow"}}).Want(http.StatusConflict).
		Link("cursor://anysphere.cursor-mcp/oauth/callback?error=access_denied")
	if got := a.grants(); len(got) != 0 {
		t.Errorf("granted by %v", got)
	}
}

// speak sets the language of a browser's account.
func (s *site) speak(b *browser, lang string) {
	s.t.Helper()
	if _, err := s.pool.Exec(s.t.Context(), `UPDATE account.account SET language = $2 WHERE id = $1`, b.account.ID, lang); err != nil {
		s.t.Fatal(err)
	}
}

func (a *assistants) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cannot = err
}

// A request is taken as long as every address of ours that carries it along is one that the server
// takes: escapes are escaped once more there.
func TestAuthorizeCarriedAlong(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	b := s.browser().stay()
	agent := strings.Repeat("a", 1200) // what browsers send besides
	for _, state := range []string{strings.Repeat("a", 4700), strings.Repeat("%25", 1100), strings.Repeat("%25", 1500), strings.Repeat("%25", 1600), strings.Repeat("&", 2500)} {
		page := b.Get("/oauth/authorize?client_id=abc&response_type=code&redirect_uri=https://claude.ai/cb&state=" + state)
		if page.Status == http.StatusBadRequest {
			page.Want(http.StatusBadRequest, "La demande de cet assistant est trop longue")
			continue
		}
		to := page.Want(http.StatusOK, "Créer un compte").Link("/signup?next=")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+to, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", agent)
		res, err := b.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("%d bytes of address: %d", len(to), res.StatusCode)
		}
	}
	b.Get("/oauth/authorize?client_id=abc&response_type=code&redirect_uri=https://claude.ai/cb&state="+strings.Repeat("%25", 1600)).
		Want(http.StatusBadRequest, "La demande de cet assistant est trop longue")
	b.Get("/oauth/authorize?client_id=abc&response_type=code&redirect_uri=https://claude.ai/cb&state="+strings.Repeat("%25", 1100)).Want(http.StatusOK, "Claude")
}
