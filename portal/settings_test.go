package portal_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"arpent/app/base/mail"
	"arpent/auth/apikey"
)

// An address is changed only from the new mailbox; until then the old one stays, and a typing error is said beside
// the field with what was typed.
func TestChangeEmail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	p := b.post("/account/settings/email", url.Values{"email": {"pas une adresse"}}).want(http.StatusUnprocessableEntity)
	if p.error("email") == "" || p.value("email") != "pas une adresse" {
		t.Errorf("beside the field: %q, kept: %q", p.error("email"), p.value("email"))
	}
	b.post("/account/settings/email", url.Values{"email": {" neuve@exemple.fr "}}).want(http.StatusOK, "Un lien est parti", "jeanne@exemple.fr")
	// The page says whose account it is; reading it changes nothing.
	b.get(s.link(s.last("neuve@exemple.fr", mail.EmailChange))).want(http.StatusOK, "seulement si c’est vous", "j…e@exemple.fr", "n…e@exemple.fr")
	b.get("/account/settings").want(http.StatusOK, "jeanne@exemple.fr")
	b.post(s.link(s.last("neuve@exemple.fr", mail.EmailChange)), nil).want(http.StatusOK, "Votre adresse est changée")
	b.get("/account/settings").want(http.StatusOK, "neuve@exemple.fr")
	s.last("jeanne@exemple.fr", mail.EmailChanged)
}

// Whoever follows the link when the address has become another account's reads why nothing happens.
func TestChangeEmailTooLate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	b.post("/account/settings/email", url.Values{"email": {"neuve@exemple.fr"}}).want(http.StatusOK)
	s.account("neuve@exemple.fr")
	b.post(s.link(s.last("neuve@exemple.fr", mail.EmailChange)), nil).want(http.StatusUnprocessableEntity, "n’est plus valable")
	b.get("/account/settings").want(http.StatusOK, "jeanne@exemple.fr")
}

// Language and warnings are chosen once and stay, in every browser of the account.
func TestChooseLanguageAndWarnings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	b.get("/account/settings").want(http.StatusOK, "Réglages", "Free", "100 requêtes par jour")
	b.post("/account/settings/language", url.Values{"language": {"en"}, "next": {"/account/settings?done=language"}}).
		want(http.StatusOK, "Settings", "in English from now on", "100 requests a day")
	s.signIn("jeanne@exemple.fr").get("/account/settings").want(http.StatusOK, "Settings")
	b.post("/account/settings/notifications", nil).want(http.StatusOK, "no longer write")
	if p := b.get("/account/settings"); strings.Contains(p.body, `value="on" checked`) {
		t.Error("the warning is still on")
	}
	b.post("/account/settings/notifications", url.Values{"quota": {"on"}}).want(http.StatusOK, "We will write")
}

// Whoever asks gets all that is kept about them, and no secret.
func TestExport(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	_, secret, err := s.keys.Create(t.Context(), b.account.ID, apikey.NewKey{Name: "ingest"})
	if err != nil {
		t.Fatal(err)
	}
	b.get("/account/export").want(http.StatusOK, "Télécharger le fichier")
	p := b.post("/account/export", nil)
	if got := p.header.Get("Content-Disposition"); p.status != http.StatusOK || got != `attachment; filename="arpent-2026-11-21.json"` {
		t.Fatalf("%d, %q", p.status, got)
	}
	var file map[string]any
	if err := json.Unmarshal([]byte(p.body), &file); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.body, "jeanne@exemple.fr") || !strings.Contains(p.body, "ingest") || strings.Contains(p.body, secret) {
		t.Errorf("the file: %.2000s", p.body)
	}
	b.get("/account/security/activity").want(http.StatusOK, "Données exportées")
}

// Nobody loses an account by a stray click: the page says what dies, and the address must be typed.
func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	other := s.signIn("jeanne@exemple.fr")
	if _, _, err := s.keys.Create(t.Context(), b.account.ID, apikey.NewKey{Name: "ingest"}); err != nil {
		t.Fatal(err)
	}
	b.get("/account/delete").want(http.StatusOK, "1\u00a0clé cesse de fonctionner", "1\u00a0autre", "jeanne@exemple.fr")
	p := b.post("/account/delete", url.Values{"email": {"jean@exemple.fr"}}).want(http.StatusUnprocessableEntity)
	if p.error("email") == "" || p.value("email") != "jean@exemple.fr" {
		t.Errorf("beside the field: %q, kept: %q", p.error("email"), p.value("email"))
	}
	b.post("/account/delete", url.Values{"email": {"Jeanne@Exemple.FR"}}).want(http.StatusOK, "Votre compte est supprimé")
	if b.cookie("arpent-session") != "" || b.cookie("arpent-device") != "" {
		t.Error("the browser keeps cookies of the account")
	}
	for _, gone := range []*browser{b, other} {
		if p := gone.get("/account/settings"); !strings.HasPrefix(p.path, "/signin") {
			t.Errorf("still let in: %s", p.path)
		}
	}
	s.last("jeanne@exemple.fr", mail.AccountDeleted)
	var keys, lines int
	if err := s.pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM account.api_key), (SELECT count(*) FROM account.audit WHERE address IS NOT NULL AND account_id = $1)",
		b.account.ID).Scan(&keys, &lines); err != nil || keys != 0 || lines != 0 {
		t.Errorf("%d keys and %d lines with an address are left, %v", keys, lines, err)
	}
}

// A browser that was left open does not give the account away: what changes how one gets in asks again who is there.
func TestSensitivePagesAskAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	token := b.token()
	s.clock.Set(noon.Add(11 * time.Minute))
	b.stay()
	for _, path := range []string{"/account/settings/email", "/account/security/password", "/account/security/two-factor",
		"/account/security/two-factor/off", "/account/security/codes", "/account/security/identities/1/unlink", "/account/export", "/account/delete"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			var form url.Values
			if method == http.MethodPost {
				form = url.Values{"token": {token}, "email": {"x@exemple.fr"}}
			}
			p := b.send(method, path, form)
			if to := p.header.Get("Location"); p.status != http.StatusSeeOther || !strings.HasPrefix(to, "/account/verify?next=") {
				t.Errorf("%s %s answers %d, to %q", method, path, p.status, to)
			}
		}
	}
	s.clock.Set(noon.Add(6 * time.Minute))
	if p := b.get("/account/delete"); p.status != http.StatusSeeOther {
		t.Errorf("six minutes on, deletion answers %d", p.status)
	}
	if p := b.get("/account/export"); p.status != http.StatusOK {
		t.Errorf("six minutes on, the export answers %d", p.status)
	}
}

// A page that is read changes nothing, whatever its address: a link in a mail or a picture in a page harms nobody.
func TestReadingSettingsChangesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	before := s.lines(b.account.ID)
	for _, path := range []string{"/account/settings", "/account/settings/email?email=x@exemple.fr", "/account/security", "/account/security/activity",
		"/account/security/password?password=aaaaaaaaaaaaaaaaaaa", "/account/security/two-factor", "/account/export", "/account/delete?email=jeanne@exemple.fr", "/goodbye"} {
		b.get(path).want(http.StatusOK)
	}
	for _, path := range []string{"/account/settings/notifications", "/account/security/sessions/all", "/account/security/sessions/others", "/account/security/sessions/1/end"} {
		if p := b.get(path); p.status != http.StatusNotFound && p.status != http.StatusMethodNotAllowed {
			t.Errorf("GET %s answers %d", path, p.status)
		}
	}
	if after := s.lines(b.account.ID); after != before {
		t.Errorf("%d lines of the record, %d before", after, before)
	}
	b.get("/account/settings").want(http.StatusOK)
}

// Whoever has not confirmed the address is told so, and gets another link from where they read it.
func TestUnconfirmedSettings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("paul@exemple.fr")
	if _, err := s.pool.Exec(t.Context(), "UPDATE account.account SET email_confirmed_at = NULL WHERE id = $1", b.account.ID); err != nil {
		t.Fatal(err)
	}
	if p := b.get("/account/settings").want(http.StatusOK, "à confirmer"); p.form("/resend") == nil {
		t.Error("no way to get another link")
	}
	b.post("/resend", url.Values{"email": {"paul@exemple.fr"}}).want(http.StatusOK)
	s.last("paul@exemple.fr", mail.Confirm)
}

// Nobody reads or changes an account without signing in, and is led back afterwards.
func TestSettingsAreForMembers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser().stay()
	for _, path := range []string{"/account/settings", "/account/settings/email", "/account/security", "/account/security/activity?before=7", "/account/security/password",
		"/account/security/two-factor", "/account/security/codes", "/account/export", "/account/delete"} {
		p := b.get(path)
		if to := p.header.Get("Location"); p.status != http.StatusSeeOther || to != "/signin?next="+url.QueryEscape(path) {
			t.Errorf("%s answers %d, to %q", path, p.status, to)
		}
	}
	for _, path := range []string{"/account/settings/email", "/account/settings/language", "/account/settings/notifications", "/account/security/password", "/account/security/two-factor",
		"/account/security/two-factor/off", "/account/security/codes", "/account/security/identities/1/unlink", "/account/security/sessions/1/end",
		"/account/security/sessions/others", "/account/security/sessions/all", "/account/export", "/account/delete"} {
		if p := b.post(path, nil); p.status != http.StatusSeeOther || !strings.HasPrefix(p.header.Get("Location"), "/signin") {
			t.Errorf("POST %s answers %d", path, p.status)
		}
		if p := b.send(http.MethodPost, path, url.Values{"token": {"forged"}}); p.status != http.StatusForbidden {
			t.Errorf("POST %s with a forged token answers %d", path, p.status)
		}
	}
}
