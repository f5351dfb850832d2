package stripegate

import (
	"context"
	"errors"
	"strings"

	"arpent/app/ident"
	"arpent/billing"
)

// Outcome of a webhook call that is to be believed.
type Outcome string

// The outcomes. All are a 200 to Stripe.
const (
	Applied  Outcome = "applied"  // and changed something
	Same     Outcome = "same"     // nothing changed: it was known already
	Repeated Outcome = "repeated" // the event was handled before
	Ignored  Outcome = "ignored"  // of a type, or a customer, that is none of our business
)

// concerns are the events after which a customer is read anew, by their prefix: what they say is not believed beyond
// whom they are about.
var concerns = []string{"customer.subscription.", "checkout.session.completed", "checkout.session.async_payment_", "invoice.paid",
	"invoice.payment_", "invoice.voided", "invoice.marked_uncollectible", "charge.dispute.", "charge.refunded",
	"subscription_schedule.", "customer.deleted"}

func concerning(kind string) bool {
	for _, prefix := range concerns {
		if strings.HasPrefix(kind, prefix) {
			return true
		}
	}
	return false
}

// Receive handles a webhook call from beginning to end. An *EventError is a 400 and nothing was written; any other
// error a 503, and Stripe calls again; nil a 200. Whose it is, is found by the customer.
func (g *Gate) Receive(ctx context.Context, store *billing.Store, body []byte, signature string) (Outcome, error) {
	ev, err := g.Event(body, signature)
	if err != nil {
		return "", err
	}
	row := billing.EventRow{ID: ev.ID, Type: ev.Type, Created: ev.Created, Payload: ev.Payload}
	if seen, err := store.Seen(ctx, ev.ID); err != nil || seen {
		return Repeated, err
	}
	customer := ev.Customer
	if concerning(ev.Type) {
		if customer, err = g.CustomerOf(ctx, ev); err != nil {
			return "", err
		}
	}
	var account ident.AccountID
	found, err := store.ByCustomer(ctx, customer)
	switch {
	case err == nil:
		account = found.Account
	case !errors.Is(err, billing.ErrNoCustomer):
		return "", err
	}
	if account == 0 && concerning(ev.Type) {
		closed, err := store.CloseCustomer(ctx, g, customer) // somebody has paid after the account was deleted
		if err != nil {
			return "", err
		}
		if closed {
			return Applied, store.Ignore(ctx, row, 0)
		}
	}
	if account == 0 || !concerning(ev.Type) {
		return Ignored, store.Ignore(ctx, row, account)
	}
	changed, err := store.Refresh(ctx, g, &row, account)
	switch {
	case err != nil:
		return "", err
	case changed:
		return Applied, nil
	}
	return Same, nil
}
