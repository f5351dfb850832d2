package app

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/base/clock"
	"arpent/app/base/mail"
	"arpent/billing"
)

const (
	// How long before a key expires its owner is told, once, and how long a key must live in all for that to help.
	expiryNotice  = 7 * 24 * time.Hour
	expiryMinLife = 8 * 24 * time.Hour
	// What one run handles; the rest waits for the next.
	noticeBatch = 500
)

var (
	//go:embed notice_expiry.sql
	noticeExpirySQL string
	//go:embed notice_quota.sql
	noticeQuotaSQL string
)

// outbox takes a mail in the transaction that causes it.
type outbox interface {
	Send(ctx context.Context, tx pgx.Tx, j mail.Job) error
}

// notices tell people in time what would otherwise surprise them. A notice is recorded by the transaction that leaves
// its mail: there is never one without the other, and each is sent once, whatever the number of instances.
type notices struct {
	pool   *pgxpool.Pool
	outbox outbox
	clock  clock.Clock
}

// expiringKeys warns of keys that expire within a week.
func (n *notices) expiringKeys(ctx context.Context) error {
	now := n.clock.Now()
	return pgx.BeginFunc(ctx, n.pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, noticeExpirySQL, now, now.Add(expiryNotice), expiryMinLife, noticeBatch)
		if err != nil {
			return fmt.Errorf("find keys that expire: %w", err)
		}
		type key struct {
			Account         int64
			Email, Language string
			Name            string
			Expires         time.Time
		}
		keys, err := pgx.CollectRows(rows, pgx.RowToStructByPos[key])
		if err != nil {
			return fmt.Errorf("find keys that expire: %w", err)
		}
		for _, k := range keys {
			if err := n.outbox.Send(ctx, tx, mail.Job{Template: mail.KeyExpiring, To: k.Email, Language: k.Language, Account: k.Account,
				Values: map[string]string{"name": k.Name, "expires": k.Expires.UTC().Format(time.RFC3339)}}); err != nil {
				return err
			}
		}
		return nil
	})
}

// usedQuota is what an account has used today, and what it was told of it.
type usedQuota struct {
	Account              int64
	Email, Language      string
	Plan                 string
	PerMinute            *int
	EnrichmentsPerMinute *int
	PerDay               *int
	Used                 int64
	Told                 int // percent; 0: nothing yet
}

// quotas tells accounts that have used 80 % of their day, and those that have used all of it.
func (n *notices) quotas(ctx context.Context) error {
	day := clock.Day(n.clock.Now())
	rows, err := n.pool.Query(ctx, noticeQuotaSQL, day.Time())
	if err != nil {
		return fmt.Errorf("read what was used today: %w", err)
	}
	used, err := pgx.CollectRows(rows, pgx.RowToStructByPos[usedQuota])
	if err != nil {
		return fmt.Errorf("read what was used today: %w", err)
	}
	for _, u := range used {
		limit := int64(billing.Entitlement(u.Plan, billing.Own{PerMinute: u.PerMinute, EnrichmentsPerMinute: u.EnrichmentsPerMinute, PerDay: u.PerDay}).PerDay)
		percent := reached(u.Used, limit)
		if percent <= u.Told {
			continue
		}
		if err := n.tellQuota(ctx, u, day, limit, percent); err != nil {
			return err
		}
	}
	return nil
}

// reached is the notice that is due, in percent; 0: none.
func reached(used, limit int64) int {
	switch {
	case used >= limit:
		return 100
	case used*100 >= limit*80:
		return 80
	}
	return 0
}

// A notice of 100 % stands for that of 80 % too: whoever goes past both at once gets one mail.
const recordQuotaNotice = `
	INSERT INTO account.quota_notice (account_id, day, percent, sent_at)
	SELECT $1, $2, p, $4 FROM unnest(ARRAY[80, 100]::smallint[]) p WHERE p <= $3
	ON CONFLICT DO NOTHING
	RETURNING percent`

func (n *notices) tellQuota(ctx context.Context, u usedQuota, day clock.Date, limit int64, percent int) error {
	return pgx.BeginFunc(ctx, n.pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, recordQuotaNotice, u.Account, day.Time(), percent, n.clock.Now())
		if err != nil {
			return fmt.Errorf("record a quota notice: %w", err)
		}
		fresh, err := pgx.CollectRows(rows, pgx.RowTo[int])
		if err != nil {
			return fmt.Errorf("record a quota notice: %w", err)
		}
		for _, p := range fresh {
			if p != percent {
				continue
			}
			template := mail.Quota80
			if percent == 100 {
				template = mail.Quota100
			}
			return n.outbox.Send(ctx, tx, mail.Job{Template: template, To: u.Email, Language: u.Language, Account: u.Account,
				Values: map[string]string{"used": strconv.FormatInt(u.Used, 10), "limit": strconv.FormatInt(limit, 10), "plan": billing.Title(u.Plan)}})
		}
		return nil // another instance did
	})
}
