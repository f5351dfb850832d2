package billing

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/pgdb"
)

// readRow reads an account and its subscription; none is the error where there is no such account.
func readRow(ctx context.Context, db pgdb.DB, none error, which string, arg any) (Row, error) {
	r, err := scanRow(db.QueryRow(ctx, findSubscription+which, arg))
	return r, pgdb.RowError(err, none, "read a subscription")
}

func scanRow(row pgx.Row) (Row, error) {
	var (
		r              Row
		period, readAt *time.Time
	)
	err := row.Scan(&r.Account, &r.Email, &r.Language, &r.Granted, &r.Plan,
		&r.CustomerID, &r.SubscriptionID, &r.Snapshot.Plan, &r.Status, &period,
		&r.CancelAtPeriodEnd, &r.NextPlan, &r.PastDueSince, &r.PastDueNotified, &r.GraceOverNotified, &r.Disputed,
		&readAt, &r.Reference, &r.AddressNeeded, &r.AddressNotified, &r.Yearly, &r.NextYearly)
	if period != nil {
		r.PeriodEnd = *period
	}
	if readAt != nil {
		r.ReadAt = *readAt
	}
	return r, err
}

// Once the offer changes, a mail about its renewal no longer counts: RemindRenewals sends another.
const updateSubscription = `
UPDATE account.subscription SET subscription_id = nullif($2, ''), plan = nullif($3, ''), status = nullif($4, ''), period_end = $5,
    cancel_at_period_end = $6, next_plan = nullif($7, ''), past_due_since = $8, past_due_told = $9, grace_over_told = $10,
    disputed = $11, read_at = $12, updated_at = $13, address_needed = $14, address_told = $15,
    yearly = $16, next_yearly = $17,
    renewal_told_for = CASE WHEN (plan, yearly, next_plan, next_yearly) IS NOT DISTINCT FROM
        (nullif($3, ''), $16::boolean, nullif($7, ''), $17::boolean) THEN renewal_told_for END
WHERE account_id = $1`

func saveState(ctx context.Context, tx pgx.Tx, r Row, now time.Time) error {
	_, err := tx.Exec(ctx, updateSubscription, r.Account, r.SubscriptionID, r.Snapshot.Plan, r.Status,
		nilIfZero(r.PeriodEnd), r.CancelAtPeriodEnd, r.NextPlan, r.PastDueSince, r.PastDueNotified,
		r.GraceOverNotified, r.Disputed, nilIfZero(r.ReadAt), now, r.AddressNeeded, r.AddressNotified, r.Yearly,
		r.NextYearly)
	return fault.Wrap(fmt.Sprintf("write the subscription of account %d", r.Account), err)
}

func nilIfZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
