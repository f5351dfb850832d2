package stripegate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stripe/stripe-go/v76"

	"arpent/billing"
)

// Upgrade changes the plan at once and charges the difference for the rest of the period, computed for the instant
// that Preview gave. The plan changes when that is paid: billing.ErrDeclined and *billing.ActionError say that it is not yet. key is
// the same for a form sent twice.
func (g *Gate) Upgrade(ctx context.Context, subscriptionID, plan string, prorationDate time.Time, key string) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	price, ok := g.o.Prices[plan]
	if !ok {
		return fmt.Errorf("the plan %q is not for sale", plan)
	}
	s, err := g.subscription(ctx, subscriptionID)
	if err != nil {
		return err
	}
	params := &stripe.SubscriptionParams{
		Params:            stripe.Params{Context: ctx, IdempotencyKey: stripe.String("upgrade-" + subscriptionID + "-" + plan + "-" + key)},
		Items:             []*stripe.SubscriptionItemsParams{{ID: stripe.String(s.Items.Data[0].ID), Price: stripe.String(price)}},
		ProrationBehavior: stripe.String("always_invoice"), ProrationDate: stripe.Int64(prorationDate.Unix()),
		PaymentBehavior: stripe.String("pending_if_incomplete"),
	}
	params.AddExpand("latest_invoice.payment_intent")
	changed, err := g.api.Subscriptions.Update(subscriptionID, params)
	if err != nil {
		return translate("upgrade a subscription", err)
	}
	if changed.PendingUpdate != nil {
		return g.unpaidUpgrade(ctx, changed)
	}
	// What was to happen at the period's end was about the old plan.
	if err := g.release(ctx, s); err != nil {
		return err
	}
	if s.CancelAtPeriodEnd {
		return g.setCancel(ctx, subscriptionID, false)
	}
	return nil
}

// unpaidUpgrade says why a change waits for its payment. One that was declined is taken back: it would otherwise take
// effect when some later attempt succeeds, hours after the page said that it had not.
func (g *Gate) unpaidUpgrade(ctx context.Context, s *stripe.Subscription) error {
	i := s.LatestInvoice
	if i == nil {
		return billing.ErrDeclined
	}
	if p := i.PaymentIntent; p != nil && p.Status == stripe.PaymentIntentStatusRequiresAction && i.HostedInvoiceURL != "" {
		return &billing.ActionError{URL: i.HostedInvoiceURL}
	}
	if err := g.void(ctx, i.ID); err != nil {
		return errors.Join(billing.ErrDeclined, err)
	}
	return billing.ErrDeclined
}

// Downgrade changes the plan at the end of the period that is paid for.
func (g *Gate) Downgrade(ctx context.Context, subscriptionID, plan string) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	price, ok := g.o.Prices[plan]
	if !ok {
		return fmt.Errorf("the plan %q is not for sale", plan)
	}
	s, err := g.subscription(ctx, subscriptionID)
	if err != nil {
		return err
	}
	if s.CancelAtPeriodEnd && !governed(s) {
		if err := g.setCancel(ctx, subscriptionID, false); err != nil {
			return err
		}
	}
	id, err := g.schedule(ctx, s)
	if err != nil {
		return err
	}
	_, err = g.api.SubscriptionSchedules.Update(id, &stripe.SubscriptionScheduleParams{
		Params: stripe.Params{Context: ctx}, EndBehavior: stripe.String(string(stripe.SubscriptionScheduleEndBehaviorRelease)), ProrationBehavior: stripe.String("none"),
		Phases: []*stripe.SubscriptionSchedulePhaseParams{
			phase(s.Items.Data[0].Price.ID, s.CurrentPeriodStart, s.CurrentPeriodEnd),
			phase(price, s.CurrentPeriodEnd, 0),
		},
	})
	return translate("schedule a change of plan", err)
}

// schedule is the one of the subscription, made when there is none.
func (g *Gate) schedule(ctx context.Context, s *stripe.Subscription) (string, error) {
	if governed(s) {
		return s.Schedule.ID, nil
	}
	made, err := g.api.SubscriptionSchedules.New(&stripe.SubscriptionScheduleParams{Params: stripe.Params{Context: ctx}, FromSubscription: stripe.String(s.ID)})
	if err != nil {
		return "", translate("make a schedule", err)
	}
	return made.ID, nil
}

// governed reports whether a schedule decides what comes next.
func governed(s *stripe.Subscription) bool {
	return s.Schedule != nil && s.Schedule.Status != stripe.SubscriptionScheduleStatusReleased &&
		s.Schedule.Status != stripe.SubscriptionScheduleStatusCanceled && s.Schedule.Status != stripe.SubscriptionScheduleStatusCompleted
}

// phase of a schedule; without an end it is one period long, and the subscription goes on by itself.
func phase(price string, start, end int64) *stripe.SubscriptionSchedulePhaseParams {
	p := &stripe.SubscriptionSchedulePhaseParams{StartDate: stripe.Int64(start), ProrationBehavior: stripe.String("none"),
		AutomaticTax: &stripe.SubscriptionSchedulePhaseAutomaticTaxParams{Enabled: stripe.Bool(true)},
		Items:        []*stripe.SubscriptionSchedulePhaseItemParams{{Price: stripe.String(price), Quantity: stripe.Int64(1)}}}
	if end > 0 {
		p.EndDate = stripe.Int64(end)
	} else {
		p.Iterations = stripe.Int64(1)
	}
	return p
}

func (g *Gate) release(ctx context.Context, s *stripe.Subscription) error {
	if !governed(s) {
		return nil
	}
	_, err := g.api.SubscriptionSchedules.Release(s.Schedule.ID, &stripe.SubscriptionScheduleReleaseParams{Params: stripe.Params{Context: ctx}})
	return translate("release a schedule", err)
}

// CancelAtPeriodEnd ends the subscription with the period that is paid for; off takes that back, and a change of plan
// that was to come as well. Instead of a change that is to come the schedule of that ends the subscription: by one call, so that at no
// moment neither of the two is to come.
func (g *Gate) CancelAtPeriodEnd(ctx context.Context, id string, on bool) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	s, err := g.subscription(ctx, id)
	if err != nil {
		return err
	}
	plan, _ := g.planOf(s.Items.Data[0].Price)
	switch {
	case on && endsBySchedule(s):
		return nil
	case on && g.nextPlan(s, plan) != "":
		_, err := g.api.SubscriptionSchedules.Update(s.Schedule.ID, &stripe.SubscriptionScheduleParams{
			Params: stripe.Params{Context: ctx}, EndBehavior: stripe.String(string(stripe.SubscriptionScheduleEndBehaviorCancel)), ProrationBehavior: stripe.String("none"),
			Phases: []*stripe.SubscriptionSchedulePhaseParams{phase(s.Items.Data[0].Price.ID, s.CurrentPeriodStart, s.CurrentPeriodEnd)},
		})
		return translate("have a schedule end a subscription", err)
	}
	if err := g.release(ctx, s); err != nil { // Stripe refuses the rest while a schedule governs
		return err
	}
	return g.setCancel(ctx, id, on)
}

func (g *Gate) setCancel(ctx context.Context, id string, on bool) error {
	_, err := g.api.Subscriptions.Update(id, &stripe.SubscriptionParams{Params: stripe.Params{Context: ctx}, CancelAtPeriodEnd: stripe.Bool(on)})
	return translate("set whether a subscription ends with its period", err)
}
