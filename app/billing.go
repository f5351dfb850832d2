package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"arpent/billing"
	"arpent/billing/stripegate"
	"arpent/internal/clock"
	"arpent/internal/config"
)

// NewBilling makes the service of subscriptions. The jobs that it inserts are done by the servers.
func NewBilling(c config.Config, pool *pgxpool.Pool, cl clock.Clock) *billing.Service {
	o := billing.Options{DB: pool, Clock: cl, Operator: c.ContactEmail,
		IsRehearsal: c.RehearsesSales() && c.StripeURL == ""} // a simulator in its place sells to all, for tests
	if c.StripeKey != "" {
		o.Gateway = stripegate.New(stripegate.Options{
			Key: c.StripeKey.Reveal(), WebhookSecret: c.StripeWebhookSecret.Reveal(), PublicURL: c.BaseURL,
			Backend: c.StripeURL, Clock: clock.Real{},
			Prices: c.StripePrices, YearlyPrices: c.StripeYearlyPrices, ReservePrice: c.StripeReservePrice,
		})
	}
	return billing.New(o)
}

// registerBilling adds to the metrics how many customers of deleted
// accounts have still to be ended at Stripe.
func registerBilling(r *prometheus.Registry, b *billing.Service) {
	const help = "Customers of deleted accounts whose subscription has still to be ended at Stripe."
	addGauge(r, "arpent_billing_orphans", help, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		n, err := b.Orphans(ctx)
		if err != nil {
			return -1
		}
		return float64(n)
	})
	r.MustRegister(findings{b})
}

// findings counts, by kind, what the operator has to look at.
type findings struct{ billing *billing.Service }

var findingsCount = prometheus.NewDesc("arpent_billing_findings",
	"What the operator has to look at about billing: arpent billing findings.",
	[]string{"kind"}, nil)

func (findings) Describe(ch chan<- *prometheus.Desc) { ch <- findingsCount }

func (f findings) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	counts, err := f.billing.CountFindings(ctx)
	if err != nil {
		slog.WarnContext(ctx, "billing findings not counted", "error", err)
		return
	}
	for _, kind := range billing.FindingKinds() {
		ch <- prometheus.MustNewConstMetric(findingsCount, prometheus.GaugeValue, float64(counts[kind]),
			string(kind))
	}
}

// countRefused counts, by reason, the calls of the webhook that were refused.
func countRefused(r *prometheus.Registry) func(reason string) {
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "arpent_stripe_refused_total",
		Help: "Calls of the webhook that are not from Stripe, or not for this server."}, []string{"reason"})
	r.MustRegister(refused)
	return func(reason string) { refused.WithLabelValues(reason).Inc() }
}
