package testkit

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Timeout is how long an answer or a condition is waited for that has no deadline of its
// own. Under the race detector, with all other tests and programs of a machine running, half a
// second of work has taken more than thirty.
const Timeout = 2 * time.Minute

// Eventually waits until a condition holds, and fails the test when it does not in time.
func Eventually(t testing.TB, timeout time.Duration, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(timeout); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, timeout)
		}
	}
}

// Count reads one number from the database, also while the test cleans up.
func Count(t testing.TB, pool *pgxpool.Pool, sql string, args ...any) (n int) {
	t.Helper()
	if err := pool.QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
