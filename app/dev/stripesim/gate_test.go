package stripesim_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/billing"
	"arpent/billing/stripegate"
)

// What the service sends through Stripe's own library is understood, and what comes back is what it makes of Stripe.
func TestTheServiceUnderstandsTheSimulator(t *testing.T) {
	t.Parallel()
	f := newFixture(t, stripesim.Options{})
	ctx := context.Background()
	g := stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, WebhookSecret: stripesim.DefaultWebhookSecret, Backend: f.URL(), Clock: f.clock,
		Prices:    map[string]string{billing.Standard: stripesim.StandardPrice, billing.Pro: stripesim.ProPrice},
		PublicURL: "http://127.0.0.1:9", HTTP: &http.Client{Timeout: 4500 * time.Millisecond}})
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(g.CheckPrices(ctx))
	customer, err := g.EnsureCustomer(ctx, 7, "a@example.org", "fr")
	ok(err)
	page, err := g.Checkout(ctx, billing.CheckoutRequest{Account: 7, Customer: customer, Plan: billing.Standard, Language: "fr", Attempt: "1"})
	ok(err)
	_, err = f.Pay(page[strings.LastIndex(page, "/")+1:], stripesim.Buyer{VAT: "FR12345678901"})
	ok(err)
	end := noon.Add(28 * day)
	read := func(plan, status, next string, ends bool) string {
		t.Helper()
		s, err := g.Read(ctx, customer)
		ok(err)
		if s.Plan != plan || s.Status != status || s.NextPlan != next || s.CancelAtPeriodEnd != ends || (status == "active" && !s.PeriodEnd.Equal(end)) {
			t.Errorf("read %+v, want %s %s next %q, ends %t", s, plan, status, next, ends)
		}
		return s.SubscriptionID
	}
	id := read(billing.Standard, "active", "", false)
	preview, err := g.Preview(ctx, id, billing.Pro)
	ok(err)
	if preview.DueNowCents != 7200 { // the difference of a whole month, with 20 % of tax
		t.Errorf("preview %+v", preview)
	}
	ok(g.Upgrade(ctx, id, billing.Pro, preview.At, "1"))
	read(billing.Pro, "active", "", false)
	bills, err := g.Invoices(ctx, customer, 5)
	ok(err)
	if len(bills) != 2 || bills[0].TotalCents != preview.DueNowCents {
		t.Errorf("bills %+v", bills)
	}
	ok(g.Downgrade(ctx, id, billing.Standard))
	read(billing.Pro, "active", billing.Standard, false)
	next, err := g.Upcoming(ctx, customer)
	ok(err)
	if next == nil || next.TotalCents != 2280 {
		t.Errorf("upcoming %+v", next)
	}
	ok(g.CancelAtPeriodEnd(ctx, id, true))
	read(billing.Pro, "active", "", true)
	for _, e := range f.Events() {
		if _, err := g.Verify(ctx, e.Body, stripesim.Sign(e.Body, stripesim.DefaultWebhookSecret, f.clock.Now())); err != nil {
			t.Errorf("%s: %v", e.Type, err)
		}
	}
	f.Advance(28 * day)
	read(billing.Pro, "canceled", "", true)
	f.Fail(stripesim.Down, 0)
	if _, err := g.Read(ctx, customer); !errors.Is(err, billing.ErrUnavailable) {
		t.Errorf("with Stripe away: %v", err)
	}
}
