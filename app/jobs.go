package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	basejobs "arpent/internal/jobs"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

const (
	jobWorkers = 4
	// They wait for servers of others most of the time, without a connection to the database.
	slowWorkers = 8
	// New work arrives through the database at once; this finds what was not notified.
	jobPoll = 2 * time.Second
	// Work under way may finish for this long at a stop; then it is taken up by the next worker that runs.
	jobStopTimeout = 3 * time.Second
	jobStopMargin  = time.Second      // to write down how it ended
	jobTimeout     = 30 * time.Second // of a job that has none of its own
	// Work whose instance died is taken up by another after this long, more than any job lasts.
	jobRescue = 2 * time.Minute
	// How long what was done is shown, and what failed is kept for an operator.
	jobDoneKept   = 24 * time.Hour
	jobFailedKept = 14 * 24 * time.Hour

	// With fewer connections than this, none is set aside to listen for new work.
	listenMinConns = 4
)

// jobs does the work that the packages declare. What is left before
// start and after stop waits in the database.
type jobs struct{ client *river.Client[pgx.Tx] }

// newJobs prepares to do the work on the list. conns is the size of the
// pool; 0: not known. poll: 0 leaves jobPoll.
func newJobs(pool *pgxpool.Pool, conns int32, poll time.Duration, list ...basejobs.Job) (*jobs, error) {
	poll = cmp.Or(poll, jobPoll)
	workers, periodic := basejobs.Workers(list...)
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		Schema: pgdb.JobSchema, Workers: workers, PeriodicJobs: periodic,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: jobWorkers},
			basejobs.SlowQueue: {MaxWorkers: slowWorkers}},
		FetchPollInterval: poll, PollOnly: conns > 0 && conns < listenMinConns,
		JobTimeout: jobTimeout, RescueStuckJobsAfter: jobRescue, SoftStopTimeout: jobStopTimeout,
		CompletedJobRetentionPeriod: jobDoneKept, CancelledJobRetentionPeriod: jobFailedKept,
		DiscardedJobRetentionPeriod: jobFailedKept,
		Logger:                      slog.New(warnHandler{slog.Default().Handler()}), ErrorHandler: jobFaults{},
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the background jobs: %w", err)
	}
	return &jobs{client}, nil
}

// start begins to work. The end of ctx stops it as stop does.
func (j *jobs) start(ctx context.Context) error {
	if err := j.client.Start(ctx); err != nil {
		return fmt.Errorf("start the background jobs: %w", err)
	}
	return nil
}

// stop lets work under way finish, for a short time or until ctx ends. What does not
// is taken up by the next worker that runs.
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

// jobFaults logs what a job ended with. River itself says it below the level that is logged.
type jobFaults struct{}

func (jobFaults) HandleError(ctx context.Context, job *rivertype.JobRow,
	err error) *river.ErrorHandlerResult {
	if errors.Is(err, mail.ErrLater) {
		err = mail.ErrLater // what a mail server says often names its recipient, who has no place in a log
	}
	if !errors.Is(err, context.Canceled) {
		slog.WarnContext(ctx, "background job failed", "job", job.ID, "kind", job.Kind, "attempt", job.Attempt,
			"error", err)
	}
	return nil
}

func (jobFaults) HandlePanic(ctx context.Context, job *rivertype.JobRow, value any,
	trace string) *river.ErrorHandlerResult {
	slog.ErrorContext(ctx, "background job panicked", "job", job.ID, "kind", job.Kind, "panic",
		fmt.Sprint(value), "trace", trace)
	return nil
}

// warnHandler keeps a library's chatter out of the log, and its complaints of being stopped.
type warnHandler struct{ slog.Handler }

func (h warnHandler) Handle(ctx context.Context, r slog.Record) error {
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

func (h warnHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && h.Handler.Enabled(ctx, l)
}

func (h warnHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnHandler{h.Handler.WithAttrs(attrs)}
}
func (h warnHandler) WithGroup(name string) slog.Handler {
	return warnHandler{h.Handler.WithGroup(name)}
}
