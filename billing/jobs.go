package billing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/internal/jobs"
)

const (
	graceEvery = 5 * time.Minute
	cleanEvery = time.Hour
	sellEvery  = 15 * time.Minute
	// A reserve is usable within this time after midnight.
	reserveEvery        = time.Minute
	reserveInvoiceEvery = time.Hour
	// One job of a reconciliation compares for this long, and leaves the rest to the next; it ends before a
	// job that hangs would be taken up by another instance.
	reconcileFor     = 45 * time.Second
	reconcileTimeout = 75 * time.Second
	reconcileTries   = 6 // Stripe may be away for a while
)

// reconcileTime is when all subscriptions are compared.
var reconcileTime = jobs.Daily{Hour: 3, Minute: 30}

// closeJob is the name of the job that ends what deleted accounts had.
const closeJob = "billing_close"

// ReconcileJob compares all subscriptions with Stripe, a part at a time.
type ReconcileJob struct {
	After ident.AccountID `json:"after"` // which account to go on after; 0: from the beginning
}

// Kind names a job in the queue.
func (ReconcileJob) Kind() string { return "billing_reconcile" }

// Jobs returns the periodic jobs of subscriptions: to end what is over, read subscriptions whose event never
// came and go on with what deleted accounts had; to check that plans can be bought; to end that as soon as
// an account is deleted; to compare all with Stripe; to notify those who waited for plans to be sold; to
// remove events that have had their time, sold or not; to announce yearly renewals; to keep the reserves of
// the day, and to invoice those of the month that is over.
func (s *Service) Jobs() []jobs.Job {
	reconcile := jobs.Of(&reconciler{service: s})
	if s.Sells() {
		reconcile = reconcile.At(reconcileTime, ReconcileJob{}, reconcileTries)
	}
	return []jobs.Job{jobs.Every(graceEvery, "billing_grace", s.runGraceJob),
		jobs.Every(cleanEvery, "billing_clean", s.Clean),
		jobs.OnDemand(closeJob, func(ctx context.Context) error {
			if !s.Sells() {
				return nil // plans were sold when this was asked for
			}
			return s.ClosePending(ctx)
		}), reconcile, jobs.Of(&emailJobWorker{service: s}), jobs.Every(sellEvery, "billing_selling", s.CheckSelling),
		jobs.Every(wishEvery, "billing_wish", logCount("accounts notified that plans are sold", s.NotifyWishes)),
		jobs.Every(renewalEvery, "billing_renewal", logCount("accounts reminded of a yearly renewal", s.RemindRenewals)),
		jobs.Every(reserveEvery, "billing_reserve", s.UpdateReserves),
		jobs.Every(reserveInvoiceEvery, "billing_reserve_invoice", s.InvoiceReserves)}
}

// logCount is a job that logs how many accounts an act was done to.
func logCount(message string, act func(context.Context) (int, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		accounts, err := act(ctx)
		if accounts > 0 {
			slog.InfoContext(ctx, message, "accounts", accounts)
		}
		return err
	}
}

func (s *Service) runGraceJob(ctx context.Context) error {
	if _, err := s.EndGracePeriods(ctx); err != nil || !s.Sells() {
		return err
	}
	accounts, err := s.Overdue(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, account := range accounts {
		if _, err := s.Refresh(ctx, account); err != nil {
			failed = append(failed, fmt.Errorf("read the subscription of account %d: %w", account, err))
			if errors.Is(err, ErrUnavailable) {
				return errors.Join(failed...)
			}
		}
	}
	return errors.Join(append(failed, s.ClosePending(ctx))...)
}

type reconciler struct {
	river.WorkerDefaults[ReconcileJob]
	service *Service
}

func (r *reconciler) Timeout(*river.Job[ReconcileJob]) time.Duration { return reconcileTimeout }

func (r *reconciler) Work(ctx context.Context, job *river.Job[ReconcileJob]) error {
	s := r.service
	if !s.Sells() {
		return nil
	}
	report, err := s.Reconcile(ctx, job.Args.After, s.clock.Now().Add(reconcileFor), false)
	for _, d := range report.Repaired {
		slog.WarnContext(ctx, "subscription was out of step with stripe", "account", int64(d.Account), "customer",
			d.Customer, "changes", d.Changes)
	}
	for _, f := range report.Failed {
		slog.ErrorContext(ctx, "subscription could not be compared with stripe", "account", int64(f.Account),
			"customer", f.Customer, "error", f.Why)
	}
	slog.InfoContext(ctx, "subscriptions compared with stripe", "compared", report.Compared, "repaired",
		len(report.Repaired), "failed", len(report.Failed))
	if err != nil || report.Last == 0 {
		return err
	}
	_, err = river.ClientFromContext[pgx.Tx](ctx).Insert(ctx, ReconcileJob{After: report.Last},
		&river.InsertOpts{MaxAttempts: reconcileTries})
	return fault.Wrap("have the rest of the subscriptions compared", err)
}
