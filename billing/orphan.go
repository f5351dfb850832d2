package billing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/pgdb"
)

// ClosedCustomer is a customer at Stripe whose account was deleted. It names no person.
type ClosedCustomer struct {
	ID             string
	Reference      string    // of the account: what carries another one is not ended
	SubscriptionID string    // what the account had; empty: nothing
	DeletedAt      time.Time // what was paid for SubscriptionID before is not given back
	Reserve        int       // requests of a reserve that are not paid yet
	ReserveInvoice string    // the draft for them; empty: not made yet
}

// closedKept is how long a customer is remembered at least; after it, until a closing finds nothing.
// A checkout page can be paid on for a day; a direct debit that was begun there takes up to 14
// working days; Stripe repeats an event for 3 days.
const closedKept = 30 * 24 * time.Hour

const (
	// A first payment that has not been confirmed when the account goes has bought nothing.
	orphanCustomer = `
INSERT INTO account.orphan_customer (customer_id, subscription_id, since, reference, reserve_requests)
SELECT customer_id, CASE WHEN status <> 'incomplete' THEN subscription_id END, $2, billing_reference, $3
FROM account.subscription JOIN account.account ON id = account_id WHERE account_id = $1 ON CONFLICT DO NOTHING`
	// Events repeat names and addresses.
	blankEvents = `UPDATE account.stripe_event SET payload = '{}' WHERE account_id = $1`
)

// BeforeDelete keeps, in the transaction that deletes an account, what has still to be ended at Stripe,
// blanks what Stripe reported of the person, and has the rest done once the deletion is certain. It returns
// the title of the plan whose subscription ends with the account; empty: none.
func (s *Service) BeforeDelete(
	ctx context.Context, tx pgx.Tx, account ident.AccountID) (plan string, err error) {
	row, err := readRow(ctx, tx, pgx.ErrNoRows, whereAccount, account)
	if err != nil {
		return "", err
	}
	bills, err := s.queryReserveBills(ctx, tx, reserveUnpaidOf, account)
	if err != nil {
		return "", err
	}
	unpaid := 0
	for _, b := range bills {
		unpaid += b.Requests
	}
	if _, err := tx.Exec(ctx, orphanCustomer, account, s.clock.Now(), unpaid); err != nil {
		return "", fmt.Errorf("keep the customer of a deleted account: %w", err)
	}
	if _, err := tx.Exec(ctx, blankEvents, account); err != nil {
		return "", fmt.Errorf("blank the events of a deleted account: %w", err)
	}
	if !s.Sells() { // nothing can be ended: Stripe may charge until plans are sold again
		return "", nil
	}
	if row.Live() {
		plan = Title(row.Snapshot.Plan)
	}
	// see grace
	if err := jobs.Insert(ctx, tx, jobs.Named(closeJob), &river.InsertOpts{MaxAttempts: 1}); err != nil {
		return "", fmt.Errorf("have the customer of a deleted account closed: %w", err)
	}
	return plan, nil
}

// BeforeOperatorDelete is BeforeDelete for the act of an operator. It returns a fault.InvalidParameter for an
// account that is a customer at Stripe while there is no key of Stripe: its subscription could not be ended.
func (s *Service) BeforeOperatorDelete(
	ctx context.Context, tx pgx.Tx, account ident.AccountID) (plan string, err error) {
	row, err := readRow(ctx, tx, pgx.ErrNoRows, whereAccount, account)
	if err == nil && row.CustomerID != "" && !s.Sells() {
		err = fault.Invalid("the account is a customer at Stripe, which there is no key of here " +
			"(ARPENT_STRIPE_KEY): its subscription would go on")
	}
	if err != nil {
		return "", err
	}
	return s.BeforeDelete(ctx, tx, account)
}

const findClosed = `
SELECT customer_id, reference, coalesce(subscription_id, ''), since, reserve_requests, coalesce(reserve_invoice, '')
FROM account.orphan_customer `

// Which closed customers. One is closed a second time a minute after the deletion: a checkout page that
// was being opened meanwhile is there by then.
const (
	closedNamed   = `WHERE customer_id = $1`
	closedPending = `WHERE closed_at IS NULL OR closed_at < since + interval '1 minute' OR reserve_requests > 0 ORDER BY closed_at NULLS FIRST, since LIMIT 100`
	closedAll     = `ORDER BY closed_at NULLS FIRST, since`
)

// ClosePending ends at Stripe what the customers of deleted accounts have. One
// that cannot be ended stays for the next time.
func (s *Service) ClosePending(ctx context.Context) error {
	customers, err := s.queryClosedCustomers(ctx, closedPending)
	if err != nil {
		return err
	}
	var failed []error
	for _, c := range customers {
		failed = append(failed, s.closeCustomer(ctx, c))
	}
	return errors.Join(failed...)
}

func (s *Service) queryClosedCustomers(
	ctx context.Context, which string, args ...any) ([]ClosedCustomer, error) {
	customers, err := pgdb.Collect(ctx, s.db, pgx.RowToStructByPos[ClosedCustomer], findClosed+which, args...)
	return customers, fault.Wrap("list the customers of deleted accounts", err)
}

func (s *Service) closeCustomer(ctx context.Context, c ClosedCustomer) error {
	now := s.clock.Now()
	found, err := s.CloseCustomer(ctx, c)
	if err != nil {
		return fmt.Errorf("end what customer %s of a deleted account has: %w", c.ID, err)
	}
	if c.Reserve > 0 { // with the card, which is taken away by the next closing once it is paid
		if err := s.chargeClosedReserve(ctx, c); err != nil {
			return err
		}
	}
	if found || now.Sub(c.DeletedAt) < closedKept {
		_, err = s.db.Exec(ctx, `UPDATE account.orphan_customer SET closed_at = $2 WHERE customer_id = $1`,
			c.ID, now)
	} else {
		_, err = s.db.Exec(ctx, `DELETE FROM account.orphan_customer WHERE customer_id = $1`, c.ID)
	}
	if err != nil {
		return fmt.Errorf("note that customer %s of a deleted account has nothing: %w", c.ID, err)
	}
	return nil
}

const (
	saveClosedInvoice = `UPDATE account.orphan_customer SET reserve_invoice = $2 WHERE customer_id = $1`
	closedReserveDone = `UPDATE account.orphan_customer SET reserve_requests = 0 WHERE customer_id = $1`
)

// chargeClosedReserve has the customer of a deleted account pay what it used of its reserve. One that is not
// paid within the time that closed customers are remembered is not waited for any longer.
func (s *Service) chargeClosedReserve(ctx context.Context, c ClosedCustomer) error {
	r := ReserveInvoice{Customer: Customer{ID: c.ID, Reference: c.Reference}, Subscription: c.SubscriptionID,
		Month: c.DeletedAt, Requests: c.Reserve, Attempt: "deleted"}
	err := s.chargeReserve(ctx, c.ReserveInvoice, r, saveClosedInvoice, c.ID)
	done := errors.Is(err, ErrNoCustomer) // it was deleted at Stripe too
	if !done && err == nil && c.ReserveInvoice != "" {
		done, err = s.IsInvoiceClosed(ctx, c.ReserveInvoice)
	}
	if !done && s.clock.Now().Sub(c.DeletedAt) > closedKept {
		slog.WarnContext(ctx, "reserve of a deleted account given up unpaid", "customer", c.ID, "requests", c.Reserve,
			"error", err)
		done = true
	}
	if done {
		_, err = s.db.Exec(ctx, closedReserveDone, c.ID)
	}
	return fault.Wrap("invoice the reserve of a deleted account", err)
}

// Orphans counts the customers of deleted accounts that have still to be ended at Stripe.
func (s *Service) Orphans(ctx context.Context) (int, error) {
	return pgdb.Value[int](ctx, s.db, nil, "count the customers of deleted accounts",
		`SELECT count(*) FROM account.orphan_customer WHERE closed_at IS NULL`)
}
