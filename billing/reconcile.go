package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/app/ident"
)

// Source is where the truth about subscriptions is: Stripe.
type Source interface {
	// Read tells what a customer has. With a *TwoError comes what of it is to be kept.
	Read(ctx context.Context, customerID string) (Snapshot, error)
	// EndDuplicate ends a subscription that was paid for by mistake, and gives the money back.
	EndDuplicate(ctx context.Context, subscriptionID string) error
	Closer
}

// TwoError: a customer pays for something beside the subscription to keep: a second one, or one that had ended before
// it was paid.
type TwoError struct{ Keep, Extra string }

func (e *TwoError) Error() string {
	return fmt.Sprintf("paid beside subscription %s: %s", e.Keep, e.Extra)
}

// maxDuplicates bounds how many subscriptions of one customer are ended by one call.
const maxDuplicates = 5

// Refresh reads the account's customer at Stripe and applies what it says, in one transaction with the event that
// caused it (nil: none did). An account that has never begun to pay has nothing to read.
func (s *Store) Refresh(ctx context.Context, src Source, ev *EventRow, account ident.AccountID) (changed bool, err error) {
	row, err := s.Customer(ctx, account)
	if err != nil {
		return false, err
	}
	if row.CustomerID == "" {
		return false, ErrNoCustomer
	}
	r, err := s.read(ctx, src, row.CustomerID)
	if err != nil {
		return false, err
	}
	return s.Apply(ctx, ev, account, r)
}

// read notes the time before it asks, and ends what was bought twice.
func (s *Store) read(ctx context.Context, src Source, customer string) (Reading, error) {
	for n := 0; ; n++ {
		at, err := s.Now(ctx)
		if err != nil {
			return Reading{}, err
		}
		snapshot, err := src.Read(ctx, customer)
		var two *TwoError
		if errors.As(err, &two) && n < maxDuplicates {
			if err := src.EndDuplicate(ctx, two.Extra); err != nil {
				return Reading{}, fmt.Errorf("end a subscription bought twice: %w", err)
			}
			continue
		}
		return Reading{Snapshot: snapshot, At: at}, err
	}
}

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

// errDry undoes the transaction of a repair that is only tried.
var errDry = errors.New("only tried")

// Repair brings one account into step with a reading, and tells what was not. With dry nothing is changed. A row of an
// account that has no customer takes no reading: its plan in force is computed anew.
func (s *Store) Repair(ctx context.Context, account ident.AccountID, r *Reading, dry bool) (d Difference, err error) {
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
			if after.ReadAt.After(r.At.Add(implausible)) {
				after.ReadAt = time.Time{} // a reading from the future would be the newest for ever
			}
			after.State, _ = Observe(after.State, *r)
		}
		if _, err = s.settle(ctx, tx, before, &after); err != nil {
			return err
		}
		d = Difference{Account: account, Email: before.Email, Customer: before.CustomerID, Changes: differences(before, after)}
		if dry {
			return errDry
		}
		return nil
	})
	if errors.Is(err, errDry) {
		err = nil
	}
	return d, err
}

// implausible is how far ahead of now the last reading cannot be.
const implausible = 10 * time.Minute

// differences between two states of an account, as an operator reads them.
func differences(before, after Row) []Change {
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
	add("next plan", before.NextPlan, after.NextPlan)
	add("past due since", since(before.PastDueSince), since(after.PastDueSince))
	add("disputed", fmt.Sprint(before.Disputed), fmt.Sprint(after.Disputed))
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

// Reconcile compares the accounts after one with Stripe, and repairs those that are out of step, until the time is
// spent. stop tells of an error that all others would meet too, such as Stripe's absence: it ends the work.
func (s *Store) Reconcile(ctx context.Context, src Source, after ident.AccountID, until time.Time, dry bool, stop func(error) bool) (rep Report, err error) {
	if after == 0 && !dry {
		if err := s.closeAll(ctx, src, until, stop, &rep); err != nil {
			return rep, err
		}
	}
	for {
		rows, err := s.toCompare(ctx, after)
		if err != nil {
			return rep, err
		}
		if len(rows) == 0 {
			rep.Last = 0
			return rep, nil
		}
		for _, row := range rows {
			if s.clock.Now().After(until) {
				return rep, nil
			}
			d, err := s.compare(ctx, src, row, dry)
			switch {
			case ctx.Err() != nil:
				return rep, ctx.Err()
			case err != nil && stop(err):
				return rep, err
			case err != nil:
				rep.Failed = append(rep.Failed, Failure{row.Account, row.Email, row.CustomerID, err.Error()})
			case len(d.Changes) > 0:
				rep.Repaired = append(rep.Repaired, d)
			}
			rep.Compared++
			after, rep.Last = row.Account, row.Account
		}
	}
}

// closeAll looks once more at every customer of a deleted account: an event that told of a payment may have been lost.
func (s *Store) closeAll(ctx context.Context, src Source, until time.Time, stop func(error) bool, rep *Report) error {
	customers, err := s.closed(ctx, closedAll)
	if err != nil {
		return err
	}
	for _, c := range customers {
		if s.clock.Now().After(until) {
			return nil
		}
		err := s.closeCustomer(ctx, src, c)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && stop(err):
			return err
		case err != nil:
			rep.Failed = append(rep.Failed, Failure{Customer: c.ID, Why: err.Error()})
		}
	}
	return nil
}

func (s *Store) toCompare(ctx context.Context, after ident.AccountID) ([]Row, error) {
	rows, err := s.db.Query(ctx, findSubscription+rowsToCompare, after)
	if err != nil {
		return nil, fmt.Errorf("list subscriptions: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Row, error) { return scanRow(row) })
	if err != nil {
		return nil, fmt.Errorf("list subscriptions: %w", err)
	}
	return all, nil
}

func (s *Store) compare(ctx context.Context, src Source, row Row, dry bool) (Difference, error) {
	if row.CustomerID == "" {
		return s.Repair(ctx, row.Account, nil, dry)
	}
	var (
		r   Reading
		err error
	)
	if dry { // a trial ends nothing at Stripe either
		if r.At, err = s.Now(ctx); err == nil {
			r.Snapshot, err = src.Read(ctx, row.CustomerID)
		}
	} else {
		r, err = s.read(ctx, src, row.CustomerID)
	}
	if err != nil {
		return Difference{}, err
	}
	return s.Repair(ctx, row.Account, &r, dry)
}

const overdue = `
SELECT account_id FROM account.subscription
WHERE period_end < $1 AND read_at < period_end AND status IN ('active', 'trialing') ORDER BY period_end LIMIT 100`

// How long after a period's end its event may take before Stripe is asked.
const overdueAfter = 2 * time.Hour

// Overdue are accounts whose period has ended without an event of Stripe saying what came next.
func (s *Store) Overdue(ctx context.Context) ([]ident.AccountID, error) {
	rows, err := s.db.Query(ctx, overdue, s.clock.Now().Add(-overdueAfter))
	if err != nil {
		return nil, fmt.Errorf("find periods that ended unheard: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[ident.AccountID])
	if err != nil {
		return nil, fmt.Errorf("find periods that ended unheard: %w", err)
	}
	return all, nil
}
