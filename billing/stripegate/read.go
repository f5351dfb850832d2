package stripegate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stripe/stripe-go/v76"

	"arpent/billing"
)

// preference of a state over another: what gives a plan comes first, then what may still cost money.
var preference = map[stripe.SubscriptionStatus]int{
	stripe.SubscriptionStatusActive: 6, stripe.SubscriptionStatusTrialing: 6, stripe.SubscriptionStatusPastDue: 5,
	stripe.SubscriptionStatusUnpaid: 4, stripe.SubscriptionStatusPaused: 3, stripe.SubscriptionStatusIncomplete: 2,
	stripe.SubscriptionStatusCanceled: 1, stripe.SubscriptionStatusIncompleteExpired: 1,
}

const minLive = 3 // of preference: from there on a subscription costs money, or may again

// Read returns what a customer has: the subscription that lives, else the newest. With a second one that lives, or one
// that was paid after it had ended, comes a *billing.DuplicateError beside the snapshot of the one to keep: the older one.
func (g *Gate) Read(ctx context.Context, customerID string) (billing.Snapshot, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	params := &stripe.SubscriptionListParams{ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(100)},
		Customer: stripe.String(customerID), Status: stripe.String("all")}
	for _, field := range expanded {
		params.AddExpand("data." + field)
	}
	var best, second, late *stripe.Subscription
	all := g.api.Subscriptions.List(params)
	for all.Next() {
		s := all.Subscription()
		if paidLate(s) {
			late = s
		}
		switch {
		case best == nil:
			best = s
		case better(s, best):
			best, second = s, worse(best, second)
		default:
			second = worse(s, second)
		}
	}
	if err := all.Err(); err != nil {
		return billing.Snapshot{}, translate("list the subscriptions of a customer", err)
	}
	if best == nil {
		return billing.Snapshot{CustomerID: customerID}, g.exists(ctx, customerID)
	}
	snapshot, err := g.snapshot(ctx, best)
	snapshot.CustomerID = customerID
	second = cmp.Or(second, late)
	if err == nil && second != nil {
		err = &billing.DuplicateError{Keep: best.ID, Extra: second.ID}
	}
	return snapshot, err
}

// exists distinguishes a customer who has bought nothing, or was removed at Stripe, from one that the key's account never had:
// under a wrong key nobody is to lose a plan.
func (g *Gate) exists(ctx context.Context, customerID string) error {
	_, err := g.api.Customers.Get(customerID, &stripe.CustomerParams{Params: stripe.Params{Context: ctx}})
	if err = translate("read a customer", err); isCode(err, stripe.ErrorCodeResourceMissing) {
		return fmt.Errorf("%w: %w", billing.ErrNoCustomer, err)
	}
	return err
}

// better orders subscriptions; among those that live the older one wins, among the others the newer one.
func better(a, b *stripe.Subscription) bool {
	if pa, pb := preference[a.Status], preference[b.Status]; pa != pb {
		return pa > pb
	}
	if a.Created == b.Created {
		return a.ID < b.ID
	}
	return (a.Created < b.Created) == (preference[a.Status] >= minLive)
}

// worse keeps of what was not chosen one that lives.
func worse(s, kept *stripe.Subscription) *stripe.Subscription {
	if preference[s.Status] >= minLive {
		return s
	}
	return kept
}

// expanded are the fields of a subscription that come with it instead of as an id.
var expanded = []string{"latest_invoice.charge", "schedule"}

// subscription reads one with its price.
func (g *Gate) subscription(ctx context.Context, id string) (*stripe.Subscription, error) {
	params := &stripe.SubscriptionParams{Params: stripe.Params{Context: ctx}}
	for _, field := range expanded {
		params.AddExpand(field)
	}
	s, err := g.api.Subscriptions.Get(id, params)
	if err != nil {
		return nil, translate("read a subscription", err)
	}
	if s.Items == nil || len(s.Items.Data) == 0 || s.Items.Data[0].Price == nil {
		return nil, fmt.Errorf("subscription %s has no price: %w", id, billing.ErrUnknownPrice)
	}
	return s, nil
}

// snapshot draws what counts from a subscription.
func (g *Gate) snapshot(ctx context.Context, s *stripe.Subscription) (billing.Snapshot, error) {
	out := billing.Snapshot{SubscriptionID: s.ID, Status: string(s.Status), CancelAtPeriodEnd: s.CancelAtPeriodEnd}
	if s.Customer != nil {
		out.CustomerID = s.Customer.ID
	}
	if s.CurrentPeriodEnd > 0 {
		out.PeriodEnd = time.Unix(s.CurrentPeriodEnd, 0).UTC()
	}
	if ends(s) && out.Live() {
		out.CancelAtPeriodEnd = true
	}
	var known bool
	if s.Items != nil && len(s.Items.Data) == 1 {
		out.Plan, known = g.planOf(s.Items.Data[0].Price)
	}
	if !known && preference[s.Status] >= minLive {
		return out, fmt.Errorf("subscription %s: %w", s.ID, billing.ErrUnknownPrice)
	}
	out.NextPlan = g.nextPlan(s, out.Plan)
	if s.Status == stripe.SubscriptionStatusPastDue {
		since, err := g.unpaidSince(ctx, s)
		if err != nil {
			return out, err
		}
		out.UnpaidSince = since
	}
	var err error
	out.Disputed, err = g.disputed(ctx, s)
	return out, err
}

// ends reports whether a date or a schedule ends the subscription with its period. Under a schedule Stripe writes the end of each phase where
// a date to end the subscription would stand, also when another phase follows.
func ends(s *stripe.Subscription) bool {
	if governed(s) {
		return endsBySchedule(s)
	}
	return s.CancelAt > 0 && s.CancelAt <= s.CurrentPeriodEnd
}

// endsBySchedule reports whether a schedule ends the subscription with its period.
func endsBySchedule(s *stripe.Subscription) bool {
	if !governed(s) || s.Schedule.EndBehavior != stripe.SubscriptionScheduleEndBehaviorCancel || len(s.Schedule.Phases) == 0 {
		return false
	}
	return s.Schedule.Phases[len(s.Schedule.Phases)-1].EndDate <= s.CurrentPeriodEnd
}

// nextPlan is the plan that a schedule puts in place at the period's end; empty: the same.
func (g *Gate) nextPlan(s *stripe.Subscription, plan string) string {
	if s.Schedule == nil || s.Schedule.Status != stripe.SubscriptionScheduleStatusActive || s.CancelAtPeriodEnd {
		return ""
	}
	for _, phase := range s.Schedule.Phases {
		if phase.StartDate >= s.CurrentPeriodEnd && len(phase.Items) > 0 {
			if next, ok := g.planOf(phase.Items[0].Price); ok && next != plan {
				return next
			}
			return ""
		}
	}
	return ""
}

// unpaidSince is when the oldest invoice that is due was issued. Stripe says it, so that it is the same whenever it is
// read: a second invoice that fails does not begin the time of grace anew.
func (g *Gate) unpaidSince(ctx context.Context, s *stripe.Subscription) (time.Time, error) {
	var oldest int64
	open := g.api.Invoices.List(&stripe.InvoiceListParams{ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(100)},
		Subscription: stripe.String(s.ID), Status: stripe.String(string(stripe.InvoiceStatusOpen))})
	for open.Next() {
		if at := issued(open.Invoice()); oldest == 0 || at < oldest {
			oldest = at
		}
	}
	if err := open.Err(); err != nil {
		return time.Time{}, translate("list the invoices that are due", err)
	}
	oldest = cmp.Or(oldest, s.CurrentPeriodStart)
	if oldest == 0 {
		return time.Time{}, nil
	}
	return time.Unix(oldest, 0).UTC(), nil
}

func issued(i *stripe.Invoice) int64 {
	if i.StatusTransitions != nil && i.StatusTransitions.FinalizedAt > 0 {
		return i.StatusTransitions.FinalizedAt
	}
	return i.Created
}

// disputed reports whether the last payment was given back whole, or is claimed back through the bank. One that was
// won is not.
func (g *Gate) disputed(ctx context.Context, s *stripe.Subscription) (bool, error) {
	if s.LatestInvoice == nil || s.LatestInvoice.Charge == nil || preference[s.Status] < minLive {
		return false, nil
	}
	c := s.LatestInvoice.Charge
	if !c.Disputed || c.Refunded {
		return c.Refunded && c.AmountRefunded > 0, nil
	}
	all := g.api.Disputes.List(&stripe.DisputeListParams{ListParams: stripe.ListParams{Context: ctx}, Charge: stripe.String(c.ID)})
	decided := false
	for all.Next() {
		switch all.Dispute().Status {
		case stripe.DisputeStatusWon, stripe.DisputeStatusWarningClosed, stripe.DisputeStatusWarningNeedsResponse, stripe.DisputeStatusWarningUnderReview:
			decided = true // or only asked about
		default:
			return true, nil
		}
	}
	err := translate("list the disputes of a charge", all.Err())
	if errors.Is(err, billing.ErrUnavailable) {
		return false, err
	}
	return !decided, nil
}
