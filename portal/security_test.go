package portal_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/social"
	"arpent/internal/audit"
	"arpent/internal/mail"
)

// A new password is refused next to its field and never sent back; a good one closes the other sessions.
func TestChangePassword(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, other := s.member("jeanne@exemple.fr"), s.signIn("jeanne@exemple.fr")
	for field, form := range map[string]url.Values{
		"current":  {"current": {"pas le bon mot de passe"}, "password": {"six vaches regardent la mer"}},
		"password": {"current": {testPassword}, "password": {"court"}},
	} {
		p := b.Post("/account/security/password", form).Want(http.StatusUnprocessableEntity)
		if p.Error(field) == "" || p.Value("current") != "" || p.Value("password") != "" {
			t.Errorf("%s: next to it %q; sent back %q, %q", field, p.Error(field), p.Value("current"), p.Value("password"))
		}
	}
	both := b.Post("/account/security/password", url.Values{"current": {"pas le bon"}, "password": {"court"}}).Want(http.StatusUnprocessableEntity)
	if both.Error("current") == "" || both.Error("password") == "" {
		t.Errorf("where both are wrong: %q, %q", both.Error("current"), both.Error("password"))
	}
	b.Post("/account/security/password", url.Values{"current": {testPassword}, "password": {"six vaches regardent la mer"}}).
		Want(http.StatusOK, "Votre mot de passe est enregistré", "cette session")
	if p := other.Get("/account"); !strings.HasPrefix(p.Path, "/signin") {
		t.Errorf("the other session is still open: %s", p.Path)
	}
	s.last("jeanne@exemple.fr", mail.PasswordChanged)
}

// The second factor is on only once a code proves that it works; a mistyped code does not make the person
// scan again, and the recovery codes are shown once.
func TestTwoFactor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	p := b.Get("/account/security/two-factor").Want(http.StatusOK, "Scannez le code")
	secret := strings.ReplaceAll(p.Text(".secret"), " ", "")
	wrong := b.Post("/account/security/two-factor", url.Values{"sealed": {p.Value("sealed")}, "code": {"000000"}}).Want(http.StatusUnprocessableEntity)
	if wrong.Error("code") == "" {
		t.Error("the field of the code shows no error")
	}
	if shown := strings.ReplaceAll(wrong.Text(".secret"), " ", ""); shown != secret {
		t.Errorf("the secret %s takes the place of %s", shown, secret)
	}
	wrong = b.Submit(b.Submit(p, "/language", "language", "en").Want(http.StatusOK, "Scan the code"), "/language", "language", "fr").Want(http.StatusOK, "Scannez le code")
	if shown := strings.ReplaceAll(wrong.Text(".secret"), " ", ""); shown != secret {
		t.Errorf("in another language the secret %s takes the place of %s", shown, secret)
	}
	b.Get("/account/security").Want(http.StatusOK, "inactive")
	code := totpCode(t, secret, s.clock.Now())
	on := b.Post("/account/security/two-factor", url.Values{"sealed": {wrong.Value("sealed")}, "code": {code[:3] + " " + code[3:]}}).
		Want(http.StatusOK, "La double authentification est active", "Ils ne seront plus affichés")
	codes := strings.Fields(on.Text("#codes"))
	if len(codes) != 10 || !strings.Contains(on.Body, "download=") {
		t.Errorf("codes: %q", codes)
	}
	if on.Header.Get("Cache-Control") != "no-store" {
		t.Error("the codes may be kept by a cache")
	}
	again := b.Post("/account/security/two-factor", url.Values{"sealed": {wrong.Value("sealed")}, "code": {code}})
	again.Want(http.StatusOK, "10\u00a0codes de secours restants")
	if strings.Contains(again.Text("html"), codes[0]) {
		t.Error("a reload shows the codes again")
	}
	s.last("jeanne@exemple.fr", mail.TwoFactorOn)

	// A person who reads the owner's mail said that it is lost: every page says so, and a code ends it.
	s.exec(`UPDATE account.account SET factor_recovery_due_at = $1`, s.clock.Now().Add(auth.FactorRecoveryDelay))
	for _, path := range []string{"/account", "/account/keys", "/account/plan", "/account/security"} {
		b.Get(path).Want(http.StatusOK, "La double authentification sera désactivée le 24\u00a0novembre\u00a02026",
			"Tout code de votre application, ou de secours, annule cela")
	}
	verify := b.Get(b.Get("/account").Link("/account/verify")).Want(http.StatusOK, "Est-ce bien vous")
	kept := b.Submit(verify, "/account/verify", "password", testPassword, "code", codes[0]).
		Want(http.StatusOK, "9\u00a0codes de secours restants")
	kept.Lacks("sera désactivée le")

	b.Get("/account/security/codes").Want(http.StatusOK, "Il vous reste 9\u00a0codes")
	fresh := strings.Fields(b.Post("/account/security/codes", nil).Want(http.StatusOK, "Les précédents ne fonctionnent plus").Text("#codes"))
	if len(fresh) != 10 || fresh[0] == codes[0] {
		t.Errorf("new codes: %q", fresh)
	}
	b.Get("/account/security/two-factor/off").Want(http.StatusOK, "10\u00a0codes de secours encore valables")
	b.Post("/account/security/two-factor/off", nil).Want(http.StatusOK, "La double authentification est désactivée", "inactive")
}

// An operator who requires a second factor of an account has it nowhere else to go: its password
// alone opens none of its pages, makes no key and lets no assistant in, until the second factor is
// on. Its keys go on, and it can be taken back.
func TestSecondFactorCanBeRequired(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantSite(t)
	b, paul := s.member("jeanne@exemple.fr"), s.member("paul@exemple.fr")
	accounts := auth.NewAccounts(s.pool, s.clock)
	require := func(required bool) {
		t.Helper()
		if _, err := accounts.RequireSecondFactor(t.Context(), b.account.ID, required); err != nil {
			t.Fatal(err)
		}
	}
	const enrol = "/account/security/two-factor"
	require(true)
	for _, path := range []string{"/account", "/account/keys", "/account/usage", "/account/security", "/account/settings", "/account/export", "/oauth/authorize?client_id=x"} {
		if p := b.Get(path); p.Path != enrol {
			t.Errorf("%s opens %s", path, p.Path)
		}
	}
	for path, form := range map[string]url.Values{"/account/keys/new": {"name": {"volée"}}, "/oauth/authorize": {"request": {"client_id=x"}, "decision": {"allow"}},
		"/account/security/password": {"current": {testPassword}, "password": {"six vaches regardent la mer"}}} {
		if p := b.Post(path, form); p.Path != enrol {
			t.Errorf("POST %s opens %s", path, p.Path)
		}
	}
	paul.Get("/account").Want(http.StatusOK)
	require(false)
	testkit.Want(t, b.Get("/account").Path, "/account", "taken back, and yet")
	require(true)
	p := b.Get("/account").Want(http.StatusOK, "L’exploitant de ce service l’exige")
	code := totpCode(t, strings.ReplaceAll(p.Text(".secret"), " ", ""), s.clock.Now())
	b.Post(enrol, url.Values{"sealed": {p.Value("sealed")}, "code": {code}}).Want(http.StatusOK, "La double authentification est active")
	if p := b.Get("/account/keys"); p.Path != "/account/keys" {
		t.Errorf("with the second factor: %s", p.Path)
	}
	b.Get("/account/security/activity").Want(http.StatusOK, "Double authentification rendue obligatoire", "par l’exploitant")
	b.Post(enrol+"/off", nil)
	testkit.Want(t, b.Get("/account/keys").Path, enrol, "turned off again")
}

// A session is closed from any other one, and no account closes those of another.
func TestSessions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, other := s.member("jeanne@exemple.fr"), s.signIn("jeanne@exemple.fr")
	paul := s.member("paul@exemple.fr")
	const lastSession = `SELECT max(id) FROM account.session WHERE account_id = $1`
	id, theirs := read[int64](s, lastSession, b.account.ID), read[int64](s, lastSession, paul.account.ID)
	b.Get("/account/security").Want(http.StatusOK, "Firefox, Linux", "cette session", "Fermer l’autre session", "127.0.0.1")
	for _, path := range []string{strconv.FormatInt(theirs, 10), "999999", "0", "-1", "x", "99999999999999999999"} {
		b.Post("/account/security/sessions/"+path+"/end", nil).Want(http.StatusNotFound)
	}
	paul.Get("/account/security").Want(http.StatusOK)
	b.Post("/account/security/sessions/"+strconv.FormatInt(id, 10)+"/end", nil).Want(http.StatusOK, "La session est fermée")
	if p := other.Get("/account"); !strings.HasPrefix(p.Path, "/signin") {
		t.Errorf("still open: %s", p.Path)
	}
	third := s.signIn("jeanne@exemple.fr")
	b.Post("/account/security/sessions/others", nil).Want(http.StatusOK, "Toutes les autres sessions sont fermées")
	if p := third.Get("/account"); !strings.HasPrefix(p.Path, "/signin") {
		t.Errorf("still open: %s", p.Path)
	}
	if p := b.Post("/account/security/sessions/all", nil).Want(http.StatusOK, "Vous êtes déconnecté partout"); !strings.HasPrefix(p.Path, "/signin") || b.Cookie("arpent-session") != "" {
		t.Errorf("after signing out everywhere: %s, cookie %q", p.Path, b.Cookie("arpent-session"))
	}
}

// An identity is unlinked by its owner alone, and never the last way in.
func TestIdentities(t *testing.T) {
	t.Parallel()
	s := newSite(t, withProvider(social.ProviderConfig{Name: "github", Label: "GitHub", ClientID: "id", ClientSecret: "secret"}))
	b, other := s.member("jeanne@exemple.fr"), s.member("paul@exemple.fr")
	for i, who := range []*browser{b, other} {
		claim := auth.Claim{Provider: "github", Subject: strconv.Itoa(i), Email: "j@exemple.fr", EmailVerified: true}
		testkit.NoError(t, s.auth.LinkIdentity(t.Context(), who.session(), claim, auth.Origin{Language: "fr"}))
	}
	const identity = `SELECT id::text FROM account.identity WHERE account_id = $1`
	mine, theirs := read[string](s, identity, b.account.ID), read[string](s, identity, other.account.ID)
	p := b.Get("/account/security").Want(http.StatusOK, "Identités reliées", "GitHub", "j@exemple.fr")
	if p.Form("/auth/github") == nil || !strings.Contains(p.Header.Get("Content-Security-Policy"), "https://github.com") {
		t.Errorf("no way to link another: %s", p.Header.Get("Content-Security-Policy"))
	}
	for _, id := range []string{theirs, "999999", "x"} {
		b.Get("/account/security/identities/" + id + "/unlink").Want(http.StatusNotFound)
		b.Post("/account/security/identities/"+id+"/unlink", nil).Want(http.StatusNotFound)
	}
	b.Get("/account/security/identities/"+mine+"/unlink").Want(http.StatusOK, "ne permettra plus de vous connecter")
	b.Post("/account/security/identities/"+mine+"/unlink", nil).Want(http.StatusOK, "n’est plus reliée")

	s.exec("UPDATE account.account SET password_hash = NULL WHERE id = $1", other.account.ID)
	other.Get("/account/security").Want(http.StatusOK, "n’a pas de mot de passe")
	other.Get("/account/security/identities/"+theirs+"/unlink").Want(http.StatusOK, "votre seul moyen")
	other.Post("/account/security/identities/"+theirs+"/unlink", nil).Want(http.StatusUnprocessableEntity, "votre seul moyen")
	other.Post("/account/security/password", url.Values{"password": {"six vaches regardent la mer"}}).Want(http.StatusOK, "Votre mot de passe est enregistré")
}

// The record is read to its end, page by page, by its owner alone.
func TestActivity(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, other := s.member("jeanne@exemple.fr"), s.member("paul@exemple.fr")
	for i := range 60 {
		event := audit.Event{Account: b.account.ID, Action: audit.ActionKeyRenamed, Detail: map[string]any{"name": "clé " + strconv.Itoa(i)},
			Address: netip.MustParseAddr("2001:db8::7"), Agent: testkit.UserAgent}
		if i%10 == 0 {
			event.Actor = audit.ActorOperator
		}
		testkit.NoError(t, audit.Record(t.Context(), s.pool, noon.Add(time.Duration(i)*time.Second), event))
	}
	p := b.Get("/account/security/activity").Want(http.StatusOK, "Clé renommée", "clé 59", "Firefox, Linux", "2001:db8::7", "par l’exploitant", "Plus ancien")
	older := p.Find("[rel=next]").AttrOr("href", "")
	if strings.Contains(p.Text("html"), "clé 9 ") || older == "" {
		t.Fatalf("the first page holds more than a page, or leads nowhere: %q", older)
	}
	last := b.Get(older).Want(http.StatusOK, "clé 9", "Connexion", "Revenir au plus récent")
	if last.Find("[rel=next]").Length() > 0 {
		t.Error("the last page leads on")
	}
	if text := other.Get("/account/security/activity").Want(http.StatusOK, "Connexion").Text("html"); strings.Contains(text, "Clé renommée") {
		t.Error("somebody else's record is shown")
	}
	for _, before := range []string{"x", "0", "-5", "99999999999999999999"} {
		b.Get("/account/security/activity?before=" + before).Want(http.StatusNotFound)
	}
	b.Get("/account/security/activity?before=1").Want(http.StatusOK, "Aucune activité plus ancienne")
}
