// Package jobs does work outside the requests, each job on one of the instances. A caller with work inserts a
// job in the transaction that causes it: it is done if and only if that transaction commits. A
// package declares the jobs that it does as values; package app starts them all.
package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"arpent/internal/pgdb"
)

// SlowQueue is the name of the queue of jobs that wait for servers of others: they have workers of their own,
// so that other jobs do not wait for them.
const SlowQueue = "slow"

// queue only inserts: it has no connection of its own and does no work.
var queue = sync.OnceValues(func() (*river.Client[pgx.Tx], error) {
	return river.NewClient(riverpgxv5.New(nil), &river.Config{Schema: pgdb.JobSchema,
		Logger: slog.New(slog.DiscardHandler)})
})

// Insert queues work that begins once tx has committed. opts may be nil.
func Insert(ctx context.Context, tx pgx.Tx, args river.JobArgs, opts *river.InsertOpts) error {
	return insertAll(ctx, tx, []river.InsertManyParams{{Args: args, InsertOpts: opts}})
}

// InsertMany is Insert for any number of jobs, in one statement.
func InsertMany[T river.JobArgs](ctx context.Context, tx pgx.Tx, list []T) error {
	all := make([]river.InsertManyParams, len(list))
	for i, args := range list {
		all[i].Args = args
	}
	return insertAll(ctx, tx, all)
}

func insertAll(ctx context.Context, tx pgx.Tx, all []river.InsertManyParams) error {
	if len(all) == 0 { // river rejects it
		return nil
	}
	client, err := queue()
	if err == nil {
		_, err = client.InsertManyFastTx(ctx, tx, all) // it reads nothing back: a role that may only insert may
	}
	if err != nil {
		return fmt.Errorf("queue job %s: %w", all[0].Args.Kind(), err)
	}
	return nil
}

// Job is one kind of work, as the package that does it declares it.
type Job struct {
	addTo    func(*river.Workers)
	periodic *river.PeriodicJob // nil: done only when it is inserted
}

// Named is the job of that name without arguments, to be inserted.
func Named(name string) river.JobArgs { return namedArgs{name} }

type namedArgs struct{ name string }

func (n namedArgs) Kind() string { return n.name }

// OnDemand declares work without arguments that is done whenever Named(name) is inserted.
func OnDemand(name string, run func(context.Context) error) Job {
	worker := river.WorkFunc(func(ctx context.Context, _ *river.Job[namedArgs]) error { return run(ctx) })
	return Job{addTo: func(w *river.Workers) { river.AddWorkerArgs(w, namedArgs{name}, worker) }}
}

// Every declares work that is done at the start and then once per interval. A run that fails is not
// repeated: the next one is its second attempt.
func Every(interval time.Duration, name string, run func(context.Context) error) Job {
	j := OnDemand(name, run)
	j.periodic = newPeriodicJob(river.PeriodicInterval(interval), namedArgs{name}, 1,
		&river.PeriodicJobOpts{RunOnStart: true})
	return j
}

// Of declares work with arguments, retries or a timeout of its own.
func Of[T river.JobArgs](worker river.Worker[T]) Job {
	return Job{addTo: func(w *river.Workers) { river.AddWorker(w, worker) }}
}

// At has the work done on a schedule, too. A run that fails is repeated up to so many attempts in all.
func (j Job) At(schedule river.PeriodicSchedule, args river.JobArgs, attempts int) Job {
	j.periodic = newPeriodicJob(schedule, args, attempts, nil)
	return j
}

// newPeriodicJob makes a periodic job that is not inserted while a run of its kind waits, runs or is to be
// retried, so that runs do not pile up while no worker runs.
func newPeriodicJob(schedule river.PeriodicSchedule, args river.JobArgs, attempts int,
	o *river.PeriodicJobOpts) *river.PeriodicJob {
	opts := &river.InsertOpts{MaxAttempts: attempts, UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
		rivertype.JobStateRunning, rivertype.JobStateScheduled}}}
	return river.NewPeriodicJob(schedule, func() (river.JobArgs, *river.InsertOpts) { return args, opts }, o)
}

// Workers gives what a client that does the jobs is configured with.
func Workers(list ...Job) (*river.Workers, []*river.PeriodicJob) {
	workers := river.NewWorkers()
	var scheduled []*river.PeriodicJob
	for _, j := range list {
		j.addTo(workers)
		if j.periodic != nil {
			scheduled = append(scheduled, j.periodic)
		}
	}
	return workers, scheduled
}
