package stripesim

import "slices"

func (s *Simulator) customerOf(id string) (*customer, error) {
	if c, ok := s.customers.get(id); ok && !c.deleted {
		return c, nil
	}
	return nil, noSuch("customer", id)
}

// named is the customer that a parameter names.
func (s *Simulator) named(f form) (*customer, error) {
	if c, err := s.customerOf(f.get("customer")); err == nil {
		return c, nil
	}
	return nil, noSuchIn("customer", "customer", f.get("customer"))
}

// listing refuses a list of somebody who never was; one who was deleted has one.
func (s *Simulator) listing(f form) error {
	if _, ok := s.customers.get(f.get("customer")); ok || !f.has("customer") {
		return nil
	}
	return noSuchIn("customer", "customer", f.get("customer"))
}

func (s *Simulator) createCustomer(c call) (object, error) {
	id := s.id("cus")
	made := s.customers.add(id, &customer{id: id, metadata: map[string]string{}, created: s.at})
	s.fillCustomer(made, c.form)
	s.emit("customer.created", s.showCustomer(made), nil)
	return s.showCustomer(made), nil
}

func (s *Simulator) updateCustomer(c call) (object, error) {
	found, err := s.customerOf(c.id)
	if err != nil {
		return nil, err
	}
	before := s.showCustomer(found)
	s.fillCustomer(found, c.form)
	s.emit("customer.updated", s.showCustomer(found), before)
	return s.showCustomer(found), nil
}

func (s *Simulator) fillCustomer(c *customer, f form) {
	if f.has("email") {
		c.email = f.get("email")
	}
	if f.has("name") {
		c.name = f.get("name")
	}
	if f.under("preferred_locales") {
		c.locales = f.list("preferred_locales")
	}
	if f.under("address") {
		c.address = &address{Line1: f.get("address[line1]"), PostalCode: f.get("address[postal_code]"),
			City: f.get("address[city]"), Country: f.get("address[country]")}
	}
	metadata := map[string]string{}
	for k, v := range c.metadata { // what was shown before does not change
		metadata[k] = v
	}
	f.merge(metadata, "metadata")
	c.metadata = metadata
}

// deleteCustomer ends the subscriptions at once, as Stripe does.
func (s *Simulator) deleteCustomer(c call) (object, error) {
	found, err := s.customerOf(c.id)
	if err != nil {
		return nil, err
	}
	for _, b := range s.subscriptions.newest(func(b *subscription) bool { return b.customer == c.id && b.live() }) {
		s.cancelNow(b, "cancellation_requested")
	}
	s.emit("customer.deleted", s.showCustomer(found), nil)
	found.deleted = true
	return s.showCustomer(found), nil
}

func (s *Simulator) listCustomers(c call) (object, error) {
	return page(c, "/v1/customers", shown(s.customers.newest(func(each *customer) bool {
		return !each.deleted && (!c.has("email") || each.email == c.get("email"))
	}), s.showCustomer))
}

func (s *Simulator) listTaxIDs(c call) (object, error) {
	found, err := s.customerOf(c.id)
	if err != nil {
		return nil, err
	}
	ids := slices.Clone(found.taxIDs)
	slices.Reverse(ids)
	return page(c, "/v1/customers/"+c.id+"/tax_ids", shown(ids, func(t taxID) object { return s.showTaxID(found, t) }))
}

func (s *Simulator) createTaxID(c call) (object, error) {
	found, err := s.customerOf(c.id)
	if err != nil {
		return nil, err
	}
	made, err := s.addTaxID(found, c.get("type"), c.get("value"))
	if err != nil {
		return nil, err
	}
	return s.showTaxID(found, made), nil
}

func (s *Simulator) addTaxID(c *customer, kind, value string) (taxID, error) {
	if kind == "eu_vat" && !looksLikeVAT(value) {
		return taxID{}, &apiError{status: 400, kind: "invalid_request_error", code: "tax_id_invalid", param: "value", message: "Invalid value for eu_vat."}
	}
	for _, t := range c.taxIDs {
		if t.kind == kind && t.value == value {
			return t, nil
		}
	}
	made := taxID{id: s.id("txi"), kind: kind, value: value, created: s.at}
	c.taxIDs = append(c.taxIDs, made)
	s.emit("customer.tax_id.created", s.showTaxID(c, made), nil)
	return made, nil
}

// looksLikeVAT is as much as Stripe checks at once: a country of the EU and 2 to 12 letters and digits.
func looksLikeVAT(value string) bool {
	if len(value) < 4 || len(value) > 14 || (!slices.Contains(european, value[:2]) && value[:2] != "EL" && value[:2] != "XI") {
		return false
	}
	for _, r := range value {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return true
}

func (s *Simulator) taxIDAt(c call) (*customer, int, error) {
	found, err := s.customerOf(c.id)
	if err != nil {
		return nil, 0, err
	}
	at := slices.IndexFunc(found.taxIDs, func(t taxID) bool { return t.id == c.inner })
	if at < 0 {
		return nil, 0, noSuch("tax_id", c.inner)
	}
	return found, at, nil
}

func (s *Simulator) deleteTaxID(c call) (object, error) {
	found, at, err := s.taxIDAt(c)
	if err != nil {
		return nil, err
	}
	s.emit("customer.tax_id.deleted", s.showTaxID(found, found.taxIDs[at]), nil)
	found.taxIDs = slices.Delete(slices.Clone(found.taxIDs), at, at+1)
	return object{"id": c.inner, "object": "tax_id", "deleted": true}, nil
}

// addCard gives a customer a card, which becomes the one for invoices.
func (s *Simulator) addCard(c *customer, behaviour Card) *card {
	id := s.id("pm")
	made := s.cards.add(id, &card{id: id, customer: c.id, behaviour: behaviour, created: s.at})
	c.card = id
	s.emit("payment_method.attached", s.showCard(made), nil)
	return made
}

// european are the countries that France taxes unless a VAT number says otherwise.
var european = []string{"AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT", "LU",
	"LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK"}

// taxOf is what Stripe Tax would add for a seller in France: 20 % in the EU, nothing for a business of another country
// of it that gave its VAT number (it owes the tax itself), nothing elsewhere.
func (s *Simulator) taxOf(c *customer, cents int64) int64 {
	if c.address == nil || !slices.Contains(european, c.address.Country) || (c.address.Country != "FR" && len(c.taxIDs) > 0) {
		return 0
	}
	const percent = 20
	half := int64(50)
	if cents < 0 {
		half = -50
	}
	return (cents*percent + half) / 100
}
