package stripesim

import (
	"math"
	"strconv"
)

// ReservePrice is the price of one request of a reserve, and what Stripe calls one-time.
const ReservePrice = pricePrefix + "reserve"

// createInvoice makes the draft of an invoice of no subscription. Stripe does not collect it by itself with
// auto_advance false, and leaves out pending items with pending_invoice_items_behavior exclude; the
// simulator does not know either otherwise (docs.stripe.com/api/invoices/create).
func (s *Simulator) createInvoice(c call) (any, error) {
	owner, err := findObject[*customer](s, c.get("customer"), "customer")
	switch {
	case err != nil:
		return nil, err
	case c.get("auto_advance") != "false" || c.get("pending_invoice_items_behavior") != "exclude":
		return nil, invalidRequest("auto_advance", "The simulator makes drafts alone that wait, without pending items.")
	}
	if c.has("default_payment_method") {
		m, err := findObject[*card](s, c.get("default_payment_method"), "default_payment_method")
		if err != nil || m.Customer != owner.ID {
			return nil, invalidRequest("default_payment_method", "The payment method is not the customer's.")
		}
	}
	i := &invoice{base: s.newBase("in", "invoice"), Customer: owner.ID, Status: draft, Currency: "eur", Reason: "manual",
		Method: c.get("default_payment_method"), Lines: listOf[*line]("/v1/invoices/lines"),
		Metadata: c.mapParam("metadata"), CustomerName: owner.Name, Fields: owner.Settings.Fields}
	i.TaxState.Enabled = c.get("automatic_tax[enabled]") == "true"
	addObject(s, i.ID, i)
	s.emitEvent("invoice.created", i)
	return i, nil
}

// createItem writes a line on a draft. The sum of a price with a part of a cent is rounded once, for the
// whole quantity (docs.stripe.com/billing/subscriptions/decimal-amounts).
func (s *Simulator) createItem(c call) (any, error) {
	i, err := findObject[*invoice](s, c.get("invoice"), "invoice")
	if err != nil {
		return nil, err
	}
	p, err := findObject[*Price](s, c.get("price"), "price")
	switch {
	case err != nil:
		return nil, err
	case i.Status != draft || i.Customer != c.get("customer"):
		return nil, invalidRequest("invoice", "You can only add items to a draft invoice of the customer.")
	case p.Interval != "":
		return nil, invalidRequest("price", "The price specified is set to `type=recurring` but this field only accepts prices with `type=one_time`.")
	}
	n, _ := strconv.ParseInt(c.get("quantity"), 10, 64) // the mock has refused what is no number
	l := &line{ID: s.newID("il"), Object: "line_item", Amount: int64(math.Round(float64(n) * p.unitCents())), Currency: "eur",
		Text: c.get("description"), Price: p, Quantity: n}
	if i.TaxState.Enabled {
		l.TaxAmounts = []object{{"amount": taxOf(l.Amount)}}
		i.Tax += taxOf(l.Amount)
	}
	i.Lines.Data = append(i.Lines.Data, l)
	i.Subtotal += l.Amount
	i.Total = i.Subtotal + i.Tax
	i.Due = i.Total
	return object{"id": s.newID("ii"), "object": "invoiceitem", "customer": i.Customer, "invoice": i.ID, "amount": l.Amount,
		"currency": "eur", "quantity": n, "price": p, "livemode": false}, nil
}

// collectOneOff tries a payment of an invoice of no subscription. One that fails is tried again as the
// others are, and stays open in the end.
func (s *Simulator) collectOneOff(i *invoice, present bool) bool {
	m, _ := s.byID[i.Method].(*card)
	if m == nil || m.Customer == "" { // it was taken from the customer
		m = s.byID[i.Customer].(*customer).card
	}
	i.NextAttempt = stamp{}
	worked := s.payInvoice(i, m, present)
	if !worked && !s.isDebitPending(i) && i.Attempts <= len(retryAfter) {
		i.NextAttempt = stamp{s.at.Add(retryAfter[i.Attempts-1])}
	}
	return worked
}
