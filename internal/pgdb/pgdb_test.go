package pgdb_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"arpent/app/dev/testkit"
	"arpent/internal/pgdb"
)

// Several instances that start at once leave one schema, and nothing is left to do.
func TestConcurrentMigrations(t *testing.T) {
	t.Parallel()
	_, url := testkit.DB(t)
	var g errgroup.Group
	for range 4 {
		g.Go(func() error { return pgdb.Migrate(t.Context(), url, testkit.Tables()) })
	}
	testkit.NoError(t, g.Wait())
	if pending, err := pgdb.Pending(t.Context(), url, testkit.Tables()); err != nil || pending {
		t.Errorf("pending %v, error %v", pending, err)
	}
}

// Functions are what the files of this version say, whatever the database had before. A server does not start
// without one of them, and does start next to a version that has them in another form.
func TestMigrateReplacesFunctions(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	const definitions = `SELECT string_agg(pg_get_functiondef(oid), E'\n' ORDER BY proname) FROM pg_proc
		WHERE pronamespace IN ('geo'::regnamespace, 'account'::regnamespace)`
	text := func() (got string) {
		t.Helper()
		testkit.NoError(t, pool.QueryRow(t.Context(), definitions).Scan(&got))
		return got
	}
	want := text()
	for _, tc := range []struct {
		change  string
		pending bool
	}{
		{"DROP FUNCTION geo.point_metres", true},
		{`CREATE OR REPLACE FUNCTION geo.share(covered float, whole float) RETURNS numeric LANGUAGE sql AS 'SELECT 0.0'`, false},
	} {
		testkit.Exec(t, pool, tc.change)
		if text() == want {
			t.Fatalf("%s changed nothing", tc.change)
		}
		if pending, err := pgdb.Pending(t.Context(), url, testkit.Tables()); err != nil || pending != tc.pending {
			t.Errorf("%s: pending %v, error %v", tc.change, pending, err)
		}
		testkit.NoError(t, pgdb.Migrate(t.Context(), url, testkit.Tables()))
		if text() != want {
			t.Errorf("after %s a migration did not bring the functions back", tc.change)
		}
	}
}

// A revocation reaches every instance within a second, also when the connection it travels on has just been
// lost: every subscriber of its channel reads again, then is notified.
func TestListenReconnectsConcurrently(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	ctx, cancel := context.WithCancel(t.Context())
	ups, received := make(chan struct{}, 8), make(chan string, 8)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l := pgdb.NewListener(url, "arpent_account", "arpent_geo")
		for range 2 {
			l.Subscribe(ctx, "arpent_account", func(context.Context) { ups <- struct{}{} },
				func(_ context.Context, payload string) { received <- payload })
		}
		l.Subscribe(ctx, "arpent_geo", func(context.Context) {}, func(context.Context, string) { t.Error("another channel's notification") })
		l.Run(ctx)
	}()
	receiveValue(t, ups)
	receiveValue(t, ups)
	mustNotify(t, func() error { _, err := pool.Exec(ctx, "SELECT pg_notify('arpent_account', 'one')"); return err })
	for range 2 {
		if got := receiveValue(t, received); got != "one" {
			t.Fatalf("received %q", got)
		}
	}
	_, err := pool.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE application_name = 'arpent listener' AND datname = current_database()`)
	testkit.NoError(t, err)
	receiveValue(t, ups)
	receiveValue(t, ups)
	mustNotify(t, func() error { _, err := pool.Exec(ctx, "SELECT pg_notify('arpent_account', 'two')"); return err })
	if got := receiveValue(t, received); got != "two" {
		t.Fatalf("received %q after the reconnection", got)
	}
	cancel()
	receiveValue(t, ended)
}

func mustNotify(t *testing.T, send func() error) {
	t.Helper()
	testkit.NoError(t, send())
}

func receiveValue[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(testkit.Timeout):
		t.Fatal("nothing came")
	}
	panic("unreachable")
}

// A wrong address is refused without repeating the password in it.
func TestOpenHidesPassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://u:hidden@127.0.0.1:1/d?connect_timeout=1", "postgres://u:hidden@h:port/d"} {
		if _, err := pgdb.Open(t.Context(), url, pgdb.Options{}); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("error %v", err)
		}
	}
}
