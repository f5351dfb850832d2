package stripegate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stripe/stripe-go/v76"

	"arpent/billing"
)

// CreateCustomer makes the customer of an account. It is asked for again with the same words whatever the
// address is by then, so that two tabs and a lost answer make one customer. The reference of the account is
// in the key: an account that has the number of an earlier one, after a restore, gets a customer of its own.
func (g *Gate) CreateCustomer(ctx context.Context, r billing.CustomerRequest) (string, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	client := g.api.Customers
	c, err := client.New(&stripe.CustomerParams{
		Params: stripe.Params{Context: ctx, IdempotencyKey: stripe.String("customer-" + r.Reference + "-" +
			r.Attempt)},
		Metadata: map[string]string{metaAccount: strconv.FormatInt(int64(r.Account), 10),
			metaReference: r.Reference}})
	if err != nil {
		return "", translateError("make a customer", err)
	}
	if c.Metadata[metaReference] != r.Reference {
		return "", fmt.Errorf("stripe gave customer %s, which is not of account %d", c.ID, r.Account)
	}
	if _, err := client.Update(c.ID, &stripe.CustomerParams{Params: stripe.Params{Context: ctx},
		Email:            stripe.String(r.Email),
		PreferredLocales: stripe.StringSlice([]string{stripeLocale(r.Language)})}); err != nil {
		return "", translateError("write the address of a customer", err)
	}
	return c.ID, nil
}

// PortalURL is a page of Stripe on which the customer changes cards and sees bills.
func (g *Gate) PortalURL(ctx context.Context, customer, lang string) (string, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	s, err := g.api.BillingPortalSessions.New(&stripe.BillingPortalSessionParams{Params: stripe.Params{Context: ctx},
		Customer: stripe.String(customer), ReturnURL: stripe.String(g.o.PublicURL + "/account/plan"),
		Locale: stripe.String(stripeLocale(lang))})
	if err != nil {
		return "", translateError("open the customer portal", err)
	}
	return s.URL, nil
}

// orderLabels are the names of the custom field of bills that has the purchase order, by language.
var orderLabels = map[string]string{"fr": "Bon de commande", "en": "Purchase order"}

// maxCustomFields is how many custom fields Stripe takes of a customer.
const maxCustomFields = 4

func isOrder(f *stripe.CustomerInvoiceSettingsCustomField) bool {
	return f.Name == orderLabels["fr"] || f.Name == orderLabels["en"]
}

// SetBilling sets where bills go and what is on them, with the labels of a language; an empty text is taken
// off. The new VAT number is there before the old goes. Custom fields that the operator has set at Stripe
// stay. billing.ErrVAT for a number that Stripe refuses, billing.ErrBillFieldsFull where bills have no place
// for an order.
func (g *Gate) SetBilling(ctx context.Context, customerID string, b billing.Billing, lang string) error {
	vat, err := billing.ParseVAT(b.VAT)
	if err != nil {
		return err
	}
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	c, err := g.api.Customers.Get(customerID, &stripe.CustomerParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return translateError("read a customer", err)
	}
	fields := []*stripe.CustomerInvoiceSettingsCustomFieldParams{} // without any, those at Stripe go
	if b.PurchaseOrder != "" {
		fields = append(fields, &stripe.CustomerInvoiceSettingsCustomFieldParams{
			Name: stripe.String(orderLabels[stripeLocale(lang)]), Value: stripe.String(b.PurchaseOrder)})
	}
	if c.InvoiceSettings != nil {
		for _, f := range c.InvoiceSettings.CustomFields {
			if !isOrder(f) {
				fields = append(fields, &stripe.CustomerInvoiceSettingsCustomFieldParams{Name: &f.Name, Value: &f.Value})
			}
		}
	}
	if len(fields) > maxCustomFields {
		return billing.ErrBillFieldsFull
	}
	if _, err := g.api.Customers.Update(customerID, &stripe.CustomerParams{Params: stripe.Params{Context: ctx},
		Email: stripe.String(b.Email), Name: stripe.String(b.Company),
		InvoiceSettings: &stripe.CustomerInvoiceSettingsParams{CustomFields: fields}}); err != nil {
		return translateError("write the billing details of a customer", err)
	}
	return g.setVAT(ctx, customerID, vat)
}

// vatKinds are the kinds of tax id that are VAT numbers, by their first letters; empty: of a country of the
// European Union. A customer may have others, which are theirs and stay.
var vatKinds = map[string]stripe.TaxIDType{"": stripe.TaxIDTypeEUVAT, "GB": stripe.TaxIDTypeGBVAT,
	"CH": stripe.TaxIDTypeCHVAT, "NO": stripe.TaxIDTypeNOVAT}

// vatNumbers lists the VAT numbers of a customer, the newest first.
func (g *Gate) vatNumbers(ctx context.Context, customerID string) (numbers []*stripe.TaxID, err error) {
	all := g.api.TaxIDs.List(&stripe.TaxIDListParams{ListParams: stripe.ListParams{Context: ctx,
		Limit: stripe.Int64(100)}, Customer: stripe.String(customerID)})
	for all.Next() {
		if t := all.TaxID(); slices.Contains(slices.Collect(maps.Values(vatKinds)), t.Type) {
			numbers = append(numbers, t)
		}
	}
	return numbers, translateError("list the VAT numbers of a customer", all.Err())
}

func (g *Gate) setVAT(ctx context.Context, customerID, vat string) error {
	client := g.api.TaxIDs
	numbers, err := g.vatNumbers(ctx, customerID)
	if err != nil {
		return err
	}
	var old []string
	there := vat == ""
	for _, t := range numbers {
		if t.Value == vat {
			there = true
		} else {
			old = append(old, t.ID)
		}
	}
	if !there {
		kind := cmp.Or(vatKinds[vat[:2]], vatKinds[""])
		_, err := client.New(&stripe.TaxIDParams{Params: stripe.Params{Context: ctx},
			Customer: stripe.String(customerID), Type: stripe.String(string(kind)), Value: stripe.String(vat)})
		err = translateError("write the VAT number of a customer", err)
		if isCode(err, stripe.ErrorCodeTaxIDInvalid) {
			return fmt.Errorf("%w: %w", billing.ErrVAT, err)
		} else if err != nil {
			return err
		}
	}
	for _, id := range old {
		if _, err := client.Del(id, &stripe.TaxIDParams{Params: stripe.Params{Context: ctx},
			Customer: stripe.String(customerID)}); err != nil {
			return translateError("remove an old VAT number", err)
		}
	}
	return nil
}

// Billing reads what SetBilling sets.
func (g *Gate) Billing(ctx context.Context, customerID string) (billing.Billing, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	c, err := g.api.Customers.Get(customerID, &stripe.CustomerParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return billing.Billing{}, translateError("read a customer", err)
	}
	out := billing.Billing{Email: c.Email, Company: c.Name}
	if c.InvoiceSettings != nil {
		if i := slices.IndexFunc(c.InvoiceSettings.CustomFields, isOrder); i >= 0 {
			out.PurchaseOrder = c.InvoiceSettings.CustomFields[i].Value
		}
	}
	numbers, err := g.vatNumbers(ctx, customerID)
	if len(numbers) > 0 {
		out.VAT = numbers[0].Value
		if v := numbers[0].Verification; v != nil {
			out.VATStatus = string(v.Status)
		}
	}
	return out, err
}

// MoveEmail has bills go to another address where they went to the former
// one. One that was set for bills alone stays.
func (g *Gate) MoveEmail(ctx context.Context, customerID, former, email string) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	c, err := g.api.Customers.Get(customerID, &stripe.CustomerParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return translateError("read a customer", err)
	}
	if c.Deleted || !strings.EqualFold(c.Email, former) {
		return nil
	}
	_, err = g.api.Customers.Update(customerID, &stripe.CustomerParams{Params: stripe.Params{Context: ctx},
		Email: stripe.String(email)})
	return translateError("write the billing address of a customer", err)
}
