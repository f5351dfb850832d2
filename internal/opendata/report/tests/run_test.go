package report_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/internal/fault"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/topic"
)

// busy counts the statements of reports that the database works on.
const busy = `SELECT count(*) FROM pg_stat_activity
WHERE application_name = 'arpent reports' AND datname = current_database() AND state = 'active'`

// idle waits until the database works on no report.
func (b *fixture) idle() {
	b.T.Helper()
	testkit.Eventually(b.T, testkit.Timeout, "no statement is running", func() bool { return testkit.Count(b.T, b.DB, busy) == 0 })
}

// hold locks the table of a layer, so that its readers wait until the test ends or release is called.
func (b *fixture) hold(layer string) (release func()) {
	b.T.Helper()
	tx, err := b.DB.Begin(context.Background())
	if err == nil {
		_, err = tx.Exec(context.Background(), "LOCK TABLE geo.enrich_"+layer+" IN ACCESS EXCLUSIVE MODE")
	}
	testkit.NoError(b.T, err)
	var once sync.Once
	release = func() { once.Do(func() { _ = tx.Rollback(context.Background()) }) }
	b.T.Cleanup(release)
	return release
}

func (b *fixture) open(o report.Options) *report.Store {
	b.T.Helper()
	o.URL, o.Catalogue = b.DB.Config().ConnString(), topic.Report()
	s, err := report.Open(b.T.Context(), o)
	testkit.NoError(b.T, err)
	b.T.Cleanup(s.Close)
	return s
}

// A report with a hole in it would look like one that found nothing: one statement that fails
// fails it all, with the advice to try again.
func TestOneFailureFailsTheReport(t *testing.T) {
	b := newFixture(t)
	b.cover("radon", "")
	_, err := b.store.Report(t.Context(), b.here)
	testkit.NoError(t, err)
	b.Exec("DROP TABLE geo.enrich_radon")
	_, err = b.store.Report(t.Context(), b.here)
	if f := fault.From(err); f.Code != fault.Unavailable || f.RetryAfter == 0 || strings.Contains(f.Message, "radon") {
		t.Errorf("got %v", err)
	}
	b.Exec("CREATE TABLE geo.enrich_radon (LIKE geo.enrich_fact INCLUDING ALL)")
	if _, err := b.store.Report(t.Context(), b.here); err != nil {
		t.Errorf("the next report fails too: %v", err)
	}
}

// So it is when a helper of the report meets the failure, while the statement that was begun first goes on.
func TestFailureOfAHelperFailsTheReport(t *testing.T) {
	b := newFixture(t)
	for _, layer := range []string{"rga", "monument", "icpe", "cavity", "ground_movement", "forest", "catnat", "commune_risk", "seismic_zone", "qpv", "radon", "airport"} {
		b.cover(layer, "")
	}
	b.hold("rga")
	b.Exec("DROP TABLE geo.enrich_radon")
	s := b.open(report.Options{Conns: 2, Timeout: 5 * time.Second})
	if _, err := s.Report(t.Context(), b.here); fault.From(err).Code != fault.Unavailable || strings.Contains(err.Error(), "seconds") {
		t.Errorf("got %v", err)
	}
}

// A report that is late answers in time that it is, and leaves nothing running.
func TestLateReport(t *testing.T) {
	b := newFixture(t)
	b.cover("radon", "")
	s := b.open(report.Options{Timeout: 300 * time.Millisecond})
	release := b.hold("radon")
	_, err := s.Report(t.Context(), b.here) // while the lock is held
	if f := fault.From(err); f.Code != fault.Unavailable || !strings.Contains(f.Message, "0.3 seconds") {
		t.Errorf("got %v", err)
	}
	b.idle()
	release()
	testkit.Eventually(t, testkit.Timeout, "a report in time, by the same connection", func() bool {
		_, err := s.Report(t.Context(), b.here)
		return err == nil
	})
}

// A request that is cancelled ends its statements, long before the deadline.
func TestCancelledConcurrentStatements(t *testing.T) {
	b := newFixture(t)
	b.cover("radon", "")
	b.hold("radon")
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	s := b.open(report.Options{Timeout: 10 * time.Minute})
	go func() { _, err := s.Report(ctx, b.here); ended <- err }()
	testkit.Eventually(t, testkit.Timeout, "a statement is running", func() bool { return testkit.Count(t, b.DB, busy) > 0 })
	leave()
	b.idle()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// However many reports are drawn at once, they take no more
// connections than they are given, and all are served.
func TestConcurrentReportsShareConnections(t *testing.T) {
	b := newFixture(t)
	for _, layer := range []string{"radon", "catnat", "commune_risk", "seismic_zone", "icpe", "cavity", "ground_movement", "qpv", "airport"} {
		b.cover(layer, "")
	}
	s := b.open(report.Options{Conns: 4, Timeout: testkit.Timeout})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := s.Report(t.Context(), b.here); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var n int
	const connections = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'arpent reports' AND datname = current_database()`
	if err := b.DB.QueryRow(t.Context(), connections).Scan(&n); err != nil || n > 4 {
		t.Errorf("%d connections, %v", n, err)
	}
}

// Without a database the answer is that trying again is safe.
func TestNoDatabase(t *testing.T) {
	t.Parallel()
	_, url := testkit.DB(t)
	s, err := report.Open(t.Context(), report.Options{Catalogue: topic.Report(), URL: url + "&host=/nowhere", Timeout: time.Second})
	testkit.NoError(t, err)
	defer s.Close()
	if _, err := s.Report(t.Context(), report.Parcel{IDU: square}); fault.From(err).Code != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}
