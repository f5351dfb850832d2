package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"arpent/app/clock"
	"arpent/app/config"
	"arpent/app/ident"
	"arpent/billing"
	"arpent/billing/stripegate"
)

const (
	graceEvery = 5 * time.Minute
	// One job of a reconciliation compares for this long, and leaves the rest to the next; it ends before a job that
	// hangs would be taken up by another instance.
	reconcileFor     = 45 * time.Second
	reconcileTimeout = 75 * time.Second
	reconcileTries   = 6 // Stripe may be away for a while
	// The hour, in Paris, at which all subscriptions are compared.
	reconcileHour = 3
)

// NewGate is the way to Stripe; nil when none is configured.
func NewGate(c config.Config) *stripegate.Gate {
	if c.StripeKey == "" {
		return nil
	}
	return stripegate.New(stripegate.Options{
		Key: c.StripeKey.Reveal(), WebhookSecret: c.StripeWebhookSecret.Reveal(), PublicURL: c.BaseURL, Backend: c.StripeURL, Clock: clock.Real{},
		Prices: map[string]string{billing.Standard: c.StripePriceStandard, billing.Pro: c.StripePricePro},
	})
}

// payments is what the program does about subscriptions beside the pages: compare with Stripe, end what is over.
type payments struct {
	gate  *stripegate.Gate // nil: paid plans are not available
	store *billing.Store   // set by use, before any job runs
	pool  *pgxpool.Pool
	clock clock.Clock

	client *river.Client[pgx.Tx] // set by use too
}

func newPayments(c config.Config, pool *pgxpool.Pool, cl clock.Clock) *payments {
	return &payments{gate: NewGate(c), pool: pool, clock: cl}
}

// use gives it what is made after the workers.
func (p *payments) use(client *river.Client[pgx.Tx], out billing.Outbox) {
	p.client, p.store = client, billing.NewStore(p.pool, p.clock, out)
}

// beforeDelete has what a deleted account has at Stripe ended as soon as the deletion is certain. Where that fails, the
// check that runs all day goes on with it.
func (p *payments) beforeDelete(ctx context.Context, tx pgx.Tx, account ident.AccountID) error {
	if err := billing.BeforeDelete(p.clock)(ctx, tx, account); err != nil || p.gate == nil {
		return err
	}
	if _, err := p.client.InsertTx(ctx, tx, closeJob{}, &river.InsertOpts{MaxAttempts: 1}); err != nil {
		return fmt.Errorf("have the customer of a deleted account closed: %w", err)
	}
	return nil
}

// check refuses prices that are not what the pages promise. Stripe's absence keeps nobody from the API: it is logged.
func (p *payments) check(ctx context.Context) error {
	if p.gate == nil {
		return nil
	}
	err := p.gate.CheckPrices(ctx)
	if errors.Is(err, stripegate.ErrUnavailable) {
		slog.WarnContext(ctx, "stripe does not answer: the prices were not checked", "error", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("check the prices at Stripe: %w", err)
	}
	return nil
}

type (
	graceJob     struct{}
	closeJob     struct{} // of the customers of deleted accounts
	reconcileJob struct {
		After ident.AccountID `json:"after"` // which account to go on after; 0: from the beginning
	}
)

func (graceJob) Kind() string     { return "billing_grace" }
func (closeJob) Kind() string     { return "billing_close" }
func (reconcileJob) Kind() string { return "billing_reconcile" }

// addWorkers says how the jobs are done.
func (p *payments) addWorkers(w *river.Workers) {
	river.AddWorker(w, river.WorkFunc(func(ctx context.Context, _ *river.Job[graceJob]) error { return p.grace(ctx) }))
	river.AddWorker(w, river.WorkFunc(func(ctx context.Context, _ *river.Job[closeJob]) error {
		if p.gate == nil {
			return nil
		}
		return p.store.ClosePending(ctx, p.gate)
	}))
	river.AddWorker(w, &reconciler{payments: p})
}

// periodicJobs says when.
func (p *payments) periodicJobs() []*river.PeriodicJob {
	once := river.UniqueOpts{ByState: []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStatePending,
		rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}}
	out := []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(graceEvery), func() (river.JobArgs, *river.InsertOpts) {
		return graceJob{}, &river.InsertOpts{MaxAttempts: 1, UniqueOpts: once}
	}, &river.PeriodicJobOpts{RunOnStart: true})}
	if p.gate != nil {
		out = append(out, river.NewPeriodicJob(nightly{}, func() (river.JobArgs, *river.InsertOpts) {
			return reconcileJob{}, &river.InsertOpts{MaxAttempts: reconcileTries, UniqueOpts: once}
		}, nil))
	}
	return out
}

// nightly is a moment of the night in Paris, the same whenever the service was started.
type nightly struct{}

func (nightly) Next(now time.Time) time.Time {
	for day := clock.Day(now); ; day++ {
		start := day.Start()
		at := time.Date(start.Year(), start.Month(), start.Day(), reconcileHour, 30, 0, 0, start.Location())
		if at.After(now) {
			return at
		}
	}
}

// grace ends what is over, asks for what was not heard, and ends at Stripe what deleted accounts had.
func (p *payments) grace(ctx context.Context) error {
	_, err := p.store.Grace(ctx)
	if err != nil || p.gate == nil {
		return err
	}
	accounts, err := p.store.Overdue(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, account := range accounts {
		if _, err := p.store.Refresh(ctx, p.gate, nil, account); err != nil {
			failed = append(failed, fmt.Errorf("read the subscription of account %d: %w", account, err))
			if errors.Is(err, stripegate.ErrUnavailable) {
				return errors.Join(failed...)
			}
		}
	}
	return errors.Join(append(failed, p.store.ClosePending(ctx, p.gate))...)
}

// reconciler compares all subscriptions with Stripe, a part at a time.
type reconciler struct {
	river.WorkerDefaults[reconcileJob]
	payments *payments
}

func (r *reconciler) Timeout(*river.Job[reconcileJob]) time.Duration { return reconcileTimeout }

func (r *reconciler) Work(ctx context.Context, job *river.Job[reconcileJob]) error {
	p := r.payments
	if p.gate == nil {
		return nil // it was configured when this was asked for
	}
	if job.Args.After == 0 {
		if err := p.store.Clean(ctx); err != nil {
			return err
		}
	}
	report, err := p.store.Reconcile(ctx, p.gate, job.Args.After, p.clock.Now().Add(reconcileFor), false, StripeAway)
	for _, d := range report.Repaired {
		slog.WarnContext(ctx, "subscription was out of step with stripe", "account", int64(d.Account), "customer", d.Customer, "changes", d.Changes)
	}
	for _, f := range report.Failed {
		slog.ErrorContext(ctx, "subscription could not be compared with stripe", "account", int64(f.Account), "customer", f.Customer, "error", f.Why)
	}
	slog.InfoContext(ctx, "subscriptions compared with stripe", "compared", report.Compared, "repaired", len(report.Repaired), "failed", len(report.Failed))
	if err != nil || report.Last == 0 {
		return err
	}
	client := river.ClientFromContext[pgx.Tx](ctx)
	if _, err := client.Insert(ctx, reconcileJob{After: report.Last}, &river.InsertOpts{MaxAttempts: reconcileTries}); err != nil {
		return fmt.Errorf("have the rest of the subscriptions compared: %w", err)
	}
	return nil
}

// StripeAway tells of an error that every other call would meet too.
func StripeAway(err error) bool { return errors.Is(err, stripegate.ErrUnavailable) }

// register adds to the metrics how long a deleted account's subscription has been waiting to be ended.
func (p *payments) register(r *prometheus.Registry) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "arpent_billing_orphans",
		Help: "Customers of deleted accounts whose subscription has still to be ended at Stripe."}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		n, _, err := p.store.Orphans(ctx)
		if err != nil {
			return -1
		}
		return float64(n)
	}))
}

// countRefused counts, by reason, the calls of the webhook that were refused.
func (p *payments) countRefused(r *prometheus.Registry) func(reason string) {
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "arpent_stripe_refused_total",
		Help: "Calls of the webhook that are not from Stripe, or not for this server."}, []string{"reason"})
	r.MustRegister(refused)
	return func(reason string) { refused.WithLabelValues(reason).Inc() }
}
