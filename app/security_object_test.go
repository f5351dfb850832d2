package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/config"
)

// What belongs to account A does not exist for account B: on every address that names an object, by any method, the
// answer is the one for an object that never was.
func TestObjectsOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	s := portal(t, nil)
	a, b := s.signUp("a@exemple.fr"), s.signUp("b@exemple.fr")
	a.submit("/account/keys/new", "/account/keys/new", "name", "of a")
	b.submit("/account/keys/new", "/account/keys/new", "name", "of b")
	if _, err := s.pool.Exec(t.Context(), `INSERT INTO account.identity (account_id, provider, subject, created_at)
		SELECT id, 'github', 'subject of ' || id, now() FROM account.account`); err != nil {
		t.Fatal(err)
	}
	before := s.rowsOf("a@exemple.fr")
	ids := s.idsOf("a@exemple.fr")
	tested := 0
	for _, method := range []string{fiber.MethodGet, fiber.MethodPost} {
		for _, route := range s.portalRoutes(method) {
			if !strings.Contains(route, ":") || !strings.HasPrefix(route, "/account/") {
				continue
			}
			tested++
			for _, id := range append(ids, "0", "-1", "9223372036854775807", "99999999999999999999", "x", "1%20or%201=1") {
				path := filled(route, id)
				var form url.Values
				if method == fiber.MethodPost {
					form = url.Values{"token": {b.form(b.get("/account/settings"), "/signout").Get("token")}, "name": {"stolen"},
						"overlap": {"0"}, "expires": {"never"}, "per_day": {"5"}, "networks": {"10.0.0.0/8"}, "code": {"000000"}}
				}
				if p := b.send(method, path, form, "Sec-Fetch-Site", "same-origin"); p.status != http.StatusNotFound {
					t.Errorf("%s %s by another account: %d", method, path, p.status)
				}
			}
		}
	}
	if tested < 12 {
		t.Errorf("only %d addresses name an object", tested)
	}
	if after := s.rowsOf("a@exemple.fr"); after != before {
		t.Errorf("something of account A changed: %s", difference(before, after))
	}
}

// idsOf are the ids of every object of an account that are not also ids of the same kind of object elsewhere.
func (s *site) idsOf(email string) []string {
	s.t.Helper()
	var ids []string
	for _, table := range []string{"api_key", "session", "identity"} {
		rows, err := s.pool.Query(s.t.Context(), `SELECT o.id::text FROM account.`+table+` o JOIN account.account a ON a.id = o.account_id
			WHERE a.email = $1 AND NOT EXISTS (
				SELECT FROM account.api_key WHERE id = o.id AND account_id <> a.id UNION ALL
				SELECT FROM account.session WHERE id = o.id AND account_id <> a.id UNION ALL
				SELECT FROM account.identity WHERE id = o.id AND account_id <> a.id)`, email)
		if err != nil {
			s.t.Fatal(err)
		}
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				s.t.Fatal(err)
			}
			ids = append(ids, id)
		}
	}
	if len(ids) < 1 {
		s.t.Fatal("account A has nothing of its own")
	}
	return ids
}

// rowsOf is what is kept of one account.
func (s *site) rowsOf(email string) string {
	s.t.Helper()
	var text string
	err := s.pool.QueryRow(s.t.Context(), `
SELECT json_build_array((SELECT json_agg(k ORDER BY k.id) FROM account.api_key k WHERE k.account_id = a.id),
    (SELECT json_agg(i ORDER BY i.id) FROM account.identity i WHERE i.account_id = a.id),
    (SELECT json_agg(x.id ORDER BY x.id) FROM account.session x WHERE x.account_id = a.id),
    (SELECT json_agg(u ORDER BY u.id) FROM account.audit u WHERE u.account_id = a.id), a.email, a.password_hash)::text
FROM account.account a WHERE a.email = $1`, email).Scan(&text)
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

// Every answer of every route, error or not, keeps browsers from doing what we do not want, and no cookie can be read
// by a script or travel without https.
func TestHeadersAndCookiesOnEveryRoute(t *testing.T) {
	t.Parallel()
	s := portal(t, func(c *config.Config) {
		c.BaseURL = "https://arpent.example"
		c.OIDC = config.Provider{ClientID: "x", ClientSecret: "y", Issuer: "http://127.0.0.1:9", PKCE: true}
	})
	c := s.client()
	form := url.Values{"token": {c.form(c.get("/signup"), "/signup").Get("token")}, "email": {"jeanne@exemple.fr"}, "password": {goodPassword}}
	cookies := map[string]bool{}
	look := func(method, path string, p page) {
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "", "Content-Security-Policy": "default-src 'none'", "X-Frame-Options": "DENY",
			"Strict-Transport-Security": "max-age=",
		} {
			if got := p.header.Get(name); got == "" || !strings.Contains(got, want) {
				t.Errorf("%s %s: %s is %q", method, path, name, got)
			}
		}
		if csp := p.header.Get("Content-Security-Policy"); strings.Contains(csp, "unsafe") || strings.Contains(csp, "*") || !strings.Contains(csp, "frame-ancestors 'none'") {
			t.Errorf("%s %s: policy %q", method, path, csp)
		}
		for _, line := range p.header.Values("Set-Cookie") {
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
		for _, route := range append(s.portalRoutes(method), "/", "/no-such-page", "/account/no-such-page") {
			if strings.HasPrefix(route, "/assets") || strings.HasPrefix(route, "/healthz") || strings.HasPrefix(route, "/readyz") || route == "/openapi.json" {
				continue
			}
			path := filled(route, "1")
			if method == http.MethodGet {
				look(method, path, c.get(path, "Accept", "text/html"))
				continue
			}
			look(method, path, c.send(method, path, url.Values{}, "Accept", "text/html"))
			look(method, path, c.send(method, path, form, "Sec-Fetch-Site", "same-origin", "Accept", "text/html"))
		}
	}
	// The session itself, as browsers get it.
	s.confirmDirectly("jeanne@exemple.fr")
	p := c.send(http.MethodPost, "/signin", form, "Sec-Fetch-Site", "same-origin")
	look(http.MethodPost, "/signin", p)
	for _, name := range []string{"__Host-arpent-session", "__Host-arpent-device", "__Host-arpent-signup", "arpent-language"} {
		if !cookies[name] && !cookies["__Host-"+name] {
			t.Errorf("the cookie %s was never seen: %v", name, cookies)
		}
	}
	if p.header.Get("Cache-Control") != "no-store" {
		t.Errorf("an answer with a session may be cached: %q", p.header.Get("Cache-Control"))
	}
}

func (s *site) confirmDirectly(email string) {
	s.t.Helper()
	if _, err := s.pool.Exec(s.t.Context(), `UPDATE account.account SET email_confirmed_at = now() WHERE email = $1`, email); err != nil {
		s.t.Fatal(err)
	}
}

// A link from a mail works once, for a day, for the account it was made for; looking at it does not spend it.
func TestLinks(t *testing.T) {
	t.Parallel()
	s := portal(t, nil)
	c := s.client()
	c.submit("/signup", "/signup", "email", "a@exemple.fr", "password", goodPassword)
	link := strings.TrimPrefix(s.link("a@exemple.fr", "confirm"), s.base)
	for range 5 { // a mail scanner
		if p := s.client().get(link); p.status != http.StatusOK || p.doc.Find("form[action='"+link+"'] button").Length() != 1 {
			t.Fatalf("the link's page: %d, without its button", p.status)
		}
	}
	if p := c.submit(link, link); p.status != http.StatusSeeOther {
		t.Fatalf("confirm: %d", p.status)
	}
	token := c.form(c.get("/account/settings"), "/signout")
	if p := c.send(http.MethodPost, link, token, "Sec-Fetch-Site", "same-origin"); p.status == http.StatusSeeOther && p.location() == "/account" {
		t.Error("a link worked twice")
	}
	s.signUp("b@exemple.fr")
	s.client().submit("/forgot", "/forgot", "email", "a@exemple.fr")
	reset := strings.TrimPrefix(s.link("a@exemple.fr", "reset"), s.base)
	for name, changed := range map[string]string{
		"another purpose": strings.Replace(reset, "/reset/", "/confirm/", 1),
		"one bit less":    reset[:len(reset)-1],
		"another letter":  reset[:len(reset)-4] + "AAAA",
		"garbage":         "/reset/" + strings.Repeat("%00", 40),
		"empty":           "/reset/a",
	} {
		if p := s.client().get(changed); p.doc.Find("form[action^='/reset/'],form[action^='/confirm/']").Length() != 0 {
			t.Errorf("%s: the page has the form", name)
		}
		d := s.client()
		form := url.Values{"token": {d.form(d.get("/signin"), "/signin").Get("token")}, "password": {"another good password of mine"}}
		if p := d.send(http.MethodPost, changed, form, "Sec-Fetch-Site", "same-origin"); p.status == http.StatusSeeOther || p.status >= 500 {
			t.Errorf("%s: %d, to %s", name, p.status, p.location())
		}
	}
	// Of b it changes nothing, of a everything: the old password is gone, and so are the sessions.
	d := s.client()
	if p := d.submit(reset, reset, "password", "another good password of mine"); p.status != http.StatusSeeOther {
		t.Fatalf("reset: %d\n%s", p.status, p.doc.Find("main").Text())
	}
	if p := c.get("/account"); p.status != http.StatusSeeOther {
		t.Errorf("a session outlived a reset of the password: %d", p.status)
	}
	for email, password := range map[string]string{"a@exemple.fr": "another good password of mine", "b@exemple.fr": goodPassword} {
		if _, p := s.signIn(email, password); p.status != http.StatusSeeOther {
			t.Errorf("%s cannot sign in: %d", email, p.status)
		}
	}
	if _, p := s.signIn("a@exemple.fr", goodPassword); p.status == http.StatusSeeOther {
		t.Error("the password from before the reset still works")
	}
	// Too late.
	s.client().submit("/forgot", "/forgot", "email", "b@exemple.fr")
	late := strings.TrimPrefix(s.link("b@exemple.fr", "reset"), s.base)
	if _, err := s.pool.Exec(t.Context(), `UPDATE account.link SET expires_at = now() - interval '1 second' WHERE used_at IS NULL`); err != nil {
		t.Fatal(err)
	}
	if p := s.client().get(late); strings.Contains(string(p.body), fmt.Sprintf("action=%q", late)) {
		t.Error("a link that is too old still has its form")
	}
}
