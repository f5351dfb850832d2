package attack_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
	"arpent/internal/pgdb"
)

// idsOf are the ids of the keys, sessions and identities of an account.
func idsOf(s *fixture.Site, email string) []string {
	s.T.Helper()
	return testkit.Must(pgdb.Collect(s.T.Context(), s.Pool, pgx.RowTo[string], `SELECT DISTINCT o.id::text FROM account.account a
		JOIN (SELECT id, account_id FROM account.api_key UNION ALL SELECT id, account_id FROM account.session
			UNION ALL SELECT id, account_id FROM account.identity) o ON o.account_id = a.id WHERE a.email = $1 ORDER BY 1`, email))(s.T)
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
