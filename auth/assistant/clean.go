package assistant

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/jobs"
	"arpent/internal/pgdb"
)

const (
	// A code that was used is known for this long after it expired, so that
	// bringing it again ends the connection.
	codesKept  = 24 * time.Hour
	cleanEvery = time.Hour
	// cleanTimeout bounds one statement.
	cleanTimeout = 20 * time.Second
)

// These act on all accounts: they look at what is over and at nothing else. $1 is a time.
var cleanupStatements = []struct {
	what, sql string
	keep      time.Duration
}{
	{"codes", `DELETE FROM account.assistant_code WHERE expires_at <= $1`, codesKept},
	{"tokens", `DELETE FROM account.assistant_token WHERE expires_at <= $1`, 0},
	{"grants", `
		UPDATE account.assistant_grant g SET ended_at = $1, ended_by = 'key' FROM account.api_key k
		WHERE k.id = g.key_id AND g.ended_at IS NULL AND (k.revoked_at IS NOT NULL OR k.expires_at <= $1)`, 0},
	{"tokens of ended grants", `
		DELETE FROM account.assistant_token t USING account.assistant_grant g WHERE g.id = t.grant_id AND g.ended_at <= $1`, 0},
	{"clients", `
		DELETE FROM account.assistant_client c WHERE c.granted_at IS NULL AND c.created_at <= $1
		AND NOT EXISTS (SELECT FROM account.assistant_code k WHERE k.client_id = c.id)`, unusedClientKept},
}

// Jobs returns the periodic jobs of connections.
func (s *Server) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Every(cleanEvery, "clean_assistants", s.Clean)}
}

// Clean removes what is over: expired codes and tokens, connections that let all their tokens expire
// with their keys, the tokens of connections that have ended, clients that no account let in within
// days. It is run now and then, by any instance.
func (s *Server) Clean(ctx context.Context) error {
	now := s.o.Clock.Now()
	if err := s.endUnusedGrants(ctx, now); err != nil {
		return fault.Wrap("clean unused grants", err)
	}
	for _, c := range cleanupStatements {
		ctx, cancel := context.WithTimeout(ctx, cleanTimeout)
		_, err := s.o.DB.Exec(ctx, c.sql, now.Add(-c.keep))
		cancel()
		if err != nil {
			return fault.Wrap("clean "+c.what, err)
		}
	}
	return nil
}

const (
	// endBatchSize bounds what one query gives; Clean goes on until nothing is left.
	endBatchSize = 500

	isUnused = `ended_at IS NULL AND NOT EXISTS (
    SELECT FROM account.assistant_token t WHERE t.grant_id = g.id AND t.account_id = g.account_id AND t.expires_at > `

	// This one looks at all accounts.
	findUnused = `
SELECT g.account_id, g.id, g.key_id FROM account.assistant_grant g WHERE g.` + isUnused + `$1) AND g.id > $2 ORDER BY g.id LIMIT $3`

	lockGrant   = `SELECT FROM account.assistant_grant WHERE id = $2 AND account_id = $1 FOR UPDATE`
	checkUnused = `SELECT EXISTS (SELECT FROM account.assistant_grant g WHERE g.id = $2 AND g.account_id = $1 AND g.` + isUnused + `$3))`
)

// endUnusedGrants ends the connections whose tokens have all expired:
// their keys would count as connected for ever.
func (s *Server) endUnusedGrants(ctx context.Context, now time.Time) error {
	for last := int64(0); ; {
		reading, cancel := context.WithTimeout(ctx, cleanTimeout)
		found, err := pgdb.Collect(reading, s.o.DB, func(row pgx.CollectableRow) (g grant, err error) {
			err = row.Scan(&g.account, &g.id, &g.key)
			return g, err
		}, findUnused, now, last, endBatchSize)
		cancel()
		if err != nil {
			return err
		}
		for _, g := range found {
			last = g.id
			if err := s.endIfUnused(ctx, g, now); err != nil {
				return err
			}
		}
		if len(found) < endBatchSize {
			return nil
		}
	}
}

// endIfUnused ends a connection unless it was renewed since it was found. Its owner is not written to:
// nothing that they use has stopped, and the record says it.
func (s *Server) endIfUnused(ctx context.Context, g grant, now time.Time) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		err := lockAccountShared(ctx, tx, g.account)
		if errors.Is(err, errConnectionGone) {
			return nil // the account was deleted meanwhile
		}
		if err != nil {
			return err
		}
		var unused bool
		if _, err := tx.Exec(ctx, lockGrant, g.account, g.id); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, checkUnused, g.account, g.id, now).Scan(&unused); err != nil || !unused {
			return err
		}
		return s.endConnection(ctx, tx, g, endUnused)
	})
}
