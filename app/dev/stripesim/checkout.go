package stripesim

import (
	"net/http"
	"strings"
	"time"
)

const sessionLife = 24 * time.Hour

func (s *Simulator) createSession(c call) (object, error) {
	if c.get("mode") != "subscription" {
		return nil, invalid("mode", "The simulator knows mode subscription alone.")
	}
	if c.count("line_items") != 1 || c.get("line_items[0][quantity]") != "1" {
		return nil, invalid("line_items", "The simulator sells one plan at a time.")
	}
	price, ok := s.prices.get(c.get("line_items[0][price]"))
	if !ok {
		return nil, noSuchIn("line_items[0][price]", "price", c.get("line_items[0][price]"))
	}
	if !price.Active {
		return nil, invalid("line_items[0][price]", "The price specified is inactive. This field only accepts active prices.")
	}
	id := c.get("customer")
	if id != "" {
		found, err := s.named(c.form)
		if err != nil {
			return nil, err
		}
		if c.yes("automatic_tax[enabled]") && found.address == nil && c.get("customer_update[address]") != "auto" {
			return nil, invalid("", "Automatic tax calculation in Checkout requires a valid address on the Customer. "+
				"Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto'.")
		}
		if c.yes("tax_id_collection[enabled]") && c.get("customer_update[name]") != "auto" {
			return nil, invalid("", "Tax ID collection requires updating business name on the customer. Set `customer_update[name]` to 'auto'.")
		}
	}
	if c.get("success_url") == "" {
		return nil, invalid("success_url", "Missing required param: success_url.")
	}
	prefix := "cs_test"
	if s.options.Live {
		prefix = "cs_live"
	}
	n := &session{id: s.id(prefix), customer: id, price: price.ID, status: open, locale: c.get("locale"), reference: c.get("client_reference_id"),
		successURL: c.get("success_url"), cancelURL: c.get("cancel_url"), created: s.at, expires: s.at.Add(sessionLife),
		metadata: c.pairs("metadata"), subscriptionMetadata: c.pairs("subscription_data[metadata]"),
		tax: c.yes("automatic_tax[enabled]"), taxIDs: c.yes("tax_id_collection[enabled]"), address: c.get("billing_address_collection") == "required"}
	if c.has("expires_at") {
		n.expires = time.Unix(c.number("expires_at"), 0)
	}
	s.sessions.add(n.id, n)
	return s.showSession(n), nil
}

func (s *Simulator) listSessions(c call) (object, error) {
	if err := s.listing(c.form); err != nil {
		return nil, err
	}
	return page(c, "/v1/checkout/sessions", shown(s.sessions.newest(func(n *session) bool {
		return (!c.has("customer") || n.customer == c.get("customer")) && (!c.has("status") || n.status == c.get("status")) &&
			(!c.has("subscription") || n.subscription == c.get("subscription"))
	}), s.showSession))
}

func (s *Simulator) expireSession(c call) (object, error) {
	n, ok := s.sessions.get(c.id)
	if !ok {
		return nil, noSuch("checkout.session", c.id)
	}
	if n.status != open {
		return nil, invalid("", "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout Session has a status of %s", n.status)
	}
	s.endSession(n)
	return s.showSession(n), nil
}

func (s *Simulator) endSession(n *session) {
	n.status = "expired"
	s.emit("checkout.session.expired", s.showSession(n), nil)
}

// Buyer is what somebody types into the checkout page.
type Buyer struct {
	Email, Name, Line1, PostalCode, City string
	Country                              string // two letters; default FR
	VAT                                  string
	Card                                 Card // default CardOK
}

// Pay does what the button of the checkout page does, and gives the address that the browser is sent to. A declined
// card leaves the session open.
func (s *Simulator) Pay(sessionID string, b Buyer) (back string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	defer s.posts.poke()
	if b.Card == "" {
		b.Card = CardOK
	}
	n, ok := s.sessions.get(sessionID)
	if !ok {
		return "", noSuch("checkout.session", sessionID)
	}
	if n.status != open {
		return "", invalid("", "This session is %s.", n.status)
	}
	if s.options.LimitOne && s.hasLive(n.customer) {
		return "", &apiError{status: http.StatusConflict, message: "This customer has a subscription already."}
	}
	c, err := s.buyer(n, b)
	if err != nil {
		return "", err
	}
	if b.Card == CardDeclined {
		return "", errDeclined
	}
	paying := s.addCard(c, b.Card)
	s.present = true
	sub := s.subscribe(c, n.price, paying, n.tax, n.subscriptionMetadata)
	s.present = false
	n.status, n.paid, n.subscription, n.customer = "complete", b.Card != Debit, sub.id, c.id
	s.emit("checkout.session.completed", s.showSession(n), nil)
	return strings.ReplaceAll(n.successURL, "{CHECKOUT_SESSION_ID}", n.id), nil
}

// buyer writes what was typed into the customer, whom a session without one makes.
func (s *Simulator) buyer(n *session, b Buyer) (*customer, error) {
	c, ok := s.customers.get(n.customer)
	if !ok {
		id := s.id("cus")
		c = s.customers.add(id, &customer{id: id, email: b.Email, metadata: map[string]string{}, created: s.at})
		s.emit("customer.created", s.showCustomer(c), nil)
	}
	if b.VAT != "" && n.taxIDs {
		if _, err := s.addTaxID(c, "eu_vat", strings.ToUpper(strings.ReplaceAll(b.VAT, " ", ""))); err != nil {
			return nil, err
		}
	}
	before := s.showCustomer(c)
	if b.Country == "" {
		b.Country = "FR"
	}
	if b.Name != "" {
		c.name = b.Name
	}
	c.address = &address{Line1: b.Line1, PostalCode: b.PostalCode, City: b.City, Country: b.Country}
	s.emit("customer.updated", s.showCustomer(c), before)
	return c, nil
}

func (s *Simulator) hasLive(customer string) bool {
	return len(s.subscriptions.newest(func(b *subscription) bool { return b.customer == customer && b.live() && b.status != incomplete })) > 0
}

func (s *Simulator) createPortal(c call) (object, error) {
	if _, err := s.named(c.form); err != nil {
		return nil, err
	}
	id := s.id("bps")
	made := s.portals.add(id, &portal{id: id, customer: c.get("customer"), locale: c.get("locale"), returnURL: c.get("return_url"), created: s.at})
	return s.showPortal(made), nil
}
