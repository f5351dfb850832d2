package app_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
)

// While the mail server is away people can sign up; once it is back they get their mail at the next try, and once.
func TestMailServerDown(t *testing.T) {
	t.Parallel()
	s := portal(t, nil)
	s.mails.Stop()
	c := s.client()
	if p := c.submit("/signup", "/signup", "email", "jeanne@exemple.fr", "password", goodPassword); p.status != http.StatusSeeOther {
		t.Fatalf("sign-up without a mail server: %d\n%s", p.status, p.doc.Find("main").Text())
	}
	s.within(patience, func() bool { // it was tried
		var tried bool
		err := s.pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM job.river_job WHERE kind = 'mail' AND attempted_at IS NOT NULL)`).Scan(&tried)
		return err == nil && tried
	})
	s.mails.Start()
	back := time.Now()
	s.within(3*time.Minute, func() bool { return len(s.mails.Messages()) > 0 })
	t.Logf("delivered %s after the mail server came back", time.Since(back).Round(time.Millisecond))
	path := strings.TrimPrefix(s.link("jeanne@exemple.fr", "confirm"), s.base)
	if p := c.submit(path, path); p.status != http.StatusSeeOther || !strings.HasPrefix(p.location(), "/account") {
		t.Errorf("the link of the late mail: %d, to %s", p.status, p.location())
	}
	count := func() (n int) {
		for _, m := range s.mails.Messages() {
			if m.To == "jeanne@exemple.fr" && strings.Contains(m.Text, "/confirm/") {
				n++
			}
		}
		return n
	}
	// Whatever is sent after it shows that nothing of it is left to send.
	s.client().submit("/forgot", "/forgot", "email", "jeanne@exemple.fr")
	s.mails.Wait(func(m testkit.Mail) bool { return strings.Contains(m.Text, "/reset/") })
	if n := count(); n != 1 {
		t.Errorf("the mail was delivered %d times", n)
	}
}
