package billing

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
	"arpent/internal/ident"
)

// Options of New.
type Options struct {
	DB      *pgxpool.Pool
	Clock   clock.Clock
	Gateway Gateway // nil: no plan is sold on this server
	// Operator is the address that gets a mail about each new finding; empty: none is sent.
	Operator string
	// IsRehearsal: the gateway moves no money, so that operators alone may buy.
	IsRehearsal bool
}

// Service is all that is done about subscriptions. It keeps what is known of them and puts the plan in force
// on the account: both in one transaction, of which a trigger notifies every instance. Whatever Stripe does
// by itself, such as a preview, is asked of the Gateway in it.
type Service struct {
	Gateway
	db          *pgxpool.Pool
	clock       clock.Clock
	operator    string
	isRehearsal bool
	yearly      keptPrice[map[string]int64]
	reserve     keptPrice[int64]
}

// New makes the service.
func New(o Options) *Service {
	return &Service{Gateway: o.Gateway, db: o.DB, clock: o.Clock, operator: o.Operator, isRehearsal: o.IsRehearsal}
}

// Sells reports whether plans can be bought on this server, if only by operators.
func (s *Service) Sells() bool { return s != nil && s.Gateway != nil }

// SellsTo reports whether an operator or any other person can buy plans on this server.
func (s *Service) SellsTo(operator bool) bool { return s.Sells() && (operator || !s.isRehearsal) }

// IsRehearsal reports whether plans are bought without money, by operators alone.
func (s *Service) IsRehearsal() bool { return s.Sells() && s.isRehearsal }

// Outcome of an authentic webhook call.
type Outcome string

// The outcomes. All are a 200 to Stripe.
const (
	Applied  Outcome = "applied"  // and changed something
	Same     Outcome = "same"     // nothing changed: it was known already
	Repeated Outcome = "repeated" // the event was handled before
	Ignored  Outcome = "ignored"  // of a type, or a customer, that is not handled here
)

// Receive handles a webhook call from beginning to end: verify, read Stripe, apply, record, notify. An
// *EventError is a 400 and nothing was written; any other error a 503, and Stripe calls again; nil a 200.
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
	if row.AddressNeeded && ev.Type == customerUpdated { // perhaps with the address that an invoice waits for
		if err := s.FinalizeInvoice(ctx, row.SubscriptionID); err != nil {
			return "", err
		}
	}
	if strings.HasPrefix(ev.Type, taxIDEvents) {
		b, err := s.Billing(ctx, row.CustomerID)
		if err != nil {
			return "", err
		}
		var found []Finding // a VAT number that its register does not know
		if b.VATStatus == Unverified {
			found = []Finding{{Kind: VATUnverified, Object: row.CustomerID, Account: row.Account, Detail: b.VAT}}
		}
		if err := s.replaceFindings(ctx, row.Account, []FindingKind{VATUnverified}, found...); err != nil {
			return "", err
		}
	}
	r, err := s.readCustomer(ctx, row)
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
		customers, err := s.queryClosedCustomers(ctx, closedNamed, ev.Customer)
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

// Refresh reads the account's customer at Stripe and applies what it says. An account that
// has never begun to pay has nothing to read.
func (s *Service) Refresh(ctx context.Context, account ident.AccountID) (changed bool, err error) {
	row, err := s.Customer(ctx, account)
	if err != nil {
		return false, err
	}
	if row.CustomerID == "" {
		return false, ErrNoAccount
	}
	r, err := s.readCustomer(ctx, row)
	if err != nil {
		return false, err
	}
	return s.Apply(ctx, nil, account, r)
}

// maxDuplicates bounds how many subscriptions of one customer are ended by one call.
const maxDuplicates = 5

// readCustomer reads the customer of an account at Stripe, ends what was bought twice from this service,
// and stores what the operator has to look at.
func (s *Service) readCustomer(ctx context.Context, row Row) (Reading, error) {
	for n := 0; ; n++ {
		r, found, err := s.readSnapshot(ctx, row)
		var duplicate *DuplicateError
		switch {
		case errors.As(err, &duplicate) && n < maxDuplicates:
			if err := s.EndDuplicate(ctx, duplicate.Extra); err != nil {
				return Reading{}, fmt.Errorf("end a subscription bought twice: %w", err)
			}
			continue
		case errors.Is(err, ErrNoCustomer):
			found = []Finding{{Kind: UnknownCustomer, Object: row.CustomerID, Account: row.Account,
				Detail: err.Error()}}
		case err != nil:
			return r, err
		}
		return r, errors.Join(err, s.replaceFindings(ctx, row.Account, readingFindingKinds, found...))
	}
}

// readSnapshot takes the time from the database, then reads Stripe.
func (s *Service) readSnapshot(ctx context.Context, row Row) (r Reading, found []Finding, err error) {
	if r.At, err = s.Now(ctx); err == nil {
		r.Snapshot, found, err = s.Read(ctx, row.AtStripe())
	}
	for i := range found {
		found[i].Account = row.Account
	}
	return r, found, err
}

const (
	customerUpdated = "customer.updated"
	taxIDEvents     = "customer.tax_id."
)

// ErrSubscribed: the account has a subscription, or one whose first payment is under way.
var ErrSubscribed = errors.New("the account has a subscription")

// Subscribe gives the page on which an account pays for a plan, by the month or by the year. Asked twice
// within a day it gives the same page, which takes one payment.
func (s *Service) Subscribe(
	ctx context.Context, account ident.AccountID, offer Offer, lang string) (url string, err error) {
	if selling, err := s.Selling(ctx); err != nil || !selling {
		return "", errors.Join(err, ErrNotSelling)
	}
	row, err := s.Customer(ctx, account)
	if err == nil && row.CustomerID != "" {
		if _, err = s.Refresh(ctx, account); err == nil {
			row, err = s.Customer(ctx, account) // without a customer where that was deleted at Stripe
		}
	}
	switch {
	case err != nil:
		return "", err
	case !row.Ended():
		return "", ErrSubscribed
	case row.CustomerID == "":
		if row.CustomerID, err = s.EnsureCustomer(ctx, row, lang); err != nil {
			return "", err
		}
	}
	err = s.withAttempt(ctx, account, requestCheckout, func(attempt string) error {
		// One wish to subscribe ends with the day, since Stripe's page does, and
		// with the subscription that came of it.
		attempt = clock.Day(s.clock.Now()).String() + "-" + lang + "-" + row.SubscriptionID + "-" + attempt
		url, err = s.Checkout(ctx, CheckoutRequest{Account: account, Customer: row.AtStripe(), Offer: offer,
			Language: lang, Attempt: attempt})
		return err
	})
	return url, err
}

// EnsureCustomer gives the customer of an account at Stripe, made when there is none yet.
func (s *Service) EnsureCustomer(ctx context.Context, row Row, lang string) (customer string, err error) {
	if row.CustomerID != "" {
		return row.CustomerID, nil
	}
	err = s.withAttempt(ctx, row.Account, requestCustomer, func(attempt string) error {
		customer, err = s.CreateCustomer(ctx, CustomerRequest{Account: row.Account, Reference: row.Reference,
			Email: row.Email, Language: lang, Attempt: attempt})
		return err
	})
	if err != nil {
		return "", err
	}
	return customer, s.SaveCustomer(ctx, row.Account, customer)
}
