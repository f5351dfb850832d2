package attack_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// portalRoutes are the routes of pages with that method.
func portalRoutes(s *fixture.Site, method string) []string {
	var out []string
	for _, r := range s.App.Fiber().GetRoutes(true) {
		if r.Method == method && !strings.HasPrefix(r.Path, "/api") && r.Path != "/" && !strings.Contains(r.Path, "*") {
			out = append(out, r.Path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// filled puts something in the place of parameters.
func filled(route, id string) string {
	return regexp.MustCompile(`:[a-z]+`).ReplaceAllString(route, id)
}

// A form of another site, or one without our token, changes nothing, wherever it is sent.
func TestCSRFIsRejectedEverywhere(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	testEveryAddressThatNamesSomething(t, s.Service)
	c := s.SignUp("jeanne@exemple.fr")
	routes := portalRoutes(s, fiber.MethodPost)
	if len(routes) < 25 {
		t.Fatalf("only %d routes: %v", len(routes), routes)
	}
	token := c.Token()
	anonymous := s.Browser().Token()
	other, _ := s.SignIn("jeanne@exemple.fr", fixture.Password)
	foreign := other.Token()
	for _, route := range routes {
		if slices.ContainsFunc(programRoutes, func(of string) bool { return strings.HasPrefix(route, of) }) {
			continue
		}
		path := filled(route, "1")
		for name, attempt := range map[string]*testkit.Page{
			"no token":             c.Send(http.MethodPost, path, url.Values{}, "Sec-Fetch-Site", "same-origin"),
			"empty token":          c.Send(http.MethodPost, path, url.Values{"token": {""}}, "Sec-Fetch-Site", "same-origin"),
			"an anonymous token":   c.Send(http.MethodPost, path, url.Values{"token": {anonymous}}, "Sec-Fetch-Site", "same-origin"),
			"a token of another":   c.Send(http.MethodPost, path, url.Values{"token": {foreign}}, "Sec-Fetch-Site", "same-origin"),
			"from another site":    c.Send(http.MethodPost, path, url.Values{"token": {token}}, "Sec-Fetch-Site", "cross-site"),
			"from a sister site":   c.Send(http.MethodPost, path, url.Values{"token": {token}}, "Sec-Fetch-Site", "same-site"),
			"from another origin":  c.Send(http.MethodPost, path, url.Values{"token": {token}}, "Origin", "https://evil.example"),
			"from a sandbox":       c.Send(http.MethodPost, path, url.Values{"token": {token}}, "Origin", "null"),
			"token in the address": c.Send(http.MethodPost, path+"?token="+token, url.Values{}, "Sec-Fetch-Site", "same-origin"),
		} {
			askedAgain := path == "/oauth/authorize" && strings.HasPrefix(attempt.Header.Get("Location"), "/oauth/authorize?") // by a form of a session that ended
			if attempt.Status != http.StatusForbidden && !askedAgain {
				t.Errorf("POST %s, %s: %d %s", path, name, attempt.Status, attempt.Header.Get("Location"))
			}
		}
	}
	testkit.Want(t, c.Get("/account").Status, http.StatusOK, "one of the forgeries signed the victim out")
}

// programRoutes are called by programs from anywhere. They read no cookie: a request that a browser is made
// to send there does not act for its user.
var programRoutes = []string{"/oauth/register", "/oauth/token", "/oauth/revoke", "/.well-known/", "/mcp"}

// Following links, as mail scanners, crawlers and prefetching browsers do, changes nothing.
func TestNoGETChangesAnything(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	c := s.SignUp("jeanne@exemple.fr")
	c.Submit(c.Get("/account/keys/new"), "/account/keys/new", "name", "ingest")
	visit := map[string]bool{"/": false, "/account": false, s.ResetLink("jeanne@exemple.fr"): false}
	const query = "?email=jeanne@exemple.fr&password=six+vaches+regardent&name=x&overlap=0&percent=7&expires=30&per_day=5"
	for _, route := range portalRoutes(s, fiber.MethodGet) {
		if !strings.Contains(route, ":") || strings.HasPrefix(route, "/account/") {
			visit[filled(route, "1")], visit[filled(route, "1")+query] = false, false
		}
	}
	quiet(s)
	before := accountRows(s)
	for n := 0; n < 400; n++ {
		next := ""
		for path, done := range visit {
			if !done {
				next = path
				break
			}
		}
		if next == "" {
			break
		}
		visit[next] = true
		p := c.Get(next)
		if p.Status >= 500 {
			t.Errorf("GET %s: %d", next, p.Status)
		}
		p.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
			href, _ := a.Attr("href")
			if strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "//") {
				href, _, _ = strings.Cut(href, "#")
				if _, known := visit[href]; !known {
					visit[href] = false
				}
			}
		})
	}
	if len(visit) < 25 {
		t.Errorf("only %d pages were visited", len(visit))
	}
	if after := accountRows(s); after != before {
		t.Errorf("a GET changed something: %s", difference(before, after))
	}
}

// quiet waits until what was set in motion has been written: counts
// of requests, and what background jobs write.
func quiet(s *fixture.Site) {
	s.T.Helper()
	const pending = `SELECT count(*) FROM job.river_job WHERE finalized_at IS NULL`
	s.Until(func() bool {
		return s.Metric("arpent_meter_unwritten") == 0 && testkit.Count(s.T, s.Pool, pending) == 0
	})
}

// accountRows is everything that is kept of accounts, but for when sessions were last used.
func accountRows(s *fixture.Site) string {
	s.T.Helper()
	var b strings.Builder
	rows, err := s.Pool.Query(s.T.Context(), `SELECT table_name::text FROM information_schema.tables
		WHERE table_schema = 'account' AND table_name NOT IN ('meter_flush', 'announced_load') ORDER BY 1`)
	testkit.NoError(s.T, err)
	tables := testkit.Must(pgx.CollectRows(rows, pgx.RowTo[string]))(s.T)
	for _, table := range tables {
		var content string
		err := s.Pool.QueryRow(s.T.Context(), `SELECT coalesce(string_agg(line, E'\n' ORDER BY line), '') FROM (
			SELECT ((to_jsonb(t) - 'last_used_at') - CASE WHEN $1 = 'session' THEN 'expires_at' ELSE '' END)::text FROM account.`+
			pgx.Identifier{table}.Sanitize()+` t) s (line)`, table).Scan(&content)
		testkit.NoError(s.T, err)
		fmt.Fprintf(&b, "%s\n%s\n", table, content)
	}
	return b.String()
}
