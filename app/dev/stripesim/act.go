package stripesim

// Subscribe does at once what checkout would do, and gives the id. CardDeclined leaves it incomplete.
func (s *Simulator) Subscribe(customerID, priceID string, behaviour Card) (id string, err error) {
	err = s.act(func() error {
		c, err := read[*customer](s, customerID, "")
		if err != nil {
			return err
		}
		p, err := read[*Price](s, priceID, "")
		if err == nil {
			id = s.subscribe(c, p, &card{behaviour: behaviour}, true, map[string]string{}).ID
		}
		return err
	}, 0)
	return id, err
}

// withSubscription does something to one that lives, without its schedule.
func (s *Simulator) withSubscription(id string, do func(*subscription) error) error {
	return s.act(func() error {
		b, err := read[*subscription](s, id, "")
		if err != nil || !b.live() {
			return err
		}
		if c, ok := s.byID[b.Schedule].(*schedule); ok {
			s.releaseSchedule(c)
		}
		return do(b)
	}, 0)
}

// Change moves a subscription to another price at once, paying the difference, as the customer portal does.
func (s *Simulator) Change(subscriptionID, priceID string) error {
	return s.withSubscription(subscriptionID, func(b *subscription) error {
		p, err := read[*Price](s, priceID, "")
		if err != nil {
			return err
		}
		return s.switchPrice(b, p, s.at, false)
	})
}

// CancelAtPeriodEnd sets or takes back the cancellation, as the customer portal does.
func (s *Simulator) CancelAtPeriodEnd(subscriptionID string, on bool) error {
	return s.withSubscription(subscriptionID, func(b *subscription) error {
		s.cancelAtEnd(b, on)
		return nil
	})
}

// CancelNow ends a subscription at once, as somebody in Stripe's dashboard may.
func (s *Simulator) CancelNow(subscriptionID string) error {
	return s.act(func() error {
		b, err := read[*subscription](s, subscriptionID, "")
		if err == nil && b.live() {
			s.cancelNow(b)
		}
		return err
	}, 0)
}

// SetCard gives a customer another card, for the subscriptions too.
func (s *Simulator) SetCard(customerID string, behaviour Card) error {
	return s.act(func() error {
		c, err := read[*customer](s, customerID, "")
		if err != nil {
			return err
		}
		c.card = &card{behaviour: behaviour, used: behaviour == CardFailsNext} // it was good for nothing but being accepted
		for _, b := range newest(s, func(b *subscription) bool { return b.Customer == customerID && b.live() }) {
			b.card = c.card
			s.emit("customer.subscription.updated", b)
		}
		return nil
	}, 0)
}

// PayOpen tries to collect the open invoices of a customer now, and reports whether all are paid.
func (s *Simulator) PayOpen(customerID string) (all bool, err error) {
	return s.payOpen(customerID, false)
}

func (s *Simulator) payOpen(customerID string, present bool) (all bool, err error) {
	all = true
	err = s.act(func() error {
		c, err := read[*customer](s, customerID, "")
		if err != nil {
			return err
		}
		owing := newest(s, func(i *invoice) bool { return i.Customer == customerID && i.Status == open && !s.underWay(i) })
		for n := len(owing) - 1; n >= 0; n-- { // the oldest first
			if b := s.byID[owing[n].Subscription].(*subscription); !b.live() {
				b.card = c.card // of what has ended too
			}
			all = s.collect(owing[n], present) && all
		}
		return nil
	}, 0)
	return all, err
}

// withCharge does something about the last payment of a customer.
func (s *Simulator) withCharge(customerID string, do func(*charge)) error {
	return s.act(func() error {
		all := newest(s, func(c *charge) bool { return c.Customer == customerID && c.Paid })
		if len(all) == 0 {
			return noSuch("", customerID)
		}
		do(all[0])
		return nil
	}, 0)
}

// Refund gives the last payment of a customer back whole.
func (s *Simulator) Refund(customerID string) error {
	return s.withCharge(customerID, func(ch *charge) { s.refund(ch) })
}

// Dispute makes the cardholder's bank take the last payment back.
func (s *Simulator) Dispute(customerID string) error {
	return s.withCharge(customerID, func(ch *charge) {
		ch.Disputed = true
		d := &dispute{base: s.base("dp", "dispute"), Charge: ch.ID, Amount: ch.Amount, Status: "needs_response"}
		s.emit("charge.dispute.created", add(s, d.ID, d))
	})
}

// ClearDebit decides the debits of a customer that are under way. One that fails leaves its invoice open.
func (s *Simulator) ClearDebit(customerID string, works bool) error {
	return s.act(func() error {
		for _, ch := range newest(s, func(c *charge) bool { return c.Customer == customerID && c.Status == pending }) {
			s.clear(ch, works)
		}
		return nil
	}, 0)
}

func (s *Simulator) clear(ch *charge, works bool) {
	i := s.byID[ch.Invoice].(*invoice)
	b := s.byID[i.Subscription].(*subscription)
	s.decide(i, ch, works)
	switch {
	case !b.live():
	case works:
		s.paidFor(b, i)
	default:
		i.NextAttempt = stamp{s.at.Add(retryAfter[0])}
		s.setStatus(b, pastDue)
	}
	for _, n := range newest(s, func(n *session) bool { return n.Subscription == b.ID && n.PaymentStatus == unpaid }) {
		if works {
			n.PaymentStatus = paid
			s.emit("checkout.session.async_payment_succeeded", n)
		} else {
			s.emit("checkout.session.async_payment_failed", n)
		}
	}
}

// Kept is what the customer has paid and was not given back, in cents.
func (s *Simulator) Kept(customerID string) (cents int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ch := range newest(s, func(c *charge) bool { return c.Customer == customerID && c.Paid }) {
		cents += ch.Amount - ch.AmountRefunded
	}
	return cents
}
