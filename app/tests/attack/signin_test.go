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
