package app_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/base/clock"
	"arpent/app/base/config"
	"arpent/app/dev/testkit"
	"arpent/auth"
	"arpent/auth/apikey"
)

// The log tells who called what and how it went, and never holds a key, whatever way it was sent.
func TestLogHasNoKey(t *testing.T) {
	t.Parallel()
	s := start(t)
	written := &lines{}
	s.log = written
	s.run(func(*config.Config) {})
	key := s.account("log@example.org", "pro")
	s.get("/api/v1/communes/93010", "X-API-Key", key)
	s.get("/api/v1/communes/93010", "Authorization", "Bearer "+key)
	s.get("/api/v1/communes/93010?api_key=" + key)
	s.get("/api/v1/communes/93010?api_key=" + key + "x")
	s.stop()
	log := written.String()
	if strings.Contains(log, key[4:]) || strings.Contains(log, "api_key") {
		t.Errorf("the log holds a key:\n%s", log)
	}
	seen := map[int]int{}
	for l := range strings.Lines(log) {
		var e struct {
			Time       time.Time `json:"time"`
			RequestID  string    `json:"request_id"`
			AccountID  *int64    `json:"account_id"`
			Operation  string    `json:"operation"`
			Status     int       `json:"status"`
			DurationUS *int64    `json:"duration_us"`
		}
		if err := json.Unmarshal([]byte(l), &e); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		if e.RequestID == "" || e.Operation == "" || e.DurationUS == nil || time.Since(e.Time) > time.Minute {
			t.Errorf("incomplete line: %s", l)
		}
		if (e.AccountID != nil) != (e.Status == 200) {
			t.Errorf("status %d with account %v: %s", e.Status, e.AccountID, l)
		}
		if e.Operation == "get_commune" {
			seen[e.Status]++
		}
	}
	if seen[200] != 3 || seen[401] != 1 {
		t.Errorf("lines by status: %v, want 3 of 200 and 1 of 401", seen)
	}
}

// A revoked key is refused within one second on every instance; a changed plan is in force as fast.
func TestRevocationIsFast(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("revoke@example.org", "free")
	first := s.base
	s.run(func(*config.Config) {})
	bases := []string{first, s.base}
	ctx := t.Context()
	account, err := auth.NewAccounts(s.pool, clock.Real{}).ByEmail(ctx, "revoke@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.pool.Exec(ctx, `UPDATE account.account SET plan = 'pro' WHERE id = $1`, account.ID); err != nil {
		t.Fatal(err)
	}
	for _, s.base = range bases {
		s.within(noticed, func() bool { return s.get("/api/v1", "X-API-Key", key).header.Get("X-Plan") == "pro" })
	}
	keys := apikey.NewStore(s.pool, clock.Real{})
	made, err := keys.List(ctx, account.ID)
	if err != nil || len(made) != 1 {
		t.Fatalf("%d keys, %v", len(made), err)
	}
	if _, err := keys.Revoke(ctx, account.ID, made[0].ID); err != nil {
		t.Fatal(err)
	}
	for _, s.base = range bases {
		s.within(noticed, func() bool { return s.get("/api/v1/regions", "X-API-Key", key).status == 401 })
	}
}

// When PostgreSQL is away, what is in memory goes on being served, parcels say 503 and do not count, and all is well
// again when it is back.
func TestDatabaseOutage(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("outage@example.org", "pro")
	restore := s.cutDatabase()
	if r := s.get("/api/v1/communes/93010?include=geometry", "X-API-Key", key); r.status != 200 {
		t.Errorf("territory: status %d: %s", r.status, r.body)
	}
	before := used(t, s.get("/api/v1/regions", "X-API-Key", key))
	r := s.get("/api/v1/parcelles/930100000A0001", "X-API-Key", key)
	if r.status != 503 || r.code(t) != "unavailable" || r.header.Get("Retry-After") == "" {
		t.Errorf("parcel: status %d: %s", r.status, r.body)
	}
	if used(t, r) != before {
		t.Errorf("a 503 counted: %d after %d", used(t, r), before)
	}
	if r := s.get("/readyz"); r.status != 200 || !strings.Contains(string(r.body), "degraded") {
		t.Errorf("/readyz: %d %s", r.status, r.body)
	}
	restore()
	s.within(patience, func() bool { return s.get("/api/v1/parcelles/930100000A0001", "X-API-Key", key).status == 200 })
}

// cutDatabase makes the service's database refuse and lose all connections until the function it gives is called.
func (s *service) cutDatabase() (restore func()) {
	s.t.Helper()
	cfg, err := pgx.ParseConfig(s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	name := cfg.Database
	cfg.Database = "postgres"
	admin, err := pgx.ConnectConfig(s.t.Context(), cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = admin.Close(s.t.Context()) })
	allow := func(yes string) {
		s.t.Helper()
		if _, err := admin.Exec(s.t.Context(), "ALTER DATABASE "+pgx.Identifier{name}.Sanitize()+" ALLOW_CONNECTIONS "+yes); err != nil {
			s.t.Fatal(err)
		}
	}
	allow("false")
	const kick = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = $1`
	if _, err := admin.Exec(s.t.Context(), kick, name); err != nil {
		s.t.Fatal(err)
	}
	return func() { allow("true") }
}

// A load is seen within a moment, and never half of it.
func TestTerritoryFollowsLoads(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("load@example.org", "pro")
	const rename = `
		WITH renamed AS (UPDATE geo.commune SET name = 'Bondy-la-Neuve' WHERE code = '93010')
		INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
		VALUES ('cog', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true)`
	if _, err := s.pool.Exec(t.Context(), rename); err != nil {
		t.Fatal(err)
	}
	s.within(patience, func() bool {
		return strings.Contains(string(s.get("/api/v1/communes/93010", "X-API-Key", key).body), "Bondy-la-Neuve")
	})
}

// What one second admitted is the most that is forgotten; a stop in good order forgets nothing.
func TestStopKeepsCounts(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("stop@example.org", "pro")
	var last response
	for range 50 {
		last = s.get("/api/v1/regions", "X-API-Key", key)
	}
	s.stop()
	var stored int
	if err := s.pool.QueryRow(t.Context(), `SELECT used FROM account.quota_day`).Scan(&stored); err != nil {
		t.Fatal(err)
	}
	if stored != used(t, last) {
		t.Errorf("%d are stored, %d were counted", stored, used(t, last))
	}
	s.run(func(*config.Config) {})
	if again := used(t, s.get("/api/v1/regions", "X-API-Key", key)); again != stored+1 {
		t.Errorf("%d after a restart, want %d", again, stored+1)
	}
}

// A stop finishes the requests that are under way, however slow they are within the time there is.
func TestStopFinishesRequests(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("patient@example.org", "pro")
	tx, err := s.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `LOCK TABLE geo.parcelle IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	answered := make(chan response, 1)
	go func() { answered <- s.get("/api/v1/parcelles/930100000A0001", "X-API-Key", key) }()
	s.until(func() bool {
		var waiting int
		const count = `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
		if err := tx.QueryRow(t.Context(), count).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		return waiting > 0
	})
	stopped := make(chan struct{})
	go func() { s.stop(); close(stopped) }()
	s.until(func() bool { return s.closed() })
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := <-answered; r.status != 200 {
		t.Errorf("status %d: %s", r.status, r.body)
	}
	<-stopped
}

// closed tells whether the service takes no more connections.
func (s *service) closed() bool {
	c, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err == nil {
		c.Close()
	}
	return err != nil
}

// Whoever sends what cannot be read is a stranger too, and is told of the limit that holds for strangers.
func TestUnreadableRequestsAreStrangers(t *testing.T) {
	t.Parallel()
	s := start(t)
	counts := map[int]int{}
	for range 40 {
		r := s.tooLong()
		if counts[r.StatusCode]++; r.Header.Get("X-RateLimit-Limit") != "30" || r.Header.Get("X-Plan") != "none" {
			t.Fatalf("limit %q, plan %q", r.Header.Get("X-RateLimit-Limit"), r.Header.Get("X-Plan"))
		}
	}
	if counts[431] != 30 || counts[429] != 10 {
		t.Errorf("answers by status: %v, want 30 of 431 and 10 of 429", counts)
	}
}

// tooLong sends headers of 20 kB. The server answers and hangs up before it has read them all: a client that writes on
// meets a reset, and the answer is there all the same.
func (s *service) tooLong() *http.Response {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	_, _ = fmt.Fprintf(conn, "GET /api/v1/communes HTTP/1.1\r\nHost: test\r\nX-Filler: %s\r\n\r\n", strings.Repeat("a", 20_000))
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// Strangers are held to 30 calls a minute an address, those with a key are not touched by it.
func TestAnonymousClients(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("friend@example.org", "pro")
	counts := map[int]int{}
	for range 60 {
		counts[s.get("/api/v1/regions").status]++
	}
	if counts[401] > 30 || counts[401]+counts[429] != 60 || counts[429] < 30 {
		t.Errorf("answers by status: %v, want at most 30 of 401 and the rest 429", counts)
	}
	if r := s.get("/api/v1/regions", "X-API-Key", key); r.status != 200 {
		t.Errorf("a good key from the same address: status %d", r.status)
	}
}

const (
	patience = testkit.Timeout
	// noticed is long for a busy machine, and well below the minute after which an index reads everything again: what comes
	// true in it came by notification.
	noticed = 20 * time.Second
)

func (s *service) within(d time.Duration, done func() bool) {
	s.t.Helper()
	testkit.Eventually(s.t, d, "the condition", done)
}
