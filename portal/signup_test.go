package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"arpent/app/base/mail"
	"arpent/auth/social"
	"arpent/portal"
	"arpent/web"
)

func signUp(email, password string) url.Values {
	return url.Values{"email": {email}, "password": {password}}
}

// Somebody signs up, follows the link in the browser that they used, and is in; a mail scanner that follows it first
// spends nothing; the link is good once.
func TestSignUp(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser()
	b.post("/signup?next=/account/keys", signUp(" Jeanne@Exemple.FR ", testPassword)).want(200, "Consultez vos e-mails", "jeanne@exemple.fr")
	link := s.link(s.last("jeanne@exemple.fr", mail.Confirm))
	for range 3 {
		s.browser().get(link).want(200, "Confirmer l’adresse", "j…e@exemple.fr")
	}
	if page := b.post(link, nil).want(200); page.path != "/account?done=confirmed" {
		t.Errorf("the link leads to %s", page.path)
	}
	b.get(link).want(http.StatusGone, "Ce lien a déjà servi", "Se connecter")
	b.post(link, nil).want(http.StatusUnprocessableEntity, "Ce lien a déjà servi")
}

// A link that is followed on another device confirms the address of whoever chooses a password there, and leads on to
// nowhere that the sign-up was on the way to.
func TestConfirmElsewhere(t *testing.T) {
	t.Parallel()
	for lang, says := range map[string]string{"fr": "choisissez votre mot de passe ici", "en": "choose your password here"} {
		s := newSite(t)
		s.browser().post("/signup?next=/account/keys", signUp("jeanne@exemple.fr", testPassword))
		link := s.link(s.last("jeanne@exemple.fr", mail.Confirm))
		other := s.browser()
		other.lang = lang
		shown := other.get(link).want(200, says)
		if again := other.submit(shown, link).want(http.StatusUnprocessableEntity); again.error("password") == "" || other.cookie(web.SessionCookie) != "" {
			t.Errorf("without a password: %q", again.error("password"))
		}
		if page := other.submit(shown, link, "password", ownersPassword).want(200); page.path != "/account?done=confirmed" {
			t.Errorf("leads to %s", page.path)
		}
	}
}

// The page says the same whether or not the address has an account; only its owner is told, by mail.
func TestSignUpTellsNobody(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.account("connue@exemple.fr")
	known := s.browser().post("/signup", signUp("connue@exemple.fr", testPassword))
	unknown := s.browser().post("/signup", signUp("autree@exemple.fr", testPassword))
	if known.path != unknown.path || known.status != unknown.status ||
		known.text() != strings.ReplaceAll(unknown.text(), "autree@", "connue@") {
		t.Errorf("%d %s\n%s\nor\n%d %s\n%s", known.status, known.path, known.text(), unknown.status, unknown.path, unknown.text())
	}
	s.last("connue@exemple.fr", mail.SignUpExists)
	s.last("autree@exemple.fr", mail.Confirm)
}

// What is refused is said beside its field, in the reader's language; the address is kept and the password is not.
func TestSignUpProblems(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, c := range []struct{ lang, email, password, field, text string }{
		{"fr", "jeanne", testPassword, "email", "Ce n’est pas une adresse e-mail"},
		{"en", "jeanne", testPassword, "email", "This is not an e-mail address"},
		{"fr", "jeanne@exemple.fr", "court", "password", "au moins 12 caractères"},
		{"en", "jeanne@exemple.fr", "motdepasse2026", "password", "among the first that people try"},
		{"en", "<b>@\x00", testPassword, "email", "This is not an e-mail address"},
	} {
		b := s.browser()
		b.lang = c.lang
		page := b.post("/signup", signUp(c.email, c.password)).want(http.StatusUnprocessableEntity)
		if got := page.error(c.field); !strings.Contains(got, c.text) {
			t.Errorf("%s %q: %q beside %s", c.lang, c.email, got, c.field)
		}
		if page.value("password") != "" || strings.Contains(page.body, c.password) {
			t.Errorf("%s: the password came back", c.lang)
		}
		if input := page.byID(c.field); attr(input, "aria-invalid") != "true" || !strings.Contains(attr(input, "aria-describedby"), c.field+"-error") {
			t.Errorf("%s: a screen reader is not told that %s is wrong", c.lang, c.field)
		}
		if !strings.Contains(c.email, "\x00") && page.value("email") != c.email {
			t.Errorf("the address %q became %q", c.email, page.value("email"))
		}
	}
	if len(s.mailsTo("jeanne@exemple.fr")) != 0 {
		t.Error("a refused form sent a mail")
	}
}

// Another link is sent to whoever waits for one, and to nobody else; the answer does not differ.
func TestResend(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser()
	b.post("/signup", signUp("jeanne@exemple.fr", testPassword))
	s.clock.Advance(2 * time.Minute)
	waiting := b.post("/resend", url.Values{"email": {"jeanne@exemple.fr"}}).want(200, "Un message est en route")
	nobody := b.post("/resend", url.Values{"email": {"xxxxxx@exemple.fr"}}).want(200, "Un message est en route")
	if waiting.text() != strings.ReplaceAll(nobody.text(), "xxxxxx@", "jeanne@") {
		t.Error("the answers differ")
	}
	if n := len(s.mailsTo("jeanne@exemple.fr")); n != 2 {
		t.Errorf("%d mails to the waiting address", n)
	}
	if len(s.mailsTo("xxxxxx@exemple.fr")) != 0 {
		t.Error("a mail to an address without an account")
	}
	b.post("/resend", url.Values{"email": {"rien"}}).want(http.StatusUnprocessableEntity, "Ce n’est pas une adresse")
}

// A server that sends no mail says so, and offers what works.
func TestSignUpWithoutMail(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *portal.Options, _ *social.Options) { o.MailDown = true },
		with(social.ProviderConfig{Name: "github", ClientID: "id", ClientSecret: "secret"}))
	page := s.browser().get("/signup").want(200, "Ce serveur n’envoie pas encore d’e-mails", "Continuer avec GitHub")
	if page.form("/signup") != nil {
		t.Error("a form that leads nowhere")
	}
	s.browser().post("/signup", signUp("jeanne@exemple.fr", testPassword)).want(http.StatusServiceUnavailable)
}

// The address of a page that holds a secret is told to nobody, and what it shows is kept nowhere.
func TestLinkPagesKeepTheirSecret(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	s.browser().post("/forgot", url.Values{"email": {"jeanne@exemple.fr"}})
	reset := s.link(s.last("jeanne@exemple.fr", mail.Reset))
	for _, path := range []string{reset, "/confirm/abc", "/email/abc", "/reset/abc"} {
		page := b.get(path)
		if page.header.Get("Referrer-Policy") != "no-referrer" || page.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: Referrer-Policy %q, Cache-Control %q", path, page.header.Get("Referrer-Policy"), page.header.Get("Cache-Control"))
		}
		if title := textOf(find(page.doc, named("title"))); strings.Contains(title, path[strings.LastIndexByte(path, '/')+1:]) {
			t.Errorf("the title %q holds the secret", title)
		}
	}
}
