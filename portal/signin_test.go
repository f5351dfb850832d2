package portal_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/social"
	"arpent/internal/mail"
	"arpent/web"
)

var here = auth.Origin{Address: netip.MustParseAddr("127.0.0.1"), Agent: testkit.UserAgent, Language: "fr"}

// The right address and password lead to where one wanted to go, and nowhere else.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.account("jeanne@exemple.fr")
	wrong := s.browser().Post("/signin", signUp("jeanne@exemple.fr", "pas le bon mot")).Want(http.StatusUnprocessableEntity)
	testkit.Want(t, wrong.Value("email"), "jeanne@exemple.fr", "the address is")
	for next, want := range map[string]string{
		"": "/account", "/account/keys?x=1": "/account/keys?x=1", "https://evil.example/": "/account", "//evil.example": "/account",
		"/\\evil.example": "/account", "javascript:alert(1)": "/account", "/%2f/evil.example": "/account", "\t//evil.example": "/account",
		s.base + "@evil.example/": "/account",
	} {
		b := s.browser()
		form := signUp("jeanne@exemple.fr", testPassword)
		form.Set("next", next)
		if page := b.Post("/signin", form); page.Path != want {
			t.Errorf("next=%q leads to %s", next, page.Path)
		}
		if page := b.Get("/signin?next=" + url.QueryEscape(next)); page.Path != want {
			t.Errorf("next=%q leads a signed-in visitor to %s", next, page.Path)
		}
	}
}

// A visitor who asked for the page in another language than the browser's reads all of the way in in that
// language, and what it leads to. What is no language of ours changes nothing.
func TestSignInKeepsItsLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.account("jeanne@exemple.fr")
	inEnglish := func(p *testkit.Page) *testkit.Page {
		t.Helper()
		if got := p.Find("html").AttrOr("lang", ""); got != "en" {
			t.Errorf("%s is in %q", p.Path, got)
		}
		return p
	}
	b := s.browser()
	page := inEnglish(b.Get("/signin?lang=en&next=/account/keys"))
	for _, password := range []string{"pas le bon mot", "ni celui-ci"} {
		page = inEnglish(b.Submit(page, "/signin?lang=en", "email", "jeanne@exemple.fr", "password", password).Want(http.StatusUnprocessableEntity))
	}
	if page = inEnglish(b.Submit(page, "/signin?lang=en", "password", testPassword)); page.Path != "/account/keys?lang=en" {
		t.Errorf("leads to %s", page.Path)
	}
	for _, language := range []string{"de", "EN", "//evil.example", "en&next=//evil.example", "en%0d%0aX-Evil:%201"} {
		page := s.browser().Post("/signin?lang="+language, signUp("jeanne@exemple.fr", testPassword))
		if strings.TrimSuffix(page.Path, "?lang=en") != "/account" || page.Header.Get("X-Evil") != "" {
			t.Errorf("lang=%s leads to %s", language, page.Path)
		}
	}
	for from, to := range map[string]string{"/signup": "/signup/sent", "/forgot": "/forgot?done=sent"} {
		b := s.browser()
		if page := inEnglish(b.Submit(b.Get(from+"?lang=en"), from+"?lang=en", "email", "neuf@exemple.fr", "password", testPassword)); !strings.HasPrefix(page.Path, to) {
			t.Errorf("%s leads to %s", from, page.Path)
		}
	}
}

// Signing out holds in every window; doing it again, or with a session that has ended, is no error.
func TestSignOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	token := b.Cookie(web.SessionCookie)
	b.Post("/signout", nil).Want(200, "Vous êtes déconnecté")
	if b.Cookie(web.SessionCookie) != "" {
		t.Error("the cookie is still there")
	}
	b.SetCookie(web.SessionCookie, token)
	b.Post("/signout", nil).Want(200, "Vous êtes déconnecté")
	b.SetCookie(web.SessionCookie, token)
	if page := b.Get("/account"); !strings.HasPrefix(page.Path, "/signin?trouble=ended&next=") {
		t.Errorf("an ended session still opens %s", page.Path)
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
		page := b.Post("/signin", signUp("jeanne@exemple.fr", "pas le bon mot"))
		if page.Status == http.StatusTooManyRequests {
			page.Want(http.StatusTooManyRequests, "Too many attempts. Try again in")
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
	secret, recovery := b.enableTOTP()
	s.clock.Advance(time.Minute)
	for _, right := range []string{totpCode(t, secret, s.clock.Now()), recovery[0]} {
		b := s.browser()
		form := signUp("jeanne@exemple.fr", testPassword)
		form.Set("next", "/account/keys")
		page := b.Post("/signin", form).Want(200, "Double authentification")
		if b.Cookie(web.SessionCookie) != "" || b.Get("/account").Path == "/account" {
			t.Fatal("the password alone opens the account")
		}
		wrong := b.Post("/signin/code", url.Values{"code": {"000000"}, "next": {page.Value("next")}}).Want(http.StatusUnprocessableEntity)
		if wrong.Error("code") == "" || wrong.Value("next") != "/account/keys" {
			t.Errorf("next to the field: %q, next %q", wrong.Error("code"), wrong.Value("next"))
		}
		if page := b.Post("/signin/code", url.Values{"code": {right}, "next": {wrong.Value("next")}}); page.Path != "/account/keys" {
			t.Errorf("%q leads to %s", right, page.Path)
		}
		again := s.browser()
		again.Post("/signin", signUp("jeanne@exemple.fr", testPassword))
		again.Post("/signin/code", url.Values{"code": {right}}).Want(http.StatusUnprocessableEntity)
	}
	if page := s.browser().Get("/signin/code"); page.Path != "/signin" {
		t.Errorf("a code is asked of somebody who has not begun, on %s", page.Path)
	}
}

// enableTOTP gives the person of a browser an authenticator application with that secret, and recovery codes.
func (b *browser) enableTOTP() (secret string, recovery []string) {
	b.s.t.Helper()
	ctx, session := b.s.t.Context(), b.session()
	enrolment, err := b.s.auth.BeginTOTP(ctx, session)
	testkit.NoError(b.s.t, err)
	recovery, err = b.s.auth.EnableTOTP(ctx, session, enrolment.Sealed, totpCode(b.s.t, enrolment.Secret, b.s.clock.Now()), here)
	testkit.NoError(b.s.t, err)
	return enrolment.Secret, recovery
}

func totpCode(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	return testkit.Must(totp.GenerateCode(secret, at))(t)
}

// A forgotten password is replaced by the reader of the mail, once; the old one and the old sessions are then
// worth nothing.
func TestResetPassword(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	old := s.member("jeanne@exemple.fr")
	b := s.browser()
	b.Post("/forgot", url.Values{"email": {"jeanne@exemple.fr"}}).Want(200, "un message lui est envoyé")
	link := s.link(s.last("jeanne@exemple.fr", mail.Reset))
	b.Get(link).Want(200, "Nouveau mot de passe", "j…e@exemple.fr")
	if page := b.Post(link, url.Values{"password": {"court"}}).Want(http.StatusUnprocessableEntity); page.Error("password") == "" {
		t.Error("nothing next to the field")
	}
	b.Post(link, url.Values{"password": {"trois chevaux noirs dorment"}}).Want(200, "Votre mot de passe est changé")
	if page := old.Get("/account"); page.Path == "/account" {
		t.Error("an old session is still good")
	}
	b.Post("/signin", signUp("jeanne@exemple.fr", testPassword)).Want(http.StatusUnprocessableEntity)
	b.Get(link).Want(http.StatusGone, "Ce lien a déjà servi")
	b.Post(link, url.Values{"password": {"encore un autre mot de passe"}}).Want(http.StatusUnprocessableEntity, "Ce lien a déjà servi")
	b.Post("/signin", signUp("jeanne@exemple.fr", "trois chevaux noirs dorment")).Want(200)
	if says := b.Get(link).Want(http.StatusGone, "Votre mot de passe est donc changé").Text("#main"); strings.Contains(says, "connect") {
		t.Errorf("who is signed in reads %q", says)
	}
	s.clock.Advance(2 * time.Minute) // links go out so often, not oftener
	b.Post("/forgot", url.Values{"email": {"jeanne@exemple.fr"}})
	link = s.link(s.last("jeanne@exemple.fr", mail.Reset))
	s.clock.Advance(61 * time.Minute)
	s.browser().Get(link).Want(http.StatusGone, "Ce lien n’est plus valable", "Demander un nouveau lien")
}

// Before what matters, somebody who has been in for a while proves again who they are, and then goes on.
func TestVerify(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	s.clock.Advance(11 * time.Minute)
	asked := b.Get("/account/security/password").Want(200, "Est-ce bien vous", "jeanne@exemple.fr")
	if asked.Value("next") != "/account/security/password" {
		t.Errorf("on %s, next %q", asked.Path, asked.Value("next"))
	}
	wrong := b.Post("/account/verify", url.Values{"password": {"pas le bon mot"}, "next": {asked.Value("next")}}).Want(http.StatusUnprocessableEntity)
	if wrong.Error("password") == "" || wrong.Value("next") != asked.Value("next") {
		t.Errorf("next to the field %q, next %q", wrong.Error("password"), wrong.Value("next"))
	}
	// Cancelling leads back to where the visitor came from, here alone, and not on a
	// page that asks once more.
	for from, back := range map[string]string{s.base + "/account/security?lang=fr": "/account/security?lang=fr", "": "/account", "https://evil.example/account": "/account",
		s.base + "//evil.example": "/account", s.base + "/account/verify?next=%2Faccount": "/account", s.base + "/account/security/password": "/account"} {
		cancel := func(p *testkit.Page) string { return p.Find(".after a").Last().AttrOr("href", "") }
		p := b.Get("/account/security/password", "Referer", from).Want(200)
		if got := cancel(p); got != back {
			t.Errorf("from %q, cancelling leads to %q", from, got)
		}
		p = b.Submit(p, "/account/verify", "password", "pas le bon mot").Want(http.StatusUnprocessableEntity)
		if got := cancel(p); got != back {
			t.Errorf("from %q, cancelling after a mistake leads to %q", from, got)
		}
		if p = b.Submit(p, "/language", "language", "fr"); p.Value("next") != asked.Value("next") || cancel(p) != back {
			t.Errorf("from %q, after a change of language %q, %q", from, p.Value("next"), cancel(p))
		}
		s.clock.Advance(time.Hour)
	}
	if to := b.Get("/account/verify?back=//evil.example").Find(".after a").Last().AttrOr("href", ""); to != "/account" {
		t.Errorf("cancelling leads to %q", to)
	}
	// Nor does the page change its language on the way.
	english := b.Get("/account/security/password?lang=en").Want(200, "Confirm that it is you")
	b.Submit(english, "/account/verify?lang=en", "password", "not the right one").Want(http.StatusUnprocessableEntity, "Confirm that it is you")
	testkit.Want(t, english.Value("next"), "/account/security/password?lang=en", "then comes")
	if page := b.Post("/account/verify", url.Values{"password": {testPassword}, "next": {asked.Value("next")}}); page.Path != "/account/security/password" {
		t.Errorf("leads to %s", page.Path)
	}
	if page := b.Post("/account/verify", url.Values{"password": {testPassword}, "next": {"//evil.example"}}); page.Path != "/account" {
		t.Errorf("leads to %s", page.Path)
	}
}

// An account without a password whose provider cannot prove who is there proves it by a link in a mail, which
// every page that asks for a proof offers, and then goes on to what it wanted.
func TestVerifyByMail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, other := s.member("jeanne@exemple.fr"), s.signIn("jeanne@exemple.fr")
	s.exec(`UPDATE account.account SET password_hash = NULL`)
	s.clock.Advance(11 * time.Minute)
	asked := b.Get("/account/delete").Want(200, "Est-ce bien vous", "Recevoir un lien par e-mail")
	asked.LacksForm("/account/verify")
	b.Submit(asked, "/account/verify/mail").Want(200, "Un lien est en route vers votre adresse", "15\u00a0minutes", "Envoyer un nouveau lien")
	letter := s.last("jeanne@exemple.fr", mail.Verify)
	if letter.Values["address"] != "127.0.0.1" || letter.Values["device"] == "" {
		t.Errorf("the mail does not say who asked: %v", letter.Values)
	}
	link := s.link(letter)
	// Too many are refused with the time to wait.
	if p := b.Submit(asked, "/account/verify/mail").Want(http.StatusTooManyRequests, "Trop d’essais", "Est-ce bien vous"); p.Header.Get("Retry-After") == "" || p.Value("next") != "/account/delete" {
		t.Errorf("Retry-After %q, next %q", p.Header.Get("Retry-After"), p.Value("next"))
	}
	other.Get(link).Want(200, "dans une autre session", "Demander un nouveau lien")
	other.Post(link, nil).Want(http.StatusUnprocessableEntity, "dans une autre session")
	page := b.Get(link).Want(200, "Est-ce bien vous", "j…e@exemple.fr", "C’est bien moi")
	if p := b.Get("/account/delete"); !strings.HasPrefix(p.Path, "/account/verify") {
		t.Errorf("looking at the page proves who is there: %s", p.Path)
	}
	if p := b.Submit(page, link); p.Path != "/account/delete" {
		t.Errorf("leads to %s:\n%s", p.Path, p.Text("main"))
	}
	b.Get("/account/security/activity").Want(200, "Identité prouvée de nouveau", "par un lien reçu par e-mail")
	b.Get(link).Want(http.StatusGone, "Ce lien a déjà servi", "Demander un nouveau lien")

	// Where a second factor is on, the mail alone is not enough.
	sealed := b.Get("/account/security/two-factor")
	secret := strings.ReplaceAll(sealed.Text(".secret"), " ", "")
	code := func() string {
		t.Helper()
		s.clock.Advance(time.Minute)
		return totpCode(t, secret, s.clock.Now())
	}
	b.Post("/account/security/two-factor", url.Values{"sealed": {sealed.Value("sealed")}, "code": {code()}}).Want(200, "La double authentification est active")
	s.clock.Advance(11 * time.Minute)
	b.Submit(b.Get("/account/export"), "/account/verify/mail").Want(200, "Un lien est en route")
	link = s.link(s.last("jeanne@exemple.fr", mail.Verify))
	wrong := b.Submit(b.Get(link).Want(200, "Code à six chiffres"), link, "code", "000000").Want(http.StatusUnprocessableEntity)
	if wrong.Error("code") == "" {
		t.Error("the field of the code shows no error")
	}
	if p := b.Submit(wrong, link, "code", code()); p.Path != "/account/export" {
		t.Errorf("with the code: %s\n%s", p.Path, p.Text("main"))
	}
}

// A new address is the account's once its owner confirms it.
func TestConfirmEmailChange(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	testkit.NoError(t, s.auth.RequestEmailChange(t.Context(), b.session(), "nouvelle@exemple.fr", here))
	link := s.link(s.last("nouvelle@exemple.fr", mail.EmailChange))
	asked := s.browser().Get(link).Want(200, "Se connecter")
	if asked.Path != "/signin?next="+url.QueryEscape(link) && asked.Value("next") != link {
		t.Errorf("a visitor who is not signed in gets to %s", asked.Path)
	}
	b.Get(link).Want(200, "Utiliser cette adresse", "n…e@exemple.fr")
	other := s.member("paul@exemple.fr")
	other.Get(link).Want(200, "j…e@exemple.fr", "pas connecté au compte qui a demandé", "Changer de compte")
	other.Post(link, nil).Want(http.StatusUnprocessableEntity, "pas connecté au compte qui a demandé")
	if _, err := s.accounts.ByEmail(t.Context(), "nouvelle@exemple.fr"); err == nil {
		t.Error("looking at the page changed the address")
	}
	b.Post(link, nil).Want(200, "Votre adresse est changée")
	if _, err := s.accounts.ByEmail(t.Context(), "nouvelle@exemple.fr"); err != nil {
		t.Error(err)
	}
	b.Get(link).Want(http.StatusGone, "Ce lien a déjà servi")
}

// A button leads to the provider and nowhere else, and the page allows its form to end up there;
// coming back without having left is refused.
func TestThirdParty(t *testing.T) {
	t.Parallel()
	s := newSite(t, withProvider(social.ProviderConfig{Name: "github", ClientID: "id", ClientSecret: "secret", PKCE: true}))
	b := s.browser().stay()
	for _, path := range []string{"/signin", "/signup"} {
		page := b.Get(path).Want(200, "Continuer avec GitHub")
		if policy := page.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "form-action 'self' https://github.com") {
			t.Errorf("%s: %s", path, policy)
		}
	}
	left := b.Post("/auth/github", url.Values{"intent": {"signin"}, "next": {"//evil.example"}}).Want(http.StatusSeeOther)
	if to := left.Header.Get("Location"); !strings.HasPrefix(to, "https://github.com/login/oauth/authorize?") || strings.Contains(to, "evil") {
		t.Errorf("leads to %s", to)
	}
	if b.Cookie("arpent-flow") == "" {
		t.Error("the browser does not remember that it left")
	}
	b.Post("/auth/unknown", url.Values{"intent": {"signin"}}).Want(http.StatusNotFound)
	b.Post("/auth/github", url.Values{"intent": {"other"}}).Want(http.StatusBadRequest)
	for _, intent := range []string{"link", "verify"} {
		if to := b.Post("/auth/github", url.Values{"intent": {intent}}).Header.Get("Location"); !strings.HasPrefix(to, "/signin") {
			t.Errorf("%s leads an anonymous visitor to %s", intent, to)
		}
	}
	for _, query := range []string{"", "?code=a&state=b", "?error=access_denied&state=b", "?%zz"} {
		b := s.browser()
		page := b.Get("/auth/github/callback"+query).Want(200, "Cette connexion a été commencée dans un autre navigateur")
		if !strings.HasPrefix(page.Path, "/signin?trouble=flow") || b.Cookie(web.SessionCookie) != "" {
			t.Errorf("%s leads to %s", query, page.Path)
		}
	}
	s.browser().Get("/signin?trouble=<script>&done=x").Want(200, "Se connecter")
}
