package attack_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
	"arpent/internal/pgdb"
)

// What belongs to account A does not exist for account B: on every address that names an object, by any
// method, the answer is the one for an object that never was.
func TestObjectsOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, func(c *config.Config) { c.Operators = []string{"exploitante@exemple.fr"} })
	a, b := s.SignUp("a@exemple.fr"), s.SignUp("b@exemple.fr")
	a.Submit(a.Get("/account/keys/new"), "/account/keys/new", "name", "of a")
	b.Submit(b.Get("/account/keys/new"), "/account/keys/new", "name", "of b")
	s.Exec(`INSERT INTO account.identity (account_id, provider, subject, created_at)
		SELECT id, 'github', 'subject of ' || id, now() FROM account.account`)
	s.Exec(`INSERT INTO account.notice_address (account_id, email, asked_at)
		SELECT id, n || email, now() FROM account.account, generate_series(1, 9) n WHERE email = 'a@exemple.fr'`)
	s.Exec(`INSERT INTO account.billing_recipient (account_id, email, asked_at)
		SELECT id, n || email, now() FROM account.account, generate_series(1, 9) n WHERE email = 'a@exemple.fr'`)
	s.Exec(`INSERT INTO account.management_token (account_id, created_by, name, scopes, token_hash, last4, created_at, expires_at)
		SELECT id, id, 'token ' || n, '{keys:read}', sha256((id || ' ' || n)::bytea), 'last', now(), now() + interval '1 day'
		FROM account.account, generate_series(1, 12) n WHERE email = 'a@exemple.fr'`)
	s.Exec(`WITH w AS (INSERT INTO account.webhook (account_id, url, events, secret_sealed, created_at, secret_at)
		SELECT id, 'https://exemple.fr/' || n, '{key.created}', 'x', now(), now() FROM account.account, generate_series(1, 15) n WHERE email = 'a@exemple.fr' RETURNING *)
		INSERT INTO account.webhook_delivery (webhook_id, account_id, event_id, type, body, created_at)
		SELECT id, account_id, 'evt', 'key.created', '{}', now() FROM w`)
	s.Exec(`INSERT INTO account.domain (account_id, name, token, created_at)
		SELECT id, 'exemple' || n || '.fr', 'token ' || n, now()
		FROM account.account, generate_series(1, 18) n WHERE email = 'a@exemple.fr'`)
	before := rowsOf(s, "a@exemple.fr")
	ids := idsOf(s, "a@exemple.fr")
	tested, token := 0, b.Token()
	for _, method := range []string{fiber.MethodGet, fiber.MethodPost} {
		for _, route := range portalRoutes(s, method) {
			if !strings.Contains(route, ":") || !strings.HasPrefix(route, "/account/") && !strings.HasPrefix(route, "/admin/") {
				continue
			}
			tested++
			for _, id := range append(ids, "0", "-1", "9223372036854775807", "99999999999999999999", "x", "1%20or%201=1") {
				path := filled(route, id)
				var form url.Values
				if method == fiber.MethodPost {
					form = url.Values{"token": {token}, "name": {"stolen"},
						"overlap": {"0"}, "expires": {"never"}, "per_day": {"5"}, "networks": {"10.0.0.0/8"}, "code": {"000000"}, "url": {"https://exemple.fr/volee"}, "event_key_created": {"yes"}, "confirm": {"1"}, "note": {"x"}}
				}
				p := b.Send(method, path, form, "Sec-Fetch-Site", "same-origin")
				// The address of a form of an organisation leads to the page that has it, whatever it names.
				toPage := method == fiber.MethodGet && p.Status == http.StatusSeeOther &&
					slices.Contains([]string{"/account/organisation", "/account/organisation/domains"}, p.Location())
				if p.Status != http.StatusNotFound && !toPage {
					t.Errorf("%s %s by another account: %d", method, path, p.Status)
				}
			}
		}
	}
	if tested < 25 {
		t.Errorf("only %d addresses name an object", tested)
	}
	if after := rowsOf(s, "a@exemple.fr"); after != before {
		t.Errorf("something of account A changed: %s", difference(before, after))
	}
}

// idsOf are the ids of every object of an account that are not also ids of the same kind of object elsewhere.
func idsOf(s *fixture.Site, email string) []string {
	s.T.Helper()
	tables := []string{"api_key", "session", "identity", "notice_address", "billing_recipient",
		"management_token", "webhook", "webhook_delivery", "domain"}
	var ids, others []string
	for _, table := range tables {
		others = append(others, `SELECT FROM account.`+table+` WHERE id = o.id AND account_id <> a.id`)
	}
	for _, table := range tables {
		found, err := pgdb.Collect(s.T.Context(), s.Pool, pgx.RowTo[string], `SELECT o.id::text
			FROM account.`+table+` o JOIN account.account a ON a.id = o.account_id
			WHERE a.email = $1 AND NOT EXISTS (`+strings.Join(others, " UNION ALL ")+`)`, email)
		testkit.NoError(s.T, err)
		ids = append(ids, found...)
	}
	slices.Sort(ids) // objects of several kinds have the same ids
	if ids = slices.Compact(ids); len(ids) < 1 {
		s.T.Fatal("account A has nothing of its own")
	}
	return ids
}

// rowsOf is what is kept of one account.
func rowsOf(s *fixture.Site, email string) string {
	s.T.Helper()
	var text string
	err := s.Pool.QueryRow(s.T.Context(), `
SELECT json_build_array((SELECT json_agg(k ORDER BY k.id) FROM account.api_key k WHERE k.account_id = a.id),
    (SELECT json_agg(i ORDER BY i.id) FROM account.identity i WHERE i.account_id = a.id),
    (SELECT json_agg(n ORDER BY n.id) FROM account.notice_address n WHERE n.account_id = a.id),
    (SELECT json_agg(n ORDER BY n.id) FROM account.billing_recipient n WHERE n.account_id = a.id),
    (SELECT json_agg(m ORDER BY m.id) FROM account.management_token m WHERE m.account_id = a.id),
    (SELECT json_agg(w ORDER BY w.id) FROM account.webhook w WHERE w.account_id = a.id),
    (SELECT json_agg(d ORDER BY d.id) FROM account.domain d WHERE d.account_id = a.id),
    (SELECT count(*) FROM account.webhook_delivery d WHERE d.account_id = a.id),
    (SELECT json_agg(x.id ORDER BY x.id) FROM account.session x WHERE x.account_id = a.id),
    (SELECT json_agg(u ORDER BY u.id) FROM account.audit u WHERE u.account_id = a.id), a.email, a.password_hash)::text
FROM account.account a WHERE a.email = $1`, email).Scan(&text)
	testkit.NoError(s.T, err)
	return text
}

// Every answer of every route, error or not, keeps browsers from doing what we do not want, and no cookie can
// be read by a script or travel without https.
func TestHeadersAndCookiesOnEveryRoute(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, func(c *config.Config) {
		c.BaseURL = "https://arpent.example"
		c.OIDC = config.Provider{ClientID: "x", ClientSecret: "y", Issuer: "http://127.0.0.1:9", PKCE: true}
	})
	c := s.Browser()
	c.AsksOnce = nil // no provider is there
	asset, found := c.Get("/").Find("link[rel=stylesheet]").Attr("href")
	if !found || c.Get(asset).Status != http.StatusOK {
		t.Fatalf("no style sheet at %q", asset)
	}
	form := url.Values{"token": {c.Token()}, "email": {"jeanne@exemple.fr"}, "password": {fixture.Password}}
	cookies := map[string]bool{}
	open := openToOthers(t)
	look := func(method, path string, p *testkit.Page) {
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "", "Content-Security-Policy": "base-uri 'none'", "X-Frame-Options": "DENY",
			"Strict-Transport-Security": "max-age=",
		} {
			if got := p.Header.Get(name); got == "" || !strings.Contains(got, want) {
				t.Errorf("%s %s: %s is %q", method, path, name, got)
			}
		}
		if csp := p.Header.Get("Content-Security-Policy"); strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") || !strings.HasPrefix(csp, "default-src 'none'") ||
			!strings.Contains(csp, "frame-ancestors 'none'") {
			t.Errorf("%s %s: policy %q", method, path, csp)
		}
		if p.Header.Get("Access-Control-Allow-Origin") != "" && !open.MatchString(path) {
			t.Errorf("%s %s may be read by pages of other origins, which docs/threat-model.md does not say", method, path)
		}
		if page := strings.HasPrefix(p.Header.Get("Content-Type"), "text/html"); page && !strings.Contains(p.Header.Get("Permissions-Policy"), "geolocation=(self)") {
			t.Errorf("%s %s: a page may ask where its reader is", method, path)
		}
		for _, line := range p.Header.Values("Set-Cookie") {
			name, _, _ := strings.Cut(line, "=")
			cookies[name] = true
			lower := strings.ToLower(line)
			if !strings.HasPrefix(name, "__Host-") && name != "arpent-language" || !strings.Contains(lower, "; secure") ||
				!strings.Contains(lower, "; httponly") || !strings.Contains(lower, "; samesite=lax") || !strings.Contains(lower, "; path=/") || strings.Contains(lower, "domain=") {
				t.Errorf("%s %s: cookie %s", method, path, line)
			}
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for _, route := range append(portalRoutes(s, method), "/", "/no-such-page", "/account/no-such-page", "/api/v1", "/api/v1/communes/93010", "/api/no-such-path", "/mcp", asset) {
			path := filled(route, "1")
			if method == http.MethodGet {
				look(method, path, c.Get(path, "Accept", "text/html"))
				continue
			}
			look(method, path, c.Send(method, path, url.Values{}, "Accept", "text/html"))
			look(method, path, c.Send(method, path, form, "Sec-Fetch-Site", "same-origin", "Accept", "text/html"))
		}
	}
	w := dial(t, s.Service)
	w.write("GET /signin HTTP/1.1\r\nHost x\r\n\r\n")
	look(http.MethodGet, "what cannot be read", &testkit.Page{Header: w.answer().Header})
	// The session itself, as browsers get it.
	confirmDirectly(s, "jeanne@exemple.fr")
	p := c.Send(http.MethodPost, "/signin", form, "Sec-Fetch-Site", "same-origin")
	look(http.MethodPost, "/signin", p)
	for _, name := range []string{"__Host-arpent-session", "__Host-arpent-device", "__Host-arpent-signup", "arpent-language"} {
		if !cookies[name] && !cookies["__Host-"+name] {
			t.Errorf("the cookie %s was never seen: %v", name, cookies)
		}
	}
	testkit.Want(t, p.Header.Get("Cache-Control"), "no-store", "an answer with a session may be cached")
}

// openToOthers matches the addresses of which docs/threat-model.md says
// that pages of other origins may read them.
func openToOthers(t *testing.T) *regexp.Regexp {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join(testkit.Root(t), "docs", "threat-model.md")))(t)
	row := regexp.MustCompile("(?m)^\\| `Access-Control-Allow-Origin` .*$").FindString(string(text))
	var addresses []string
	for _, m := range regexp.MustCompile("`(/[^`]+)`").FindAllStringSubmatch(row, -1) {
		addresses = append(addresses, strings.ReplaceAll(regexp.QuoteMeta(m[1]), `\*`, ".+"))
	}
	return regexp.MustCompile("^(" + strings.Join(addresses, "|") + ")$")
}

func confirmDirectly(s *fixture.Site, email string) {
	s.T.Helper()
	s.Exec(`UPDATE account.account SET email_confirmed_at = now() WHERE email = $1`, email)
}
