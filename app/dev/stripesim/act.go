package stripesim

// Subscribe does at once what checkout would do, and gives the id. CardDeclined leaves it incomplete.
func (s *Simulator) Subscribe(customerID, priceID string, behaviour Card) (string, error) {
	return act(s, func() (string, error) {
		c, err := s.customerOf(customerID)
		if err != nil {
			return "", err
		}
		if _, ok := s.prices.get(priceID); !ok {
			return "", noSuch("price", priceID)
		}
		if c.address == nil {
			c.address = &address{Country: "FR"}
		}
		return s.subscribe(c, priceID, s.addCard(c, behaviour), true, map[string]string{}).id, nil
	})
}

// act does something under the lock, with the time settled before.
func act[T any](s *Simulator, do func() (T, error)) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	defer s.posts.poke()
	return do()
}

// Change moves a subscription to another price at once, paying the difference, as the customer portal does.
func (s *Simulator) Change(subscriptionID, priceID string) error {
	_, err := act(s, func() (any, error) {
		b, err := s.subscriptionOf(subscriptionID)
		if err != nil {
			return nil, err
		}
		if _, ok := s.prices.get(priceID); !ok {
			return nil, noSuch("price", priceID)
		}
		if c, ok := s.schedules.get(b.schedule); ok {
			s.releaseSchedule(c)
		}
		return nil, s.switchPrice(b, priceID, s.at, "always_invoice", "error_if_incomplete")
	})
	return err
}

// CancelAtPeriodEnd sets or takes back the cancellation, as the customer portal does.
func (s *Simulator) CancelAtPeriodEnd(subscriptionID string, on bool) error {
	_, err := act(s, func() (any, error) {
		b, err := s.subscriptionOf(subscriptionID)
		if err != nil {
			return nil, err
		}
		if !b.live() {
			return nil, invalid("", "The subscription is %s.", b.status)
		}
		if c, ok := s.schedules.get(b.schedule); ok {
			s.releaseSchedule(c)
		}
		if b.cancelAtEnd != on {
			s.cancelAtEnd(b, on)
		}
		return nil, nil
	})
	return err
}

// CancelNow ends a subscription at once, as somebody in Stripe's dashboard may.
func (s *Simulator) CancelNow(subscriptionID string) error {
	_, err := act(s, func() (any, error) {
		b, err := s.subscriptionOf(subscriptionID)
		if err == nil && b.live() {
			s.cancelNow(b, "cancellation_requested")
		}
		return nil, err
	})
	return err
}

// SetCard gives a customer another card, for the subscriptions too.
func (s *Simulator) SetCard(customerID string, behaviour Card) error {
	_, err := act(s, func() (any, error) {
		c, err := s.customerOf(customerID)
		if err != nil {
			return nil, err
		}
		made := s.addCard(c, behaviour)
		made.used = behaviour == CardFailsNext // it was good for nothing but being accepted
		for _, b := range s.subscriptions.newest(func(b *subscription) bool { return b.customer == customerID && b.live() }) {
			s.change(b, func() { b.card = made.id })
		}
		return nil, nil
	})
	return err
}

// PayOpen tries to collect the open invoices of a customer now, and tells whether all are paid.
func (s *Simulator) PayOpen(customerID string) (bool, error) {
	return act(s, func() (bool, error) {
		if _, err := s.customerOf(customerID); err != nil {
			return false, err
		}
		all := true
		for _, i := range s.invoices.all() {
			if i.customer == customerID && i.status == open && !s.underWay(i) {
				all = s.collect(i, s.cardOfInvoice(i)) && all
			}
		}
		return all, nil
	})
}

// Refund gives the last payment of a customer back whole.
func (s *Simulator) Refund(customerID string) error {
	_, err := act(s, func() (any, error) {
		ch, err := s.lastCharge(customerID)
		if err == nil {
			s.refund(ch, ch.cents-ch.refunded, "")
		}
		return nil, err
	})
	return err
}

// Dispute makes the cardholder's bank take the last payment back.
func (s *Simulator) Dispute(customerID string) error {
	_, err := act(s, func() (any, error) {
		ch, err := s.lastCharge(customerID)
		if err != nil {
			return nil, err
		}
		ch.disputed = true
		id := s.id("dp")
		d := s.disputes.add(id, &dispute{id: id, charge: ch.id, intent: ch.intent, cents: ch.cents, status: "needs_response", created: s.at})
		s.emit("charge.dispute.created", s.showDispute(d), nil)
		return nil, nil
	})
	return err
}

// CloseDispute decides the customer's dispute: won is for the seller.
func (s *Simulator) CloseDispute(customerID string, won bool) error {
	_, err := act(s, func() (any, error) {
		ch, err := s.lastCharge(customerID)
		if err != nil {
			return nil, err
		}
		for _, d := range s.disputes.newest(func(d *dispute) bool { return d.charge == ch.id && d.status == "needs_response" }) {
			if d.status = "lost"; won {
				d.status = "won"
			}
			s.emit("charge.dispute.closed", s.showDispute(d), nil)
		}
		return nil, nil
	})
	return err
}

// Confirm is the customer's word to the bank for an invoice whose payment waits for it.
func (s *Simulator) Confirm(invoiceID string) error {
	_, err := act(s, func() (any, error) {
		i, ok := s.invoices.get(invoiceID)
		if !ok || i.status != open {
			return nil, noSuch("open invoice", invoiceID)
		}
		s.present = true
		defer func() { s.present = false }()
		if !s.collect(i, s.cardOfInvoice(i)) {
			return nil, errDeclined
		}
		return nil, nil
	})
	return err
}

// ClearDebit decides the debits of a customer that are under way. One that fails leaves its invoice open.
func (s *Simulator) ClearDebit(customerID string, works bool) error {
	_, err := act(s, func() (any, error) {
		for _, ch := range s.charges.newest(func(c *charge) bool { return c.customer == customerID && c.pending }) {
			s.clear(ch, works)
		}
		return nil, nil
	})
	return err
}

func (s *Simulator) clear(ch *charge, works bool) {
	before := s.showCharge(ch)
	ch.pending, ch.ok = false, works
	i, _ := s.invoices.get(ch.invoice)
	b, live := s.subscriptions.get(i.subscription)
	live = live && b.live()
	kind := "checkout.session.async_payment_succeeded"
	if works {
		s.emit("charge.succeeded", s.showCharge(ch), before)
		s.nowPaid(i)
		if live {
			s.paidFor(b, i)
		}
	} else {
		kind = "checkout.session.async_payment_failed"
		s.emit("charge.failed", s.showCharge(ch), before)
		s.emit("payment_intent.payment_failed", s.showIntent(i), nil)
		s.emit("invoice.payment_failed", s.showInvoice(i), nil)
		if live {
			i.nextAttempt = s.at.Add(retryAfter[0])
			s.setStatus(b, pastDue)
		}
	}
	for _, n := range s.sessions.newest(func(n *session) bool { return n.subscription == i.subscription && !n.paid }) {
		n.paid = works
		s.emit(kind, s.showSession(n), nil)
	}
}

// Kept is what the customer has paid and was not given back, in cents.
func (s *Simulator) Kept(customerID string) (cents int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ch := range s.charges.all() {
		if ch.customer == customerID && ch.ok {
			cents += ch.cents - ch.refunded
		}
	}
	return cents
}

// won reports whether every dispute of a charge was decided for the seller.
func (s *Simulator) won(ch *charge) bool {
	return len(s.disputes.newest(func(d *dispute) bool { return d.charge == ch.id && d.status != "won" })) == 0
}

func (s *Simulator) listDisputes(c call) (object, error) {
	return page(c, "/v1/disputes", shown(s.disputes.newest(func(d *dispute) bool {
		return (!c.has("charge") || d.charge == c.get("charge")) && (!c.has("payment_intent") || d.intent == c.get("payment_intent"))
	}), s.showDispute))
}

func (s *Simulator) lastCharge(customerID string) (*charge, error) {
	all := s.charges.newest(func(c *charge) bool { return c.customer == customerID && c.ok })
	if len(all) == 0 {
		return nil, noSuch("charge of customer", customerID)
	}
	return all[0], nil
}

func (s *Simulator) refund(ch *charge, cents int64, reason string) *refund {
	before := s.showCharge(ch)
	ch.refunded += cents
	id := s.id("re")
	r := s.refunds.add(id, &refund{id: id, charge: ch.id, reason: reason, cents: cents, created: s.at})
	s.emit("charge.refunded", s.showCharge(ch), before)
	return r
}

func (s *Simulator) createRefund(c call) (object, error) {
	for _, ch := range s.charges.newest(nil) {
		if ch.id != c.get("charge") && (ch.intent == "" || ch.intent != c.get("payment_intent")) {
			continue
		}
		cents := ch.cents - ch.refunded
		if c.has("amount") {
			cents = c.number("amount")
		}
		if ch.ok && ch.refunded >= ch.cents {
			return nil, &apiError{status: 400, kind: "invalid_request_error", code: "charge_already_refunded",
				message: "Charge " + ch.id + " has already been refunded."}
		}
		if ch.disputed && !s.won(ch) {
			return nil, &apiError{status: 400, kind: "invalid_request_error", code: "charge_disputed",
				message: "Charge " + ch.id + " has been charged back; cannot issue a refund."}
		}
		if !ch.ok || cents <= 0 || cents > ch.cents-ch.refunded {
			return nil, invalid("amount", "Charge %s cannot be refunded by that much.", ch.id)
		}
		return s.showRefund(s.refund(ch, cents, c.get("reason"))), nil
	}
	return nil, noSuch("charge", c.get("charge")+c.get("payment_intent"))
}
