package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"arpent/app/base/clock"
	"arpent/app/base/config"
	"arpent/app/base/fault"
	"arpent/billing"
	"arpent/billing/stripegate"
)

// NewBilling makes the service that subscriptions are in the hands of. The work that it causes is done by whoever serves.
func NewBilling(c config.Config, pool *pgxpool.Pool, cl clock.Clock) *billing.Service {
	o := billing.Options{DB: pool, Clock: cl}
	if c.StripeKey != "" {
		o.Gateway = stripegate.New(stripegate.Options{
			Key: c.StripeKey.Reveal(), WebhookSecret: c.StripeWebhookSecret.Reveal(), PublicURL: c.BaseURL, Backend: c.StripeURL, Clock: clock.Real{},
			Prices: c.StripePrices,
		})
	}
	return billing.New(o)
}

// checkPrices refuses prices that are not what the pages promise. Stripe's absence keeps nobody from the API: it is logged.
func checkPrices(ctx context.Context, b *billing.Service) error {
	if !b.Sells() {
		return nil
	}
	err := b.CheckPrices(ctx)
	if errors.Is(err, billing.ErrUnavailable) {
		slog.WarnContext(ctx, "stripe does not answer: the prices were not checked", "error", err)
		return nil
	}
	return fault.Wrap("check the prices at Stripe", err)
}

// registerBilling adds to the metrics how many customers of deleted accounts have still to be ended at Stripe.
func registerBilling(r *prometheus.Registry, b *billing.Service) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "arpent_billing_orphans",
		Help: "Customers of deleted accounts whose subscription has still to be ended at Stripe."}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		n, err := b.Orphans(ctx)
		if err != nil {
			return -1
		}
		return float64(n)
	}))
}

// countRefused counts, by reason, the calls of the webhook that were refused.
func countRefused(r *prometheus.Registry) func(reason string) {
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "arpent_stripe_refused_total",
		Help: "Calls of the webhook that are not from Stripe, or not for this server."}, []string{"reason"})
	r.MustRegister(refused)
	return func(reason string) { refused.WithLabelValues(reason).Inc() }
}
