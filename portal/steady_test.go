package portal_test

import (
	"net/http"
	"testing"
	"time"
)

// Every answer about an address is sent at a step of the clock. The clock of the test stands still: the work
// takes no time, and the whole step is waited for.
func TestDoorsLeaveAtSteps(t *testing.T) {
	t.Parallel()
	const step = 250 * time.Millisecond
	s := newSite(t)
	s.account("connue@exemple.fr")
	for _, path := range []string{"/signin", "/signup", "/forgot", "/resend"} {
		for _, email := range []string{"connue@exemple.fr", "inconnue@exemple.fr"} {
			b := s.browser()
			form := signUp(email, ownersPassword)
			form.Set("token", b.Token())
			asked := time.Now()
			b.Send(http.MethodPost, path, form)
			if took := time.Since(asked); took < step {
				t.Errorf("%s answers about %s after %v", path, email, took)
			}
		}
	}
}
