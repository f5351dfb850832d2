package operation_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
	"arpent/internal/opendata/topic"
	"arpent/internal/pgdb"
)

// loadRadon makes class the one that is loaded for Bondy, and announces it.
const loadRadon = `DELETE FROM geo.enrich_radon; INSERT INTO geo.enrich_radon (part, id, commune, attrs) VALUES ('', '1', '93010', '{"category": %d}');
UPDATE geo.load SET active = true WHERE source = 'radon'`

// replicated is a primary with a streaming replica, and an instance that knows both.
type replicated struct {
	*fixture.Service
	primary, replica *testkit.Postgres
	key              string
}

func newReplicated(t *testing.T) *replicated {
	t.Helper()
	r := &replicated{primary: testkit.NewReplicated(t)}
	r.Service = &fixture.Service{T: t, URL: r.primary.URL}
	testkit.NoError(t, pgdb.Migrate(t.Context(), r.URL, testkit.Tables()))
	r.Pool = open(t, r.URL)
	r.Exec(fixture.Territory)
	r.Exec(coverRadon)
	r.Exec(fmt.Sprintf(loadRadon, 1))
	for _, k := range topic.Report().Keys() { // so that a report has many statements, and helpers
		r.Exec(`INSERT INTO geo.coverage (layer, area, load_id) SELECT l, '', max(id) FROM geo.load, unnest($1::text[]) l GROUP BY l ON CONFLICT DO NOTHING`, k.Layers)
	}
	r.replica = r.primary.Replica()
	r.Run(func(c *config.Config) { c.DatabaseReadURLs = config.Secret(r.replica.URL) })
	r.key = r.Account("replica@example.org", "pro")
	return r
}

func open(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	pool := testkit.Must(pgdb.Open(t.Context(), url, pgdb.Options{MaxConns: 2, AppName: "test"}))(t)
	t.Cleanup(pool.Close)
	return pool
}

// class is what a report says now.
func (r *replicated) class() string {
	r.T.Helper()
	got := r.Get(aReport+"?fields=radon", "X-API-Key", r.key)
	_, class, found := strings.Cut(string(got.Body), `"category":`)
	if got.Status != 200 || !found {
		r.T.Fatalf("status %d: %s", got.Status, got.Body)
	}
	return class[:1]
}

// awaitReplicaUse waits until reports are read from the replica, or are not.
func (r *replicated) awaitReplicaUse(want bool) {
	r.T.Helper()
	testkit.Eventually(r.T, testkit.Timeout, fmt.Sprintf("the replica is in use: %t", want), func() bool {
		return (r.Metric("arpent_database_replicas_in_use") == 1) == want
	})
}

// Reports are read from a replica and nothing else is. A load that was announced is never followed by
// what was before it, however far the replica is behind; a replica that is gone, hangs or fails costs no
// request, and is read from again once it is back. While the primary is away reports go on.
func TestReplica(t *testing.T) {
	t.Parallel()
	r := newReplicated(t)
	on := open(t, r.replica.URL)
	testkit.Eventually(t, testkit.Timeout, "reports are read from the replica", func() bool {
		if got := r.class(); got != "1" {
			t.Fatalf("class %s", got)
		}
		if got := r.Get(aReport, "X-API-Key", r.key); got.Status != 200 { // of many statements, by two connections
			t.Fatalf("a whole report: %d %s", got.Status, got.Body)
		}
		const used = `SELECT string_agg(DISTINCT application_name, ', ' ORDER BY application_name) || count(*) FILTER (WHERE application_name = 'arpent reports')
			FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'arpent%'`
		var names string
		testkit.NoError(t, on.QueryRow(t.Context(), used).Scan(&names))
		return names == "arpent replica, arpent reports2"
	})

	r.lag(t)
	for name, lose := range map[string]func(){"killed": r.replica.Kill, "hanging": r.replica.Pause} {
		var first fixture.Response
		for tries := 5; first.Status != 200 && tries > 0; tries-- { // a busy machine may come to the deadline first
			r.awaitReplicaUse(true)
			lose()
			r.AsksOnce = true
			first = r.Get(aReport+"?fields=radon", "X-API-Key", r.key)
			r.AsksOnce = false
			r.awaitReplicaUse(false)
			r.class()
			if name == "killed" {
				r.replica.Start()
			} else {
				r.replica.Resume()
			}
		}
		if first.Status != 200 || !strings.Contains(string(first.Body), `"category":2`) {
			t.Errorf("%s: the first report: %d %s", name, first.Status, first.Body)
		}
	}
	r.awaitReplicaUse(true)
	r.primary.Stop()
	testkit.Eventually(t, testkit.Timeout, "a report without the primary", func() bool {
		got := r.Get(aReport+"?fields=radon", "X-API-Key", r.key)
		return got.Status == 200 && strings.Contains(string(got.Body), `"category":2`)
	})
	r.primary.Start()
	r.awaitReplicaUse(true)
	other := testkit.Must(url.Parse(r.replica.URL))(t)
	other.Path = "/postgres"
	r.refused(other.String(), "it has another database")
	testkit.Exec(t, r.Pool, `GRANT USAGE ON SCHEMA account TO arpent_read`)
	r.refused(r.replica.URL, "its user may read accounts")
	testkit.Exec(t, r.Pool, `REVOKE USAGE ON SCHEMA account FROM arpent_read`)
	r.refused(r.replica.URL, "")
	testkit.Exec(t, open(t, r.replica.URL), `SELECT pg_promote()`)
	r.awaitReplicaUse(false)
	r.refused(r.replica.URL, "it follows no primary")
	r.refused(r.replica.Replica().URL, "it follows another primary")
}

// refused waits until that is why an address is not read from; empty: it is.
func (r *replicated) refused(url, why string) {
	r.T.Helper()
	replicas := testkit.Must(pgdb.NewReplicas(r.Pool, []string{url}))(r.T)
	testkit.Eventually(r.T, testkit.Timeout, fmt.Sprintf("%s is refused: %q", url, why), func() bool {
		for _, got := range replicas.Examine(r.T.Context()) {
			return got == why
		}
		return false
	})
}

// lag has the replica stay behind while a load is announced.
func (r *replicated) lag(t *testing.T) {
	t.Helper()
	admin := open(t, r.replica.URL)
	testkit.Exec(t, admin, "SELECT pg_wal_replay_pause()")
	r.Exec(fmt.Sprintf(loadRadon, 2))
	r.Until(func() bool { return r.class() == "2" })
	for range 20 { // over several looks of the watcher
		if got := r.class(); got != "2" {
			t.Fatalf("class %s after a newer one", got)
		}
		time.Sleep(50 * time.Millisecond)
	}
	var behind bool
	if err := admin.QueryRow(t.Context(), `SELECT attrs->>'category' = '1' FROM geo.enrich_radon`).Scan(&behind); err != nil || !behind {
		t.Errorf("the replica is behind: %t, %v", behind, err)
	}
	r.awaitReplicaUse(false)
	testkit.Exec(t, admin, "SELECT pg_wal_replay_resume()")
	r.awaitReplicaUse(true)
	if got := r.class(); got != "2" {
		t.Errorf("class %s from the replica", got)
	}
}
