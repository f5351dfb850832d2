package stripesim

import (
	"slices"
	"strings"
	"time"
)

// how long Stripe waits for the first payment, and for that of a pending update
const incompleteLife = 23 * time.Hour

// createSubscription makes a subscription and tries its first payment, with the customer present. It
// stays incomplete when that fails. The payment method is the subscription's alone, as with a
// page of payment: the customer's own is another.
func (s *Simulator) createSubscription(c *customer, p *Price, behaviour Card, taxed bool,
	metadata map[string]string) *subscription {
	paying := s.newCard(c.ID, behaviour)
	b := &subscription{base: s.newBase("sub", "subscription"), Customer: c.ID, Status: incomplete,
		Metadata: metadata, Currency: "eur",
		Anchor: s.now(), Start: s.now(), End: stamp{monthsAfter(s.at, p.countMonths())}, Method: paying.ID,
		Tax: automaticTax{Enabled: taxed}}
	b.Items = listOf("/v1/subscription_items", s.newItem(s.newID("si"), p))
	addObject(s, b.ID, b)
	i := s.newInvoice(b, "subscription_create", s.periodLine(b.firstItem().Price))
	b.Invoice = i.ID
	s.emitEvent("customer.subscription.created", b)
	s.finalizeDraft(i)
	if s.payInvoice(i, paying, true) || s.isDebitPending(i) { // Stripe delivers while a debit is under way
		s.setStatus(b, active)
	}
	return b
}

func (s *Simulator) newItem(id string, p *Price) *item {
	return &item{ID: id, Object: "subscription_item", Price: p, Quantity: 1}
}

func (s *Simulator) setStatus(b *subscription, status string) {
	if b.Status != status {
		b.Status = status
		s.emitEvent("customer.subscription.updated", b)
	}
}

func (s *Simulator) cancelNow(b *subscription) {
	b.Status, b.EndedAt = canceled, s.now()
	if b.CanceledAt.IsZero() {
		b.CanceledAt = s.now()
	}
	if c, ok := s.byID[b.Schedule].(*schedule); ok {
		c.Status, b.Schedule = canceled, ""
		s.emitEvent("subscription_schedule.canceled", c)
	}
	for _, i := range listNewest(s, func(i *invoice) bool { return i.Subscription == b.ID }) {
		i.NextAttempt = stamp{}
	}
	s.emitEvent("customer.subscription.deleted", b)
}

// cancelAtEnd sets or takes back that it ends with its period.
func (s *Simulator) cancelAtEnd(b *subscription, on bool) {
	if b.CancelAtEnd == on {
		return
	}
	b.CancelAtEnd, b.CanceledAt = on, stamp{}
	if on {
		b.CanceledAt = s.now()
	}
	s.emitEvent("customer.subscription.updated", b)
}

// renewSubscription ends a period and begins the next one.
func (s *Simulator) renewSubscription(b *subscription) {
	if b.CancelAtEnd {
		s.cancelNow(b)
		return
	}
	b.Start, b.End = b.End, nextEnd(b.Anchor, b.End, b.firstItem().Price)
	i := s.newInvoice(b, "subscription_cycle", s.periodLine(b.firstItem().Price))
	b.Invoice = i.ID
	if b.Status != unpaid { // Stripe makes drafts for those and leaves them
		i.NextAttempt = stamp{s.at.Add(draftLife)}
	}
	s.emitEvent("customer.subscription.updated", b)
}

func (s *Simulator) listSubscriptions(c call) (any, error) {
	status := c.get("status")
	return listPage(s, c, func(b *subscription) bool {
		return c.matchesFilter("customer", b.Customer) && (status == "all" || b.Status == status || status == "" &&
			b.Status != canceled)
	})
}

func (s *Simulator) cancelSubscription(_ call, b *subscription) (any, error) {
	if !b.isLive() {
		return nil, resourceMissing("", b.ID)
	}
	s.cancelNow(b)
	return b, nil
}

// pendingParams are the parameters that Stripe takes together with payment_behavior=pending_if_incomplete.
var pendingParams = []string{"expand", "payment_behavior", "proration_behavior", "proration_date",
	"billing_cycle_anchor", "items",
	"trial_end", "trial_from_plan", "add_invoice_items"}

func (s *Simulator) updateSubscription(c call, b *subscription) (any, error) {
	if !b.isLive() {
		return nil, invalidRequest("", "A canceled subscription can only update its cancellation_details and metadata.")
	}
	for key := range c.form {
		name, _, _ := strings.Cut(key, "[")
		if c.get("payment_behavior") == "pending_if_incomplete" && !slices.Contains(pendingParams, name) {
			return nil, invalidRequest(name, "The following parameters are not supported for pending updates: `%s`.", name)
		}
	}
	if c.has("cancel_at_period_end") {
		if b.Schedule != "" {
			return nil, invalidRequest("cancel_at_period_end",
				"The subscription is managed by the subscription schedule `%s`, and updating any "+
					"cancelation behavior directly is not allowed. Please update the schedule instead.", b.Schedule)
		}
		s.cancelAtEnd(b, c.get("cancel_at_period_end") == "true")
	}
	if c.has("items[0][id]") || c.has("items[0][price]") {
		return b, s.updateItem(b, c)
	}
	return b, nil
}

// updateItem changes the plan as the service asks for it: the difference is invoiced at once, and a
// payment that fails leaves the change pending.
func (s *Simulator) updateItem(b *subscription, c call) error {
	if c.get("proration_behavior") != "always_invoice" || c.get("payment_behavior") != "pending_if_incomplete" {
		return invalidRequest("items", "The simulator invoices a change at once (always_invoice) and keeps it pending (pending_if_incomplete).")
	}
	p, at, err := s.readPriceChange(b, c, "items", "proration_date")
	if err != nil {
		return err
	}
	return s.switchPrice(b, p, at, true)
}

// readPriceChange reads the new price of a subscription and the instant from which it counts, which are
// named alike in an update and in its preview.
func (s *Simulator) readPriceChange(
	b *subscription, c call, items, date string) (p *Price, at time.Time, err error) {
	if c.get(items+"[0][id]") != b.firstItem().ID {
		return nil, at, invalidRequest(items+"[0][id]",
			"Without its item's id the new price would be added to the old one: pass %s", b.firstItem().ID)
	}
	if at = s.at; c.has(date) {
		at = c.timeParam(date)
	}
	if at.Before(b.Start.Time) || at.After(b.End.Time) {
		return nil, at, invalidRequest(date, "Cannot prorate outside of the current period.")
	}
	p, err = findObject[*Price](s, c.get(items+"[0][price]"), items+"[0][price]")
	return p, at, err
}

// switchPrice changes the plan now, and invoices the difference. With another interval the period begins
// anew: what is left of the former one is credited, and the new one charged whole
// (docs.stripe.com/api/subscriptions/update).
func (s *Simulator) switchPrice(b *subscription, p *Price, at time.Time, mayWait bool) error {
	if b.firstItem().Price == p {
		return nil
	}
	with := s.paymentCard(b)
	if !mayWait && (with == nil || !with.willSucceed()) && p.Cents > b.firstItem().Price.Cents {
		return errDeclined
	}
	i := s.newInvoice(b, "subscription_update", s.changeLines(b, p, at)...)
	if !s.finalizeDraft(i) {
		return i.LastError
	}
	worked := s.payInvoice(i, with, false)
	b.Invoice = i.ID
	switch {
	case worked:
		s.applyPrice(b, p)
	case mayWait:
		b.Pending = &pendingUpdate{Expires: stamp{s.at.Add(incompleteLife)},
			Items: []*item{s.newItem(b.firstItem().ID, p)}, invoice: i.ID}
	default:
		i.NextAttempt = stamp{s.at.Add(retryAfter[0])}
		s.applyPrice(b, p)
		b.Status = pastDue
	}
	s.emitEvent("customer.subscription.updated", b)
	return nil
}

// applyPrice gives a subscription another price. With another interval its period begins now.
func (s *Simulator) applyPrice(b *subscription, p *Price) {
	if p.Interval != b.firstItem().Price.Interval {
		b.Anchor, b.Start, b.End = s.now(), s.now(), stamp{monthsAfter(s.at, p.countMonths())}
	}
	b.firstItem().Price = p
}
