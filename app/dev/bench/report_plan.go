package bench

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// largeTable is from how many rows on no statement may read a table whole.
const largeTable = 100_000

// asReports makes a connection plan as those of the service that draw reports do.
const asReports = "SET plan_cache_mode = force_generic_plan; SET jit = off; SET max_parallel_workers_per_gather = 0"

func (b *reportBench) reportConn(ctx context.Context) (*pgxpool.Conn, error) {
	conn, err := b.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, asReports); err != nil {
		conn.Release()
		return nil, err
	}
	return conn, nil
}

const wholeReads = `SELECT relname, seq_scan FROM pg_stat_user_tables WHERE schemaname = 'geo'
AND (SELECT reltuples FROM pg_class WHERE oid = relid) > $1`

// scans counts how often each large table has been read whole. Sessions report it at most a second late.
func (b *reportBench) scans(ctx context.Context) (map[string]int64, error) {
	rows, err := b.pool.Query(ctx, wholeReads, largeTable)
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	var table string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&table, &n}, func() error { counts[table] = n; return nil })
	return counts, err
}
