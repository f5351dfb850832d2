package app

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/base/clock"
	"arpent/app/base/config"
	"arpent/app/base/mail"
)

// Secret is what new things are made with.
func Secret(c config.Config) ([]byte, error) {
	all, err := serverSecrets(c)
	if err != nil {
		return nil, err
	}
	return all.current(), nil
}

// Secrets are all that the server has.
func Secrets(c config.Config) ([][]byte, error) { return serverSecrets(c) }

// Jobs send mails for a test: as the program does, in a hurry.
type Jobs struct {
	*jobs
	mailing mailing
	pool    *pgxpool.Pool
}

// NewJobs makes them on a database.
func NewJobs(pool *pgxpool.Pool, c config.Config, cl clock.Clock) (Jobs, error) {
	m, err := newMailing(c)
	if err != nil {
		return Jobs{}, err
	}
	mailer := mail.NewWorker(mail.WorkerOptions{Sender: m.sender, BaseURL: c.BaseURL, ServiceName: c.ServiceName, Clock: cl,
		Token: func(context.Context, string, int64) (string, error) { return "token", nil },
		Pause: 100 * time.Millisecond, Backoff: 20 * time.Millisecond})
	j, err := newJobs(pool, c.DatabaseConns, 100*time.Millisecond, mailer.Jobs()...)
	return Jobs{j, m, pool}, err
}

// Start begins to work.
func (j Jobs) Start(ctx context.Context) error { return j.start(ctx) }

// Stop ends it.
func (j Jobs) Stop(ctx context.Context) error { return j.stop(ctx) }

// MailDown tells that no mail leaves.
func (j Jobs) MailDown() bool { return j.mailing.down }

// HasDevMail tells that mails are shown.
func (j Jobs) HasDevMail() bool { return j.mailing.dev != nil }

// Send leaves a mail in a transaction of its own.
func (j Jobs) Send(ctx context.Context, m mail.Job) error {
	return pgx.BeginFunc(ctx, j.pool, func(tx pgx.Tx) error { return mail.Send(ctx, tx, m) })
}

// RegisterDevMail adds the development mailbox to a server and gives what it shows, and its address.
func RegisterDevMail(f fiber.Router, baseURL string) (kept *mail.Memory, address string) {
	d := newDevMail(baseURL)
	d.Register(f)
	return d.kept, d.address()
}
