package stripesim

import (
	"maps"
	"slices"
)

// Subscribe does at once what the page of payment of the service would do, and gives
// the id. CardDeclined leaves it incomplete.
func (s *Simulator) Subscribe(customerID, priceID string, behaviour Card) (id string, err error) {
	return s.subscribeWith(customerID, priceID, behaviour, true)
}

// SubscribeByHand makes a subscription as the operator does in the dashboard:
// it has none of the metadata of the service.
func (s *Simulator) SubscribeByHand(customerID, priceID string, behaviour Card) (id string, err error) {
	return s.subscribeWith(customerID, priceID, behaviour, false)
}

func (s *Simulator) subscribeWith(
	customerID, priceID string, behaviour Card, ours bool) (id string, err error) {
	err = withObject(s, customerID, func(c *customer) error {
		metadata := map[string]string{}
		if ours {
			metadata = maps.Clone(c.Metadata)
		}
		p, err := findObject[*Price](s, priceID, "")
		if err == nil {
			id = s.createSubscription(c, p, behaviour, true, metadata).ID
		}
		return err
	})
	return id, err
}

// withObject does something to one of its kind.
func withObject[T any](s *Simulator, id string, do func(T) error) error {
	return s.runLocked(func() error {
		v, err := findObject[T](s, id, "")
		if err != nil {
			return err
		}
		return do(v)
	}, 0)
}

// withSubscription does something to one that lives, without its schedule.
func (s *Simulator) withSubscription(id string, do func(*subscription) error) error {
	return withObject(s, id, func(b *subscription) error {
		if !b.isLive() {
			return nil
		}
		if c, ok := s.byID[b.Schedule].(*schedule); ok {
			s.releaseSchedule(c)
		}
		return do(b)
	})
}

// Change moves a subscription to another price at once, paying the difference, as the customer portal does.
func (s *Simulator) Change(subscriptionID, priceID string) error {
	return s.withSubscription(subscriptionID, func(b *subscription) error {
		p, err := findObject[*Price](s, priceID, "")
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
	return withObject(s, subscriptionID, func(b *subscription) error {
		if b.isLive() {
			s.cancelNow(b)
		}
		return nil
	})
}

// SetCard gives a customer another card, for the subscriptions too.
func (s *Simulator) SetCard(customerID string, behaviour Card) error {
	return withObject(s, customerID, func(c *customer) error {
		c.card = s.newCard(c.ID, behaviour)
		c.Settings.Method = c.card.ID
		c.card.used = behaviour == CardFailsNext // it was good for nothing but being accepted
		for _, b := range listNewest(s, func(b *subscription) bool {
			return b.Customer == customerID && b.isLive()
		}) {
			b.Method = c.card.ID
			s.emitEvent("customer.subscription.updated", b)
		}
		return nil
	})
}

// PayOpen tries to collect the open invoices of a customer now, and reports whether all are paid.
func (s *Simulator) PayOpen(customerID string) (all bool, err error) {
	return s.payOpen(customerID, false)
}

func (s *Simulator) payOpen(customerID string, present bool) (all bool, err error) {
	all = true
	err = withObject(s, customerID, func(c *customer) error {
		owing := listNewest(s, func(i *invoice) bool {
			return i.Customer == customerID && i.Status == open && !s.isDebitPending(i)
		})
		for n := len(owing) - 1; n >= 0; n-- { // the oldest first
			switch b, ok := s.byID[owing[n].Subscription].(*subscription); {
			case c.card == nil:
			case !ok:
				owing[n].Method = c.card.ID
			case !b.isLive():
				b.Method = c.card.ID // of what has ended too
			}
			all = s.collectInvoice(owing[n], present) && all
		}
		return nil
	})
	return all, err
}

// withCharges does something about the payments of a customer, the newest first: there is one at least.
func (s *Simulator) withCharges(customerID string, do func([]*charge)) error {
	return s.runLocked(func() error {
		all := listNewest(s, func(c *charge) bool { return c.Customer == customerID && c.Paid })
		if len(all) == 0 {
			return resourceMissing("", customerID)
		}
		do(all)
		return nil
	}, 0)
}

// Refund gives the last payment of a customer back whole.
func (s *Simulator) Refund(customerID string) error {
	return s.withCharges(customerID, func(all []*charge) { s.refundCharge(all[0]) })
}

// Dispute makes the cardholder's bank take the last payment back.
func (s *Simulator) Dispute(customerID string) error {
	return s.withCharges(customerID, func(all []*charge) { s.openDispute(all[0]) })
}

// DisputeFirst makes the bank take back the first payment of a customer, however old.
func (s *Simulator) DisputeFirst(customerID string) error {
	return s.withCharges(customerID, func(all []*charge) { s.openDispute(all[len(all)-1]) })
}

func (s *Simulator) openDispute(ch *charge) {
	ch.Disputed = true
	d := &dispute{base: s.newBase("dp", "dispute"), Charge: ch.ID, Amount: ch.Amount, Status: "needs_response"}
	s.emitEvent("charge.dispute.created", addObject(s, d.ID, d))
}

// CloseDisputes decides the open disputes of a customer: won or lost.
func (s *Simulator) CloseDisputes(customerID, status string) error {
	return s.runLocked(func() error {
		for _, d := range listNewest(s, func(d *dispute) bool {
			return s.byID[d.Charge].(*charge).Customer == customerID && d.Status == "needs_response"
		}) {
			d.Status = status
			s.emitEvent("charge.dispute.closed", d)
		}
		return nil
	}, 0)
}

// DeleteCustomer deletes a customer in the dashboard: what lives ends at once.
func (s *Simulator) DeleteCustomer(customerID string) error {
	return withObject(s, customerID, func(c *customer) error {
		for _, b := range listNewest(s, func(b *subscription) bool {
			return b.Customer == customerID && b.isLive()
		}) {
			s.cancelNow(b)
		}
		s.emitEvent("customer.deleted", c)
		c.deleted = true
		return nil
	})
}

// SetAddress says whether Stripe Tax can place the address of a customer from now on.
func (s *Simulator) SetAddress(customerID string, known bool) error {
	return withObject(s, customerID, func(c *customer) error {
		c.locationUnknown = !known
		s.emitEvent("customer.updated", c)
		return nil
	})
}

// AddTaxID gives a customer a tax id of any kind, such as us_ein.
func (s *Simulator) AddTaxID(customerID, kind, value string) error {
	return withObject(s, customerID, func(c *customer) error {
		_, err := s.addTaxID(c, kind, value)
		return err
	})
}

// SetCustomField puts a text on the invoices of a customer that are made from now on, as the operator does by
// the API.
func (s *Simulator) SetCustomField(customerID, name, value string) error {
	return withObject(s, customerID, func(c *customer) error {
		c.Settings.Fields = append(slices.Clone(c.Settings.Fields), customField{name, value})
		return nil
	})
}

// VerifyTaxIDs is the answer of the registers about the tax ids of a
// customer: verified, unverified or unavailable.
func (s *Simulator) VerifyTaxIDs(customerID, status string) error {
	return s.runLocked(func() error {
		for _, t := range listNewest(s, func(t *taxID) bool { return t.Customer == customerID }) {
			t.Verification["status"] = status
			s.emitEvent("customer.tax_id.updated", t)
		}
		return nil
	}, 0)
}

// TaxIDs are the tax ids of a customer, as kind and value, the newest first.
func (s *Simulator) TaxIDs(customerID string) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range listNewest(s, func(t *taxID) bool { return t.Customer == customerID }) {
		all = append(all, t.Type+" "+t.Value)
	}
	return all
}

// ApplyCoupon takes some percent off what a subscription costs from now on.
func (s *Simulator) ApplyCoupon(subscriptionID string, percent int64) error {
	return withObject(s, subscriptionID, func(b *subscription) error {
		d := &discount{ID: s.newID("di"), Object: "discount"}
		d.Coupon.Percent = percent
		b.Discount = addObject(s, d.ID, d)
		s.emitEvent("customer.subscription.updated", b)
		return nil
	})
}

// RevokeKey makes the key invalid, as rolling it in the dashboard does; false makes it good again.
func (s *Simulator) RevokeKey(revoked bool) { s.setLocked(func() { s.revoked = revoked }) }

// Cards counts the payment methods of a customer.
func (s *Simulator) Cards(customerID string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(listNewest(s, func(c *card) bool { return c.Customer == customerID }))
}

// Metadata returns the metadata of a customer.
func (s *Simulator) Metadata(customerID string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.byID[customerID].(*customer)
	if !ok {
		return nil
	}
	return maps.Clone(c.Metadata)
}

// Email is where the bills of a customer go.
func (s *Simulator) Email(customerID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[customerID].(*customer).Email
}

// ClearDebit decides the debits of a customer that are under way. One that fails leaves its invoice open.
func (s *Simulator) ClearDebit(customerID string, works bool) error {
	return s.runLocked(func() error {
		for _, ch := range listNewest(s, func(c *charge) bool {
			return c.Customer == customerID && c.Status == pending
		}) {
			s.clearDebit(ch, works)
		}
		return nil
	}, 0)
}

func (s *Simulator) clearDebit(ch *charge, works bool) {
	i := s.byID[ch.Invoice].(*invoice)
	b := s.byID[i.Subscription].(*subscription)
	s.endCharge(i, ch, works)
	switch {
	case !b.isLive():
	case works:
		s.applyPayment(b, i)
	default:
		i.NextAttempt = stamp{s.at.Add(retryAfter[0])}
		s.setStatus(b, pastDue)
	}
	for _, n := range listNewest(s, func(n *session) bool {
		return n.Subscription == b.ID && n.PaymentStatus == unpaid
	}) {
		if works {
			n.PaymentStatus = paid
			s.emitEvent("checkout.session.async_payment_succeeded", n)
		} else {
			s.emitEvent("checkout.session.async_payment_failed", n)
		}
	}
}

// Kept returns the payments of the customer less refunds, in cents.
func (s *Simulator) Kept(customerID string) (cents int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ch := range listNewest(s, func(c *charge) bool { return c.Customer == customerID && c.Paid }) {
		cents += ch.Amount - ch.AmountRefunded
	}
	return cents
}
