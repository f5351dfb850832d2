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
