package stripesim

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

const draftLife = time.Hour // between the end of a period and the payment of the next one

// retryAfter are the pauses between the attempts to collect a payment: 15 days in all.
var retryAfter = []time.Duration{3 * 24 * time.Hour, 5 * 24 * time.Hour, 7 * 24 * time.Hour}

// Card is how a payment method behaves.
type Card string

// The cards that the pages offer, and a debit.
const (
	CardOK        Card = "ok"          // every payment succeeds
	CardDeclined  Card = "declined"    // every payment fails
	CardFailsNext Card = "fails_later" // the first payment succeeds, every later one fails
	// payments without the customer wait until it is confirmed on the invoice's page
	CardAsks Card = "asks"
	// SEPA Direct Debit: each payment is under way until ClearDebit decides it
	Debit Card = "debit"
)

// newCard makes a payment method of a customer.
func (s *Simulator) newCard(customer string, behaviour Card) *card {
	c := &card{base: s.newBase("pm", "payment_method"), Type: "card", Customer: customer, behaviour: behaviour}
	if behaviour == Debit {
		c.Type = "sepa_debit"
	}
	return addObject(s, c.ID, c)
}

// willSucceed reports whether the next payment succeeds.
func (c *card) willSucceed() bool {
	return c.behaviour != CardDeclined && (c.behaviour != CardFailsNext || !c.used)
}

// paymentCard is the payment method that a subscription is paid with:
// its own, else the customer's; nil: none.
func (s *Simulator) paymentCard(b *subscription) *card {
	own, _ := s.byID[b.Method].(*card)
	if own == nil {
		own = s.byID[b.Customer].(*customer).card
	}
	if own == nil || own.Customer == "" { // it was taken from the customer
		return nil
	}
	return own
}

func (s *Simulator) newInvoice(b *subscription, reason string, lines ...*line) *invoice {
	i := s.previewInvoice(b, reason, lines...)
	i.ID = s.newID("in")
	addObject(s, i.ID, i)
	s.emitEvent("invoice.created", i)
	return i
}

// previewInvoice is an invoice that does not exist: it has no id.
func (s *Simulator) previewInvoice(b *subscription, reason string, lines ...*line) *invoice {
	i := &invoice{base: base{Object: "invoice", Created: s.now()}, Customer: b.Customer, Subscription: b.ID,
		Status: draft, Currency: "eur",
		Reason: reason, Start: b.Start, End: b.End, Lines: listOf("/v1/invoices/lines", lines...)}
	i.TaxState.Enabled = b.Tax.Enabled
	c := s.byID[b.Customer].(*customer)
	i.CustomerName, i.Fields = c.Name, c.Settings.Fields
	for _, l := range lines {
		net := l.Amount
		if d := b.Discount; d != nil && !l.Proration {
			off := l.Amount * d.Coupon.Percent / 100
			l.DiscountAmounts = []object{{"amount": off, "discount": d.ID}}
			net -= off
		}
		if b.Tax.Enabled {
			l.TaxAmounts = []object{{"amount": taxOf(net)}}
			i.Tax += taxOf(net)
		}
		i.Subtotal += l.Amount
		i.Total += net
	}
	i.Total += i.Tax
	i.Due = max(0, i.Total)
	return i
}

// taxOf is 20 %, to the nearest cent.
func taxOf(cents int64) int64 {
	if cents < 0 {
		return -taxOf(-cents)
	}
	return (cents*20 + 50) / 100
}

func (s *Simulator) periodLine(p *Price) *line {
	return &line{ID: s.newID("il"), Object: "line_item", Amount: p.Cents, Currency: "eur", Text: "1 × " + p.Name,
		Price: p}
}

// changeLines are the two lines of a change within a period: the unused rest of the old price, and the rest
// of the new one or, with another interval, a whole period of it.
func (s *Simulator) changeLines(b *subscription, to *Price, at time.Time) []*line {
	whole, rest := int64(b.End.Sub(b.Start.Time)/time.Second), int64(b.End.Sub(at)/time.Second)
	part := func(p *Price, text string, sign int64) *line {
		l := s.periodLine(p)
		cents := p.Cents
		if b.Discount != nil { // an amount of a proration is after discounts
			cents -= cents * b.Discount.Coupon.Percent / 100
		}
		l.Text, l.Proration, l.Amount = text+p.Name, true, sign*((cents*rest+whole/2)/whole)
		return l
	}
	unused := part(b.firstItem().Price, "Unused time on ", -1)
	if to.Interval != b.firstItem().Price.Interval {
		return []*line{unused, s.periodLine(to)}
	}
	return []*line{unused, part(to, "Remaining time on ", 1)}
}

// finalizeDraft closes an invoice: it gets its number. One whose tax depends on an
// address that cannot be placed stays a draft.
func (s *Simulator) finalizeDraft(i *invoice) bool {
	c := s.byID[i.Customer].(*customer)
	if i.TaxState.Status = "complete"; i.TaxState.Enabled && c.locationUnknown {
		i.TaxState.Status, i.NextAttempt = "requires_location_inputs", stamp{}
		i.LastError = &apiError{status: http.StatusBadRequest, code: "customer_tax_location_invalid",
			message: "The customer's location isn't recognized."}
		s.emitEvent("invoice.finalization_failed", i)
		return false
	}
	i.LastError = nil
	c.invoices++
	i.Number = fmt.Sprintf("SIM-%s-%04d", strings.TrimLeft(i.Customer[len(i.Customer)-idDigits:], "0"),
		c.invoices)
	i.Status, i.Transitions.Finalized, i.NextAttempt = open, s.now(), stamp{}
	i.Page, i.PDF = s.url+"/invoice/"+i.ID, s.url+"/invoice/"+i.ID
	p := &intent{base: s.newBase("pi", "payment_intent"), Amount: i.Due, Customer: i.Customer, Invoice: i.ID}
	i.Intent = addObject(s, p.ID, p).ID
	s.setIntent(i, "requires_payment_method")
	s.emitEvent("invoice.finalized", i)
	return true
}

func (s *Simulator) setIntent(i *invoice, status string) { s.byID[i.Intent].(*intent).Status = status }

// payInvoice tries to collect an invoice once. Without the customer a bank may ask for a confirmation first.
func (s *Simulator) payInvoice(i *invoice, with *card, present bool) bool {
	if i.Due == 0 {
		s.markPaid(i)
		return true
	}
	i.Attempts++
	if with == nil {
		s.emitEvent("invoice.payment_failed", i)
		return false
	}
	if with.behaviour == CardAsks && !present {
		s.setIntent(i, "requires_action")
		s.emitEvent("invoice.payment_action_required", i)
		return false
	}
	ch := &charge{base: s.newBase("ch", "charge"), Amount: i.Due, Currency: "eur", Customer: i.Customer,
		Invoice: i.ID, Intent: i.Intent, Status: pending, Details: object{"type": with.Type}}
	i.Charge = addObject(s, ch.ID, ch).ID
	if with.behaviour == Debit {
		s.setIntent(i, "processing")
		s.emitEvent("charge.pending", ch)
		return false
	}
	works := with.willSucceed()
	with.used = with.used || works
	s.endCharge(i, ch, works)
	return works
}

// endCharge ends a charge.
func (s *Simulator) endCharge(i *invoice, ch *charge, works bool) {
	if ch.Paid, ch.Status = works, succeeded; works {
		s.emitEvent("charge.succeeded", ch)
		s.markPaid(i)
		return
	}
	ch.Status = failed
	s.setIntent(i, "requires_payment_method")
	s.emitEvent("charge.failed", ch)
	s.emitEvent("invoice.payment_failed", i)
}

// markPaid applies the payment of an invoice.
func (s *Simulator) markPaid(i *invoice) {
	i.Status, i.Transitions.Paid, i.NextAttempt = paid, s.now(), stamp{}
	s.setIntent(i, succeeded)
	s.emitEvent("invoice.paid", i)
	s.emitEvent("invoice.payment_succeeded", i)
}

// isDebitPending reports whether a debit has been asked for and not been decided.
func (s *Simulator) isDebitPending(i *invoice) bool {
	ch, ok := s.byID[i.Charge].(*charge)
	return ok && ch.Status == pending
}

// collectInvoice tries a payment of a subscription and draws the consequence.
func (s *Simulator) collectInvoice(i *invoice, present bool) bool {
	if i.Status == draft && !s.finalizeDraft(i) {
		return false
	}
	b, ok := s.byID[i.Subscription].(*subscription)
	if !ok {
		return s.collectOneOff(i, present)
	}
	i.NextAttempt = stamp{} // a debit that is under way is not tried again
	worked := s.payInvoice(i, s.paymentCard(b), present)
	switch {
	case !b.isLive():
	case worked:
		s.applyPayment(b, i)
	case s.isDebitPending(i), b.isPendingOn(i), b.Status == incomplete:
	case i.Attempts <= len(retryAfter):
		i.NextAttempt = stamp{s.at.Add(retryAfter[i.Attempts-1])}
		if b.Status == active {
			s.setStatus(b, pastDue)
		}
	case s.options.AfterRetries == MarkUnpaid:
		s.setStatus(b, unpaid)
	case s.options.AfterRetries == Cancel:
		s.cancelNow(b)
	}
	return worked
}

// applyPayment repairs a subscription after a payment.
func (s *Simulator) applyPayment(b *subscription, i *invoice) {
	if b.isPendingOn(i) {
		s.applyPrice(b, b.Pending.Items[0].Price)
		b.Pending = nil
		s.emitEvent("customer.subscription.pending_update_applied", b)
		return
	}
	owing := listNewest(s, func(o *invoice) bool {
		return o.Subscription == b.ID && o.Status == open && !b.isPendingOn(o)
	})
	if len(owing) == 0 || b.Invoice == i.ID {
		s.setStatus(b, active)
	}
}

// voidOpen takes an invoice back that is open, and the change that waited for its payment.
func (s *Simulator) voidOpen(id string) {
	i, ok := s.byID[id].(*invoice)
	if !ok || i.Status != open {
		return
	}
	i.Status, i.NextAttempt = void, stamp{}
	s.setIntent(i, canceled)
	s.emitEvent("invoice.voided", i)
	if b, ok := s.byID[i.Subscription].(*subscription); ok && b.isPendingOn(i) {
		b.Pending = nil
		s.emitEvent("customer.subscription.pending_update_expired", b)
	}
}

func (s *Simulator) voidInvoice(c call, i *invoice) (any, error) {
	switch {
	case i.Status != open:
		return nil, invalidRequest("", "You can only void an open or uncollectible invoice.")
	case s.isDebitPending(i):
		return nil, invalidRequest("", "This invoice cannot be voided while its payment is processing.")
	}
	s.voidOpen(c.id)
	return i, nil
}

// finalizeInvoice closes a draft and tries to collect it.
func (s *Simulator) finalizeInvoice(_ call, i *invoice) (any, error) {
	if i.Status != draft {
		return nil, invalidRequest("", "This invoice is already finalized, you can't re-finalize a non-draft invoice.")
	}
	s.collectInvoice(i, false)
	if i.Status == draft {
		return nil, i.LastError
	}
	return i, nil
}

// upcomingInvoice previews what is invoiced next: the difference
// alone for a change, which is invoiced at once.
func (s *Simulator) upcomingInvoice(c call) (any, error) {
	change := c.hasNested("subscription_items")
	fits := listNewest(s, func(b *subscription) bool {
		return c.matchesFilter("customer", b.Customer) && c.matchesFilter("subscription", b.ID) && b.isLive() &&
			b.Status != incomplete && (!s.endsWithPeriod(b) || change)
	})
	if len(fits) == 0 {
		return nil, &apiError{status: http.StatusNotFound, code: "invoice_upcoming_none",
			message: "No upcoming invoices for customer: " + c.get("customer")}
	}
	b := fits[0]
	if change {
		if c.get("subscription_proration_behavior") != "always_invoice" {
			return nil, invalidRequest("subscription_proration_behavior",
				"The simulator previews always_invoice alone.")
		}
		p, at, err := s.readPriceChange(b, c, "subscription_items", "subscription_proration_date")
		if err != nil {
			return nil, err
		}
		return s.previewInvoice(b, "upcoming", s.changeLines(b, p, at)...), nil
	}
	p := b.firstItem().Price
	if next := s.phaseAt(b, b.End.Time); next != nil {
		p = s.byID[next.Items[0].Price].(*Price)
	}
	i := s.previewInvoice(b, "upcoming", s.periodLine(p))
	i.NextAttempt = b.End
	return i, nil
}

// refundCharge gives back what is left of a charge.
func (s *Simulator) refundCharge(ch *charge) object {
	r := object{"id": s.newID("re"), "object": "refund", "created": s.now(), "charge": ch.ID,
		"amount": ch.Amount - ch.AmountRefunded, "status": succeeded}
	ch.AmountRefunded, ch.Refunded = ch.Amount, true
	s.emitEvent("charge.refunded", ch)
	return r
}

func (s *Simulator) createRefund(c call) (any, error) {
	ch, err := findObject[*charge](s, c.get("charge"), "charge")
	switch {
	case err != nil:
		return nil, err
	case ch.Refunded:
		return nil, &apiError{status: http.StatusBadRequest, code: "charge_already_refunded", message: "Charge " +
			ch.ID + " has already been refunded."}
	case ch.Disputed:
		return nil, &apiError{status: http.StatusBadRequest, code: "charge_disputed", message: "Charge " + ch.ID +
			" has been charged back; cannot issue a refund."}
	case !ch.Paid:
		return nil, invalidRequest("charge", "Charge %s cannot be refunded.", ch.ID)
	}
	return s.refundCharge(ch), nil
}
