package stripesim

import (
	"net/http"
	"regexp"
	"slices"
)

type customer struct {
	base
	Email           string            `json:"email,omitempty"`
	Name            string            `json:"name,omitempty"`
	Address         *address          `json:"address"`
	Metadata        map[string]string `json:"metadata"`
	Settings        invoiceSettings   `json:"invoice_settings"`
	card            *card             // of the customer, for what has none of its own
	invoices        int               // numbered so far
	deleted         bool
	locationUnknown bool // Stripe Tax cannot place the address
}

type invoiceSettings struct {
	Method string `json:"default_payment_method,omitempty"`
}

type address struct {
	Line1      string `json:"line1"`
	PostalCode string `json:"postal_code"`
	City       string `json:"city"`
	Country    string `json:"country"`
}

type taxID struct {
	base
	Customer string `json:"customer"`
	Type     string `json:"type"`
	Value    string `json:"value"`

	Verification verification `json:"verification"`
}

type verification struct {
	Status string `json:"status"`
}

func (s *Simulator) createCustomer(c call) (any, error) {
	made := &customer{base: s.newBase("cus", "customer"), Metadata: map[string]string{}}
	addObject(s, made.ID, made)
	made.applyForm(c.form)
	s.emitEvent("customer.created", made)
	return made, nil
}

func (s *Simulator) updateCustomer(c call) (any, error) {
	found, err := s.findCustomer(c.id, "")
	if err != nil {
		return nil, err
	}
	found.applyForm(c.form)
	s.emitEvent("customer.updated", found)
	return found, nil
}

func (c *customer) applyForm(f form) {
	if f.has("email") {
		c.Email = f.get("email")
	}
	if f.has("name") {
		c.Name = f.get("name")
	}
	c.Metadata = mergeMetadata(c.Metadata, f.mapParam("metadata"))
}

func (s *Simulator) listTaxIDs(c call) (any, error) {
	if _, err := s.findCustomer(c.id, ""); err != nil {
		return nil, err
	}
	return listPage(s, c, func(t *taxID) bool { return t.Customer == c.id && s.byID[t.ID] != nil })
}

// vatNumber is as much as Stripe checks at once.
var vatNumber = regexp.MustCompile(`^[A-Z]{2}[A-Z0-9]{2,12}$`)

func (s *Simulator) addTaxID(c *customer, kind, value string) (*taxID, error) {
	if kind == "eu_vat" && !vatNumber.MatchString(value) {
		return nil, &apiError{status: http.StatusBadRequest, code: "tax_id_invalid", param: "value",
			message: "Invalid value for eu_vat."}
	}
	made := &taxID{base: s.newBase("txi", "tax_id"), Customer: c.ID, Type: kind, Value: value,
		Verification: verification{Status: "pending"}}
	s.emitEvent("customer.tax_id.created", made)
	return addObject(s, made.ID, made), nil
}

func (s *Simulator) createTaxID(c call) (any, error) {
	found, err := s.findCustomer(c.id, "")
	if err != nil {
		return nil, err
	}
	return s.addTaxID(found, c.get("type"), c.get("value"))
}

func (s *Simulator) deleteTaxID(c call) (any, error) {
	if t, err := findObject[*taxID](s, c.inner, ""); err != nil || t.Customer != c.id {
		return nil, resourceMissing("", c.inner)
	}
	delete(s.byID, c.inner)
	s.order = slices.DeleteFunc(s.order, func(o any) bool { t, ok := o.(*taxID); return ok && t.ID == c.inner })
	return object{"id": c.inner, "object": "tax_id", "deleted": true}, nil
}

func (s *Simulator) listMethods(c call) (any, error) {
	return listPage(s, c, func(m *card) bool { return c.matchesFilter("customer", m.Customer) })
}

func (s *Simulator) detachMethod(c call) (any, error) {
	m, err := findObject[*card](s, c.id, "")
	switch {
	case err != nil:
		return nil, err
	case m.Customer == "":
		return nil, invalidRequest("", "The payment method you provided is not attached to a customer so detachment is impossible.")
	}
	m.Customer = ""
	s.emitEvent("payment_method.detached", m)
	return m, nil
}
