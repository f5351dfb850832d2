package social_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/social"
)

// A client cannot sign in as another person with an ID token that the provider did not make for this client
// and this flow. Each row spoils a good answer in one way; the last is what the log must contain.
func TestForgedOrForeignIDTokensAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(*stage)
		says  string
	}{
		{"alg:none", func(s *stage) { s.sign = unsignedToken }, "none"},
		{"HS256 signed with the client id", func(s *stage) { s.sign = func(c map[string]any) string { return hs256([]byte(clientID), c) } }, "HS256"},
		{"HS256 signed with the client secret", func(s *stage) { s.sign = func(c map[string]any) string { return hs256([]byte(clientSecret), c) } }, "HS256"},
		{"HS256 signed with the public key", func(s *stage) {
			s.sign = func(c map[string]any) string { return hs256(signingKey().N.Bytes(), c) }
		}, "HS256"},
		{"signed by another key", func(s *stage) { s.sign = func(c map[string]any) string { return rs256(otherKey(), c) } }, "signature"},
		{"claims changed after signing", func(s *stage) {
			s.sign = func(c map[string]any) string {
				parts := strings.Split(rs256(signingKey(), c), ".")
				c["sub"] = "bob"
				return parts[0] + "." + encodePart(c) + "." + parts[2]
			}
		}, "signature"},
		{"wrong nonce", func(s *stage) { s.claims["nonce"] = "another" }, "nonce"},
		{"missing nonce", func(s *stage) { s.claims["nonce"] = nil }, "nonce"},
		{"wrong audience", func(s *stage) { s.claims["aud"] = "client-2" }, "audience"},
		{"missing audience", func(s *stage) { s.claims["aud"] = nil }, "audience"},
		{"several audiences, no authorized party", func(s *stage) { s.claims["aud"] = []string{"client-2", clientID} }, "authorized party"},
		{"another authorized party", func(s *stage) { s.claims["azp"] = "client-2" }, "client-2"},
		{"wrong issuer", func(s *stage) { s.claims["iss"] = "https://evil.example" }, "evil.example"},
		{"missing issuer", func(s *stage) { s.claims["iss"] = nil }, "issued by"},
		{"expired", func(s *stage) { s.claims["exp"] = noon.Add(-time.Second).Unix() }, "expired"},
		{"missing exp, where goth panics", func(s *stage) { s.claims["exp"] = nil }, "expired"},
		{"exp that is a word, where goth panics", func(s *stage) { s.claims["exp"] = "later" }, "claims"},
		{"not valid yet", func(s *stage) { s.claims["nbf"] = noon.Add(time.Hour).Unix() }, "not before"},
		{"missing subject", func(s *stage) { s.claims["sub"] = nil }, "subject"},
		{"subject of a kilobyte", func(s *stage) { s.claims["sub"] = strings.Repeat("x", 1024) }, "subject"},
		{"access token of somebody else (at_hash)", func(s *stage) { s.claims["at_hash"] = hashOf("another token") }, "access token hash"},
		{"no ID token", func(s *stage) { s.token = func(a map[string]any) { delete(a, "id_token") } }, "verify the ID token"},
		{"ID token that is a number, where goth panics", func(s *stage) { s.token = func(a map[string]any) { a["id_token"] = 7 } }, "JSON"},
		{"no access token", func(s *stage) { s.token = func(a map[string]any) { delete(a, "access_token") } }, "no token"},
		{"an encrypted or other token", func(s *stage) { s.sign = func(map[string]any) string { return "a.b.c.d.e" } }, "malformed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			f := s.begin("oidc", social.Flow{Intent: social.SignIn})
			tt.spoil(s)
			s.refuses(f, f.answer(), social.ErrProvider, tt.says)
		})
	}
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return b64(sum[:16])
}

// The checks above refuse what is wrong, not what is rare: each of these is a good token.
func TestUnusualButGoodIDTokensPass(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*stage){
		"at_hash of the access token":         func(s *stage) { s.claims["at_hash"] = hashOf(accessToken) },
		"two audiences and our party":         func(s *stage) { s.claims["aud"] = []string{"x", clientID}; s.claims["azp"] = clientID },
		"exp as a decimal":                    func(s *stage) { s.claims["exp"] = json.Number("1772460000.5") },
		"exp as a quoted number, goth's bane": func(s *stage) { s.claims["exp"] = "1772460000" },
		"verified written as a word":          func(s *stage) { s.claims["email_verified"] = "true" },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			f := s.begin("oidc", social.Flow{Intent: social.SignIn})
			change(s)
			claim, _, err := s.finish(f, f.answer())
			if err != nil || claim.Subject != "ada" || !claim.EmailVerified {
				t.Errorf("finish: %+v, %v", claim, err)
			}
		})
	}
}

// An attacker cannot have a victim's browser finish a flow that it did not start: that would sign the victim
// in to the attacker's account, or link the attacker's identity to the victim's.
func TestAnAnswerOfAnotherFlowIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, providerConfig("oidc"), providerConfig("google"))
	other := s.begin("google", social.Flow{Intent: social.SignIn})
	attackers := s.begin("oidc", social.Flow{Intent: social.SignIn})
	f := s.begin("oidc", social.Flow{Intent: social.Link, Session: 7})
	with := func(change func(*flow, url.Values)) (flow, url.Values) {
		changed, q := f, f.answer()
		change(&changed, q)
		return changed, q
	}
	tests := map[string]func(*flow, url.Values){
		"swapped state":              func(_ *flow, q url.Values) { q.Set("state", attackers.sent.Get("state")) },
		"missing state":              func(_ *flow, q url.Values) { q.Del("state") },
		"state given twice":          func(_ *flow, q url.Values) { q.Add("state", q.Get("state")) },
		"code given twice":           func(_ *flow, q url.Values) { q.Add("code", "code-2") },
		"missing cookie":             func(f *flow, _ url.Values) { f.cookie = "" },
		"cookie of another flow":     func(f *flow, _ url.Values) { f.cookie = attackers.cookie },
		"cookie of another provider": func(f *flow, q url.Values) { f.cookie = other.cookie; q.Set("state", other.sent.Get("state")) },
		"cookie taken to another provider": func(f *flow, _ url.Values) {
			f.name = "google"
		},
		"cookie with one letter changed": func(f *flow, _ url.Values) {
			b := []byte(f.cookie)
			b[len(b)/2] ^= 1
			f.cookie = string(b)
		},
		"cookie that is rubbish":                   func(f *flow, _ url.Values) { f.cookie = "rubbish" },
		"refusal with a swapped state":             func(_ *flow, q url.Values) { q.Set("state", "x"); q.Set("error", "access_denied") },
		"no cookie and no state, both being empty": func(f *flow, q url.Values) { f.cookie = ""; q.Del("state") },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			changed, q := with(change)
			claim, flow, err := s.finish(changed, q)
			if !errors.Is(err, social.ErrFlow) || claim.Subject != "" || flow != (social.Flow{}) {
				t.Errorf("finish: %+v, %+v, %v", claim, flow, err)
			}
		})
	}
	if n := s.net.asked("/token"); n != 0 {
		t.Errorf("the code of a foreign answer was redeemed %d times", n)
	}
	if _, _, err := s.finish(f, f.answer()); err != nil {
		t.Errorf("the flow itself, untouched: %v", err)
	}
}

// A cookie found later in a browser or a log is worth nothing.
func TestCookieReplayedAfterTenMinutesIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	f := s.begin("oidc", social.Flow{Intent: social.SignIn})
	s.clock.Advance(10*time.Minute - time.Second)
	if _, _, err := s.finish(f, f.answer()); err != nil {
		t.Errorf("a second before: %v", err)
	}
	s.clock.Advance(time.Second)
	s.refuses(f, f.answer(), social.ErrFlow, "")
}

// The cookie shows neither the nonce nor the verifier to its reader,
// and another server's secret does not open it.
func TestCookieIsSealed(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	f := s.begin("oidc", social.Flow{Intent: social.Link, Next: "/account/security", Session: 42})
	if len(f.cookie) > 3500 || strings.ContainsAny(f.cookie, " ;,\"\\=") {
		t.Errorf("no fit value of a cookie: %q", f.cookie)
	}
	for _, part := range []string{f.sent.Get("nonce"), f.sent.Get("state"), "account"} {
		if strings.Contains(f.cookie, part) {
			t.Errorf("the cookie shows %q", part)
		}
	}
	elsewhere := testkit.Must(social.New(social.Options{
		BaseURL: "https://arpent.example", Secret: []byte("another secret, of 32 bytes too.."), Clock: s.clock,
		Providers: []social.ProviderConfig{providerConfig("oidc")}, HTTP: &http.Client{Transport: s.net},
	}))(t)
	if _, _, err := elsewhere.Finish(context.Background(), "oidc", f.cookie, f.answer()); !errors.Is(err, social.ErrFlow) {
		t.Errorf("another secret opens the cookie: %v", err)
	}
	most := "/" + strings.Repeat("&", social.MaxNext-1)
	full := s.begin("oidc", social.Flow{Intent: social.SignIn, Next: most})
	if _, got, err := s.finish(full, full.answer()); err != nil || got.Next != most || len(full.cookie) > 3900 {
		t.Errorf("the longest next comes back as %d bytes in a cookie of %d, %v", len(got.Next), len(full.cookie), err)
	}
	long := s.begin("oidc", social.Flow{Intent: social.SignIn, Next: "/" + strings.Repeat("é", 4000)})
	if len(long.cookie) > 3500 {
		t.Errorf("a long next makes a cookie of %d bytes, which browsers drop", len(long.cookie))
	}
}

// Somebody who says no at the provider gets an error of its own, and keeps
// the flow: the page knows where to lead back.
func TestErrorsOfTheProvider(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	want := social.Flow{Intent: social.Link, Next: "/account/security", Session: 42}
	f := s.begin("oidc", want)
	for answer, expected := range map[string]error{"access_denied": social.ErrDenied, "server_error": social.ErrProvider, "evil\r\nline": social.ErrProvider} {
		_, got, err := s.finish(f, url.Values{"state": {f.sent.Get("state")}, "error": {answer}, "code": {code}})
		if !errors.Is(err, expected) || got != want || strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("error=%q: %+v, %v", answer, got, err)
		}
	}
	s.refuses(f, url.Values{"state": {f.sent.Get("state")}}, social.ErrProvider, "without a code")
	if n := s.net.asked("/token"); n != 0 {
		t.Errorf("an error was redeemed %d times", n)
	}
}

// A mix-up attack sends the answer of one issuer to the flow of another (RFC 9207).
func TestIssuerOfTheAnswerIsCompared(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	f := s.begin("oidc", social.Flow{Intent: social.SignIn})
	q := f.answer()
	q.Set("iss", "https://evil.example")
	s.refuses(f, q, social.ErrProvider, "evil.example")
	q.Set("iss", issuer)
	if _, _, err := s.finish(f, q); err != nil {
		t.Errorf("the right issuer: %v", err)
	}

	s = newStage(t)
	s.document = map[string]any{"authorization_response_iss_parameter_supported": true}
	f = s.begin("oidc", social.Flow{Intent: social.SignIn})
	s.refuses(f, f.answer(), social.ErrProvider, "does not name its issuer")
}

// A provider that is down, or answers rubbish, costs a clear error
// and no panic; once it is back, sign-in works.
func TestProviderDownOrTalkingNonsense(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	alive := s.net.hosts["id.example"]
	for name, h := range map[string]http.Handler{
		"down": nil,
		"error page": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, strings.Repeat("oops ", 1000), http.StatusBadGateway)
		}),
		"not JSON":                   http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }),
		"endless":                    serveSpoiledDocument("padding", strings.Repeat("x", 2<<20)),
		"redirect":                   http.RedirectHandler("https://gitlab.com/.well-known/openid-configuration", http.StatusFound),
		"other issuer":               serveSpoiledDocument("issuer", "https://evil.example"),
		"plain http":                 serveSpoiledDocument("token_endpoint", "http://id.example/t"),
		"plain http to this machine": serveSpoiledDocument("token_endpoint", "http://127.0.0.1/t"),
		"no endpoints":               serveSpoiledDocument("jwks_uri", ""),
		"script scheme":              serveSpoiledDocument("authorization_endpoint", "javascript:alert(1)"),
	} {
		s.net.put("id.example", h)
		address, cookie, err := s.social.Begin(context.Background(), "oidc", social.Flow{Intent: social.SignIn})
		if !errors.Is(err, social.ErrProvider) || address != "" || cookie != "" || len(err.Error()) > 600 {
			t.Errorf("%s: %q, %v", name, address, err)
		}
	}
	s.net.put("id.example", alive)
	f := s.begin("oidc", social.Flow{Intent: social.SignIn})
	s.net.put("id.example", nil)
	s.refuses(f, f.answer(), social.ErrProvider, "no such host")
	s.net.put("id.example", alive)
	if _, _, err := s.finish(f, f.answer()); err != nil {
		t.Errorf("back again: %v", err)
	}
}

// serveSpoiledDocument answers a discovery document that is good but for one entry.
func serveSpoiledDocument(name, value string) http.Handler {
	doc := map[string]any{"issuer": issuer, "authorization_endpoint": issuer + "/a", "token_endpoint": issuer + "/t", "jwks_uri": issuer + "/k"}
	doc[name] = value
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, doc) })
}
