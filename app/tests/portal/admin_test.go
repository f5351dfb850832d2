package portal_test

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pquerna/otp/totp"

	"arpent/app"
	"arpent/app/dev/fixture"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/internal/audit"
	"arpent/internal/config"
	"arpent/internal/pgdb"
)

const operatorEmail = "exploitante@exemple.fr"

// operating is a site with one operator.
func operating(t *testing.T) *fixture.Site {
	t.Helper()
	return fixture.Portal(t, func(c *config.Config) { c.Operators = []string{operatorEmail} })
}

// enrol turns the second factor of the account on, and gives its secret and the recovery codes.
func enrol(t testing.TB, b *testkit.Browser) (secret string, recovery []string) {
	t.Helper()
	setup := b.Get("/account/security/two-factor")
	secret = strings.ReplaceAll(setup.Find("code").First().Text(), " ", "")
	on := b.Submit(setup, "/account/security/two-factor", "code", totpCode(t, secret, 0)).Want(http.StatusOK)
	recovery = strings.Fields(on.Find(".codes code").Text())
	if len(recovery) != 10 {
		t.Fatalf("recovery codes %q", recovery)
	}
	return secret, recovery
}

func totpCode(t testing.TB, secret string, later time.Duration) string {
	t.Helper()
	return testkit.Must(totp.GenerateCode(secret, time.Now().Add(later)))(t)
}

// prove proves again who is signed in, with the second factor.
func prove(b *testkit.Browser, code string) {
	b.Submit(b.Get("/account/verify"), "/account/verify", "password", fixture.Password, "code", code).Want(http.StatusSeeOther)
}

// operator signs the operator up, with a second factor that is freshly proved.
func operator(s *fixture.Site) (b *testkit.Browser, recovery []string) {
	s.T.Helper()
	b = s.SignUp(operatorEmail)
	_, recovery = enrol(s.T, b)
	prove(b, recovery[0])
	return b, recovery[1:]
}

// adminRoutes are the routes of the pages for operators.
func adminRoutes(t testing.TB, a *app.App, method string) (out []string) {
	t.Helper()
	for _, r := range a.Fiber().GetRoutes(true) {
		if r.Method == method && strings.HasPrefix(r.Path, "/admin") && !strings.Contains(r.Path, "*") {
			out = append(out, r.Path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var parameter = regexp.MustCompile(`:[a-z]+`)

func withIDs(route string) string { return parameter.ReplaceAllString(route, "1") }

// changing is what differs between two answers to the same request: times, ids, and the token of forms.
var changing = regexp.MustCompile(`name="token" value="[^"]*"`)

// answer is the whole of an answer to a path, with the path itself taken out.
func answer(p *testkit.Page, path string) string {
	header := p.Header.Clone()
	for _, name := range []string{"Date", "X-Request-Id"} {
		header.Del(name)
	}
	text := fmt.Sprintf("%d %v\n%s", p.Status, header, changing.ReplaceAllString(p.Body, ""))
	return strings.NewReplacer(path, "PATH", url.QueryEscape(path), "PATH").Replace(text)
}

// The pages for operators do not exist for anybody else: every route answers what an address without a route
// does, byte for byte, to anonymous clients, to customers and to an operator whose address was changed, or is
// no longer confirmed, since the last request. An operator without a second factor gets only the way
// to turn it on, and one who has not just proved it is asked to.
func TestAdminIsForOperators(t *testing.T) {
	t.Parallel()
	s := operating(t)
	customer, anonymous := s.SignUp("jeanne@exemple.fr"), s.Browser()
	if routes := adminRoutes(t, s.Build(func(in *app.Inputs) { in.Config.Operators = nil }), http.MethodGet); len(routes) != 0 {
		t.Errorf("without operators there are %v", routes)
	}
	b := s.SignUp(operatorEmail)
	ask := func(b *testkit.Browser, method, path string) *testkit.Page {
		if method != http.MethodPost {
			return b.Send(method, path, nil, "Accept", "text/html")
		}
		return b.Send(method, path, url.Values{"token": {b.Token()}, "confirm": {"1"}, "note": {"x"}}, "Sec-Fetch-Site", "same-origin", "Accept", "text/html")
	}
	every := func(each func(method, path string)) {
		t.Helper()
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			routes := adminRoutes(t, s.App, method)
			if len(routes) < 6 {
				t.Fatalf("only %d routes: %v", len(routes), routes)
			}
			for _, route := range routes {
				each(method, withIDs(route))
			}
		}
	}
	everyMethod := func(each func(method, path string)) { // whether the path has a route for it or not
		t.Helper()
		for _, route := range adminRoutes(t, s.App, http.MethodGet) {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodOptions, "BREW"} {
				each(method, withIDs(route))
			}
		}
		each(http.MethodPost, "/admin/")
	}
	absent := func(who string, b *testkit.Browser) {
		t.Helper()
		everyMethod(func(method, path string) {
			nothing := "/nimda" + strings.TrimPrefix(path, "/admin")
			got, want := answer(ask(b, method, path), path), answer(ask(b, method, nothing), nothing)
			if !strings.HasPrefix(got, "404 ") || got != want {
				t.Errorf("%s %s for %s:\n%s\nand %s:\n%s", method, path, who, got, nothing, want)
			}
		})
	}
	leads := func(who, to string) {
		t.Helper()
		every(func(method, path string) {
			if p := ask(b, method, path); p.Status != http.StatusSeeOther || !strings.HasPrefix(p.Location(), to) {
				t.Errorf("%s %s for %s: %d %s", method, path, who, p.Status, p.Location())
			}
		})
	}
	absent("anybody", anonymous)
	customer.Get("/account") // the first page sets the language of the public ones
	absent("a customer", customer)
	leads("an operator without a second factor", "/account/security/two-factor")
	_, recovery := enrol(t, b)
	leads("an operator who has not proved it", "/account/verify?next=")
	prove(b, recovery[0])
	b.Get("/admin").Want(http.StatusOK)
	s.Exec(`UPDATE account.session SET authenticated_at = authenticated_at - interval '11 minutes' WHERE account_id = (SELECT id FROM account.account WHERE email = $1)`, operatorEmail)
	s.Exec(`UPDATE account.account SET totp_enabled_at = totp_enabled_at - interval '20 minutes' WHERE email = $1`, operatorEmail)
	b.Get("/admin").Want(http.StatusOK)
	if p := b.Get("/admin/accounts/1/sign-out"); p.Status != http.StatusSeeOther || p.Location() != "/account/verify?next="+url.QueryEscape("/admin/accounts/1/sign-out") {
		t.Errorf("an act eleven minutes after the proof: %d %s", p.Status, p.Location())
	}
	s.Exec(`UPDATE account.session SET authenticated_at = authenticated_at - interval '20 minutes' WHERE account_id = (SELECT id FROM account.account WHERE email = $1)`, operatorEmail)
	s.Exec(`UPDATE account.account SET totp_enabled_at = totp_enabled_at - interval '20 minutes' WHERE email = $1`, operatorEmail)
	leads("an operator half an hour after the proof", "/account/verify?next=")
	prove(b, recovery[1])
	b.Get("/admin").Want(http.StatusOK)
	s.Exec(`UPDATE account.account SET email = 'autre@exemple.fr' WHERE email = $1`, operatorEmail)
	absent("an operator whose address was changed", b)
	s.Exec(`UPDATE account.account SET email = $1, email_confirmed_at = NULL WHERE email = 'autre@exemple.fr'`, operatorEmail)
	absent("an operator whose address is not confirmed", b)
}

// An operator finds the pages from every page of the account, in both
// languages; no other account is shown that there are any.
func TestAccountLeadsToAdmin(t *testing.T) {
	t.Parallel()
	s := operating(t)
	customer, operator := s.SignUp("jeanne@exemple.fr"), s.SignUp(operatorEmail)
	for _, at := range []string{"/account", "/account/keys", "/account/usage", "/account/plan", "/account/settings", "/account/security"} {
		for lang, want := range map[string]string{"fr": "Exploitation", "en": "Administration"} {
			path := at + "?lang=" + lang
			if got := operator.Get(path).Want(http.StatusOK).Find(`a[href="/admin"]`).Text(); got != want {
				t.Errorf("%s leads an operator to the pages with %q", path, got)
			}
			if body := customer.Get(path).Want(http.StatusOK).Body; strings.Contains(body, "/admin") {
				t.Errorf("%s of a customer names the pages for operators", path)
			}
		}
	}
	s.Exec(`UPDATE account.account SET email_confirmed_at = NULL WHERE email = $1`, operatorEmail)
	if body := operator.Get("/account").Want(http.StatusOK).Body; strings.Contains(body, "/admin") {
		t.Error("an address that is not confirmed is led to the pages for operators")
	}
}

// failedMail leaves a mail about an account that was given up, and returns its number.
func failedMail(s *fixture.Site, account int64) (id int64) {
	s.T.Helper()
	err := s.Pool.QueryRow(s.T.Context(), `INSERT INTO job.river_job (kind, args, state, finalized_at, attempt, max_attempts, attempted_at, errors)
		VALUES ('mail', jsonb_build_object('template', 'new_sign_in', 'to', 'jeanne@exemple.fr', 'language', 'fr', 'account', $1::bigint), 'cancelled', now(), 1, 12, now(),
			ARRAY['{"at": "2026-01-01T00:00:00Z", "attempt": 1, "error": "JobCancelError: 550 no such user", "trace": ""}'::jsonb]) RETURNING id`, account).Scan(&id)
	testkit.NoError(s.T, err)
	return id
}

// Each act of an operator asks first, does nothing without the tick or without the token of a
// form of ours, is effective, and is on the record of the account with the account of the
// operator. There is no act that is not tried here.
func TestOperatorsActs(t *testing.T) {
	t.Parallel()
	s := operating(t)
	customer := s.SignUp("jeanne@exemple.fr")
	made := customer.Submit(customer.Get("/account/keys/new"), "/account/keys/new", "name", "ingest")
	enrol(t, customer)
	s.SignUp("paul@exemple.fr")
	b, _ := operator(s)
	count := func(sql string, args ...any) int { return testkit.Count(t, s.Pool, sql, args...) }
	account, me := count(`SELECT id FROM account.account WHERE email = 'jeanne@exemple.fr'`), count(`SELECT id FROM account.account WHERE email = $1`, operatorEmail)
	paul := count(`SELECT id FROM account.account WHERE email = 'paul@exemple.fr'`)
	key := count(`SELECT id FROM account.api_key WHERE account_id = $1`, account)
	reason := []string{"reason", "ticket 4711"}
	of, ofKey := fmt.Sprintf("/admin/accounts/%d", account), fmt.Sprintf("/admin/accounts/%d/keys/%d", account, key)
	mail := failedMail(s, int64(account))
	tried := map[string]bool{}
	for _, act := range []struct {
		route, path, action, done string
		form                      []string
	}{
		{"/admin/accounts/:id/keys/:key/pause", ofKey + "/pause", audit.ActionKeyPaused, `SELECT count(*) FROM account.api_key WHERE paused_at IS NOT NULL`, nil},
		{"/admin/accounts/:id/keys/:key/resume", ofKey + "/resume", audit.ActionKeyResumed, `SELECT count(*) FROM account.api_key WHERE paused_at IS NULL AND name = 'ingest'`, nil},
		{"/admin/accounts/:id/keys/:key/revoke", ofKey + "/revoke", audit.ActionKeyRevoked, `SELECT count(*) FROM account.api_key WHERE revoked_at IS NOT NULL`, nil},
		{"/admin/accounts/:id/limits", of + "/limits", audit.ActionLimitsChanged,
			`SELECT count(*) FROM account.account WHERE per_minute = 77 AND enrichments_per_minute IS NULL AND per_day = 1234 AND limits_note = 'un partenaire'`,
			[]string{"per_minute", "77", "enrichments", "", "per_day", " 1234 ", "note", "un partenaire"}},
		{"/admin/accounts/:id/export", of + "/export", audit.ActionExported, `SELECT 1`, reason},
		{"/admin/accounts/:id/recover", of + "/recover", audit.ActionTOTPRecoveryStarted,
			`SELECT count(*) FROM account.link WHERE purpose = 'recover' AND used_at IS NULL`, reason},
		{"/admin/accounts/:id/delete", fmt.Sprintf("/admin/accounts/%d/delete", paul), audit.ActionAccountDeleted,
			`SELECT (count(*) = 0)::int FROM account.account WHERE email = 'paul@exemple.fr'`, append(reason, "email", "Paul@exemple.fr")},
		{"/admin/accounts/:id/sign-out", of + "/sign-out", audit.ActionSessionsEnded, `SELECT (count(*) = 1)::int FROM account.session`, nil}, // the operator's
		{"/admin/mails/:id/retry", fmt.Sprintf("/admin/mails/%d/retry", mail), audit.ActionMailRetried, `SELECT count(*) FROM job.river_job WHERE state <> 'cancelled' AND args->>'template' = 'new_sign_in' AND attempt >= 1`, nil},
	} {
		tried[act.route] = true
		before := count(`SELECT count(*) FROM account.audit WHERE actor = 'operator'`)
		page := b.Get(act.path).Want(http.StatusOK)
		if p := b.Submit(page, act.path, act.form...); p.Status != http.StatusUnprocessableEntity || p.Find("#confirm-error").Length() != 1 {
			t.Errorf("%s without the tick: %d", act.route, p.Status)
		}
		for name, p := range map[string]*testkit.Page{
			"no token":          b.Send(http.MethodPost, act.path, url.Values{"confirm": {"1"}, "note": {"x"}}, "Sec-Fetch-Site", "same-origin"),
			"from another site": b.Send(http.MethodPost, act.path, url.Values{"confirm": {"1"}, "note": {"x"}, "token": {b.Token()}}, "Sec-Fetch-Site", "cross-site"),
		} {
			testkit.Want(t, p.Status, http.StatusForbidden, act.route, ", ", name)
		}
		if n := count(`SELECT count(*) FROM account.audit WHERE actor = 'operator'`); n != before {
			t.Errorf("%s: %d acts on record although none was confirmed", act.route, n-before)
		}
		p := b.Submit(page, act.path, append(act.form, "confirm", "1")...)
		switch {
		case act.action == audit.ActionExported:
			if p.Status != http.StatusOK || !strings.Contains(p.Body, `"email": "jeanne@exemple.fr"`) {
				t.Errorf("%s: %d %s", act.route, p.Status, p.Body)
			}
		case p.Status != http.StatusSeeOther || b.Get(p.Location()).Find(".done").Length() != 1:
			t.Errorf("%s: %d %s\n%s", act.route, p.Status, p.Location(), p.Text("main"))
		}
		if count(act.done) != 1 {
			t.Errorf("%s has no effect", act.route)
		}
		about := account
		if act.action == audit.ActionAccountDeleted {
			about = paul
		}
		if n := count(`SELECT count(*) FROM account.audit WHERE account_id = $1 AND actor = 'operator' AND action = $2 AND (detail->>'operator')::bigint = $3
			AND address IS NULL AND agent IS NULL`, about, act.action, me); n != 1 || count(`SELECT count(*) FROM account.audit WHERE actor = 'operator'`) != before+1 {
			t.Errorf("%s is on record %d times", act.route, n)
		}
	}
	secret := regexp.MustCompile(`arp_[0-9A-Za-z]{38}`).FindString(made.Body)
	if secret == "" {
		t.Fatalf("no key was made: %d %s", made.Status, made.Text("main"))
	}
	for text, status := range map[string]int{secret: 200, secret[:8]: 200, "arp_0000": 200, "arp": 422, "": 422} {
		p := b.Post("/admin/keys", url.Values{"key": {text}})
		if p.Status != status || (p.Find(fmt.Sprintf(`a[href="%s"]`, of)).Length() == 1) != strings.HasPrefix(secret, text) && status == 200 ||
			text == secret && strings.Contains(p.Body, secret) {
			t.Errorf("find a key by %d characters: %d\n%s", len(text), p.Status, p.Text("main"))
		}
	}
	tried["/admin/keys"] = true // it changes nothing
	for _, wrong := range [][]string{{"reason", " ", "email", "jeanne@exemple.fr"}, append(reason, "email", "paul@exemple.fr")} {
		p := b.Submit(b.Get(of+"/delete"), of+"/delete", append(wrong, "confirm", "1")...)
		if p.Status != http.StatusUnprocessableEntity || p.Find("p.error").Length() != 1 {
			t.Errorf("deletion with %q: %d\n%s", wrong, p.Status, p.Text("main"))
		}
	}
	for _, route := range adminRoutes(t, s.App, http.MethodPost) {
		if !tried[route] {
			t.Errorf("POST %s is not tried: add it", route)
		}
	}
	if p := customer.Get("/account"); p.Status != http.StatusSeeOther {
		t.Errorf("the customer is still signed in: %d", p.Status)
	}
	b.Submit(b.Get(of+"/limits"), of+"/limits", "per_day", "10000001", "confirm", "1").Want(http.StatusUnprocessableEntity, "10\u202f000\u202f000")
	for _, wrong := range [][]string{{"per_day", "-1"}, {"per_minute", "x"}, {"enrichments", "0"}, {"note", " "}, {"note", strings.Repeat("é", 501)}} {
		p := b.Submit(b.Get(of+"/limits"), of+"/limits", append(wrong, "confirm", "1")...)
		if p.Status != http.StatusUnprocessableEntity || p.Find("#"+wrong[0]+"-error").Length() != 1 || p.Find("#"+wrong[0]).AttrOr("value", "") != strings.TrimSpace(wrong[1]) {
			t.Errorf("%v: %d\n%s", wrong, p.Status, p.Text("main"))
		}
	}
	for _, gone := range []string{ofKey + "/revoke", ofKey + "/pause", "/admin/accounts/999/limits", "/admin/accounts/999/sign-out", "/admin/mails/999/retry",
		fmt.Sprintf("/admin/accounts/%d/keys/%d/revoke", me, key)} { // the last one: the key of another account than the address names
		p := b.Post(gone, url.Values{"confirm": {"1"}, "note": {"x"}})
		if p.Status != http.StatusNotFound || p.Find(`.tabs a[href="/admin/mails"]`).Length() != 1 {
			t.Errorf("POST %s: %d, or without the tabs", gone, p.Status)
		}
	}
}

// No page for operators has a secret, or what is kept of one, and looking at them changes nothing; they are
// kept by no cache and found by no search engine.
func TestAdminShowsNoSecrets(t *testing.T) {
	t.Parallel()
	s := operating(t)
	customer := s.SignUp("jeanne@exemple.fr")
	made := customer.Submit(customer.Get("/account/keys/new"), "/account/keys/new", "name", "ingest")
	secret := regexp.MustCompile(`arp_[0-9A-Za-z]{38}`).FindString(made.Body)
	if secret == "" {
		t.Fatalf("no key was made: %d %s", made.Status, made.Text("main"))
	}
	reset := strings.TrimPrefix(s.ResetLink("jeanne@exemple.fr"), "/reset/")
	b, recovery := operator(s)
	failedMail(s, 1)
	s.Exec(`INSERT INTO account.refusal (account_id, key_id, met, "limit", minute, first_at, last_at, requests)
		SELECT account_id, id, 'minute', 10, date_trunc('minute', now()), now(), now(), 7 FROM account.api_key`)
	hidden := append([]string{secret, secret[4:], reset, "$argon2"}, recovery...)
	for _, kept := range []string{`SELECT secret_hash FROM account.api_key`, `SELECT token_hash FROM account.session`, `SELECT totp_sealed FROM account.account WHERE totp_sealed IS NOT NULL`,
		`SELECT code_hash FROM account.recovery_code`} {
		hashes := testkit.Must(pgdb.Collect(t.Context(), s.Pool, pgx.RowTo[[]byte], kept))(t)
		for _, hash := range hashes {
			hidden = append(hidden, hex.EncodeToString(hash))
		}
	}
	if len(hidden) < 20 || secret == "" || reset == "" {
		t.Fatalf("nothing to hide: %q", hidden)
	}
	mail := testkit.Count(t, s.Pool, `SELECT id FROM job.river_job WHERE state = 'cancelled'`)
	before := testkit.Count(t, s.Pool, `SELECT count(*) FROM account.audit`)
	visit := []string{"/admin/mails?failed=1", "/admin/accounts?q=JEANNE", "/admin/accounts?q=1&before=99", "/admin/audit?before=5", fmt.Sprintf("/admin/mails/%d/retry", mail)}
	for _, route := range adminRoutes(t, s.App, http.MethodGet) {
		if route != "/admin/mails/:id/retry" && !strings.HasSuffix(route, "/resume") {
			visit = append(visit, withIDs(route))
		}
	}
	for _, path := range visit {
		p := b.Get(path).Want(http.StatusOK)
		for _, text := range hidden {
			if strings.Contains(strings.ToLower(p.Body), strings.ToLower(text)) {
				t.Errorf("%s shows %q", path, text)
			}
		}
		if p.Find(`meta[name=robots][content=noindex]`).Length() != 1 || p.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be kept or found: %q", path, p.Header.Get("Cache-Control"))
		}
	}
	if after := testkit.Count(t, s.Pool, `SELECT count(*) FROM account.audit`); after != before {
		t.Errorf("looking left %d rows", after-before)
	}
	b.Get("/admin").Want(http.StatusOK, "jeanne@exemple.fr", "par minute")
	b.Get("/admin/mails?failed=1").Want(http.StatusOK, "550 no such user")
	for _, path := range []string{"/admin/accounts?before=x", "/admin/audit?before=0", "/admin/accounts/0", "/admin/accounts/x", "/admin/accounts/999", "/admin/accounts/1/keys/x/revoke"} {
		testkit.Want(t, b.Get(path).Status, http.StatusNotFound, path)
	}
}

// Operators who use a keyboard, a screen reader, a small screen or a dark one can use each of
// their pages, as every visitor can use all others.
func TestAdminIsAccessible(t *testing.T) {
	t.Parallel()
	s, sim := selling(t, func(c *config.Config) { c.Operators = []string{operatorEmail} })
	jeanne := s.SignUp("jeanne@exemple.fr")
	furnish(s, "jeanne@exemple.fr")
	checkout := jeanne.Submit(jeanne.Get("/account/plan"), "/account/plan/subscribe", "plan", "standard").Location()
	testkit.Must(sim.Pay(path.Base(checkout), stripesim.Buyer{}))(t)
	enrol(t, jeanne)
	s.Exec(`INSERT INTO account.refusal (account_id, key_id, met, "limit", minute, first_at, last_at, requests)
		SELECT account_id, id, 'minute', 60, date_trunc('minute', now()), now(), now(), 7 FROM account.api_key WHERE id = 1
		ON CONFLICT DO NOTHING`)
	me, recovery := operator(s)
	me.Submit(me.Get("/admin/accounts/1/recover"), "/admin/accounts/1/recover", "reason", "ticket 4711", "confirm", "1")
	mail := strconv.FormatInt(failedMail(s, 1), 10)
	shown := map[string]string{"admin": "/admin", "admin-accounts": "/admin/accounts", "admin-account": "/admin/accounts/1", "admin-limits": "/admin/accounts/1/limits",
		"admin-revoke": "/admin/accounts/1/keys/1/revoke", "admin-export": "/admin/accounts/1/export", "admin-delete": "/admin/accounts/1/delete", "admin-recover": "/admin/accounts/1/recover",
		"admin-rejections": "/admin/accounts/1/rejections", "admin-keys": "/admin/keys", "recover": s.Link("jeanne@exemple.fr", "recover"),
		"admin-mails": "/admin/mails?failed=1", "admin-retry": "/admin/mails/" + mail + "/retry", "admin-audit": "/admin/audit"}
	turns := newTurns(t, testkit.Rounds(1, len(looks)))
	for i, look := range looks {
		o := look.browserOptions
		b := newBrowser(t, s.Base, o)
		b.signIn(operatorEmail) // one after the other: a code ends the sign-ins that have not come as far
		b.fill("/signin/code", "code", recovery[i])
		b.send("/signin/code")
		t.Run(o.name(), func(t *testing.T) { // at once: pages of sensitive acts ask for a sign-in of just now
			b.t = t
			for name, at := range shown {
				if !turns.include(name, i) {
					continue
				}
				b.check(name, inLanguage(at, o.language), o, look.more)
				if name != "recover" {
					b.must(`href="/admin/audit"`) // it is the page, not that of an address without one
				}
			}
		})
	}
}

// An operator sees who the members of an organisation are and of which a person is one, and deletes an
// organisation by its name, not by the address of the member who gets its mails.
func TestOperatorSeesOrganisations(t *testing.T) {
	t.Parallel()
	s := operating(t)
	owner := s.SignUp("jeanne@exemple.fr")
	owner.Submit(owner.Get("/account/organisations/new"), "/account/organisations/new", "name", "Alpha").Want(http.StatusSeeOther)
	b, _ := operator(s)
	org := fmt.Sprintf("/admin/accounts/%d", testkit.Count(t, s.Pool, `SELECT id FROM account.account WHERE name = 'Alpha'`))
	person := fmt.Sprintf("/admin/accounts/%d", testkit.Count(t, s.Pool, `SELECT id FROM account.account WHERE email = 'jeanne@exemple.fr'`))
	for page, to := range map[string]string{org: person, person: org} {
		if p := b.Get(page).Want(http.StatusOK, "propriétaire"); p.Find(`dd a[href="`+to+`"]`).Length() != 1 {
			t.Errorf("%s does not lead to %s", page, to)
		} else if signIns := p.Find(`a[href="` + page + `/sign-out"]`).Length(); (signIns == 1) != (page == person) {
			t.Errorf("%s: %d links to the end of its sessions", page, signIns)
		}
	}
	ask := b.Get(org+"/delete").Want(http.StatusOK, "recopiez le nom de l’organisation")
	b.Submit(ask, org+"/delete", "reason", "fraude", "email", "jeanne@exemple.fr", "confirm", "1").Want(http.StatusUnprocessableEntity, "Ce n’est pas le nom de cette organisation")
	if p := b.Submit(ask, org+"/delete", "reason", "fraude", "email", "alpha", "confirm", "1"); p.Status != http.StatusSeeOther {
		t.Errorf("%d %s", p.Status, p.Text("main"))
	}
	b.Get(org).Want(http.StatusNotFound)
	b.Get(person).Want(http.StatusOK)
}
