package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"arpent/app/base/mail"
	"arpent/auth"
	"arpent/billing"
	"arpent/web"
)

// resumed fails the test unless the page is the decision about plain, to the byte.
func (p *page) resumed(email string) {
	p.t.Helper()
	p.want(200, "Autoriser cet assistant", "Claude", email)
	if p.path != plain || p.value("request") != strings.TrimPrefix(plain, "/oauth/authorize?") {
		p.t.Errorf("resumed as %s\nwith %s\nwant %s", p.path, p.value("request"), plain)
	}
}

// Whoever signs in on the way decides about the very request that brought them.
func TestAuthorizeAfterSignIn(t *testing.T) {
	t.Parallel()
	s, _ := connecting(t)
	s.account("jeanne@exemple.fr")
	b := s.browser()
	wrong := b.submit(b.get(plain).want(200, "Un assistant demande l’accès"), "/signin", "email", "jeanne@exemple.fr", "password", "pas le bon mot")
	wrong.want(http.StatusUnprocessableEntity, "Pour relier Claude")
	b.submit(wrong, "/signin", "email", "jeanne@exemple.fr", "password", testPassword).resumed("jeanne@exemple.fr")

	// In another language: the page is the same.
	if page := b.submit(b.get(plain), "/language", "language", "en").want(200, "Authorize this assistant?"); page.path != plain {
		t.Errorf("in English the page is %s", page.path)
	}
	b.submit(b.get(plain), "/language", "language", "fr").resumed("jeanne@exemple.fr")

	// As somebody else: signed out, and back.
	s.account("paul@exemple.fr")
	again := b.submit(b.get(plain), "/signout", "next", plain)
	if again.path != plain || b.cookie(web.SessionCookie) != "" {
		t.Fatalf("signing out leads to %s", again.path)
	}
	b.submit(again, "/signin", "email", "paul@exemple.fr", "password", testPassword).resumed("paul@exemple.fr")
}

func TestAuthorizeAfterSecondFactor(t *testing.T) {
	t.Parallel()
	s, _ := connecting(t)
	first := s.member("jeanne@exemple.fr")
	session, err := s.auth.Session(t.Context(), first.cookie(web.SessionCookie))
	if err != nil {
		t.Fatal(err)
	}
	enrolment, err := s.auth.BeginTOTP(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.auth.EnableTOTP(t.Context(), session, enrolment.Sealed, code(t, enrolment.Secret, s.clock.Now()), here); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Minute)
	b := s.browser()
	asked := b.submit(b.get(plain), "/signin", "email", "jeanne@exemple.fr", "password", testPassword).want(200, "Double authentification", "Pour relier Claude")
	wrong := b.submit(asked, "/signin/code", "code", "000000").want(http.StatusUnprocessableEntity)
	b.submit(wrong, "/signin/code", "code", code(t, enrolment.Secret, s.clock.Now())).resumed("jeanne@exemple.fr")

	// Too slow: the sign-in starts again, the request stays.
	slow := s.browser()
	asked = slow.submit(slow.get(plain), "/signin", "email", "jeanne@exemple.fr", "password", testPassword)
	s.clock.Advance(11 * time.Minute)
	over := slow.submit(asked, "/signin/code", "code", code(t, enrolment.Secret, s.clock.Now())).want(200, "a pris trop de temps", "Pour relier Claude")
	asked = slow.submit(over, "/signin", "email", "jeanne@exemple.fr", "password", testPassword).want(200, "Double authentification")
	slow.submit(asked, "/signin/code", "code", code(t, enrolment.Secret, s.clock.Now())).resumed("jeanne@exemple.fr")
}

// signUpOnTheWay makes an account from the page of an authorization, and gives the page that waits for the mail.
func (s *site) signUpOnTheWay(b *browser, email string) *page {
	s.t.Helper()
	form := b.get(b.get(plain).link("/signup?next=")).want(200, "Pour relier Claude")
	return b.submit(form, "/signup", "email", email, "password", testPassword).want(200, "Consultez vos e-mails", "Pour relier Claude")
}

// Whoever makes an account on the way confirms it wherever they read their mail: the request goes on there, and in the
// tab that waits.
func TestAuthorizeAfterSignUp(t *testing.T) {
	t.Parallel()
	s, _ := connecting(t)
	b := s.browser()
	sent := s.signUpOnTheWay(b, "jeanne@exemple.fr")
	if page := b.get("/signup/waiting"); page.status != http.StatusNoContent {
		t.Errorf("before the link is followed the waiting tab hears %d", page.status)
	}
	goOn := sent.link("/signup/continue")
	b.get(goOn).want(200, "pas encore confirmée", "Pour relier Claude")
	link := s.link(s.last("jeanne@exemple.fr", mail.Confirm))
	if strings.Contains(link, "next") || strings.Contains(link, "authorize") {
		t.Errorf("the mail tells of the request: %s", link)
	}
	b.submit(b.get(link), link).resumed("jeanne@exemple.fr")
	if page := b.get("/signup/waiting"); page.status != http.StatusOK {
		t.Errorf("the waiting tab hears %d", page.status)
	}
	b.get(goOn).resumed("jeanne@exemple.fr")
}

func TestAuthorizeAfterConfirmationElsewhere(t *testing.T) {
	t.Parallel()
	s, _ := connecting(t)
	b, other := s.browser(), s.browser()
	goOn := s.signUpOnTheWay(b, "jeanne@exemple.fr").link("/signup/continue")
	link := s.link(s.last("jeanne@exemple.fr", mail.Confirm))
	// Where the sign-up was on the way to may be where a stranger wants whoever reads the mail to be.
	if page := other.confirm(link, ownersPassword); page.path != "/account?done=confirmed" {
		t.Errorf("in another browser the link leads to %s", page.path)
	}
	if page := b.get("/signup/waiting"); page.status != http.StatusOK {
		t.Errorf("the waiting tab hears %d", page.status)
	}
	signIn := b.get(goOn).want(200, "Votre adresse est confirmée. Connectez-vous pour continuer")
	if signIn.value("email") != "jeanne@exemple.fr" {
		t.Errorf("the address is to be typed again: %q", signIn.value("email"))
	}
	b.submit(signIn, "/signin", "password", ownersPassword).resumed("jeanne@exemple.fr")
	// The link again, from the mail: it is used, and still leads on in the browser of the sign-up.
	b.get(link).want(http.StatusGone).link("/signin?next=")
	s.browser().get(link).want(http.StatusGone).link("/signin")
}

// A second mail leads where the first one did; so does that of somebody who tries to sign in before confirming.
func TestAuthorizeAfterResend(t *testing.T) {
	t.Parallel()
	s, _ := connecting(t)
	b := s.browser()
	sent := s.signUpOnTheWay(b, "jeanne@exemple.fr")
	s.clock.Advance(2 * time.Minute)
	b.submit(sent, "/resend").want(200, "Consultez vos e-mails", "Pour relier Claude")
	s.clock.Advance(2 * time.Minute)
	other := s.browser() // which has no request: that of the sign-up stays
	other.post("/resend", url.Values{"email": {"jeanne@exemple.fr"}})
	link := s.link(s.last("jeanne@exemple.fr", mail.Confirm))
	b.submit(b.get(link), link).resumed("jeanne@exemple.fr")

	paul := s.browser()
	paul.post("/signup", signUp("paul@exemple.fr", testPassword))
	s.clock.Advance(2 * time.Minute)
	paul.submit(paul.get(plain), "/signin", "email", "paul@exemple.fr", "password", testPassword).want(http.StatusUnprocessableEntity)
	link = s.link(s.last("paul@exemple.fr", mail.Confirm))
	paul.submit(paul.get(link), link).resumed("paul@exemple.fr")
}

func TestAuthorizeAfterReset(t *testing.T) {
	t.Parallel()
	s, _ := connecting(t)
	s.account("jeanne@exemple.fr")
	b := s.browser()
	forgot := b.get(b.get(plain).link("/forgot?next=")).want(200, "Pour relier Claude")
	b.submit(forgot, "/forgot", "email", "jeanne@exemple.fr").want(200, "un message lui est envoyé")
	link := s.link(s.last("jeanne@exemple.fr", mail.Reset))
	other := s.browser()
	in := other.submit(other.get(link), link, "password", "trois chevaux noirs dorment").want(200, "Votre mot de passe est changé", "Pour relier Claude")
	review := other.submit(in, "/signin", "email", "jeanne@exemple.fr", "password", "trois chevaux noirs dorment").want(200, "Ce qui a accès à votre compte")
	if policy := review.header.Get("Cross-Origin-Opener-Policy"); policy != "unsafe-none" {
		t.Errorf("the window of the client is lost on the way: %q", policy)
	}
	other.get(review.link("/oauth/authorize")).resumed("jeanne@exemple.fr")
}

// An account whose address is not confirmed grants nothing: it is told what to do, and goes on after it.
func TestAuthorizeUnconfirmed(t *testing.T) {
	t.Parallel()
	s, a := connecting(t)
	b := s.member("jeanne@exemple.fr")
	if _, err := s.pool.Exec(t.Context(), `UPDATE account.account SET email_confirmed_at = NULL WHERE id = $1`, b.account.ID); err != nil {
		t.Fatal(err)
	}
	page := b.get(plain).want(200, "Confirmez d’abord votre adresse", "Claude", "jeanne@exemple.fr")
	b.post("/oauth/authorize", url.Values{"request": {strings.TrimPrefix(plain, "/oauth/authorize?")}, "decision": {"allow"}}).want(200, "Confirmez d’abord")
	b.submit(page, "/resend").want(200, "Consultez vos e-mails")
	link := s.link(s.last("jeanne@exemple.fr", mail.Confirm))
	b.confirm(link, ownersPassword)
	b.get(plain).resumed("jeanne@exemple.fr")
	if got := a.grants(); len(got) != 0 {
		t.Errorf("granted by %v", got)
	}
}

// Where a mailed link leads on to is a page of ours, whatever the form that asked for it said; and what waits tells
// nobody whether an address has an account.
func TestMailedLinkLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	s, _ := connecting(t)
	for i, next := range []string{"https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/x\x00", "/" + strings.Repeat("a", 9000)} {
		email := string(rune('a'+i)) + "@exemple.fr"
		b := s.browser()
		form := signUp(email, testPassword)
		form.Set("next", next)
		b.post("/signup", form).want(200, "Consultez vos e-mails")
		link := s.link(s.last(email, mail.Confirm))
		if page := b.post(link, nil); page.path != "/account?done=confirmed" {
			t.Errorf("next=%.30q leads to %s", next, page.path)
		}
	}
	if _, err := s.accounts.Create(t.Context(), auth.NewAccount{Email: "connue@exemple.fr", Password: testPassword, Plan: billing.Free, Confirmed: true}); err != nil {
		t.Fatal(err)
	}
	b := s.browser()
	b.post("/signup", signUp("connue@exemple.fr", testPassword))
	if page := b.get("/signup/waiting"); page.status != http.StatusNoContent {
		t.Errorf("waiting for an address that has an account is answered with %d", page.status)
	}
}
