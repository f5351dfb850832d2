package operation_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"arpent/api/tile"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/billing/meter"
	"arpent/web"
)

// The log says who called what and how it went, and never holds a key, whatever way it was sent. It names the
// limit that a refused call met and the network that it came from, and no network of any other call.
func TestLogHasNoKey(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	s := fixture.New(t, fixture.Territory)
	written := &fixture.Lines{}
	s.Log = written
	s.Run(nil)
	key, limited := s.Account("log@example.org", "pro"), s.Account("limits@example.org", "free")
	s.Get("/api/v1/communes/93010", "X-API-Key", key)
	s.Get("/api/v1/communes/93010", "Authorization", "Bearer "+key)
	s.Get("/api/v1/communes/93010?api_key=" + key)
	s.Get("/api/v1/communes/93010?api_key=" + key + "x")
	s.Limit(limited, 1)
	for range 2 {
		s.Get("/api/v1/regions", "X-API-Key", limited)
	}
	for range meter.AnonymousPerMinute + 1 {
		s.Get("/api/v1/regions")
	}
	s.Stop()
	log := written.String()
	if strings.Contains(log, key[4:]) || strings.Contains(log, "api_key=") {
		t.Errorf("the log holds a key:\n%s", log)
	}
	seen, refused := map[int]int{}, map[string]int{}
	for text := range strings.Lines(log) {
		var l struct {
			Time                      time.Time
			RequestID                 string `json:"request_id"`
			AccountID                 *int64 `json:"account_id"`
			Operation, Limit, Network string
			Status                    int
			DurationUS                *int64 `json:"duration_us"`
		}
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if l.RequestID == "" || l.Operation == "" || l.DurationUS == nil || l.Time.Before(begun.Add(-time.Minute)) {
			t.Errorf("incomplete line: %s", text)
		}
		if (l.AccountID != nil) != (l.Status == 200 || l.Limit != "" && l.Limit != "anonymous") {
			t.Errorf("status %d with account %v: %s", l.Status, l.AccountID, text)
		}
		if (l.Status == http.StatusTooManyRequests) != (l.Network == "127.0.0.0/24") || (l.Network == "") != (l.Limit == "") {
			t.Errorf("limit %q and network %q: %s", l.Limit, l.Network, text)
		}
		refused[l.Limit]++
		if l.Operation == "get_commune" {
			seen[l.Status]++
		}
	}
	if seen[200] != 3 || seen[401] != 1 {
		t.Errorf("lines by status: %v, want 3 of 200 and 1 of 401", seen)
	}
	if refused["day"] == 0 || refused["anonymous"] == 0 {
		t.Errorf("refused calls by limit: %v", refused)
	}
}

// When PostgreSQL is away, what is in memory or in files goes on being served, what only the database knows
// says 503 and does not count, and all is well again when it is back.
func TestDatabaseOutage(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("outage@example.org", "pro")
	s.UntilReady()
	restore := s.CutDatabase()
	at := tile.Around(tile.MaxZoom, 2.5105, 48.9105)
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/api/v1/communes/93010?include=geometry":                    {200, "Bondy"},
		"/api/v1/parcelles/930100000A0001?include=geometry":          {200, `"geometry":{`},
		"/api/v1/parcelles?lat=48.9105&lon=2.5105":                   {200, "930100000A0001"},
		"/api/v1/parcelles?lat=48.9111&lon=2.5105":                   {404, "The nearest parcel is 930100000A0001, 11 m away."},
		"/api/v1/parcelles?lat=48.85&lon=2.35":                       {404, "It lies in Paris (75056)"},
		"/api/v1/parcelles/930100000A9999":                           {404, "the parcels of Bondy (93010) are loaded, and this is none of them."},
		"/api/v1/parcelles/930100000A0009":                           {404, "in its place are now: 930100000A0001, 930100000A0002."},
		"/explore?commune=93010&section=930100000A":                  {200, "parcelle=930100000A0002"},
		fmt.Sprintf("/explore/tiles/%d/%d/%d.mvt", at.Z, at.X, at.Y): {200, "930100000A0001"},
	} {
		if r := s.Get(path, "X-API-Key", key); r.Status != want.status || !strings.Contains(string(r.Body), want.text) {
			t.Errorf("%s: status %d: %s", path, r.Status, r.Body)
		}
	}
	before := s.Get("/api/v1/regions", "X-API-Key", key).Used(t)
	r := s.Get(aReport, "X-API-Key", key)
	if r.Status != 503 || r.Code(t) != "unavailable" || r.Header.Get("Retry-After") == "" {
		t.Errorf("report: status %d: %s", r.Status, r.Body)
	}
	if r.Used(t) != before {
		t.Errorf("a 503 counted: %d after %d", r.Used(t), before)
	}
	// As long as the cookie of a session is: it is looked for in the database.
	if r := s.Get("/account", "Cookie", web.SessionCookie+"="+strings.Repeat("x", 43)); r.Status != 503 || r.Header.Get("Retry-After") == "" {
		t.Errorf("a page whose visitor cannot be looked up: status %d, Retry-After %q", r.Status, r.Header.Get("Retry-After"))
	}
	s.Slowly(func() bool { // an instance asks its database once a second
		r := s.Get("/readyz")
		return r.Status == 200 && strings.Contains(string(r.Body), "degraded")
	})
	restore()
	s.Until(func() bool { return s.Get(aReport, "X-API-Key", key).Status == 200 })
}

// What one second admitted is the most that is forgotten; a stop in good order forgets nothing.
func TestStopKeepsCounts(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("stop@example.org", "pro")
	var last fixture.Response
	for range 50 {
		last = s.Get("/api/v1/regions", "X-API-Key", key)
	}
	s.Stop()
	stored := testkit.Count(t, s.Pool, `SELECT used FROM account.quota_day`)
	if stored != last.Used(t) {
		t.Errorf("%d are stored, %d were counted", stored, last.Used(t))
	}
	s.Run(nil)
	if again := s.Get("/api/v1/regions", "X-API-Key", key).Used(t); again != stored+1 {
		t.Errorf("%d after a restart, want %d", again, stored+1)
	}
}

// A stop finishes the requests that are under way, however slow they are within the time there is.
func TestStopFinishesConcurrentRequests(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("patient@example.org", "pro")
	release := stuckReports(s, key)
	answered := make(chan fixture.Response, 1)
	go func() {
		defer close(answered) // also when there is no answer
		answered <- s.Get(aReport, "X-API-Key", key)
	}()
	waitingReports(s, true)
	stopped := make(chan struct{})
	go func() { s.Stop(); close(stopped) }()
	s.Until(func() bool { return closed(s) })
	release()
	if r := <-answered; r.Status != 200 {
		t.Errorf("status %d: %s", r.Status, r.Body)
	}
	<-stopped
}

// closed reports whether the service takes no more connections.
func closed(s *fixture.Service) bool {
	c, err := net.Dial("tcp", strings.TrimPrefix(s.Base, "http://"))
	if err == nil {
		c.Close()
	}
	return err != nil
}

// A client whose credentials cannot be read is an anonymous client, and is held to their limit of 30 calls a
// minute an address; those with a key are not touched by it.
func TestUnreadableRequestsAreAnonymous(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	counts := map[int]int{}
	for range 40 {
		r := tooLong(s)
		if counts[r.StatusCode]++; r.Header.Get("X-RateLimit-Limit") != "30" || r.Header.Get("X-Plan") != "none" {
			t.Fatalf("limit %q, plan %q", r.Header.Get("X-RateLimit-Limit"), r.Header.Get("X-Plan"))
		}
	}
	if counts[431] != 30 || counts[429] != 10 {
		t.Errorf("answers by status: %v, want 30 of 431 and 10 of 429", counts)
	}
	testkit.Want(t, s.Get("/api/v1/regions").Status, http.StatusTooManyRequests, "a call without a key")
	if r := s.Get("/api/v1/regions", "X-API-Key", s.Account("friend@example.org", "pro")); r.Status != 200 {
		t.Errorf("a good key from the same address: status %d", r.Status)
	}
}

// tooLong sends headers of 20 kB. The server answers and hangs up before it has read them all: a client that
// writes on meets a reset, and the answer is there all the same.
func tooLong(s *fixture.Service) *http.Response {
	s.T.Helper()
	conn := testkit.Must(net.Dial("tcp", strings.TrimPrefix(s.Base, "http://")))(s.T)
	defer conn.Close()
	_, _ = fmt.Fprintf(conn, "GET /api/v1/communes HTTP/1.1\r\nHost: test\r\nX-Filler: %s\r\n\r\n", strings.Repeat("a", 20_000))
	return testkit.Must(http.ReadResponse(bufio.NewReader(conn), nil))(s.T)
}
