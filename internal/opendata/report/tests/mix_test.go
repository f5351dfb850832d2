package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"arpent/app/dev/testkit"
	"arpent/internal/fault"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/topic"
)

// named are layers with a statement each that returns the name of what lies around the parcel.
var named = map[string]string{"qpv": "qpv", "cavity": "bdcaviteNearby", "icpe": "icpe", "polluted_site": "pollutedSites", "monument": "monuments"}

// besides are layers that give a report enough statements for others to help with it.
var besides = []string{"flood_marker", "ground_movement", "aoc", "forest", "vegetation", "airport", "radon"}

// edition activates another edition of all named layers, in one transaction as a load does.
func (b *fixture) edition(n int) error {
	name := fmt.Sprint("edition ", n)
	return pgx.BeginFunc(context.Background(), b.DB, func(tx pgx.Tx) error {
		for layer := range named {
			_, err := tx.Exec(context.Background(), "DELETE FROM geo.enrich_"+layer)
			if err == nil {
				_, err = tx.Exec(context.Background(), "INSERT INTO geo.enrich_"+layer+` (part, id, attrs, geom)
					VALUES ('test', 'one', jsonb_build_object('name', $1::text, 'register', 'test', 'approximate', false), ST_GeomFromText($2, 4326))`, name, squareWKT)
			}
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec(context.Background(), "UPDATE geo.load SET vintage = $1", name)
		return err
	})
}

// editions are those that the values of a report and the loads that it names come from.
func editions(t *testing.T, r *report.Report) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, l := range r.Loads {
		found[*l.Vintage] = append(found[*l.Vintage], "load of "+l.Source)
	}
	for i, k := range topic.Report().Keys() {
		for layer, key := range named {
			if key != k.Name {
				continue
			}
			var list []struct{ Name string }
			value := r.Values[i]
			if len(value) > 0 && value[0] != '[' {
				value = fmt.Appendf(nil, "[%s]", value)
			}
			if err := json.Unmarshal(value, &list); err != nil || len(list) != 1 {
				t.Fatalf("%s is %s: %v", k.Name, r.Values[i], err)
			}
			found[list[0].Name] = append(found[list[0].Name], layer)
		}
	}
	return found
}

// A report reads one snapshot: whatever is loaded while it is made, on however many connections,
// its values are of one edition, which it names. A customer who checks a value against the
// source named would otherwise find another.
func TestOneEditionInAReportWithConcurrentLoads(t *testing.T) {
	b := newFixture(t)
	for layer := range named {
		b.cover(layer, "")
	}
	for _, layer := range besides {
		b.cover(layer, "")
	}
	testkit.NoError(t, b.edition(0))
	s := b.open(report.Options{Conns: 6, Timeout: testkit.Timeout})
	stop := make(chan struct{})
	var loading, reading sync.WaitGroup
	loading.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := b.edition(n); err != nil {
				t.Error(err)
				return
			}
		}
	})
	var mu sync.Mutex
	seen := map[string]bool{}
	for range 2 {
		reading.Go(func() {
			for range 100 {
				r, err := s.Report(t.Context(), b.here)
				if err != nil {
					t.Error(err)
					return
				}
				found := editions(t, r)
				if len(found) != 1 {
					t.Errorf("one report is made from %v", found)
					return
				}
				mu.Lock()
				for e := range found {
					seen[e] = true
				}
				mu.Unlock()
			}
		})
	}
	reading.Wait()
	close(stop)
	loading.Wait()
	if len(seen) < 10 {
		t.Errorf("only %d editions came by: that proves little", len(seen))
	}
}

// When the database restarts, reports under way say that trying again is safe, and those after it are drawn.
func TestDatabaseRestartUnderConcurrentReports(t *testing.T) {
	b := newFixture(t)
	b.cover("radon", "")
	const conns = 4
	s := b.open(report.Options{Conns: conns, Timeout: testkit.Timeout})
	release := b.hold("radon")
	ended := make(chan error, 1)
	go func() { _, err := s.Report(t.Context(), b.here); ended <- err }()
	testkit.Eventually(t, testkit.Timeout, "a statement is running", func() bool { return testkit.Count(t, b.DB, busy) > 0 })
	b.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'arpent reports' AND datname = current_database()`)
	if err := <-ended; fault.From(err).Code != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	release()
	for failed := 0; ; failed++ {
		_, err := s.Report(t.Context(), b.here)
		if err == nil {
			break
		}
		if failed == conns || fault.From(err).Code != fault.Unavailable {
			t.Fatalf("report %d after the restart: %v", failed+1, err)
		}
	}
}
