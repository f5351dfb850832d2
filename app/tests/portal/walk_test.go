package portal_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/auth/password"
)

var keyText = regexp.MustCompile(`arp_[0-9A-Za-z]{38}`)

// Passwords cost next to nothing to hash here: what they have to cost is judged in auth/password.
func init() { password.Cost.Memory, password.Cost.Iterations = 2*1024, 1 }

// A visitor becomes a customer in a browser: account, mail, key, call, usage, rotation, end. Were a step to
// fail, no visitor could begin; were the key to be found anywhere afterwards, it would not be a secret. In
// make test there are two such visitors who have nothing in common.
func TestWalk(t *testing.T) {
	t.Parallel()
	visitors := []struct {
		name string
		browserOptions
	}{
		{"French on a small screen", browserOptions{language: "fr", width: 390}},
		{"English, dark, no scripts", browserOptions{language: "en", dark: true, noScript: true}},
		{"English, small, dark", browserOptions{language: "en", dark: true, width: 390}},
		{"French without scripts", browserOptions{language: "fr", noScript: true}},
	}
	for _, visitor := range visitors[:testkit.Rounds(2, len(visitors))] {
		t.Run(visitor.name, func(t *testing.T) {
			t.Parallel()
			s := fixture.Portal(t, nil)
			b := newBrowser(t, s.Base, visitor.browserOptions)
			signUpInBrowser(b, s, "jeanne@exemple.fr")
			useKeys(b, s)
		})
	}
}

// signUpInBrowser goes from the first page to a confirmed account.
func signUpInBrowser(b *browser, s *fixture.Site, email string) {
	b.t.Helper()
	b.open("/")
	b.press(`main a[href^="/signup"]`)
	b.fill("/signup", "email", email)
	b.fill("/signup", "password", fixture.Password)
	b.send("/signup")
	if !b.inLanguage("Ouvrez le message", "Open the message") && b.path() != "/signup/sent" {
		b.t.Fatalf("after signing up the browser is at %s", b.where())
	}
	link := s.Link(email, "confirm")
	b.open(link)
	b.send("/confirm/")
	if b.path() != "/account" {
		b.t.Fatalf("after confirming, the browser is at %s:\n%s", b.where(), b.excerpt())
	}
}

func (b *browser) inLanguage(french, english string) bool { return b.has(french) || b.has(english) }

// useKeys creates, uses, rotates and revokes, and looks for the secrets everywhere.
func useKeys(b *browser, s *fixture.Site) {
	t := b.t
	t.Helper()
	b.open("/account/keys/new")
	b.fill("/account/keys/new", "name", "ingest")
	b.send("/account/keys/new")
	first := shownKey(b)
	shown := len(*b.seen)
	call(s, first, http.StatusOK)

	// Usage moves, and is shown in the pages.
	s.Until(func() bool {
		b.open("/account/keys")
		return strings.Contains(b.text("main table tbody tr"), "1")
	})
	s.Until(func() bool {
		b.open("/account/usage")
		return b.has("ingest")
	})

	b.open("/account/keys")
	b.press(`main table tbody a[href^="/account/keys/"]`)
	id := strings.TrimPrefix(b.path(), "/account/keys/")
	b.open("/account/keys/" + id + "/rotate")
	b.run(choose("/account/keys/"+id+"/rotate", "overlap", "1"))
	b.send("/account/keys/" + id + "/rotate")
	second := shownKey(b)
	after := len(*b.seen)
	call(s, second, http.StatusOK)
	call(s, first, http.StatusOK) // the overlap
	for range 2 {
		b.open("/account/keys")
		b.press(`main table tbody a[href^="/account/keys/"]`)
		id := strings.TrimPrefix(b.path(), "/account/keys/")
		b.open("/account/keys/" + id + "/revoke")
		b.send("/account/keys/" + id + "/revoke")
	}
	call(s, first, http.StatusUnauthorized)
	call(s, second, http.StatusUnauthorized)

	for _, path := range []string{"/account", "/account/keys", "/account/keys/" + id, "/account/usage", "/account/security", "/account/settings"} {
		b.open(path)
	}
	for i, html := range *b.seen {
		if strings.Contains(html, first) && i != shown-1 {
			t.Errorf("page %d shows the first key again", i)
		}
		if strings.Contains(html, second) && i != after-1 {
			t.Errorf("page %d shows the second key again", i)
		}
	}
	nowhere(s, first, second)
}

// shownKey is the key on the page that shows it, in one place.
func shownKey(b *browser) string {
	b.t.Helper()
	found := keyText.FindAllString(b.text("#secret"), -1)
	if len(found) != 1 {
		b.t.Fatalf("the page at %s shows %d keys in its box:\n%s", b.where(), len(found), b.excerpt())
	}
	// With scripts the examples below it are filled with it.
	if n := strings.Count(b.html(), found[0]); b.noScript && n != 1 {
		b.t.Errorf("the answer holds the key %d times", n)
	}
	return found[0]
}

// call uses a key until the answer is the one that is waited for.
func call(s *fixture.Site, key string, status int) {
	s.T.Helper()
	s.UntilNoticed(func() bool { return s.Get("/api/v1/communes/93010", "X-API-Key", key).Status == status })
}

// nowhere searches the mails, the log and the whole database for secrets.
func nowhere(s *fixture.Site, secrets ...string) {
	s.T.Helper()
	dump, err := exec.Command(testkit.Tool(s.T, "pg_dump"), "--no-owner", s.URL).Output()
	if err != nil {
		s.T.Fatalf("pg_dump: %v", err)
	}
	if !bytes.Contains(dump, []byte("jeanne@exemple.fr")) {
		s.T.Fatal("the dump does not hold the account: it proves nothing")
	}
	var mails strings.Builder
	for _, m := range s.Mails.Messages() {
		mails.WriteString(m.Subject + m.Text + m.HTML)
	}
	if mails.Len() == 0 {
		s.T.Fatal("no mail was caught: it proves nothing")
	}
	for _, secret := range secrets {
		if len(secret) < 8 {
			s.T.Fatalf("%q is no secret", secret)
		}
		for where, text := range map[string]string{"database": string(dump), "log": s.Log.String(), "mails": mails.String()} {
			for _, form := range formsOf(secret) {
				if strings.Contains(text, form) {
					s.T.Errorf("%.4s… is in the %s as %.8s…", secret, where, form)
				}
			}
		}
	}
}

// formsOf are the ways in which a secret may be written: as it is, as the dump writes
// bytes, in base64, and what it is the base64 of.
func formsOf(secret string) []string {
	forms := []string{secret, hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret))}
	if raw, err := base64.RawURLEncoding.DecodeString(secret); err == nil {
		forms = append(forms, hex.EncodeToString(raw))
	}
	return forms
}
