package app_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"arpent/app/dev/testkit"
)

// A source of which nothing is known but that it is loaded; its statement then waits for the lock.
const (
	coverRadon = `WITH l AS (
    INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
    VALUES ('radon', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true) RETURNING id)
INSERT INTO geo.coverage (layer, area, load_id) SELECT 'radon', '', id FROM l`
	lockRadon = "LOCK TABLE geo.enrich_radon IN ACCESS EXCLUSIVE MODE"
	busy      = `SELECT count(*) FROM pg_stat_activity
WHERE application_name = 'arpent reports' AND datname = current_database() AND state = 'active'`
	aReport = "/api/v1/parcelles/930100000A0001/enrichments"
)

// stuckReports makes every report wait until release is called.
func (s *service) stuckReports() (release func()) {
	s.t.Helper()
	ctx := context.Background()
	if _, err := s.pool.Exec(ctx, coverRadon); err != nil {
		s.t.Fatal(err)
	}
	tx, err := s.pool.Begin(ctx)
	if err == nil {
		_, err = tx.Exec(ctx, lockRadon)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = tx.Rollback(ctx) })
	return func() { _ = tx.Rollback(ctx) }
}

// busyReports waits until the database works on statements of reports, or on none.
func (s *service) busyReports(want bool) {
	s.t.Helper()
	testkit.Eventually(s.t, patience, fmt.Sprintf("statements of reports are running: %t", want), func() bool {
		return (testkit.Count(s.t, s.pool, busy) > 0) == want
	})
}

// A client that hangs up costs the database nothing more: its statements end. That it is not their deadline which ends them
// is judged in package enrich.
func TestReportEndsWithItsClient(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("reports@example.org", "pro")
	release := s.stuckReports()
	ctx, leave := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+aReport, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
		}
	}()
	s.busyReports(true)
	leave()
	s.busyReports(false) // although what they wait for is still locked
	<-ended
	release()
	if r := s.get(aReport, "X-API-Key", key); r.status != 200 {
		t.Errorf("the next report answers %d", r.status)
	}
}

// Reports that wait, however many, take nothing from the other operations; each says in the end that trying again is safe.
func TestReportsStarveNobody(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("reports@example.org", "pro")
	before := s.get("/api/v1/parcelles/930100000A0001", "X-API-Key", key)
	s.stuckReports()
	const clients = 12
	answers := make(chan response, clients)
	for range clients {
		go func() { answers <- s.get(aReport, "X-API-Key", key) }()
	}
	s.busyReports(true)
	for i := range 20 {
		if r := s.get("/api/v1/parcelles/930100000A0001", "X-API-Key", key); r.status != 200 {
			t.Errorf("a parcel answers %d", r.status)
		}
		if i == 0 && len(answers) > 0 {
			t.Error("the parcel was answered once reports had given up")
		}
	}
	for range clients {
		if r := <-answers; r.status != 503 || r.header.Get("Retry-After") == "" || r.header.Get("Cache-Control") != "no-store" {
			t.Errorf("a report answers %d %s", r.status, r.body)
		} else if limit := r.header.Get("X-RateLimit-Limit"); limit != "100" {
			t.Errorf("a report has the limit %s; expected that of reports", limit)
		}
	}
	after := s.get("/api/v1/parcelles/930100000A0001", "X-API-Key", key)
	if n := quotaUsed(t, after) - quotaUsed(t, before); n != 21 {
		t.Errorf("%d requests were counted, expected 21: those that were answered", n)
	}
}

func quotaUsed(t *testing.T, r response) int {
	t.Helper()
	n, err := strconv.Atoi(r.header.Get("X-Quota-Used"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
