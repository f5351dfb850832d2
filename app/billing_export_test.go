package app

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"arpent/app/clock"
	"arpent/app/config"
	"arpent/app/ident"
	"arpent/app/mail"
	"arpent/app/pgdb"
)

// Nightly is the next night's work.
func Nightly(now time.Time) time.Time { return nightly{}.Next(now) }

// The jobs about subscriptions, to be asked for by a test.
type (
	GraceJob     = graceJob
	ReconcileJob = reconcileJob
)

// BeforeDelete is what the deletion of an account does about its subscription.
type BeforeDelete func(ctx context.Context, tx pgx.Tx, account ident.AccountID) error

// BillingClient does these jobs, and the mails they cause.
func BillingClient(pool *pgxpool.Pool, c config.Config, cl clock.Clock) (*river.Client[pgx.Tx], BeforeDelete, error) {
	p, workers := newPayments(c, pool, cl), river.NewWorkers()
	p.addWorkers(workers)
	river.AddWorker(workers, mail.NewWorker(mail.WorkerOptions{Sender: mail.NewMemory(10), BaseURL: "https://arpent.example", ServiceName: "Arpent", Clock: cl}))
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: pgdb.JobSchema, Workers: workers,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2}}, FetchPollInterval: 100 * time.Millisecond})
	if err == nil {
		p.use(client, mail.NewOutbox(client))
	}
	return client, p.beforeDelete, err
}
