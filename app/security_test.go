package app_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"

	"arpent/app/base/config"
)

// behindProxy lets a test speak as many clients: their addresses come in X-Forwarded-For.
func behindProxy(c *config.Config) { c.TrustedProxies = []string{"127.0.0.1"} }

// varying is what differs between any two answers: forgery tokens, cookies, request ids.
var varying = regexp.MustCompile(`name="token" value="[^"]*"|[0-9a-f]{16,32}`)

// told is everything that an answer tells, but for what was typed and what always varies.
func told(p page, email string) string {
	var b strings.Builder
	fmt.Fprintln(&b, p.status)
	for _, name := range slices.Sorted(maps.Keys(p.header)) {
		if name == "Date" || name == "X-Request-Id" || name == "Content-Length" { // the length is that of what was typed
			continue
		}
		for _, value := range p.header[name] {
			if name == "Set-Cookie" {
				value = regexp.MustCompile(`=[^;]*`).ReplaceAllString(value, "=…")
			}
			fmt.Fprintln(&b, name, value)
		}
	}
	body := strings.ReplaceAll(string(p.body), email, "…")
	return strings.ReplaceAll(b.String(), url.QueryEscape(email), "…") + varying.ReplaceAllString(body, "…")
}

// doors are the forms that take an address from somebody who is not signed in.
var doors = []struct {
	path, action string
	values       []string
}{
	{"/signup", "/signup", []string{"password", goodPassword}},
	{"/signin", "/signin", []string{"password", "not the password of it"}},
	{"/forgot", "/forgot", nil},
	{"/signup/sent", "/resend", nil},
}

// Nobody learns from what we answer whether an address has an account.
func TestEnumerationByText(t *testing.T) {
	t.Parallel()
	s := portal(t, behindProxy)
	s.signUp("known@exemple.fr")
	s.account("other@exemple.fr", "free")
	for _, door := range doors {
		var answers []string
		for _, email := range []string{"known@exemple.fr", "nobody@exemple.fr", "other@exemple.fr", "somebody@exemple.fr"} {
			c := s.client()
			p := c.submit(door.path, door.action, append([]string{"email", email}, door.values...)...)
			answers = append(answers, told(p, email))
			if p.status == http.StatusSeeOther {
				answers[len(answers)-1] += told(c.get(p.location()), email)
			}
		}
		for _, answer := range answers[1:] {
			if answer != answers[0] {
				t.Errorf("%s tells who has an account:\n%s", door.action, difference(answers[0], answer))
			}
		}
	}
}

func difference(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			return la[i] + "\n" + lb[i]
		}
	}
	return fmt.Sprint(len(la), " and ", len(lb), " lines")
}

// Nobody learns it from how long the answer takes: each of these answers waits for a step of the clock, which is longer
// than what an address can cause. What it causes is counted in TestSameWorkForEveryAddress of package auth.
func TestEnumerationByTime(t *testing.T) {
	t.Parallel()
	s := portal(t, behindProxy)
	s.account("known@exemple.fr", "free")
	for _, door := range doors {
		for _, email := range []string{"known@exemple.fr", "nobody@exemple.fr"} {
			c := s.client()
			form := c.form(c.get(door.path), door.action)
			form.Set("email", email)
			for j := 0; j < len(door.values); j += 2 {
				form.Set(door.values[j], door.values[j+1])
			}
			start := time.Now()
			c.send(http.MethodPost, door.action, form, "Sec-Fetch-Site", "same-origin", "X-Forwarded-For", "198.51.100.7")
			if spent := time.Since(start); spent < 250*time.Millisecond {
				t.Errorf("%s answers about %s after %v, before the first step", door.action, email, spent)
			}
		}
	}
}

// Guessing passwords is slowed down for the guesser, and the owner's own browser still gets in.
func TestBruteForce(t *testing.T) {
	t.Parallel()
	s := portal(t, behindProxy)
	owner := s.signUp("jeanne@exemple.fr")
	owner.submit("/account", "/signout")
	guesser, refused := s.client(), false
	for i := range 12 {
		form := guesser.form(guesser.get("/signin"), "/signin")
		form.Set("email", "jeanne@exemple.fr")
		form.Set("password", fmt.Sprintf("guess number %d of many", i))
		p := guesser.send(http.MethodPost, "/signin", form, "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i), "Sec-Fetch-Site", "same-origin")
		if p.status == http.StatusSeeOther {
			t.Fatal("a guess was accepted")
		}
		refused = refused || strings.Contains(string(p.body), "Trop d’essais")
		s.prolongPauses()
	}
	if !refused {
		t.Error("twelve guesses from as many addresses were all looked at")
	}
	// However slow this machine is, the pause is still in force for what follows.
	execute(t, s.pool, `UPDATE account.throttle SET blocked_until = now() + interval '10 minutes' WHERE blocked_until IS NOT NULL`)
	form := guesser.form(guesser.get("/signin"), "/signin")
	form.Set("email", "jeanne@exemple.fr")
	form.Set("password", goodPassword)
	if p := guesser.send(http.MethodPost, "/signin", form, "X-Forwarded-For", "203.0.113.200", "Sec-Fetch-Site", "same-origin"); p.status == http.StatusSeeOther {
		t.Error("the right password was accepted from a stranger's browser while guesses are held back")
	}
	if p := owner.submit("/signin", "/signin", "email", "jeanne@exemple.fr", "password", goodPassword); p.status != http.StatusSeeOther || p.location() != "/account" {
		t.Errorf("the owner's browser is locked out: %d\n%s", p.status, p.doc.Find("main").Text())
	}
}

// prolongPauses has the pauses after wrong passwords last longer than the test, however slow the machine is; how long they
// are is judged in package auth, by a clock that stands still.
func (s *site) prolongPauses() {
	s.t.Helper()
	const pauses = `UPDATE account.throttle SET blocked_until = now() + interval '1 hour' WHERE blocked_until IS NOT NULL`
	if _, err := s.pool.Exec(s.t.Context(), pauses); err != nil {
		s.t.Fatal(err)
	}
}

// A session that somebody else knows does not become the one of whoever signs in.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	s := portal(t, nil)
	s.signUp("jeanne@exemple.fr")
	attacker, _ := s.signIn("jeanne@exemple.fr", goodPassword)
	known := attacker.cookie("arpent-session")
	for _, planted := range []string{"planted-by-somebody", known} {
		c := s.client()
		c.plant("arpent-session", planted)
		page := c.get("/signin")
		if page.status == http.StatusSeeOther { // the planted session is a real one: sign out of it first
			c.submit("/account", "/signout")
		}
		c.submit("/signin", "/signin", "email", "jeanne@exemple.fr", "password", goodPassword)
		if now := c.cookie("arpent-session"); now == planted || now == "" {
			t.Errorf("after signing in the session is %q", now)
		}
	}
	c := s.client()
	c.plant("arpent-session", "planted-by-somebody")
	if p := c.get("/account"); p.status != http.StatusSeeOther {
		t.Errorf("a made-up session opens the account: %d", p.status)
	}
}

func (c *client) plant(name, value string) {
	u, _ := url.Parse(c.s.base)
	c.http.Jar.SetCookies(u, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

func (c *client) cookie(name string) string {
	u, _ := url.Parse(c.s.base)
	for _, k := range c.http.Jar.Cookies(u) {
		if k.Name == name {
			return k.Value
		}
	}
	return ""
}

// portalRoutes are the routes of pages with that method.
func (s *site) portalRoutes(method string) []string {
	var out []string
	for _, r := range s.app.Routes() {
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
func TestForgeryIsRefusedEverywhere(t *testing.T) {
	t.Parallel()
	s := portal(t, nil)
	c := s.signUp("jeanne@exemple.fr")
	routes := s.portalRoutes(fiber.MethodPost)
	if len(routes) < 25 {
		t.Fatalf("only %d routes: %v", len(routes), routes)
	}
	token := c.form(c.get("/account/settings"), "/signout").Get("token")
	anonymous := s.client().form(s.client().get("/signin"), "/signin").Get("token")
	other, _ := s.signIn("jeanne@exemple.fr", goodPassword)
	foreign := other.form(other.get("/account/settings"), "/signout").Get("token")
	for _, route := range routes {
		if slices.ContainsFunc(programRoutes, func(of string) bool { return strings.HasPrefix(route, of) }) {
			continue
		}
		path := filled(route, "1")
		for name, attempt := range map[string]page{
			"no token":             c.send(http.MethodPost, path, url.Values{}, "Sec-Fetch-Site", "same-origin"),
			"empty token":          c.send(http.MethodPost, path, url.Values{"token": {""}}, "Sec-Fetch-Site", "same-origin"),
			"a token of nobody":    c.send(http.MethodPost, path, url.Values{"token": {anonymous}}, "Sec-Fetch-Site", "same-origin"),
			"a token of another":   c.send(http.MethodPost, path, url.Values{"token": {foreign}}, "Sec-Fetch-Site", "same-origin"),
			"from another site":    c.send(http.MethodPost, path, url.Values{"token": {token}}, "Sec-Fetch-Site", "cross-site"),
			"from a sister site":   c.send(http.MethodPost, path, url.Values{"token": {token}}, "Sec-Fetch-Site", "same-site"),
			"from another origin":  c.send(http.MethodPost, path, url.Values{"token": {token}}, "Origin", "https://evil.example"),
			"from a sandbox":       c.send(http.MethodPost, path, url.Values{"token": {token}}, "Origin", "null"),
			"token in the address": c.send(http.MethodPost, path+"?token="+token, url.Values{}, "Sec-Fetch-Site", "same-origin"),
		} {
			askedAgain := path == "/oauth/authorize" && strings.HasPrefix(attempt.header.Get("Location"), "/oauth/authorize?") // by a form of a session that ended
			if attempt.status != http.StatusForbidden && !askedAgain {
				t.Errorf("POST %s, %s: %d %s", path, name, attempt.status, attempt.header.Get("Location"))
			}
		}
	}
	if p := c.get("/account"); p.status != http.StatusOK {
		t.Errorf("one of the forgeries signed the victim out: %d", p.status)
	}
}

// programRoutes are called by programs from anywhere. They know nobody by a cookie: what a browser is led to send there
// does not act for whoever uses it.
var programRoutes = []string{"/oauth/register", "/oauth/token", "/oauth/revoke", "/.well-known/", "/mcp"}

// Following links, as mail scanners, crawlers and prefetching browsers do, changes nothing.
func TestNoGETChangesAnything(t *testing.T) {
	t.Parallel()
	s := portal(t, nil)
	c := s.signUp("jeanne@exemple.fr")
	c.submit("/account/keys/new", "/account/keys/new", "name", "ingest")
	c.submit("/forgot", "/forgot", "email", "jeanne@exemple.fr")
	visit := map[string]bool{"/": false, "/account": false,
		strings.TrimPrefix(s.link("jeanne@exemple.fr", "reset"), s.base): false}
	for _, route := range s.portalRoutes(fiber.MethodGet) {
		if !strings.Contains(route, ":") {
			visit[route] = false
		}
	}
	visit["/account/keys/1"], visit["/account/keys/1/revoke"], visit["/account/keys/1/rotate"] = false, false, false
	s.quiet()
	before := s.accountRows()
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
		p := c.get(next)
		if p.status >= 500 {
			t.Errorf("GET %s: %d", next, p.status)
		}
		p.doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
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
	if after := s.accountRows(); after != before {
		t.Errorf("a GET changed something: %s", difference(before, after))
	}
}

// quiet waits until what was set in motion has been written.
func (s *site) quiet() {
	s.t.Helper()
	last := ""
	s.within(15*time.Second, func() bool {
		now := s.accountRows()
		same := now == last
		last = now
		time.Sleep(300 * time.Millisecond)
		return same
	})
}

// accountRows is everything that is kept of accounts, but for when sessions were last used.
func (s *site) accountRows() string {
	s.t.Helper()
	var b strings.Builder
	rows, err := s.pool.Query(s.t.Context(), `SELECT table_name::text FROM information_schema.tables
		WHERE table_schema = 'account' AND table_name <> 'meter_flush' ORDER BY 1`)
	if err != nil {
		s.t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		s.t.Fatal(err)
	}
	for _, table := range tables {
		var content string
		err := s.pool.QueryRow(s.t.Context(), `SELECT coalesce(string_agg(line, E'\n' ORDER BY line), '') FROM (
			SELECT ((to_jsonb(t) - 'last_used_at') - CASE WHEN $1 = 'session' THEN 'expires_at' ELSE '' END)::text FROM account.`+
			pgx.Identifier{table}.Sanitize()+` t) s (line)`, table).Scan(&content)
		if err != nil {
			s.t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n%s\n", table, content)
	}
	return b.String()
}

// nextCorpus are addresses that would take somebody who just signed in to another place.
var nextCorpus = []string{
	"https://evil.example", "http://evil.example/account", "//evil.example", "///evil.example", "////evil.example", `/\evil.example`,
	`\\evil.example`, `/\/evil.example`, "/\t/evil.example", "/%09/evil.example", "/%5cevil.example", "/%2f%2fevil.example", "%2f%2fevil.example",
	"javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "evil.example", ".evil.example", "@evil.example",
	"/@evil.example", "https:evil.example", "https:/evil.example", "https:///evil.example", "http:\\\\evil.example", "/..//evil.example",
	"/.//evil.example", "/account/..//evil.example", "/account/../../evil.example", "//evil.example/%2f..", "//evil%E3%80%82example", "/\u2028/evil.example",
	"/\r\nLocation: https://evil.example", "/%0d%0aLocation:%20https://evil.example", " //evil.example", "\x00//evil.example", "/ /evil.example",
	"//127.0.0.1:1@evil.example", "http://127.0.0.1@evil.example", "?next=//evil.example", "#//evil.example", "", "/account?next=//evil.example",
}

// A link that somebody sends does not take whoever signs in to the sender's site.
func TestOpenRedirect(t *testing.T) {
	t.Parallel()
	s := portal(t, behindProxy)
	s.signUp("jeanne@exemple.fr")
	home, _ := url.Parse(s.base)
	c, _ := s.signIn("jeanne@exemple.fr", goodPassword)
	for i, next := range nextCorpus {
		check := func(where string, p page) {
			if p.status != http.StatusSeeOther {
				return
			}
			for _, resolved := range browserResolves(home, p.location()) {
				if resolved != home.Host {
					t.Errorf("%s with next=%q goes to %q", where, next, p.location())
				}
			}
		}
		check("GET /signin", c.get("/signin?next="+url.QueryEscape(next)))
		check("POST /language", c.submit("/account", "/language", "language", "fr", "next", next))
		if i%4 == 0 { // each is a password hash
			fresh := s.client()
			check("POST /signin", fresh.submit("/signin", "/signin", "email", "jeanne@exemple.fr", "password", goodPassword, "next", next))
			check("POST /account/verify", c.submit("/account/verify", "/account/verify", "password", goodPassword, "next", next))
		}
	}
}

// browserResolves gives the hosts that a Location may mean: to Go, and to browsers, which drop tabs and line ends and
// take a backslash for a slash.
func browserResolves(home *url.URL, location string) []string {
	lenient := strings.NewReplacer("\t", "", "\r", "", "\n", "", `\`, "/").Replace(strings.TrimSpace(location))
	var hosts []string
	for _, l := range []string{location, lenient} {
		u, err := home.Parse(l)
		if err != nil {
			hosts = append(hosts, "unreadable")
			continue
		}
		if u.Scheme != "http" && u.Scheme != "https" {
			hosts = append(hosts, u.Scheme)
			continue
		}
		hosts = append(hosts, u.Host)
		if strings.HasPrefix(u.Path, "//") {
			hosts = append(hosts, "path "+u.Path)
		}
	}
	return hosts
}
