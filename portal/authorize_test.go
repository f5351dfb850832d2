package portal_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/auth/social"
	"arpent/internal/ident"
	"arpent/portal"
)

// assistants stands for the authorization server: it takes every request but those that
// the tests name, and keeps what it was asked.
type assistants struct {
	mu       sync.Mutex
	read     []string
	approved []ident.AccountID
	granted  []assistant.Request
	cannot   error // what Approve answers; nil: it approves
}

func (a *assistants) Read(_ context.Context, query string) (assistant.Request, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.read = append(a.read, query)
	q, err := url.ParseQuery(query)
	if err != nil {
		return assistant.Request{}, &assistant.PageError{Code: assistant.CodeRequest}
	}
	r := assistant.Request{Client: assistant.Client{ID: q.Get("client_id"), Name: "Claude"}, RedirectURI: q.Get("redirect_uri"), State: q.Get("state")}
	switch r.Client.ID {
	case "abc":
	case "nameless":
		r.Client.Name = "claude.ai"
	case "doc":
		r.Client.Host = "claude.ai"
	default:
		return r, &assistant.PageError{Code: assistant.CodeUnknownClient, Detail: "client_id <b>" + r.Client.ID + "</b> is not registered here"}
	}
	if q.Get("response_type") != "code" {
		return r, &assistant.RedirectError{Location: r.RedirectURI + "?error=unsupported_response_type", Code: "unsupported_response_type"}
	}
	return r, nil
}

func (a *assistants) Approve(_ context.Context, account ident.AccountID, r assistant.Request) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cannot != nil {
		return "", a.cannot
	}
	a.approved, a.granted = append(a.approved, account), append(a.granted, r)
	return r.RedirectURI + "?code=good&state=" + url.QueryEscape(r.State), nil
}

func (a *assistants) Deny(r assistant.Request) string {
	return r.RedirectURI + "?error=access_denied&state=" + url.QueryEscape(r.State)
}

func (a *assistants) grants() []ident.AccountID {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.approved
}

func (a *assistants) requests() []assistant.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.granted
}

// newAssistantSite is a site that assistants can be connected to.
func newAssistantSite(t *testing.T, settings ...setting) (*site, *assistants) {
	t.Helper()
	a := &assistants{}
	return newSite(t, append(settings, func(o *portal.Options, _ *social.Options) { o.Assistants = a })...), a
}

const unreadable = "/oauth/authorize?client_id=abc&response_type=code&state=%zz;x"

// plain is what an assistant asks for, in an order and with escapes that any second writing would change.
const plain = "/oauth/authorize?state=a%2Bb%20c%26d%3D%25+e%2f%c3%A9~'x&response_type=code&redirect_uri=https%3A%2F%2Fclaude.ai%2Fapi%2Fmcp%2Fauth_callback&client_id=abc"

func loopbackRequest(redirect string) string {
	return "/oauth/authorize?client_id=abc&response_type=code&state=s&redirect_uri=" + url.QueryEscape(redirect)
}

// The page says all that the decision depends on, each time, and sends
// the answer to the client and nowhere else.
func TestAuthorize(t *testing.T) {
	t.Parallel()
	s, a := newAssistantSite(t)
	b := s.member("jeanne@exemple.fr").stay()
	for range 2 { // consent is never remembered
		page := b.Get(plain).Want(200, "Claude", "claude.ai", "jeanne@exemple.fr", "nom donné par l’assistant, non vérifié", "Lire les données publiques",
			"Il en reste 100 sur 100 pour aujourd’hui", "Déconnectez-le, à tout moment", "Autoriser", "Refuser")
		if page.Form("/oauth/authorize") == nil || page.Value("request") != strings.TrimPrefix(plain, "/oauth/authorize?") {
			t.Fatalf("the form sends back %q", page.Value("request"))
		}
		policy := page.Header.Get("Content-Security-Policy")
		if strings.Contains(policy, "form-action") || !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("policy %q", policy)
		}
		for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "unsafe-none"} {
			testkit.Want(t, page.Header.Get(name), want, name)
		}
		allowed := b.Post("/oauth/authorize", url.Values{"request": {page.Value("request")}, "decision": {"allow"}}).Want(http.StatusSeeOther)
		const to = "https://claude.ai/api/mcp/auth_callback?code=good&state=a%2Bb+c%26d%3D%25+e%2F%C3%A9~%27x"
		if got := allowed.Header.Get("Location"); got != to || allowed.Header.Get("Referrer-Policy") != "no-referrer" || allowed.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("leads to %q with %v", got, allowed.Header)
		}
		refused := b.Post("/oauth/authorize", url.Values{"request": {page.Value("request")}, "decision": {"refuse"}}).Want(http.StatusSeeOther)
		if got := refused.Header.Get("Location"); !strings.HasPrefix(got, "https://claude.ai/api/mcp/auth_callback?error=access_denied&state=") {
			t.Errorf("denying leads to %q", got)
		}
	}
	if got := a.grants(); len(got) != 2 || got[0] != b.account.ID {
		t.Errorf("granted by %v, want twice by %d", got, b.account.ID)
	}
}

// Where the answer goes is shown so that a person can judge it, whatever it looks like.
func TestAuthorizeShowsWhereTo(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	b := s.member("jeanne@exemple.fr")
	for redirect, want := range map[string]string{
		"http://127.0.0.1:33418/callback":                  "un programme sur cet ordinateur 127.0.0.1:33418",
		"http://localhost/callback":                        "un programme sur cet ordinateur localhost",
		"http://[::1]:8080/":                               "un programme sur cet ordinateur [::1]:8080",
		"cursor://anysphere.cursor-mcp/oauth/callback":     "une application de cet appareil cursor://anysphere.cursor-mcp",
		"com.example.app:/callback":                        "une application de cet appareil com.example.app:",
		"https://clаude.ai/callback":                       "xn--clude-5ve.ai", // its а is Cyrillic
		"https://claude.ai.evil.example:8443/auth":         "claude.ai.evil.example:8443",
		"https://xn--nxasmq6b.example/":                    "xn--nxasmq6b.example",
		"https://a-very-long-host-name.example.org/?a=b&c": "a-very-long-host-name.example.org",
	} {
		b.Get(loopbackRequest(redirect)).Want(200, want)
	}
	b.Get(strings.Replace(plain, "client_id=abc", "client_id=doc", 1)).Want(200, "identité publiée par claude.ai")
	b.Get(strings.Replace(plain, "client_id=abc", "client_id=nameless", 1)).Want(200, "claude.ai l’adresse où il vous renvoie\u00a0: il ne donne pas d’autre nom")
	b.lang = "en"
	english := s.browser()
	english.lang = "en"
	english.Get(loopbackRequest("http://127.0.0.1:33418/callback")).Want(200, "a program on this computer", "Sign in or create an account", "I do not have one yet")
}

// A request that names no client of ours, or an address that is not the client's, is
// answered by a page that leads nowhere; what else is wrong goes to a client on the person's
// own machine, once the person is signed in.
func TestAuthorizeRejections(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	member := s.member("jeanne@exemple.fr").stay()
	for _, b := range []*browser{member, s.browser().stay()} {
		for _, path := range []string{"/oauth/authorize", "/oauth/authorize?client_id=zzz&redirect_uri=https://evil.example/", unreadable} {
			page := b.Get(path)
			page.Want(http.StatusBadRequest, "Cet assistant ne peut pas être connecté", "retirez le connecteur puis ajoutez-le de nouveau", s.base+"/mcp")
			if page.Header.Get("Location")+page.Header.Get("Refresh") != "" || strings.Contains(page.Body, "evil.example\"") {
				t.Errorf("%s leads to %s", path, page.Header.Get("Location"))
			}
			if page.Header.Get("Cache-Control") != "no-store" || !strings.Contains(page.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
				t.Errorf("headers %v", page.Header)
			}
			b.Post("/oauth/authorize", url.Values{"request": {strings.TrimPrefix(path, "/oauth/authorize?")}, "decision": {"allow"}}).Want(http.StatusBadRequest)
		}
		b.Post("/oauth/authorize", url.Values{"request": {"client_id=abc&state=" + strings.Repeat("a", 5000)}, "decision": {"allow"}}).
			Want(http.StatusBadRequest, "La demande de cet assistant est trop longue")
	}
	local := strings.Replace(loopbackRequest("http://127.0.0.1:33418/callback"), "response_type=code", "response_type=token", 1)
	back := member.Get(local).Want(http.StatusFound)
	if to := back.Header.Get("Location"); to != "http://127.0.0.1:33418/callback?error=unsupported_response_type" {
		t.Errorf("leads to %q", to)
	}
}

// A decision counts only from the page that asked for it: a form from elsewhere is refused, and one whose
// session has ended or changed meanwhile leads to the page again, with nothing granted.
func TestAuthorizeForged(t *testing.T) {
	t.Parallel()
	s, a := newAssistantSite(t)
	b := s.member("jeanne@exemple.fr").stay()
	form := url.Values{"request": {strings.TrimPrefix(plain, "/oauth/authorize?")}, "decision": {"allow"}}
	anonymous := s.browser().Token()
	for _, token := range []string{"", "x", anonymous} {
		form.Set("token", token)
		if page := b.Send(http.MethodPost, "/oauth/authorize", form).Want(http.StatusSeeOther); page.Header.Get("Location") != plain {
			t.Errorf("token %q leads to %q", token, page.Header.Get("Location"))
		}
	}
	form.Set("token", b.Token())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/oauth/authorize", strings.NewReader(form.Encode()))
	testkit.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	res := testkit.Must(b.Do(req))(t)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("a form from another site is answered with %d", res.StatusCode)
	}
	testkit.NoError(t, s.auth.EndAllSessions(t.Context(), b.session(), here))
	if page := b.Send(http.MethodPost, "/oauth/authorize", form).Want(http.StatusSeeOther); page.Header.Get("Location") != plain {
		t.Errorf("an ended session leads to %q", page.Header.Get("Location"))
	}
	page := b.Get(plain).Want(200, "Un assistant demande l’accès", "J’ai un compte", "Créer un compte")
	if strings.Contains(page.Body, `href="/signup"`) || strings.Contains(page.Body, `href="/signin"`) {
		t.Error("a link of the page loses the request")
	}
	if got := a.grants(); len(got) != 0 {
		t.Errorf("granted by %v", got)
	}
}

// Without an authorization server there is nothing to authorize.
func TestNoAssistants(t *testing.T) {
	t.Parallel()
	newSite(t).browser().Get(plain).Want(http.StatusNotFound)
}

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
			testkit.Want(t, b.Get(path).Header.Get("Cross-Origin-Opener-Policy"), want, path)
		}
		answer := b.Post("/oauth/authorize", url.Values{"request": {strings.TrimPrefix(request, "/oauth/authorize?")}, "decision": {"allow"}})
		if got := answer.Header.Get("Cross-Origin-Opener-Policy"); got != want {
			t.Errorf("the answer to %q: %q, want %q", redirect, got, want)
		}
	}
}

// What is wrong with a request is on its page for the developer of the assistant, as text.
func TestAuthorizeDetail(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	page := s.browser().stay().Get("/oauth/authorize?client_id=zzz").Want(http.StatusBadRequest, "client_id <b>zzz</b> is not registered here", "Pour qui développe l’assistant")
	page.Lacks("<b>zzz")
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
	s.exec(`UPDATE account.account SET language = $2 WHERE id = $1`, b.account.ID, lang)
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
		testkit.NoError(t, err)
		req.Header.Set("User-Agent", agent)
		res := testkit.Must(b.Do(req))(t)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("%d bytes of address: %d", len(to), res.StatusCode)
		}
	}
	b.Get("/oauth/authorize?client_id=abc&response_type=code&redirect_uri=https://claude.ai/cb&state="+strings.Repeat("%25", 1600)).
		Want(http.StatusBadRequest, "La demande de cet assistant est trop longue")
	b.Get("/oauth/authorize?client_id=abc&response_type=code&redirect_uri=https://claude.ai/cb&state="+strings.Repeat("%25", 1100)).Want(http.StatusOK, "Claude")
}
