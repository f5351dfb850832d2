package apikey

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/event"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

const (
	expiryNoticeEvery = time.Hour
	// How long before a key expires its owner is notified, once, and how long a
	// key must live in all for that to help.
	expiryNotice  = 7 * 24 * time.Hour
	expiryMinLife = 8 * 24 * time.Hour
	// What one run handles; the rest waits for the next.
	noticeBatch = 500
)

//go:embed expiring.sql
var expiringSQL string

// Jobs returns the periodic jobs of keys.
func (s *Store) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Every(expiryNoticeEvery, "expiry_notice", s.NotifyExpiring)}
}

// NotifyExpiring warns the owners of keys that expire within a week. A warning is recorded by the transaction
// that leaves its mail: each is sent once, whatever the number of instances.
func (s *Store) NotifyExpiring(ctx context.Context) error {
	now := s.clock.Now()
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		type key struct {
			Account         int64
			Email, Language string
			Name            string
			Expires         time.Time
			ID              ident.KeyID
			Kind            Kind
			Last4           string
			Replaces        *ident.KeyID
		}
		keys, err := pgdb.Collect(ctx, tx, pgx.RowToStructByPos[key], expiringSQL, now, now.Add(expiryNotice),
			expiryMinLife, noticeBatch)
		if err != nil {
			return fmt.Errorf("find keys that expire: %w", err)
		}
		for _, k := range keys {
			if err := mail.Send(ctx, tx, mail.Job{Template: mail.KeyExpiring, To: k.Email, Language: k.Language,
				Account: k.Account,
				Values: map[string]string{"name": k.Name,
					"expires": k.Expires.UTC().Format(time.RFC3339)}}); err != nil {
				return err
			}
			key := Key{ID: k.ID, Name: k.Name, Kind: k.Kind, Last4: k.Last4, ExpiresAt: &k.Expires,
				Replaces: k.Replaces}
			if err := recordEvent(ctx, tx, ident.AccountID(k.Account), event.KeyExpiring, key, now); err != nil {
				return err
			}
		}
		return nil
	})
}
