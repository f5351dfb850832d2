package stripesim

import (
	"slices"
	"time"
)

const incompleteLife = 23 * time.Hour // how long Stripe waits for the first payment, and for that of a pending update

// monthsAfter is the same day of the month n months on, or the month's last day where there is none.
func monthsAfter(anchor time.Time, n int) time.Time {
	anchor = anchor.UTC()
	first := time.Date(anchor.Year(), anchor.Month()+time.Month(n), 1, anchor.Hour(), anchor.Minute(), anchor.Second(), 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(anchor.Day(), last)-1)
}

// nextEnd is the end of the period that begins at start.
func nextEnd(anchor, start time.Time) time.Time {
	for n := 1; ; n++ {
		if end := monthsAfter(anchor, n); end.After(start) {
			return end
		}
	}
}

// subscribe makes a subscription and tries its first payment. It stays incomplete when that fails.
func (s *Simulator) subscribe(c *customer, price string, paying *card, tax bool, metadata map[string]string) *subscription {
	id := s.id("sub")
	b := s.subscriptions.add(id, &subscription{id: id, customer: c.id, item: s.id("si"), price: price, status: incomplete,
		metadata: metadata, created: s.at, start: s.at, anchor: s.at, end: monthsAfter(s.at, 1), automaticTax: tax})
	if paying != nil {
		b.card = paying.id
	}
	i := s.newInvoice(b, "subscription_create", s.periodLine(b))
	b.invoice = i.id
	s.emit("customer.subscription.created", s.showSubscription(b), nil)
	s.finalize(i)
	if s.pay(i, paying) || s.underWay(i) { // Stripe delivers while a debit is under way
		s.setStatus(b, active)
	}
	return b
}

// setStatus changes it and says so.
func (s *Simulator) setStatus(b *subscription, status string) {
	if b.status == status {
		return
	}
	s.change(b, func() { b.status = status })
}

// change does something to a subscription and tells what was different before.
func (s *Simulator) change(b *subscription, do func()) {
	before := s.showSubscription(b)
	do()
	s.emit("customer.subscription.updated", s.showSubscription(b), before)
}

func (s *Simulator) cancelNow(b *subscription, reason string) {
	b.status, b.endedAt, b.reason = canceled, s.at, reason
	if b.canceledAt.IsZero() {
		b.canceledAt = s.at
	}
	if c, ok := s.schedules.get(b.schedule); ok {
		c.status, b.schedule = canceled, ""
		s.emit("subscription_schedule.canceled", s.showSchedule(c), nil)
	}
	for _, i := range s.invoices.newest(func(i *invoice) bool { return i.subscription == b.id }) {
		i.nextAttempt, i.draftUntil = time.Time{}, time.Time{}
	}
	s.emit("customer.subscription.deleted", s.showSubscription(b), nil)
}

// renew is what happens at the end of a period.
func (s *Simulator) renew(b *subscription) {
	if b.cancelAtEnd {
		s.cancelNow(b, "cancellation_requested")
		return
	}
	var i *invoice
	s.change(b, func() {
		b.start, b.end = b.end, nextEnd(b.anchor, b.end)
		lines := append(b.carry, s.periodLine(b))
		b.carry = nil
		i = s.newInvoice(b, "subscription_cycle", lines...)
		b.invoice = i.id
	})
	if b.status != unpaid { // Stripe makes drafts for those and leaves them
		i.draftUntil = s.at.Add(draftLife)
	}
}

func (s *Simulator) subscriptionOf(id string) (*subscription, error) {
	if b, ok := s.subscriptions.get(id); ok {
		return b, nil
	}
	return nil, noSuch("subscription", id)
}

func (s *Simulator) listSubscriptions(c call) (object, error) {
	if err := s.listing(c.form); err != nil {
		return nil, err
	}
	status := c.get("status")
	return page(c, "/v1/subscriptions", shown(s.subscriptions.newest(func(b *subscription) bool {
		switch {
		case c.has("customer") && b.customer != c.get("customer"), c.has("price") && b.price != c.get("price"):
			return false
		case status == "all":
			return true
		case status == "ended":
			return !b.live()
		case status != "":
			return b.status == status
		}
		return b.status != canceled
	}), s.showSubscription))
}

func (s *Simulator) cancelSubscription(c call) (object, error) {
	b, err := s.subscriptionOf(c.id)
	if err != nil {
		return nil, err
	}
	if !b.live() {
		return nil, noSuch("subscription", c.id)
	}
	s.cancelNow(b, "cancellation_requested")
	return s.showSubscription(b), nil
}

// withPending are the parameters that Stripe takes together with payment_behavior=pending_if_incomplete.
var withPending = []string{"expand", "payment_behavior", "proration_behavior", "proration_date", "billing_cycle_anchor", "items",
	"trial_end", "trial_from_plan", "add_invoice_items"}

func (s *Simulator) updateSubscription(c call) (object, error) {
	b, err := s.subscriptionOf(c.id)
	if err != nil {
		return nil, err
	}
	if !b.live() {
		return nil, invalid("", "A canceled subscription can only update its cancellation_details and metadata.")
	}
	if c.get("payment_behavior") == "pending_if_incomplete" {
		for _, name := range c.firstNames() {
			if !slices.Contains(withPending, name) {
				return nil, invalid(name, "The following parameters are not supported for pending updates: `%s`.", name)
			}
		}
	}
	if c.has("cancel_at_period_end") && b.schedule != "" {
		return nil, invalid("cancel_at_period_end", "The subscription is managed by the subscription schedule `%s`, and updating any "+
			"cancelation behavior directly is not allowed. Please update the schedule instead.", b.schedule)
	}
	if c.under("items") {
		if err := s.updateItems(b, c.form); err != nil {
			return nil, err
		}
	}
	if c.has("cancel_at_period_end") && c.yes("cancel_at_period_end") != b.cancelAtEnd {
		s.cancelAtEnd(b, c.yes("cancel_at_period_end"))
	}
	if c.under("metadata") || c.has("default_payment_method") {
		s.change(b, func() {
			metadata := map[string]string{}
			for k, v := range b.metadata {
				metadata[k] = v
			}
			c.merge(metadata, "metadata")
			b.metadata = metadata
			if c.has("default_payment_method") {
				b.card = c.get("default_payment_method")
			}
		})
	}
	return s.showSubscription(b), nil
}

func (s *Simulator) cancelAtEnd(b *subscription, on bool) {
	s.change(b, func() {
		b.cancelAtEnd, b.canceledAt, b.reason = on, time.Time{}, ""
		if on {
			b.canceledAt, b.reason = s.at, "cancellation_requested"
		}
	})
}

func (s *Simulator) updateItems(b *subscription, f form) error {
	if f.count("items") != 1 {
		return invalid("items", "The simulator keeps one item a subscription.")
	}
	if f.get("items[0][id]") != b.item {
		return invalid("items[0][id]", "Without its item's id the new price would be added to the old one: pass items[0][id] = %s", b.item)
	}
	if f.has("items[0][quantity]") && f.get("items[0][quantity]") != "1" {
		return invalid("items[0][quantity]", "The simulator sells one at a time.")
	}
	price, ok := s.prices.get(f.get("items[0][price]"))
	if !ok {
		return noSuchIn("items[0][price]", "price", f.get("items[0][price]"))
	}
	at := s.at
	if f.has("proration_date") {
		at = time.Unix(f.number("proration_date"), 0)
		if at.Before(b.start) || at.After(b.end) {
			return invalid("proration_date", "Cannot prorate outside of the current period.")
		}
	}
	return s.switchPrice(b, price.ID, at, f.get("proration_behavior"), f.get("payment_behavior"))
}

// switchPrice changes the plan now. Only with always_invoice is the difference paid at once.
func (s *Simulator) switchPrice(b *subscription, price string, at time.Time, proration, payment string) error {
	if b.price == price {
		return nil
	}
	lines := s.prorated(b, price, at)
	switch {
	case proration == "none" || b.status == incomplete:
		s.change(b, func() { b.price = price })
	case proration != "always_invoice":
		s.change(b, func() { b.price, b.carry = price, append(b.carry, lines...) })
	default:
		return s.switchAndPay(b, price, lines, payment)
	}
	return nil
}

func (s *Simulator) switchAndPay(b *subscription, price string, lines []line, payment string) error {
	paying := s.cardOf(b)
	if payment == "error_if_incomplete" && (paying == nil || !paying.wouldWork()) && s.prices.byID[price].Cents > s.prices.byID[b.price].Cents {
		return errDeclined
	}
	i := s.newInvoice(b, "subscription_update", lines...)
	s.finalize(i)
	worked := s.pay(i, paying)
	switch {
	case worked:
		s.change(b, func() { b.price, b.invoice = price, i.id })
	case payment == "pending_if_incomplete":
		s.change(b, func() {
			b.invoice = i.id
			b.pending = &pendingUpdate{price: price, invoice: i.id, expires: s.at.Add(incompleteLife)}
		})
	default:
		i.nextAttempt = s.at.Add(retryAfter[0])
		s.change(b, func() { b.price, b.invoice, b.status = price, i.id, pastDue })
	}
	return nil
}

// cardOf is the one that a subscription is paid with.
func (s *Simulator) cardOf(b *subscription) *card {
	if c, ok := s.cards.get(b.card); ok {
		return c
	}
	if who, ok := s.customers.get(b.customer); ok {
		if c, ok := s.cards.get(who.card); ok {
			return c
		}
	}
	return nil
}
