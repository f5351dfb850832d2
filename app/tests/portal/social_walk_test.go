package portal_test

import (
	"fmt"
	"net/http"
	"strings"
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

// The same walk through an OpenID provider: no password, no confirmation mail, an account at once, in
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
			useKeys(b, s)
		})
	}
}

// An address that the provider does not vouch for opens nothing: no
// session, and an existing account is not joined.
func TestUnverifiedThirdPartyEmail(t *testing.T) {
	t.Parallel()
	s, _ := withProvider(t, map[string]testkit.OIDCUser{"mallory": {Email: "jeanne@exemple.fr"}, "new": {Email: "new@exemple.fr"}, "none": {}})
	victim := s.SignUp("jeanne@exemple.fr")
	var answers []string
	for login, email := range map[string]string{"mallory": "jeanne@exemple.fr", "new": "new@exemple.fr"} {
		b := newBrowser(t, s.Base, browserOptions{})
		b.atProvider("/signin", login)
		if b.path() == "/account" {
			t.Errorf("%s is signed in by an unverified address", login)
		}
		answers = append(answers, strings.ReplaceAll(b.text("main"), email, "…"))
		b.open("/account")
		if b.path() != "/signin" {
			t.Errorf("%s has a session", login)
		}
	}
	if answers[0] != answers[1] {
		t.Errorf("the pages reveal which address has an account:\n%s\n%s", answers[0], answers[1])
	}
	none := newBrowser(t, s.Base, browserOptions{})
	none.atProvider("/signin", "none")
	if none.path() != "/signin" || !none.has("n’a pas donné votre adresse e-mail") {
		t.Errorf("somebody without an address is at %s:\n%s", none.where(), none.excerpt())
	}
	if n := testkit.Count(t, s.Pool, `SELECT count(*) FROM account.identity i JOIN account.account a ON a.id = i.account_id
		WHERE a.email = 'jeanne@exemple.fr'`); n != 0 {
		t.Errorf("the victim's account has %d identities", n)
	}
	if p := victim.Get("/account"); p.Status != http.StatusOK {
		t.Errorf("the victim was disturbed: %d", p.Status)
	}
}

// The same verified address at two providers is one account, whose owner gets a mail; and what one of
// them is called at the other does not matter.
func TestSameEmailAtTwoProviders(t *testing.T) {
	t.Parallel()
	s, _ := withProvider(t, map[string]testkit.OIDCUser{"jeanne": {Email: "Jeanne@Exemple.fr", EmailVerified: true}})
	s.Exec(`
WITH a AS (INSERT INTO account.account (email, email_confirmed_at, plan, created_at, updated_at) VALUES ('jeanne@exemple.fr', now(), 'free', now(), now()) RETURNING id)
INSERT INTO account.identity (account_id, provider, subject, email, created_at) SELECT id, 'github', 'jeanne', 'jeanne@exemple.fr', now() FROM a`)
	b := newBrowser(t, s.Base, browserOptions{language: "en"})
	b.atProvider("/signin", "jeanne")
	if b.path() != "/account" {
		t.Fatalf("at %s:\n%s", b.where(), b.excerpt())
	}
	s.Mails.Wait(func(m testkit.Mail) bool { return m.To == "jeanne@exemple.fr" })
	accounts, identities := testkit.Count(t, s.Pool, `SELECT count(*) FROM account.account`), testkit.Count(t, s.Pool, `SELECT count(*) FROM account.identity`)
	if accounts != 1 || identities != 2 {
		t.Errorf("%d accounts with %d identities", accounts, identities)
	}
}
