package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/billing"
	"arpent/internal/mail"
	"arpent/web"
)

// resumed fails the test unless the page is the decision about plain, to the byte.
func (s *site) resumed(p *testkit.Page, email string) {
	s.t.Helper()
	p.Want(200, "Autoriser cet assistant", "Claude", email)
	if p.Path != plain || p.Value("request") != strings.TrimPrefix(plain, "/oauth/authorize?") {
		s.t.Errorf("resumed as %s\nwith %s\nwant %s", p.Path, p.Value("request"), plain)
	}
}

// A visitor who signs in on the way decides about the very request that brought them.
func TestAuthorizeAfterSignIn(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	s.account("jeanne@exemple.fr")
	b := s.browser()
	wrong := b.Submit(b.Get(plain).Want(200, "Un assistant demande l’accès"), "/signin", "email", "jeanne@exemple.fr", "password", "pas le bon mot")
	wrong.Want(http.StatusUnprocessableEntity, "Pour relier Claude")
	s.resumed(b.Submit(wrong, "/signin", "email", "jeanne@exemple.fr", "password", testPassword), "jeanne@exemple.fr")

	// In another language: the page is the same.
	if page := b.Submit(b.Get(plain), "/language", "language", "en").Want(200, "Authorize this assistant?"); page.Path != plain {
		t.Errorf("in English the page is %s", page.Path)
	}
	s.resumed(b.Submit(b.Get(plain), "/language", "language", "fr"), "jeanne@exemple.fr")

	// As somebody else: signed out, and back.
	s.account("paul@exemple.fr")
	again := b.Submit(b.Get(plain), "/signout", "next", plain)
	if again.Path != plain || b.Cookie(web.SessionCookie) != "" {
		t.Fatalf("signing out leads to %s", again.Path)
	}
	s.resumed(b.Submit(again, "/signin", "email", "paul@exemple.fr", "password", testPassword), "paul@exemple.fr")
}

func TestAuthorizeAfterSecondFactor(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	first := s.member("jeanne@exemple.fr")
	secret, _ := first.enableTOTP()
	s.clock.Advance(time.Minute)
	b := s.browser()
	asked := b.Submit(b.Get(plain), "/signin", "email", "jeanne@exemple.fr", "password", testPassword).Want(200, "Double authentification", "Pour relier Claude")
	wrong := b.Submit(asked, "/signin/code", "code", "000000").Want(http.StatusUnprocessableEntity)
	s.resumed(b.Submit(wrong, "/signin/code", "code", totpCode(t, secret, s.clock.Now())), "jeanne@exemple.fr")

	// Too slow: the sign-in starts again, the request stays.
	slow := s.browser()
	asked = slow.Submit(slow.Get(plain), "/signin", "email", "jeanne@exemple.fr", "password", testPassword)
	s.clock.Advance(11 * time.Minute)
	over := slow.Submit(asked, "/signin/code", "code", totpCode(t, secret, s.clock.Now())).Want(200, "a pris trop de temps", "Pour relier Claude")
	asked = slow.Submit(over, "/signin", "email", "jeanne@exemple.fr", "password", testPassword).Want(200, "Double authentification")
	s.resumed(slow.Submit(asked, "/signin/code", "code", totpCode(t, secret, s.clock.Now())), "jeanne@exemple.fr")
}

// signUpOnTheWay makes an account from the page of an authorization,
// and gives the page that waits for the mail.
func (s *site) signUpOnTheWay(b *browser, email string) *testkit.Page {
	s.t.Helper()
	form := b.Get(b.Get(plain).Link("/signup?next=")).Want(200, "Pour relier Claude")
	return b.Submit(form, "/signup", "email", email, "password", testPassword).Want(200, "Consultez vos e-mails", "Pour relier Claude")
}

// A visitor who makes an account on the way confirms it in the browser where they read their mail: the
// request goes on there, and in the tab that waits.
func TestAuthorizeAfterSignUp(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	b := s.browser()
	sent := s.signUpOnTheWay(b, "jeanne@exemple.fr")
	if page := b.Get("/signup/waiting"); page.Status != http.StatusNoContent {
		t.Errorf("before the link is followed the waiting tab gets %d", page.Status)
	}
	next := sent.Link("/signup/continue")
	b.Get(next).Want(200, "pas encore confirmée", "Pour relier Claude")
	link := s.link(s.last("jeanne@exemple.fr", mail.Confirm))
	if strings.Contains(link, "next") || strings.Contains(link, "authorize") {
		t.Errorf("the mail contains the request: %s", link)
	}
	s.resumed(b.Submit(b.Get(link), link), "jeanne@exemple.fr")
	testkit.Want(t, b.Get("/signup/waiting").Status, http.StatusOK, "the waiting tab gets")
	s.resumed(b.Get(next), "jeanne@exemple.fr")
}

func TestAuthorizeAfterConfirmationElsewhere(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	b, other := s.browser(), s.browser()
	next := s.signUpOnTheWay(b, "jeanne@exemple.fr").Link("/signup/continue")
	link := s.link(s.last("jeanne@exemple.fr", mail.Confirm))
	// Where the sign-up was on the way to may be where an attacker wants the reader of the mail to be.
	if page := other.confirm(link, ownersPassword); page.Path != "/account?done=confirmed" {
		t.Errorf("in another browser the link leads to %s", page.Path)
	}
	testkit.Want(t, b.Get("/signup/waiting").Status, http.StatusOK, "the waiting tab gets")
	signIn := b.Get(next).Want(200, "Votre adresse est confirmée. Connectez-vous pour continuer")
	testkit.Want(t, signIn.Value("email"), "jeanne@exemple.fr", "the address is to be typed again")
	s.resumed(b.Submit(signIn, "/signin", "password", ownersPassword), "jeanne@exemple.fr")
	// The link again, from the mail: it is used, and still leads on in the browser of the sign-up.
	b.Get(link).Want(http.StatusGone).Link("/signin?next=")
	s.browser().Get(link).Want(http.StatusGone).Link("/signin")
}

// A second mail leads where the first one did; so does that of
// somebody who tries to sign in before confirming.
func TestAuthorizeAfterResend(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	b := s.browser()
	sent := s.signUpOnTheWay(b, "jeanne@exemple.fr")
	s.clock.Advance(2 * time.Minute)
	b.Submit(sent, "/resend").Want(200, "Consultez vos e-mails", "Pour relier Claude")
	s.clock.Advance(2 * time.Minute)
	other := s.browser() // which has no request: that of the sign-up stays
	other.Post("/resend", url.Values{"email": {"jeanne@exemple.fr"}})
	link := s.link(s.last("jeanne@exemple.fr", mail.Confirm))
	s.resumed(b.Submit(b.Get(link), link), "jeanne@exemple.fr")

	paul := s.browser()
	paul.Post("/signup", signUp("paul@exemple.fr", testPassword))
	s.clock.Advance(2 * time.Minute)
	paul.Submit(paul.Get(plain), "/signin", "email", "paul@exemple.fr", "password", testPassword).Want(http.StatusUnprocessableEntity)
	link = s.link(s.last("paul@exemple.fr", mail.Confirm))
	s.resumed(paul.Submit(paul.Get(link), link), "paul@exemple.fr")
}

func TestAuthorizeAfterReset(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	s.account("jeanne@exemple.fr")
	b := s.browser()
	forgot := b.Get(b.Get(plain).Link("/forgot?next=")).Want(200, "Pour relier Claude")
	b.Submit(forgot, "/forgot", "email", "jeanne@exemple.fr").Want(200, "un message lui est envoyé")
	link := s.link(s.last("jeanne@exemple.fr", mail.Reset))
	other := s.browser()
	in := other.Submit(other.Get(link), link, "password", "trois chevaux noirs dorment").Want(200, "Votre mot de passe est changé", "Pour relier Claude")
	review := other.Submit(in, "/signin", "email", "jeanne@exemple.fr", "password", "trois chevaux noirs dorment").Want(200, "Ce qui a accès à votre compte")
	if policy := review.Header.Get("Cross-Origin-Opener-Policy"); policy != "unsafe-none" {
		t.Errorf("the window of the client is lost on the way: %q", policy)
	}
	s.resumed(other.Get(review.Link("/oauth/authorize")), "jeanne@exemple.fr")
}

// An account whose address is not confirmed grants nothing: it is shown what to do, and continues after it.
func TestAuthorizeUnconfirmed(t *testing.T) {
	t.Parallel()
	s, a := newAssistantSite(t)
	b := s.member("jeanne@exemple.fr")
	s.exec(`UPDATE account.account SET email_confirmed_at = NULL WHERE id = $1`, b.account.ID)
	page := b.Get(plain).Want(200, "Confirmez d’abord votre adresse", "Claude", "jeanne@exemple.fr")
	b.Post("/oauth/authorize", url.Values{"request": {strings.TrimPrefix(plain, "/oauth/authorize?")}, "decision": {"allow"}}).Want(200, "Confirmez d’abord")
	b.Submit(page, "/resend").Want(200, "Consultez vos e-mails")
	link := s.link(s.last("jeanne@exemple.fr", mail.Confirm))
	b.confirm(link, ownersPassword)
	s.resumed(b.Get(plain), "jeanne@exemple.fr")
	if got := a.grants(); len(got) != 0 {
		t.Errorf("granted by %v", got)
	}
}

// Where a mailed link leads on to is a page of ours, whatever the form that asked for it said; and what waits
// does not reveal whether an address has an account.
func TestMailedLinkLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	for i, next := range []string{"https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/x\x00", "/" + strings.Repeat("a", 9000)} {
		email := string(rune('a'+i)) + "@exemple.fr"
		b := s.browser()
		form := signUp(email, testPassword)
		form.Set("next", next)
		b.Post("/signup", form).Want(200, "Consultez vos e-mails")
		link := s.link(s.last(email, mail.Confirm))
		if page := b.Post(link, nil); page.Path != "/account?done=confirmed" {
			t.Errorf("next=%.30q leads to %s", next, page.Path)
		}
	}
	if _, err := s.accounts.Create(t.Context(), auth.NewAccount{Email: "connue@exemple.fr", Password: testPassword, Plan: billing.Free, Confirmed: true}); err != nil {
		t.Fatal(err)
	}
	b := s.browser()
	b.Post("/signup", signUp("connue@exemple.fr", testPassword))
	if page := b.Get("/signup/waiting"); page.Status != http.StatusNoContent {
		t.Errorf("waiting for an address that has an account is answered with %d", page.Status)
	}
}
