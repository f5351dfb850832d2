package assistant

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// endAtOnce bounds what one query gives; Clean goes on until nothing is left.
	endAtOnce = 500

	isUnused = `ended_at IS NULL AND NOT EXISTS (
    SELECT FROM account.assistant_token t WHERE t.grant_id = g.id AND t.account_id = g.account_id AND t.expires_at > `

	// This one looks at all accounts.
	findUnused = `
SELECT g.account_id, g.id, g.key_id FROM account.assistant_grant g WHERE g.` + isUnused + `$1) AND g.id > $2 ORDER BY g.id LIMIT $3`

	holdGrant   = `SELECT FROM account.assistant_grant WHERE id = $2 AND account_id = $1 FOR UPDATE`
	stillUnused = `SELECT EXISTS (SELECT FROM account.assistant_grant g WHERE g.id = $2 AND g.account_id = $1 AND g.` + isUnused + `$3))`
)

// endUnusedGrants ends the connections that nobody can use any more: their keys would count as connected for ever.
func (s *Server) endUnusedGrants(ctx context.Context, now time.Time) error {
	for last := int64(0); ; {
		found, err := s.unusedAfter(ctx, now, last)
		if err != nil {
			return err
		}
		for _, h := range found {
			last = h.grant
			if err := s.endIfUnused(ctx, h, now); err != nil {
				return err
			}
		}
		if len(found) < endAtOnce {
			return nil
		}
	}
}

func (s *Server) unusedAfter(ctx context.Context, now time.Time, last int64) ([]held, error) {
	ctx, cancel := context.WithTimeout(ctx, cleanTimeout)
	defer cancel()
	rows, err := s.o.DB.Query(ctx, findUnused, now, last, endAtOnce)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (h held, err error) {
		err = row.Scan(&h.account, &h.grant, &h.key)
		return h, err
	})
}

// endIfUnused ends a connection unless it was renewed since it was found. Its owner is not written to: nothing that they
// use has stopped, and the record says it.
func (s *Server) endIfUnused(ctx context.Context, h held, now time.Time) error {
	return s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := hold(ctx, tx, h.account); err != nil {
			return unlessGone(err)
		}
		var unused bool
		if _, err := tx.Exec(ctx, holdGrant, h.account, h.grant); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, stillUnused, h.account, h.grant, now).Scan(&unused); err != nil || !unused {
			return err
		}
		return s.end(ctx, tx, h, endUnused, true)
	})
}

// unlessGone passes over an account that was deleted meanwhile.
func unlessGone(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}
