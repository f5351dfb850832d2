package meter

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/billing"
	"arpent/internal/clock"
	"arpent/internal/event"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

const quotaNoticeEvery = 30 * time.Second

//go:embed quota_notice.sql
var quotaNoticeSQL string

// Jobs returns the periodic jobs of the counts, except their flush.
func (m *Meter) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Every(quotaNoticeEvery, "quota_notice", m.NotifyQuotas)}
}

// usedQuota is what an account has used today, and what it was notified of.
type usedQuota struct {
	Account         int64
	Email, Language string
	Plan            string
	billing.Own
	Used     int64
	Notified int   // percent; 0: nothing yet
	Wanted   []int // percentages at which the owner wants a notice
	Reserve  int   // what was left of the month's as the day began
	Mails    bool  // the owner wants mails; otherwise the account has an endpoint for the event
}

// NotifyQuotas notifies accounts that have used a percentage of their day that their owner chose, the further
// addresses whose readers agreed, and the endpoints of the account. A notice is recorded by the transaction
// that leaves its mails and its event: each is sent once, whatever the number of instances.
func (m *Meter) NotifyQuotas(ctx context.Context) error {
	day := clock.Day(m.clock.Now())
	used, err := pgdb.Collect(ctx, m.ledger.db, pgx.RowToStructByPos[usedQuota], quotaNoticeSQL, day.Time())
	if err != nil {
		return fmt.Errorf("read what was used today: %w", err)
	}
	for _, u := range used {
		limit := int64(billing.Entitlement(u.Plan, u.Own).PerDay)
		percent := 0 // of the notice that is due, the highest of those that were reached; 0: none
		for _, wanted := range u.Wanted {
			if u.Used*100 >= limit*int64(wanted) {
				percent = max(percent, wanted)
			}
		}
		if percent <= u.Notified {
			continue
		}
		if err := m.notifyQuota(ctx, u, day, limit, percent); err != nil {
			return err
		}
	}
	return nil
}

// A notice stands for those of lower percentages too: an account that goes past several at once gets one
// mail.
const recordQuotaNotice = `
	INSERT INTO account.quota_notice (account_id, day, percent, sent_at)
	SELECT $1, $2, p, $4 FROM unnest($5::smallint[]) p WHERE p <= $3
	ON CONFLICT DO NOTHING
	RETURNING percent`

// quotaMails are the notices of some percentages; mail.QuotaPart is that of the others.
var quotaMails = map[int]mail.Template{80: mail.Quota80, 100: mail.Quota100}

const confirmedAddresses = `
	SELECT id, email FROM account.notice_address WHERE account_id = $1 AND confirmed_at IS NOT NULL ORDER BY id`

func (m *Meter) notifyQuota(ctx context.Context, u usedQuota, day clock.Date, limit int64,
	percent int) error {
	return pgx.BeginFunc(ctx, m.ledger.db, func(tx pgx.Tx) error {
		fresh, err := pgdb.Collect(ctx, tx, pgx.RowTo[int], recordQuotaNotice, u.Account, day.Time(), percent,
			m.clock.Now(), u.Wanted)
		if err != nil {
			return fmt.Errorf("record a quota notice: %w", err)
		}
		if !slices.Contains(fresh, percent) {
			return nil // another instance did
		}
		if err := event.Record(ctx, tx, ident.AccountID(u.Account), event.QuotaThreshold, m.clock.Now(),
			event.QuotaData{Day: day.String(), Percent: percent, Used: u.Used, Limit: limit, Plan: u.Plan}); err != nil {
			return err
		}
		if !u.Mails {
			return nil
		}
		job := mail.Job{Template: quotaMails[percent], To: u.Email, Language: u.Language, Account: u.Account,
			Values: map[string]string{"used": strconv.FormatInt(u.Used, 10), "limit": strconv.FormatInt(limit, 10),
				"plan": billing.Title(u.Plan)}}
		if u.Reserve > 0 {
			job.Values["reserve"] = strconv.Itoa(u.Reserve)
		}
		if job.Template == "" {
			job.Template, job.Values["percent"] = mail.QuotaPart, strconv.Itoa(percent)
		}
		if err := mail.Send(ctx, tx, job); err != nil {
			return err
		}
		job.Template, job.Values["percent"] = mail.QuotaCopy, strconv.Itoa(percent)
		return mail.SendCopies(ctx, tx, job, mail.PurposeNotices, confirmedAddresses)
	})
}
