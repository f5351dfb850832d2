package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"arpent/app/base/clock"
	"arpent/app/base/config"
	"arpent/app/base/mail"
	"arpent/app/base/pgdb"
	"arpent/billing"
)

const (
	jobWorkers = 4
	// New work is heard of through the database at once; this finds what was not heard.
	jobPoll = 2 * time.Second
	// Work under way may finish for this long at a stop; then it is taken up by whoever runs next.
	jobStopTimeout = 3 * time.Second
	jobStopMargin  = time.Second      // to write down how it ended
	jobTimeout     = 30 * time.Second // of one periodic job; the mail worker has its own
	// Work whose instance died is taken up by another after this long, more than any job lasts.
	jobRescue = 2 * time.Minute
	// How long what was done is shown, and what failed is kept for an operator.
	jobDoneKept   = 24 * time.Hour
	jobFailedKept = 14 * 24 * time.Hour

	quotaNoticeEvery  = 30 * time.Second
	expiryNoticeEvery = time.Hour
	cleanEvery        = time.Hour

	mailsKept = 200 // by the development mailbox

	// With fewer connections than this, none is set aside to listen for new work.
	listenMinConns = 4
)

// jobsOptions of the background jobs.
type jobsOptions struct {
	Config    config.Config
	Pool      *pgxpool.Pool
	Clock     clock.Clock
	LinkToken func(ctx context.Context, purpose string, id int64) (string, error)
	Clean     func(context.Context) error // removes what has had its time; nil: nothing to clean
	Sender    mail.Sender                 // nil: what the configuration says
	Billing   *billing.Service            // nil: none

	// For tests; 0 leaves the choice above.
	Poll, MailPause, MailBackoff time.Duration
}

// jobs is the work that is done beside the requests: mails, notices, cleaning. Each job is done by one of the
// instances. Jobs can be left before start and after stop: they wait in the database.
type jobs struct {
	client   *river.Client[pgx.Tx]
	outbox   *mail.Outbox
	mailDown bool     // no mail leaves this server
	devMail  *devMail // nil but in development without a mail server
	pool     *pgxpool.Pool
}

func newJobs(_ context.Context, o jobsOptions) (*jobs, error) {
	j := &jobs{pool: o.Pool}
	if o.Sender == nil {
		var err error
		if o.Sender, err = j.sender(o.Config); err != nil {
			return nil, err
		}
	}
	if o.Poll == 0 {
		o.Poll = jobPoll
	}
	notices := &notices{pool: o.Pool, clock: o.Clock}
	workers := river.NewWorkers()
	river.AddWorker(workers, mail.NewWorker(mail.WorkerOptions{
		Sender: o.Sender, BaseURL: o.Config.BaseURL, ServiceName: o.Config.ServiceName, Contact: o.Config.ContactEmail,
		Token: o.LinkToken, Clock: o.Clock, Pause: o.MailPause, Backoff: o.MailBackoff,
	}))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[quotaNoticeJob]) error { return notices.quotas(ctx) }))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[expiryNoticeJob]) error { return notices.expiringKeys(ctx) }))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[cleanJob]) error {
		if o.Clean == nil {
			return nil
		}
		return o.Clean(ctx)
	}))
	periodic := periodicJobs()
	if o.Billing != nil {
		o.Billing.AddWorkers(workers)
		periodic = append(periodic, o.Billing.PeriodicJobs()...)
	}
	var err error
	j.client, err = river.NewClient(riverpgxv5.New(o.Pool), &river.Config{
		Schema: pgdb.JobSchema, Workers: workers, PeriodicJobs: periodic,
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: jobWorkers}},
		FetchPollInterval: o.Poll, PollOnly: o.Config.DatabaseConns > 0 && o.Config.DatabaseConns < listenMinConns,
		JobTimeout: jobTimeout, RescueStuckJobsAfter: jobRescue, SoftStopTimeout: jobStopTimeout,
		CompletedJobRetentionPeriod: jobDoneKept, CancelledJobRetentionPeriod: jobFailedKept, DiscardedJobRetentionPeriod: jobFailedKept,
		Logger: slog.New(atLeastWarn{slog.Default().Handler()}), ErrorHandler: jobFaults{},
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the background jobs: %w", err)
	}
	j.outbox = mail.NewOutbox(j.client)
	notices.outbox = j.outbox
	return j, nil
}

// sender is the mail server; without one the development mailbox, or, in production, nothing.
func (j *jobs) sender(c config.Config) (mail.Sender, error) {
	switch {
	case c.SMTPURL != "":
		return mail.NewSMTP(c.SMTPURL.Reveal(), c.MailFrom, c.ServiceName)
	case c.Mode == config.Development:
		j.devMail = newDevMail(c.BaseURL)
		return j.devMail.kept, nil
	}
	j.mailDown = true
	return mail.None{}, nil
}

// start begins to work. The end of ctx stops it as stop does.
func (j *jobs) start(ctx context.Context) error {
	switch {
	case j.mailDown:
		slog.WarnContext(ctx, "no mail server is configured (ARPENT_SMTP_URL): mails wait, and nobody can confirm an address")
	case j.devMail != nil:
		slog.InfoContext(ctx, "mails are shown instead of sent", "at", j.devMail.address())
	}
	if err := j.client.Start(ctx); err != nil {
		return fmt.Errorf("start the background jobs: %w", err)
	}
	return nil
}

// stop lets work under way finish, for a short time or until ctx ends. What does not is taken up by whoever runs next.
func (j *jobs) stop(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, jobStopTimeout+jobStopMargin)
	defer cancel()
	err := j.client.Stop(limited)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		slog.WarnContext(ctx, "background jobs were still under way when time ran out")
		return nil
	}
	if err != nil {
		return fmt.Errorf("stop the background jobs: %w", err)
	}
	return nil
}

// The periodic jobs. Only one of a kind waits at a time, so that they do not pile up while nobody works.
type (
	quotaNoticeJob  struct{}
	expiryNoticeJob struct{}
	cleanJob        struct{}
)

func (quotaNoticeJob) Kind() string  { return "quota_notice" }
func (expiryNoticeJob) Kind() string { return "expiry_notice" }
func (cleanJob) Kind() string        { return "clean" }

func periodicJobs() []*river.PeriodicJob {
	every := func(interval time.Duration, args river.JobArgs) *river.PeriodicJob {
		opts := &river.InsertOpts{MaxAttempts: 1, // the next run is the second attempt
			UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStatePending,
				rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}}}
		return river.NewPeriodicJob(river.PeriodicInterval(interval),
			func() (river.JobArgs, *river.InsertOpts) { return args, opts }, &river.PeriodicJobOpts{RunOnStart: true})
	}
	return []*river.PeriodicJob{every(quotaNoticeEvery, quotaNoticeJob{}), every(expiryNoticeEvery, expiryNoticeJob{}), every(cleanEvery, cleanJob{})}
}

// jobFaults logs what a job ended with. River itself says it below the level that is logged.
type jobFaults struct{}

func (jobFaults) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	if errors.Is(err, mail.ErrLater) {
		err = mail.ErrLater // what a mail server says often names its recipient, who has no place in a log
	}
	if !errors.Is(err, context.Canceled) {
		slog.WarnContext(ctx, "background job failed", "job", job.ID, "kind", job.Kind, "attempt", job.Attempt, "error", err)
	}
	return nil
}

func (jobFaults) HandlePanic(ctx context.Context, job *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	slog.ErrorContext(ctx, "background job panicked", "job", job.ID, "kind", job.Kind, "panic", fmt.Sprint(value), "trace", trace)
	return nil
}

// atLeastWarn keeps a library's chatter out of the log, and its complaints of being stopped.
type atLeastWarn struct{ slog.Handler }

func (h atLeastWarn) Handle(ctx context.Context, r slog.Record) error {
	stopped := false
	r.Attrs(func(a slog.Attr) bool {
		stopped = stopped || a.Value.String() == context.Canceled.Error()
		return !stopped
	})
	if stopped {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h atLeastWarn) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

func (h atLeastWarn) WithAttrs(attrs []slog.Attr) slog.Handler {
	return atLeastWarn{h.Handler.WithAttrs(attrs)}
}
func (h atLeastWarn) WithGroup(name string) slog.Handler {
	return atLeastWarn{h.Handler.WithGroup(name)}
}

const countMails = `
	SELECT count(*) FILTER (WHERE state NOT IN ('cancelled', 'discarded')), count(*) FILTER (WHERE state IN ('cancelled', 'discarded'))
	FROM job.river_job WHERE kind = 'mail' AND state <> 'completed'`

// register adds how many mails wait, and how many were given up, to the metrics.
func (j *jobs) register(r *prometheus.Registry) {
	gauge := func(name, help string, pick func(waiting, dead int64) int64) {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			var waiting, dead int64
			if err := j.pool.QueryRow(ctx, countMails).Scan(&waiting, &dead); err != nil {
				return math.NaN()
			}
			return float64(pick(waiting, dead))
		}))
	}
	gauge("arpent_mail_waiting", "Mails that have still to leave.", func(waiting, _ int64) int64 { return waiting })
	gauge("arpent_mail_dead", "Mails that were given up in the last two weeks.", func(_, dead int64) int64 { return dead })
}
