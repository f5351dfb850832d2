package stripesim

import (
	"fmt"
	"strings"
	"time"
)

const draftLife = time.Hour // between the end of a period and the payment of the next one

// retryAfter are the pauses between the attempts to collect a payment: 15 days in all.
var retryAfter = []time.Duration{3 * 24 * time.Hour, 5 * 24 * time.Hour, 7 * 24 * time.Hour}

func (s *Simulator) newInvoice(b *subscription, reason string, lines ...line) *invoice {
	id := s.id("in")
	i := s.invoices.add(id, &invoice{id: id, customer: b.customer, subscription: b.id, status: draft, reason: reason,
		lines: lines, created: s.at, start: b.start, end: b.end})
	s.addTax(b, i)
	s.emit("invoice.created", s.showInvoice(i), nil)
	return i
}

// addTax computes the tax of each line, for a subscription with automatic tax.
func (s *Simulator) addTax(b *subscription, i *invoice) {
	c, ok := s.customers.get(b.customer)
	if !ok || !b.automaticTax {
		return
	}
	for n := range i.lines {
		i.lines[n].tax = s.taxOf(c, i.lines[n].cents)
		i.taxCents += i.lines[n].tax
	}
}

func (s *Simulator) periodLine(b *subscription) line {
	p, _ := s.prices.get(b.price)
	return line{id: s.id("il"), price: b.price, text: fmt.Sprintf("1 × %s (at €%d.%02d / month)", p.Name, p.Cents/100, p.Cents%100),
		cents: p.Cents, start: b.start, end: b.end}
}

// prorated are the two lines of a change within a period: the unused rest of the old price, the rest of the new one.
func (s *Simulator) prorated(b *subscription, price string, at time.Time) []line {
	whole, rest := int64(b.end.Sub(b.start)/time.Second), int64(b.end.Sub(at)/time.Second)
	part := func(id, text string, sign int64) line {
		p, _ := s.prices.get(id)
		return line{id: s.id("il"), price: id, text: text + p.Name + " after " + at.UTC().Format("02 Jan 2006"),
			cents: sign * ((p.Cents*rest + whole/2) / whole), proration: true, start: at, end: b.end}
	}
	return []line{part(b.price, "Unused time on ", -1), part(price, "Remaining time on ", 1)}
}

// finalize closes an invoice: it gets its number, and uses up the credit there is.
func (s *Simulator) finalize(i *invoice) {
	c, _ := s.customers.get(i.customer)
	c.invoices++
	i.number = fmt.Sprintf("SIM-%s-%04d", strings.TrimLeft(i.customer[len(i.customer)-idDigits:], "0"), c.invoices)
	i.status, i.finalized, i.draftUntil, i.intent = open, s.at, time.Time{}, ""
	if total := i.total(); total < 0 {
		c.balance += total
	} else if c.balance < 0 {
		i.fromBalance = min(total, -c.balance)
		c.balance += i.fromBalance
	}
	if i.due() > 0 {
		i.intent = s.id("pi")
	}
	s.emit("invoice.finalized", s.showInvoice(i), nil)
}

// pay tries to collect an invoice once. Nothing due is paid without a card.
func (s *Simulator) pay(i *invoice, with *card) bool {
	if i.due() > 0 {
		i.attempts++
		if with == nil {
			s.emit("invoice.payment_failed", s.showInvoice(i), nil)
			return false
		}
		if i.confirm = with.behaviour == CardAsks && !s.present; i.confirm {
			s.emit("payment_intent.requires_action", s.showIntent(i), nil)
			s.emit("invoice.payment_action_required", s.showInvoice(i), nil)
			return false
		}
		id := s.id("ch")
		ch := s.charges.add(id, &charge{id: id, customer: i.customer, invoice: i.id, intent: i.intent, card: with.id, cents: i.due(),
			ok: with.works(), created: s.at})
		i.charge = id
		if !ch.ok {
			s.emit("charge.failed", s.showCharge(ch), nil)
			s.emit("payment_intent.payment_failed", s.showIntent(i), nil)
			s.emit("invoice.payment_failed", s.showInvoice(i), nil)
			return false
		}
		if with.behaviour == Debit {
			ch.ok, ch.pending = false, true
			s.emit("charge.pending", s.showCharge(ch), nil)
			s.emit("payment_intent.processing", s.showIntent(i), nil)
			return false
		}
		s.emit("charge.succeeded", s.showCharge(ch), nil)
	}
	s.nowPaid(i)
	return true
}

// nowPaid is what follows from the payment of an invoice.
func (s *Simulator) nowPaid(i *invoice) {
	i.status, i.paidCents, i.paidAt, i.nextAttempt = paid, i.due(), s.at, time.Time{}
	if i.intent != "" {
		s.emit("payment_intent.succeeded", s.showIntent(i), nil)
	}
	s.emit("invoice.paid", s.showInvoice(i), nil)
	s.emit("invoice.payment_succeeded", s.showInvoice(i), nil)
}

// underWay reports whether a debit has been asked for and not been decided.
func (s *Simulator) underWay(i *invoice) bool {
	ch, ok := s.charges.get(i.charge)
	return ok && ch.pending
}

// collect tries a payment of a subscription and draws the consequence.
func (s *Simulator) collect(i *invoice, with *card) bool {
	if i.status == draft {
		s.finalize(i)
	}
	b, ok := s.subscriptions.get(i.subscription)
	worked := s.pay(i, with)
	switch {
	case !ok || !b.live():
	case worked:
		s.paidFor(b, i)
	case s.underWay(i), b.pending != nil && b.pending.invoice == i.id, b.status == incomplete:
	case i.attempts <= len(retryAfter):
		i.nextAttempt = s.at.Add(retryAfter[i.attempts-1])
		if b.status == active {
			s.setStatus(b, pastDue)
		}
	default:
		i.nextAttempt = time.Time{}
		s.giveUp(b)
	}
	return worked
}

// paidFor puts a subscription right after a payment.
func (s *Simulator) paidFor(b *subscription, i *invoice) {
	if b.pending != nil && b.pending.invoice == i.id {
		s.change(b, func() { b.price, b.pending = b.pending.price, nil })
		s.emit("customer.subscription.pending_update_applied", s.showSubscription(b), nil)
		return
	}
	owing := s.invoices.newest(func(o *invoice) bool {
		return o.subscription == b.id && o.status == open && (b.pending == nil || o.id != b.pending.invoice)
	})
	if len(owing) == 0 || b.invoice == i.id {
		s.setStatus(b, active)
	}
}

// giveUp is what the setting of the dashboard says of a subscription after the last attempt.
func (s *Simulator) giveUp(b *subscription) {
	switch s.options.AfterRetries {
	case MarkUnpaid:
		s.setStatus(b, unpaid)
	case LeavePastDue:
	default:
		s.cancelNow(b, "payment_failed")
	}
}

// voidIt takes an invoice back, and the change that waited for its payment.
func (s *Simulator) voidIt(i *invoice) {
	i.status, i.nextAttempt = void, time.Time{}
	s.emit("invoice.voided", s.showInvoice(i), nil)
	if b, ok := s.subscriptions.get(i.subscription); ok && b.pending != nil && b.pending.invoice == i.id {
		before := s.showSubscription(b)
		b.pending = nil
		s.emit("customer.subscription.pending_update_expired", s.showSubscription(b), before)
	}
}

func (s *Simulator) listInvoices(c call) (object, error) {
	if err := s.listing(c.form); err != nil {
		return nil, err
	}
	return page(c, "/v1/invoices", shown(s.invoices.newest(func(i *invoice) bool {
		return (!c.has("customer") || i.customer == c.get("customer")) && (!c.has("status") || i.status == c.get("status")) &&
			(!c.has("subscription") || i.subscription == c.get("subscription"))
	}), s.showInvoice))
}

func (s *Simulator) cardOfInvoice(i *invoice) *card {
	if b, ok := s.subscriptions.get(i.subscription); ok {
		return s.cardOf(b)
	}
	return nil
}

func (s *Simulator) voidInvoice(c call) (object, error) {
	i, ok := s.invoices.get(c.id)
	if !ok {
		return nil, noSuch("invoice", c.id)
	}
	if i.status != open && i.status != uncollectible {
		return nil, invalid("", "You can only void an open or uncollectible invoice.")
	}
	if s.underWay(i) {
		return nil, invalid("", "This invoice cannot be voided while its payment is processing.")
	}
	s.voidIt(i)
	return s.showInvoice(i), nil
}

// upcomingInvoice previews what is invoiced next: the difference alone for a change that is invoiced at once.
func (s *Simulator) upcomingInvoice(c call) (object, error) {
	b, err := s.upcomingFor(c)
	if err != nil {
		return nil, err
	}
	lines, at := []line(nil), b.end
	next := *b
	next.start, next.end = b.end, nextEnd(b.anchor, b.end)
	if c.under("subscription_items") {
		price, ok := s.prices.get(c.get("subscription_items[0][price]"))
		if !ok {
			return nil, noSuchIn("subscription_items[0][price]", "price", c.get("subscription_items[0][price]"))
		}
		if c.get("subscription_items[0][id]") != b.item {
			return nil, invalid("subscription_items[0][id]", "Without its item's id the new price would be added to the old one: pass %s", b.item)
		}
		when := s.at
		if c.has("subscription_proration_date") {
			when = time.Unix(c.number("subscription_proration_date"), 0)
		}
		if when.Before(b.start) || when.After(b.end) {
			return nil, invalid("subscription_proration_date", "Cannot prorate outside of the current period.")
		}
		next.price = price.ID
		if c.get("subscription_proration_behavior") != "none" && price.ID != b.price {
			lines = s.prorated(b, price.ID, when)
		}
		if c.get("subscription_proration_behavior") == "always_invoice" {
			return s.previewed(b, lines, s.at), nil
		}
	} else if p := s.phaseAt(b, b.end); p != nil {
		next.price = p.price
	}
	return s.previewed(b, append(append(lines, b.carry...), s.periodLine(&next)), at), nil
}

func (s *Simulator) upcomingFor(c call) (*subscription, error) {
	if err := s.listing(c.form); err != nil {
		return nil, err
	}
	for _, b := range s.subscriptions.newest(nil) {
		if (c.has("customer") && b.customer != c.get("customer")) || (c.has("subscription") && b.id != c.get("subscription")) {
			continue
		}
		if b.live() && b.status != incomplete && (!b.cancelAtEnd || c.under("subscription_items")) {
			return b, nil
		}
	}
	return nil, &apiError{status: 404, kind: "invalid_request_error", code: "invoice_upcoming_none",
		message: "No upcoming invoices for customer: " + c.get("customer")}
}

// previewed is an invoice that does not exist: it has no id and no number.
func (s *Simulator) previewed(b *subscription, lines []line, at time.Time) object {
	i := &invoice{customer: b.customer, subscription: b.id, status: draft, reason: "upcoming", lines: lines, created: at, start: b.start, end: b.end}
	s.addTax(b, i)
	if c, ok := s.customers.get(b.customer); ok && c.balance < 0 && i.total() > 0 {
		i.fromBalance = min(i.total(), -c.balance)
	}
	o := s.showInvoice(i)
	delete(o, "id")
	o["next_payment_attempt"] = at.Unix()
	return o
}
