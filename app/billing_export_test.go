package app

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"arpent/app/clock"
	"arpent/app/config"
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

// BillingClient does these jobs, and the mails they cause.
func BillingClient(pool *pgxpool.Pool, c config.Config, cl clock.Clock) (*river.Client[pgx.Tx], error) {
	p, workers := newPayments(c, pool, cl), river.NewWorkers()
	p.addWorkers(workers)
	river.AddWorker(workers, mail.NewWorker(mail.WorkerOptions{Sender: mail.NewMemory(10), BaseURL: "https://arpent.example", ServiceName: "Arpent", Clock: cl}))
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: pgdb.JobSchema, Workers: workers,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2}}, FetchPollInterval: 100 * time.Millisecond})
	if err == nil {
		p.use(mail.NewOutbox(client))
	}
	return client, err
}
