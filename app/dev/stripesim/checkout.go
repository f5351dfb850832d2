package stripesim

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

const sessionLife = 24 * time.Hour

// Price is one of the catalogue. SetPrice changes it, so that a test shows what a wrong one does.
type Price struct {
	ID          string
	Name        string // of its product
	Cents       int64  // without tax
	Decimal     string // cents with a part of one, in their place; empty: none
	Currency    string
	Interval    string // empty: it is paid once
	TaxBehavior string
	Active      bool
}

// MarshalJSON implements json.Marshaler.
func (p *Price) MarshalJSON() ([]byte, error) {
	o := object{"id": p.ID, "object": "price", "livemode": false, "active": p.Active, "currency": p.Currency,
		"unit_amount": p.Cents, "unit_amount_decimal": strconv.FormatFloat(p.unitCents(), 'f', -1, 64),
		"product": "prod_" + p.ID, "type": "recurring", "billing_scheme": "per_unit", "tax_behavior": p.TaxBehavior,
		"recurring": object{"interval": p.Interval, "interval_count": 1, "usage_type": "licensed"}}
	if p.Decimal != "" {
		o["unit_amount"] = nil
	}
	if p.Interval == "" {
		o["type"], o["recurring"] = "one_time", nil
	}
	return json.Marshal(o)
}

// unitCents returns the price of one unit; 0 for a text that is no number.
func (p *Price) unitCents() float64 {
	if p.Decimal == "" {
		return float64(p.Cents)
	}
	cents, _ := strconv.ParseFloat(p.Decimal, 64)
	return cents
}

// SetPrice adds or replaces a price. What is subscribed to already keeps its id.
func (s *Simulator) SetPrice(p Price) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.byID[p.ID].(*Price); ok {
		*known = p
		return
	}
	addObject(s, p.ID, &p)
}

type session struct {
	base
	Mode          string            `json:"mode"`
	Status        string            `json:"status"`
	PaymentStatus string            `json:"payment_status"`
	Customer      string            `json:"customer"`
	Subscription  string            `json:"subscription,omitempty"`
	SuccessURL    string            `json:"success_url"`
	CancelURL     string            `json:"cancel_url,omitempty"`
	Metadata      map[string]string `json:"metadata"`
	Expires       stamp             `json:"expires_at"`
	URL           string            `json:"url,omitempty"` // while it is open
	Methods       []string          `json:"payment_method_types"`
	price         *Price
	taxed         bool
	subscribed    map[string]string // metadata of the subscription
}

type portal struct {
	base
	Customer  string `json:"customer"`
	ReturnURL string `json:"return_url"`
	URL       string `json:"url"`
}

func (s *Simulator) createSession(c call) (any, error) {
	if c.get("mode") != "subscription" || c.hasNested("line_items[1]") ||
		c.get("line_items[0][quantity]") != "1" {
		return nil, invalidRequest("line_items", "The simulator sells one subscription at a time.")
	}
	p, err := findObject[*Price](s, c.get("line_items[0][price]"), "line_items[0][price]")
	if err != nil {
		return nil, err
	}
	if !p.Active {
		return nil, invalidRequest("line_items[0][price]",
			"The price specified is inactive. This field only accepts active prices.")
	}
	buyer, err := findObject[*customer](s, c.get("customer"), "customer")
	if err != nil {
		return nil, err
	}
	taxed := c.get("automatic_tax[enabled]") == "true"
	if taxed && buyer.Address == nil && c.get("customer_update[address]") != "auto" {
		return nil, invalidRequest("", "Automatic tax calculation in Checkout requires a valid address on the Customer. "+
			"Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto'.")
	}
	if c.get("tax_id_collection[enabled]") == "true" && c.get("customer_update[name]") != "auto" {
		return nil, invalidRequest("", "Tax ID collection requires updating business name on the customer. Set `customer_update[name]` to 'auto'.")
	}
	n := &session{base: s.newBase("cs_test", "checkout.session"), Mode: "subscription", Status: open,
		PaymentStatus: unpaid, Customer: buyer.ID,
		SuccessURL: c.get("success_url"), CancelURL: c.get("cancel_url"),
		Methods: c.listParam("payment_method_types"), Metadata: c.mapParam("metadata"),
		Expires: stamp{s.at.Add(sessionLife)},
		price:   p, taxed: taxed, subscribed: c.mapParam("subscription_data[metadata]")}
	n.URL = s.url + "/checkout/" + n.ID
	return addObject(s, n.ID, n), nil
}

func (s *Simulator) expireSession(_ call, n *session) (any, error) {
	if n.Status != open {
		return nil, invalidRequest("", "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout Session has a status of %s", n.Status)
	}
	s.endSession(n)
	return n, nil
}

func (s *Simulator) endSession(n *session) {
	n.Status, n.URL = "expired", ""
	s.emitEvent("checkout.session.expired", n)
}

// Buyer is what somebody types into the checkout page.
type Buyer struct {
	Name, Line1, PostalCode, City string
	VAT                           string
	Card                          Card // default CardOK
}

// Pay does what the button of the checkout page does, and gives the address that the browser is sent
// to. A declined card leaves the session open.
func (s *Simulator) Pay(sessionID string, b Buyer) (back string, err error) {
	b.Card = cmp.Or(b.Card, CardOK)
	err = withObject(s, sessionID, func(n *session) error {
		if n.Status != open {
			return invalidRequest("", "This session is %s.", n.Status)
		}
		if b.Card == Debit && len(n.Methods) > 0 && !slices.Contains(n.Methods, "sepa_debit") {
			return invalidRequest("", "This page does not offer SEPA debits.")
		}
		c := s.byID[n.Customer].(*customer)
		if b.VAT != "" {
			if _, err := s.addTaxID(c, "eu_vat", strings.ToUpper(strings.ReplaceAll(b.VAT, " ", ""))); err != nil {
				return err
			}
		}
		if b.Name != "" {
			c.Name = b.Name
		}
		c.Address = &address{Line1: b.Line1, PostalCode: b.PostalCode, City: b.City, Country: "FR"}
		c.locationUnknown = false
		s.emitEvent("customer.updated", c)
		if b.Card == CardDeclined {
			return errDeclined
		}
		bought := s.createSubscription(c, n.price, b.Card, n.taxed, maps.Clone(n.subscribed))
		if n.Status, n.URL, n.Subscription = "complete", "", bought.ID; b.Card != Debit {
			n.PaymentStatus = paid
		}
		s.emitEvent("checkout.session.completed", n)
		back = strings.ReplaceAll(n.SuccessURL, "{CHECKOUT_SESSION_ID}", n.ID)
		return nil
	})
	return back, err
}

func (s *Simulator) createPortal(c call) (any, error) {
	if _, err := findObject[*customer](s, c.get("customer"), "customer"); err != nil {
		return nil, err
	}
	made := &portal{base: s.newBase("bps", "billing_portal.session"), Customer: c.get("customer"),
		ReturnURL: c.get("return_url")}
	made.URL = s.url + "/portal/" + made.ID
	return addObject(s, made.ID, made), nil
}
