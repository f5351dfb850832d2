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
	CardAsks      Card = "asks"        // payments without the customer wait until it is confirmed on the invoice's page
	Debit         Card = "debit"       // SEPA Direct Debit: each payment is under way until ClearDebit decides it
)

// newCard makes a payment method of a customer.
func (s *Simulator) newCard(customer string, behaviour Card) *card {
	c := &card{base: s.base("pm", "payment_method"), Type: "card", Customer: customer, behaviour: behaviour}
	if behaviour == Debit {
		c.Type = "sepa_debit"
	}
	return add(s, c.ID, c)
}

// wouldWork reports whether the next payment succeeds.
func (c *card) wouldWork() bool {
	return c.behaviour != CardDeclined && (c.behaviour != CardFailsNext || !c.used)
}

// cardOf is the payment method that a subscription is paid with: its own, else the customer's; nil: none.
func (s *Simulator) cardOf(b *subscription) *card {
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
	i := s.previewed(b, reason, lines...)
	i.ID = s.id("in")
	add(s, i.ID, i)
	s.emit("invoice.created", i)
	return i
}

// previewed is an invoice that does not exist: it has no id.
func (s *Simulator) previewed(b *subscription, reason string, lines ...*line) *invoice {
	i := &invoice{base: base{Object: "invoice", Created: s.now()}, Customer: b.Customer, Subscription: b.ID, Status: draft, Currency: "eur",
		Reason: reason, Start: b.Start, End: b.End, Lines: listOf("/v1/invoices/lines", lines...)}
	i.TaxState.Enabled = b.Tax.Enabled
	for _, l := range lines {
		if d := b.Discount; d != nil && !l.Proration {
			l.Amount -= l.Amount * d.Coupon.Percent / 100
		}
		if b.Tax.Enabled {
			l.TaxAmounts = []taxAmount{{Amount: taxOf(l.Amount)}}
			i.Tax += taxOf(l.Amount)
		}
		i.Subtotal += l.Amount
	}
	i.Total = i.Subtotal + i.Tax
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
	return &line{ID: s.id("il"), Object: "line_item", Amount: p.Cents, Currency: "eur", Text: "1 × " + p.Name, Price: p}
}

// prorated are the two lines of a change within a period: the unused rest
// of the old price, the rest of the new one.
func (s *Simulator) prorated(b *subscription, to *Price, at time.Time) []*line {
	whole, rest := int64(b.End.Sub(b.Start.Time)/time.Second), int64(b.End.Sub(at)/time.Second)
	part := func(p *Price, text string, sign int64) *line {
		l := s.periodLine(p)
		l.Text, l.Proration, l.Amount = text+p.Name, true, sign*((p.Cents*rest+whole/2)/whole)
		return l
	}
	return []*line{part(b.item().Price, "Unused time on ", -1), part(to, "Remaining time on ", 1)}
}

// finalize closes an invoice: it gets its number. One whose tax depends on an
// address that cannot be placed stays a draft.
func (s *Simulator) finalize(i *invoice) bool {
	c := s.byID[i.Customer].(*customer)
	if i.TaxState.Status = "complete"; i.TaxState.Enabled && c.lost {
		i.TaxState.Status, i.NextAttempt = "requires_location_inputs", stamp{}
		i.LastError = &lastError{Code: "customer_tax_location_invalid", Message: "The customer's location isn't recognized."}
		s.emit("invoice.finalization_failed", i)
		return false
	}
	i.LastError = nil
	c.invoices++
	i.Number = fmt.Sprintf("SIM-%s-%04d", strings.TrimLeft(i.Customer[len(i.Customer)-idDigits:], "0"), c.invoices)
	i.Status, i.Transitions.Finalized, i.NextAttempt = open, s.now(), stamp{}
	i.Page, i.PDF = s.url+"/invoice/"+i.ID, s.url+"/invoice/"+i.ID
	p := &intent{base: s.base("pi", "payment_intent"), Amount: i.Due, Customer: i.Customer, Invoice: i.ID}
	i.Intent = add(s, p.ID, p).ID
	s.setIntent(i, "requires_payment_method")
	s.emit("invoice.finalized", i)
	return true
}

func (s *Simulator) setIntent(i *invoice, status string) { s.byID[i.Intent].(*intent).Status = status }

// pay tries to collect an invoice once. Without the customer a bank may ask for a confirmation first.
func (s *Simulator) pay(i *invoice, with *card, present bool) bool {
	if i.Due == 0 {
		s.nowPaid(i)
		return true
	}
	i.Attempts++
	if with == nil {
		s.emit("invoice.payment_failed", i)
		return false
	}
	if with.behaviour == CardAsks && !present {
		s.setIntent(i, "requires_action")
		s.emit("invoice.payment_action_required", i)
		return false
	}
	ch := &charge{base: s.base("ch", "charge"), Amount: i.Due, Currency: "eur", Customer: i.Customer, Invoice: i.ID, Intent: i.Intent, Status: pending, Details: details{Type: with.Type}}
	i.Charge = add(s, ch.ID, ch).ID
	if with.behaviour == Debit {
		s.setIntent(i, "processing")
		s.emit("charge.pending", ch)
		return false
	}
	works := with.wouldWork()
	with.used = with.used || works
	s.decide(i, ch, works)
	return works
}

// decide ends a charge.
func (s *Simulator) decide(i *invoice, ch *charge, works bool) {
	if ch.Paid, ch.Status = works, succeeded; works {
		s.emit("charge.succeeded", ch)
		s.nowPaid(i)
		return
	}
	ch.Status = failed
	s.setIntent(i, "requires_payment_method")
	s.emit("charge.failed", ch)
	s.emit("invoice.payment_failed", i)
}

// nowPaid is what follows from the payment of an invoice.
func (s *Simulator) nowPaid(i *invoice) {
	i.Status, i.Transitions.Paid, i.NextAttempt = paid, s.now(), stamp{}
	s.setIntent(i, succeeded)
	s.emit("invoice.paid", i)
	s.emit("invoice.payment_succeeded", i)
}

// underWay reports whether a debit has been asked for and not been decided.
func (s *Simulator) underWay(i *invoice) bool {
	ch, ok := s.byID[i.Charge].(*charge)
	return ok && ch.Status == pending
}

// collect tries a payment of a subscription and draws the consequence.
func (s *Simulator) collect(i *invoice, present bool) bool {
	if i.Status == draft && !s.finalize(i) {
		return false
	}
	b := s.byID[i.Subscription].(*subscription)
	i.NextAttempt = stamp{} // a debit that is under way is not tried again
	worked := s.pay(i, s.cardOf(b), present)
	switch {
	case !b.live():
	case worked:
		s.paidFor(b, i)
	case s.underWay(i), b.waitsFor(i), b.Status == incomplete:
	case i.Attempts <= len(retryAfter):
		i.NextAttempt = stamp{s.at.Add(retryAfter[i.Attempts-1])}
		if b.Status == active {
			s.setStatus(b, pastDue)
		}
	default:
		i.NextAttempt = stamp{}
		s.giveUp(b)
	}
	return worked
}

// paidFor repairs a subscription after a payment.
func (s *Simulator) paidFor(b *subscription, i *invoice) {
	if b.waitsFor(i) {
		b.item().Price, b.Pending = b.Pending.Items[0].Price, nil
		s.emit("customer.subscription.pending_update_applied", b)
		return
	}
	owing := newest(s, func(o *invoice) bool { return o.Subscription == b.ID && o.Status == open && !b.waitsFor(o) })
	if len(owing) == 0 || b.Invoice == i.ID {
		s.setStatus(b, active)
	}
}

// giveUp is what the setting of the dashboard says of a subscription after the last attempt.
func (s *Simulator) giveUp(b *subscription) {
	switch s.options.AfterRetries {
	case MarkUnpaid:
		s.setStatus(b, unpaid)
	case Cancel:
		s.cancelNow(b)
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
	s.emit("invoice.voided", i)
	if b := s.byID[i.Subscription].(*subscription); b.waitsFor(i) {
		b.Pending = nil
		s.emit("customer.subscription.pending_update_expired", b)
	}
}

func (s *Simulator) voidInvoice(c call) (any, error) {
	i, err := read[*invoice](s, c.id, "")
	switch {
	case err != nil:
		return nil, err
	case i.Status != open:
		return nil, invalid("", "You can only void an open or uncollectible invoice.")
	case s.underWay(i):
		return nil, invalid("", "This invoice cannot be voided while its payment is processing.")
	}
	s.voidOpen(c.id)
	return i, nil
}

func (s *Simulator) listInvoices(c call) (any, error) {
	return page(s, c, func(i *invoice) bool {
		return c.allows("customer", i.Customer) && c.allows("status", i.Status) && c.allows("subscription", i.Subscription)
	})
}

// finalizeInvoice closes a draft and tries to collect it.
func (s *Simulator) finalizeInvoice(c call) (any, error) {
	i, err := read[*invoice](s, c.id, "")
	switch {
	case err != nil:
		return nil, err
	case i.Status != draft:
		return nil, invalid("", "This invoice is already finalized, you can't re-finalize a non-draft invoice.")
	}
	s.collect(i, false)
	if i.Status == draft {
		return nil, &apiError{status: http.StatusBadRequest, code: i.LastError.Code, message: i.LastError.Message}
	}
	return i, nil
}

// upcomingInvoice previews what is invoiced next: the difference
// alone for a change, which is invoiced at once.
func (s *Simulator) upcomingInvoice(c call) (any, error) {
	change := c.under("subscription_items")
	fits := newest(s, func(b *subscription) bool {
		return c.allows("customer", b.Customer) && c.allows("subscription", b.ID) && b.live() && b.Status != incomplete && (!s.ends(b) || change)
	})
	if len(fits) == 0 {
		return nil, &apiError{status: http.StatusNotFound, code: "invoice_upcoming_none", message: "No upcoming invoices for customer: " + c.get("customer")}
	}
	b := fits[0]
	if change {
		if c.get("subscription_proration_behavior") != "always_invoice" {
			return nil, invalid("subscription_proration_behavior", "The simulator previews always_invoice alone.")
		}
		p, at, err := s.change(b, c, "subscription_items", "subscription_proration_date")
		if err != nil {
			return nil, err
		}
		return s.previewed(b, "upcoming", s.prorated(b, p, at)...), nil
	}
	p := b.item().Price
	if next := s.phaseAt(b, b.End.Time); next != nil {
		p = s.byID[next.Items[0].Price].(*Price)
	}
	i := s.previewed(b, "upcoming", s.periodLine(p))
	i.NextAttempt = b.End
	return i, nil
}

// refund gives back what is left of a charge.
func (s *Simulator) refund(ch *charge) *refund {
	r := &refund{base: s.base("re", "refund"), Charge: ch.ID, Amount: ch.Amount - ch.AmountRefunded, Status: succeeded}
	ch.AmountRefunded, ch.Refunded = ch.Amount, true
	s.emit("charge.refunded", ch)
	return add(s, r.ID, r)
}

func (s *Simulator) createRefund(c call) (any, error) {
	ch, err := read[*charge](s, c.get("charge"), "charge")
	switch {
	case err != nil:
		return nil, err
	case ch.Refunded:
		return nil, &apiError{status: http.StatusBadRequest, code: "charge_already_refunded", message: "Charge " + ch.ID + " has already been refunded."}
	case ch.Disputed:
		return nil, &apiError{status: http.StatusBadRequest, code: "charge_disputed", message: "Charge " + ch.ID + " has been charged back; cannot issue a refund."}
	case !ch.Paid:
		return nil, invalid("charge", "Charge %s cannot be refunded.", ch.ID)
	}
	return s.refund(ch), nil
}

func (s *Simulator) listCharges(c call) (any, error) {
	return page(s, c, func(ch *charge) bool { return c.allows("customer", ch.Customer) })
}

func (s *Simulator) listDisputes(c call) (any, error) {
	return page(s, c, func(d *dispute) bool { return c.allows("charge", d.Charge) })
}
