//go:build soak

// Package fault_test takes from the service, under load, what it relies on.
//
//	go test -tags soak -run TestSoakFault -count 1 -timeout 60m -v ./app/tests/fault
package fault_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/internal/clock"
	"arpent/internal/pgdb"
)

const (
	rate   = 300 // requests a second
	member = "member@example.org"
)

// unlimited is more than any test asks for.
var unlimited = harness.Limits{PerMinute: 10_000_000, EnrichmentsPerMinute: 10_000_000, PerDay: 10_000_000}

// world is a PostgreSQL of its own, a mail server, one account with a key for
// each of callers, and one that is signed in.
type world struct {
	*fixture.Site
	database *testkit.Postgres
	program  harness.Program
	log      *os.File // of all processes
	keys     map[string]string
	browser  *testkit.Browser
	expected map[*harness.Request]string // the body of an answer, or what it holds
	requests []harness.Request
	places   *strings.Replacer // from the places of fixture.Territory to those that are served
}

var callers = []string{"one@example.org", "two@example.org", "three@example.org"}

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "arpent-fault")
	if err != nil {
		return "", err
	}
	return harness.Build(context.Background(), dir)
})

func TestMain(m *testing.M) {
	status := m.Run()
	if path, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(status)
}

// newWorld makes all of it but the server, on fixture.Territory.
func newWorld(t *testing.T, env ...string) *world {
	t.Helper()
	w := &world{database: testkit.NewPostgres(t, ""), places: strings.NewReplacer()}
	w.set(t, func() { w.Exec(fixture.Territory) }, env...)
	return w
}

// set prepares the database, which fill fills, and the files that are served.
func (w *world) set(t *testing.T, fill func(), env ...string) {
	t.Helper()
	binary, err := build()
	testkit.NoError(t, err)
	w.Site = &fixture.Site{Service: &fixture.Service{T: t, URL: w.database.URL}, Mails: testkit.NewSMTP(t)}
	if w.log, err = os.Create(filepath.Join(t.TempDir(), "log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.log.Close(); w.showLog() })
	w.program = harness.Program{Path: binary, Log: w.log, Env: append([]string{"ARPENT_DATABASE_URL=" + w.URL, "ARPENT_STATE_DIR=" + t.TempDir(),
		"ARPENT_SECRET=a secret of thirty-two letters or more", "ARPENT_LOG_LEVEL=warn", "ARPENT_SMTP_URL=" + w.Mails.URL()}, env...)}
	w.run("migrate")
	if w.Pool, err = pgdb.Open(t.Context(), w.URL, pgdb.Options{MaxConns: 4, AppName: "test"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Pool.Close)
	fill()
	w.run("index")
	w.keys = map[string]string{}
	for _, email := range callers {
		if w.keys[email], err = w.program.Account(t.Context(), email, unlimited); err != nil {
			t.Fatal(err)
		}
	}
	_, err = auth.NewAccounts(w.Pool, clock.Real{}).Create(t.Context(), auth.NewAccount{Email: member, Password: fixture.Password, Plan: "free", Confirmed: true})
	testkit.NoError(t, err)
}

// run runs a command of the program.
func (w *world) run(args ...string) string {
	w.T.Helper()
	out, err := w.program.Run(w.T.Context(), args...)
	testkit.NoError(w.T, err)
	return out
}

// start starts one more server, which the test ends with.
func (w *world) start(more ...string) *harness.Server {
	w.T.Helper()
	s, err := w.program.Serve(w.T.Context(), more...)
	testkit.NoError(w.T, err)
	w.T.Cleanup(s.Kill)
	w.Base = s.Base
	return s
}

// showLog shows what processes wrote, each kind of line once, when the test has failed.
func (w *world) showLog() {
	if !w.T.Failed() {
		return
	}
	text, _ := os.ReadFile(w.log.Name()) // none: it is gone
	seen := map[string]int{}
	for line := range strings.Lines(string(text)) {
		_, message, _ := strings.Cut(line, `"msg":"`)
		message, _, _ = strings.Cut(message, `"`)
		if seen[message]++; seen[message] <= 2 {
			w.T.Logf("%.600s", line)
		}
	}
}

const toolHeader = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"

func tool(name, arguments string) harness.Request {
	return harness.Request{Method: http.MethodPost, Path: "/mcp", Header: toolHeader,
		Body: fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)}
}

// mix signs the member in and gives traffic of every kind: what is served from memory, from files and
// from the database, tools, and pages of people who are signed in and who are not. What each is
// answered now is what it has to be answered always.
func (w *world) mix() traffic {
	w.T.Helper()
	browser, page := w.SignIn(member, fixture.Password)
	if page.Status != http.StatusSeeOther {
		w.T.Fatalf("sign-in: %d", page.Status)
	}
	w.browser = browser
	base, err := url.Parse(w.Base)
	testkit.NoError(w.T, err)
	var cookies []string
	for _, c := range browser.Jar.Cookies(base) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	session := "Cookie: " + strings.Join(cookies, "; ") + "\r\n"
	w.requests = nil
	for _, r := range []harness.Request{
		{Path: "/api/v1/communes/93010"}, {Path: "/api/v1/parcelles/930100000A0001"}, {Path: "/api/v1/parcelles/930100000A9999"},
		{Path: "/account/keys", Header: session}, {Path: "/api/v1/regions"}, tool("get_commune", `{"code":"93010"}`),
		{Path: "/api/v1/adresses?q=bondy"}, {Path: "/docs"}, {Path: "/api/v1/parcelles/930100000A0001/enrichments"},
		tool("get_parcel", `{"idu":"930100000A9999"}`), {Path: "/api/v1/communes?lat=48.95&lon=2.5"}, {Path: "/account", Header: session},
		{Path: "/api/v1/departements/93?include=communes"}, tool("get_parcel", `{"idu":"930100000A0001"}`), {Path: "/api/v1/parcelles?lat=48.9105&lon=2.511"},
	} {
		for _, email := range callers {
			one := r
			one.Path, one.Body = w.places.Replace(r.Path), w.places.Replace(r.Body)
			if one.Header != session && one.Path != "/docs" {
				one.Key = w.keys[email]
			}
			w.requests = append(w.requests, one)
		}
	}
	w.record()
	return traffic{Base: w.Base, Rate: rate, Requests: w.requests, Timeout: 30 * time.Second, Judge: w.judge}
}

// record asks for everything once.
func (w *world) record() {
	w.T.Helper()
	w.expected = map[*harness.Request]string{}
	for i := range w.requests {
		r := &w.requests[i]
		c := harness.NewClient(w.Base, "")
		a, err := c.Send(r)
		c.Close()
		missing := strings.Contains(r.Path+r.Body, "A9999") && strings.HasPrefix(r.Path, "/api")
		if err != nil || a.Status != http.StatusOK && !(missing && a.Status == http.StatusNotFound) {
			w.T.Fatalf("%s %s: %d %v\n%.500s", r.Path, r.Body, a.Status, err, a.Body)
		}
		w.expected[r] = content(&a)
		if page(r) {
			w.expected[r] = title(a.Body)
		}
	}
}

func page(r *harness.Request) bool { return r.Key == "" }

// title distinguishes a page from others, and from one that asks to sign in: other
// parts of a page change with what was used.
func title(body []byte) string {
	_, after, _ := bytes.Cut(body, []byte("<title>"))
	text, _, _ := bytes.Cut(after, []byte("</title>"))
	return string(text)
}

// digest begins the grade of an answer that is wrong, and identifies its content.
func digest(content string) string { return fmt.Sprintf("#%.8x: ", sha256.Sum256([]byte(content))) }

var ourAddress = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// content is an answer without the address of the instance that gave it.
func content(a *harness.Answer) string {
	return fmt.Sprintf("%d %s", a.Status, ourAddress.ReplaceAll(a.Body, nil))
}

// The answers that are not wrong.
const (
	fine        = "fine"
	unavailable = "unavailable"
)

// judge says whether an answer is what it always is, says that it cannot be
// given now and when to ask again, or is wrong.
func (w *world) judge(r *harness.Request, a *harness.Answer) string {
	want := w.expected[r]
	switch {
	case page(r) && a.Status == http.StatusOK && title(a.Body) == want, !page(r) && content(a) == want:
		return fine
	case a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "":
		return unavailable
	case r.Path == "/mcp" && a.Status == http.StatusOK && bytes.Contains(a.Body, []byte(`"unavailable: `)) && bytes.Contains(a.Body, []byte("Call again in")):
		return unavailable
	}
	return digest(content(a)) + fmt.Sprintf("%d, Retry-After %q, Location %q: %.300s", a.Status, a.Header.Get("Retry-After"), a.Header.Get("Location"), a.Body)
}

// counted is how many requests of a day an account used, as its answers
// said: what was unavailable counts for nothing.
func counted(w *world, outcomes []outcome, email string) (n int) {
	for _, o := range outcomes {
		if o.Key == w.keys[email] && o.Grade == fine {
			n++
		}
	}
	return n
}

// used is what is stored of today, by account.
func (w *world) used(email string) int {
	w.T.Helper()
	return testkit.Count(w.T, w.Pool, `SELECT coalesce(sum(q.used), 0) FROM account.quota_day q JOIN account.account a ON a.id = q.account_id WHERE a.email = $1`, email)
}

// exact compares what is stored with what was answered since before, once it is written.
func (w *world) exact(before map[string]int, outcomes []outcome) {
	w.T.Helper()
	for _, email := range callers {
		want := before[email] + counted(w, outcomes, email)
		testkit.Eventually(w.T, 10*time.Second, email+" is counted", func() bool { return w.used(email) >= want })
		time.Sleep(time.Second) // what is counted twice comes a moment later
		if got := w.used(email); got != want {
			w.T.Errorf("%s: %d are stored, %d were answered", email, got, want)
		}
	}
}

// usedNow is what is stored once nothing is under way.
func (w *world) usedNow() map[string]int {
	time.Sleep(2 * time.Second)
	now := map[string]int{}
	for _, email := range callers {
		now[email] = w.used(email)
	}
	return now
}

// wrong reports outcomes that are neither fine nor, where that is allowed, unavailable: each kind once.
func wrong(t *testing.T, outcomes []outcome, allowed func(*outcome) bool) {
	t.Helper()
	kinds := map[string]int{}
	for i := range outcomes {
		o := &outcomes[i]
		if o.Grade == fine || o.Grade == unavailable && allowed(o) {
			continue
		}
		kind := fmt.Sprintf("%s: %.400s %v", o.Path, o.Grade, o.Err)
		if kinds[kind]++; kinds[kind] == 1 && len(kinds) <= 12 {
			t.Errorf("sent %s: %s %s\n%s", o.Sent.Format("15:04:05.000"), o.Path, o.Body, kind)
		}
	}
	for kind, n := range kinds {
		if n > 1 {
			t.Logf("%d times: %.120s", n, kind)
		}
	}
}

// share is which part of the requests that were due within a time are fine.
func share(outcomes []outcome, from, to time.Time) (part float64, of int) {
	good := 0
	for _, o := range outcomes {
		if o.Due.Before(from) || !o.Due.Before(to) {
			continue
		}
		if of++; o.Grade == fine {
			good++
		}
	}
	return float64(good) / float64(max(1, of)), of
}

// lastUnavailable is when the last request was due that was not served.
func lastUnavailable(outcomes []outcome) (last time.Time) {
	for _, o := range outcomes {
		if o.Grade != fine && o.Due.After(last) {
			last = o.Due
		}
	}
	return last
}

// times are how long outcomes took, the shortest first.
func times(outcomes []outcome, within func(*outcome) bool) (took []time.Duration) {
	for i := range outcomes {
		if o := &outcomes[i]; within(o) {
			took = append(took, o.Took())
		}
	}
	slices.Sort(took)
	return took
}

func anywhere(*outcome) bool { return true }

func never(*outcome) bool { return false }

// describe prints how many, how fast and what came of them.
func describe(t *testing.T, what string, outcomes []outcome) {
	t.Helper()
	n := map[string]int{}
	for _, o := range outcomes {
		switch o.Grade {
		case fine, unavailable:
			n[o.Grade]++
		case "":
			n["unanswered"]++
		default:
			n["wrong"]++
		}
	}
	lasted := outcomes[len(outcomes)-1].Due.Sub(outcomes[0].Due)
	took := times(outcomes, anywhere)
	t.Logf("%s: %d requests in %s, %.0f a second; %v; p50 %s, p99 %s, longest %s", what, len(outcomes), lasted.Round(time.Second),
		float64(len(outcomes))/lasted.Seconds(), n, harness.Quantile(took, 0.5).Round(time.Microsecond), harness.Quantile(took, 0.99).Round(time.Microsecond), took[len(took)-1].Round(time.Millisecond))
}
