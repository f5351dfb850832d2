package portal_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"golang.org/x/net/html"

	"arpent/app/base/mail"
	"arpent/auth"
	"arpent/auth/social"
	"arpent/web"
)

func named(element string) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.Data == element }
}

var here = auth.Origin{Address: netip.MustParseAddr("127.0.0.1"), Agent: userAgent, Language: "fr"}

// The right address and password lead to where one wanted to go, and nowhere else; a wrong pair is refused in the same
// words whether or not the address has an account.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.account("jeanne@exemple.fr")
	wrong := s.browser().post("/signin", signUp("jeanne@exemple.fr", "pas le bon mot")).want(http.StatusUnprocessableEntity)
	nobody := s.browser().post("/signin", signUp("xxxxxx@exemple.fr", "pas le bon mot"))
	if wrong.status != nobody.status || wrong.text() != nobody.text() || wrong.value("email") != "jeanne@exemple.fr" {
		t.Errorf("known: %d %s\nunknown: %d %s", wrong.status, wrong.text(), nobody.status, nobody.text())
	}
	for next, want := range map[string]string{
		"": "/account", "/account/keys?x=1": "/account/keys?x=1", "https://evil.example/": "/account", "//evil.example": "/account",
		"/\\evil.example": "/account", "javascript:alert(1)": "/account", "/%2f/evil.example": "/account", "\t//evil.example": "/account",
		s.base + "@evil.example/": "/account",
	} {
		b := s.browser()
		form := signUp("jeanne@exemple.fr", testPassword)
		form.Set("next", next)
		if page := b.post("/signin", form); page.path != want {
			t.Errorf("next=%q leads to %s", next, page.path)
		}
		if page := b.get("/signin?next=" + url.QueryEscape(next)); page.path != want {
			t.Errorf("next=%q leads whoever is in to %s", next, page.path)
		}
	}
}

// A form that does not come from a page of ours does nothing.
func TestForgedFormsAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.account("jeanne@exemple.fr")
	b := s.signIn("jeanne@exemple.fr")
	stranger := s.browser().token()
	for _, path := range []string{"/signup", "/resend", "/confirm/x", "/signin", "/signin/code", "/signout", "/forgot", "/reset/x",
		"/email/x", "/auth/google", "/account/verify", "/language"} {
		for _, token := range []string{"", "x", stranger} {
			form := signUp("jeanne@exemple.fr", testPassword)
			form.Set("token", token)
			b.send(http.MethodPost, path, form).want(http.StatusForbidden)
		}
		inAddress := b.send(http.MethodPost, path+"?token="+url.QueryEscape(b.token()), signUp("jeanne@exemple.fr", testPassword))
		inAddress.want(http.StatusForbidden)
	}
	b.get("/account").want(200)
	if b.get("/signout").status != http.StatusMethodNotAllowed && b.get("/signout").status != http.StatusNotFound {
		t.Error("a link signs out")
	}
}

// Whoever signs out is out, in every window; doing it again, or with a session that has ended, is no error.
func TestSignOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	token := b.cookie(web.SessionCookie)
	b.post("/signout", nil).want(200, "Vous êtes déconnecté")
	if b.cookie(web.SessionCookie) != "" {
		t.Error("the cookie is still there")
	}
	b.setCookie(web.SessionCookie, token)
	b.post("/signout", nil).want(200, "Vous êtes déconnecté")
	b.setCookie(web.SessionCookie, token)
	if page := b.get("/account"); !strings.HasPrefix(page.path, "/signin?next=") {
		t.Errorf("an ended session still opens %s", page.path)
	}
}

// Guessing is slowed down, and the form says for how long.
func TestSignInSlowsGuessing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.account("jeanne@exemple.fr")
	b := s.browser()
	b.lang = "en"
	for range 30 {
		page := b.post("/signin", signUp("jeanne@exemple.fr", "pas le bon mot"))
		if page.status == http.StatusTooManyRequests {
			page.want(http.StatusTooManyRequests, "Too many attempts. Try again in")
			return
		}
	}
	t.Error("30 wrong passwords were tried at once")
}

// The password alone does not open an account with a second factor; a code, or a recovery code, does, once.
func TestSecondFactor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	session, err := s.auth.Session(t.Context(), b.cookie(web.SessionCookie))
	if err != nil {
		t.Fatal(err)
	}
	enrolment, err := s.auth.BeginTOTP(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	recovery, err := s.auth.EnableTOTP(t.Context(), session, enrolment.Sealed, code(t, enrolment.Secret, s.clock.Now()), here)
	if err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Minute)
	for _, right := range []string{code(t, enrolment.Secret, s.clock.Now()), recovery[0]} {
		b := s.browser()
		form := signUp("jeanne@exemple.fr", testPassword)
		form.Set("next", "/account/keys")
		page := b.post("/signin", form).want(200, "Double authentification")
		if b.cookie(web.SessionCookie) != "" || b.get("/account").path == "/account" {
			t.Fatal("the password alone opens the account")
		}
		wrong := b.post("/signin/code", url.Values{"code": {"000000"}, "next": {page.value("next")}}).want(http.StatusUnprocessableEntity)
		if wrong.error("code") == "" || wrong.value("next") != "/account/keys" {
			t.Errorf("beside the field: %q, next %q", wrong.error("code"), wrong.value("next"))
		}
		if page := b.post("/signin/code", url.Values{"code": {right}, "next": {wrong.value("next")}}); page.path != "/account/keys" {
			t.Errorf("%q leads to %s", right, page.path)
		}
		again := s.browser()
		again.post("/signin", signUp("jeanne@exemple.fr", testPassword))
		again.post("/signin/code", url.Values{"code": {right}}).want(http.StatusUnprocessableEntity)
	}
	if page := s.browser().get("/signin/code"); page.path != "/signin" {
		t.Errorf("a code is asked of somebody who has not begun, on %s", page.path)
	}
}

func code(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	c, err := totp.GenerateCode(secret, at)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A forgotten password is replaced by whoever reads the mail, once; the old one and the old sessions are then worth
// nothing. What is asked for an address without an account is answered alike.
func TestResetPassword(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	old := s.member("jeanne@exemple.fr")
	b := s.browser()
	known := b.post("/forgot", url.Values{"email": {"jeanne@exemple.fr"}}).want(200, "un message lui est envoyé")
	unknown := b.post("/forgot", url.Values{"email": {"xxxxxx@exemple.fr"}})
	if known.text() != strings.ReplaceAll(unknown.text(), "xxxxxx@", "jeanne@") {
		t.Error("the answers differ")
	}
	link := s.link(s.last("jeanne@exemple.fr", mail.Reset))
	b.get(link).want(200, "Nouveau mot de passe", "j…e@exemple.fr")
	if page := b.post(link, url.Values{"password": {"court"}}).want(http.StatusUnprocessableEntity); page.error("password") == "" {
		t.Error("nothing beside the field")
	}
	b.post(link, url.Values{"password": {"trois chevaux noirs dorment"}}).want(200, "Votre mot de passe est changé")
	if page := old.get("/account"); page.path == "/account" {
		t.Error("an old session is still good")
	}
	b.post("/signin", signUp("jeanne@exemple.fr", testPassword)).want(http.StatusUnprocessableEntity)
	b.get(link).want(http.StatusGone, "Ce lien a déjà servi")
	b.post(link, url.Values{"password": {"encore un autre mot de passe"}}).want(http.StatusUnprocessableEntity, "Ce lien a déjà servi")
	b.post("/signin", signUp("jeanne@exemple.fr", "trois chevaux noirs dorment")).want(200)
	s.clock.Advance(2 * time.Minute) // links go out so often, not oftener
	b.post("/forgot", url.Values{"email": {"jeanne@exemple.fr"}})
	link = s.link(s.last("jeanne@exemple.fr", mail.Reset))
	s.clock.Advance(61 * time.Minute)
	s.browser().get(link).want(http.StatusGone, "Ce lien n’est plus valable", "Demander un nouveau lien")
}

// Before what matters, somebody who has been in for a while proves again who they are, and then goes on.
func TestVerify(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	s.clock.Advance(11 * time.Minute)
	asked := b.get("/account/security/password").want(200, "Est-ce bien vous", "jeanne@exemple.fr")
	if asked.value("next") != "/account/security/password" {
		t.Errorf("on %s, next %q", asked.path, asked.value("next"))
	}
	wrong := b.post("/account/verify", url.Values{"password": {"pas le bon mot"}, "next": {asked.value("next")}}).want(http.StatusUnprocessableEntity)
	if wrong.error("password") == "" || wrong.value("next") != asked.value("next") {
		t.Errorf("beside the field %q, next %q", wrong.error("password"), wrong.value("next"))
	}
	if page := b.post("/account/verify", url.Values{"password": {testPassword}, "next": {asked.value("next")}}); page.path != "/account/security/password" {
		t.Errorf("leads to %s", page.path)
	}
	if page := b.post("/account/verify", url.Values{"password": {testPassword}, "next": {"//evil.example"}}); page.path != "/account" {
		t.Errorf("leads to %s", page.path)
	}
}

// A new address is the account's once its owner says so.
func TestConfirmEmailChange(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	session, err := s.auth.Session(t.Context(), b.cookie(web.SessionCookie))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.auth.RequestEmailChange(t.Context(), session, "nouvelle@exemple.fr", here); err != nil {
		t.Fatal(err)
	}
	link := s.link(s.last("nouvelle@exemple.fr", mail.EmailChange))
	asked := s.browser().get(link).want(200, "Se connecter")
	if asked.path != "/signin?next="+url.QueryEscape(link) && asked.value("next") != link {
		t.Errorf("whoever is not signed in gets to %s", asked.path)
	}
	b.get(link).want(200, "Utiliser cette adresse", "n…e@exemple.fr")
	other := s.member("paul@exemple.fr")
	other.get(link).want(200, "j…e@exemple.fr", "pas connecté au compte qui a demandé", "Changer de compte")
	other.post(link, nil).want(http.StatusUnprocessableEntity, "pas connecté au compte qui a demandé")
	if _, err := s.accounts.ByEmail(t.Context(), "nouvelle@exemple.fr"); err == nil {
		t.Error("looking at the page changed the address")
	}
	b.post(link, nil).want(200, "Votre adresse est changée")
	if _, err := s.accounts.ByEmail(t.Context(), "nouvelle@exemple.fr"); err != nil {
		t.Error(err)
	}
	b.get(link).want(http.StatusGone, "Ce lien a déjà servi")
}

// A button leads to the provider and nowhere else, and the page allows its form to end up there; coming back without
// having left is refused.
func TestThirdParty(t *testing.T) {
	t.Parallel()
	s := newSite(t, with(social.ProviderConfig{Name: "github", ClientID: "id", ClientSecret: "secret", PKCE: true}))
	b := s.browser().stay()
	for _, path := range []string{"/signin", "/signup"} {
		page := b.get(path).want(200, "Continuer avec GitHub")
		if policy := page.header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "form-action 'self' https://github.com") {
			t.Errorf("%s: %s", path, policy)
		}
	}
	left := b.post("/auth/github", url.Values{"intent": {"signin"}, "next": {"//evil.example"}}).want(http.StatusSeeOther)
	if to := left.header.Get("Location"); !strings.HasPrefix(to, "https://github.com/login/oauth/authorize?") || strings.Contains(to, "evil") {
		t.Errorf("leads to %s", to)
	}
	if b.cookie("arpent-flow") == "" {
		t.Error("the browser does not remember that it left")
	}
	b.post("/auth/nobody", url.Values{"intent": {"signin"}}).want(http.StatusNotFound)
	b.post("/auth/github", url.Values{"intent": {"other"}}).want(http.StatusBadRequest)
	for _, intent := range []string{"link", "verify"} {
		if to := b.post("/auth/github", url.Values{"intent": {intent}}).header.Get("Location"); !strings.HasPrefix(to, "/signin") {
			t.Errorf("%s leads a stranger to %s", intent, to)
		}
	}
	for _, query := range []string{"", "?code=a&state=b", "?error=access_denied&state=b", "?%zz"} {
		b := s.browser()
		page := b.get("/auth/github/callback"+query).want(200, "Cette connexion a été commencée dans un autre navigateur")
		if !strings.HasPrefix(page.path, "/signin?trouble=flow") || b.cookie(web.SessionCookie) != "" {
			t.Errorf("%s leads to %s", query, page.path)
		}
	}
	s.browser().get("/signin?trouble=<script>&done=x").want(200, "Se connecter")
}
