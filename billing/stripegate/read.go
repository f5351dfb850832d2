package stripegate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"

	"arpent/billing"
)

// statusRank of a state over another: what gives a plan comes first, then what may still cost money.
var statusRank = map[stripe.SubscriptionStatus]int{
	stripe.SubscriptionStatusActive: 6, stripe.SubscriptionStatusTrialing: 6,
	stripe.SubscriptionStatusPastDue: 5,
	stripe.SubscriptionStatusUnpaid:  4, stripe.SubscriptionStatusPaused: 3,
	stripe.SubscriptionStatusIncomplete: 2,
	stripe.SubscriptionStatusCanceled:   1, stripe.SubscriptionStatusIncompleteExpired: 1,
}

const minLiveRank = 3 // of preference: from there on a subscription costs money, or may again

// Read returns what a customer has bought from this service: the subscription that lives, else the newest.
// With a second one that lives, or one that was paid after it had ended, comes a *billing.DuplicateError next
// to the snapshot of the one to keep: the older one. Subscriptions without the reference of the account were
// not made by this service: those that live are findings for the operator, and change nothing.
func (g *Gate) Read(ctx context.Context, c billing.Customer) (billing.Snapshot, []billing.Finding, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	params := &stripe.SubscriptionListParams{ListParams: stripe.ListParams{Context: ctx,
		Limit: stripe.Int64(100)},
		Customer: stripe.String(c.ID), Status: stripe.String("all")}
	for _, field := range expandedFields {
		params.AddExpand("data." + field)
	}
	var best, second, late *stripe.Subscription
	var found []billing.Finding
	all := g.api.Subscriptions.List(params)
	for all.Next() {
		s := all.Subscription()
		if !isOurs(s, c.Reference) {
			if statusRank[s.Status] >= minLiveRank {
				found = append(found, billing.Finding{Kind: billing.ForeignSubscription, Object: s.ID,
					Detail: string(s.Status) + ", " + priceNames(s)})
			}
			continue
		}
		if isPaidAfterEnd(s) {
			late = s
		}
		loser := s
		if best == nil || isPreferred(s, best) {
			best, loser = s, best
		}
		if loser != nil && statusRank[loser.Status] >= minLiveRank {
			second = loser
		}
	}
	if err := translateError("list the subscriptions of a customer", all.Err()); err != nil &&
		!errors.Is(err, billing.ErrNoCustomer) {
		return billing.Snapshot{}, nil, err
	}
	if best == nil {
		deleted, err := g.isDeleted(ctx, c.ID)
		return billing.Snapshot{CustomerID: c.ID, Deleted: deleted}, found, err
	}
	snapshot, more, err := g.readSnapshot(ctx, best)
	snapshot.CustomerID = c.ID
	if err == nil && statusRank[best.Status] == statusRank[stripe.SubscriptionStatusCanceled] {
		snapshot.Deleted, err = g.isDeleted(ctx, c.ID)
	}
	second = cmp.Or(second, late)
	if err == nil && second != nil {
		err = &billing.DuplicateError{Keep: best.ID, Extra: second.ID}
	}
	return snapshot, append(found, more...), err
}

// priceNames are the prices of a subscription, as an operator finds them in the dashboard.
func priceNames(s *stripe.Subscription) string {
	var names []string
	if s.Items != nil {
		for _, item := range s.Items.Data {
			if item.Price != nil {
				names = append(names, item.Price.ID)
			}
		}
	}
	return strings.Join(names, " ")
}

// isDeleted distinguishes a customer who was deleted at Stripe from one that the key's account never had,
// which is an error: under a wrong key no account is to lose its plan.
func (g *Gate) isDeleted(ctx context.Context, customerID string) (bool, error) {
	c, err := g.api.Customers.Get(customerID, &stripe.CustomerParams{Params: stripe.Params{Context: ctx}})
	if err = translateError("read a customer", err); isCode(err, stripe.ErrorCodeResourceMissing) {
		return false, fmt.Errorf("%w: %w", billing.ErrNoCustomer, err)
	}
	return err == nil && c.Deleted, err
}

// isPreferred orders subscriptions; among those that live the older one wins, among the others the newer one.
func isPreferred(a, b *stripe.Subscription) bool {
	if pa, pb := statusRank[a.Status], statusRank[b.Status]; pa != pb {
		return pa > pb
	}
	if a.Created == b.Created {
		return a.ID < b.ID
	}
	return (a.Created < b.Created) == (statusRank[a.Status] >= minLiveRank)
}

// expandedFields are the fields of a subscription that come with it instead of as an id.
var expandedFields = []string{"latest_invoice.charge", "schedule"}

// readSubscription reads one with its price, and with further fields instead of their ids.
func (g *Gate) readSubscription(
	ctx context.Context, id string, fields ...string) (*stripe.Subscription, error) {
	params := &stripe.SubscriptionParams{Params: stripe.Params{Context: ctx}}
	for _, field := range slices.Concat(expandedFields, fields) {
		params.AddExpand(field)
	}
	s, err := g.api.Subscriptions.Get(id, params)
	if err != nil {
		return nil, translateError("read a subscription", err)
	}
	if s.Items == nil || len(s.Items.Data) == 0 || s.Items.Data[0].Price == nil {
		return nil, fmt.Errorf("subscription %s has no price: %w", id, billing.ErrUnknownPrice)
	}
	return s, nil
}

// readSnapshot draws what counts from a subscription, and what of it the operator has to look at.
func (g *Gate) readSnapshot(ctx context.Context, s *stripe.Subscription) (out billing.Snapshot,
	found []billing.Finding, err error) {
	out = billing.Snapshot{SubscriptionID: s.ID, Status: string(s.Status),
		CancelAtPeriodEnd: s.CancelAtPeriodEnd}
	if s.CurrentPeriodEnd > 0 {
		out.PeriodEnd = time.Unix(s.CurrentPeriodEnd, 0).UTC()
	}
	// Under a schedule Stripe writes the end of each phase where a date to end the subscription would stand,
	// also when another phase follows.
	ends := endsBySchedule(s) || !isScheduled(s) && s.CancelAt > 0 && s.CancelAt <= s.CurrentPeriodEnd
	out.CancelAtPeriodEnd = out.CancelAtPeriodEnd || ends && out.Live()
	item, offer, known := g.itemOf(s)
	out.Plan, out.Yearly = offer.Plan, item != nil && isYearly(item.Price)
	if !known {
		out.PriceUnknown = true
		if statusRank[s.Status] >= minLiveRank {
			found = append(found, billing.Finding{Kind: billing.UnknownPrice, Object: s.ID, Detail: priceNames(s)})
		}
	}
	if next, ok := g.nextOffer(s, offer); ok {
		out.NextPlan, out.NextYearly = next.Plan, next.Yearly
	}
	if fault := taxFault(s.LatestInvoice); fault != "" && statusRank[s.Status] >= minLiveRank {
		out.AddressNeeded = fault == locationUnknown
		found = append(found, billing.Finding{Kind: billing.TaxFailed, Object: s.LatestInvoice.ID, Detail: fault +
			", the invoice is " + string(s.LatestInvoice.Status)})
	}
	if statusRank[s.Status] < minLiveRank {
		return out, found, nil
	}
	charges, err := g.listCharges(ctx, s)
	if err != nil {
		return out, found, err
	}
	if s.Status == stripe.SubscriptionStatusPastDue {
		if out.UnpaidSince, err = g.unpaidSince(ctx, s, charges); err != nil {
			return out, found, err
		}
	}
	out.Disputed, err = g.isDisputed(ctx, s, charges)
	return out, found, err
}

// locationUnknown is the state of an invoice whose tax depends on an address that Stripe Tax cannot place.
const locationUnknown = string(stripe.InvoiceAutomaticTaxStatusRequiresLocationInputs)

// taxFault is why an invoice has no tax computation; empty: it has one, or needs none.
func taxFault(i *stripe.Invoice) string {
	switch {
	case i == nil || i.AutomaticTax == nil || i.Status == stripe.InvoiceStatusVoid:
		return ""
	case i.LastFinalizationError != nil && i.LastFinalizationError.Code == stripe.ErrorCodeCustomerTaxLocationInvalid && i.Status == stripe.InvoiceStatusDraft:
		return locationUnknown
	case i.AutomaticTax.Enabled && i.AutomaticTax.Status != "" &&
		i.AutomaticTax.Status != stripe.InvoiceAutomaticTaxStatusComplete:
		return string(i.AutomaticTax.Status)
	}
	return ""
}

// listCharges lists what was charged, or tried to, for a subscription and for its customer's reserves, the
// newest first. The charges of other invoices, which the operator made in the dashboard, are not listed.
func (g *Gate) listCharges(
	ctx context.Context, s *stripe.Subscription) (charges []*stripe.Charge, err error) {
	if s.Customer == nil {
		return nil, nil
	}
	params := &stripe.ChargeListParams{ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(100)},
		Customer: stripe.String(s.Customer.ID)}
	params.AddExpand("data.invoice")
	all := g.api.Charges.List(params)
	for all.Next() {
		c := all.Charge()
		if i := c.Invoice; i != nil && (i.Metadata[metaAccount] != "" || i.Subscription != nil && i.Subscription.ID == s.ID) {
			charges = append(charges, c)
		}
	}
	return charges, translateError("list the charges of a customer", all.Err())
}

// endsBySchedule reports whether a schedule ends the subscription with its period.
func endsBySchedule(s *stripe.Subscription) bool {
	if !isScheduled(s) || s.Schedule.EndBehavior != stripe.SubscriptionScheduleEndBehaviorCancel ||
		len(s.Schedule.Phases) == 0 {
		return false
	}
	return s.Schedule.Phases[len(s.Schedule.Phases)-1].EndDate <= s.CurrentPeriodEnd
}

// nextOffer is the offer that a schedule puts in place at the period's end; false: the same.
func (g *Gate) nextOffer(s *stripe.Subscription, present billing.Offer) (next billing.Offer, ok bool) {
	if s.Schedule == nil || s.Schedule.Status != stripe.SubscriptionScheduleStatusActive || s.CancelAtPeriodEnd {
		return next, false
	}
	for _, phase := range s.Schedule.Phases {
		if phase.StartDate < s.CurrentPeriodEnd {
			continue
		}
		for _, item := range phase.Items {
			if next, ok := g.offerOf(item.Price); ok && next != present {
				return next, true
			}
		}
		return next, false
	}
	return next, false
}

// unpaidSince is when the first charge of the oldest invoice that is due failed. Stripe keeps that, so that
// it is the same whenever it is read: a second invoice that fails does not begin the time of grace anew.
// Where no charge was made, because the bank asks the customer first, it is when the invoice was issued. It
// is zero for a debit: Stripe keeps when that began, and not when it failed.
func (g *Gate) unpaidSince(
	ctx context.Context, s *stripe.Subscription, charges []*stripe.Charge) (time.Time, error) {
	var oldest *stripe.Invoice
	open := g.api.Invoices.List(&stripe.InvoiceListParams{ListParams: stripe.ListParams{Context: ctx,
		Limit: stripe.Int64(100)},
		Subscription: stripe.String(s.ID), Status: stripe.String(string(stripe.InvoiceStatusOpen))})
	for open.Next() {
		if i := open.Invoice(); oldest == nil || issuedAt(i) < issuedAt(oldest) {
			oldest = i
		}
	}
	if err := open.Err(); err != nil {
		return time.Time{}, translateError("list the invoices that are due", err)
	}
	since := s.CurrentPeriodStart
	if oldest != nil {
		since = issuedAt(oldest)
		for _, c := range slices.Backward(charges) { // the oldest comes last
			if c.Invoice.ID != oldest.ID || c.Status != stripe.ChargeStatusFailed {
				continue
			}
			if c.PaymentMethodDetails != nil && c.PaymentMethodDetails.Type != "" &&
				!isImmediate(string(c.PaymentMethodDetails.Type)) {
				return time.Time{}, nil
			}
			since = c.Created
			break
		}
	}
	if since == 0 {
		return time.Time{}, nil
	}
	return time.Unix(since, 0).UTC(), nil
}

func issuedAt(i *stripe.Invoice) int64 {
	if i.StatusTransitions != nil && i.StatusTransitions.FinalizedAt > 0 {
		return i.StatusTransitions.FinalizedAt
	}
	return i.Created
}

// isDisputed reports whether the last payment was given back whole, or any is claimed
// back through the bank. A dispute that is open counts whatever was paid since; one that
// was lost counts until a later payment stands.
func (g *Gate) isDisputed(
	ctx context.Context, s *stripe.Subscription, charges []*stripe.Charge) (bool, error) {
	if i := s.LatestInvoice; i != nil && i.Charge != nil && i.Charge.Refunded && i.Charge.AmountRefunded > 0 {
		return true, nil
	}
	var standing int64 // when the newest payment that stands was made
	for _, c := range charges {
		if c.Paid && !c.Disputed && !c.Refunded {
			standing = max(standing, c.Created)
		}
	}
	for _, c := range charges {
		if !c.Disputed || c.Refunded {
			continue
		}
		counts, err := g.isDisputeStanding(ctx, c, standing)
		if err != nil || counts {
			return counts, err
		}
	}
	return false, nil
}

// isDisputeStanding reports whether a dispute of c still withdraws the money: an open one, or one lost after
// standing, the time of the newest valid payment. A charge whose disputes it cannot find counts as disputed.
func (g *Gate) isDisputeStanding(ctx context.Context, c *stripe.Charge, standing int64) (bool, error) {
	all := g.api.Disputes.List(&stripe.DisputeListParams{ListParams: stripe.ListParams{Context: ctx},
		Charge: stripe.String(c.ID)})
	decided := false
	for all.Next() {
		switch d := all.Dispute(); d.Status {
		case stripe.DisputeStatusWon, stripe.DisputeStatusWarningClosed, stripe.DisputeStatusWarningNeedsResponse,
			stripe.DisputeStatusWarningUnderReview:
			decided = true // or only asked about
		case stripe.DisputeStatusLost:
			if standing <= d.Created {
				return true, nil
			}
			decided = true
		default:
			return true, nil
		}
	}
	if err := translateError("list the disputes of a charge", all.Err()); err != nil {
		return false, err
	}
	return !decided, nil
}

// LiveSubscriptions lists a page of all live subscriptions at Stripe that have one of our prices or were made
// by this service, for whichever account. next is the last one of the page; empty: it was the last page.
func (g *Gate) LiveSubscriptions(ctx context.Context, after string) (page []billing.LiveSubscription,
	next string, err error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	params := &stripe.SubscriptionListParams{ListParams: stripe.ListParams{Context: ctx, Single: true,
		Limit: stripe.Int64(100)}}
	if after != "" {
		params.StartingAfter = stripe.String(after)
	}
	all := g.api.Subscriptions.List(params)
	for all.Next() {
		s := all.Subscription()
		next = s.ID
		_, offer, known := g.itemOf(s)
		if statusRank[s.Status] >= minLiveRank && s.Customer != nil && (known || s.Metadata[metaReference] != "") {
			page = append(page, billing.LiveSubscription{ID: s.ID, Customer: s.Customer.ID, Plan: offer.Plan})
		}
	}
	if err := all.Err(); err != nil {
		return nil, "", translateError("list the live subscriptions", err)
	}
	if !all.Meta().HasMore {
		next = ""
	}
	return page, next, nil
}
