package portal_test

import (
	"strings"
	"testing"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// A real browser that opens the link of the log reads a mail, its page in the
// frame included, which holds no key of its own.
func TestDevelopmentMailboxInABrowser(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, func(c *config.Config) { c.Mode, c.SMTPURL = config.Development, "" })
	c := s.Browser()
	c.Submit(c.Get("/signup"), "/signup", "email", "marie@exemple.fr", "password", fixture.Password)
	b := newBrowser(t, s.Base, browserOptions{})
	b.open(s.App.DevMail())
	if b.path() != "/dev/mail" {
		t.Errorf("the token stays in the address: %s", b.path())
	}
	testkit.Eventually(t, testkit.Timeout, "the mail is shown", func() bool {
		b.open("/dev/mail")
		return b.has("marie@exemple.fr")
	})
	b.press(`a[href^="/dev/mail/"]`)
	b.must(s.Base + "/confirm/")
	s.Until(func() bool {
		for line := range strings.Lines(s.Log.String()) {
			if strings.Contains(line, `"route":"/dev/mail/:id/html"`) {
				return strings.Contains(line, `"status":200`)
			}
		}
		return false
	})
}
