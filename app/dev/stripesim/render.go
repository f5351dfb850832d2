package stripesim

import (
	"strings"
	"time"
)

// catalogueDate is when products and prices are said to have been made.
var catalogueDate = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// object is one of Stripe's, as JSON shows it.
type object = map[string]any

// unix is a time as Stripe writes it; null when there is none.
func unix(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Unix()
}

// orNull keeps Stripe's difference between an empty string and nothing.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (s *Simulator) base(kind, id string, created time.Time) object {
	return object{"id": id, "object": kind, "created": created.Unix(), "livemode": s.options.Live}
}

// sublist is a list inside an object.
func sublist(url string, data []any) object {
	if data == nil {
		data = []any{}
	}
	return object{"object": "list", "data": data, "has_more": false, "total_count": len(data), "url": url}
}

// find is any object by its id, which expanding follows.
func (s *Simulator) find(id string) (object, bool) {
	prefix, _, _ := strings.Cut(id, "_sim")
	switch prefix {
	case "cus":
		return found(s.customers, id, s.showCustomer)
	case "sub":
		return found(s.subscriptions, id, s.showSubscription)
	case "sub_sched":
		return found(s.schedules, id, s.showSchedule)
	case "in":
		return found(s.invoices, id, s.showInvoice)
	case "ch":
		return found(s.charges, id, s.showCharge)
	case "pm":
		return found(s.cards, id, s.showCard)
	case "cs_test", "cs_live":
		return found(s.sessions, id, s.showSession)
	case "dp":
		return found(s.disputes, id, s.showDispute)
	case "evt":
		return found(s.events, id, func(e *Event) object { return e.object(s.options.Live) })
	case "pi":
		for _, i := range s.invoices.all() {
			if i.intent == id {
				return s.showIntent(i), true
			}
		}
		return nil, false
	}
	if o, ok := found(s.prices, id, s.showPrice); ok {
		return o, true
	}
	return found(s.products, id, s.showProduct)
}

func found[T any](t table[T], id string, show func(T) object) (object, bool) {
	v, ok := t.get(id)
	if !ok {
		return nil, false
	}
	return show(v), true
}

func (s *Simulator) showProduct(p *product) object {
	o := s.base("product", p.id, catalogueDate)
	o["name"], o["active"], o["metadata"], o["tax_code"] = p.name, p.active, object{}, "txcd_10103001"
	return o
}

func (s *Simulator) showPrice(p *Price) object {
	o := s.base("price", p.ID, catalogueDate)
	o["active"], o["currency"], o["unit_amount"], o["product"] = p.Active, p.Currency, p.Cents, p.product
	o["type"], o["billing_scheme"], o["tax_behavior"], o["metadata"] = "recurring", "per_unit", p.TaxBehavior, object{}
	o["recurring"] = object{"interval": p.Interval, "interval_count": 1, "usage_type": "licensed"}
	return o
}

func (s *Simulator) showCustomer(c *customer) object {
	if c.deleted {
		return object{"id": c.id, "object": "customer", "deleted": true}
	}
	o := s.base("customer", c.id, c.created)
	o["email"], o["name"], o["balance"], o["currency"] = orNull(c.email), orNull(c.name), c.balance, "eur"
	o["metadata"], o["preferred_locales"], o["address"] = c.metadata, c.locales, showAddress(c.address)
	o["invoice_settings"] = object{"default_payment_method": orNull(c.card)}
	o["delinquent"], o["tax_exempt"] = false, "none"
	return o
}

func showAddress(a *address) any {
	if a == nil {
		return nil
	}
	return object{"line1": a.Line1, "line2": nil, "postal_code": a.PostalCode, "city": a.City, "country": a.Country, "state": nil}
}

func (s *Simulator) showTaxID(c *customer, t taxID) object {
	o := s.base("tax_id", t.id, t.created)
	o["customer"], o["type"], o["value"], o["country"] = c.id, t.kind, t.value, t.value[:min(2, len(t.value))]
	o["verification"] = object{"status": "pending", "verified_address": nil, "verified_name": nil}
	return o
}

func (s *Simulator) showCard(c *card) object {
	o := s.base("payment_method", c.id, c.created)
	o["type"], o["customer"] = "card", orNull(c.customer)
	last4 := map[Card]string{CardOK: "4242", CardDeclined: "0002", CardFailsNext: "0341", CardAsks: "3184", Debit: "3000"}[c.behaviour]
	o["card"] = object{"brand": "visa", "last4": last4, "exp_month": 12, "exp_year": 2034, "country": "FR"}
	return o
}

func (s *Simulator) showSession(c *session) object {
	o := s.base("checkout.session", c.id, c.created)
	o["mode"], o["status"], o["customer"], o["subscription"] = "subscription", c.status, orNull(c.customer), orNull(c.subscription)
	o["payment_status"] = map[bool]string{true: "paid", false: "unpaid"}[c.paid]
	o["success_url"], o["cancel_url"], o["locale"] = c.successURL, orNull(c.cancelURL), orNull(c.locale)
	o["client_reference_id"], o["metadata"], o["expires_at"], o["currency"] = orNull(c.reference), c.metadata, c.expires.Unix(), "eur"
	o["automatic_tax"] = object{"enabled": c.tax, "status": nil}
	o["url"] = nil
	if c.status == open {
		o["url"] = s.url + "/checkout/" + c.id
	}
	return o
}

func (s *Simulator) showPortal(p *portal) object {
	o := s.base("billing_portal.session", p.id, p.created)
	o["customer"], o["locale"], o["return_url"], o["url"] = p.customer, orNull(p.locale), p.returnURL, s.url+"/portal/"+p.id
	o["configuration"] = "bpc_simulator"
	return o
}

func (s *Simulator) showSubscription(b *subscription) object {
	o := s.base("subscription", b.id, b.created)
	o["customer"], o["status"], o["metadata"], o["currency"] = b.customer, b.status, b.metadata, "eur"
	o["start_date"], o["billing_cycle_anchor"] = b.created.Unix(), b.anchor.Unix()
	o["current_period_start"], o["current_period_end"] = b.start.Unix(), b.end.Unix()
	o["cancel_at_period_end"], o["canceled_at"], o["ended_at"] = b.cancelAtEnd, unix(b.canceledAt), unix(b.endedAt)
	o["cancel_at"] = nil
	if b.cancelAtEnd {
		o["cancel_at"] = b.end.Unix()
	}
	o["cancellation_details"] = object{"reason": orNull(b.reason), "comment": nil, "feedback": nil}
	o["latest_invoice"], o["schedule"], o["default_payment_method"] = orNull(b.invoice), orNull(b.schedule), orNull(b.card)
	o["collection_method"], o["automatic_tax"] = "charge_automatically", object{"enabled": b.automaticTax}
	o["trial_start"], o["trial_end"], o["pause_collection"], o["pending_update"] = nil, nil, nil, nil
	if b.pending != nil {
		o["pending_update"] = object{"expires_at": b.pending.expires.Unix(),
			"subscription_items": []any{object{"id": b.item, "object": "subscription_item", "price": s.priceOf(b.pending.price), "quantity": 1}}}
	}
	item := object{"id": b.item, "object": "subscription_item", "created": b.created.Unix(), "subscription": b.id,
		"quantity": 1, "metadata": object{}, "price": s.priceOf(b.price)}
	o["items"] = sublist("/v1/subscription_items?subscription="+b.id, []any{item})
	return o
}

// priceOf is a price inside another object: Stripe shows it whole there.
func (s *Simulator) priceOf(id string) any {
	if p, ok := s.prices.get(id); ok {
		return s.showPrice(p)
	}
	return nil
}

func (s *Simulator) showSchedule(c *schedule) object {
	o := s.base("subscription_schedule", c.id, c.created)
	o["customer"], o["subscription"], o["status"], o["end_behavior"] = c.customer, orNull(c.subscription), c.status, c.endBehavior
	o["released_subscription"], o["metadata"], o["current_phase"] = orNull(c.released), object{}, nil
	phases := []any{}
	now := s.at
	for _, p := range c.phases {
		phases = append(phases, object{"start_date": p.start.Unix(), "end_date": unix(p.end), "proration_behavior": "none",
			"items": []any{object{"price": p.price, "quantity": 1, "metadata": object{}}}})
		if c.status == active && !now.Before(p.start) && now.Before(p.end) {
			o["current_phase"] = object{"start_date": p.start.Unix(), "end_date": p.end.Unix()}
		}
	}
	o["phases"] = phases
	return o
}
