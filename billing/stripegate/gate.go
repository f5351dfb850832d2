// Package stripegate speaks to Stripe. It promises that no call takes longer than five seconds, and
// one that charges a card no longer than 25, that repeating a call buys nothing twice, and that
// nothing of the payment library is seen outside.
package stripegate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"
	portalsession "github.com/stripe/stripe-go/v76/billingportal/session"
	"github.com/stripe/stripe-go/v76/charge"
	checkoutsession "github.com/stripe/stripe-go/v76/checkout/session"
	"github.com/stripe/stripe-go/v76/customer"
	"github.com/stripe/stripe-go/v76/dispute"
	"github.com/stripe/stripe-go/v76/invoice"
	"github.com/stripe/stripe-go/v76/invoiceitem"
	"github.com/stripe/stripe-go/v76/paymentmethod"
	"github.com/stripe/stripe-go/v76/price"
	"github.com/stripe/stripe-go/v76/refund"
	"github.com/stripe/stripe-go/v76/subscription"
	"github.com/stripe/stripe-go/v76/subscriptionschedule"
	taxsettings "github.com/stripe/stripe-go/v76/tax/settings"
	"github.com/stripe/stripe-go/v76/taxid"
	"github.com/stripe/stripe-go/v76/webhookendpoint"

	"arpent/billing"
	"arpent/internal/clock"
)

// Timeout of a call, its repetition included.
const Timeout = 4500 * time.Millisecond

// ChargeTimeout is that of a call that charges a card: the bank is asked meanwhile.
const ChargeTimeout = 25 * time.Second

// The metadata of what is made for an account. What lacks its reference is not judged, whatever else it has.
const (
	metaAccount   = "arpent_account"
	metaReference = "arpent_reference"
)

// Options of a Gate.
type Options struct {
	Key           string
	WebhookSecret string
	// plan → prices at Stripe for a month: the first is sold, the others are of those who bought before
	Prices       map[string][]string
	YearlyPrices map[string][]string // the same for a year; a plan without is sold by the month alone
	ReservePrice string              // at Stripe, of one request of a reserve; empty: none is sold
	PublicURL    string              // of this service
	Backend      string              // address of the API; empty: Stripe's
	HTTP         *http.Client        // nil: one of its own
	Clock        clock.Clock         // nil: the machine's
}

// Gate is the way to Stripe.
type Gate struct {
	o      Options
	api    *resources
	offers map[string]billing.Offer // by price
	live   bool                     // real money
}

// resources are the parts of Stripe's API that are called. The client package of the library imports all
// hundred of them: most of what the library takes to compile.
type resources struct {
	BillingPortalSessions portalsession.Client
	Charges               charge.Client
	CheckoutSessions      checkoutsession.Client
	Customers             customer.Client
	Disputes              dispute.Client
	Invoices              invoice.Client
	InvoiceItems          invoiceitem.Client
	PaymentMethods        paymentmethod.Client
	Prices                price.Client
	Refunds               refund.Client
	SubscriptionSchedules subscriptionschedule.Client
	Subscriptions         subscription.Client
	TaxIDs                taxid.Client
	TaxSettings           taxsettings.Client
	WebhookEndpoints      webhookendpoint.Client
}

func newResources(b stripe.Backend, key string) *resources {
	return &resources{
		BillingPortalSessions: portalsession.Client{B: b, Key: key},
		Charges:               charge.Client{B: b, Key: key},
		CheckoutSessions:      checkoutsession.Client{B: b, Key: key},
		Customers:             customer.Client{B: b, Key: key},
		Disputes:              dispute.Client{B: b, Key: key},
		Invoices:              invoice.Client{B: b, Key: key},
		InvoiceItems:          invoiceitem.Client{B: b, Key: key},
		PaymentMethods:        paymentmethod.Client{B: b, Key: key},
		Prices:                price.Client{B: b, Key: key},
		Refunds:               refund.Client{B: b, Key: key},
		SubscriptionSchedules: subscriptionschedule.Client{B: b, Key: key},
		Subscriptions:         subscription.Client{B: b, Key: key},
		TaxIDs:                taxid.Client{B: b, Key: key},
		TaxSettings:           taxsettings.Client{B: b, Key: key},
		WebhookEndpoints:      webhookendpoint.Client{B: b, Key: key},
	}
}

var _ billing.Gateway = (*Gate)(nil)

// New makes a gate. It does not touch the network.
func New(o Options) *Gate {
	o.Clock = cmp.Or[clock.Clock](o.Clock, clock.Real{})
	o.HTTP = cmp.Or(o.HTTP, &http.Client{})
	o.PublicURL = strings.TrimSuffix(o.PublicURL, "/")
	config := &stripe.BackendConfig{HTTPClient: o.HTTP, MaxNetworkRetries: stripe.Int64(1),
		EnableTelemetry: stripe.Bool(false),
		LeveledLogger:   &stripe.LeveledLogger{Level: stripe.LevelNull}} // what it logs is not ours to choose
	if o.Backend != "" {
		config.URL = stripe.String(strings.TrimSuffix(o.Backend, "/"))
	}
	g := &Gate{o: o, api: newResources(stripe.GetBackendWithConfig(stripe.APIBackend, config), o.Key),
		offers: map[string]billing.Offer{},
		live:   strings.HasPrefix(o.Key, "sk_live_") || strings.HasPrefix(o.Key, "rk_live_")}
	for yearly, prices := range map[bool]map[string][]string{false: o.Prices, true: o.YearlyPrices} {
		for plan, ids := range prices {
			for _, id := range ids {
				g.offers[id] = billing.Offer{Plan: plan, Yearly: yearly}
			}
		}
	}
	return g
}

// priceOf is the price at which an offer is sold; billing.ErrNoOffer: it is not.
func (g *Gate) priceOf(o billing.Offer) (string, error) {
	prices := g.pricesOf(o)
	if len(prices) == 0 {
		return "", fmt.Errorf("%s: %w", o, billing.ErrNoOffer)
	}
	return prices[0], nil
}

// pricesOf lists the prices of an offer, the one that is sold first.
func (g *Gate) pricesOf(o billing.Offer) []string {
	if o.Yearly {
		return g.o.YearlyPrices[o.Plan]
	}
	return g.o.Prices[o.Plan]
}

// withTimeout gives a call its deadline.
func withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, Timeout)
}

// stripeError is what Stripe answered, without what the library would print of its request.
type stripeError struct {
	status              int
	kind, code, message string
	request             string
}

func (e *stripeError) Error() string {
	return fmt.Sprintf("stripe answers %d %s %s: %s (request %s)", e.status, e.kind, e.code, e.message,
		e.request)
}

// translateError turns an error of the library into ours. doing says what was being done.
func translateError(doing string, err error) error {
	if err == nil {
		return nil
	}
	var e *stripe.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w: %w", doing, billing.ErrUnavailable, err)
	}
	own := &stripeError{status: e.HTTPStatusCode, kind: string(e.Type), code: string(e.Code), message: e.Msg,
		request: e.RequestID}
	switch {
	case e.Type == stripe.ErrorTypeCard || e.HTTPStatusCode == http.StatusPaymentRequired:
		return fmt.Errorf("%s: %w: %w: %w", doing, billing.ErrDeclined, billing.ErrAnswered, own)
	case e.HTTPStatusCode == http.StatusTooManyRequests, e.Code == stripe.ErrorCodeLockTimeout,
		e.Code == stripe.ErrorCodeIdempotencyKeyInUse:
		// nothing was begun: the same key is good
		return fmt.Errorf("%s: %w: %w", doing, billing.ErrUnavailable, own)
	case e.HTTPStatusCode >= 500:
		return fmt.Errorf("%s: %w: %w: %w", doing, billing.ErrUnavailable, billing.ErrAnswered, own)
	case e.HTTPStatusCode == http.StatusUnauthorized, e.HTTPStatusCode == http.StatusForbidden:
		return fmt.Errorf("%s: %w: %w: %w", doing, billing.ErrUnavailable, billing.ErrKeyRefused, own)
	case e.Code == stripe.ErrorCodeResourceMissing && (e.Param == "customer" || strings.Contains(e.Msg,
		"No such customer")):
		return fmt.Errorf("%s: %w: %w", doing, billing.ErrNoCustomer, own)
	}
	return fmt.Errorf("%s: %w: %w", doing, billing.ErrAnswered, own)
}

// isCode reports whether Stripe gave one of these reasons.
func isCode(err error, codes ...stripe.ErrorCode) bool {
	var e *stripeError
	return errors.As(err, &e) && slices.Contains(codes, stripe.ErrorCode(e.code))
}

// stripeLocale is the language of Stripe's pages.
func stripeLocale(language string) string {
	if language == "en" {
		return "en"
	}
	return "fr"
}
