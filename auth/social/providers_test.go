package social_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"arpent/auth"
	"arpent/auth/social"
)

const (
	tenantA   = "aaaaaaaa-0000-4000-8000-00000000000a"
	tenantB   = "bbbbbbbb-0000-4000-8000-00000000000b"
	consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"
)

func tenantIssuer(tenant string) string {
	return "https://login.microsoftonline.com/" + tenant + "/v2.0"
}

// Each provider is asked for a code with our state, nonce and challenge, for no more
// than an address, and not for a refresh token.
func TestBeginAsksEachProviderForNoMoreThanItNeeds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ endpoint, scope, again string }{
		"google":    {"https://accounts.google.com/o/oauth2/auth", "openid email", "select_account"},
		"github":    {"https://github.com/login/oauth/authorize", "user:email", "select_account"},
		"microsoft": {"https://login.microsoftonline.com/common/oauth2/v2.0/authorize", "openid profile email", "login"},
		"gitlab":    {"https://gitlab.com/oauth/authorize", "openid email", "login"},
		"oidc":      {issuer + "/authorize", "openid email", "login"},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, providerConfig(name))
			f := s.begin(name, social.Flow{Intent: social.SignIn})
			q := f.sent
			f.address.RawQuery = ""
			if f.address.String() != want.endpoint || q.Get("scope") != want.scope || q.Get("client_id") != clientID || q.Get("response_type") != "code" ||
				q.Get("redirect_uri") != "https://arpent.example"+social.CallbackPath(name) || q.Has("client_secret") {
				t.Errorf("asks %s %v", f.address, q)
			}
			if access := q.Get("access_type"); access == "offline" {
				t.Error("asks for a refresh token")
			}
			if len(q.Get("state")) != 43 || len(q.Get("code_challenge")) != 43 || q.Get("code_challenge_method") != "S256" || q.Has("prompt") {
				t.Errorf("state, challenge, prompt: %v", q)
			}
			if hasNonce := len(q.Get("nonce")) == 43; hasNonce != (name != "github") {
				t.Errorf("nonce %q", q.Get("nonce"))
			}
			again := s.begin(name, social.Flow{Intent: social.Verify})
			if again.sent.Get("prompt") != want.again || again.sent.Get("state") == q.Get("state") || again.sent.Get("code_challenge") == q.Get("code_challenge") {
				t.Errorf("asked to verify: %v", again.sent)
			}
			s = newStage(t, social.ProviderConfig{Name: name, ClientID: clientID, ClientSecret: clientSecret, Issuer: providerConfig(name).Issuer})
			if plain := s.begin(name, social.Flow{}); plain.sent.Has("code_challenge") || plain.sent.Has("code_challenge_method") {
				t.Errorf("PKCE switched off: %v", plain.sent)
			}
		})
	}
}

// The code is redeemed once, with the verifier of the challenge and the secret in one
// place; no token ever stands in an address.
func TestCodeIsRedeemedOnce(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"google", "github", "microsoft", "gitlab", "oidc"} {
		for _, broken := range []bool{false, true} {
			s := newStage(t, providerConfig(name))
			s.github = githubSays([]any{})
			f := s.begin(name, social.Flow{Intent: social.SignIn})
			s.broken = broken
			_, _, err := s.finish(f, f.answer())
			if broken && (!errors.Is(err, social.ErrProvider) || !strings.Contains(err.Error(), "invalid_grant")) || !broken && err != nil {
				t.Errorf("%s, broken %v: %v", name, broken, err)
			}
			if len(s.net.forms) != 1 {
				t.Fatalf("%s, broken %v: the code was sent %d times", name, broken, len(s.net.forms))
			}
			form := s.net.forms[0]
			if challengeOf(form.Get("code_verifier")) != f.sent.Get("code_challenge") || form.Get("code") != code || form.Get("redirect_uri") != f.sent.Get("redirect_uri") {
				t.Errorf("%s: redeems with %v", name, form)
			}
			for _, r := range s.net.requests {
				if _, ok := r.Context().Deadline(); !ok {
					t.Errorf("%s: %s has no deadline", name, r.URL)
				}
				if strings.Contains(r.URL.String(), accessToken) || strings.Contains(r.URL.RawQuery, "secret") {
					t.Errorf("%s: a secret in the address %s", name, r.URL)
				}
				id, pass, basic := r.BasicAuth()
				right := id == url.QueryEscape(clientID) && pass == url.QueryEscape(clientSecret)
				if r.Method == http.MethodPost && basic == form.Has("client_secret") || basic && !right {
					t.Errorf("%s: basic %v and form %v", name, basic, form)
				}
			}
		}
	}
}

// The providers whose word on an address we take: their ID token, and nothing but true.
func TestVerifiedAddressOfGoogleGitLabAndOpenID(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"google", "gitlab", "oidc"} {
		for value, want := range map[any]bool{true: true, "true": true, false: false, "false": false, nil: false, "yes": false, 2: false, "TRUE": false} {
			s := newStage(t, providerConfig(name))
			f := s.begin(name, social.Flow{Intent: social.SignIn})
			s.claims["email_verified"] = value
			claim, _, err := s.finish(f, f.answer())
			if err != nil || claim != (auth.Claim{Provider: name, Subject: "ada", Email: "ada@example.org", EmailVerified: want}) {
				t.Errorf("%s with email_verified %v: %+v, %v", name, value, claim, err)
			}
		}
	}
	s := newStage(t, providerConfig("google"))
	f := s.begin("google", social.Flow{Intent: social.SignIn})
	s.claims["iss"] = "accounts.google.com" // Google writes it so at times
	if _, _, err := s.finish(f, f.answer()); err != nil {
		t.Errorf("Google's other issuer: %v", err)
	}
	s.claims["iss"] = "https://gitlab.com"
	s.refuses(f, f.answer(), social.ErrProvider, "different provider")
	s.claims["iss"], s.claims["email"] = "https://accounts.google.com", nil
	if claim, _, err := s.finish(f, f.answer()); err != nil || claim.EmailVerified {
		t.Errorf("no address, and yet verified: %+v, %v", claim, err)
	}
}

type said = map[string]any

func adaClaim(email string, verified bool) auth.Claim {
	return auth.Claim{Provider: "oidc", Subject: "ada", Email: email, EmailVerified: verified}
}

// Address and verification come from one place. goth merges them: an address of userinfo with the token's
// email_verified would let anybody who may edit their profile take over an account.
func TestUserInfoIsNotMixedWithTheToken(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		token    said
		userInfo said
		want     auth.Claim
		says     string
	}{
		{"verified in the token, another address at userinfo", said{}, said{"sub": "ada", "email": "victim@example.org"}, adaClaim("ada@example.org", true), ""},
		{"flag in the token, address at userinfo", said{"email": nil}, said{"sub": "ada", "email": "victim@example.org"}, adaClaim("victim@example.org", false), ""},
		{"address in the token, flag at userinfo", said{"email_verified": nil}, said{"sub": "ada", "email_verified": true}, adaClaim("ada@example.org", false), ""},
		{"both at userinfo", said{"email": nil, "email_verified": nil}, said{"sub": "ada", "email": "a@example.net", "email_verified": true}, adaClaim("a@example.net", true), ""},
		{"userinfo of somebody else", said{"email": nil}, said{"sub": "bob", "email": "b@example.org", "email_verified": true}, auth.Claim{}, "another subject than the ID token"},
		{"userinfo without a subject", said{"email": nil}, said{"email": "b@example.org", "email_verified": true}, auth.Claim{}, "another subject than the ID token"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			f := s.begin("oidc", social.Flow{Intent: social.SignIn})
			maps.Copy(s.claims, tt.token)
			s.userInfo = tt.userInfo
			if tt.says != "" {
				s.refuses(f, f.answer(), social.ErrProvider, tt.says)
				return
			}
			if claim, _, err := s.finish(f, f.answer()); err != nil || claim != tt.want {
				t.Errorf("%+v, %v; expected %+v", claim, err, tt.want)
			}
		})
	}
}

// Forged tokens are refused for the other providers as well: each has a verifier of its own.
func TestEachVerifierRefusesForgedTokens(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"google", "microsoft", "gitlab"} {
		for what, spoil := range map[string]func(*stage){
			"alg:none":    func(s *stage) { s.sign = unsignedToken },
			"HS256":       func(s *stage) { s.sign = func(c map[string]any) string { return hs256([]byte(clientID), c) } },
			"other key":   func(s *stage) { s.sign = func(c map[string]any) string { return rs256(otherKey(), c) } },
			"audience":    func(s *stage) { s.claims["aud"] = "client-2" },
			"nonce":       func(s *stage) { s.claims["nonce"] = "x" },
			"no nonce":    func(s *stage) { s.claims["nonce"] = nil },
			"expired":     func(s *stage) { s.claims["exp"] = noon.Add(-time.Second).Unix() },
			"missing exp": func(s *stage) { s.claims["exp"] = nil },
			"no ID token": func(s *stage) { s.token = func(a map[string]any) { delete(a, "id_token") } },
			"a number":    func(s *stage) { s.token = func(a map[string]any) { a["id_token"] = json.Number("1") } },
		} {
			s := newStage(t, providerConfig(name))
			f := s.begin(name, social.Flow{Intent: social.SignIn})
			spoil(s)
			if claim, _, err := s.finish(f, f.answer()); !errors.Is(err, social.ErrProvider) || claim != (auth.Claim{}) {
				t.Errorf("%s, %s: %+v, %v", name, what, claim, err)
			}
		}
	}
}

// Who shows again who they are must do so now: a provider that reports yesterday's sign-in has not asked.
func TestVerifyWantsAFreshSignInWhereTheProviderReportsIt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		intent social.Intent
		at     any
		fresh  bool
	}{
		{social.Verify, noon.Unix(), true}, {social.Verify, noon.Add(-11 * time.Minute).Unix(), false},
		{social.Verify, nil, true}, {social.SignIn, noon.Add(-48 * time.Hour).Unix(), true},
	} {
		s := newStage(t)
		f := s.begin("oidc", social.Flow{Intent: tt.intent, Session: 3})
		s.claims["auth_time"] = tt.at
		_, flow, err := s.finish(f, f.answer())
		if (err == nil) != tt.fresh || flow.Session != 3 {
			t.Errorf("%s with auth_time %v: %v", tt.intent, tt.at, err)
		}
	}
}
