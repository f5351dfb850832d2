package billing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

const (
	renewalEvery = time.Hour
	// RenewalNotice is how long before a subscription renews for a year its owner gets a mail about it. The
	// law wants it between three months and one month before (article L215-1 of the code de la
	// consommation).
	RenewalNotice = 60 * 24 * time.Hour
	// Until so long before, just over the month of the law, the mail waits for Stripe to say what the year
	// costs.
	renewalAmountWait = 32 * 24 * time.Hour
	// maxRenewals of one run; the next one goes on.
	maxRenewals = 500
)

// RenewsForYear returns the offer that the subscription renews with for a year at PeriodEnd, unless it is
// cancelled before; the zero value: it does not.
func (s Snapshot) RenewsForYear() Offer {
	next := s.Offer()
	if change := s.ChangesTo(); change != (Offer{}) {
		next = change
	}
	switch s.Status {
	case Active, Trialing, PastDue:
		if next.Yearly && !s.CancelAtPeriodEnd {
			return next
		}
	}
	return Offer{}
}

// A few rows at once: subscriptions that renew for a year within two months, of which the owner does not know
// yet.
const findRenewals = `
SELECT account_id FROM account.subscription
WHERE period_end > $1 AND period_end <= $2 AND renewal_told_for IS DISTINCT FROM period_end
    AND CASE WHEN next_plan IS NULL THEN yearly ELSE next_yearly END
    AND status IN ('active', 'trialing', 'past_due') AND NOT cancel_at_period_end
ORDER BY period_end LIMIT $3`

// RemindRenewals writes to the owners of the accounts whose subscriptions soon renew for a year, and to
// those who get the mails about their payments: once a period, however many instances do so. It returns how
// many accounts it wrote to.
func (s *Service) RemindRenewals(ctx context.Context) (sent int, err error) {
	if !s.Sells() {
		return 0, nil
	}
	now := s.clock.Now()
	accounts, err := pgdb.Collect(ctx, s.db, pgx.RowTo[ident.AccountID], findRenewals, now,
		now.Add(RenewalNotice), maxRenewals)
	if err != nil {
		return 0, fmt.Errorf("find yearly renewals: %w", err)
	}
	var failed []error
	for _, account := range accounts {
		done, err := s.remindRenewal(ctx, account)
		if err != nil {
			failed = append(failed, fmt.Errorf("remind account %d of its renewal: %w", account, err))
		}
		if done {
			sent++
		}
		if errors.Is(err, ErrUnavailable) {
			break
		}
	}
	return sent, errors.Join(failed...)
}

const claimRenewal = `
UPDATE account.subscription SET renewal_told_for = period_end
WHERE account_id = $1 AND period_end = $2 AND renewal_told_for IS DISTINCT FROM period_end`

func (s *Service) remindRenewal(ctx context.Context, account ident.AccountID) (sent bool, err error) {
	seen, err := s.Customer(ctx, account)
	if err != nil || seen.RenewsForYear() == (Offer{}) {
		return false, err
	}
	cents := int64(0) // to be charged, tax included; 0: not known, or nothing
	invoice, err := s.Upcoming(ctx, seen.SubscriptionID)
	if err == nil && invoice != nil && invoice.Currency == "eur" &&
		invoice.At.Sub(seen.PeriodEnd).Abs() <= 48*time.Hour { // else another invoice comes first
		cents = invoice.DueCents
	}
	if err != nil {
		if seen.PeriodEnd.Sub(s.clock.Now()) > renewalAmountWait {
			return false, err
		}
		slog.WarnContext(ctx, "renewal announced without its amount", "account", int64(account), "error", err)
	}
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		row, err := lockRow(ctx, tx, account)
		if err != nil {
			return err
		}
		next := row.RenewsForYear()
		if next == (Offer{}) || next != seen.RenewsForYear() || !row.PeriodEnd.Equal(seen.PeriodEnd) {
			return nil // changed meanwhile: the next run sees what it became
		}
		tag, err := tx.Exec(ctx, claimRenewal, account, row.PeriodEnd)
		if err != nil || tag.RowsAffected() == 0 {
			return fault.Wrap("note the mail about a renewal", err)
		}
		sent = true
		j := mail.Job{Template: mail.PlanRenewing, To: row.Email, Language: row.Language,
			Account: int64(account),
			Values: map[string]string{"plan": Title(next.Plan), "plan_interval": "year",
				"until": row.PeriodEnd.UTC().Format(time.RFC3339)}}
		if cents > 0 {
			j.Values["cents"] = strconv.FormatInt(cents, 10)
		}
		return sendBillingMail(ctx, tx, j)
	})
	return sent && err == nil, err
}
