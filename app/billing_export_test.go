package app

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"arpent/app/base/clock"
	basejobs "arpent/app/base/jobs"
	"arpent/app/base/mail"
	"arpent/app/base/pgdb"
	"arpent/billing"
)

// BillingClient does the jobs about subscriptions, and the mails they cause.
func BillingClient(pool *pgxpool.Pool, b *billing.Service, cl clock.Clock) (*river.Client[pgx.Tx], error) {
	mailer := mail.NewWorker(mail.WorkerOptions{Sender: mail.NewMemory(10), BaseURL: "https://arpent.example", ServiceName: "Arpent", Clock: cl})
	workers, _ := basejobs.Workers(append(b.Jobs(), mailer.Jobs()...)...)
	return river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: pgdb.JobSchema, Workers: workers,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2}}, FetchPollInterval: 100 * time.Millisecond})
}
