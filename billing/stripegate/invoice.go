package stripegate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/stripe/stripe-go/v76"

	"arpent/billing"
)

// Invoices lists the last bills of a customer, the newest first.
func (g *Gate) Invoices(ctx context.Context, customer string, n int) ([]billing.Invoice, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	var out []billing.Invoice
	params := &stripe.InvoiceListParams{ListParams: stripe.ListParams{Context: ctx,
		Limit: stripe.Int64(int64(min(max(n, 1), 100)))},
		Customer: stripe.String(customer)}
	params.AddExpand("data.charge")
	all := g.api.Invoices.List(params)
	for len(out) < n && all.Next() {
		if i := all.Invoice(); i.Status != stripe.InvoiceStatusDraft {
			out = append(out, toInvoice(i))
		}
	}
	return out, translateError("list the invoices of a customer", all.Err())
}

func toInvoice(i *stripe.Invoice) billing.Invoice {
	out := billing.Invoice{Number: i.Number, At: time.Unix(issuedAt(i), 0).UTC(), TotalCents: i.Total,
		DueCents: i.AmountDue, Currency: string(i.Currency),
		Status: string(i.Status), PDF: i.InvoicePDF, Page: i.HostedInvoiceURL,
		OfPlan:  i.Subscription != nil,
		Upgrade: i.BillingReason == stripe.InvoiceBillingReasonSubscriptionUpdate}
	if i.Charge != nil {
		out.RefundedCents = i.Charge.AmountRefunded
	}
	return out
}

// Upcoming is the next bill of a subscription, at the instant it is due; nil: none.
func (g *Gate) Upcoming(ctx context.Context, subscription string) (*billing.Invoice, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	i, err := g.api.Invoices.Upcoming(&stripe.InvoiceUpcomingParams{Params: stripe.Params{Context: ctx},
		Subscription: stripe.String(subscription)})
	if err = translateError("read the next invoice", err); err != nil {
		var e *stripeError
		if isCode(err, stripe.ErrorCodeInvoiceUpcomingNone) || errors.As(err, &e) &&
			e.status == http.StatusNotFound && !errors.Is(err, billing.ErrNoCustomer) {
			return nil, nil
		}
		return nil, err
	}
	out := toInvoice(i)
	out.Number, out.PDF, out.Page = "", "", ""
	for _, at := range []int64{i.PeriodEnd, i.NextPaymentAttempt} { // the last that is known
		if at > 0 {
			out.At = time.Unix(at, 0).UTC()
		}
	}
	return &out, nil
}

// Preview computes what a change to that offer would cost at once, for
// one instant, and what the next bill will be.
func (g *Gate) Preview(ctx context.Context, subscriptionID string, to billing.Offer) (billing.Preview, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	s, err := g.readSubscription(ctx, subscriptionID)
	if err != nil {
		return billing.Preview{}, err
	}
	price, err := g.priceOf(to)
	if err != nil {
		return billing.Preview{}, err
	}
	item, present, ok := g.itemOf(s)
	if !ok {
		return billing.Preview{}, fmt.Errorf("subscription %s: %w", s.ID, billing.ErrUnknownPrice)
	}
	if !present.ChangesAtOnce(to) {
		return billing.Preview{}, fmt.Errorf("subscription %s of %s: %w", s.ID, present, billing.ErrChanged)
	}
	if err := checkInterval(s, item, to); err != nil {
		return billing.Preview{}, err
	}
	// Stripe refuses an instant outside of the period.
	at := min(max(g.o.Clock.Now().Unix(), s.CurrentPeriodStart), max(s.CurrentPeriodEnd-1, s.CurrentPeriodStart))
	i, err := g.api.Invoices.Upcoming(&stripe.InvoiceUpcomingParams{
		Params: stripe.Params{Context: ctx}, Subscription: stripe.String(subscriptionID),
		SubscriptionItems: []*stripe.SubscriptionItemsParams{{ID: stripe.String(item.ID),
			Price: stripe.String(price)}},
		SubscriptionProrationBehavior: stripe.String("always_invoice"), SubscriptionProrationDate: stripe.Int64(at),
	})
	if err != nil {
		return billing.Preview{}, translateError("compute what an upgrade costs", err)
	}
	out := billing.Preview{Currency: string(i.Currency), At: time.Unix(at, 0).UTC(),
		NextAt: time.Unix(s.CurrentPeriodEnd, 0).UTC()}
	out.DueNowCents, out.NextCents = previewCosts(i, price, to, present.Yearly != to.Yearly)
	if present.Yearly != to.Yearly { // the year begins now
		// as Stripe has it, 28 February is a year after 29 February
		if out.NextAt = out.At.AddDate(1, 0, 0); out.NextAt.Day() != out.At.Day() {
			out.NextAt = out.At.AddDate(1, 0, -1)
		}
	}
	return out, nil
}

// previewCosts are the two sums of a preview, tax included. Asked for an invoice of its own, Stripe lists the
// differences alone; lines of the next period, where there are some, are not due at once. With a change of
// the interval the period begins anew: its line is due at once, and what follows costs as much. The amount of
// a line is before its discounts.
func previewCosts(i *stripe.Invoice, price string, to billing.Offer, beginsAnew bool) (now, next int64) {
	var untaxed, unit int64
	regular := false
	if i.Lines != nil {
		for _, line := range i.Lines.Data {
			net := line.Amount
			for _, discount := range line.DiscountAmounts {
				net -= discount.Amount
			}
			sum := net
			for _, tax := range line.TaxAmounts {
				if !tax.Inclusive {
					sum += tax.Amount
				}
			}
			if line.Price != nil && line.Price.ID == price {
				unit = line.Price.UnitAmount
			}
			if line.Proration {
				now += sum
				untaxed += net
			} else {
				next += sum
				regular = true
			}
		}
	}
	switch {
	case regular && beginsAnew:
		return max(i.Total, 0), next
	case regular:
		return max(now, 0), next
	}
	if i.Total != 0 {
		now = i.Total
	}
	if p, ok := billing.Find(to.Plan); ok && unit == 0 && !to.Yearly {
		unit = int64(p.PriceEuros) * 100
	}
	next = unit
	if untaxed > 0 { // at the same rate, which the sum of a few days gives to half a per cent
		halves := ((now-untaxed)*200 + untaxed/2) / untaxed
		next += (next*halves + 100) / 200
	}
	return max(now, 0), next
}

// FinalizeInvoice has the latest invoice of a subscription collected when it is a draft that waits for the
// customer's address. An address that Stripe Tax still cannot place leaves it as it is.
func (g *Gate) FinalizeInvoice(ctx context.Context, subscriptionID string) error {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	s, err := g.readSubscription(ctx, subscriptionID)
	if err != nil {
		return err
	}
	if i := s.LatestInvoice; i == nil || i.Status != stripe.InvoiceStatusDraft || taxFault(i) == "" {
		return nil
	}
	_, err = g.api.Invoices.FinalizeInvoice(s.LatestInvoice.ID,
		&stripe.InvoiceFinalizeInvoiceParams{Params: stripe.Params{Context: ctx},
			AutoAdvance: stripe.Bool(true)})
	err = translateError("finalize an invoice", err)
	if isCode(err, stripe.ErrorCodeCustomerTaxLocationInvalid) {
		return nil
	}
	return err
}
