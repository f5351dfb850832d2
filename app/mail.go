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

// registerMails adds how many mails wait, and how many were given up, to the metrics.
func registerMails(r *prometheus.Registry, pool *pgxpool.Pool) {
	gauge := func(name, help string, pick func(waiting, dead int64) int64) {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			var waiting, dead int64
			if err := pool.QueryRow(ctx, countMails).Scan(&waiting, &dead); err != nil {
				return math.NaN()
			}
			return float64(pick(waiting, dead))
		}))
	}
	gauge("arpent_mail_waiting", "Mails that have still to leave.",
		func(waiting, _ int64) int64 { return waiting })
	gauge("arpent_mail_dead", "Mails that were given up in the last two weeks.",
		func(_, dead int64) int64 { return dead })
}
