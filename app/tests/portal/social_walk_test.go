package portal_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// withProvider starts an instance that people sign in to at a real OpenID provider.
func withProvider(t testing.TB, users map[string]testkit.OIDCUser) (*fixture.Site, *testkit.OIDC) {
	t.Helper()
	port := testkit.FreePort(t)
	provider := testkit.NewOIDC(t, testkit.OIDCOptions{Users: users, RequirePKCE: true,
		RedirectURIs: []string{fmt.Sprintf("http://127.0.0.1:%d/auth/oidc/callback", port)}})
	return fixture.Portal(t, func(c *config.Config) {
		c.Port, c.BaseURL = port, fmt.Sprintf("http://127.0.0.1:%d", port)
		c.OIDC = config.Provider{ClientID: provider.ClientID, ClientSecret: config.Secret(provider.ClientSecret),
			Issuer: provider.Issuer(), Name: "Entreprise", PKCE: true}
	}), provider
}

// atProvider signs in there, from a page of ours that offers it.
func (b *browser) atProvider(from, login string) {
	b.t.Helper()
	b.open(from)
	b.press(`form[action^="/auth/oidc"] button`)
	if b.has("Test provider") {
		b.run(chromedp.SetValue(`input[name=login]`, login, chromedp.ByQuery))
		b.press("#sign-in")
	}
}

// A sign-in through an OpenID provider: no password, no confirmation mail, an account at once, in
// the language in which the page was asked for.
func TestWalkThroughProvider(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		browserOptions
		from, to, language string
	}{
		"French":                  {browserOptions{language: "fr"}, "/signin", "/account", "fr"},
		"English without scripts": {browserOptions{language: "fr", noScript: true}, "/signin?lang=en", "/account?lang=en", "en"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := withProvider(t, map[string]testkit.OIDCUser{"jeanne": {Email: "jeanne@exemple.fr", EmailVerified: true}})
			b := newBrowser(t, s.Base, c.browserOptions)
			b.atProvider(c.from, "jeanne")
			if b.where() != s.Base+c.to {
				t.Fatalf("after signing in at the provider the browser is at %s:\n%s", b.where(), b.excerpt())
			}
			if n := testkit.Count(t, s.Pool, `SELECT count(*) FROM account.account WHERE language = $1`, c.language); n != 1 {
				t.Errorf("%d accounts are in %q", n, c.language)
			}
		})
	}
}
