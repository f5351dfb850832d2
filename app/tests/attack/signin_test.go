package attack_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// behindProxy lets a test speak as many clients: their addresses come in X-Forwarded-For.
func behindProxy(c *config.Config) { c.TrustedProxies = []string{"127.0.0.1"} }

// varying is what differs between any two answers: CSRF tokens, cookies, request ids.
var varying = regexp.MustCompile(`name="token" value="[^"]*"|[0-9a-f]{16,32}`)

// visible is everything that an answer shows, but for what was typed and what always varies.
func visible(p *testkit.Page, email string) string {
	var b strings.Builder
	fmt.Fprintln(&b, p.Status)
	for _, name := range slices.Sorted(maps.Keys(p.Header)) {
		if name == "Date" || name == "X-Request-Id" || name == "Content-Length" { // the length is that of what was typed
			continue
		}
		for _, value := range p.Header[name] {
			if name == "Set-Cookie" {
				value = regexp.MustCompile(`=[^;]*`).ReplaceAllString(value, "=…")
			}
			fmt.Fprintln(&b, name, value)
		}
	}
	body := strings.ReplaceAll(strings.ReplaceAll(p.Body, "<wbr>", ""), email, "…")
	return strings.ReplaceAll(b.String(), url.QueryEscape(email), "…") + varying.ReplaceAllString(body, "…")
}

// addressForms are the forms that take an address from a visitor who is not signed in.
var addressForms = []struct {
	path, action string
	values       []string
}{
	{"/signup", "/signup", []string{"password", fixture.Password}},
	{"/signin", "/signin", []string{"password", "not the password of it"}},
	{"/forgot", "/forgot", nil},
	{"/signup/sent", "/resend", nil},
}

// The answers do not show whether an address has an account.
func TestEnumerationByText(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, behindProxy)
	s.SignUp("known@exemple.fr")
	s.Account("other@exemple.fr", "free")
	for _, f := range addressForms {
		var answers []string
		for _, email := range []string{"known@exemple.fr", "unknown@exemple.fr", "other@exemple.fr", "somebody@exemple.fr"} {
			c := s.Browser()
			p := c.Submit(c.Get(f.path), f.action, append([]string{"email", email}, f.values...)...)
			answers = append(answers, visible(p, email))
			if p.Status == http.StatusSeeOther {
				answers[len(answers)-1] += visible(c.Get(p.Location()), email)
			}
		}
		for _, answer := range answers[1:] {
			if answer != answers[0] {
				t.Errorf("%s shows who has an account:\n%s", f.action, difference(answers[0], answer))
			}
		}
	}
}

func difference(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			return la[i] + "\n" + lb[i]
		}
	}
	return fmt.Sprint(len(la), " and ", len(lb), " lines")
}

// Nor does the time of the answer show it: each of these answers waits for a step of the
// clock, which is longer than what an address can cause. What it causes is counted in
// TestSameWorkForEveryAddress of package auth.
func TestEnumerationByTime(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, behindProxy)
	s.Account("known@exemple.fr", "free")
	for _, f := range addressForms {
		for _, email := range []string{"known@exemple.fr", "unknown@exemple.fr"} {
			c := s.Browser()
			form := c.Get(f.path).Form(f.action)
			form.Set("email", email)
			for j := 0; j < len(f.values); j += 2 {
				form.Set(f.values[j], f.values[j+1])
			}
			start := time.Now()
			c.Send(http.MethodPost, f.action, form, "Sec-Fetch-Site", "same-origin", "X-Forwarded-For", "198.51.100.7")
			if spent := time.Since(start); spent < 250*time.Millisecond {
				t.Errorf("%s answers about %s after %v, before the first step", f.action, email, spent)
			}
		}
	}
}

// Guessing passwords is slowed down for the guesser, and the owner's own browser still gets in.
func TestBruteForce(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, behindProxy)
	owner := s.SignUp("jeanne@exemple.fr")
	owner.Submit(owner.Get("/account"), "/signout")
	guesser, refused := s.Browser(), false
	for i := range 12 {
		form := guesser.Get("/signin").Form("/signin")
		form.Set("email", "jeanne@exemple.fr")
		form.Set("password", fmt.Sprintf("guess number %d of many", i))
		p := guesser.Send(http.MethodPost, "/signin", form, "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i), "Sec-Fetch-Site", "same-origin")
		if p.Status == http.StatusSeeOther {
			t.Fatal("a guess was accepted")
		}
		refused = refused || strings.Contains(p.Body, "Trop d’essais")
		prolongPauses(s)
	}
	if !refused {
		t.Error("twelve guesses from as many addresses were all looked at")
	}
	// However slow this machine is, the pause is still in force for what follows.
	s.Exec(`UPDATE account.throttle SET blocked_until = now() + interval '10 minutes' WHERE blocked_until IS NOT NULL`)
	form := guesser.Get("/signin").Form("/signin")
	form.Set("email", "jeanne@exemple.fr")
	form.Set("password", fixture.Password)
	if p := guesser.Send(http.MethodPost, "/signin", form, "X-Forwarded-For", "203.0.113.200", "Sec-Fetch-Site", "same-origin"); p.Status == http.StatusSeeOther {
		t.Error("the right password was accepted from an unknown browser while guesses are held back")
	}
	if p := owner.Submit(owner.Get("/signin"), "/signin", "email", "jeanne@exemple.fr", "password", fixture.Password); p.Status != http.StatusSeeOther || p.Location() != "/account" {
		t.Errorf("the owner's browser is locked out: %d\n%s", p.Status, p.Text("main"))
	}
}

// prolongPauses has the pauses after wrong passwords last longer than the test, however slow the machine is;
// how long they are is judged in package auth, by a clock that stands still.
func prolongPauses(s *fixture.Site) {
	s.T.Helper()
	s.Exec(`UPDATE account.throttle SET blocked_until = now() + interval '1 hour' WHERE blocked_until IS NOT NULL`)
}

// A session known to another person does not become the one of a visitor who signs in.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	s.SignUp("jeanne@exemple.fr")
	attacker, _ := s.SignIn("jeanne@exemple.fr", fixture.Password)
	known := attacker.Cookie("arpent-session")
	for _, planted := range []string{"planted-by-somebody", known} {
		c := s.Browser()
		c.SetCookie("arpent-session", planted)
		page := c.Get("/signin")
		if page.Status == http.StatusSeeOther { // the planted session is a real one: sign out of it first
			c.Submit(c.Get("/account"), "/signout")
		}
		c.Submit(c.Get("/signin"), "/signin", "email", "jeanne@exemple.fr", "password", fixture.Password)
		if now := c.Cookie("arpent-session"); now == planted || now == "" {
			t.Errorf("after signing in the session is %q", now)
		}
	}
	c := s.Browser()
	c.SetCookie("arpent-session", "planted-by-somebody")
	if p := c.Get("/account"); p.Status != http.StatusSeeOther {
		t.Errorf("a made-up session opens the account: %d", p.Status)
	}
}
