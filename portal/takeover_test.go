package portal_test

import (
	"net/http"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/internal/audit"
	"arpent/internal/mail"
)

const (
	attackersPassword = "le corbeau sur un arbre"
	ownersPassword    = "trois chevaux noirs dorment"
)

// confirm follows the link of a mail, and chooses a password where one is asked for.
func (b *browser) confirm(link, password string) *testkit.Page {
	b.s.t.Helper()
	shown := b.Get(link).Want(http.StatusOK)
	if shown.Find("#password").Length() == 0 {
		return b.Submit(shown, link).Want(http.StatusOK)
	}
	return b.Submit(shown, link, "password", password).Want(http.StatusOK)
}

// An owner who got the account back by a new password sees, once signed in, what an intruder may have made,
// and ends all of it with one button: keys and assistants, with one mail. It is asked once.
func TestResetShowsWhatHasAccess(t *testing.T) {
	t.Parallel()
	for _, lang := range []struct{ code, title, revoke, done, none string }{
		{"fr", "Ce qui a accès à votre compte", "Révoquer 2\u00a0clés et 1\u00a0assistant", "Tout est révoqué", "Aucune clé, aucun assistant ni aucun jeton"},
		{"en", "What has access to your account", "Revoke 2\u00a0keys and 1\u00a0assistant", "Everything is revoked", "No key, assistant or token"},
	} {
		s, _ := newAssistantSite(t)
		owner := s.member("jeanne@exemple.fr")
		s.speak(owner, lang.code)
		for _, name := range []string{"ingest", "intrus"} {
			if _, _, err := s.keys.Create(t.Context(), owner.account.ID, apikey.NewKey{Name: name}); err != nil {
				t.Fatal(err)
			}
		}
		s.exec(`INSERT INTO account.api_key (account_id, name, kind, secret_hash, prefix, last4, created_at)
			VALUES ($1, 'MCP · Intrus', 'assistant', sha256('x'), 'p', 'l', $2)`, owner.account.ID, s.clock.Now())
		b := s.browser()
		b.Post("/forgot", signUp("jeanne@exemple.fr", ""))
		b.Post(s.link(s.last("jeanne@exemple.fr", mail.Reset)), signUp("", ownersPassword))
		page := b.Post("/signin", signUp("jeanne@exemple.fr", ownersPassword)).Want(200, lang.title, "ingest", "intrus", "MCP · Intrus", lang.revoke)
		if !strings.HasPrefix(page.Path, "/account/security/access") {
			t.Errorf("signing in leads to %s", page.Path)
		}
		done := b.Submit(page, "/account/security/access").Want(200, lang.done, lang.none)
		if link := done.Link("/account"); link != "/account" {
			t.Errorf("leads on to %q", link)
		}
		s.expectCount(0, `SELECT count(*) FROM account.api_key WHERE revoked_at IS NULL`)
		if m := s.last("jeanne@exemple.fr", mail.KeysRevoked); m.Values["count"] != "3" || m.Language != lang.code {
			t.Errorf("mail %+v", m)
		}
		b.account = owner.account
		if did := b.did(); did[0] != audit.ActionKeyRevoked || did[2] != audit.ActionKeyRevoked {
			t.Errorf("on record: %v", did)
		}
		mails := len(s.mailsTo("jeanne@exemple.fr"))
		b.Submit(b.Get("/account/security/access"), "/signout")
		if again := b.Post("/signin", signUp("jeanne@exemple.fr", ownersPassword)).Want(200); strings.Contains(again.Path, "access") {
			t.Error("it is shown again")
		}
		b.Post("/account/security/access", nil).Want(200, lang.none) // nothing is revoked: no mail is sent
		if n := len(s.mailsTo("jeanne@exemple.fr")); n != mails {
			t.Errorf("%d more mails", n-mails)
		}
	}
}
