package status

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
)

const storeTimeout = 3 * time.Second

// dayKey names a row.
type dayKey struct {
	date      clock.Date
	operation string
}

// measurements are rows of days and incidents: 90 days of each operation where they are what is written, a
// few where they are what is not written yet, however long the database is away.
type measurements struct {
	days      map[dayKey]*Day
	incidents []Incident
}

const addDay = `
INSERT INTO account.probe_day AS p (day, operation, ok, failed, latency) VALUES (DATE '1970-01-01' + $1::int, $2, $3, $4, $5)
ON CONFLICT (day, operation) DO UPDATE SET ok = p.ok + excluded.ok, failed = p.failed + excluded.failed,
    latency = (SELECT array_agg(a + b ORDER BY n) FROM unnest(p.latency, excluded.latency) WITH ORDINALITY AS t (a, b, n))`

// An incident that goes on is one row, whichever instance notices.
const addIncident = `
WITH going_on AS (
    UPDATE account.probe_incident SET failed_at = greatest(failed_at, $3), failures = failures + $4, reason = $5
    WHERE operation = $1 AND failed_at >= $2::timestamptz - $6::interval AND began_at <= $3 RETURNING 1)
INSERT INTO account.probe_incident (operation, began_at, failed_at, failures, reason)
SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (SELECT FROM going_on)`

const (
	forgetDays      = `DELETE FROM account.probe_day WHERE day < DATE '1970-01-01' + $1::int`
	forgetIncidents = `DELETE FROM account.probe_incident WHERE failed_at < $1`
)

// writeRows adds what was measured to the database in one transaction. If the commit is not acknowledged, the
// rows may be counted twice: one call of some thousands.
func (m *measurements) writeRows(ctx context.Context, pool *pgxpool.Pool, today clock.Date,
	gap time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		for k, d := range m.days {
			if _, err := tx.Exec(ctx, addDay, int32(k.date), k.operation, d.OK, d.Failed, d.Latency); err != nil {
				return fmt.Errorf("add day %s of %s: %w", k.date, k.operation, err)
			}
		}
		for _, i := range m.incidents {
			if _, err := tx.Exec(ctx, addIncident, i.Operation, i.BeganAt, i.FailedAt, i.Failures, i.Reason,
				gap); err != nil {
				return fmt.Errorf("add an incident of %s: %w", i.Operation, err)
			}
		}
		oldest := today - Retention + 1
		if _, err := tx.Exec(ctx, forgetDays, int32(oldest)); err != nil {
			return fmt.Errorf("forget old days: %w", err)
		}
		if _, err := tx.Exec(ctx, forgetIncidents, oldest.Start()); err != nil {
			return fmt.Errorf("forget old incidents: %w", err)
		}
		return nil
	})
}

const (
	readDays = `
SELECT (day - DATE '1970-01-01')::int, operation, ok, failed, latency FROM account.probe_day ORDER BY day, operation`
	readIncidents = `
SELECT operation, began_at, failed_at, failures, reason FROM account.probe_incident
WHERE failures >= $1 OR failed_at > $2 ORDER BY began_at DESC, operation LIMIT 500`
)

// readHistory reads the history. Incidents that may not be any yet are read while they may go on.
func readHistory(ctx context.Context, pool *pgxpool.Pool, since time.Time) (*measurements, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	h := &measurements{days: map[dayKey]*Day{}}
	rows, _ := pool.Query(ctx, readDays) // the rows have its error too
	var date int32
	var operation string
	var d Day
	if _, err := pgx.ForEachRow(rows, []any{&date, &operation, &d.OK, &d.Failed, &d.Latency}, func() error {
		of := &Day{Date: clock.Date(date)}
		of.addCounts(d)
		h.days[dayKey{of.Date, operation}] = of
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the days: %w", err)
	}
	rows, _ = pool.Query(ctx, readIncidents, minFailures, since)
	var err error
	if h.incidents, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (i Incident, err error) {
		return i, row.Scan(&i.Operation, &i.BeganAt, &i.FailedAt, &i.Failures, &i.Reason)
	}); err != nil {
		return nil, fmt.Errorf("read the incidents: %w", err)
	}
	return h, nil
}
