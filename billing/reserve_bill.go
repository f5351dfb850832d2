package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// ReserveInvoice asks for the invoice of what an account used of its reserve in a month.
type ReserveInvoice struct {
	Account      ident.AccountID
	Customer     Customer
	Subscription string // whose payment method is charged
	Month        time.Time
	Requests     int
	Language     string // fr or en
	Attempt      string
}

const (
	requestReserve = "reserve"
	// reserveDue is how long after its end a month is invoiced: every instance has written its counts by
	// then.
	reserveDue = 6 * time.Hour
	// reservePaidWithin is how long Stripe has to collect an invoice before the reserve ends.
	reservePaidWithin = 3 * 24 * time.Hour
	reserveCheckEvery = 24 * time.Hour
)

// reserveBill is a month that is to be invoiced, or whose payment is to be looked for.
type reserveBill struct {
	Account  ident.AccountID
	Month    time.Time
	Invoice  string // at Stripe; empty: not made yet
	Requests int
}

const (
	findReserveBills = `
SELECT m.account_id, m.month, coalesce(m.invoice_id, ''), least(m.per_month, (
    SELECT coalesce(sum(greatest(q.used - d.quota, 0)), 0)
    FROM account.reserve_day d JOIN account.quota_day q ON q.account_id = d.account_id AND q.day = d.day
    WHERE d.account_id = m.account_id AND d.day >= m.month AND d.day < m.month + interval '1 month'))::integer
FROM account.reserve_month m `
	reserveUninvoiced = `WHERE m.invoiced_at IS NULL AND m.month < $1 ORDER BY m.month, m.account_id`
	reserveUnpaidOf   = `WHERE m.account_id = $1 AND m.invoiced_at IS NULL AND m.invoice_id IS NULL`
	reserveOpenOf     = `WHERE m.account_id = $1 AND m.invoiced_at < $2 AND m.closed_at IS NULL`
	reserveOpen       = `WHERE m.invoiced_at < $1 AND m.closed_at IS NULL AND (m.checked_at IS NULL OR m.checked_at < $2)
ORDER BY m.month, m.account_id`

	saveReserveInvoice  = `UPDATE account.reserve_month SET invoice_id = $3 WHERE account_id = $1 AND month = $2`
	saveReserveInvoiced = `
UPDATE account.reserve_month SET requests = $3, invoiced_at = $4, closed_at = CASE WHEN $3 = 0 THEN $4::timestamptz END
WHERE account_id = $1 AND month = $2`
	saveReserveChecked = `
UPDATE account.reserve_month SET checked_at = $3, closed_at = CASE WHEN $4 THEN $3::timestamptz END WHERE account_id = $1 AND month = $2`
)

// InvoiceReserves invoices what accounts used of their reserves in the months that are over, never more than
// they had chosen, and ends the reserves whose invoices are not paid within three days. A month is invoiced
// once, however often it is tried.
func (s *Service) InvoiceReserves(ctx context.Context) error {
	if !s.Sells() {
		return nil
	}
	now := s.clock.Now()
	due, err := s.queryReserveBills(ctx, s.db, reserveUninvoiced, firstOfMonth(clock.Day(now.Add(-reserveDue))))
	if err != nil {
		return err
	}
	var failed []error
	refused := map[ident.AccountID][]Finding{}
	for _, b := range due {
		err := s.invoiceReserve(ctx, b)
		switch {
		case err == nil:
			if refused[b.Account] == nil {
				refused[b.Account] = []Finding{} // what was reported before is over
			}
		case errors.Is(err, ErrUnavailable):
			failed = append(failed, err)
		default:
			refused[b.Account] = append(refused[b.Account], Finding{Kind: ReserveNotInvoiced, Object: b.String(),
				Account: b.Account, Detail: err.Error()})
		}
	}
	for account, found := range refused {
		failed = append(failed, s.replaceFindings(ctx, account, []FindingKind{ReserveNotInvoiced}, found...))
	}
	open, err := s.queryReserveBills(ctx, s.db, reserveOpen, now.Add(-reservePaidWithin), now.Add(-reserveCheckEvery))
	for _, b := range open {
		failed = append(failed, s.checkReservePaid(ctx, b))
	}
	return errors.Join(append(failed, err)...)
}

func (s *Service) queryReserveBills(ctx context.Context, db pgdb.DB, which string,
	args ...any) ([]reserveBill, error) {
	all, err := pgdb.Collect(ctx, db, pgx.RowToStructByPos[reserveBill], findReserveBills+which, args...)
	return all, fault.Wrap("read the months of reserves", err)
}

// String names the month of an account.
func (b reserveBill) String() string {
	return fmt.Sprintf("%d %s", b.Account, b.Month.Format("2006-01"))
}

func (s *Service) invoiceReserve(ctx context.Context, b reserveBill) error {
	if b.Requests > 0 {
		row, err := s.Customer(ctx, b.Account)
		if err != nil {
			return err
		}
		if row.CustomerID == "" {
			return fmt.Errorf("invoice the reserve of account %d: %w", b.Account, ErrNoCustomer)
		}
		r := ReserveInvoice{Account: b.Account, Customer: row.AtStripe(), Subscription: row.SubscriptionID, Month: b.Month,
			Requests: b.Requests, Language: row.Language}
		err = s.withAttempt(ctx, b.Account, requestReserve, func(attempt string) error {
			r.Attempt = attempt
			return s.chargeReserve(ctx, b.Invoice, r, saveReserveInvoice, b.Account, b.Month)
		})
		if err != nil {
			return err
		}
	}
	_, err := s.db.Exec(ctx, saveReserveInvoiced, b.Account, b.Month, b.Requests, s.clock.Now())
	return fault.Wrap("note that a reserve is invoiced", err)
}

// chargeReserve has the invoice of a month collected. The number of the draft is kept before anything is on
// it: what goes wrong later goes on with the same invoice, and does not make another. The number follows the
// parameters of save.
func (s *Service) chargeReserve(ctx context.Context, invoice string, r ReserveInvoice, save string,
	row ...any) (err error) {
	if invoice == "" {
		if invoice, err = s.DraftReserve(ctx, r); err != nil {
			return err
		}
		tag, err := s.db.Exec(ctx, save, append(row, invoice)...)
		if err == nil && tag.RowsAffected() == 0 {
			err = errors.New("the account was deleted meanwhile")
		}
		if err != nil {
			return fmt.Errorf("keep the invoice of a reserve: %w", err)
		}
	}
	return s.ChargeReserve(ctx, invoice, r)
}

// checkReservePaid looks whether an invoice was paid, and ends the reserve of an account that did not.
func (s *Service) checkReservePaid(ctx context.Context, b reserveBill) error {
	paid, err := s.IsInvoiceClosed(ctx, b.Invoice)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, saveReserveChecked, b.Account, b.Month, s.clock.Now(), paid); err != nil {
			return fmt.Errorf("note the payment of a reserve: %w", err)
		}
		if paid {
			return nil
		}
		row, err := lockRow(ctx, tx, b.Account)
		if err != nil {
			return err
		}
		if ended, err := s.endReserve(ctx, tx, b.Account); err != nil || !ended {
			return err
		}
		return sendBillingMail(ctx, tx, mail.Job{Template: mail.ReserveEnded, To: row.Email, Language: row.Language,
			Account: int64(b.Account)})
	})
}
