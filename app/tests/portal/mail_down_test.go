package portal_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// While the mail server is away people can sign up; once it is back
// they get their mail at the next try, and once.
func TestMailServerDown(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	s.Mails.Stop()
	c := s.Browser()
	if p := c.Submit(c.Get("/signup"), "/signup", "email", "jeanne@exemple.fr", "password", fixture.Password); p.Status != http.StatusSeeOther {
		t.Fatalf("sign-up without a mail server: %d\n%s", p.Status, p.Text("main"))
	}
	s.Until(func() bool { // it was tried
		return testkit.Count(t, s.Pool, `SELECT count(*) FROM job.river_job WHERE kind = 'mail' AND attempted_at IS NOT NULL`) > 0
	})
	s.Mails.Start()
	back := time.Now()
	s.Within(3*time.Minute, func() bool { return len(s.Mails.Messages()) > 0 })
	t.Logf("delivered %s after the mail server came back", time.Since(back).Round(time.Millisecond))
	path := s.Link("jeanne@exemple.fr", "confirm")
	if p := c.Submit(c.Get(path), path); p.Status != http.StatusSeeOther || !strings.HasPrefix(p.Location(), "/account") {
		t.Errorf("the link of the late mail: %d, to %s", p.Status, p.Location())
	}
	count := func() (n int) {
		for _, m := range s.Mails.Messages() {
			if m.To == "jeanne@exemple.fr" && strings.Contains(m.Text, "/confirm/") {
				n++
			}
		}
		return n
	}
	// Whatever is sent after it shows that nothing of it is left to send.
	s.ResetLink("jeanne@exemple.fr")
	if n := count(); n != 1 {
		t.Errorf("the mail was delivered %d times", n)
	}
}
