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

// Jobs are background jobs for a test: the real ones, in a hurry.
type Jobs struct{ *jobs }

// NewJobs makes them on a database.
func NewJobs(pool *pgxpool.Pool, c config.Config, cl clock.Clock) (Jobs, error) {
	j, err := newJobs(context.Background(), jobsOptions{Config: c, Pool: pool, Clock: cl,
		LinkToken: func(context.Context, string, int64) (string, error) { return "token", nil },
		Poll:      100 * time.Millisecond, MailPause: 100 * time.Millisecond, MailBackoff: 20 * time.Millisecond})
	return Jobs{j}, err
}

// Start begins to work.
func (j Jobs) Start(ctx context.Context) error { return j.start(ctx) }

// Stop ends it.
func (j Jobs) Stop(ctx context.Context) error { return j.stop(ctx) }

// MailDown tells that no mail leaves.
func (j Jobs) MailDown() bool { return j.mailDown }

// HasDevMail tells that mails are shown.
func (j Jobs) HasDevMail() bool { return j.devMail != nil }

// Send leaves a mail in a transaction of its own.
func (j Jobs) Send(ctx context.Context, m mail.Job) error {
	return pgx.BeginFunc(ctx, j.pool, func(tx pgx.Tx) error { return j.outbox.Send(ctx, tx, m) })
}

// Outbox takes mails.
func (j Jobs) Outbox() *mail.Outbox { return j.outbox }

// Notices are the notices alone, with an outbox of the test's own.
type Notices struct{ *notices }

// NewNotices makes them.
func NewNotices(pool *pgxpool.Pool, o outbox, c clock.Clock) Notices {
	return Notices{&notices{pool: pool, outbox: o, clock: c}}
}

// ExpiringKeys runs one round.
func (n Notices) ExpiringKeys(ctx context.Context) error { return n.expiringKeys(ctx) }

// Quotas runs one round.
func (n Notices) Quotas(ctx context.Context) error { return n.quotas(ctx) }

// RegisterDevMail adds the development mailbox to a server and gives what it shows, and its address.
func RegisterDevMail(f fiber.Router, baseURL string) (kept *mail.Memory, address string) {
	d := newDevMail(baseURL)
	d.Register(f)
	return d.kept, d.address()
}
