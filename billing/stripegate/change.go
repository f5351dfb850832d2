package stripegate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stripe/stripe-go/v76"

	"arpent/billing"
)

// Upgrade changes the offer at once and charges the difference for the rest of the period, computed for the
// instant that Preview gave; from months to years Stripe takes off what is left of the month, charges the
// year and begins it now. The offer changes when that is paid: billing.ErrDeclined, billing.ErrProcessing and
// *billing.ActionError say that it is not yet. With a payment method that is decided days later nothing is
// asked for: billing.ErrDelayed. key is the same for a form sent twice; a subscription that has the offer
// already is not charged again.
func (g *Gate) Upgrade(ctx context.Context, subscriptionID string, to billing.Offer, prorationDate time.Time,
	key string) error {
	ctx, cancel := context.WithTimeout(ctx, ChargeTimeout)
	defer cancel()
	price, err := g.priceOf(to)
	if err != nil {
		return err
	}
	s, err := g.readSubscription(ctx, subscriptionID, "default_payment_method",
		"customer.invoice_settings.default_payment_method")
	if err != nil {
		return err
	}
	item, present, ok := g.itemOf(s)
	switch {
	case !ok:
		return fmt.Errorf("subscription %s: %w", s.ID, billing.ErrUnknownPrice)
	case present == to: // an earlier attempt was answered with an error after it was done
		return g.clearScheduledChanges(ctx, s)
	case !present.ChangesAtOnce(to), prorationDate.Unix() < s.CurrentPeriodStart,
		prorationDate.Unix() >= s.CurrentPeriodEnd:
		return fmt.Errorf("subscription %s of %s: %w", s.ID, present, billing.ErrChanged)
	}
	method := s.DefaultPaymentMethod
	if method == nil && s.Customer != nil && s.Customer.InvoiceSettings != nil {
		method = s.Customer.InvoiceSettings.DefaultPaymentMethod
	}
	if method != nil && method.Type != "" && !isImmediate(string(method.Type)) { // such as a SEPA debit
		return billing.ErrDelayed
	}
	if err := checkInterval(s, item, to); err != nil {
		return err
	}
	params := &stripe.SubscriptionParams{
		Params: stripe.Params{Context: ctx, IdempotencyKey: stripe.String("upgrade-" + subscriptionID +
			"-" + to.String() + "-" + key)},
		Items: []*stripe.SubscriptionItemsParams{{ID: stripe.String(item.ID),
			Price: stripe.String(price)}},
		ProrationBehavior: stripe.String("always_invoice"), ProrationDate: stripe.Int64(prorationDate.Unix()),
		PaymentBehavior: stripe.String("pending_if_incomplete"),
	}
	params.AddExpand("latest_invoice.payment_intent")
	changed, err := g.api.Subscriptions.Update(subscriptionID, params)
	if err != nil {
		return translateError("upgrade a subscription", err)
	}
	if changed.PendingUpdate != nil {
		return g.unpaidUpgradeError(ctx, changed)
	}
	return g.clearScheduledChanges(ctx, s)
}

// clearScheduledChanges takes back what was to happen at the period's end, as it was about the old plan.
func (g *Gate) clearScheduledChanges(ctx context.Context, s *stripe.Subscription) error {
	if err := g.releaseSchedule(ctx, s); err != nil {
		return err
	}
	if s.CancelAtPeriodEnd {
		return g.setCancelAtPeriodEnd(ctx, s.ID, false)
	}
	return nil
}

// isImmediate reports whether payments with a kind of payment method are
// decided at once. Link is a wallet of cards.
func isImmediate(kind string) bool {
	return slices.Contains(paymentMethods, kind) || kind == string(stripe.PaymentMethodTypeLink)
}

// unpaidUpgradeError says why a change waits for its payment. One that was declined is taken back: it would
// otherwise take effect when some later attempt succeeds, hours after the page said that it had not.
func (g *Gate) unpaidUpgradeError(ctx context.Context, s *stripe.Subscription) error {
	i := s.LatestInvoice
	if i == nil {
		return billing.ErrDeclined
	}
	if p := i.PaymentIntent; p != nil && p.Status == stripe.PaymentIntentStatusRequiresAction &&
		i.HostedInvoiceURL != "" {
		return &billing.ActionError{URL: i.HostedInvoiceURL}
	} else if p != nil && p.Status == stripe.PaymentIntentStatusProcessing { // it cannot be called off any more
		return billing.ErrProcessing
	}
	return errors.Join(billing.ErrDeclined, g.voidInvoice(ctx, i.ID))
}

// Downgrade changes the offer at the end of the period that is paid for.
func (g *Gate) Downgrade(ctx context.Context, subscriptionID string, to billing.Offer) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	price, err := g.priceOf(to)
	if err != nil {
		return err
	}
	s, err := g.readSubscription(ctx, subscriptionID)
	if err != nil {
		return err
	}
	item, _, ok := g.itemOf(s)
	if !ok {
		return fmt.Errorf("subscription %s: %w", s.ID, billing.ErrUnknownPrice)
	}
	if err := checkInterval(s, item, to); err != nil {
		return err
	}
	if s.CancelAtPeriodEnd && !isScheduled(s) {
		if err := g.setCancelAtPeriodEnd(ctx, subscriptionID, false); err != nil {
			return err
		}
	}
	schedule := s.Schedule
	if !isScheduled(s) {
		schedule, err = g.api.SubscriptionSchedules.New(&stripe.SubscriptionScheduleParams{
			Params: stripe.Params{Context: ctx}, FromSubscription: stripe.String(s.ID)})
		if err != nil {
			return translateError("make a schedule", err)
		}
	}
	_, err = g.api.SubscriptionSchedules.Update(schedule.ID, &stripe.SubscriptionScheduleParams{
		Params: stripe.Params{Context: ctx}, EndBehavior: stripe.String(
			string(stripe.SubscriptionScheduleEndBehaviorRelease)), ProrationBehavior: stripe.String("none"),
		Phases: []*stripe.SubscriptionSchedulePhaseParams{
			newPhase(s, item, item.Price.ID, s.CurrentPeriodStart, s.CurrentPeriodEnd),
			newPhase(s, item, price, s.CurrentPeriodEnd, 0),
		},
	})
	return translateError("schedule a change of plan", err)
}

// checkInterval rejects an offer whose interval differs from that of another item of the subscription.
func checkInterval(s *stripe.Subscription, plan *stripe.SubscriptionItem, to billing.Offer) error {
	for _, item := range s.Items.Data {
		if item.ID != plan.ID && isYearly(item.Price) != to.Yearly {
			return fmt.Errorf("item %s of subscription %s: %w", item.ID, s.ID, billing.ErrOtherItems)
		}
	}
	return nil
}

// isScheduled reports whether a schedule decides what comes next.
func isScheduled(s *stripe.Subscription) bool {
	return s.Schedule != nil && !slices.Contains([]stripe.SubscriptionScheduleStatus{
		stripe.SubscriptionScheduleStatusReleased, stripe.SubscriptionScheduleStatusCanceled,
		stripe.SubscriptionScheduleStatusCompleted}, s.Schedule.Status)
}

// newPhase makes a phase of a schedule: what the subscription has now, with another price of one of
// its items. Stripe replaces all that a phase may say, and takes away what it leaves out: the
// payment method, the discounts, the tax, the other items. Without an end the phase is one period
// long, and the subscription goes on by itself.
func newPhase(s *stripe.Subscription, of *stripe.SubscriptionItem, price string, start,
	end int64) *stripe.SubscriptionSchedulePhaseParams {
	p := &stripe.SubscriptionSchedulePhaseParams{StartDate: stripe.Int64(start),
		ProrationBehavior: stripe.String("none"),
		AutomaticTax: &stripe.SubscriptionSchedulePhaseAutomaticTaxParams{Enabled: stripe.Bool(
			s.AutomaticTax == nil || s.AutomaticTax.Enabled)},
		Metadata: s.Metadata}
	if s.DefaultPaymentMethod != nil {
		p.DefaultPaymentMethod = stripe.String(s.DefaultPaymentMethod.ID)
	}
	discounts := s.Discounts
	if len(discounts) == 0 {
		discounts = []*stripe.Discount{s.Discount}
	}
	for _, d := range discounts {
		if d != nil && d.ID != "" { // by its id a discount goes on; by its coupon it would begin anew
			p.Discounts = append(p.Discounts, &stripe.SubscriptionSchedulePhaseDiscountParams{Discount: &d.ID})
		}
	}
	for _, rate := range s.DefaultTaxRates {
		p.DefaultTaxRates = append(p.DefaultTaxRates, stripe.String(rate.ID))
	}
	for _, item := range s.Items.Data {
		i := &stripe.SubscriptionSchedulePhaseItemParams{Price: stripe.String(item.Price.ID),
			Quantity: stripe.Int64(max(item.Quantity, 1))}
		if item.ID == of.ID {
			i.Price = stripe.String(price)
		}
		p.Items = append(p.Items, i)
	}
	if end > 0 {
		p.EndDate = stripe.Int64(end)
	} else {
		p.Iterations = stripe.Int64(1)
	}
	return p
}

func (g *Gate) releaseSchedule(ctx context.Context, s *stripe.Subscription) error {
	if !isScheduled(s) {
		return nil
	}
	_, err := g.api.SubscriptionSchedules.Release(s.Schedule.ID,
		&stripe.SubscriptionScheduleReleaseParams{Params: stripe.Params{Context: ctx}})
	return translateError("release a schedule", err)
}

// CancelAtPeriodEnd ends the subscription with the period that is paid for; off takes that back, and a change
// of plan that was to come as well. Where a change is scheduled, its schedule ends the
// subscription instead, in one call, so that a cancellation or a change is scheduled at every moment.
func (g *Gate) CancelAtPeriodEnd(ctx context.Context, id string, on bool) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	s, err := g.readSubscription(ctx, id)
	if err != nil {
		return err
	}
	item, offer, _ := g.itemOf(s)
	next, _ := g.nextOffer(s, offer)
	switch {
	case on && endsBySchedule(s):
		return nil
	case on && next != billing.Offer{}:
		_, err := g.api.SubscriptionSchedules.Update(s.Schedule.ID, &stripe.SubscriptionScheduleParams{
			Params: stripe.Params{Context: ctx}, EndBehavior: stripe.String(
				string(stripe.SubscriptionScheduleEndBehaviorCancel)), ProrationBehavior: stripe.String("none"),
			Phases: []*stripe.SubscriptionSchedulePhaseParams{newPhase(s, item, item.Price.ID, s.CurrentPeriodStart,
				s.CurrentPeriodEnd)},
		})
		return translateError("have a schedule end a subscription", err)
	}
	if err := g.releaseSchedule(ctx, s); err != nil { // Stripe refuses the rest while a schedule governs
		return err
	}
	return g.setCancelAtPeriodEnd(ctx, id, on)
}

func (g *Gate) setCancelAtPeriodEnd(ctx context.Context, id string, on bool) error {
	_, err := g.api.Subscriptions.Update(id, &stripe.SubscriptionParams{Params: stripe.Params{Context: ctx},
		CancelAtPeriodEnd: stripe.Bool(on)})
	return translateError("set whether a subscription ends with its period", err)
}
