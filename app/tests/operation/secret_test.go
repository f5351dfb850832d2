package operation_test

import (
	"net/http"
	"regexp"
	"testing"

	"arpent/app/dev/fixture"
	"arpent/internal/config"
)

// What was under way when ARPENT_SECRET was replaced is good after it: a form, a
// link in a mail, a sign-in at a third party.
func TestReplacingTheSecretBreaksNothing(t *testing.T) {
	t.Parallel()
	const before, after = "the secret before, of 32 letters or more", "the secret after, of 32 letters or more,"
	var c config.Config
	s := fixture.Portal(t, func(now *config.Config) {
		now.Secret, now.GitHub = before, config.Provider{ClientID: "id", ClientSecret: "secret", PKCE: true}
		c = *now
	})
	form, mail, third := s.Browser(), s.Browser(), s.Browser()
	drawn := form.GetRetrying("/signup")
	mail.SubmitRetrying(mail.GetRetrying("/signup"), "/signup", "email", "mail@exemple.fr", "password", fixture.Password)
	link := s.Link("mail@exemple.fr", "confirm")
	left := third.SubmitRetrying(third.GetRetrying("/signin"), "/auth/github")
	state := regexp.MustCompile(`[?&]state=([^&"]+)`).FindStringSubmatch(left.Header.Get("Location") + left.Header.Get("Refresh"))
	if state == nil {
		t.Fatalf("leads to no third party: %d %v", left.Status, left.Header)
	}
	s.Stop()
	c.Secret = after + before
	s.Run(func(now *config.Config) { *now = c })
	if p := form.SubmitRetrying(drawn, "/signup", "email", "form@exemple.fr", "password", fixture.Password); p.Status != http.StatusSeeOther {
		t.Errorf("a form: %d", p.Status)
	}
	if p := mail.SubmitRetrying(mail.GetRetrying(link), link); p.Status != http.StatusSeeOther {
		t.Errorf("a link: %d", p.Status)
	}
	denied := third.GetRetrying("/auth/github/callback?error=access_denied&state=" + state[1])
	third.GetRetrying(denied.Location()).Want(http.StatusOK, "Vous avez refusé de vous identifier")
}
