package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/clock"
	"arpent/app/ident"
)

const (
	orphanCustomer = `
INSERT INTO account.orphan_customer (customer_id, subscription_id, since)
SELECT customer_id, subscription_id, $2 FROM account.subscription WHERE account_id = $1 ON CONFLICT DO NOTHING`
	// Events repeat names and addresses.
	blankEvents = `UPDATE account.stripe_event SET payload = '{}' WHERE account_id = $1`
)

// BeforeDelete keeps, in the transaction that deletes an account, what has still to be ended at Stripe, and blanks
// what Stripe told of the person.
func BeforeDelete(c clock.Clock) func(ctx context.Context, tx pgx.Tx, account ident.AccountID) error {
	return func(ctx context.Context, tx pgx.Tx, account ident.AccountID) error {
		if _, err := tx.Exec(ctx, orphanCustomer, account, c.Now()); err != nil {
			return fmt.Errorf("keep the customer of a deleted account: %w", err)
		}
		if _, err := tx.Exec(ctx, blankEvents, account); err != nil {
			return fmt.Errorf("blank the events of a deleted account: %w", err)
		}
		return nil
	}
}

// EndOrphans ends at Stripe what deleted accounts still pay for. end has to end all that a customer has; a customer
// that it fails for stays for the next time.
func (s *Store) EndOrphans(ctx context.Context, end func(ctx context.Context, customerID string) error) (ended int, err error) {
	rows, err := s.db.Query(ctx, `SELECT customer_id FROM account.orphan_customer ORDER BY since LIMIT 100`)
	if err != nil {
		return 0, fmt.Errorf("list the customers of deleted accounts: %w", err)
	}
	customers, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("list the customers of deleted accounts: %w", err)
	}
	var failed []error
	for _, customer := range customers {
		if err := end(ctx, customer); err != nil {
			failed = append(failed, fmt.Errorf("end what customer %s of a deleted account has: %w", customer, err))
			continue
		}
		if _, err := s.db.Exec(ctx, `DELETE FROM account.orphan_customer WHERE customer_id = $1`, customer); err != nil {
			return ended, fmt.Errorf("forget the customer of a deleted account: %w", err)
		}
		ended++
	}
	return ended, errors.Join(failed...)
}

// Orphans counts the customers of deleted accounts that have still to be ended at Stripe, and since when the oldest waits.
func (s *Store) Orphans(ctx context.Context) (n int, since *time.Time, err error) {
	if err = s.db.QueryRow(ctx, `SELECT count(*), min(since) FROM account.orphan_customer`).Scan(&n, &since); err != nil {
		return 0, nil, fmt.Errorf("count the customers of deleted accounts: %w", err)
	}
	return n, since, nil
}
