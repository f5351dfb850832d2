package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/base/clock"
	"arpent/app/base/ident"
)

// Options of New.
type Options struct {
	DB      *pgxpool.Pool
	Clock   clock.Clock
	Gateway Gateway // nil: no plan is sold on this server
}

// Service is all that is done about subscriptions. It keeps what is known of them and puts the plan in force on the
// account: both in one transaction, of which a trigger notifies every instance. Whatever Stripe does by itself, such as a
// preview, is asked of the Gateway in it.
type Service struct {
	Gateway
	db    *pgxpool.Pool
	clock clock.Clock
}

// New makes the service.
func New(o Options) *Service {
	return &Service{Gateway: o.Gateway, db: o.DB, clock: o.Clock}
}

// Sells reports whether plans can be bought on this server.
func (s *Service) Sells() bool { return s != nil && s.Gateway != nil }

// Outcome of a webhook call that is to be believed.
type Outcome string

// The outcomes. All are a 200 to Stripe.
const (
	Applied  Outcome = "applied"  // and changed something
	Same     Outcome = "same"     // nothing changed: it was known already
	Repeated Outcome = "repeated" // the event was handled before
	Ignored  Outcome = "ignored"  // of a type, or a customer, that is none of our business
)

// Receive handles a webhook call from beginning to end: verify, read Stripe, apply, record, notify. An *EventError is a
// 400 and nothing was written; any other error a 503, and Stripe calls again; nil a 200.
func (s *Service) Receive(ctx context.Context, body []byte, signature string) (Outcome, error) {
	ev, err := s.Verify(ctx, body, signature)
	if err != nil {
		return "", err
	}
	if seen, err := s.Seen(ctx, ev.ID); err != nil || seen {
		return Repeated, err
	}
	row, err := s.ByCustomer(ctx, ev.Customer)
	switch {
	case errors.Is(err, ErrNoAccount):
		return s.receiveOrphan(ctx, ev)
	case err != nil:
		return "", err
	case !ev.Relevant:
		return Ignored, s.Ignore(ctx, ev, row.Account)
	}
	r, err := s.read(ctx, row.CustomerID)
	if err != nil {
		return "", err
	}
	changed, err := s.Apply(ctx, &ev, row.Account, r)
	switch {
	case err != nil:
		return "", err
	case changed:
		return Applied, nil
	}
	return Same, nil
}

// receiveOrphan handles an event about a customer that no account is: one of a deleted account may have paid.
func (s *Service) receiveOrphan(ctx context.Context, ev Event) (Outcome, error) {
	outcome := Ignored
	if ev.Relevant {
		customers, err := s.closed(ctx, closedNamed, ev.Customer)
		if err != nil {
			return "", err
		}
		for _, c := range customers {
			if err := s.closeCustomer(ctx, c); err != nil {
				return "", err
			}
			outcome = Applied
		}
	}
	return outcome, s.Ignore(ctx, ev, 0)
}

// Refresh reads the account's customer at Stripe and applies what it says. An account that has never begun to pay has
// nothing to read.
func (s *Service) Refresh(ctx context.Context, account ident.AccountID) (changed bool, err error) {
	row, err := s.Customer(ctx, account)
	if err != nil {
		return false, err
	}
	if row.CustomerID == "" {
		return false, ErrNoAccount
	}
	r, err := s.read(ctx, row.CustomerID)
	if err != nil {
		return false, err
	}
	return s.Apply(ctx, nil, account, r)
}

// maxDuplicates bounds how many subscriptions of one customer are ended by one call.
const maxDuplicates = 5

// read reads a customer at Stripe, and ends what was bought twice.
func (s *Service) read(ctx context.Context, customer string) (Reading, error) {
	for n := 0; ; n++ {
		r, err := s.readOnce(ctx, customer)
		var duplicate *DuplicateError
		if !errors.As(err, &duplicate) || n == maxDuplicates {
			return r, err
		}
		if err := s.EndDuplicate(ctx, duplicate.Extra); err != nil {
			return Reading{}, fmt.Errorf("end a subscription bought twice: %w", err)
		}
	}
}

// readOnce notes the time before it asks.
func (s *Service) readOnce(ctx context.Context, customer string) (r Reading, err error) {
	if r.At, err = s.Now(ctx); err == nil {
		r.Snapshot, err = s.Read(ctx, customer)
	}
	return r, err
}

// ErrSubscribed: the account has a subscription, or one whose first payment is under way.
var ErrSubscribed = errors.New("the account has a subscription")

// Subscribe gives the page on which an account pays for a plan. Asked twice within a day it gives the same page, which
// takes one payment.
func (s *Service) Subscribe(ctx context.Context, account ident.AccountID, plan, lang string) (url string, err error) {
	row, err := s.Customer(ctx, account)
	if err == nil && row.CustomerID != "" {
		if _, err = s.Refresh(ctx, account); err == nil {
			row, err = s.Customer(ctx, account)
		}
	}
	switch {
	case err != nil:
		return "", err
	case !row.Ended():
		return "", ErrSubscribed
	case row.CustomerID == "":
		if row.CustomerID, err = s.EnsureCustomer(ctx, account, row.Email, lang); err != nil {
			return "", err
		}
		if err = s.SaveCustomer(ctx, account, row.CustomerID); err != nil {
			return "", err
		}
	}
	// One wish to subscribe ends with the day, since Stripe's page does, and with the subscription that came of it.
	attempt := clock.Day(s.clock.Now()).String() + "-" + lang + "-" + row.SubscriptionID
	return s.Checkout(ctx, CheckoutRequest{Account: account, Customer: row.CustomerID, Plan: plan, Language: lang, Attempt: attempt})
}
