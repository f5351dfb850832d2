package management

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/jobs"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

const (
	expiryNoticeEvery = time.Hour
	// How long before a token expires the owner of its account is notified, once, and how long it must live in
	// all for that to help.
	expiryNotice  = 7 * 24 * time.Hour
	expiryMinLife = 8 * 24 * time.Hour
	noticeBatch   = 500 // what one run handles; the rest waits for the next
)

//go:embed expiring.sql
var expiringSQL string

// Jobs returns the periodic jobs of tokens.
func (s *Store) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Every(expiryNoticeEvery, "management_token_expiry_notice", s.NotifyExpiring)}
}

// NotifyExpiring warns the owners of accounts of management tokens that expire within a week. A warning is
// recorded by the transaction that leaves its mail: each is sent once, whatever the number of instances.
func (s *Store) NotifyExpiring(ctx context.Context) error {
	now := s.clock.Now()
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		type token struct {
			Account         int64
			Email, Language string
			Name            string
			Expires         time.Time
		}
		list, err := pgdb.Collect(ctx, tx, pgx.RowToStructByPos[token], expiringSQL, now, now.Add(expiryNotice),
			expiryMinLife, noticeBatch)
		if err != nil {
			return fmt.Errorf("find management tokens that expire: %w", err)
		}
		for _, t := range list {
			if err := mail.Send(ctx, tx, mail.Job{Template: mail.TokenExpiring, To: t.Email, Language: t.Language,
				Account: t.Account, Values: map[string]string{"name": t.Name,
					"expires": t.Expires.UTC().Format(time.RFC3339)}}); err != nil {
				return err
			}
		}
		return nil
	})
}
