package billing

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/audit"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// MaxReserve is the largest reserve that an owner can choose for a month.
const MaxReserve = 10_000_000

// ActionReserveChosen is written in the record of an account when its owner chooses a reserve or ends it,
// and when the service ends it because its invoice is not paid.
const ActionReserveChosen = "reserve_chosen"

// ReserveState is the reserve of an account: requests beyond the quota of a day that its owner pays for, so
// that a day's peak does not stop a product. It is used once the quota of the day is, and counts as whatever
// the days of the month had beyond theirs. After the month it is invoiced by an invoice of its own. While
// the subscription is not active, or unpaid, nothing is admitted beyond the quota.
type ReserveState struct {
	PerMonth int // what the owner chose; 0: none
	Used     int // of this month
	Usable   bool
}

// The outcomes of ChooseReserve.
var (
	ErrReserveSize   = fmt.Errorf("a reserve has 0 to %d requests a month", MaxReserve)
	ErrNoReserveSold = errors.New("no reserve is sold to this account")
	ErrReserveUnpaid = errors.New("an invoice of the reserve is not paid")
)

// reserve is what the month of an account has of it.
type reserve struct {
	Account         ident.AccountID
	Email, Language string
	Plan            string
	Own
	PerMonth, Left        int
	LeftIsOfToday, Usable bool
	Highest, Notified     int // of the month: what was chosen, and the percentage that the owner was notified of
	QuotaToday            int // the highest of today so far; 0: no reserve today
	UsedBefore, UsedToday int // of the reserve, this month
}

func (r *reserve) countUsed() int { return r.UsedBefore + r.UsedToday }

// reserveNotices are the percentages of a reserve at which its owner gets a mail.
var reserveNotices = []int{50, 80, 100}

// reachedNotice is the highest of them that was reached; 0: none.
func (r *reserve) reachedNotice() (percent int) {
	for _, p := range reserveNotices {
		if r.PerMonth > 0 && r.countUsed()*100 >= r.PerMonth*p {
			percent = p
		}
	}
	return percent
}

//go:embed reserve_find.sql
var findReserves string

const (
	reservesInUse = ` WHERE a.reserve_per_month IS NOT NULL OR EXISTS (SELECT 1 FROM account.reserve_day d WHERE d.account_id = a.id AND d.day = $1)
ORDER BY a.id`
	reserveOf = ` WHERE a.id = $3`
)

// firstOfMonth gives the first day of the month of a day.
func firstOfMonth(day clock.Date) time.Time {
	t := day.Time()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

func (s *Service) queryReserves(ctx context.Context, db pgdb.DB, today clock.Date, which string,
	args ...any) ([]reserve, error) {
	all, err := pgdb.Collect(ctx, db, pgx.RowToStructByPos[reserve], findReserves+which,
		append([]any{today.Time(), firstOfMonth(today)}, args...)...)
	return all, fault.Wrap("read the reserves", err)
}

// Reserve reads the reserve of an account.
func (s *Service) Reserve(ctx context.Context, account ident.AccountID) (ReserveState, error) {
	all, err := s.queryReserves(ctx, s.db, clock.Day(s.clock.Now()), reserveOf, account)
	if err != nil || len(all) == 0 {
		return ReserveState{}, err
	}
	r := all[0]
	return ReserveState{PerMonth: r.PerMonth, Used: r.countUsed(), Usable: r.Usable}, nil
}

// ChooseReserve sets how many requests beyond the quotas of its days an account pays for in a month at most;
// 0 ends it. What was used of it before stays to be paid. It takes effect at once on every instance.
func (s *Service) ChooseReserve(ctx context.Context, account ident.AccountID, perMonth int) error {
	if perMonth < 0 || perMonth > MaxReserve {
		return ErrReserveSize
	}
	if perMonth > 0 {
		if !s.sellsReserve() {
			return ErrNoReserveSold
		}
		open, err := s.queryReserveBills(ctx, s.db, reserveOpenOf, account, s.clock.Now().Add(-reservePaidWithin))
		if err != nil {
			return err
		}
		for _, b := range open {
			if closed, err := s.IsInvoiceClosed(ctx, b.Invoice); err != nil {
				return err
			} else if !closed {
				return ErrReserveUnpaid
			}
		}
	}
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		row, err := lockRow(ctx, tx, account)
		if err != nil {
			return err
		}
		if perMonth > 0 && (!row.Live() || row.Plan == Free) {
			return ErrNoReserveSold
		}
		return s.setReserve(ctx, tx, account, perMonth)
	})
}

func (s *Service) sellsReserve() bool { return s.Sells() && s.SellsReserve() }

// endReserve ends the reserve of an account whose subscription has ended, as another one begins without, or
// which has not paid it. It reports whether there was one.
func (s *Service) endReserve(ctx context.Context, tx pgx.Tx, account ident.AccountID) (bool, error) {
	all, err := s.queryReserves(ctx, tx, clock.Day(s.clock.Now()), reserveOf, account)
	if err != nil || len(all) == 0 || all[0].PerMonth == 0 {
		return false, err
	}
	return true, s.setReserve(audit.With(ctx, audit.Actor{Kind: audit.ActorSystem}), tx, account, 0)
}

const (
	setReserve        = `UPDATE account.account SET reserve_per_month = nullif($2, 0), updated_at = $3 WHERE id = $1`
	setReserveNotices = `UPDATE account.reserve_month SET notified = $3 WHERE account_id = $1 AND month = $2`
)

// setReserve changes the reserve of an account whose row is locked. A notice that the new size has reached
// already is not sent.
func (s *Service) setReserve(ctx context.Context, tx pgx.Tx, account ident.AccountID, perMonth int) error {
	now := s.clock.Now()
	today := clock.Day(now)
	if _, err := tx.Exec(ctx, setReserve, account, perMonth, now); err != nil {
		return fmt.Errorf("set the reserve of account %d: %w", account, err)
	}
	all, err := s.queryReserves(ctx, tx, today, reserveOf, account)
	if err != nil || len(all) == 0 {
		return err
	}
	if err := s.saveReserve(ctx, tx, &all[0], today); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, setReserveNotices, account, firstOfMonth(today), all[0].reachedNotice())
	if err != nil {
		return fmt.Errorf("set the notices of the reserve of account %d: %w", account, err)
	}
	return audit.RecordAct(ctx, tx, now, account, ActionReserveChosen, map[string]any{"per_month": perMonth})
}

const (
	// What was used before a day has a row was admitted by a quota, perhaps a higher one of that day.
	saveReserveDay = `
INSERT INTO account.reserve_day AS d (account_id, day, quota) VALUES ($1, $2, greatest($3,
    (SELECT q.used FROM account.quota_day q WHERE q.account_id = $1 AND q.day = $2)))
ON CONFLICT (account_id, day) DO UPDATE SET quota = greatest(d.quota, $3)`
	saveReserveMonth = `
INSERT INTO account.reserve_month AS m (account_id, month, per_month) VALUES ($1, $2, $3)
ON CONFLICT (account_id, month) DO UPDATE SET per_month = greatest(m.per_month, excluded.per_month)`
	saveReserveLeft = `UPDATE account.account SET reserve_left = $2, reserve_day = $3 WHERE id = $1`
)

// saveReserve brings what is kept of a reserve up to date: the highest quota of today, from which the
// reserve counts, the highest reserve of the month, and what was left of it as today began, which every
// instance is notified of.
func (s *Service) saveReserve(ctx context.Context, tx pgx.Tx, r *reserve, today clock.Date) error {
	changes := &pgx.Batch{}
	if quota := Entitlement(r.Plan, r.Own).PerDay; quota > r.QuotaToday {
		changes.Queue(saveReserveDay, r.Account, today.Time(), quota)
	}
	if r.PerMonth > r.Highest {
		changes.Queue(saveReserveMonth, r.Account, firstOfMonth(today), r.PerMonth)
	}
	left := 0
	if s.sellsReserve() && r.Usable && r.Plan != Free {
		left = max(0, r.PerMonth-r.UsedBefore) // at the start of today
	}
	if left != r.Left || !r.LeftIsOfToday {
		changes.Queue(saveReserveLeft, r.Account, left, today.Time())
	}
	if changes.Len() == 0 {
		return nil
	}
	err := tx.SendBatch(ctx, changes).Close()
	return fault.Wrap(fmt.Sprintf("save the reserve of account %d", r.Account), err)
}

// UpdateReserves has each reserve begin its day with what the days before left of the month, and notifies
// owners of what is used. Until it ran after midnight, nothing is admitted beyond the quota of the new day.
func (s *Service) UpdateReserves(ctx context.Context) error {
	today := clock.Day(s.clock.Now())
	all, err := s.queryReserves(ctx, s.db, today, reservesInUse)
	if err != nil {
		return err
	}
	var failed []error
	for _, r := range all {
		failed = append(failed, s.updateReserve(ctx, r.Account, today))
	}
	return errors.Join(failed...)
}

const recordReserveNotice = `
UPDATE account.reserve_month SET notified = $3 WHERE account_id = $1 AND month = $2 AND notified < $3`

func (s *Service) updateReserve(ctx context.Context, account ident.AccountID, today clock.Date) error {
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockAccount, account); err != nil {
			return fmt.Errorf("lock account %d: %w", account, err)
		}
		all, err := s.queryReserves(ctx, tx, today, reserveOf, account)
		if err != nil || len(all) == 0 {
			return err
		}
		r := &all[0]
		if err := s.saveReserve(ctx, tx, r, today); err != nil {
			return err
		}
		percent := r.reachedNotice()
		if percent <= r.Notified {
			return nil
		}
		tag, err := tx.Exec(ctx, recordReserveNotice, account, firstOfMonth(today), percent)
		if err != nil || tag.RowsAffected() == 0 {
			return fault.Wrap("record a notice about a reserve", err)
		}
		return sendBillingMail(ctx, tx, mail.Job{Template: mail.ReserveUsed, To: r.Email, Language: r.Language,
			Account: int64(account), Values: map[string]string{"percent": strconv.Itoa(percent),
				"used": strconv.Itoa(min(r.countUsed(), r.PerMonth)), "limit": strconv.Itoa(r.PerMonth)}})
	})
}
