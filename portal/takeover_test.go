package portal_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/internal/mail"
	"arpent/web"
)

const (
	attackersPassword = "le corbeau sur un arbre"
	ownersPassword    = "trois chevaux noirs dorment"
)

// refused fails the test when that password opens the account.
func (s *site) refused(email, password, whose string) {
	s.t.Helper()
	b := s.browser()
	if page := b.Post("/signin", signUp(email, password)); page.Status == http.StatusOK || b.Cookie(web.SessionCookie) != "" {
		s.t.Errorf("%s opens the account of %s: %d %s", whose, email, page.Status, page.Path)
	}
}

// opens fails the test unless that password does.
func (s *site) opens(email, password string) {
	s.t.Helper()
	b := s.browser()
	if page := b.Post("/signin", signUp(email, password)); page.Status != http.StatusOK || b.Cookie(web.SessionCookie) == "" {
		s.t.Errorf("the owner of %s is kept out: %d %s", email, page.Status, page.Path)
	}
}

// An attacker signs up with somebody's address and a password of his own. Whatever its owner does later in
// good faith, that password never opens the account.
func TestAttackersPasswordOpensNothing(t *testing.T) {
	t.Parallel()
	const email = "jeanne@exemple.fr"
	for name, owner := range map[string]func(s *site, b *browser){
		"signs up and follows the newest link": func(s *site, b *browser) {
			b.Post("/signup", signUp(email, ownersPassword)).Want(200, "Consultez vos e-mails")
			b.confirm(s.link(s.last(email, mail.Confirm)), ownersPassword)
		},
		"signs up and follows the oldest link": func(s *site, b *browser) {
			first := s.link(s.last(email, mail.Confirm))
			b.Post("/signup", signUp(email, ownersPassword)).Want(200, "Consultez vos e-mails")
			if page := b.Get(first); page.Status == http.StatusOK { // it may be dead: then the newest one is followed
				b.confirm(first, ownersPassword)
				return
			}
			b.confirm(s.link(s.last(email, mail.Confirm)), ownersPassword)
		},
		"asks for the link again": func(s *site, b *browser) {
			b.Post("/signup", signUp(email, ownersPassword)).Want(200)
			s.clock.Advance(2 * time.Minute)
			b.Post("/resend", signUp(email, "")).Want(200)
			b.confirm(s.link(s.last(email, mail.Confirm)), ownersPassword)
		},
		"follows the link without having signed up": func(s *site, b *browser) {
			b.confirm(s.link(s.last(email, mail.Confirm)), ownersPassword)
		},
		"resets the password": func(s *site, b *browser) {
			b.Post("/forgot", signUp(email, "")).Want(200)
			b.Post(s.link(s.last(email, mail.Reset)), signUp("", ownersPassword)).Want(200)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			attacker := s.browser()
			attacker.Post("/signup", signUp(email, attackersPassword)).Want(200, "Consultez vos e-mails")
			s.clock.Advance(2 * time.Minute)
			owner(s, s.browser())
			s.refused(email, attackersPassword, "the attacker's password")
			s.clock.Advance(20 * time.Minute) // the pause after wrong passwords
			s.opens(email, ownersPassword)
			if page := attacker.Get("/account"); strings.HasPrefix(page.Path, "/account") {
				t.Errorf("the attacker's browser is in: %s", page.Path)
			}
		})
	}
}

// confirm follows the link of a mail, and chooses a password where one is asked for.
func (b *browser) confirm(link, password string) *testkit.Page {
	b.s.t.Helper()
	shown := b.Get(link).Want(http.StatusOK)
	if shown.Find("#password").Length() == 0 {
		return b.Submit(shown, link).Want(http.StatusOK)
	}
	return b.Submit(shown, link, "password", password).Want(http.StatusOK)
}
