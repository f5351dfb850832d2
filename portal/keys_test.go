package portal_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/auth/webhook"
	"arpent/internal/audit"
	"arpent/internal/event"
	"arpent/internal/mail"
)

var secrets = regexp.MustCompile(`arp_[0-9A-Za-z]{38}`)

// secretOn is the secret that a page shows; it fails the test unless there is exactly one.
func (s *site) secretOn(p *testkit.Page) string {
	s.t.Helper()
	found := map[string]bool{}
	for _, secret := range secrets.FindAllString(p.Text("html"), -1) {
		found[secret] = true
	}
	if len(found) != 1 {
		s.t.Fatalf("%s shows %d secrets", p.Path, len(found))
	}
	for secret := range found {
		if _, ok := apikey.Parse(secret); !ok {
			s.t.Fatalf("%q is no key", secret)
		}
		return secret
	}
	return ""
}

// key makes a live key of the browser's account, without going through the pages.
func (b *browser) key(name string) apikey.Key {
	b.s.t.Helper()
	k, _, err := b.s.keys.Create(b.s.t.Context(), b.account.ID, apikey.NewKey{Name: name})
	testkit.NoError(b.s.t, err)
	return k
}

// again reads a key as it is now.
func (b *browser) again(k apikey.Key) apikey.Key {
	b.s.t.Helper()
	k, err := b.s.keys.Get(b.s.t.Context(), b.account.ID, k.ID)
	testkit.NoError(b.s.t, err)
	return k
}

// did are the actions recorded of the browser's account, the newest first.
func (b *browser) did() (actions []string) {
	b.s.t.Helper()
	entries, err := audit.List(b.s.t.Context(), b.s.pool, b.account.ID, 0, 100)
	testkit.NoError(b.s.t, err)
	for _, e := range entries {
		actions = append(actions, e.Action)
	}
	return actions
}

// A secret is shown once, in the answer to the form and nowhere else: not on a page after it, not in the
// mail, not in what a browser may keep. A form that is sent twice makes one key.
func TestNewKeyIsShownOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	form := url.Values{"name": {"ingest"}, "expires": {"30"}, "per_day": {"1 500"}, "networks": {"203.0.113.7, 10.1.2.3/8"}, "refuse_in_query": {"yes"}}
	made := b.Post("/account/keys/new", form).Want(http.StatusCreated, "ingest", "ne sera plus jamais affichée", s.base+"/api/v1/communes/")
	secret := s.secretOn(made)
	testkit.Want(t, made.Header.Get("Cache-Control"), "no-store", "the page with the secret may be kept")
	if strings.Contains(made.Path, secret) || strings.Contains(made.Text("title"), secret) {
		t.Error("the secret is in the address or the title")
	}
	keys, err := s.keys.List(t.Context(), b.account.ID)
	if err != nil || len(keys) != 1 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	k := keys[0]
	end := time.Date(2026, 12, 21, 23, 0, 0, 0, time.UTC) // the end of 21 December in Paris
	if k.ExpiresAt == nil || !k.ExpiresAt.Equal(end) || k.PerDay == nil || *k.PerDay != 1500 || fmt.Sprint(k.Networks) != "[203.0.113.7/32 10.0.0.0/8]" || !k.RefuseInQuery {
		t.Errorf("made: %+v", k)
	}
	b.Post("/account/keys/new", form).Want(http.StatusUnprocessableEntity, "la première clé a été créée")
	for _, path := range []string{"/account/keys", "/account", keyPath(k, ""), "/account/keys/new"} {
		b.Get(path).Lacks(secret)
	}
	sent := s.last("jeanne@exemple.fr", mail.KeyCreated)
	if sent.Values["name"] != "ingest" || sent.Values["device"] == "" || sent.Values["address"] == "" || strings.Contains(fmt.Sprint(sent), secret) {
		t.Errorf("the mail: %+v", sent)
	}
	if did := b.did(); did[0] != audit.ActionKeyCreated {
		t.Errorf("recorded: %v", did)
	}
}

func keyPath(k apikey.Key, then string) string { return fmt.Sprintf("/account/keys/%d%s", k.ID, then) }

// A form that comes back in the other language holds what the visitor had typed.
func TestLanguageKeepsTheFormOfAKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	typed := url.Values{"name": {"import de nuit"}, "expires": {"90"}, "per_day": {"beaucoup"}, "networks": {"203.0.113.7"}, "refuse_in_query": {"yes"}}
	kept := func(p *testkit.Page) {
		t.Helper()
		if p.Value("name") != "import de nuit" || p.Value("per_day") != "beaucoup" || p.Text("#networks") != "203.0.113.7" ||
			p.Find(`[value="90"][checked], [name=refuse_in_query][checked]`).Length() != 2 {
			t.Errorf("%s: the form is %s", p.Path, p.Text("form.form"))
		}
	}
	p := b.Submit(b.Post("/account/keys/new", typed), "/language", "language", "en").Want(http.StatusOK, "Create the key")
	kept(p)
	kept(b.Submit(p, "/language", "language", "fr").Want(http.StatusOK, "Créer la clé"))
	page := fmt.Sprintf("/account/keys/%d", b.key("site web").ID)
	p = b.Submit(b.Post(page+"/restrict", url.Values{"per_day": {"beaucoup"}}), "/language", "language", "en").Want(http.StatusOK, "Cap per day")
	if p.Path != page || p.Value("per_day") != "beaucoup" || p.Value("name") != "site web" {
		t.Errorf("%s: the cap is %q, the name %q", p.Path, p.Value("per_day"), p.Value("name"))
	}
	testkit.Want(t, b.Get(page).Value("per_day"), "", "later it is still")
}

// The error of a form is next to its field, in the reader's language, and nothing that was typed is lost.
func TestKeyFormKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	b.key("prise")
	for _, c := range []struct {
		field, value, fr, en string
		more                 url.Values
	}{
		{"name", "", "de 1 à 60", "1 to 60", nil},
		{"name", strings.Repeat("é", 61), "de 1 à 60", "1 to 60", nil},
		{"name", "MCP · moi", "assistants", "assistants", nil},
		{"name", "PRISE", "porte déjà ce nom", "this name already", nil},
		{"name", "a\tb", "invisible", "invisible", nil},
		{"name", "a\u202eb", "invisible", "invisible", nil},
		{"expires", "date", "un jour à venir", "a day to come", url.Values{"expires_on": {"2026-11-20"}}},
		{"expires", "date", "un jour à venir", "a day to come", url.Values{"expires_on": {"demain"}}},
		{"expires", "31", "un jour à venir", "a day to come", nil},
		{"per_day", "0", "nombre entier", "whole number", nil},
		{"per_day", "beaucoup", "nombre entier", "whole number", nil},
		{"per_day", "-5", "nombre entier", "whole number", url.Values{"networks": {"ailleurs"}}},
		{"per_day", "99999999999999999999", "nombre entier", "whole number", nil},
		{"networks", "10.0.0.0/8\nailleurs", "« ailleurs »", "“ailleurs”", nil},
		{"networks", "<script>", "« <script> »", "“<script>”", nil},
	} {
		values := url.Values{"name": {"une autre"}, "expires": {"never"}, c.field: {c.value}}
		maps.Copy(values, c.more)
		for lang, want := range map[string]string{"fr": c.fr, "en": c.en} {
			p := b.Post("/account/keys/new?lang="+lang, values).Want(http.StatusUnprocessableEntity)
			if got := strings.ReplaceAll(p.Error(c.field), "\u00a0", " "); !strings.Contains(got, want) {
				t.Errorf("%s=%q in %s: %q next to the field", c.field, c.value, lang, got)
			}
			if name := p.Value("name"); name != values.Get("name") {
				t.Errorf("%s=%q: the name became %q", c.field, c.value, name)
			}
			if c.field == "networks" && p.Text("#networks") == "" {
				t.Errorf("the networks are lost")
			}
		}
	}
	if keys, _ := s.keys.List(t.Context(), b.account.ID); len(keys) != 1 {
		t.Errorf("%d keys", len(keys))
	}
}

// An account with an unconfirmed address is shown that before they fill
// a form in, and gets no key by sending one.
func TestUnconfirmedGetsNoKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("neuf@exemple.fr")
	s.exec(`UPDATE account.account SET email_confirmed_at = NULL WHERE id = $1`, b.account.ID)
	for _, path := range []string{"/account", "/account/keys", "/account/keys/new"} {
		if p := b.Get(path).Want(http.StatusOK, "pas encore confirmée", "neuf@exemple.fr"); p.Form("/resend") == nil {
			t.Errorf("%s offers no new link", path)
		}
	}
	b.Post("/account/keys/new", url.Values{"name": {"x"}}).Want(http.StatusUnprocessableEntity, "pas encore confirmée")
	if keys, _ := s.keys.List(t.Context(), b.account.ID); len(keys) != 0 {
		t.Error("a key was made")
	}
}

// Each setting of a key is changed by its own form, and leaves the others as they are.
func TestChangeKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	k := b.key("ingest")
	b.key("prise")
	b.Post(keyPath(k, "/rename"), url.Values{"name": {"  Clé n° 1 🗺 "}}).Want(http.StatusOK, "Clé n° 1 🗺", "Le nom est changé")
	if p := b.Post(keyPath(k, "/rename"), url.Values{"name": {"prise"}}).Want(http.StatusUnprocessableEntity); p.Error("name") == "" || p.Value("name") != "prise" {
		t.Error("the error is not next to the name, or it is lost")
	}
	b.Post(keyPath(k, "/restrict"), url.Values{"per_day": {"50"}, "networks": {"::ffff:10.0.0.1"}}).Want(http.StatusOK, "10.0.0.1", "s’appliquent")
	if p := b.Post(keyPath(k, "/restrict"), url.Values{"per_day": {"50"}, "networks": {"10.0.0.0/99"}}); p.Error("networks") == "" || p.Value("name") != "Clé n° 1 🗺" {
		t.Error("the error is not next to the networks, or another form is emptied")
	}
	b.Post(keyPath(k, "/expiry"), url.Values{"expires": {"date"}, "expires_on": {"2027-03-28"}}).Want(http.StatusOK, "28\u00a0mars\u00a02027", "L’expiration est changée")
	b.Post(keyPath(k, "/pause"), nil).Want(http.StatusOK, "suspendue")
	now := b.again(k)
	if now.PausedAt == nil || now.PerDay == nil || *now.PerDay != 50 || len(now.Networks) != 1 || !now.ExpiresAt.Equal(time.Date(2027, 3, 28, 22, 0, 0, 0, time.UTC)) {
		t.Errorf("now: %+v", now)
	}
	b.Get("/account/keys").Want(http.StatusOK, "50 par jour, depuis 10.0.0.1", "suspendue", "28\u00a0mars\u00a02027")
	b.Post(keyPath(k, "/resume"), nil).Want(http.StatusOK, "fonctionne de nouveau")
	b.Post(keyPath(k, "/restrict"), url.Values{}).Want(http.StatusOK)
	if now := b.again(k); now.PausedAt != nil || now.PerDay != nil || len(now.Networks) != 0 || now.ExpiresAt == nil {
		t.Errorf("after taking it back: %+v", now)
	}
	want := []string{audit.ActionKeyRestricted, audit.ActionKeyResumed, audit.ActionKeyPaused, audit.ActionKeyRestricted, audit.ActionKeyRestricted, audit.ActionKeyRenamed}
	if did := b.did(); len(did) < len(want) || fmt.Sprint(did[:len(want)]) != fmt.Sprint(want) {
		t.Errorf("recorded %v, want %v", did, want)
	}
}

// A name is text on every page that shows it, whatever it looks like.
func TestKeyNamesAreText(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	k := b.key(`"><script>alert(1)</script>`)
	s.use(b, k, "get_parcel", noon, 3)
	for _, path := range []string{"/account", "/account/keys", keyPath(k, ""), keyPath(k, "/revoke"), keyPath(k, "/rotate"), "/account/usage"} {
		p := b.Get(path).Want(http.StatusOK, `"><script>alert(1)</script>`)
		if strings.Contains(p.Body, "<script>") || strings.Contains(p.Body, " style=") || strings.Contains(p.Body, " onclick") {
			t.Errorf("%s holds markup from a name, or what its policy forbids", path)
		}
	}
}

// All that is wrong in the form of a key is said at once, and all that was typed is kept.
func TestKeyFormNamesAllThatIsWrong(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	p := b.Post("/account/keys/new", url.Values{"name": {" "}, "expires": {"date"}, "expires_on": {"2020-01-01"}, "per_day": {"abc"}, "networks": {"999.1.1.1"}}).
		Want(http.StatusUnprocessableEntity, "Donnez un nom de 1 à 60\u00a0caractères", "Choisissez un jour à venir", "Un nombre entier de requêtes", "999.1.1.1\u00a0» n’est ni")
	if p.Value("expires_on") != "2020-01-01" || p.Value("per_day") != "abc" {
		t.Errorf("kept %q and %q", p.Value("expires_on"), p.Value("per_day"))
	}
	if n := testkit.Count(t, s.pool, `SELECT count(*) FROM account.api_key WHERE kind = 'integration'`); n != 0 {
		t.Errorf("%d keys were made", n)
	}
}

// The owner of an account makes a token for a program: what was typed wrong is said next to the field, the
// secret is shown once, after a fresh proof, and the token is worth nothing once it is revoked.
func TestManagementTokens(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	b.Get("/account/keys").Want(http.StatusOK, "jetons de gestion")
	const path = "/account/tokens/new"
	form := b.Get(b.Get("/account/tokens").Want(http.StatusOK, "Créer un jeton").Link(path)).Want(http.StatusOK, "Consommation", "Compte et membres", "un an")
	again := b.Submit(form, path, "name", "tableau", "days", "30").Want(http.StatusUnprocessableEntity, "Cochez au moins une")
	if again.Value("name") != "tableau" || again.Find(`[name=days][value="30"][checked]`).Length() != 1 {
		t.Errorf("the form forgot what was typed: %s", again.Text("form.form"))
	}
	made := b.Submit(again, path, "name", "tableau", "scope_usage", "yes", "days", "30").Want(http.StatusCreated, "ne sera plus jamais affiché", "/account/v1/usage")
	secret := made.Text("#secret")
	if cache := made.Header.Get("Cache-Control"); cache != "no-store" || strings.Contains(made.Path, secret) || strings.Contains(made.Text("title"), secret) {
		t.Errorf("the secret may be kept: %q, %s", cache, made.Path)
	}
	if g, err := s.tokens.Authenticate(t.Context(), secret); err != nil || g.Account != b.account.ID || len(g.Scopes) != 1 {
		t.Fatalf("%+v, %v", g, err)
	}
	b.Submit(form, path, "name", "Tableau", "scope_usage", "yes", "days", "30").Want(http.StatusUnprocessableEntity, "Un jeton porte déjà ce nom")
	for _, page := range []string{"/account/tokens", "/account", path, "/account/security/activity", "/account/security/access"} {
		b.Get(page).Lacks(secret)
	}
	sent := s.last("jeanne@exemple.fr", mail.TokenCreated)
	if sent.Values["name"] != "tableau" || sent.Values["address"] == "" || strings.Contains(fmt.Sprint(sent), secret) {
		t.Errorf("the mail: %+v", sent)
	}
	b.Get("/account/security/activity").Want(http.StatusOK, "Jeton de gestion créé", "lit\u00a0: consommation")
	b.Get("/account/security/access").Want(http.StatusOK, "tableau", "Révoquer 1\u00a0jeton de gestion")
	list := b.Get("/account/tokens").Want(http.StatusOK, "tableau", management.Mark+"…"+secret[len(secret)-4:], "dernier appel")
	revoke := list.Link("/account/tokens/")
	if revoke == path {
		revoke = list.Find(`a[href$="/revoke"]`).AttrOr("href", "")
	}
	b.Submit(b.Get(revoke).Want(http.StatusOK, "Révoquer ce jeton"), revoke).Want(http.StatusOK, "Le jeton est révoqué")
	if _, err := s.tokens.Authenticate(t.Context(), secret); !errors.Is(err, management.ErrUnknown) {
		t.Errorf("after its revocation: %v", err)
	}
	b.Get(revoke).Want(http.StatusNotFound)
	s.clock.Advance(auth.Freshness + time.Minute)
	if p := b.Get(path); !strings.HasPrefix(p.Path, "/account/verify") {
		t.Errorf("a token without a fresh proof: %s", p.Path)
	}
}

// The owner of an account adds a webhook: what was typed wrong is said next to the field, the secret is shown
// once, after a fresh proof, and the page of the webhook shows what was sent, sends it again and deletes it.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.member("jeanne@exemple.fr")
	b.Get("/account/keys").Want(http.StatusOK, "les webhooks")
	const path = "/account/webhooks/new"
	list := b.Get("/account/webhooks").Want(http.StatusOK, "Aucun webhook pour l’instant")
	form := b.Get(list.Link(path)).Want(http.StatusOK, "key.expiring", "une clé expire dans sept jours")
	if n := form.Find("input[type=checkbox][checked]").Length(); n != len(event.Types) {
		t.Errorf("%d of %d events are ticked", n, len(event.Types))
	}
	const private = "https://192.168.1.1/x"
	again := b.Post(path, url.Values{"token": {form.Value("token")}, "url": {private}}).Want(http.StatusUnprocessableEntity,
		"pas celle d’un serveur public", "Cochez au moins un événement")
	if again.Value("url") != private || again.Find("input[type=checkbox][checked]").Length() != 0 {
		t.Errorf("the form forgot what was typed: %s", again.Text("form.form"))
	}
	b.Submit(again, path, "url", "http://exemple.fr", "event_key_created", "yes").Want(http.StatusUnprocessableEntity, "commence par https://")
	made := b.Submit(again, path, "url", "https://exemple.fr/arpent", "event_key_created", "yes").Want(http.StatusCreated, "ne sera plus jamais affiché")
	secret := made.Text("#secret")
	if !strings.HasPrefix(secret, webhook.Mark) || made.Header.Get("Cache-Control") != "no-store" || strings.Contains(made.Text("title"), secret) {
		t.Errorf("the secret %q may be kept", secret)
	}
	b.Submit(again, path, "url", "https://exemple.fr/arpent", "event_key_created", "yes").Want(http.StatusUnprocessableEntity, "Un webhook a déjà cette adresse")
	list = b.Get("/account/webhooks").Want(http.StatusOK, "https://exemple.fr/arpent", "key.created", "rien n’a encore été envoyé")
	page := list.Find(`.rows a[href^="/account/webhooks/"]`).AttrOr("href", "")
	b.Get(page).Want(http.StatusOK, "Rien n’a encore été envoyé", "actif")

	if _, _, err := s.keys.Create(t.Context(), b.account.ID, apikey.NewKey{Name: "import"}); err != nil {
		t.Fatal(err)
	}
	b.Submit(b.Get(page), page+"/test").Want(http.StatusOK, "L’événement part maintenant", "test", "key.created", "en attente")
	s.exec(`INSERT INTO account.webhook_attempt (delivery_id, webhook_id, account_id, at, status, reason, milliseconds, by_hand)
		SELECT id, webhook_id, account_id, $1::timestamptz, 503, NULL::text, 120, false FROM account.webhook_delivery UNION ALL
		SELECT id, webhook_id, account_id, $1, NULL, 'timeout', 10000, false FROM account.webhook_delivery`, noon)
	detail := b.Get(page).Want(http.StatusOK, "réponse 503 en 120", "pas de réponse en 10\u00a0secondes", "nouvel essai prévu", "2\u00a0envois", `"name":"import"`)
	resend := detail.Find(`form[action$="/resend"]`).First().AttrOr("action", "")
	b.Submit(detail, resend).Want(http.StatusOK, "L’événement part maintenant")
	if n := testkit.Count(t, s.pool, `SELECT count(*) FROM job.river_job WHERE kind = 'webhook' AND args->>'by_hand' = 'true'`); n != 2 {
		t.Errorf("%d deliveries by hand", n)
	}
	edit := b.Get(page+"/edit").Want(http.StatusOK, "Modifier le webhook")
	if edit.Value("url") != "https://exemple.fr/arpent" || edit.Find("[name=event_key_created][checked]").Length() != 1 {
		t.Errorf("the form of the change: %s", edit.Text("form.form"))
	}
	b.Submit(edit, page+"/edit", "url", "https://localhost/").Want(http.StatusUnprocessableEntity, "pas celle d’un serveur public")
	b.Submit(edit, page+"/edit", "url", "https://exemple.fr/autre", "event_quota_threshold", "yes").Want(http.StatusOK, "Le webhook est modifié", "quota.threshold, key.created")
	replaced := b.Submit(b.Get(page+"/secret"), page+"/secret").Want(http.StatusOK, "Le secret est remplacé").Text("#secret")
	if replaced == secret || !strings.HasPrefix(replaced, webhook.Mark) {
		t.Errorf("the new secret is %q", replaced)
	}
	s.exec(`UPDATE account.webhook SET off_at = $1, failing_since = $1`, noon)
	off := b.Get(page).Want(http.StatusOK, "Désactivé le", "désactivé")
	b.Submit(off, page+"/on").Want(http.StatusOK, "Le webhook est réactivé", "actif")
	b.Submit(off, page+"/on").Want(http.StatusUnprocessableEntity, "déjà actif")
	for _, path := range []string{page, "/account/webhooks", "/account/security/activity", page + "/edit"} {
		if body := b.Get(path).Body; strings.Contains(body, secret) || strings.Contains(body, replaced) {
			t.Errorf("%s shows a secret again", path)
		}
	}
	b.Get("/account/security/activity").Want(http.StatusOK, "Webhook ajouté", "Webhook réactivé", "exemple.fr")
	b.Submit(b.Get(page+"/delete").Want(http.StatusOK, "Supprimer ce webhook"), page+"/delete").Want(http.StatusOK, "Le webhook est supprimé")
	b.Get(page).Want(http.StatusNotFound)

	// A secret is not shown to a session that has not just proved who it is.
	s.clock.Advance(time.Hour)
	b.stay()
	if p := b.Get(path); p.Status != http.StatusSeeOther || !strings.HasPrefix(p.Location(), "/account/verify") {
		t.Errorf("without a fresh proof: %d, to %s", p.Status, p.Location())
	}
}
