package stripegate

import (
	"context"
	"fmt"
	"strconv"

	"github.com/stripe/stripe-go/v76"

	"arpent/app/base/ident"
	"arpent/billing"
)

// EnsureCustomer gives who the account is at Stripe, made when it is nobody yet. It is asked for again with the same
// words whatever the address is by then, so that two tabs and a lost answer make one customer.
func (g *Gate) EnsureCustomer(ctx context.Context, account ident.AccountID, email, lang string) (string, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	id := strconv.FormatInt(int64(account), 10)
	client := g.api.Customers
	made := &stripe.CustomerParams{Params: stripe.Params{Context: ctx, IdempotencyKey: stripe.String("customer-" + id)},
		Metadata: map[string]string{"arpent_account": id}}
	c, err := client.New(made)
	if err != nil {
		return "", translate("make a customer", err)
	}
	if _, err := client.Update(c.ID, &stripe.CustomerParams{Params: stripe.Params{Context: ctx}, Email: stripe.String(email),
		PreferredLocales: stripe.StringSlice([]string{locale(lang)})}); err != nil {
		return "", translate("write the address of a customer", err)
	}
	return c.ID, nil
}

// PortalURL is a page of Stripe on which the customer changes cards and sees bills.
func (g *Gate) PortalURL(ctx context.Context, customer, lang string) (string, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	s, err := g.api.BillingPortalSessions.New(&stripe.BillingPortalSessionParams{Params: stripe.Params{Context: ctx},
		Customer: stripe.String(customer), ReturnURL: stripe.String(g.o.PublicURL + "/account/plan"), Locale: stripe.String(locale(lang))})
	if err != nil {
		return "", translate("open the customer portal", err)
	}
	return s.URL, nil
}

func vatKind(vat string) stripe.TaxIDType {
	switch vat[:2] {
	case "GB":
		return stripe.TaxIDTypeGBVAT
	case "CH":
		return stripe.TaxIDTypeCHVAT
	case "NO":
		return stripe.TaxIDTypeNOVAT
	}
	return stripe.TaxIDTypeEUVAT
}

// SetBilling sets where bills go and the VAT number on them; empty: none. The new number is there before the old goes.
func (g *Gate) SetBilling(ctx context.Context, customerID, email, vat string) error {
	vat, err := billing.ParseVAT(vat)
	if err != nil {
		return err
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	if _, err := g.api.Customers.Update(customerID,
		&stripe.CustomerParams{Params: stripe.Params{Context: ctx}, Email: stripe.String(email)}); err != nil {
		return translate("write the billing address of a customer", err)
	}
	return g.setVAT(ctx, customerID, vat)
}

func (g *Gate) setVAT(ctx context.Context, customerID, vat string) error {
	client := g.api.TaxIDs
	var old []string
	there := vat == ""
	all := client.List(&stripe.TaxIDListParams{ListParams: stripe.ListParams{Context: ctx}, Customer: stripe.String(customerID)})
	for all.Next() {
		if t := all.TaxID(); t.Value == vat {
			there = true
		} else {
			old = append(old, t.ID)
		}
	}
	if err := all.Err(); err != nil {
		return translate("list the VAT numbers of a customer", err)
	}
	if !there {
		_, err := client.New(&stripe.TaxIDParams{Params: stripe.Params{Context: ctx}, Customer: stripe.String(customerID),
			Type: stripe.String(string(vatKind(vat))), Value: stripe.String(vat)})
		if err = translate("write the VAT number of a customer", err); isCode(err, stripe.ErrorCodeTaxIDInvalid) {
			return fmt.Errorf("%w: %w", billing.ErrVAT, err)
		} else if err != nil {
			return err
		}
	}
	for _, id := range old {
		if _, err := client.Del(id, &stripe.TaxIDParams{Params: stripe.Params{Context: ctx}, Customer: stripe.String(customerID)}); err != nil {
			return translate("remove an old VAT number", err)
		}
	}
	return nil
}

// Billing reads what SetBilling sets.
func (g *Gate) Billing(ctx context.Context, customerID string) (billing.Billing, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	c, err := g.api.Customers.Get(customerID, &stripe.CustomerParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return billing.Billing{}, translate("read a customer", err)
	}
	out := billing.Billing{Email: c.Email}
	all := g.api.TaxIDs.List(&stripe.TaxIDListParams{ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(1)},
		Customer: stripe.String(customerID)})
	if all.Next() {
		out.VAT = all.TaxID().Value
	}
	return out, translate("list the VAT numbers of a customer", all.Err())
}
