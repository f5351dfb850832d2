package ingest

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A command that loads holds this lock from its first load to its last, together with others that do.
const (
	lockBusy = `SELECT pg_advisory_lock_shared(hashtextextended('arpent loading', 0))`
	tryBusy  = `SELECT NOT pg_try_advisory_xact_lock(hashtextextended('arpent loading', 0))`
)

// busy tells others that loads are under way, until the returned function is called.
func (l *Loader) busy(ctx context.Context) (done func(), err error) {
	cfg := l.o.DB.Config().ConnConfig.Copy()
	cfg.RuntimeParams["application_name"] = "arpent loads"
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	done = func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		_ = conn.Close(ctx) // the lock ends with the connection, however that is lost
	}
	if _, err := conn.Exec(ctx, lockBusy); err != nil {
		done()
		return nil, fmt.Errorf("tell that loads are under way: %w", err)
	}
	return done, nil
}

// Busy tells whether loads are under way, in this process or another: more are about to follow.
func Busy(ctx context.Context, pool *pgxpool.Pool) (busy bool, err error) {
	err = pool.QueryRow(ctx, tryBusy).Scan(&busy)
	return busy, err
}
