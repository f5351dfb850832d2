package stripesim

func (s *Simulator) showInvoice(i *invoice) object {
	o := s.base("invoice", i.id, i.created)
	o["number"], o["customer"], o["subscription"], o["status"] = orNull(i.number), i.customer, orNull(i.subscription), i.status
	o["currency"], o["billing_reason"], o["collection_method"] = "eur", i.reason, "charge_automatically"
	o["subtotal"], o["total_excluding_tax"], o["tax"], o["total"] = i.subtotal(), i.subtotal(), i.taxCents, i.total()
	o["amount_due"], o["amount_paid"], o["amount_remaining"] = i.due(), i.paidCents, i.due()-i.paidCents
	o["paid"], o["attempted"], o["attempt_count"] = i.status == paid, i.attempts > 0, i.attempts
	o["next_payment_attempt"] = unix(i.nextAttempt)
	if !i.draftUntil.IsZero() {
		o["next_payment_attempt"] = i.draftUntil.Unix()
	}
	o["period_start"], o["period_end"] = i.start.Unix(), i.end.Unix()
	o["payment_intent"], o["charge"] = orNull(i.intent), orNull(i.charge)
	o["automatic_tax"], o["metadata"] = object{"enabled": true, "status": "complete"}, object{}
	o["status_transitions"] = object{"finalized_at": unix(i.finalized), "paid_at": unix(i.paidAt)}
	o["hosted_invoice_url"], o["invoice_pdf"] = nil, nil
	if i.number != "" {
		o["hosted_invoice_url"], o["invoice_pdf"] = s.url+"/invoice/"+i.id, s.url+"/invoice/"+i.id+"/pdf"
	}
	if c, ok := s.customers.get(i.customer); ok {
		o["customer_email"], o["customer_name"], o["customer_address"] = orNull(c.email), orNull(c.name), showAddress(c.address)
	}
	var lines []any
	for _, l := range i.lines {
		lines = append(lines, object{"id": l.id, "object": "line_item", "amount": l.cents, "amount_excluding_tax": l.cents,
			"currency": "eur", "description": l.text, "proration": l.proration, "price": s.priceOf(l.price), "quantity": 1,
			"type": map[bool]string{true: "invoiceitem", false: "subscription"}[l.proration], "subscription": orNull(i.subscription),
			"tax_amounts": []any{object{"amount": l.tax, "inclusive": false, "taxable_amount": l.cents, "tax_rate": nil}},
			"livemode":    s.options.Live, "period": object{"start": l.start.Unix(), "end": l.end.Unix()}})
	}
	o["lines"] = sublist("/v1/invoices/"+i.id+"/lines", lines)
	return o
}

func (s *Simulator) showCharge(c *charge) object {
	o := s.base("charge", c.id, c.created)
	o["amount"], o["amount_refunded"], o["currency"] = c.cents, c.refunded, "eur"
	o["amount_captured"], o["captured"] = c.cents, c.ok
	o["customer"], o["invoice"], o["payment_intent"], o["payment_method"] = c.customer, orNull(c.invoice), orNull(c.intent), orNull(c.card)
	o["paid"], o["refunded"], o["disputed"], o["metadata"] = c.ok, c.refunded >= c.cents && c.cents > 0, c.disputed, object{}
	o["status"] = map[bool]string{true: "succeeded", false: "failed"}[c.ok]
	if c.pending {
		o["status"] = "pending"
	} else if !c.ok {
		o["failure_code"], o["failure_message"] = "card_declined", "Your card was declined."
	}
	return o
}

func (s *Simulator) showIntent(i *invoice) object {
	o := s.base("payment_intent", i.intent, i.created)
	o["amount"], o["currency"], o["customer"], o["invoice"] = i.due(), "eur", i.customer, i.id
	o["latest_charge"], o["metadata"], o["payment_method_types"] = orNull(i.charge), object{}, []string{"card"}
	switch {
	case i.status == paid:
		o["status"] = "succeeded"
	case i.status == void:
		o["status"] = canceled
	case s.underWay(i):
		o["status"] = "processing"
	case i.confirm:
		o["status"] = "requires_action"
	default:
		o["status"] = "requires_payment_method"
	}
	return o
}

func (s *Simulator) showDispute(d *dispute) object {
	o := s.base("dispute", d.id, d.created)
	o["charge"], o["amount"], o["currency"], o["payment_intent"] = d.charge, d.cents, "eur", orNull(d.intent)
	o["reason"], o["status"], o["metadata"] = "fraudulent", d.status, object{}
	return o
}

func (s *Simulator) showRefund(r *refund) object {
	o := s.base("refund", r.id, r.created)
	o["amount"], o["currency"], o["charge"], o["status"], o["metadata"] = r.cents, "eur", r.charge, "succeeded", object{}
	o["reason"] = orNull(r.reason)
	return o
}
