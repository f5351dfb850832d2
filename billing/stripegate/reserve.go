package stripegate

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/stripe/stripe-go/v76"

	"arpent/billing"
)

// A reserve is paid by an invoice of its own and not by a metered item of the subscription: such an item
// would have to be carried over by each change of plan, is not invoiced when a subscription ends within its
// month, and comes once a year with a yearly plan.

// SellsReserve reports whether there is a price for requests beyond the quota.
func (g *Gate) SellsReserve() bool { return g.o.ReservePrice != "" }

// ReservePrice returns the price of 1 000 requests of a reserve, in cents without tax; 0: none is sold.
func (g *Gate) ReservePrice(ctx context.Context) (cents int64, err error) {
	if g.o.ReservePrice == "" {
		return 0, nil
	}
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	p, err := g.api.Prices.Get(g.o.ReservePrice, &stripe.PriceParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return 0, translateError("read the price of a reserve", err)
	}
	return int64(math.Round(p.UnitAmountDecimal * 1000)), nil
}

// reservePriceFaults says what keeps a price from being that of one request of a reserve.
func reservePriceFaults(p *stripe.Price, live bool) (wrong []string) {
	if p.Type != stripe.PriceTypeOneTime || p.BillingScheme == stripe.PriceBillingSchemeTiered {
		wrong = append(wrong, "is not one sum for each unit, paid once")
	}
	if cents := p.UnitAmountDecimal * 1000; cents < 1 || math.Abs(cents-math.Round(cents)) > 1e-6 {
		wrong = append(wrong, fmt.Sprintf("is %v cents a request, which is no whole number of cents for 1 000",
			p.UnitAmountDecimal))
	}
	return findSaleFaults(p, live, wrong)
}

// DraftReserve makes the draft of an invoice about a reserve, to be charged to the card of the subscription.
// Until ChargeReserve nothing is collected. Asked again in the same attempt it gives the same one.
func (g *Gate) DraftReserve(ctx context.Context, r billing.ReserveInvoice) (invoice string, err error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	params := &stripe.InvoiceParams{
		Params: stripe.Params{Context: ctx, IdempotencyKey: stripe.String("reserve-" + r.Customer.Reference + "-" +
			r.Month.Format("2006-01") + "-" + r.Attempt)},
		Customer: stripe.String(r.Customer.ID), AutoAdvance: stripe.Bool(false),
		CollectionMethod: stripe.String(string(stripe.InvoiceCollectionMethodChargeAutomatically)),
		// what the operator wrote down in the dashboard is another matter
		PendingInvoiceItemsBehavior: stripe.String("exclude"),
		AutomaticTax:                &stripe.InvoiceAutomaticTaxParams{Enabled: stripe.Bool(true)},
		Metadata: map[string]string{metaAccount: strconv.FormatInt(int64(r.Account), 10),
			metaReference: r.Customer.Reference},
		PaymentSettings: &stripe.InvoicePaymentSettingsParams{PaymentMethodTypes: stripe.StringSlice(paymentMethods)},
	}
	if r.Subscription != "" {
		s, err := g.readSubscription(ctx, r.Subscription)
		if err != nil {
			return "", err
		}
		if s.DefaultPaymentMethod != nil {
			params.DefaultPaymentMethod = stripe.String(s.DefaultPaymentMethod.ID)
		}
	}
	i, err := g.api.Invoices.New(params)
	if err != nil {
		return "", translateError("make the invoice of a reserve", err)
	}
	return i.ID, nil
}

var reserveTexts = map[string]string{"fr": "Réserve %s", "en": "Reserve %s"}

// ChargeReserve writes the requests on the draft of an invoice and has it collected. What it finds done it
// does not do again.
func (g *Gate) ChargeReserve(ctx context.Context, invoice string, r billing.ReserveInvoice) error {
	ctx, cancel := context.WithTimeout(ctx, ChargeTimeout)
	defer cancel()
	i, err := g.api.Invoices.Get(invoice, &stripe.InvoiceParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return translateError("read the invoice of a reserve", err)
	}
	if i.Status != stripe.InvoiceStatusDraft {
		return nil
	}
	if i.Lines == nil || len(i.Lines.Data) == 0 {
		_, err := g.api.InvoiceItems.New(&stripe.InvoiceItemParams{
			Params:   stripe.Params{Context: ctx, IdempotencyKey: stripe.String("reserve-" + invoice + "-" + r.Attempt)},
			Customer: stripe.String(r.Customer.ID), Invoice: stripe.String(invoice), Price: stripe.String(g.o.ReservePrice),
			Quantity:    stripe.Int64(int64(r.Requests)),
			Description: stripe.String(fmt.Sprintf(reserveTexts[stripeLocale(r.Language)], r.Month.Format("2006-01"))),
		})
		if err != nil {
			return translateError("write the requests of a reserve on an invoice", err)
		}
	}
	_, err = g.api.Invoices.FinalizeInvoice(invoice, &stripe.InvoiceFinalizeInvoiceParams{
		Params: stripe.Params{Context: ctx}, AutoAdvance: stripe.Bool(true)})
	return translateError("have the invoice of a reserve collected", err)
}

// IsInvoiceClosed reports whether an invoice was paid, or is not due any more.
func (g *Gate) IsInvoiceClosed(ctx context.Context, invoice string) (bool, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	i, err := g.api.Invoices.Get(invoice, &stripe.InvoiceParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return false, translateError("read the invoice of a reserve", err)
	}
	return i.Status == stripe.InvoiceStatusPaid || i.Status == stripe.InvoiceStatusVoid, nil
}
