package event

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/pgdb"
)

// SourceData is the data of SourceUpdated.
type SourceData struct {
	Source   string   `json:"source"`
	Title    string   `json:"title"`
	Producer string   `json:"producer"`
	Vintage  *string  `json:"vintage"` // the newest of the editions; null: not known
	Places   []string `json:"places"`  // codes of the départements and others that changed; none: the whole country
}

// quiet is how long a source is left alone after its last load: the loads of its départements are one event.
const quiet = 10 * time.Minute

//go:embed announce.sql
var announceLoads string

const (
	lockAnnounced   = `SELECT pg_advisory_xact_lock(hashtextextended('arpent announced loads', 0))`
	hasAnnounced    = `SELECT EXISTS (SELECT FROM account.announced_load)`
	announceCurrent = `INSERT INTO account.announced_load (source, scope, load_id)
SELECT source, scope, id FROM geo.load WHERE active`
)

// An event of the data goes to all accounts: it is the same for each. $1 is no account.
const insertEverywhere = `
INSERT INTO account.webhook_delivery (webhook_id, account_id, event_id, type, body, created_at)
SELECT w.id, w.account_id, $2, $3, $4, $5 FROM account.webhook w
WHERE $1::bigint = 0 AND $3 = ANY (w.events) AND w.off_at IS NULL RETURNING id, account_id`

// RecordSourceUpdates leaves an event for each source of which another edition is served since the last run,
// once it has been quiet for ten minutes. What it has recorded is marked in the same transaction: a load is
// in one event, whatever the number of instances. The first run only marks.
func RecordSourceUpdates(ctx context.Context, db *pgxpool.Pool, now time.Time) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockAnnounced); err != nil {
			return fmt.Errorf("lock the announced loads: %w", err)
		}
		var begun bool
		if err := tx.QueryRow(ctx, hasAnnounced).Scan(&begun); err != nil {
			return fmt.Errorf("read the announced loads: %w", err)
		}
		if !begun {
			if _, err := tx.Exec(ctx, announceCurrent); err != nil {
				return fmt.Errorf("mark the loads that are served: %w", err)
			}
			return nil
		}
		updated, err := pgdb.Collect(ctx, tx, pgx.RowToStructByPos[SourceData], announceLoads, now.Add(-quiet))
		if err != nil {
			return fmt.Errorf("read the sources that were updated: %w", err)
		}
		for _, s := range updated {
			if err := record(ctx, tx, insertEverywhere, 0, New(SourceUpdated, now, s)); err != nil {
				return err
			}
		}
		return nil
	})
}
