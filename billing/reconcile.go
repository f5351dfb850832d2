package billing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/pgdb"
)

// Difference is an account that was out of step with Stripe.
type Difference struct {
	Account  ident.AccountID `json:"account"`
	Email    string          `json:"email"`
	Customer string          `json:"customer,omitempty"`
	Changes  []Change        `json:"changes"`
}

// Change is one thing that was out of step.
type Change struct {
	What string `json:"what"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// errDryRun undoes the transaction of a repair that is only tried.
var errDryRun = errors.New("dry run")

// Repair brings one account into step with a reading, and returns what was not. With dry nothing is changed.
// A row of an account without a customer has no state at Stripe to apply: its plan in force is computed anew.
func (s *Service) Repair(
	ctx context.Context, account ident.AccountID, r *Reading, dry bool) (d Difference, err error) {
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		before, err := lockRow(ctx, tx, account)
		if err != nil {
			return err
		}
		after := before
		if r != nil {
			if before.CustomerID != r.CustomerID {
				return ErrOtherCustomer
			}
			if after.ReadAt.After(r.At.Add(maxClockSkew)) {
				after.ReadAt = time.Time{} // a reading from the future would be the newest for ever
			}
			after.State, _ = Observe(after.State, *r)
		}
		if _, err = s.applyState(ctx, tx, before, &after); err != nil {
			return err
		}
		d = Difference{Account: account, Email: before.Email, Customer: before.CustomerID, Changes: diffRows(before,
			after)}
		if dry {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return d, err
}

// maxClockSkew is how far ahead of now the last reading cannot be.
const maxClockSkew = 10 * time.Minute

// diffRows between two states of an account, as an operator reads them.
func diffRows(before, after Row) []Change {
	var out []Change
	add := func(what, was, is string) {
		if was != is {
			out = append(out, Change{what, was, is})
		}
	}
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	since := func(t *time.Time) string {
		if t == nil {
			return ""
		}
		return at(*t)
	}
	add("plan in force", before.Plan, after.Plan)
	add("subscription", before.SubscriptionID, after.SubscriptionID)
	add("plan", before.Snapshot.Plan, after.Snapshot.Plan)
	add("status", before.Status, after.Status)
	add("period end", at(before.PeriodEnd), at(after.PeriodEnd))
	add("cancel at period end", fmt.Sprint(before.CancelAtPeriodEnd), fmt.Sprint(after.CancelAtPeriodEnd))
	add("yearly", fmt.Sprint(before.Yearly), fmt.Sprint(after.Yearly))
	add("next plan", before.NextPlan, after.NextPlan)
	add("next yearly", fmt.Sprint(before.NextYearly), fmt.Sprint(after.NextYearly))
	add("past due since", since(before.PastDueSince), since(after.PastDueSince))
	add("disputed", fmt.Sprint(before.Disputed), fmt.Sprint(after.Disputed))
	add("address needed", fmt.Sprint(before.AddressNeeded), fmt.Sprint(after.AddressNeeded))
	if before.ReadAt.After(after.ReadAt) {
		add("read at", at(before.ReadAt), at(after.ReadAt))
	}
	return out
}

const rowsToCompare = ` WHERE a.id > $1 AND (s.account_id IS NOT NULL OR a.plan <> a.granted_plan) ORDER BY a.id LIMIT 200`

// Report of a reconciliation, or of a part of one.
type Report struct {
	Compared int          `json:"compared"`
	Repaired []Difference `json:"repaired"`
	Failed   []Failure    `json:"failed"`
	// Last is the account after which to go on; 0: all were compared.
	Last ident.AccountID `json:"-"`
}

// Failure is an account that could not be compared.
type Failure struct {
	Account  ident.AccountID `json:"account"`
	Email    string          `json:"email"`
	Customer string          `json:"customer,omitempty"`
	Why      string          `json:"why"`
}

// Reconcile compares the accounts after one with Stripe, and repairs those that are out of step, until the
// time is spent. With ErrUnavailable it stops: every other account would fail as well.
func (s *Service) Reconcile(ctx context.Context, after ident.AccountID, until time.Time,
	dry bool) (rep Report, err error) {
	if after == 0 && !dry {
		customers, err := s.queryClosedCustomers(ctx, closedAll)
		if err != nil {
			return rep, err
		}
		now := s.clock.Now()
		// the other half is for the accounts: without one of them all would count as compared
		half := now.Add(until.Sub(now) / 2)
		for _, c := range customers { // the event of a payment may have been lost
			if s.clock.Now().After(half) {
				break // the rest comes first the next time
			}
			if err := rep.addFailure(ctx, Failure{Customer: c.ID}, s.closeCustomer(ctx, c)); err != nil {
				return rep, err
			}
		}
	}
	for {
		scan := func(row pgx.CollectableRow) (Row, error) { return scanRow(row) }
		rows, err := pgdb.Collect(ctx, s.db, scan, findSubscription+rowsToCompare, after)
		if err != nil {
			return rep, fmt.Errorf("list subscriptions: %w", err)
		}
		if len(rows) == 0 {
			rep.Last = 0
			if dry {
				return rep, nil
			}
			return rep, s.reportUnknownSubscriptions(ctx)
		}
		for _, row := range rows {
			if s.clock.Now().After(until) {
				return rep, nil
			}
			d, err := s.compareRow(ctx, row, dry)
			if stop := rep.addFailure(ctx, Failure{Account: row.Account, Email: row.Email, Customer: row.CustomerID},
				err); stop != nil {
				return rep, stop
			}
			if len(d.Changes) > 0 {
				rep.Repaired = append(rep.Repaired, d)
			}
			rep.Compared++
			after, rep.Last = row.Account, row.Account
		}
	}
}

const knownCustomers = `
SELECT customer_id FROM account.subscription WHERE customer_id = ANY($1) UNION ALL
SELECT customer_id FROM account.orphan_customer WHERE customer_id = ANY($1)`

// reportUnknownSubscriptions reports live subscriptions at Stripe that look like ours, of customers
// that no account is or was: those of a database that was restored to an earlier state, or of
// another service on the same Stripe account.
func (s *Service) reportUnknownSubscriptions(ctx context.Context) error {
	var found []Finding
	for after := ""; ; {
		page, next, err := s.LiveSubscriptions(ctx, after)
		if err != nil {
			return err
		}
		customers := make([]string, len(page))
		for i, l := range page {
			customers[i] = l.Customer
		}
		known, err := pgdb.Collect(ctx, s.db, pgx.RowTo[string], knownCustomers, customers)
		if err != nil {
			return fmt.Errorf("look for the accounts of live subscriptions: %w", err)
		}
		for _, l := range page {
			if !slices.Contains(known, l.Customer) {
				found = append(found, Finding{Kind: UnknownSubscription, Object: l.ID, Detail: "customer " + l.Customer +
					", plan " + cmp.Or(l.Plan, "unknown")})
			}
		}
		if after = next; next == "" {
			return s.replaceFindings(ctx, 0, []FindingKind{UnknownSubscription}, found...)
		}
	}
}

// addFailure adds what failed to the report, and gives an error that ends the work.
func (r *Report) addFailure(ctx context.Context, f Failure, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrUnavailable):
		return err
	}
	f.Why = err.Error()
	r.Failed = append(r.Failed, f)
	return nil
}

func (s *Service) compareRow(ctx context.Context, row Row, dry bool) (Difference, error) {
	if row.CustomerID == "" {
		return s.Repair(ctx, row.Account, nil, dry)
	}
	read := s.readCustomer
	if dry { // a trial ends nothing at Stripe either
		read = func(ctx context.Context, row Row) (Reading, error) {
			r, _, err := s.readSnapshot(ctx, row)
			return r, err
		}
	}
	r, err := read(ctx, row)
	if err != nil {
		return Difference{}, err
	}
	return s.Repair(ctx, row.Account, &r, dry)
}

const findOverdue = `
SELECT account_id FROM account.subscription
WHERE period_end < $1 AND read_at < period_end AND status IN ('active', 'trialing') ORDER BY period_end LIMIT 100`

// How long after a period's end its event may take before Stripe is asked.
const overdueAfter = 2 * time.Hour

// Overdue are accounts whose period has ended without an event of Stripe saying what came next.
func (s *Service) Overdue(ctx context.Context) ([]ident.AccountID, error) {
	all, err := pgdb.Collect(ctx, s.db, pgx.RowTo[ident.AccountID], findOverdue,
		s.clock.Now().Add(-overdueAfter))
	return all, fault.Wrap("find periods that ended without an event", err)
}
