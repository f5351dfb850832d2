package portal_test

import (
	"encoding/json"
	"hash/crc32"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"arpent/app/dev/fixture"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// violation is a rule of axe-core that a page breaks.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct {
		HTML    string
		Summary string `json:"failureSummary"`
	}
}

// audit runs axe-core on the page that is shown.
func (b *browser) audit() []violation {
	b.t.Helper()
	source, err := os.ReadFile(filepath.Join(testkit.Root(b.t), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		if os.Getenv("CI") != "" {
			b.t.Fatal(err)
		}
		b.t.Skip("axe-core is not installed: npm ci brings it")
	}
	var text string
	b.run(chromedp.Evaluate(string(source)+"; 0", nil),
		chromedp.Evaluate(`axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations))`, &text,
			awaited))
	var found []violation
	testkit.NoError(b.t, json.Unmarshal([]byte(text), &found))
	return found
}

// picture keeps a picture of the whole page in the folder ARPENT_SHOTS, when that is set.
func (b *browser) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("ARPENT_SHOTS")
	if dir == "" {
		return
	}
	var png []byte
	b.run(chromedp.FullScreenshot(&png, 100))
	testkit.NoError(b.t, os.MkdirAll(dir, 0o755))
	testkit.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}

// overflow is by how many pixels the page is wider than the screen.
func (b *browser) overflow() int {
	return evaluate[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`)
}

// looks are how pages are shown: in each theme and language, on a large and on a small screen. axe-core
// judges a page at the first width of a look; that it is no wider than the screen is judged at all widths.
var looks = []struct {
	browserOptions
	more []int64 // widths after the first
}{
	{browserOptions{width: 1440}, []int64{390, 360}},
	{browserOptions{width: 390, dark: true, language: "en"}, []int64{360, 1440}},
}

// lookTurns say in which looks each page is shown: in some of them, which are others in another run, or in
// all.
type lookTurns struct{ first, some int }

func newTurns(t *testing.T, some int) lookTurns {
	t.Helper()
	if os.Getenv("ARPENT_SHOTS") != "" {
		some = len(looks)
	}
	first := rand.IntN(len(looks))
	t.Logf("each page in %d of %d looks, from %d on", some, len(looks), first)
	return lookTurns{first, some}
}

// include reports whether a page is shown in the nth look.
func (t lookTurns) include(name string, nth int) bool {
	return (int(crc32.ChecksumIEEE([]byte(name)))+t.first+nth)%len(looks) < t.some
}

// addWebhook adds a webhook with events that were delivered, fail and wait.
func addWebhook(s *fixture.Site, b *testkit.Browser) {
	s.T.Helper()
	const path = "/account/webhooks/new"
	b.Submit(b.Get(path), path, "url", "https://evenements.une-filiale.example/recevoir/arpent?un=parametre-assez-long-pour-un-petit-ecran-de-telephone")
	s.Exec(`WITH d AS (INSERT INTO account.webhook_delivery (webhook_id, account_id, event_id, type, body, created_at, state)
			SELECT w.id, w.account_id, 'evt_' || e.type, e.type, '{"id":"evt_' || e.type || '","type":"' || e.type || '","createdAt":"2026-11-21T09:00:00Z","data":{"day":"2026-11-21","percent":80,"used":1604,"limit":2000,"plan":"standard"}}', now(), e.state
			FROM account.webhook w, (VALUES ('quota.threshold', 'delivered'), ('source.updated', 'waiting'), ('key.created', 'failed'), ('test', 'waiting')) e (type, state)
			RETURNING *)
		INSERT INTO account.webhook_attempt (delivery_id, webhook_id, account_id, at, status, reason, milliseconds, by_hand)
		SELECT id, webhook_id, account_id, now(), CASE state WHEN 'delivered' THEN 204 ELSE 301 END, NULL, 120, false FROM d WHERE type <> 'test' UNION ALL
		SELECT id, webhook_id, account_id, now(), NULL, 'timeout', 10000, true FROM d WHERE state = 'failed'`)
	s.Exec(`UPDATE account.webhook SET failing_since = now() - interval '2 days'`)
}

// ofJeanne are the pages that an account without keys and a plan has not.
var ofJeanne = regexp.MustCompile(`/keys/[15]|/(tokens|webhooks)/1|/passkeys/[12]|/plan/`)

// A visitor with a keyboard, a screen reader, a small screen or a dark one can use every page: axe-core finds
// nothing on any of them, and no page is wider than the screen. make soak shows each page in all looks.
func TestEveryPageIsAccessible(t *testing.T) {
	t.Parallel()
	s, sim := selling(t, func(c *config.Config) {
		c.OIDC = config.Provider{ClientID: "x", ClientSecret: "y", Issuer: "http://127.0.0.1:9", Name: "Entreprise", PKCE: true}
		c.ContactEmail, c.StripeYearlyPrices = "contact@exemple.fr", stripesim.YearlyPriceLists()
		nameHost(c)
	})
	s.Base = strings.Replace(s.Base, "127.0.0.1", "localhost", 1)
	jeanne := s.SignUp("jeanne@exemple.fr")
	s.SignUp("vide@exemple.fr")
	furnish(s, "jeanne@exemple.fr")
	s.Exec(somePasskeys, "jeanne@exemple.fr", 2)
	s.Exec(strings.Replace(somePasskeys, "sha256(n::text::bytea)", "sha256(('x' || n)::bytea)", 1), "vide@exemple.fr", 10) // no more fit
	checkout := jeanne.Submit(jeanne.Get("/account/plan"), "/account/plan/subscribe", "plan", "standard").Location()
	testkit.Must(sim.Pay(path.Base(checkout), stripesim.Buyer{}))(t)
	jeanne.Submit(jeanne.Get("/account/tokens/new"), "/account/tokens/new", "name", "Tableau de bord", "scope_usage", "yes", "scope_keys", "yes", "days", "30")
	addWebhook(s, jeanne)
	reset := s.ResetLink("vide@exemple.fr")
	fresh := s.Browser()
	fresh.Submit(fresh.Get("/signup"), "/signup", "email", "neuf@exemple.fr", "password", fixture.Password)
	confirm := s.Link("neuf@exemple.fr", "confirm")
	jeanne.Submit(jeanne.Get("/account/verify"), "/account/verify/mail")
	jeanne.Submit(jeanne.Get("/account/settings"), "/account/settings/recipients", "email", "compta@exemple.fr").Want(http.StatusSeeOther)
	jeanne.Submit(jeanne.Get("/account/plan"), "/account/plan/recipients", "recipient", "factures@exemple.fr").Want(http.StatusSeeOther)
	for _, table := range []string{"notice_address", "billing_recipient"} { // a network asks for so many links alone
		s.Exec(`INSERT INTO account.` + table + ` (account_id, email, asked_at, confirmed_at)
			SELECT id, 'direction.technique.et.financiere@une-filiale-lointaine.exemple.fr', now(), now() FROM account.account WHERE email LIKE 'jeanne%'`)
	}
	notices, billing := s.Link("compta@exemple.fr", "notices"), s.Link("factures@exemple.fr", "billing-mails")
	open := map[string]string{"landing": "/", "pricing": "/pricing", "docs": "/docs", "docs-addresses": "/docs/addresses", "docs-assistants": "/docs/assistants", "docs-account": "/docs/account", "docs-events": "/docs/events", "docs-clients": "/docs/clients", "docs-recipes": "/docs/recipes", "docs-recipe": "/docs/recipes/spreadsheet", "changes": "/changes", "docs-errors": "/docs/errors", "docs-report": "/docs/report", "docs-statistics": "/docs/statistics", "reference": "/docs/reference", "reference-commune": "/docs/reference/get_commune", "reference-report": "/docs/reference/get_parcel_enrichments", "search": "/docs/search?q=population", "methods": "/methods", "sources": "/sources", "coverage": "/coverage", "coverage-statistics": "/coverage?show=statistics", "coverage-departement": "/coverage/93", "explore": "/explore", "explore-commune": "/explore?commune=93010", "explore-parcel": "/explore?parcelle=930100000A0001", "status": "/status", "terms": "/terms", "privacy": "/privacy", "legal": "/legal", "contact": "/contact", "signup": "/signup",
		"signup-sent": "/signup/sent", "signin": "/signin", "forgot": "/forgot", "confirm": confirm, "notices": notices, "notices-billing": billing, "reset": reset, "missing": "/nothing-here"}
	member := map[string]string{"home": "/account", "keys": "/account/keys", "keys-new": "/account/keys/new", "key": "/account/keys/1",
		"key-rotate": "/account/keys/1/rotate", "key-revoke": "/account/keys/1/revoke", "tokens": "/account/tokens", "tokens-new": "/account/tokens/new", "token-revoke": "/account/tokens/1/revoke", "webhooks": "/account/webhooks", "webhooks-new": "/account/webhooks/new", "webhook": "/account/webhooks/1", "webhook-edit": "/account/webhooks/1/edit",
		"webhook-secret": "/account/webhooks/1/secret", "webhook-delete": "/account/webhooks/1/delete", "usage": "/account/usage", "usage-hours": "/account/usage?period=24h&by=key", "plan": "/account/plan", "plan-change": "/account/plan/change?plan=pro", "plan-change-year": "/account/plan/change?plan=pro&interval=year", "plan-change-interval": "/account/plan/change?plan=standard&interval=year", "plan-cancel": "/account/plan/cancel", "settings": "/account/settings", "settings-email": "/account/settings/email", "password": "/account/security/password", "totp": "/account/security/two-factor",
		"passkey-new": "/account/security/passkeys/new", "passkey": "/account/security/passkeys/1?done=added", "passkey-remove": "/account/security/passkeys/2/remove",
		"security": "/account/security", "activity": "/account/security/activity", "verify": "/account/verify", "verify-link": s.Link("jeanne@exemple.fr", "verify"), "console": "/docs/reference/get_region", "export": "/account/export", "delete": "/account/delete", "missing-member": "/account/keys/999999"}
	asking := newAssistant(s, "Claude", "127.0.0.1").request()
	open["authorize-signin"], open["authorize-signup"], open["authorize-sent"] = asking, "/signup?next="+url.QueryEscape(asking), "/signup/sent?next="+url.QueryEscape(asking)
	open["authorize-back"], member["access"] = strings.Replace(asking, "response_type=code", "response_type=token", 1), "/account/security/access"
	open["authorize-fault"], member["authorize"] = "/oauth/authorize?client_id=unknown", asking
	open["connect"], member["assistants"], member["assistant"], member["assistant-revoke"] = "/connect", "/account/assistants", "/account/keys/5", "/account/keys/5/revoke"
	b := newBrowser(t, s.Base, browserOptions{})
	b.open("/pricing")
	if !evaluate[bool](b, `new Set([...document.querySelectorAll(".plan dl")].map((e) => Math.round(e.getBoundingClientRect().top))).size === 1`) {
		t.Error("the limits of the plans are not on the same lines")
	}
	turns := newTurns(t, testkit.Rounds(1, len(looks)))
	for nth, look := range looks {
		o := look.browserOptions
		t.Run(o.name(), func(t *testing.T) {
			t.Parallel()
			b := newBrowser(t, s.Base, o)
			for name, path := range open {
				if turns.include(name, nth) {
					b.check(name, path, o, look.more)
				}
			}
			for _, email := range []string{"jeanne@exemple.fr", "vide@exemple.fr"} {
				b := newBrowser(t, s.Base, o)
				b.signIn(email)
				for name, path := range member {
					if email == "vide@exemple.fr" {
						if ofJeanne.MatchString(path) || name == "console" { // the console is the same
							continue
						}
						name += "-empty"
					}
					if turns.include(name, nth) {
						b.check(name, inLanguage(path, o.language), o, look.more)
					}
				}
			}
		})
	}
}

// The pages of an organisation are as accessible as the others, for its owner and for a member who reads
// alone.
func TestOrganisationPagesAreAccessible(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	jeanne := s.SignUp("jeanne@exemple.fr")
	s.SignUp("marc@exemple.fr")
	s.SignUp("direction.technique.et.financiere@une-filiale-lointaine.exemple.fr")
	jeanne.Submit(jeanne.Get("/account/organisations/new"), "/account/organisations/new", "name", "Cabinet de géomètres Durand, Lefèvre et Associés")
	s.Exec(`INSERT INTO account.member (account_id, person_id, role, created_at)
		SELECT m.account_id, a.id, CASE WHEN a.email LIKE 'marc%' THEN 'reader' ELSE 'admin' END, now()
		FROM account.member m, account.account a WHERE a.kind = 'person' AND a.id <> m.person_id`)
	s.Exec(`UPDATE account.session SET organisation_id = (SELECT account_id FROM account.member LIMIT 1)`)
	page := jeanne.Get("/account/organisation")
	for _, email := range []string{"lea@exemple.fr", "un.prestataire.exterieur@une-autre-societe.exemple.fr"} {
		jeanne.Submit(page, "/account/organisation/invite", "email", email, "role", "developer")
	}
	jeanne.Submit(jeanne.Get("/account/keys/new"), "/account/keys/new", "name", "Production")
	jeanne.Submit(jeanne.Get("/account/tokens/new"), "/account/tokens/new", "name", "Tableau de bord de la direction", "scope_usage", "yes", "days", "30")
	s.Exec(`UPDATE account.invitation SET expires_at = now() - interval '1 hour' WHERE email LIKE 'un.%'`)
	s.Exec(`UPDATE account.api_key SET created_by = (SELECT id FROM account.account WHERE email = 'marc@exemple.fr')`) // to be replaced
	invitation := s.Link("lea@exemple.fr", "invitation")
	s.SignUp("paul@cabinet-durand-lefevre.fr")
	s.Exec(`INSERT INTO account.domain (account_id, name, token, created_at, proven_at, seen_at, checked_at, join_role)
		SELECT DISTINCT m.account_id, d.name, 'k7p2m4xq9zr3t6vw8ybn5cjd', now(), d.at, d.at, d.checked, 'reader'
		FROM account.member m, (VALUES ('cabinet-durand-lefevre.fr', now(), now()), ('xn--gomtres-durand-9gb.fr', now(), now() + interval '1 minute'),
			('geometres.example-filiale-lointaine.fr', NULL, NULL)) AS d (name, at, checked)`)
	s.Exec(`INSERT INTO account.join_request (account_id, person_id, created_at) SELECT o.id, p.id, now() FROM account.account o, account.account p
		WHERE o.kind = 'organisation' AND p.email LIKE 'paul@%'`)
	domain := strconv.Itoa(testkit.Count(t, s.Pool, `SELECT min(id) FROM account.domain`))
	marc := strconv.Itoa(testkit.Count(t, s.Pool, `SELECT id FROM account.account WHERE email = 'marc@exemple.fr'`))
	pages := map[string]string{"org-home": "/account", "org-keys": "/account/keys", "org-key": "/account/keys/1", "org-assistants": "/account/assistants", "org-usage": "/account/usage",
		"org-settings": "/account/settings", "org-members": "/account/organisation", "org-leave": "/account/organisation/leave", "org-invitation": invitation,
		"org-delete-account": "/account/delete", "org-new": "/account/organisations/new", "org-convert": "/account/organisations/convert", "org-authorize": newAssistant(s, "Claude", "127.0.0.1").request(),
		// To a reader these say why not.
		"org-tokens": "/account/tokens", "org-tokens-new": "/account/tokens/new", "org-token-revoke": "/account/tokens/1/revoke",
		"org-activity-keys": "/account/organisation/activity?kind=keys&from=2026-01-02", "org-remove": "/account/organisation/members/" + marc + "/remove", "org-activity": "/account/organisation/activity", "org-notices": "/account/organisation/notices",
		"org-delete": "/account/organisation/delete", "org-factor": "/account/organisation/factor", "org-domains": "/account/organisation/domains",
		"org-domain-remove": "/account/organisation/domains/" + domain + "/remove"}
	turns := newTurns(t, testkit.Rounds(1, len(looks)))
	for nth, look := range looks {
		o := look.browserOptions
		t.Run(o.name(), func(t *testing.T) {
			t.Parallel()
			newBrowser(t, s.Base, o).check("org-invitation-signin", invitation, o, look.more)
			for email, mark := range map[string]string{"jeanne@exemple.fr": "", "marc@exemple.fr": "-reader"} {
				b := newBrowser(t, s.Base, o)
				b.signIn(email)
				s.Exec(`UPDATE account.session SET organisation_id = (SELECT account_id FROM account.member LIMIT 1)`)
				for name, path := range pages {
					if turns.include(name+mark, nth) {
						b.check(name+mark, inLanguage(path, o.language), o, look.more)
					}
				}
				b.open(inLanguage("/account", o.language))
				b.run(chromedp.Evaluate(`document.querySelector(".switcher").open = true; 0`, nil))
				b.judge("the switcher")
				b.picture("org-switcher" + mark + "-" + o.name())
			}
		})
	}
}

// So are the pages of people whom a rule of an organisation concerns: a second factor that is required soon,
// or by now, and an organisation that they can join.
func TestPagesOfRulesAreAccessible(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	for _, email := range []string{"clara@exemple.fr", "dora@exemple.fr", "marc@cabinet-durand-lefevre.fr", "olga1440-@exemple.fr", "olga390-dark-en@exemple.fr"} {
		s.SignUp(email)
	}
	s.Exec(`INSERT INTO account.account (kind, name, email, contact_email, email_confirmed_at, created_at, updated_at, member_factor_from)
		SELECT 'organisation', name, gen_random_uuid() || '@organisation.invalid', 'clara@exemple.fr', now(), now(), now(), now() + days * interval '1 day'
		FROM (VALUES ('Cabinet de géomètres Durand, Lefèvre et Associés', 9), ('Notaires de la Loire', -2)) AS o (name, days)`)
	s.Exec(`INSERT INTO account.member (account_id, person_id, role, created_at) SELECT o.id, p.id, 'reader', now()
		FROM account.account o, account.account p WHERE o.name LIKE 'Cabinet%' AND p.email LIKE 'clara%' OR o.name LIKE 'Notaires%' AND p.email LIKE 'dora%'`)
	s.Exec(`INSERT INTO account.member (account_id, person_id, role, created_at) SELECT o.id, p.id, 'owner', now()
		FROM account.account o, account.account p WHERE o.name LIKE 'Cabinet%' AND p.email LIKE 'olga%'`)
	s.Exec(`INSERT INTO account.domain (account_id, name, token, created_at, proven_at, seen_at, checked_at, join_role)
		SELECT id, 'cabinet-durand-lefevre.fr', 'k7p2m4xq9zr3t6vw8ybn5cjd', now(), now(), now(), now(), 'developer' FROM account.account WHERE name LIKE 'Cabinet%'`)
	for _, look := range looks {
		o := look.browserOptions
		t.Run(o.name(), func(t *testing.T) {
			t.Parallel()
			for email, pages := range map[string]map[string]string{"clara@exemple.fr": {"factor-soon": "/account"},
				"dora@exemple.fr": {"factor-needed": "/account", "factor-needed-security": "/account/security"}, "marc@cabinet-durand-lefevre.fr": {"join-offer": "/account"},
				"olga" + o.name() + "@exemple.fr": {"factor-rule": "/account/organisation/factor"}} {
				b := newBrowser(t, s.Base, o)
				b.signIn(email)
				s.Exec(`UPDATE account.session SET organisation_id = m.account_id FROM account.member m WHERE m.person_id = session.account_id`)
				if strings.HasPrefix(email, "olga") { // who may require a second factor, as she has one
					s.Exec(`UPDATE account.account SET totp_sealed = 'x', totp_enabled_at = now() WHERE email = '` + email + `'`)
				}
				for name, path := range pages {
					b.check(name, inLanguage(path, o.language), o, look.more)
				}
			}
		})
	}
}

// inLanguage asks for a page in another language than that of the account, which is French.
func inLanguage(path, language string) string {
	switch {
	case language == "":
		return path
	case strings.Contains(path, "?"):
		return path + "&lang=" + language
	}
	return path + "?lang=" + language
}

func (o browserOptions) name() string {
	name := strconv.FormatInt(o.width, 10)
	if o.dark {
		name += "-dark"
	}
	return name + "-" + o.language
}

// judge reports what axe-core finds.
func (b *browser) judge(path string) {
	b.t.Helper()
	for _, v := range b.audit() {
		for _, n := range v.Nodes {
			b.t.Errorf("%s: %s (%s): %s\n%s\n%s", path, v.ID, v.Impact, v.Help, n.HTML[:min(300, len(n.HTML))], n.Summary)
		}
	}
}

// check judges a page as it is shown first, and shows it at the other widths.
func (b *browser) check(name, path string, o browserOptions, more []int64) {
	b.t.Helper()
	b.run(screen(o.width))
	b.open(path)
	b.run(chromedp.Evaluate(`document.querySelectorAll(".held").forEach(e => e.style.animation = "none"); 0`, nil)) // its buttons are judged too
	b.judge(path)
	for _, width := range append([]int64{o.width}, more...) {
		o.width = width
		b.run(screen(width))
		b.picture(name + "-" + o.name())
		if pixels := b.overflow(); pixels > 0 {
			b.t.Errorf("%s: %d pixels wider than a screen of %d", path, pixels, width)
		}
	}
}

// furnish gives an account what a customer of some weeks has: keys in every
// state, thirty days of use, rejected requests.
func furnish(s *fixture.Site, email string) {
	s.T.Helper()
	for _, statement := range []string{furniture, connected} {
		s.Exec(statement, email)
	}
}

const furniture = `
WITH a AS (SELECT id FROM account.account WHERE email = $1),
k AS (
    INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at, expires_at, revoked_at, paused_at, last_used_at, request_count)
    SELECT a.id, v.name, sha256(convert_to(v.name, 'UTF8')), 'arp_' || substr(md5(v.name), 1, 4), substr(md5(v.name), 5, 4),
           now() - v.age, now() + v.left, CASE WHEN v.gone THEN now() - interval '1 day' END, CASE WHEN v.paused THEN now() END, now() - interval '90 seconds', 1234
    FROM a, (VALUES
        ('ingest', interval '40 days', interval '200 days', false, false),
        ('Entrepôt de données — Île-de-France, lecture nocturne 🛰', interval '12 days', NULL, false, false),
        ('un nom de clé très long, qui va jusqu’à soixante caractères', interval '3 days', interval '5 days', false, true),
        ('ancienne', interval '90 days', NULL, true, false)) v (name, age, "left", gone, paused)
    RETURNING id, account_id, name),
u AS (
    INSERT INTO account.usage (account_id, key_id, operation, status_class, day, requests, counted)
    SELECT k.account_id, k.id, o.op, c.class, (now() AT TIME ZONE 'Europe/Paris')::date - d.n,
           (7 + (d.n * 13 + k.id * 5 + length(o.op)) % 23), CASE WHEN c.class = 2 THEN 7 + (d.n * 13 + k.id * 5 + length(o.op)) % 23 ELSE 0 END
    FROM k, generate_series(0, 29) AS d (n), (VALUES ('get_commune'), ('find_commune'), ('get_parcel'), ('get_parcel_enrichments')) AS o (op), (VALUES (2), (4)) AS c (class)
    WHERE d.n % 7 <> 3
    RETURNING 1),
h AS (
    INSERT INTO account.usage_hour (account_id, key_id, operation, status_class, hour, requests)
    SELECT k.account_id, k.id, o.op, c.class, date_trunc('hour', now()) - d.n * interval '1 hour', 1 + (d.n * 7 + k.id * 3 + length(o.op)) % 11 / c.class
    FROM k, generate_series(0, 23) AS d (n), (VALUES ('get_commune'), ('get_parcel_enrichments')) AS o (op), (VALUES (2), (4), (5)) AS c (class)
    WHERE d.n % 5 <> 3 AND (c.class <> 5 OR d.n = 6)
    RETURNING 1),
r AS (
    INSERT INTO account.recent_request (account_id, key_id, at, operation, status, micros, request_id, reason, parameter, requests)
    SELECT k.account_id, k.id, now() - v.ago, v.op, v.status, v.micros, substr(md5(v.ago::text || k.id), 1, 16), v.reason, v.parameter, v.requests
    FROM k, (VALUES
        (interval '23 hours', 'get_parcel', 200, 1210, NULL, NULL, 1),
        (interval '3 hours', 'get_parcel_enrichments', 429, 11, 'enrichments', NULL, 31),
        (interval '130 minutes', 'get_parcel_enrichments', 503, 2000400, 'unavailable', NULL, 1),
        (interval '9 minutes', 'get_commune', 400, 38, 'invalid_parameter', 'code', 1),
        (interval '8 minutes', 'get_commune', 404, 44, 'not_found', NULL, 1),
        (interval '1 minute', 'get_commune', 304, 21, NULL, NULL, 1)) v (ago, op, status, micros, reason, parameter, requests)
    WHERE k.name <> 'ancienne'
    ORDER BY v.ago DESC
    RETURNING 1),
q AS (
    INSERT INTO account.quota_day (account_id, day, used) SELECT a.id, (now() AT TIME ZONE 'Europe/Paris')::date, 83 FROM a
    ON CONFLICT (account_id, day) DO UPDATE SET used = 83 RETURNING 1)
INSERT INTO account.refusal (account_id, key_id, met, "limit", minute, first_at, last_at, requests)
SELECT k.account_id, k.id, v.met, v.n, date_trunc('minute', now() - v.ago), now() - v.ago, now() - v.ago + interval '8 seconds', v.requests
FROM k, (VALUES ('minute', 10, interval '3 hours', 7), ('day', 100, interval '26 hours', 1), ('enrichments', 5, interval '2 days', 31), ('key', 40, interval '3 days', 2)) v (met, n, ago, requests)
WHERE k.name = 'ingest'`

// connected are assistants in every state. Their keys are made after those of the account's programs.
const connected = `
WITH a AS (SELECT id FROM account.account WHERE email = $1),
c AS (
    INSERT INTO account.assistant_client (id, name, auth_method, redirect_uris, created_at, granted_at)
    VALUES ('registered-claude', 'Claude', 'none', ARRAY['https://claude.ai/api/mcp/auth_callback'], now(), now()),
           ('https://assistants.exemple.fr/un/chemin/client.json', 'Un assistant au nom très long, qui va jusqu’à cinquante-deux', 'none', ARRAY['https://x.exemple.fr/'], now(), now())
    RETURNING id, name, redirect_uris),
k AS (
    INSERT INTO account.api_key (account_id, name, kind, secret_hash, prefix, last4, created_at, revoked_at, paused_at, last_used_at, per_day, request_count)
    SELECT a.id, v.name, 'assistant', sha256(convert_to(v.name, 'UTF8')), 'arp_' || substr(md5(v.name), 1, 4), substr(md5(v.name), 5, 4),
           now() - v.age, CASE WHEN v.gone THEN now() - interval '1 day' END, CASE WHEN v.paused THEN now() END, v.last, v.cap, 500
    FROM a, (VALUES
        (1, 'MCP · Claude', interval '20 days', false, false, now() - interval '3 minutes', 40),
        (2, 'MCP · Un assistant au nom très long, qui va jusqu’à soixante', interval '2 days', false, true, NULL, NULL),
        (3, 'MCP · Cursor', interval '90 days', true, false, now() - interval '40 days', NULL)) v (n, name, age, gone, paused, last, cap)
    ORDER BY v.n
    RETURNING id, account_id, name, created_at, revoked_at),
u AS (
    INSERT INTO account.usage (account_id, key_id, operation, status_class, day, requests, counted)
    SELECT k.account_id, k.id, o.op, 2, (now() AT TIME ZONE 'Europe/Paris')::date - d.n, 3 + length(o.op) % 7, 3 + length(o.op) % 7
    FROM k, generate_series(0, 12) AS d (n), (VALUES ('search_address'), ('find_communes'), ('get_parcel_enrichments')) AS o (op)
    WHERE k.name <> 'MCP · Un assistant au nom très long, qui va jusqu’à soixante'
    RETURNING 1),
g AS (
    INSERT INTO account.assistant_grant (account_id, client_id, key_id, redirect_uri, scope, resource, created_at)
    SELECT k.account_id, c.id, k.id, c.redirect_uris[1], 'mcp', 'x', k.created_at
    FROM k JOIN c ON left(c.name, 6) = left(substr(k.name, 7), 6)
    RETURNING id, account_id)
INSERT INTO account.assistant_token (token_hash, account_id, grant_id, kind, created_at, expires_at)
SELECT sha256(g.id::text::bytea), g.account_id, g.id, 'refresh', now(), now() + interval '60 days' FROM g`
