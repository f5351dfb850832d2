package operation_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/report"
)

// A source of which nothing is known but that it is loaded; its statement then waits for the lock.
const (
	coverRadon = `WITH l AS (
    INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
    VALUES ('radon', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true) RETURNING id)
INSERT INTO geo.coverage (layer, area, load_id) SELECT 'radon', '', id FROM l`
	lockRadon = "LOCK TABLE geo.enrich_radon IN ACCESS EXCLUSIVE MODE"
	waiting   = `SELECT count(*) FROM pg_stat_activity
WHERE application_name = 'arpent reports' AND datname = current_database() AND wait_event_type = 'Lock'`
	aParcel = "/api/v1/parcelles/930100000A0001"
	aReport = aParcel + "/enrichments"
)

// stuckReports makes every report wait until release is called. One is served before: connections that are
// made already leave the deadline of a report to its statements.
func stuckReports(s *fixture.Service, key string) (release func()) {
	s.T.Helper()
	s.Until(func() bool { return s.Get(aReport, "X-API-Key", key).Status == http.StatusOK })
	ctx := context.Background()
	s.Exec(coverRadon)
	tx, err := s.Pool.Begin(ctx)
	if err == nil {
		_, err = tx.Exec(ctx, lockRadon)
	}
	testkit.NoError(s.T, err)
	s.T.Cleanup(func() { _ = tx.Rollback(ctx) })
	return func() { _ = tx.Rollback(ctx) }
}

// waitingReports waits until statements of reports wait for the lock, or none does.
func waitingReports(s *fixture.Service, want bool) {
	s.T.Helper()
	testkit.Eventually(s.T, testkit.Timeout, fmt.Sprintf("statements of reports wait: %t", want), func() bool {
		return (testkit.Count(s.T, s.Pool, waiting) > 0) == want
	})
}

// A client that hangs up costs the database nothing more: its statements end, and before their deadline. A
// machine that stands still may take so long to see it; then it is tried again.
func TestConcurrentReportsEndWithTheirClients(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("reports@example.org", "pro")
	release := stuckReports(s, key)
	const tool = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_parcel_enrichments","arguments":{"idu":"930100000A0001"}}}`
	for path, message := range map[string]string{aReport: "", "/mcp": tool} {
		took, tries := time.Duration(math.MaxInt64), 5
		for ; took >= report.DefaultTimeout && tries > 0; tries-- {
			took = hangUp(s, key, path, message)
		}
		if took >= report.DefaultTimeout {
			t.Errorf("%s: a report went on for %s without its client, its deadline being %s", path, took, report.DefaultTimeout)
		}
	}
	release()
	if r := s.Get(aReport, "X-API-Key", key); r.Status != 200 {
		t.Errorf("the next report answers %d", r.Status)
	}
}

// hangUp asks for a report, by a message if there is one, and leaves, and returns how long its
// statements were there from then on at most.
func hangUp(s *fixture.Service, key, path, message string) time.Duration {
	s.T.Helper()
	ctx, leave := context.WithCancel(s.T.Context())
	method := http.MethodGet
	if message != "" {
		method = http.MethodPost
	}
	req := testkit.Must(http.NewRequestWithContext(ctx, method, s.Base+path, strings.NewReader(message)))(s.T)
	req.Header.Set("X-API-Key", key)
	req.Header.Set("Content-Type", "application/json")
	var start time.Time
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil { // again where the deadline came before the statements
			start = time.Now()
			again := req.Clone(ctx)
			again.Body, _ = req.GetBody() // of a text
			if res, err := http.DefaultClient.Do(again); err == nil {
				res.Body.Close()
			}
		}
	}()
	waitingReports(s, true)
	leave()
	waitingReports(s, false) // although what they wait for is still locked
	<-ended
	return time.Since(start)
}

// Reports that wait, however many, take nothing from the other operations; each says in the end that trying
// again is safe. A machine that stands still may answer the parcel too late to show it; then it is tried again.
func TestConcurrentReportsStarveNoCaller(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("reports@example.org", "pro")
	stuckReports(s, key)
	before := s.Get(aParcel, "X-API-Key", key)
	shown, answered := false, 0
	for tries := 5; !shown && tries > 0; tries-- {
		shown = askForParcelsDuringReports(s, key)
		answered += parcelsDuringReports
	}
	if !shown {
		t.Error("a parcel was answered only once reports had given up")
	}
	after := s.Get(aParcel, "X-API-Key", key)
	if n := after.Used(t) - before.Used(t); n != answered+1 {
		t.Errorf("%d requests were counted, expected %d: those that were answered", n, answered+1)
	}
}

const parcelsDuringReports = 20

// askForParcelsDuringReports asks for reports that wait and for parcels meanwhile, and says whether a parcel was
// answered while all reports waited.
func askForParcelsDuringReports(s *fixture.Service, key string) (meanwhile bool) {
	s.T.Helper()
	const clients = 12
	answers, once := make(chan fixture.Response, clients), s.For(s.T)
	once.AsksOnce = true
	for range clients {
		go func() { answers <- once.Get(aReport, "X-API-Key", key) }()
	}
	waitingReports(s, true)
	for i := range parcelsDuringReports {
		if r := s.Get(aParcel, "X-API-Key", key); r.Status != 200 {
			s.T.Errorf("a parcel answers %d", r.Status)
		}
		meanwhile = meanwhile || i == 0 && len(answers) == 0
	}
	for range clients {
		if r := <-answers; r.Status != 503 || r.Header.Get("Retry-After") == "" || r.Header.Get("Cache-Control") != "no-store" {
			s.T.Errorf("a report answers %d %s", r.Status, r.Body)
		} else if limit := r.Header.Get("X-RateLimit-Limit"); limit != "100" {
			s.T.Errorf("a report has the limit %s; expected that of reports", limit)
		}
	}
	return meanwhile
}
