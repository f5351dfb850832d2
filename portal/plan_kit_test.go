package portal_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/social"
	"arpent/billing"
	"arpent/portal"
)

// till stands in for Stripe: it keeps what it would say, and what it was asked.
type till struct {
	billing.Gateway // what is not asked here

	mu        sync.Mutex
	says      billing.Snapshot         // of every customer
	fail      error                    // of every call
	failOf    map[string]error         // of one
	hang      bool                     // answers nothing until the caller gives up
	allowed   time.Duration            // what the callers that hung gave it at most
	given     map[string]time.Duration // what the last caller of each call gave it
	calls     []string
	clock     func() time.Time
	session   string // whose page of payment it is
	vat       string
	vatStatus string
	due       bool // the invoice is
	events    error
	yearly    map[string]int64 // what a year costs
}

// errBreaks has a call panic.
var errBreaks = errors.New("breaks")

// YearlyPrices are those that a test sets.
func (g *till) YearlyPrices(ctx context.Context) (map[string]int64, error) {
	if err := g.call(ctx, "yearly prices"); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.yearly, nil
}

// ReservePrice says that no reserve is sold.
func (*till) ReservePrice(context.Context) (int64, error) { return 0, nil }

func (g *till) call(ctx context.Context, name string, args ...string) error {
	g.mu.Lock()
	g.calls = append(g.calls, strings.Join(append([]string{name}, args...), " "))
	fail, hang := g.fail, g.hang
	if g.failOf[name] != nil {
		fail = g.failOf[name]
	}
	allowed := time.Hour // no deadline
	if until, ok := ctx.Deadline(); ok {
		allowed = time.Until(until)
	}
	g.given[name] = allowed
	if hang {
		g.allowed = max(g.allowed, allowed)
	}
	g.mu.Unlock()
	if hang {
		<-ctx.Done()
		return errors.Join(billing.ErrUnavailable, ctx.Err())
	}
	if errors.Is(fail, errBreaks) {
		panic("broken for a test")
	}
	return fail
}

// asked reports whether a call with that prefix was made.
func (g *till) asked(call string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.calls {
		if strings.HasPrefix(c, call) {
			return true
		}
	}
	return false
}

func (g *till) set(change func(*till)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g)
}

func (g *till) CreateCustomer(ctx context.Context, r billing.CustomerRequest) (string, error) {
	return "cus_" + r.Email, g.call(ctx, "customer", r.Email, r.Language)
}

func (g *till) Checkout(ctx context.Context, r billing.CheckoutRequest) (string, error) {
	return "https://checkout.stripe.com/c/pay/cs_1", g.call(ctx, "checkout", r.Customer.ID, r.Offer.String(), r.Language, r.Attempt)
}

func (g *till) SessionCustomer(ctx context.Context, id string) (string, error) {
	return g.session, g.call(ctx, "session", id)
}

func (g *till) PortalURL(ctx context.Context, customer, lang string) (string, error) {
	return "https://billing.stripe.com/p/session/1", g.call(ctx, "portal", customer, lang)
}

func (g *till) Preview(ctx context.Context, id string, to billing.Offer) (billing.Preview, error) {
	return billing.Preview{DueNowCents: 4820, Currency: "eur", At: g.clock(), NextCents: 9480, NextAt: g.clock().AddDate(0, 0, 20)},
		g.call(ctx, "preview", id, to.String())
}

func (g *till) Upgrade(ctx context.Context, id string, to billing.Offer, _ time.Time, key string) error {
	err := g.call(ctx, "upgrade", id, to.String(), key)
	if err == nil {
		g.set(func(g *till) { g.says.Plan, g.says.Yearly = to.Plan, to.Yearly })
	}
	return err
}

func (g *till) Downgrade(ctx context.Context, id string, to billing.Offer) error {
	err := g.call(ctx, "downgrade", id, to.String())
	if err == nil {
		g.set(func(g *till) { g.says.NextPlan, g.says.NextYearly = to.Plan, to.Yearly })
	}
	return err
}

func (g *till) CancelAtPeriodEnd(ctx context.Context, id string, on bool) error {
	err := g.call(ctx, map[bool]string{true: "cancel", false: "resume"}[on], id)
	if err == nil {
		g.set(func(g *till) { g.says.CancelAtPeriodEnd, g.says.NextPlan = on, "" })
	}
	return err
}

func (g *till) CancelNow(ctx context.Context, id string) error {
	err := g.call(ctx, "end", id)
	if err == nil {
		g.set(func(g *till) { g.says.Status = billing.Canceled })
	}
	return err
}

func (g *till) Invoices(ctx context.Context, customer string, _ int) ([]billing.Invoice, error) {
	status := map[bool]string{false: "paid", true: "open"}[g.due]
	return []billing.Invoice{{OfPlan: true, Number: "ARP-0003", At: noon, TotalCents: 2280, Currency: "eur", Status: status, PDF: "https://pay.stripe.com/invoice/1/pdf",
			Page: "https://invoice.stripe.com/i/1"},
			{Number: "ARP-0002", At: noon, TotalCents: 2280, RefundedCents: 2280, Currency: "eur", Status: "paid"},
			{Number: "ARP-0001", At: noon, TotalCents: 2280, RefundedCents: 1000, Currency: "eur", Status: "paid"},
			{Number: "ARP-0000", At: noon, TotalCents: 4820, Currency: "eur", Status: "void", Upgrade: true}},
		g.call(ctx, "invoices", customer)
}

func (g *till) Upcoming(ctx context.Context, customer string) (*billing.Invoice, error) {
	return &billing.Invoice{At: noon.AddDate(0, 1, 0), TotalCents: 2280, Currency: "eur"}, g.call(ctx, "upcoming", customer)
}

func (g *till) Billing(ctx context.Context, customer string) (billing.Billing, error) {
	return billing.Billing{Email: "factures@exemple.fr", VAT: g.vat, VATStatus: g.vatStatus, Company: "Jeanne SARL", PurchaseOrder: "BC-1"},
		g.call(ctx, "details", customer)
}

func (g *till) SetBilling(ctx context.Context, customer string, b billing.Billing, lang string) error {
	return g.call(ctx, "billing", customer, b.Email, b.VAT, b.Company, b.PurchaseOrder, lang)
}

func (g *till) CloseCustomer(ctx context.Context, c billing.ClosedCustomer) (bool, error) {
	return false, g.call(ctx, "close", c.ID)
}

func (g *till) Read(ctx context.Context, customer billing.Customer) (billing.Snapshot, []billing.Finding, error) {
	err := g.call(ctx, "read", customer.ID)
	g.mu.Lock()
	defer g.mu.Unlock()
	said := g.says
	said.CustomerID = customer.ID
	return said, nil, err
}

func (g *till) EndDuplicate(ctx context.Context, id string) error {
	return g.call(ctx, "duplicate", id)
}

func (g *till) Verify(ctx context.Context, body []byte, signature string) (billing.Event, error) {
	if err := g.call(ctx, "receive", string(body), signature); err != nil {
		return billing.Event{}, err
	}
	return billing.Event{ID: "evt_1", Type: "customer.created"}, g.events
}

func (g *till) CheckPrices(ctx context.Context) error { return g.call(ctx, "prices") }

// shop is a site that sells plans.
type shop struct {
	*site
	till    *till
	billing *billing.Service
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{till: &till{failOf: map[string]error{}, given: map[string]time.Duration{}}}
	s.site = newSite(t, func(o *portal.Options, _ *social.Options) {
		s.billing = billing.New(billing.Options{DB: o.DB, Clock: o.Clock, Gateway: s.till})
		s.till.clock = o.Clock.Now
		o.Billing = s.billing
	})
	return s
}

var periodEnd = noon.AddDate(0, 1, 0)

// subscribed gives an account a subscription, as Stripe reports it.
func (s *shop) subscribed(b *browser, said billing.Snapshot) {
	s.t.Helper()
	said.SubscriptionID, said.CustomerID = fmt.Sprintf("sub_%d", b.account.ID), "cus_"+b.account.Email
	if said.Status == "" {
		said.Status = billing.Active
	}
	said.PeriodEnd = periodEnd
	s.till.set(func(g *till) { g.says = said })
	testkit.NoError(s.t, s.billing.SaveCustomer(s.t.Context(), b.account.ID, said.CustomerID))
	at := testkit.Must(s.billing.Now(s.t.Context()))(s.t)
	if _, err := s.billing.Apply(s.t.Context(), nil, b.account.ID, billing.Reading{Snapshot: said, At: at}); err != nil {
		s.t.Fatal(err)
	}
}

func (b *browser) planIs(plan string) {
	b.s.t.Helper()
	if got := read[string](b.s, `SELECT plan FROM account.account WHERE id = $1`, b.account.ID); got != plan {
		b.s.t.Errorf("the plan in force is %q, want %q", got, plan)
	}
}
