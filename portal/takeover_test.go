package portal_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"arpent/app/base/mail"
	"arpent/web"
)

const (
	strangersPassword = "le corbeau sur un arbre"
	ownersPassword    = "trois chevaux noirs dorment"
)

// refused fails the test when that password opens the account.
func (s *site) refused(email, password, whose string) {
	s.t.Helper()
	b := s.browser()
	if page := b.post("/signin", signUp(email, password)); page.status == http.StatusOK || b.cookie(web.SessionCookie) != "" {
		s.t.Errorf("%s opens the account of %s: %d %s", whose, email, page.status, page.path)
	}
}

// opens fails the test unless that password does.
func (s *site) opens(email, password string) {
	s.t.Helper()
	b := s.browser()
	if page := b.post("/signin", signUp(email, password)); page.status != http.StatusOK || b.cookie(web.SessionCookie) == "" {
		s.t.Errorf("the owner of %s is kept out: %d %s", email, page.status, page.path)
	}
}

// A stranger signs up with somebody's address and a password of his own. Whatever its owner does later in good faith, that
// password never opens the account.
func TestStrangersPasswordOpensNothing(t *testing.T) {
	t.Parallel()
	const email = "jeanne@exemple.fr"
	for name, owner := range map[string]func(s *site, b *browser){
		"signs up and follows the newest link": func(s *site, b *browser) {
			b.post("/signup", signUp(email, ownersPassword)).want(200, "Consultez vos e-mails")
			b.confirm(s.link(s.last(email, mail.Confirm)), ownersPassword)
		},
		"signs up and follows the oldest link": func(s *site, b *browser) {
			first := s.link(s.last(email, mail.Confirm))
			b.post("/signup", signUp(email, ownersPassword)).want(200, "Consultez vos e-mails")
			if page := b.get(first); page.status == http.StatusOK { // it may be dead: then the newest one is followed
				b.confirm(first, ownersPassword)
				return
			}
			b.confirm(s.link(s.last(email, mail.Confirm)), ownersPassword)
		},
		"asks for the link again": func(s *site, b *browser) {
			b.post("/signup", signUp(email, ownersPassword)).want(200)
			s.clock.Advance(2 * time.Minute)
			b.post("/resend", signUp(email, "")).want(200)
			b.confirm(s.link(s.last(email, mail.Confirm)), ownersPassword)
		},
		"follows the link without having signed up": func(s *site, b *browser) {
			b.confirm(s.link(s.last(email, mail.Confirm)), ownersPassword)
		},
		"resets the password": func(s *site, b *browser) {
			b.post("/forgot", signUp(email, "")).want(200)
			b.post(s.link(s.last(email, mail.Reset)), signUp("", ownersPassword)).want(200)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			stranger := s.browser()
			stranger.post("/signup", signUp(email, strangersPassword)).want(200, "Consultez vos e-mails")
			s.clock.Advance(2 * time.Minute)
			owner(s, s.browser())
			s.refused(email, strangersPassword, "the stranger's password")
			s.clock.Advance(20 * time.Minute) // the pause after wrong passwords
			s.opens(email, ownersPassword)
			if page := stranger.get("/account"); strings.HasPrefix(page.path, "/account") {
				t.Errorf("the stranger's browser is in: %s", page.path)
			}
		})
	}
}

// confirm follows the link of a mail, and chooses a password where one is asked for.
func (b *browser) confirm(link, password string) *page {
	b.s.t.Helper()
	shown := b.get(link).want(http.StatusOK)
	if shown.byID("password") == nil {
		return b.submit(shown, link).want(http.StatusOK)
	}
	return b.submit(shown, link, "password", password).want(http.StatusOK)
}
