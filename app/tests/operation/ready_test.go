package operation_test

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arpent/api/geocode/layout"
	"arpent/api/parcel"
	"arpent/app"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/stats"
	"arpent/internal/snapshot"
)

// servedFromFiles is an answer from each of the three files.
var servedFromFiles = []string{"/api/v1/adresses?q=bondy", "/api/v1/communes/93010?include=stats",
	"/api/v1/parcelles/930100000A0001"}

// holdBuilds keeps files from being built until release is called.
func holdBuilds(s *fixture.Service) (release func()) {
	s.T.Helper()
	tx := testkit.Must(s.Pool.Begin(s.T.Context()))(s.T)
	testkit.Exec(s.T, tx, `LOCK TABLE geo.load`)
	s.T.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // of a test that failed
	return func() {
		if err := tx.Rollback(s.T.Context()); err != nil {
			s.T.Error(err)
		}
	}
}

// A load balancer that routes on /readyz loses no request to an upgrade: a new version whose format of the
// files is another one is ready once searches, statistics and parcels are answered, and one that reads the
// files of the version before is ready at once, also when they are older than what is loaded.
func TestReadyOnceAllIsServed(t *testing.T) {
	t.Parallel()
	s := fixture.New(t, fixture.Territory)
	s.KeepsFiles, s.AsksOnce = true, true
	dir := t.TempDir()
	start := func() (release func()) {
		t.Helper()
		a := s.Build(func(in *app.Inputs) { in.Config.StateDir = dir })
		release = holdBuilds(s)
		s.Serve(a)
		return release
	}
	release := start() // the first start: there is no file
	if r := s.Get("/readyz"); r.Status != http.StatusServiceUnavailable {
		t.Errorf("without files: %d %s", r.Status, r.Body)
	}
	release()
	s.UntilReady()
	key := s.Account("ready@example.org", "pro")
	s.Stop()

	s.Exec(insertLoad, "cog-communes")
	release = start()
	if r := s.Get("/readyz"); r.Status != http.StatusOK {
		t.Errorf("with files of older loads: %d %s", r.Status, r.Body)
	}
	release()
	s.Stop()

	for name, format := range map[string]snapshot.Format{"addresses.index": layout.Format,
		"statistics.book": stats.Format, "parcels.index": parcel.IndexFormat} {
		format.Version--
		nothing := func(*snapshot.Writer) error { return nil }
		testkit.NoError(t, snapshot.Write(filepath.Join(dir, name), format, "", nothing))
	}
	release = start()
	r := s.Get("/readyz")
	if r.Status != http.StatusServiceUnavailable ||
		!strings.Contains(string(r.Body), `"building":["addresses","statistics","parcels"]`) {
		t.Errorf("with files of another version: %d %s", r.Status, r.Body)
	}
	for _, path := range servedFromFiles {
		if r := s.Get(path, "X-API-Key", key); r.Status != http.StatusServiceUnavailable {
			t.Errorf("%s without its file: %d", path, r.Status)
		}
	}
	release()
	s.UntilReady()
	for _, path := range servedFromFiles {
		if r := s.Get(path, "X-API-Key", key); r.Status != http.StatusOK {
			t.Errorf("%s once it is ready: %d %s", path, r.Status, r.Body)
		}
	}
}

// A server that is installed before anything is loaded can be checked: it is ready, and says 503 of what the
// data would answer.
func TestReadyWithoutData(t *testing.T) {
	t.Parallel()
	s := fixture.New(t)
	s.Run(nil)
	s.UntilReady()
	key := s.Account("first@example.org", "pro")
	s.AsksOnce = true
	if r := s.Get("/api/v1/adresses?q=bondy", "X-API-Key", key); r.Status !=
		http.StatusServiceUnavailable || r.Code(t) != "unavailable" {
		t.Errorf("a search in nothing: %d %s", r.Status, r.Body)
	}
}

// While a command loads, an assistant, a load balancer and the readers of the coverage read that figures
// still change; afterwards nothing says so.
func TestLoadsUnderWayAreSaid(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("loading@example.org", "pro")
	loader := testkit.Must(s.Pool.Acquire(t.Context()))(t)
	defer loader.Release()
	lock := func(function string) {
		t.Helper()
		testkit.Exec(t, loader, "SELECT "+function+"(hashtextextended('arpent loading', 0))")
	}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	answers := func() [][2]string {
		const loading = `"loading":{"loads":true,"dataSets":`
		return [][2]string{{loading, string(s.Get("/readyz").Body)}, {loading, string(s.Get("/coverage.json").Body)},
			{"Data are still being loaded (", string(s.Do("POST", "/mcp", initialize, "X-API-Key", key, "Content-Type",
				"application/json", "Accept", "application/json, text/event-stream").Body)}}
	}
	for _, loading := range []bool{true, false} {
		function := "pg_advisory_lock_shared"
		if !loading {
			function = "pg_advisory_unlock_shared"
		}
		lock(function)
		s.Slowly(func() bool {
			return !slices.ContainsFunc(answers(), func(a [2]string) bool {
				return a[1] == "" || strings.Contains(a[1], a[0]) != loading
			})
		})
		if ready := s.Get("/readyz"); ready.Status != http.StatusOK {
			t.Errorf("loads under way %t: %d %s", loading, ready.Status, ready.Body)
		}
	}
}
