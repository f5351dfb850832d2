package testkit

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/pgdb"
)

// Timeout is how long an answer or a condition is waited for that has no deadline of its
// own. Under the race detector, with all other tests and programs of a machine running, half a
// second of work has taken more than thirty.
const Timeout = 2 * time.Minute

// Eventually waits until a condition holds, and fails the test when it does not in time. It looks again after
// a sixteenth of the time that it has waited for: what soon happens is soon seen, and what takes long, as on
// a busy machine, is not asked for hundreds of times a second.
func Eventually(t testing.TB, timeout time.Duration, what string, holds func() bool) {
	t.Helper()
	const shortest, longest = time.Millisecond, 50 * time.Millisecond
	for begun := time.Now(); !holds(); {
		waited := time.Since(begun)
		if waited > timeout {
			t.Fatalf("%s: not within %v", what, timeout)
		}
		time.Sleep(min(max(waited/16, shortest), longest))
	}
}

// Count reads one number from the database, also while the test cleans up.
func Count(t testing.TB, pool *pgxpool.Pool, sql string, args ...any) (n int) {
	t.Helper()
	NoError(t, pool.QueryRow(context.Background(), sql, args...).Scan(&n))
	return n
}

// WantCount fails a test unless Count reads a certain number. what names the rows.
func WantCount(t testing.TB, pool *pgxpool.Pool, want int, what, sql string, args ...any) {
	t.Helper()
	if n := Count(t, pool, sql, args...); n != want {
		t.Errorf("%s: %d, want %d", what, n, want)
	}
}

// Exec executes a statement in the database, also while the test cleans up.
func Exec(t testing.TB, db pgdb.DB, sql string, args ...any) {
	t.Helper()
	_, err := db.Exec(context.Background(), sql, args...)
	NoError(t, err)
}
