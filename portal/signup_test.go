package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/social"
	"arpent/internal/mail"
	"arpent/portal"
	"arpent/web"
)

func signUp(email, password string) url.Values {
	return url.Values{"email": {email}, "password": {password}}
}

// Somebody signs up, follows the link in the browser that they used, and is in; a mail scanner that follows
// it first spends nothing; the link is good once.
func TestSignUp(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser()
	b.Post("/signup?next=/account/keys", signUp(" Jeanne@Exemple.FR ", testPassword)).Want(200, "Consultez vos e-mails", "jeanne@exemple.fr")
	link := s.link(s.last("jeanne@exemple.fr", mail.Confirm))
	for range 3 {
		s.browser().Get(link).Want(200, "Confirmer l’adresse", "j…e@exemple.fr")
	}
	if page := b.Post(link, nil).Want(200); page.Path != "/account?done=confirmed" {
		t.Errorf("the link leads to %s", page.Path)
	}
	s.browser().Get(link).Want(http.StatusGone, "Ce lien a déjà servi", "Se connecter")
	if says := b.Get(link).Want(http.StatusGone, "Ce lien a déjà servi").Text("#main"); strings.Contains(says, "connect") {
		t.Errorf("who is signed in reads %q", says)
	}
	b.Post(link, nil).Want(http.StatusUnprocessableEntity, "Ce lien a déjà servi")
}

// A link that is followed on another device confirms the address once a password is chosen there, and
// leads on to nowhere that the sign-up was on the way to.
func TestConfirmElsewhere(t *testing.T) {
	t.Parallel()
	for lang, says := range map[string]string{"fr": "choisissez votre mot de passe ici", "en": "choose your password here"} {
		s := newSite(t)
		s.browser().Post("/signup?next=/account/keys", signUp("jeanne@exemple.fr", testPassword))
		link := s.link(s.last("jeanne@exemple.fr", mail.Confirm))
		other := s.browser()
		other.lang = lang
		shown := other.Get(link).Want(200, says)
		if again := other.Submit(shown, link).Want(http.StatusUnprocessableEntity); again.Error("password") == "" || other.Cookie(web.SessionCookie) != "" {
			t.Errorf("without a password: %q", again.Error("password"))
		}
		if page := other.Submit(shown, link, "password", ownersPassword).Want(200); page.Path != "/account?done=confirmed" {
			t.Errorf("leads to %s", page.Path)
		}
	}
}

// What is refused is shown next to its field, in the reader's language;
// the address is kept and the password is not.
func TestSignUpProblems(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, c := range []struct{ lang, email, password, field, text string }{
		{"fr", "jeanne", testPassword, "email", "Ce n’est pas une adresse e-mail"},
		{"en", "jeanne", testPassword, "email", "This is not an email address"},
		{"fr", "jeanne@exemple.fr", "court", "password", "au moins 12\u00a0caractères"},
		{"en", "jeanne@exemple.fr", "motdepasse2026", "password", "among the first that people try"},
		{"en", "<b>@\x00", testPassword, "email", "This is not an email address"},
	} {
		b := s.browser()
		b.lang = c.lang
		page := b.Post("/signup", signUp(c.email, c.password)).Want(http.StatusUnprocessableEntity)
		if got := page.Error(c.field); !strings.Contains(got, c.text) {
			t.Errorf("%s %q: %q next to %s", c.lang, c.email, got, c.field)
		}
		if page.Value("password") != "" || strings.Contains(page.Body, c.password) {
			t.Errorf("%s: the password came back", c.lang)
		}
		if page.Find(".error").Length() > 1 {
			t.Errorf("%s %q: more than that is wrong: %s", c.lang, c.email, page.Text(".error"))
		}
		if input := page.Find("#" + c.field); input.AttrOr("aria-invalid", "") != "true" || !strings.Contains(input.AttrOr("aria-describedby", ""), c.field+"-error") {
			t.Errorf("%s: no screen reader announces that %s is wrong", c.lang, c.field)
		}
		if !strings.Contains(c.email, "\x00") && page.Value("email") != c.email {
			t.Errorf("the address %q became %q", c.email, page.Value("email"))
		}
	}
	both := s.browser().Post("/signup", signUp("jeanne", "court")).Want(http.StatusUnprocessableEntity)
	if !strings.Contains(both.Error("email"), "Ce n’est pas une adresse") || !strings.Contains(both.Error("password"), "au moins 12\u00a0caractères") {
		t.Errorf("where both are wrong: %q, %q", both.Error("email"), both.Error("password"))
	}
	// Nor does a change of language take the address away, or where the person was going.
	for _, page := range []string{"/signup", "/signin", "/forgot"} {
		b := s.browser()
		refused := b.Post(page, url.Values{"email": {"jeanne"}, "password": {"court"}, "next": {"/account/keys"}}).Want(http.StatusUnprocessableEntity)
		english := b.Submit(refused, "/language", "language", "en")
		if english.Path != page+"?next=%2Faccount%2Fkeys" || english.Value("email") != "jeanne" || english.Text("html") == refused.Text("html") {
			t.Errorf("%s in English is at %s, with the address %q", page, english.Path, english.Value("email"))
		}
		if again := b.Get(page); again.Value("email") != "" {
			t.Errorf("%s shows %q for good", page, again.Value("email"))
		}
	}
	if len(s.mailsTo("jeanne@exemple.fr")) != 0 {
		t.Error("a refused form sent a mail")
	}
}

// Another link is sent only to a visitor who waits for one.
func TestResend(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser()
	b.Post("/signup", signUp("jeanne@exemple.fr", testPassword))
	s.clock.Advance(2 * time.Minute)
	b.Post("/resend", url.Values{"email": {"jeanne@exemple.fr"}}).Want(200, "Un message est en route")
	b.Post("/resend", url.Values{"email": {"unknown@exemple.fr"}}).Want(200, "Un message est en route")
	testkit.Want(t, len(s.mailsTo("jeanne@exemple.fr")), 2, "mails to the waiting address")
	if len(s.mailsTo("unknown@exemple.fr")) != 0 {
		t.Error("a mail to an address without an account")
	}
	wrong := b.Post("/resend", url.Values{"email": {"rien"}}).Want(http.StatusUnprocessableEntity, "Ce n’est pas une adresse", "en route vers unknown@exemple.fr")
	if english := b.Submit(wrong, "/language", "language", "en"); english.Value("email") != "rien" {
		t.Errorf("in English the address is %q", english.Value("email"))
	}
}

// A server that sends no mail states it, and offers what works.
func TestSignUpWithoutMail(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *portal.Options, _ *social.Options) { o.MailDown = true },
		withProvider(social.ProviderConfig{Name: "github", ClientID: "id", ClientSecret: "secret"}))
	page := s.browser().Get("/signup").Want(200, "Ce serveur n’envoie pas encore d’e-mails", "Continuer avec GitHub")
	page.LacksForm("/signup")
	s.browser().Post("/signup", signUp("jeanne@exemple.fr", testPassword)).Want(http.StatusServiceUnavailable)
}

// The address of a page that holds a secret is not disclosed, and what it shows is kept nowhere.
func TestLinkPagesKeepTheirSecret(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	s.browser().Post("/forgot", url.Values{"email": {"jeanne@exemple.fr"}})
	reset := s.link(s.last("jeanne@exemple.fr", mail.Reset))
	for _, path := range []string{reset, "/confirm/abc", "/email/abc", "/reset/abc", "/verify/abc", "/recover/abc"} {
		page := b.Get(path)
		if page.Header.Get("Referrer-Policy") != "no-referrer" || page.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: Referrer-Policy %q, Cache-Control %q", path, page.Header.Get("Referrer-Policy"), page.Header.Get("Cache-Control"))
		}
		if title := page.Text("title"); strings.Contains(title, path[strings.LastIndexByte(path, '/')+1:]) {
			t.Errorf("the title %q holds the secret", title)
		}
	}
}

// The reader of a French mail goes on in French in a browser that asks for English: on the page of the
// link, when it comes back with an error, and on the page after it.
func TestLinkPagesKeepTheLanguageOfTheMail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.account("jeanne@exemple.fr")
	b := s.browser().stay()
	b.lang = "en"
	b.Post("/forgot", url.Values{"email": {"jeanne@exemple.fr"}})
	reset := s.link(s.last("jeanne@exemple.fr", mail.Reset)) + "?lang=fr"
	b.Post("/signup", signUp("neuf@exemple.fr", testPassword))
	confirm := s.link(s.last("neuf@exemple.fr", mail.Confirm)) + "?lang=fr"
	inFrench := func(p *testkit.Page) *testkit.Page {
		t.Helper()
		if got := p.Find("html").AttrOr("lang", ""); got != "fr" {
			t.Errorf("%s is in %q", p.Path, got)
		}
		return p
	}
	again := inFrench(b.Submit(inFrench(b.Get(reset)), reset, "password", "short"))
	for _, to := range []string{
		b.Submit(again, reset, "password", testPassword+" new").Location(),
		b.Submit(inFrench(b.Get(confirm)), confirm).Location(),
		inFrench(b.Get("/reset/abc?lang=fr")).Find("main a.button").AttrOr("href", ""),
		inFrench(b.Get("/confirm/abc?lang=fr")).Find("main a.button").AttrOr("href", ""),
	} {
		if u, err := url.Parse(to); err != nil || u.Query().Get("lang") != "fr" {
			t.Errorf("goes on at %q, in the language of the browser", to)
		}
	}
	if got := s.mailsTo("neuf@exemple.fr")[0].Language; got != "en" {
		t.Errorf("who signed up in English has a mail in %q", got)
	}
}

// No page says that something was done that was not done in this browser; the
// one about a sign-up offers its link instead.
func TestNothingIsSaidToBeDoneThatWasNot(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser()
	says := func(path string, want ...string) {
		t.Helper()
		text := b.Get(path).Want(http.StatusOK, want...).Text("main")
		for _, done := range []string{"en route", "lui est envoyé", "est supprimé", "est changé", "pas encore confirmée"} {
			if strings.Contains(text, done) {
				t.Errorf("%s says %q:\n%s", path, done, text)
			}
		}
	}
	says("/signup/sent?done=waiting", "Demander un lien de confirmation", "Envoyer le lien")
	says("/forgot?done=sent", "Envoyer le lien")
	says("/goodbye")
	says("/signin?done=reset", "Se connecter")
	b.Post("/forgot", url.Values{"email": {"jeanne@exemple.fr"}}).Want(http.StatusOK, "un message lui est envoyé")
	says("/signup/sent")
	b.Post("/resend", url.Values{"email": {"jeanne@exemple.fr"}}).Want(http.StatusOK, "Un message est en route vers jeanne@exemple.fr")
	says("/forgot?done=sent")
	if p := s.member("paul@exemple.fr").Get("/signup/sent"); p.Path != "/account" {
		t.Errorf("an account that is confirmed waits on %s", p.Path)
	}
}
