package event

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/fault"
	"arpent/internal/pgdb"
)

// SourceData is the data of SourceUpdated.
type SourceData struct {
	Source   string  `json:"source"`
	Title    string  `json:"title"`
	Producer string  `json:"producer"`
	Vintage  *string `json:"vintage"` // the newest of the editions; null: not known
	// codes of the départements and others that changed; none: the whole country
	Places []string `json:"places"`
}

// quiet is how long a source is left alone after its last load: the loads of its départements are one event.
const quiet = 10 * time.Minute

//go:embed announce.sql
var announceLoads string

const (
	lockAnnounced   = `SELECT pg_advisory_xact_lock(hashtextextended('arpent announced loads', 0))`
	hasAnnounced    = `SELECT EXISTS (SELECT FROM account.announced_load)`
	announceCurrent = `INSERT INTO account.announced_load (source, scope, checksum)
SELECT source, scope, checksum FROM geo.load WHERE active`
)

// An event of the data goes to all accounts: it is the same for each. $1 is no account.
const insertEverywhere = insertDelivery + ` WHERE $1::bigint = 0` + isOpen

// RecordSourceUpdates leaves an event for each source of which another edition is served since the last run,
// once it has been quiet for ten minutes. What it has recorded is marked in the same transaction, of which
// each source has its own: an edition is in one event, whatever the number of instances. The first run only
// marks.
func RecordSourceUpdates(ctx context.Context, db *pgxpool.Pool, now time.Time) error {
	for more := true; more; {
		err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) (err error) {
			more, err = recordNextSource(ctx, tx, now)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// recordNextSource leaves the event of one source, and reports whether there was one.
func recordNextSource(ctx context.Context, tx pgx.Tx, now time.Time) (found bool, err error) {
	if _, err := tx.Exec(ctx, lockAnnounced); err != nil {
		return false, fmt.Errorf("lock the announced loads: %w", err)
	}
	var begun bool
	if err := tx.QueryRow(ctx, hasAnnounced).Scan(&begun); err != nil {
		return false, fmt.Errorf("read the announced loads: %w", err)
	}
	if !begun {
		_, err := tx.Exec(ctx, announceCurrent)
		return false, fault.Wrap("mark the loads that are served", err)
	}
	updated, err := pgdb.Collect(ctx, tx, pgx.RowToStructByPos[SourceData], announceLoads, now.Add(-quiet))
	if err != nil || len(updated) == 0 {
		return false, fault.Wrap("read the source that was updated", err)
	}
	return true, insertEvent(ctx, tx, insertEverywhere, 0, New(SourceUpdated, now, updated[0]))
}
