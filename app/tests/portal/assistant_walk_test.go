package portal_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// anAssistant is a client on the person's own machine: it registers, and waits for the answer on a port.
type anAssistant struct {
	s                  *fixture.Site
	id, redirect, host string
	verifier, state    string
	answers            chan url.Values
}

func newAssistant(s *fixture.Site, name, host string) *anAssistant {
	s.T.Helper()
	a := &anAssistant{s: s, host: host, verifier: strings.Repeat("v", 43), state: "a+b c&d=%é", answers: make(chan url.Values, 1)}
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(s.T)
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/callback" {
			http.NotFound(w, r)
			return
		}
		a.answers <- r.URL.Query()
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>x</title><main><h1>Back at the assistant</h1></main>")
	})}
	go func() { _ = server.Serve(l) }()
	s.T.Cleanup(func() { _ = server.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	a.redirect = "http://" + net.JoinHostPort(host, port) + "/callback"

	var registered struct {
		ID string `json:"client_id"`
	}
	body, _ := json.Marshal(map[string]any{"client_name": name, "redirect_uris": []string{"http://" + host + "/callback"}, // any port of that machine
		"token_endpoint_auth_method": "none", "grant_types": []string{"authorization_code", "refresh_token"}})
	a.send(http.MethodPost, "/oauth/register", string(body), http.StatusCreated, &registered, "Content-Type", "application/json")
	a.id = registered.ID
	return a
}

// send asks the service something and reads its JSON.
func (a *anAssistant) send(method, path, body string, status int, into any, headers ...string) {
	a.s.T.Helper()
	got, text := a.ask(method, path, body, headers...)
	if got != status {
		a.s.T.Fatalf("%s %s: %d, want %d\n%s", method, path, got, status, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		a.s.T.Fatalf("%s %s: %v\n%s", method, path, err, text)
	}
}

func (a *anAssistant) ask(method, path, body string, headers ...string) (int, []byte) {
	a.s.T.Helper()
	r := a.s.Do(method, path, body, headers...)
	return r.Status, r.Body
}

// request is the path that it opens in the person's browser.
func (a *anAssistant) request() string {
	sum := sha256.Sum256([]byte(a.verifier))
	return "/oauth/authorize?" + url.Values{"response_type": {"code"}, "client_id": {a.id}, "redirect_uri": {a.redirect}, "state": {a.state},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "scope": {"mcp"},
		"resource": {a.s.Base + "/mcp"}}.Encode()
}

// answer waits for what the browser brings back.
func (a *anAssistant) answer() url.Values {
	a.s.T.Helper()
	select {
	case q := <-a.answers:
		if q.Get("state") != a.state || q.Get("iss") != a.s.Base {
			a.s.T.Fatalf("the answer is %v", q)
		}
		return q
	case <-time.After(browserTimeout):
		a.s.T.Fatal("no answer reached the assistant")
		return nil
	}
}

// token redeems the code.
func (a *anAssistant) token(code string) string {
	a.s.T.Helper()
	var got struct {
		Access string `json:"access_token"`
	}
	a.send(http.MethodPost, "/oauth/token", url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {a.id},
		"redirect_uri": {a.redirect}, "code_verifier": {a.verifier}}.Encode(), http.StatusOK, &got, "Content-Type", "application/x-www-form-urlencoded")
	if got.Access == "" {
		a.s.T.Fatal("no access token")
	}
	return got.Access
}

// call uses a tool.
func (a *anAssistant) call(token string) (int, string) {
	a.s.T.Helper()
	status, text := a.ask(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_commune","arguments":{"code":"93010"}}}`,
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-06-18", "Authorization", "Bearer "+token)
	return status, string(text)
}

// tab opens another tab next to this one, in the same profile.
func (b *browser) tab() *browser {
	b.t.Helper()
	root, err := chromium()
	testkit.NoError(b.t, err)
	executor := cdp.WithExecutor(root, chromedp.FromContext(root).Browser)
	info, err := target.GetTargetInfo().WithTargetID(chromedp.FromContext(b.ctx).Target.TargetID).Do(executor)
	testkit.NoError(b.t, err)
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(info.BrowserContextID).Do(executor)
	testkit.NoError(b.t, err)
	ctx, _ := chromedp.NewContext(root, chromedp.WithTargetID(id))
	testkit.NoError(b.t, chromedp.Run(ctx))
	b.t.Cleanup(func() { _ = chromedp.Cancel(ctx) })
	return &browser{t: b.t, ctx: ctx, base: b.base, seen: &[]string{}, noScript: b.noScript}
}

// Somebody gives an assistant the address of the service, makes an account on the way,
// confirms it in another tab, and authorizes: the assistant works, its key is in the account,
// and revoking it ends the assistant at once.
func TestAssistantWalk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options browserOptions
		host    string
	}{
		"French, 127.0.0.1":                    {browserOptions{language: "fr"}, "127.0.0.1"},
		"English without scripts, small, dark": {browserOptions{language: "en", noScript: true, width: 390, dark: true}, "localhost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fixture.Portal(t, nil)
			a := newAssistant(s, "Claude", c.host)
			b := newBrowser(t, s.Base, c.options)
			signUpOnTheWay(b, s, a, "jeanne@exemple.fr")
			b.decide("allow")
			b.must("Back at the assistant")
			token := a.token(a.answer().Get("code"))
			if status, text := a.call(token); status != http.StatusOK || !strings.Contains(text, "Bondy") {
				t.Fatalf("the tool answers %d %s", status, text)
			}
			disconnect(b, s, a, token)
		})
	}
}

// signUpOnTheWay ends with the browser on the page of consent, where it waited for the mail.
func signUpOnTheWay(b *browser, s *fixture.Site, a *anAssistant, email string) {
	b.t.Helper()
	b.open(a.request())
	b.must("Claude")
	b.press(`main a[href^="/signup?next="]`)
	b.fill("/signup", "email", email)
	b.fill("/signup", "password", fixture.Password)
	b.send("/signup")
	if b.path() != "/signup/sent" {
		b.t.Fatalf("after signing up the browser is at %s", b.where())
	}
	mail := b.tab()
	b.mark()
	mail.open(s.Link(email, "confirm"))
	mail.send("/confirm/")
	mail.consents(a, email)
	if b.noScript {
		b.run(chromedp.Click(`a[href^="/signup/continue"]`, chromedp.ByQuery))
	} // with scripts the tab that waits goes on by itself
	b.another()
	b.consents(a, email)
}

// consents fails the test unless the page asks about the very request of the assistant.
func (b *browser) consents(a *anAssistant, email string) {
	b.t.Helper()
	if at := strings.TrimPrefix(b.where(), b.base); at != a.request() {
		b.t.Fatalf("the request %s\nwent on as %s\n%s", a.request(), at, b.excerpt())
	}
	for _, text := range []string{"Claude", email, strings.TrimSuffix(strings.TrimPrefix(a.redirect, "http://"), "/callback")} {
		if !strings.Contains(b.text("main"), text) {
			b.t.Fatalf("the page of consent does not show %q:\n%s", text, b.excerpt())
		}
	}
}

// disconnect revokes the assistant's key in the pages.
func disconnect(b *browser, s *fixture.Site, a *anAssistant, token string) {
	b.t.Helper()
	b.open("/account/assistants")
	b.must("MCP · Claude")
	b.press(`main a[href^="/account/keys/"]`)
	key := b.path()
	b.open(key + "/revoke")
	b.send(key + "/revoke")
	s.UntilNoticed(func() bool {
		status, _ := a.call(token)
		return status == http.StatusUnauthorized
	})
	nowhere(s, token)
}

// Signing in at a third party on the way ends at the same request, with an account that is made at once, in
// the language of the page, without a password and a mail that confirms.
func TestAssistantWalkThroughProvider(t *testing.T) {
	t.Parallel()
	s, _ := withProvider(t, map[string]testkit.OIDCUser{"jeanne": {Email: "jeanne@exemple.fr", EmailVerified: true}})
	a := newAssistant(s, "Claude", "127.0.0.1")
	b := newBrowser(t, s.Base, browserOptions{language: "en", noScript: true})
	b.atProvider(a.request(), "jeanne")
	b.consents(a, "jeanne@exemple.fr")
	testkit.WantCount(t, s.Pool, 1, "accounts in English", `SELECT count(*) FROM account.account
		WHERE language = 'en' AND password_hash IS NULL AND email_confirmed_at IS NOT NULL`)
	b.decide("allow")
	b.must("Back at the assistant")
	if status, text := a.call(a.token(a.answer().Get("code"))); status != http.StatusOK {
		t.Fatalf("the tool answers %d %s", status, text)
	}
}
