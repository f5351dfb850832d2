package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pquerna/otp/totp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
	"arpent/internal/jobs"
	"arpent/internal/pgdb"
)

// refuser has the database refuse what is written to the tables of accounts, to one after the other.
type refuser struct {
	*fixture.Site
	t      *testing.T
	tables []string
	seen   map[string]bool // tables that have refused something that was done
	acted  map[string]bool // routes that were tried
	known  []string        // secrets that somebody was given, or chose
}

// backgroundTables are written by background work, whatever a page does, and tried by the tests of that work.
var backgroundTables = []string{"meter_flush", "probe_day", "probe_incident", "quota_day",
	"quota_notice", "recent_request", "refusal", "usage", "usage_hour"}

// A sequence is set outside of transactions: it says which table has refused after all of it is rolled back.
const refuseWrites = `
CREATE SEQUENCE public.refused;
CREATE TABLE public.writable (name text PRIMARY KEY);
CREATE FUNCTION public.refuse_write() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.writable WHERE name IN (TG_TABLE_NAME, '*')) THEN
        PERFORM setval('public.refused', TG_RELID::bigint);
        RAISE EXCEPTION 'refused by the test';
    END IF;
    RETURN coalesce(NEW, OLD);
END $$;
INSERT INTO public.writable VALUES ('*')`

// noteSessions makes sessions of just now: otherwise the page with the form writes
// to them too, once some minutes have passed.
const noteSessions = `
INSERT INTO public.writable VALUES ('*');
UPDATE account.session SET last_used_at = now();
DELETE FROM public.writable WHERE name = '*'`

func newRefuser(t *testing.T, s *fixture.Site) *refuser {
	t.Helper()
	r := &refuser{Site: s, t: t, seen: map[string]bool{}, acted: map[string]bool{}}
	rows, err := s.Pool.Query(t.Context(), `SELECT table_name::text FROM information_schema.tables
		WHERE table_schema = 'account' AND table_type = 'BASE TABLE' AND table_name <> ALL($1) ORDER BY 1`, backgroundTables)
	testkit.NoError(t, err)
	if r.tables, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, testkit.Timeout, "the loads that are served are noted", func() bool { // a job does so, once
		return testkit.Count(t, s.Pool, `SELECT count(*) FROM job.river_job WHERE kind = 'source_events' AND state = 'completed'`) > 0
	})
	s.Exec(refuseWrites)
	for _, table := range r.tables {
		s.Exec("CREATE TRIGGER a_refused BEFORE INSERT OR UPDATE OR DELETE ON account." + pgx.Identifier{table}.Sanitize() + " FOR EACH ROW EXECUTE FUNCTION public.refuse_write()")
	}
	return r
}

// refused is the table that refused since the last look; empty: none did.
func (r *refuser) refused() (table string) {
	r.t.Helper()
	const last = `SELECT coalesce((SELECT c.relname FROM public.refused, pg_class c WHERE is_called AND c.oid = last_value), '')`
	testkit.NoError(r.t, r.Pool.QueryRow(r.t.Context(), last).Scan(&table))
	r.Exec(`SELECT setval('public.refused', 1, false)`)
	return table
}

// kept is everything that is kept of accounts, and the mails that wait. What counts failed attempts is left
// out: it is written before an attempt, in a transaction of its own.
func (r *refuser) kept() string {
	r.t.Helper()
	parts := []string{`SELECT 'mail', count(*)::text FROM job.river_job WHERE kind = 'mail'`}
	for _, table := range r.tables {
		if table != "throttle" {
			parts = append(parts, fmt.Sprintf(`SELECT '%s', string_agg((to_jsonb(t) - 'last_used_at')::text, E'\n' ORDER BY to_jsonb(t)::text) FROM account.%s t`,
				table, pgx.Identifier{table}.Sanitize()))
		}
	}
	var all string
	query := `SELECT string_agg(concat_ws(': ', name, rows), E'\n' ORDER BY name) FROM (` + strings.Join(parts, " UNION ALL ") + `) s (name, rows)`
	testkit.NoError(r.t, r.Pool.QueryRow(r.t.Context(), query).Scan(&all))
	return all
}

// act does something while every table refuses to be written, then all but the first one that
// it writes to, and so on until it works: each time before, nothing is written and the answer
// is an error that says nothing of the database.
func (r *refuser) act(route string, do func() *testkit.Page) *testkit.Page {
	r.t.Helper()
	r.acted[route], r.AsksOnce = true, true
	defer func() { r.AsksOnce = false }()
	r.refused() // whatever was refused meanwhile is forgotten
	r.Exec(`DELETE FROM public.writable`)
	defer r.Exec(`INSERT INTO public.writable VALUES ('*')`)
	var written []string
	for range r.tables {
		r.Exec(noteSessions)
		before := r.kept()
		page := do()
		table := r.refused()
		if table == "" {
			if page.Status >= http.StatusBadRequest {
				r.t.Fatalf("%s: %d after its tables can be written again\n%s", route, page.Status, page.Text("html"))
			}
			if len(written) == 0 {
				r.t.Errorf("%s writes to no table", route)
			}
			r.t.Logf("%s writes to %v", route, written)
			return page
		}
		r.seen[table] = true
		written = append(written, table)
		if page.Status != http.StatusInternalServerError && page.Status != http.StatusServiceUnavailable {
			r.t.Errorf("%s: %d to %q although %s cannot be written", route, page.Status, page.Location(), table)
		}
		if strings.Contains(page.Body, "refused by the test") || strings.Contains(page.Body, "SQLSTATE") || strings.Contains(page.Body, "account."+table) {
			r.t.Errorf("%s: the answer speaks of the database:\n%s", route, page.Text("html"))
		}
		if strings.Contains(page.Header.Get("Content-Type"), "html") && page.Text("h1") == "" {
			r.t.Errorf("%s: the error is no page:\n%s", route, page.Body)
		}
		if after := r.kept(); after != before {
			r.t.Errorf("%s: something is written although %s refused:\nbefore %s\nafter %s", route, table, before, after)
		}
		r.Exec(`INSERT INTO public.writable VALUES ($1)`, table)
	}
	r.t.Fatalf("%s never works", route)
	return nil
}

// submit is act with the form of a page.
func (r *refuser) submit(route string, b *testkit.Browser, page, action string, values ...string) *testkit.Page {
	r.t.Helper()
	return r.act(route, func() *testkit.Page { return b.Submit(b.Get(page), action, values...) })
}

// form is submit of a form that is at its own address.
func (r *refuser) form(path string, b *testkit.Browser, values ...string) *testkit.Page {
	r.t.Helper()
	return r.submit(path, b, path, path, values...)
}

// post is act with what a form sends, without its page.
func (r *refuser) post(route string, b *testkit.Browser, path string, form url.Values) *testkit.Page {
	r.t.Helper()
	return r.act(route, func() *testkit.Page { return b.Post(path, form) })
}

// id is the newest of a table.
func (r *refuser) id(table string) int {
	r.t.Helper()
	return testkit.Count(r.t, r.Pool, `SELECT max(id) FROM account.`+table)
}

// writtenWithoutForm are tables that no form writes to: after an error of Stripe, and by events and jobs.
var writtenWithoutForm = map[string]bool{"billing_attempt": true, "billing_finding": true,
	"reserve_day": true, "reserve_month": true, "webhook_attempt": true, "announced_load": true}

// An account is written whole or not at all: whichever table the database cannot write to, somebody who sends
// a form sees that it did not work, nothing of it is kept, and the same form works later.
func TestEveryRefusedWriteIsRolledBack(t *testing.T) {
	t.Parallel()
	port := testkit.FreePort(t)
	provider := testkit.NewOIDC(t, testkit.OIDCOptions{RequirePKCE: true,
		Users: map[string]testkit.OIDCUser{"paul": {Email: "paul@exemple.fr", EmailVerified: true},
			"jeanne": {Email: "jeanne@exemple.fr", EmailVerified: true}},
		RedirectURIs: []string{fmt.Sprintf("http://localhost:%d/auth/oidc/callback", port)}})
	s, sim := selling(t, func(c *config.Config) {
		c.Port, c.BaseURL = port, fmt.Sprintf("http://localhost:%d", port) // passkeys need a name
		c.Operators = []string{"jeanne@exemple.fr"}
		c.OIDC = config.Provider{ClientID: provider.ClientID,
			ClientSecret: config.Secret(provider.ClientSecret), Issuer: provider.Issuer(), Name: "Entreprise", PKCE: true}
	})
	s.Base = fmt.Sprintf("http://localhost:%d", port)
	r := newRefuser(t, s)
	b := r.joins()
	r.changesKeys(b)
	r.changesWebhooks(b)
	r.changesSettings(b)
	r.organises(b)
	r.connects(b)
	r.entersByProvider(provider)
	r.subscribes(b, sim)
	r.copiesBilling(b)
	b = r.securesAccount(b)
	if len(r.known) < 20 {
		t.Errorf("only %d secrets were seen", len(r.known))
	}
	nowhere(s, r.known...)
	r.form("/account/delete", b, "email", "jeanne@exemple.fr", "confirm", "jeanne@exemple.fr")
	for _, table := range r.tables {
		if !r.seen[table] && !writtenWithoutForm[table] {
			t.Errorf("nothing here writes to account.%s: add what does", table)
		}
	}
	r.everyRoute()
}

// joins makes a confirmed account and comes back to it in every way.
func (r *refuser) joins() *testkit.Browser {
	r.t.Helper()
	const email = "jeanne@exemple.fr"
	b := r.Browser()
	r.form("/signup", b, "email", email, "password", fixture.Password)
	r.post("/resend", b, "/resend", url.Values{"email": {email}})
	link := r.Link(email, "confirm")
	r.submit("/confirm/:token", b, link, link)
	r.form("/account/verify", b, "password", fixture.Password)
	r.submit("/account/verify/mail", b, "/account/verify", "/account/verify/mail")
	link = r.Link(email, "verify")
	r.submit("/verify/:token", b, link, link)
	r.act("/signout", func() *testkit.Page { return b.Post("/signout", nil) })
	r.form("/forgot", b, "email", email)
	link = r.Link(email, "reset")
	r.submit("/reset/:token", b, link, link, "password", fixture.Password+" !")
	b = r.Browser()
	r.form("/signin", b, "email", email, "password", fixture.Password+" !")
	return b
}

// changesKeys makes, changes and ends keys.
func (r *refuser) changesKeys(b *testkit.Browser) {
	r.t.Helper()
	made := r.form("/account/keys/new", b, "name", "ingest")
	r.known = append(r.known, keyText.FindString(made.Text("#secret")))
	key := fmt.Sprintf("/account/keys/%d", r.id("api_key"))
	for _, change := range []struct {
		name string
		form url.Values
	}{
		{"rename", url.Values{"name": {"export"}}}, {"restrict", url.Values{"refuse_in_query": {"1"},
			"per_day": {"50"}}}, {"expiry", url.Values{"expires": {"30"}}},
		{"pause", nil}, {"resume", nil}, {"rotate", url.Values{"overlap": {"1"}}}, {"revoke", nil},
	} {
		r.post("/account/keys/:id/"+change.name, b, key+"/"+change.name, change.form)
	}
	made = r.form("/account/tokens/new", b, "name", "tableau", "scope_usage", "yes", "days", "30")
	r.known = append(r.known, made.Text("#secret"))
	r.post("/account/tokens/:id/revoke", b, fmt.Sprintf("/account/tokens/%d/revoke", r.id("management_token")), nil)
}

// changesWebhooks adds, changes, tries and deletes a webhook.
func (r *refuser) changesWebhooks(b *testkit.Browser) {
	r.t.Helper()
	const path = "/account/webhooks"
	queue, err := river.NewClient(riverpgxv5.New(r.Pool), &river.Config{Schema: pgdb.JobSchema})
	if err == nil {
		err = queue.QueuePause(r.t.Context(), jobs.SlowQueue, nil) // what a job writes is not of the form
	}
	testkit.NoError(r.t, err)
	made := r.form(path+"/new", b, "url", "https://webhooks.example/a", "event_key_created", "yes")
	r.known = append(r.known, made.Text("#secret"))
	page := fmt.Sprintf("%s/%d", path, r.id("webhook"))
	r.submit(path+"/:id/edit", b, page+"/edit", page+"/edit", "url", "https://webhooks.example/b")
	replaced := r.submit(path+"/:id/secret", b, page+"/secret", page+"/secret")
	r.known = append(r.known, replaced.Text("#secret"))
	r.post(path+"/:id/test", b, page+"/test", nil)
	r.post(path+"/deliveries/:id/resend", b, fmt.Sprintf("%s/deliveries/%d/resend", path, r.id("webhook_delivery")), nil)
	r.Exec(`UPDATE account.webhook SET off_at = now()`)
	r.post(path+"/:id/on", b, page+"/on", nil)
	r.post(path+"/:id/delete", b, page+"/delete", nil)
}

// changesSettings changes what an account has no key, plan or password for.
func (r *refuser) changesSettings(b *testkit.Browser) {
	r.t.Helper()
	const settings, recipients = "/account/settings", "/account/settings/recipients"
	r.post("/language", b, "/language", url.Values{"language": {"en"}})
	r.post(settings+"/language", b, settings+"/language", url.Values{"language": {"fr"}})
	r.post(settings+"/notifications", b, settings+"/notifications", url.Values{"percent": {"50"}})
	r.post(recipients, b, recipients, url.Values{"email": {"compta@exemple.fr"}})
	notices := r.Link("compta@exemple.fr", "notices")
	r.post("/notices/:token", b, notices, url.Values{"answer": {"agree"}})
	r.post("/notices/:token", b, notices, url.Values{"answer": {"stop"}})
	r.post(recipients, b, recipients, url.Values{"email": {"autre@exemple.fr"}})
	r.post(recipients+"/:id/remove", b, fmt.Sprintf("%s/%d/remove", recipients, r.id("notice_address")), nil)
	r.Exec(`DELETE FROM account.throttle`) // the network has asked for many mails
	r.form("/account/settings/email", b, "email", "jeanne@exemple.com")
	link := r.Link("jeanne@exemple.com", "email")
	r.submit("/email/:token", b, link, link)
	r.Exec(`UPDATE account.account SET email = 'jeanne@exemple.fr' WHERE email = 'jeanne@exemple.com'`)
	r.form("/account/export", b)
}

// secretField is a field of an answer to a program whose value is secret.
var secretField = regexp.MustCompile(`"(?:access_token|refresh_token|client_secret)": ?"([^"]+)"`)

// recoveryCode is one as the page shows it.
var recoveryCode = regexp.MustCompile(`\b[a-hjkmnp-z02-9]{4}-[a-hjkmnp-z02-9]{4}-[a-hjkmnp-z02-9]{4}\b`)

// ask sends what a program sends.
func (r *refuser) ask(path, kind, body string) *testkit.Page {
	r.t.Helper()
	a := r.Do(http.MethodPost, path, body, "Content-Type", kind)
	for _, m := range secretField.FindAllSubmatch(a.Body, -1) {
		r.known = append(r.known, string(m[1]))
	}
	return &testkit.Page{Status: a.Status, Header: a.Header, Body: string(a.Body)}
}

// securesAccount changes what protects the account, and gives the browser that is signed in at the end.
func (r *refuser) securesAccount(b *testkit.Browser) *testkit.Browser {
	r.t.Helper()
	const email, password = "jeanne@exemple.fr", fixture.Password + " ?"
	r.form("/account/security/password", b, "current", fixture.Password+" !", "password", password)
	r.SignIn(email, password)
	const sessions = "/account/security/sessions"
	r.post(sessions+"/:id/end", b, fmt.Sprintf("%s/%d/end", sessions, r.id("session")), nil)
	r.SignIn(email, password)
	r.post(sessions+"/others", b, sessions+"/others", nil)
	setup := b.Get("/account/security/two-factor")
	found := strings.ReplaceAll(setup.Find("code").First().Text(), " ", "")
	code := func(later time.Duration) string {
		c, err := totp.GenerateCode(found, time.Now().Add(later))
		if err != nil {
			r.t.Fatalf("a code of %q: %v", found, err)
		}
		return c
	}
	r.act("/account/security/two-factor", func() *testkit.Page {
		return b.Submit(setup, "/account/security/two-factor", "code", code(0))
	})
	codes := r.form("/account/security/codes", b)
	r.known = append(r.known, found, fixture.Password, fixture.Password+" !", password,
		b.Cookie("arpent-session"), b.Cookie("arpent-device"))
	r.known = append(r.known, recoveryCode.FindAllString(codes.Text("main"), -1)...)
	r.usesPasskeys(b, email, password)
	r.post(sessions+"/all", b, sessions+"/all", nil)
	b, _ = r.SignIn(email, password)
	r.form("/signin/code", b, "code", code(30*time.Second))
	r.operates(b)
	r.form("/account/security/two-factor/off", b)
	return b
}

// operates does what an operator does to the account of Paul, which has signed in.
func (r *refuser) operates(b *testkit.Browser) {
	r.t.Helper()
	r.Exec(`INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at)
		SELECT id, 'ingest', sha256('of paul'), 'p', 'l', now() FROM account.account WHERE email = 'paul@exemple.fr'`)
	var account, key int64
	testkit.NoError(r.t, r.Pool.QueryRow(r.t.Context(), `SELECT account_id, id FROM account.api_key WHERE prefix = 'p'`).Scan(&account, &key))
	r.Exec(`UPDATE account.account SET totp_sealed = 'x', totp_enabled_at = now() WHERE id = $1`, account)
	of := fmt.Sprintf("/admin/accounts/%d", account)
	for _, act := range []struct{ route, path string }{
		{"accounts/:id/keys/:key/pause", fmt.Sprintf("%s/keys/%d/pause", of, key)},
		{"accounts/:id/keys/:key/resume", fmt.Sprintf("%s/keys/%d/resume", of, key)},
		{"accounts/:id/keys/:key/revoke", fmt.Sprintf("%s/keys/%d/revoke", of, key)},
		{"accounts/:id/limits", of + "/limits"}, {"accounts/:id/sign-out", of + "/sign-out"},
		{"mails/:id/retry", fmt.Sprintf("/admin/mails/%d/retry", failedMail(r.Site, account))}, {"accounts/:id/export", of + "/export"},
		{"accounts/:id/recover", of + "/recover"}, {"accounts/:id/delete", of + "/delete"},
	} {
		r.submit("/admin/"+act.route, b, act.path, act.path, "confirm", "1", "note", "un partenaire",
			"reason", "ticket 4711", "email", "paul@exemple.fr")
		if strings.HasSuffix(act.route, "recover") {
			link := r.Link("paul@exemple.fr", "recover")
			r.submit("/recover/:token", r.Browser(), link, link)
		}
	}
}

// entersByProvider makes an account at a provider of identities, and takes the identity off again.
func (r *refuser) entersByProvider(provider *testkit.OIDC) {
	r.t.Helper()
	b := r.Browser()
	r.act("/auth/:provider/callback", func() *testkit.Page {
		to := b.Submit(b.Get("/signin"), "/auth/oidc").Location()
		return b.Get(strings.TrimPrefix(provider.Visit(to, "paul").String(), r.Base))
	})
	r.Exec(`INSERT INTO account.identity (account_id, provider, subject, created_at) SELECT account_id, 'github', 'of paul', now() FROM account.identity`)
	const identities = "/account/security/identities"
	r.post(identities+"/:id/unlink", b, fmt.Sprintf("%s/%d/unlink", identities, r.id("identity")), nil)
}

// copiesBilling adds and removes addresses that get copies of the mails about payments, which a customer can.
func (r *refuser) copiesBilling(b *testkit.Browser) {
	r.t.Helper()
	const recipients = "/account/plan/recipients"
	r.Exec(`DELETE FROM account.throttle`) // every request that was refused has counted
	r.post(recipients, b, recipients, url.Values{"recipient": {"cabinet@exemple.fr"}})
	billing := r.Link("cabinet@exemple.fr", "billing-mails")
	r.post("/billing-mails/:token", b, billing, url.Values{"answer": {"agree"}})
	r.post("/billing-mails/:token", b, billing, url.Values{"answer": {"stop"}})
	r.Exec(`DELETE FROM account.throttle`)
	r.post(recipients, b, recipients, url.Values{"recipient": {"autre.cabinet@exemple.fr"}})
	r.post(recipients+"/:id/remove", b, fmt.Sprintf("%s/%d/remove", recipients, r.id("billing_recipient")), nil)
}

// everyRoute fails on a form that was not tried, unless it is known to write nothing itself.
func (r *refuser) everyRoute() {
	r.t.Helper()
	writesNothing := []string{"/auth/:provider", "/account/keys/:id/run", "/account/plan/portal",
		"/account/plan/billing", "/admin/keys", "/mcp",
		"/signin/passkey/challenge", "/signin/code/passkey/challenge", "/account/verify/passkey/challenge", "/account/security/passkeys/new/challenge", "/docs/reference/:operation",
		// Stripe has done these before anything is written: the page says that they are noted,
		// and the event of Stripe writes them.
		"/account/plan/change", "/account/plan/cancel", "/account/plan/resume",
		// It notes the check, looks a name up and writes what was found: the tests of the portal try it.
		"/account/organisation/domains/:id/check",
		// It needs a plan that is paid for; its one transaction is tried with the gate of Stripe.
		"/account/plan/reserve"}
	for _, route := range r.App.Fiber().GetRoutes(true) {
		p := route.Path
		if route.Method != http.MethodPost || strings.HasPrefix(p, "/api") || p == "/" || strings.Contains(p, "*") || strings.Contains(p, "/.well-known/") {
			continue
		}
		if !r.acted[p] && !slices.Contains(writesNothing, p) {
			r.t.Errorf("POST %s was not tried: add it", p)
		}
	}
}
