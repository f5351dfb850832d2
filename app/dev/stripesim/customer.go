package stripesim

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
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
	Method string        `json:"default_payment_method,omitempty"`
	Fields []customField `json:"custom_fields"` // on the invoices that are made from now on
}

// customField is a text in the header of an invoice, with its label.
type customField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// What Stripe takes of custom fields.
const (
	maxFields     = 4
	maxFieldName  = 40
	maxFieldValue = 140
)

type address struct {
	Line1      string `json:"line1"`
	PostalCode string `json:"postal_code"`
	City       string `json:"city"`
	Country    string `json:"country"`
}

type taxID struct {
	base
	Customer     string            `json:"customer"`
	Type         string            `json:"type"`
	Value        string            `json:"value"`
	Verification map[string]string `json:"verification"`
}

func (s *Simulator) createCustomer(c call) (any, error) {
	made := &customer{base: s.newBase("cus", "customer"), Metadata: map[string]string{}}
	if err := made.applyForm(c.form); err != nil {
		return nil, err
	}
	addObject(s, made.ID, made)
	s.emitEvent("customer.created", made)
	return made, nil
}

func (s *Simulator) updateCustomer(c call, found *customer) (any, error) {
	if err := found.applyForm(c.form); err != nil {
		return nil, err
	}
	for _, i := range listNewest(s, func(i *invoice) bool { return i.Customer == found.ID && i.Status == draft }) {
		i.CustomerName = found.Name // until an invoice is finalized; custom fields are those of when it was made
	}
	s.emitEvent("customer.updated", found)
	return found, nil
}

func (c *customer) applyForm(f form) error {
	fields, err := f.customFields("invoice_settings[custom_fields]")
	if err != nil {
		return err
	}
	if fields != nil {
		c.Settings.Fields = fields
	}
	if f.has("email") {
		c.Email = f.get("email")
	}
	if f.has("name") {
		c.Name = f.get("name")
	}
	c.Metadata = mergeMetadata(c.Metadata, f.mapParam("metadata"))
	return nil
}

// customFields reads the list that takes the place of the present one: an empty value removes all; nil: the
// parameter is not there.
func (f form) customFields(param string) ([]customField, error) {
	if !f.hasNested(param) {
		return nil, nil
	}
	fields := []customField{}
	for i := 0; ; i++ {
		at := param + "[" + strconv.Itoa(i) + "]"
		if !f.hasNested(at) {
			break
		}
		field := customField{f.get(at + "[name]"), f.get(at + "[value]")}
		switch {
		case field.Name == "" || utf8.RuneCountInString(field.Name) > maxFieldName:
			return nil, invalidRequest(at+"[name]", "A custom field has a name of up to %d characters.", maxFieldName)
		case field.Value == "" || utf8.RuneCountInString(field.Value) > maxFieldValue:
			return nil, invalidRequest(at+"[value]", "A custom field has a value of up to %d characters.", maxFieldValue)
		}
		fields = append(fields, field)
	}
	if len(fields) > maxFields {
		return nil, invalidRequest(param, "A customer has at most %d custom fields.", maxFields)
	}
	return fields, nil
}

func (s *Simulator) listTaxIDs(c call, of *customer) (any, error) {
	return listPage(s, c, func(t *taxID) bool { return t.Customer == of.ID })
}

// vatNumber is as much as Stripe checks at once.
var vatNumber = regexp.MustCompile(`^[A-Z]{2}[A-Z0-9]{2,12}$`)

func (s *Simulator) addTaxID(c *customer, kind, value string) (*taxID, error) {
	if kind == "eu_vat" && !vatNumber.MatchString(value) {
		return nil, &apiError{status: http.StatusBadRequest, code: "tax_id_invalid", param: "value",
			message: "Invalid value for eu_vat."}
	}
	made := &taxID{base: s.newBase("txi", "tax_id"), Customer: c.ID, Type: kind, Value: value,
		Verification: map[string]string{"status": "pending"}}
	s.emitEvent("customer.tax_id.created", made)
	return addObject(s, made.ID, made), nil
}

func (s *Simulator) createTaxID(c call, of *customer) (any, error) {
	return s.addTaxID(of, c.get("type"), c.get("value"))
}

func (s *Simulator) deleteTaxID(c call) (any, error) {
	if t, err := findObject[*taxID](s, c.inner, ""); err != nil || t.Customer != c.id {
		return nil, resourceMissing("", c.inner)
	}
	delete(s.byID, c.inner)
	s.order = slices.DeleteFunc(s.order, func(o any) bool { t, ok := o.(*taxID); return ok && t.ID == c.inner })
	return object{"id": c.inner, "object": "tax_id", "deleted": true}, nil
}

func (s *Simulator) detachMethod(_ call, m *card) (any, error) {
	if m.Customer == "" {
		return nil, invalidRequest("", "The payment method you provided is not attached to a customer so detachment is impossible.")
	}
	m.Customer = ""
	s.emitEvent("payment_method.detached", m)
	return m, nil
}
