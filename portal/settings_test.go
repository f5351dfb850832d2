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
	b.Post("/account/settings/notifications", url.Values{"percent": {"90", " 7 ", "90"}}).Want(http.StatusOK, "We will write")
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
	s := matrixSite(t)
	b := s.browser().stay()
	form, tested := url.Values{"token": {b.Token()}}, 0
	for _, r := range s.portal.Routes() {
		path := strings.Replace(r.Path, ":id", "1", 1)
		if !strings.HasPrefix(path, "/account") || strings.Contains(path, ":") {
			continue
		}
		tested++
		if r.Method == http.MethodGet {
			path += "?before=7"
		}
		p := b.Send(r.Method, path, form, "Sec-Fetch-Site", "same-origin")
		to := p.Location()
		isPart := r.Path == "/account/usage/now" && p.Status == http.StatusNoContent // of a page
		// The address of a form leads to the page that has it, which is tried too.
		toPage := strings.HasPrefix(to, "/account") && strings.HasPrefix(r.Path, to)
		switch {
		case r.Method == http.MethodGet && (to == "/signin?next="+url.QueryEscape(path) || toPage || isPart):
		case r.Method == http.MethodPost && strings.HasPrefix(to, "/signin"):
		default:
			t.Errorf("%s %s answers %d, to %q", r.Method, path, p.Status, to)
		}
	}
	if tested < 100 {
		t.Errorf("only %d requests", tested)
	}
}
