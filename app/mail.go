package app

import (
	"context"
	"log/slog"
	"math"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"arpent/internal/config"
	"arpent/internal/mail"
)

// mailsKept by the development mailbox.
const mailsKept = 200

// mailing is where mails leave to: the mail server; without one the
// development mailbox or, in production, nothing.
type mailing struct {
	sender mail.Sender
	down   bool     // no mail leaves this server
	dev    *devMail // nil but in development without a mail server
}

func newMailing(c config.Config) (mailing, error) {
	switch {
	case c.SMTPURL != "":
		sender, err := mail.NewSMTP(c.SMTPURL.Reveal(), c.MailFrom, c.ServiceName)
		return mailing{sender: sender}, err
	case c.Mode == config.Development:
		dev := newDevMail(c.BaseURL)
		return mailing{sender: dev.kept, dev: dev}, nil
	}
	return mailing{sender: mail.None{}, down: true}, nil
}

// logState reports that mails do not leave as they should.
func (m mailing) logState(ctx context.Context) {
	switch {
	case m.down:
		slog.WarnContext(ctx, "no mail server is configured (ARPENT_SMTP_URL): mails wait, and no account can confirm its address")
	case m.dev != nil:
		slog.InfoContext(ctx, "mails are shown instead of sent", "at", m.dev.tokenURL())
	}
}

const countMails = `
	SELECT count(*) FILTER (WHERE state NOT IN ('cancelled', 'discarded')), count(*) FILTER (WHERE state IN ('cancelled', 'discarded'))
	FROM job.river_job WHERE kind = 'mail' AND state <> 'completed'`

const countDeliveries = `
	SELECT count(*) FILTER (WHERE state = 'waiting'), count(*) FILTER (WHERE state = 'failed' AND ended_at > now() - interval '1 day')
	FROM account.webhook_delivery WHERE created_at > now() - interval '3 days'`

// registerQueues adds how many mails and events for webhooks wait, and how many were given up.
func registerQueues(r *prometheus.Registry, pool *pgxpool.Pool) {
	add := func(sql string, gauges ...[2]string) {
		for i, g := range gauges {
			addGauge(r, g[0], g[1], func() float64 {
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
				defer cancel()
				var counts [2]int64
				if err := pool.QueryRow(ctx, sql).Scan(&counts[0], &counts[1]); err != nil {
					return math.NaN()
				}
				return float64(counts[i])
			})
		}
	}
	add(countMails, [2]string{"arpent_mail_waiting", "Mails that have still to leave."},
		[2]string{"arpent_mail_dead", "Mails that were given up in the last two weeks."})
	add(countDeliveries, [2]string{"arpent_webhook_waiting",
		"Events that have still to be sent to webhooks, those to be sent again included."},
		[2]string{"arpent_webhook_dead",
			"Events that were given up in the last day, as a webhook did not accept them."})
}
