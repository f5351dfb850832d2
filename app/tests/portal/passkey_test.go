package portal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// nameHost sets an instance at a name: browsers have no passkeys for numeric addresses.
func nameHost(c *config.Config) { c.BaseURL = fmt.Sprintf("http://localhost:%d", c.Port) }

func withPasskeys(t testing.TB) *fixture.Site {
	t.Helper()
	s := fixture.Portal(t, nameHost)
	s.Base = strings.Replace(s.Base, "127.0.0.1", "localhost", 1)
	return s
}

// withoutList has a page offer no passkeys in the list of the address field: this browser, which shows no
// list, would take the first one of it at once.
const withoutList = `if (window.name !== "list") PublicKeyCredential.isConditionalMediationAvailable = async () => false`

// plugIn gives a browser an authenticator whose owner is there.
func (b *browser) plugIn() (id webauthn.AuthenticatorID) {
	b.t.Helper()
	b.run(webauthn.Enable(), chromedp.ActionFunc(func(ctx context.Context) (err error) {
		if _, err := page.AddScriptToEvaluateOnNewDocument(withoutList).Do(ctx); err != nil {
			return err
		}
		id, err = webauthn.AddVirtualAuthenticator(&webauthn.VirtualAuthenticatorOptions{Protocol: "ctap2",
			Transport: "internal", HasResidentKey: true, HasUserVerification: true, IsUserVerified: true,
			AutomaticPresenceSimulation: true}).Do(ctx)
		return err
	}))
	return id
}

const passkeyButton = `[data-passkey] button`

// addPasskey adds a passkey on the page of an account whose owner has just proved who they are.
func (b *browser) addPasskey() {
	b.t.Helper()
	b.open("/account/security/passkeys/new")
	b.press(passkeyButton)
	if !strings.HasPrefix(b.path(), "/account/security/passkeys/") {
		b.t.Fatalf("after a passkey was made the browser is at %s:\n%s", b.where(), b.excerpt())
	}
}

func (b *browser) signIn(email string) {
	b.t.Helper()
	b.open("/signin")
	b.fillSignIn(email)
}

func (b *browser) fillSignIn(email string) {
	b.t.Helper()
	b.fill("/signin", "email", email)
	b.fill("/signin", "password", fixture.Password)
	b.send("/signin")
}

func (b *browser) signOut() {
	b.t.Helper()
	b.open("/account")
	b.send("/signout")
}

// at fails the test unless the browser shows that page.
func (b *browser) at(path string) {
	b.t.Helper()
	if b.path() != path {
		b.t.Fatalf("the browser is at %s, want %s:\n%s", b.where(), path, b.excerpt())
	}
}

// An owner adds a passkey in a browser, signs in with it, proves with it who they are, uses it in place of
// the code, and removes it. Were a step to fail, the owner would be kept out, or a removed passkey would go
// on working.
func TestPasskeyWalk(t *testing.T) {
	t.Parallel()
	s := withPasskeys(t)
	b := newBrowser(t, s.Base, browserOptions{language: "fr"})
	b.plugIn()
	signUpInBrowser(b, s, "jeanne@exemple.fr")
	b.addPasskey()
	b.must("La passkey est ajoutée")
	b.fill("/account/security/passkeys/", "name", "Ordinateur du bureau")
	b.send("/account/security/passkeys/")
	b.at("/account/security")
	b.must("Ordinateur du bureau")
	s.Mails.Wait(func(m testkit.Mail) bool { return strings.Contains(m.Subject, "passkey a été ajoutée") })

	b.signOut()
	b.open("/signin?next=/account/keys")
	b.press(passkeyButton)
	b.at("/account/keys")
	b.open("/account/security")
	b.must("par passkey")

	s.Exec(`UPDATE account.session SET authenticated_at = now() - interval '1 hour'`)
	b.open("/account/security/two-factor")
	b.at("/account/verify")
	if !evaluate[bool](b, `(() => { const button = document.querySelector("[data-passkey] .button:not(.secondary)"), password = document.querySelector("[name=password]");
		return !!(button.compareDocumentPosition(password) & Node.DOCUMENT_POSITION_FOLLOWING) && document.activeElement !== password })()`) {
		t.Error("an account whose only second factor is a passkey is asked for its password first")
	}
	b.press(passkeyButton)
	b.at("/account/security/two-factor")
	code, err := totp.GenerateCode(strings.ReplaceAll(b.text(".secret code"), " ", ""), time.Now())
	testkit.NoError(t, err)
	b.fill("/account/security/two-factor", "code", code)
	b.send("/account/security/two-factor")

	b.signOut()
	b.open("/signin?next=/account/keys")
	b.fillSignIn("jeanne@exemple.fr")
	b.at("/signin/code")
	b.press(`form[action^="/signin/code/passkey"] button`)
	b.at("/account/keys")

	b.signOut()
	b.open("/signin")
	b.press(passkeyButton) // both factors: no code is asked for
	b.at("/account")

	// From the list of the address field, which needs no button.
	b.signOut()
	b.run(chromedp.Evaluate(`window.name = "list"; location.href = "/signin?next=/account/keys"; 0`, nil))
	testkit.Eventually(t, browserTimeout, "a passkey of the list signs in", func() bool { return b.path() == "/account/keys" })
	b.run(chromedp.WaitReady("h1", chromedp.ByQuery), chromedp.Evaluate(`window.name = ""; 0`, nil))

	b.open("/account/security")
	b.press(`a[href$="/remove"]`)
	b.send("/account/security/passkeys/")
	b.at("/account/security")
	b.must("La passkey est supprimée")
	b.signOut()
	b.open("/signin")
	b.press(passkeyButton)
	b.must("Cette passkey n’a pas été acceptée")
	b.open("/account")
	b.at("/signin")
}

// Without scripts, or in a browser without passkeys, the pages offer none.
func TestPasskeyPagesWithoutScripts(t *testing.T) {
	t.Parallel()
	s := withPasskeys(t)
	s.SignUp("jeanne@exemple.fr")
	s.Exec(somePasskeys, "jeanne@exemple.fr", 1)
	b := newBrowser(t, s.Base, browserOptions{noScript: true})
	b.open("/signin")
	if b.shows(`[data-passkey]`) {
		t.Error("the sign-in page offers passkeys without scripts")
	}
	b.fillSignIn("jeanne@exemple.fr")
	b.open("/account/security/passkeys/new")
	b.must("Il faut JavaScript")
	b.open("/account/security/passkeys/1/remove")
	b.send("/account/security/passkeys/1/remove")
	b.must("La passkey est supprimée")
}

// shows reports whether an element is in sight.
func (b *browser) shows(selector string) bool {
	b.t.Helper()
	err := func() error {
		ctx, cancel := context.WithTimeout(b.ctx, time.Second)
		defer cancel()
		return chromedp.Run(ctx, chromedp.WaitVisible(selector, chromedp.ByQuery))
	}()
	return err == nil
}

// somePasskeys adds passkeys to an account: $1 its address, $2 how many.
const somePasskeys = `
INSERT INTO account.passkey (account_id, credential_id, user_handle, public_key, model, sign_count, transports, backup_eligible, backed_up, name, created_at, last_used_at)
SELECT a.id, sha256(n::text::bytea), sha256('handle'), '\x00', CASE WHEN n = 1 THEN 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd'::uuid END, 0, '{internal}', n = 1, n = 1,
    CASE n WHEN 1 THEN 'iPhone de Jeanne' WHEN 2 THEN 'Une clé de sécurité au nom très long, qui va jusqu’à soixante-dix-huit signes' ELSE 'Passkey ' || n END,
    now() - n * interval '9 days', CASE WHEN n <> 2 THEN now() - n * interval '1 hour' END
FROM account.account a, generate_series(1, $2::int) n WHERE a.email = $1`

// usesPasskeys adds a passkey, comes back with it in every way, and removes it.
func (r *refuser) usesPasskeys(b *testkit.Browser, email, password string) {
	r.t.Helper()
	const add = "/account/security/passkeys/new"
	k := testkit.NewPasskey(r.t, r.Base, "localhost")
	answer := func(b *testkit.Browser, path string, sign func(json.RawMessage) string) url.Values {
		var request struct {
			Options json.RawMessage
			Sealed  string
		}
		if p := b.Post(path+"/challenge", nil); json.Unmarshal([]byte(p.Body), &request) != nil || request.Sealed == "" {
			r.t.Fatalf("%s: no challenge: %d\n%s", path, p.Status, p.Body)
		}
		return url.Values{"sealed": {request.Sealed}, "answer": {sign(request.Options)}}
	}
	form := answer(b, add, k.Create)
	added := r.post(add, b, add, form)
	path := strings.TrimSuffix(added.Location(), "?done=added")
	r.post("/account/security/passkeys/:id", b, path, url.Values{"name": {"Bureau"}})
	form = answer(b, "/account/verify/passkey", k.Sign)
	r.post("/account/verify/passkey", b, "/account/verify/passkey", form)
	other := r.Browser()
	form = answer(other, "/signin/passkey", k.Sign)
	r.post("/signin/passkey", other, "/signin/passkey", form)
	other, _ = r.SignIn(email, password)
	form = answer(other, "/signin/code/passkey", k.Sign)
	r.post("/signin/code/passkey", other, "/signin/code/passkey", form)
	r.post("/account/security/passkeys/:id/remove", b, path+"/remove", nil)
}
