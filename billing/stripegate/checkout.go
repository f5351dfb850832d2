package stripegate

import (
	"cmp"
	"context"
	"strconv"

	"github.com/stripe/stripe-go/v76"

	"arpent/billing"
)

// Checkout gives the page on which the customer pays. At most one such page of a customer can be paid
// on: one for the same offer is given again, one for another is closed first. Two tabs that ask at the
// same instant for the same plan get the same page, by the idempotency key; what two plans at the
// same instant can still do, a reading undoes.
func (g *Gate) Checkout(ctx context.Context, r billing.CheckoutRequest) (string, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	price, err := g.priceOf(r.Offer)
	if err != nil {
		return "", err
	}
	url, last, err := g.findOpenCheckout(ctx, r)
	if url != "" || err != nil {
		return url, err
	}
	id := strconv.FormatInt(int64(r.Account), 10)
	s, err := g.api.CheckoutSessions.New(&stripe.CheckoutSessionParams{
		Params: stripe.Params{Context: ctx, IdempotencyKey: stripe.String("checkout-" + r.Customer.Reference +
			"-" + r.Offer.String() + "-" + r.Attempt + "-" + stripeLocale(r.Language) + last)},
		Metadata: map[string]string{metaReference: r.Customer.Reference, "arpent_plan": r.Offer.String(),
			"arpent_language": stripeLocale(r.Language)},
		Mode:     stripe.String(string(stripe.CheckoutSessionModeSubscription)),
		Customer: stripe.String(r.Customer.ID),
		// Cards, and the wallets that hold them: a debit would be decided days after the plan is in force.
		PaymentMethodTypes: stripe.StringSlice(paymentMethods),
		LineItems: []*stripe.CheckoutSessionLineItemParams{{Price: stripe.String(price),
			Quantity: stripe.Int64(1)}},
		AutomaticTax:             &stripe.CheckoutSessionAutomaticTaxParams{Enabled: stripe.Bool(true)},
		TaxIDCollection:          &stripe.CheckoutSessionTaxIDCollectionParams{Enabled: stripe.Bool(true)},
		BillingAddressCollection: stripe.String(string(stripe.CheckoutSessionBillingAddressCollectionRequired)),
		CustomerUpdate: &stripe.CheckoutSessionCustomerUpdateParams{Name: stripe.String("auto"),
			Address: stripe.String("auto")},
		Locale: stripe.String(stripeLocale(r.Language)), ClientReferenceID: stripe.String(id),
		SubscriptionData: &stripe.CheckoutSessionSubscriptionDataParams{Metadata: map[string]string{metaAccount: id,
			metaReference: r.Customer.Reference}},
		SuccessURL: stripe.String(g.o.PublicURL + "/account/plan/done?session={CHECKOUT_SESSION_ID}"),
		CancelURL:  stripe.String(g.o.PublicURL + "/account/plan"),
	})
	if err != nil {
		return "", translateError("open a checkout page", err)
	}
	return s.URL, nil
}

// paymentMethods are those that plans are paid with: all are decided at once.
var paymentMethods = []string{string(stripe.PaymentMethodTypeCard)}

// recentCheckouts is how far back open pages are looked for: there is one at most.
const recentCheckouts = 20

// findOpenCheckout looks for a page of the customer that is still open: its address when it is
// what is asked for. last is the newest page in any state: it is part of the idempotency key, so that a page
// that was closed meanwhile is not returned.
func (g *Gate) findOpenCheckout(
	ctx context.Context, r billing.CheckoutRequest) (url, last string, err error) {
	client := g.api.CheckoutSessions
	open := client.List(&stripe.CheckoutSessionListParams{ListParams: stripe.ListParams{Context: ctx,
		Single: true, Limit: stripe.Int64(recentCheckouts)}, Customer: stripe.String(r.Customer.ID)})
	var others []string
	for open.Next() {
		s := open.CheckoutSession()
		last = cmp.Or(last, s.ID) // the newest comes first
		switch same := s.Metadata["arpent_plan"] == r.Offer.String() &&
			s.Metadata["arpent_language"] == stripeLocale(r.Language); {
		case s.Status != stripe.CheckoutSessionStatusOpen || s.Mode != stripe.CheckoutSessionModeSubscription ||
			s.Metadata[metaReference] != r.Customer.Reference:
		case same && url == "" && s.URL != "":
			url = s.URL
		default:
			others = append(others, s.ID)
		}
	}
	if err := open.Err(); err != nil {
		return "", "", translateError("list checkout pages", err)
	}
	for _, id := range others {
		if err := g.expireCheckout(ctx, id); err != nil {
			return "", "", err
		}
	}
	return url, last, nil
}

// expireCheckout closes a checkout page. Stripe refuses to close one
// that is not open any more: that is as good.
func (g *Gate) expireCheckout(ctx context.Context, id string) error {
	client := g.api.CheckoutSessions
	_, err := client.Expire(id, &stripe.CheckoutSessionExpireParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		s, unread := client.Get(id, &stripe.CheckoutSessionParams{Params: stripe.Params{Context: ctx}})
		if unread == nil && s.Status != stripe.CheckoutSessionStatusOpen {
			return nil
		}
	}
	return translateError("close a checkout page", err)
}

// expireAllCheckouts closes every checkout page of this service for a
// customer, and reports whether one was open.
func (g *Gate) expireAllCheckouts(ctx context.Context, customer, reference string) (found bool, err error) {
	open := g.api.CheckoutSessions.List(&stripe.CheckoutSessionListParams{
		ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(100)}, Customer: stripe.String(customer),
		Status: stripe.String(string(stripe.CheckoutSessionStatusOpen))})
	for open.Next() {
		if open.CheckoutSession().Metadata[metaReference] != reference {
			continue
		}
		if err := g.expireCheckout(ctx, open.CheckoutSession().ID); err != nil {
			return found, err
		}
		found = true
	}
	return found, translateError("list checkout pages", open.Err())
}

// SessionCustomer returns whose checkout page it was.
func (g *Gate) SessionCustomer(ctx context.Context, sessionID string) (string, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	s, err := g.api.CheckoutSessions.Get(sessionID,
		&stripe.CheckoutSessionParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return "", translateError("read a checkout page", err)
	}
	if s.Customer == nil {
		return "", billing.ErrNoCustomer
	}
	return s.Customer.ID, nil
}
