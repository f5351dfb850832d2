package social_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/social"
	"arpent/internal/clock"
)

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return b64(sum[:])
}

// The whole flow works with a provider that we did not write: discovery, PKCE, nonce, both ways of
// authenticating, the address in the token or at userinfo.
func TestFlowAgainstARealProvider(t *testing.T) {
	t.Parallel()
	tests := map[string]testkit.OIDCOptions{
		"address at userinfo, PKCE required":       {RequirePKCE: true},
		"address in the token, secret in the form": {ClaimsInToken: true, SecretInForm: true},
	}
	for name, o := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const base = "http://127.0.0.1:1"
			back := base + social.CallbackPath("oidc")
			o.RedirectURIs = []string{back}
			o.Users = map[string]testkit.OIDCUser{"ada": {Email: "ada@example.org", EmailVerified: true}, "bob": {Email: "bob@example.org"}, "eve": {}}
			p := testkit.NewOIDC(t, o)
			s := testkit.Must(social.New(social.Options{BaseURL: base, Secret: secret, Clock: clock.Real{}, Providers: []social.ProviderConfig{
				{Name: "oidc", ClientID: p.ClientID, ClientSecret: p.ClientSecret, Issuer: p.Issuer(), PKCE: o.RequirePKCE},
			}}))(t)
			walk := func(login string, intent social.Intent) (auth.Claim, social.Flow, error) {
				address, cookie, err := s.Begin(context.Background(), "oidc", social.Flow{Intent: intent, Next: "/account"})
				testkit.NoError(t, err)
				return s.Finish(context.Background(), "oidc", cookie, p.Visit(address, login).Query())
			}
			for login, want := range map[string]auth.Claim{
				"ada": {Provider: "oidc", Subject: "ada", Email: "ada@example.org", EmailVerified: true},
				"bob": {Provider: "oidc", Subject: "bob", Email: "bob@example.org"},
				"eve": {Provider: "oidc", Subject: "eve"},
			} {
				for _, intent := range []social.Intent{social.SignIn, social.Verify} {
					if claim, flow, err := walk(login, intent); err != nil || claim != want || flow.Intent != intent || flow.Next != "/account" {
						t.Errorf("%s, %s: %+v, %+v, %v", login, intent, claim, flow, err)
					}
				}
			}
			if _, _, err := walk("", social.SignIn); !errors.Is(err, social.ErrDenied) {
				t.Errorf("cancelled: %v", err)
			}
			goneAndBack(t, s, p)
		})
	}
}

// goneAndBack: a code is good once; a provider that goes away is an error and not a hang; one
// that comes back with other keys works again.
func goneAndBack(t *testing.T, s *social.Social, p *testkit.OIDC) {
	t.Helper()
	begin := func() (string, string) {
		address, cookie, err := s.Begin(context.Background(), "oidc", social.Flow{Intent: social.SignIn})
		testkit.NoError(t, err)
		return address, cookie
	}
	address, cookie := begin()
	answer := p.Visit(address, "ada").Query()
	if _, _, err := s.Finish(context.Background(), "oidc", cookie, answer); err != nil {
		t.Errorf("first use of a code: %v", err)
	}
	if _, _, err := s.Finish(context.Background(), "oidc", cookie, answer); !errors.Is(err, social.ErrProvider) {
		t.Errorf("second use of a code: %v", err)
	}
	address, cookie = begin()
	answer = p.Visit(address, "ada").Query()
	p.Kill()
	if _, _, err := s.Finish(context.Background(), "oidc", cookie, answer); !errors.Is(err, social.ErrProvider) {
		t.Errorf("provider away: %v", err)
	}
	p.Start()
	address, cookie = begin()
	if claim, _, err := s.Finish(context.Background(), "oidc", cookie, p.Visit(address, "ada").Query()); err != nil || claim.Subject != "ada" {
		t.Errorf("provider back with other keys: %+v, %v", claim, err)
	}
}
