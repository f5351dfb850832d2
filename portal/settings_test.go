package portal_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/internal/mail"
)

// An address is changed only from the new mailbox; until then the old one stays, and a typing error is
// shown next to the field with what was typed.
func TestChangeEmail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	p := b.Post("/account/settings/email", url.Values{"email": {"pas une adresse"}}).Want(http.StatusUnprocessableEntity)
	if p.Error("email") == "" || p.Value("email") != "pas une adresse" {
		t.Errorf("next to the field: %q, kept: %q", p.Error("email"), p.Value("email"))
	}
	if p := b.Get("/account/settings?done=email").Want(http.StatusOK); p.Find(".done").Length() > 0 {
		t.Errorf("before anything was asked for: %s", p.Text(".done"))
	}
	b.Post("/account/settings/email", url.Values{"email": {" neuve@exemple.fr "}}).Want(http.StatusOK, "Un lien est parti vers neuve@exemple.fr", "jeanne@exemple.fr")
	// The page says whose account it is; reading it changes nothing.
	b.Get(s.link(s.last("neuve@exemple.fr", mail.EmailChange))).Want(http.StatusOK, "seulement si c’est vous", "j…e@exemple.fr", "n…e@exemple.fr")
	b.Get("/account/settings").Want(http.StatusOK, "jeanne@exemple.fr")
	b.Post(s.link(s.last("neuve@exemple.fr", mail.EmailChange)), nil).Want(http.StatusOK, "Votre adresse est changée")
	b.Get("/account/settings").Want(http.StatusOK, "neuve@exemple.fr")
	s.last("jeanne@exemple.fr", mail.EmailChanged)
}

// A link followed after the address has become another account's explains why nothing happens.
func TestChangeEmailTooLate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	b.Post("/account/settings/email", url.Values{"email": {"neuve@exemple.fr"}}).Want(http.StatusOK)
	s.account("neuve@exemple.fr")
	b.Post(s.link(s.last("neuve@exemple.fr", mail.EmailChange)), nil).Want(http.StatusUnprocessableEntity, "n’est plus valable")
	b.Get("/account/settings").Want(http.StatusOK, "jeanne@exemple.fr")
}

// Language and warnings are chosen once and stay, in every browser of the account.
func TestChooseLanguageAndWarnings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	b.Get("/account/settings").Want(http.StatusOK, "Réglages", "Gratuite", "100\u00a0requêtes par jour")
	b.Post("/account/settings/language", url.Values{"language": {"en"}, "next": {"/account/settings?done=language"}}).
		Want(http.StatusOK, "Settings", "in English from now on", "100 requests per day")
	s.signIn("jeanne@exemple.fr").Get("/account/settings").Want(http.StatusOK, "Settings")
	b.Post("/account/settings/notifications", nil).Want(http.StatusOK, "no longer write")
	percentsOf := func(p *testkit.Page) (percents []string) {
		p.Find(`input[name="percent"]`).Each(func(_ int, input *goquery.Selection) {
			percents = append(percents, input.AttrOr("value", ""))
		})
		return percents
	}
	is := func(want ...string) {
		t.Helper()
		if got := percentsOf(b.Get("/account/settings")); !slices.Equal(got, want) {
			t.Errorf("warnings at %q, want %q", got, want)
		}
	}
	is("", "", "")
	b.Post("/account/settings/notifications", url.Values{"percent": {"90", " 7 ", ""}}).Want(http.StatusOK, "We will write")
	is("7", "90", "")
	for _, bad := range [][]string{{"0", "50", ""}, {"101", "", ""}, {"x", "", ""}, {"1.5", "", ""}, {"1", "2", "3", "4"}} {
		p := b.Post("/account/settings/notifications", url.Values{"percent": bad}).Want(http.StatusUnprocessableEntity)
		if got := percentsOf(p); p.Text("#percent-error") == "" || !slices.Equal(got, bad) {
			t.Errorf("%q: error %q, kept %q", bad, p.Text("#percent-error"), got)
		}
	}
	is("7", "90", "")
	b.Get("/account/security/activity").Want(http.StatusOK, "7%, 90%")
}

// The export holds all that is kept about an account, and no secret.
func TestExport(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	_, secret, err := s.keys.Create(t.Context(), b.account.ID, apikey.NewKey{Name: "ingest"})
	testkit.NoError(t, err)
	b.Get("/account/export").Want(http.StatusOK, "Télécharger le fichier", "messages reçus de Stripe", "sessions ouvertes, assistants", "requêtes par jour, et refus")
	p := b.Post("/account/export", nil)
	if got := p.Header.Get("Content-Disposition"); p.Status != http.StatusOK || got != `attachment; filename="arpent-2026-11-21.json"` {
		t.Fatalf("%d, %q", p.Status, got)
	}
	var file map[string]any
	testkit.NoError(t, json.Unmarshal([]byte(p.Body), &file))
	if !strings.Contains(p.Body, "jeanne@exemple.fr") || !strings.Contains(p.Body, "ingest") || strings.Contains(p.Body, secret) {
		t.Errorf("the file: %.2000s", p.Body)
	}
	b.Get("/account/security/activity").Want(http.StatusOK, "Données exportées")
}

// A stray click deletes no account: the page says what dies, and the address must be typed.
func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t, withAssistants)
	b := s.member("jeanne@exemple.fr")
	other := s.signIn("jeanne@exemple.fr")
	if _, _, err := s.keys.Create(t.Context(), b.account.ID, apikey.NewKey{Name: "ingest"}); err != nil {
		t.Fatal(err)
	}
	b.Get("/account/delete").Want(http.StatusOK, "1\u00a0clé cesse de fonctionner", "1\u00a0autre")
	b.connect("Claude", "registered-1", "https://claude.ai/api/mcp/auth_callback")
	b.Get("/account/delete").Want(http.StatusOK, "1\u00a0clé et 1\u00a0assistant cessent de fonctionner", "1\u00a0autre", "jeanne@exemple.fr")
	p := b.Post("/account/delete", url.Values{"email": {"jean@exemple.fr"}}).Want(http.StatusUnprocessableEntity)
	if p.Error("email") == "" || p.Value("email") != "jean@exemple.fr" {
		t.Errorf("next to the field: %q, kept: %q", p.Error("email"), p.Value("email"))
	}
	b.Post("/account/delete", url.Values{"email": {"Jeanne@Exemple.FR"}}).Want(http.StatusOK, "Votre compte est supprimé")
	if b.Cookie("arpent-session") != "" || b.Cookie("arpent-device") != "" {
		t.Error("the browser keeps cookies of the account")
	}
	for _, gone := range []*browser{b, other} {
		if p := gone.Get("/account/settings"); !strings.HasPrefix(p.Path, "/signin") {
			t.Errorf("still let in: %s", p.Path)
		}
	}
	s.last("jeanne@exemple.fr", mail.AccountDeleted)
	s.expectCount(0, `SELECT count(*) FROM account.api_key`)
	s.expectCount(0, `SELECT count(*) FROM account.audit WHERE address IS NOT NULL AND account_id = $1`, b.account.ID)
}

// A browser that was left open does not give the account away: what
// changes how one gets in asks again who is there.
func TestSensitivePagesAskAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	token := b.Token()
	s.clock.Set(noon.Add(11 * time.Minute))
	b.stay()
	for _, path := range []string{"/account/settings/email", "/account/security/password", "/account/security/two-factor",
		"/account/security/two-factor/off", "/account/security/codes", "/account/security/identities/1/unlink", "/account/export", "/account/delete",
		"/account/security/passkeys/new", "/account/security/passkeys/1/remove"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			var form url.Values
			if method == http.MethodPost {
				form = url.Values{"token": {token}, "email": {"x@exemple.fr"}}
			}
			p := b.Send(method, path, form)
			if to := p.Header.Get("Location"); p.Status != http.StatusSeeOther || !strings.HasPrefix(to, "/account/verify?next=") {
				t.Errorf("%s %s answers %d, to %q", method, path, p.Status, to)
			}
		}
	}
	s.clock.Set(noon.Add(6 * time.Minute))
	if p := b.Get("/account/delete"); p.Status != http.StatusSeeOther {
		t.Errorf("six minutes on, deletion answers %d", p.Status)
	}
	if p := b.Get("/account/export"); p.Status != http.StatusOK {
		t.Errorf("six minutes on, the export answers %d", p.Status)
	}
}

// A page that is read changes nothing, whatever its address: a link in
// a mail or a picture in a page harms no account.
func TestReadingSettingsChangesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	const lines = `SELECT count(*) FROM account.audit WHERE account_id = $1`
	before := s.count(lines, b.account.ID)
	for _, path := range []string{"/account/settings", "/account/settings/email?email=x@exemple.fr", "/account/security", "/account/security/activity",
		"/account/security/password?password=aaaaaaaaaaaaaaaaaaa", "/account/security/two-factor", "/account/export", "/account/delete?email=jeanne@exemple.fr", "/goodbye",
		"/account/settings/notifications?percent=7", "/account/settings/recipients?email=x@exemple.fr"} {
		b.Get(path).Want(http.StatusOK)
	}
	for _, path := range []string{"/account/settings/recipients/1/remove", "/account/security/sessions/all", "/account/security/sessions/others", "/account/security/sessions/1/end"} {
		if p := b.Get(path); p.Status != http.StatusNotFound && p.Status != http.StatusMethodNotAllowed {
			t.Errorf("GET %s answers %d", path, p.Status)
		}
	}
	s.expectCount(before, lines, b.account.ID)
	b.Get("/account/settings").Want(http.StatusOK)
	b.Get("/goodbye").Want(http.StatusOK, "Votre compte", "jeanne@exemple.fr") // which is not deleted
}

// An account with an unconfirmed address is shown that, and gets another link from where they read it.
func TestUnconfirmedSettings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("paul@exemple.fr")
	s.exec("UPDATE account.account SET email_confirmed_at = NULL WHERE id = $1", b.account.ID)
	if p := b.Get("/account/settings").Want(http.StatusOK, "à confirmer"); p.Form("/resend") == nil {
		t.Error("no way to get another link")
	}
	b.Post("/resend", url.Values{"email": {"paul@exemple.fr"}}).Want(http.StatusOK)
	s.last("paul@exemple.fr", mail.Confirm)
}

// Reading or changing an account needs a session; signing in leads back.
func TestSettingsAreForMembers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser().stay()
	for _, path := range []string{"/account/settings", "/account/settings/email", "/account/security", "/account/security/activity?before=7", "/account/security/password",
		"/account/security/two-factor", "/account/security/codes", "/account/export", "/account/delete",
		"/account/security/passkeys/new", "/account/security/passkeys/1"} {
		p := b.Get(path)
		if to := p.Header.Get("Location"); p.Status != http.StatusSeeOther || to != "/signin?next="+url.QueryEscape(path) {
			t.Errorf("%s answers %d, to %q", path, p.Status, to)
		}
	}
	for _, path := range []string{"/account/settings/email", "/account/settings/language", "/account/settings/notifications", "/account/settings/recipients", "/account/settings/recipients/1/remove",
		"/account/security/password", "/account/security/two-factor",
		"/account/security/two-factor/off", "/account/security/codes", "/account/security/identities/1/unlink", "/account/security/sessions/1/end",
		"/account/security/sessions/others", "/account/security/sessions/all", "/account/export", "/account/delete",
		"/account/security/passkeys/new", "/account/security/passkeys/new/challenge", "/account/security/passkeys/1", "/account/security/passkeys/1/remove",
		"/account/verify/passkey", "/account/verify/passkey/challenge"} {
		if p := b.Post(path, nil); p.Status != http.StatusSeeOther || !strings.HasPrefix(p.Header.Get("Location"), "/signin") {
			t.Errorf("POST %s answers %d", path, p.Status)
		}
		if p := b.Send(http.MethodPost, path, url.Values{"token": {"forged"}}); p.Status != http.StatusForbidden {
			t.Errorf("POST %s with a forged token answers %d", path, p.Status)
		}
	}
}
