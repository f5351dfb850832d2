package stripegate

import (
	"context"
	"errors"
	"math"

	"github.com/stripe/stripe-go/v76"

	"arpent/billing"
)

// noRefund is later than any payment: nothing is given back.
const noRefund = math.MaxInt64

// CancelNow ends the subscription at once: what is still open is not due any more, what was
// paid is kept. Ending it again changes nothing.
func (g *Gate) CancelNow(ctx context.Context, id string) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	s, err := g.readSubscription(ctx, id)
	if err != nil {
		return err
	}
	_, err = g.endSubscription(ctx, s, noRefund, "")
	return err
}

// EndDuplicate ends a subscription that was bought in addition to another, and gives back what was paid in
// its period, for example after a purchase in two browser tabs. Of one that had ended it gives back what was
// paid afterwards.
func (g *Gate) EndDuplicate(ctx context.Context, subscriptionID string) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	s, err := g.readSubscription(ctx, subscriptionID)
	if err != nil {
		return err
	}
	from := s.CurrentPeriodStart
	if s.EndedAt > 0 {
		from = s.EndedAt
	}
	_, err = g.endSubscription(ctx, s, from, stripe.RefundReasonDuplicate)
	return err
}

// CloseCustomer leaves a customer without an account nothing to pay on and nothing to pay. What was paid
// after the deletion, or for a subscription that the account did not know, is given back. The cards are taken
// from the customer; the invoices stay, as the law on accounts has them kept. Closing again finds nothing; a
// customer that Stripe does not know has nothing, and what was not made by this service is left as it is.
func (g *Gate) CloseCustomer(ctx context.Context, c billing.ClosedCustomer) (found bool, err error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	// first: what is paid on one until then is in the list that follows
	found, err = g.expireAllCheckouts(ctx, c.ID, c.Reference)
	if errors.Is(err, billing.ErrNoCustomer) {
		return false, nil
	}
	if err != nil {
		return found, err
	}
	params := &stripe.SubscriptionListParams{ListParams: stripe.ListParams{Context: ctx,
		Limit: stripe.Int64(100)},
		Customer: stripe.String(c.ID), Status: stripe.String("all")}
	params.AddExpand("data.latest_invoice.charge")
	all := g.api.Subscriptions.List(params)
	deleted := c.DeletedAt.Unix()
	foreign := false
	for all.Next() {
		s, from := all.Subscription(), deleted
		switch {
		case !isOurs(s, c.Reference):
			foreign = foreign || statusRank[s.Status] >= minLiveRank
			continue
		case s.EndedAt > 0 && s.EndedAt < deleted && !isPaidAfterEnd(s):
			continue
		case s.EndedAt > 0 && s.EndedAt < deleted:
			from = s.EndedAt
		case s.ID != c.SubscriptionID:
			from = min(deleted, s.CurrentPeriodStart)
		}
		ended, err := g.endSubscription(ctx, s, from, stripe.RefundReasonRequestedByCustomer)
		if err != nil {
			return found, err
		}
		found = found || ended
	}
	if err := all.Err(); err != nil {
		return found, translateError("list the subscriptions of a customer", err)
	}
	if foreign || c.Reserve > 0 { // a contract that the operator made, or the reserve, is paid with the card
		return found, nil
	}
	// That there was a card is nothing that was found: a deleted account has one as a rule.
	cards := g.api.PaymentMethods.List(&stripe.PaymentMethodListParams{
		ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(100)}, Customer: stripe.String(c.ID)})
	for cards.Next() {
		_, err := g.api.PaymentMethods.Detach(cards.PaymentMethod().ID,
			&stripe.PaymentMethodDetachParams{Params: stripe.Params{Context: ctx}})
		if err = translateError("take a card from a customer", err); err != nil &&
			!isCode(err, stripe.ErrorCodeResourceMissing) {
			return found, err
		}
	}
	return found, translateError("list the cards of a customer", cards.Err())
}

// endSubscription ends a subscription at once, gives back what was paid from an instant on, and voids
// what is still open: an invoice has a page on which it can be paid after the end. The money goes first:
// a subscription that has ended is not looked for again. A payment that is under way can be neither
// given back nor called off; an event follows.
func (g *Gate) endSubscription(ctx context.Context, s *stripe.Subscription, from int64,
	why stripe.RefundReason) (found bool, err error) {
	params := &stripe.InvoiceListParams{ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(100)},
		Subscription: stripe.String(s.ID)}
	params.AddExpand("data.charge")
	all := g.api.Invoices.List(params)
	var open []string
	for all.Next() {
		switch i := all.Invoice(); {
		case isRefundable(i) && i.StatusTransitions.PaidAt >= from:
			gave, err := g.refundCharge(ctx, i.Charge, why)
			if err != nil {
				return found, err
			}
			found = found || gave
		case i.Status == stripe.InvoiceStatusOpen && i.Charge != nil && i.Charge.Status == stripe.ChargeStatusPending:
			found = true // a debit has been asked for and not been decided
		case i.Status == stripe.InvoiceStatusOpen || i.Status == stripe.InvoiceStatusUncollectible:
			open = append(open, i.ID)
		}
	}
	if err := all.Err(); err != nil {
		return found, translateError("list the invoices of a subscription", err)
	}
	if s.EndedAt == 0 {
		_, err := g.api.Subscriptions.Cancel(s.ID,
			&stripe.SubscriptionCancelParams{Params: stripe.Params{Context: ctx}})
		if err = translateError("end a subscription", err); err != nil &&
			!isCode(err, stripe.ErrorCodeResourceMissing) { // it has ended already
			return found, err
		}
		found = true
	}
	for _, id := range open {
		if err := g.voidInvoice(ctx, id); err != nil {
			return found, err
		}
		found = true
	}
	return found, nil
}

// isRefundable reports whether an invoice was paid and not been given back whole.
func isRefundable(i *stripe.Invoice) bool {
	return i.Status == stripe.InvoiceStatusPaid && i.StatusTransitions != nil && i.Charge != nil &&
		i.Charge.Paid && !i.Charge.Refunded
}

// isPaidAfterEnd reports whether a subscription was paid after it had ended. What
// the bank claims back is the bank's to decide.
func isPaidAfterEnd(s *stripe.Subscription) bool {
	i := s.LatestInvoice
	return s.EndedAt > 0 && i != nil && isRefundable(i) && i.StatusTransitions.PaidAt > s.EndedAt &&
		!i.Charge.Disputed
}

// refundCharge gives a payment back. False: it was given back before, or is with the bank.
func (g *Gate) refundCharge(ctx context.Context, c *stripe.Charge, why stripe.RefundReason) (bool, error) {
	_, err := g.api.Refunds.New(&stripe.RefundParams{
		// without a key of ours: a charge is given back once, and a stored error would be repeated for a day
		Params: stripe.Params{Context: ctx},
		Charge: stripe.String(c.ID), Reason: stripe.String(string(why))})
	err = translateError("give back what was paid for nothing", err)
	if isCode(err, stripe.ErrorCodeChargeAlreadyRefunded, stripe.ErrorCodeChargeDisputed) {
		return false, nil
	}
	return err == nil, err
}

func (g *Gate) voidInvoice(ctx context.Context, invoice string) error {
	_, err := g.api.Invoices.VoidInvoice(invoice,
		&stripe.InvoiceVoidInvoiceParams{Params: stripe.Params{Context: ctx}})
	return translateError("take an invoice back", err)
}
