package portal_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"golang.org/x/net/html"

	"arpent/app/base/audit"
	"arpent/app/base/ident"
	"arpent/app/base/mail"
	"arpent/auth"
	"arpent/auth/social"
)

// lines counts what is on an account's record.
func (s *site) lines(account ident.AccountID) (n int) {
	s.t.Helper()
	if err := s.pool.QueryRow(s.t.Context(), "SELECT count(*) FROM account.audit WHERE account_id = $1", account).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// A new password is refused beside its field and never sent back; a good one closes the other sessions.
func TestChangePassword(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, other := s.member("jeanne@exemple.fr"), s.signIn("jeanne@exemple.fr")
	for field, form := range map[string]url.Values{
		"current":  {"current": {"pas le bon mot de passe"}, "password": {"six vaches regardent la mer"}},
		"password": {"current": {testPassword}, "password": {"court"}},
	} {
		p := b.post("/account/security/password", form).want(http.StatusUnprocessableEntity)
		if p.error(field) == "" || p.value("current") != "" || p.value("password") != "" {
			t.Errorf("%s: beside it %q; sent back %q, %q", field, p.error(field), p.value("current"), p.value("password"))
		}
	}
	b.post("/account/security/password", url.Values{"current": {testPassword}, "password": {"six vaches regardent la mer"}}).
		want(http.StatusOK, "Votre mot de passe est enregistré", "cette session")
	if p := other.get("/account"); !strings.HasPrefix(p.path, "/signin") {
		t.Errorf("the other session is still open: %s", p.path)
	}
	s.last("jeanne@exemple.fr", mail.PasswordChanged)
}

// The second factor is on only once a code proves that it works; a mistyped code does not make the person scan again,
// and the recovery codes are shown once.
func TestTwoFactor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	p := b.get("/account/security/two-factor").want(http.StatusOK, "Scannez le code")
	secret := strings.ReplaceAll(textOf(find(p.doc, isSecret)), " ", "")
	wrong := b.post("/account/security/two-factor", url.Values{"sealed": {p.value("sealed")}, "code": {"000000"}}).want(http.StatusUnprocessableEntity)
	if wrong.error("code") == "" {
		t.Error("nothing is said beside the code")
	}
	if shown := strings.ReplaceAll(textOf(find(wrong.doc, isSecret)), " ", ""); shown != secret {
		t.Errorf("the secret %s takes the place of %s", shown, secret)
	}
	b.get("/account/security").want(http.StatusOK, "inactive")
	code, err := totp.GenerateCode(secret, s.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	on := b.post("/account/security/two-factor", url.Values{"sealed": {wrong.value("sealed")}, "code": {code[:3] + " " + code[3:]}}).
		want(http.StatusOK, "La double authentification est active", "Ils ne seront plus affichés")
	codes := strings.Fields(textOf(on.byID("codes")))
	if len(codes) != 10 || !strings.Contains(on.body, "download=") {
		t.Errorf("codes: %q", codes)
	}
	if on.header.Get("Cache-Control") != "no-store" {
		t.Error("the codes may be kept by a cache")
	}
	again := b.post("/account/security/two-factor", url.Values{"sealed": {wrong.value("sealed")}, "code": {code}})
	again.want(http.StatusOK, "10\u00a0codes de secours restants")
	if strings.Contains(again.text(), codes[0]) {
		t.Error("a reload shows the codes again")
	}
	s.last("jeanne@exemple.fr", mail.TwoFactorOn)

	b.get("/account/security/codes").want(http.StatusOK, "10\u00a0codes encore valables")
	fresh := strings.Fields(textOf(b.post("/account/security/codes", nil).want(http.StatusOK, "Les précédents ne fonctionnent plus").byID("codes")))
	if len(fresh) != 10 || fresh[0] == codes[0] {
		t.Errorf("new codes: %q", fresh)
	}
	b.get("/account/security/two-factor/off").want(http.StatusOK, "10\u00a0codes de secours encore valables")
	b.post("/account/security/two-factor/off", nil).want(http.StatusOK, "La double authentification est désactivée", "inactive")
}

// A session is closed from any other one, and nobody closes those of somebody else.
func TestSessions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, other := s.member("jeanne@exemple.fr"), s.signIn("jeanne@exemple.fr")
	stranger := s.member("paul@exemple.fr")
	var id, theirs int64
	if err := s.pool.QueryRow(t.Context(), `SELECT (SELECT max(id) FROM account.session WHERE account_id = $1), (SELECT id FROM account.session WHERE account_id = $2)`,
		b.account.ID, stranger.account.ID).Scan(&id, &theirs); err != nil {
		t.Fatal(err)
	}
	b.get("/account/security").want(http.StatusOK, "Firefox, Linux", "cette session", "Fermer l’autre session", "127.0.0.1")
	for _, path := range []string{strconv.FormatInt(theirs, 10), "999999", "0", "-1", "x", "99999999999999999999"} {
		b.post("/account/security/sessions/"+path+"/end", nil).want(http.StatusNotFound)
	}
	stranger.get("/account/security").want(http.StatusOK)
	b.post("/account/security/sessions/"+strconv.FormatInt(id, 10)+"/end", nil).want(http.StatusOK, "La session est fermée")
	if p := other.get("/account"); !strings.HasPrefix(p.path, "/signin") {
		t.Errorf("still open: %s", p.path)
	}
	third := s.signIn("jeanne@exemple.fr")
	b.post("/account/security/sessions/others", nil).want(http.StatusOK, "Toutes les autres sessions sont fermées")
	if p := third.get("/account"); !strings.HasPrefix(p.path, "/signin") {
		t.Errorf("still open: %s", p.path)
	}
	if p := b.post("/account/security/sessions/all", nil).want(http.StatusOK, "Toutes vos sessions sont fermées"); !strings.HasPrefix(p.path, "/signin") || b.cookie("arpent-session") != "" {
		t.Errorf("after signing out everywhere: %s, cookie %q", p.path, b.cookie("arpent-session"))
	}
}

// An identity is unlinked by its owner alone, and never the last way in.
func TestIdentities(t *testing.T) {
	t.Parallel()
	s := newSite(t, with(social.ProviderConfig{Name: "github", Label: "GitHub", ClientID: "id", ClientSecret: "secret"}))
	b, stranger := s.member("jeanne@exemple.fr"), s.member("paul@exemple.fr")
	for i, who := range []*browser{b, stranger} {
		session, err := s.auth.Session(t.Context(), who.cookie("arpent-session"))
		if err != nil {
			t.Fatal(err)
		}
		claim := auth.Claim{Provider: "github", Subject: strconv.Itoa(i), Email: "j@exemple.fr", EmailVerified: true}
		if err := s.auth.LinkIdentity(t.Context(), session, claim, auth.Origin{Language: "fr"}); err != nil {
			t.Fatal(err)
		}
	}
	var mine, theirs string
	if err := s.pool.QueryRow(t.Context(), `SELECT (SELECT id::text FROM account.identity WHERE account_id = $1), (SELECT id::text FROM account.identity WHERE account_id = $2)`,
		b.account.ID, stranger.account.ID).Scan(&mine, &theirs); err != nil {
		t.Fatal(err)
	}
	p := b.get("/account/security").want(http.StatusOK, "Identités reliées", "GitHub", "j@exemple.fr")
	if p.form("/auth/github") == nil || !strings.Contains(p.header.Get("Content-Security-Policy"), "https://github.com") {
		t.Errorf("no way to link another: %s", p.header.Get("Content-Security-Policy"))
	}
	for _, id := range []string{theirs, "999999", "x"} {
		b.get("/account/security/identities/" + id + "/unlink").want(http.StatusNotFound)
		b.post("/account/security/identities/"+id+"/unlink", nil).want(http.StatusNotFound)
	}
	b.get("/account/security/identities/"+mine+"/unlink").want(http.StatusOK, "n’ouvrira plus ce compte")
	b.post("/account/security/identities/"+mine+"/unlink", nil).want(http.StatusOK, "n’est plus reliée")

	if _, err := s.pool.Exec(t.Context(), "UPDATE account.account SET password_hash = NULL WHERE id = $1", stranger.account.ID); err != nil {
		t.Fatal(err)
	}
	stranger.get("/account/security").want(http.StatusOK, "n’a pas de mot de passe")
	stranger.get("/account/security/identities/"+theirs+"/unlink").want(http.StatusOK, "votre seul moyen")
	stranger.post("/account/security/identities/"+theirs+"/unlink", nil).want(http.StatusUnprocessableEntity, "votre seul moyen")
	stranger.post("/account/security/password", url.Values{"password": {"six vaches regardent la mer"}}).want(http.StatusOK, "Votre mot de passe est enregistré")
}

// The record is read to its end, page by page, by its owner alone.
func TestActivity(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b, stranger := s.member("jeanne@exemple.fr"), s.member("paul@exemple.fr")
	for i := range 60 {
		event := audit.Event{Account: b.account.ID, Action: audit.ActionKeyRenamed, Detail: map[string]any{"name": "clé " + strconv.Itoa(i)},
			Address: netip.MustParseAddr("2001:db8::7"), Agent: userAgent}
		if i%10 == 0 {
			event.Actor = audit.ActorOperator
		}
		if err := audit.Record(t.Context(), s.pool, noon.Add(time.Duration(i)*time.Second), event); err != nil {
			t.Fatal(err)
		}
	}
	p := b.get("/account/security/activity").want(http.StatusOK, "Clé renommée", "clé 59", "Firefox, Linux", "2001:db8::7", "par l’exploitant", "Plus ancien")
	older := attr(find(p.doc, isNext), "href")
	if strings.Contains(p.text(), "clé 9 ") || older == "" {
		t.Fatalf("the first page holds more than a page, or leads nowhere: %q", older)
	}
	last := b.get(older).want(http.StatusOK, "clé 9", "Connexion", "Revenir au plus récent")
	if find(last.doc, isNext) != nil {
		t.Error("the last page leads on")
	}
	if text := stranger.get("/account/security/activity").want(http.StatusOK, "Connexion").text(); strings.Contains(text, "Clé renommée") {
		t.Error("somebody else's record is shown")
	}
	for _, before := range []string{"x", "0", "-5", "99999999999999999999"} {
		b.get("/account/security/activity?before=" + before).want(http.StatusNotFound)
	}
	b.get("/account/security/activity?before=1").want(http.StatusOK, "Rien de plus ancien")
}

// A language is written to its end: no page of the account mixes the two.
func TestSecurityInEnglish(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jane@example.org")
	b.post("/language", url.Values{"language": {"en"}, "next": {"/account/security"}}).want(http.StatusOK, "Open sessions", "this session", "Two-factor authentication")
	for path, title := range map[string]string{
		"/account/settings": "Settings", "/account/settings/email": "Change the e-mail address", "/account/security/password": "Change the password",
		"/account/security/two-factor": "Turn on two-factor authentication", "/account/security/activity": "Record of the account",
		"/account/export": "Export your data", "/account/delete": "Delete the account",
	} {
		if text := b.get(path).want(http.StatusOK, title).text(); strings.Contains(text, "Sécurité") || strings.Contains(text, " compte ") {
			t.Errorf("%s speaks French:\n%s", path, text)
		}
	}
}

var (
	isSecret = func(n *html.Node) bool { return attr(n, "class") == "secret" }
	isNext   = func(n *html.Node) bool { return attr(n, "rel") == "next" }
)
