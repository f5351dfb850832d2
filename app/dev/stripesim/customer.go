package stripesim

import (
	"net/http"
	"regexp"
	"slices"
)

type customer struct {
	base
	Email    string            `json:"email,omitempty"`
	Name     string            `json:"name,omitempty"`
	Address  *address          `json:"address"`
	Metadata map[string]string `json:"metadata"`
	card     *card
	invoices int // numbered so far
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
}

func (s *Simulator) createCustomer(c call) (any, error) {
	made := &customer{base: s.base("cus", "customer"), Metadata: map[string]string{}}
	add(s, made.ID, made)
	made.fill(c.form)
	s.emit("customer.created", made)
	return made, nil
}

func (s *Simulator) updateCustomer(c call) (any, error) {
	found, err := read[*customer](s, c.id, "")
	if err != nil {
		return nil, err
	}
	found.fill(c.form)
	s.emit("customer.updated", found)
	return found, nil
}

func (c *customer) fill(f form) {
	if f.has("email") {
		c.Email = f.get("email")
	}
	if f.has("name") {
		c.Name = f.get("name")
	}
	c.Metadata = merged(c.Metadata, f.pairs("metadata"))
}

func (s *Simulator) listTaxIDs(c call) (any, error) {
	if _, err := read[*customer](s, c.id, ""); err != nil {
		return nil, err
	}
	return page(s, c, func(t *taxID) bool { return t.Customer == c.id && s.byID[t.ID] != nil })
}

// vatNumber is as much as Stripe checks at once.
var vatNumber = regexp.MustCompile(`^[A-Z]{2}[A-Z0-9]{2,12}$`)

func (s *Simulator) addTaxID(c *customer, kind, value string) (*taxID, error) {
	if kind == "eu_vat" && !vatNumber.MatchString(value) {
		return nil, &apiError{status: http.StatusBadRequest, code: "tax_id_invalid", param: "value", message: "Invalid value for eu_vat."}
	}
	made := &taxID{base: s.base("txi", "tax_id"), Customer: c.ID, Type: kind, Value: value}
	s.emit("customer.tax_id.created", made)
	return add(s, made.ID, made), nil
}

func (s *Simulator) createTaxID(c call) (any, error) {
	found, err := read[*customer](s, c.id, "")
	if err != nil {
		return nil, err
	}
	return s.addTaxID(found, c.get("type"), c.get("value"))
}

func (s *Simulator) deleteTaxID(c call) (any, error) {
	if t, err := read[*taxID](s, c.inner, ""); err != nil || t.Customer != c.id {
		return nil, noSuch("", c.inner)
	}
	delete(s.byID, c.inner)
	s.order = slices.DeleteFunc(s.order, func(o any) bool { t, ok := o.(*taxID); return ok && t.ID == c.inner })
	return object{"id": c.inner, "object": "tax_id", "deleted": true}, nil
}
