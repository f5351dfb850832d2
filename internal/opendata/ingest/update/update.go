// Package update keeps an installation fresh: it asks the producers for what was fetched before, fetches what
// has changed, loads it, and records for each source when that was and what went wrong.
package update

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/internal/clock"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/official"
)

// Options of an update. Notify, Progress and Clock may be nil.
type Options struct {
	DB        *pgxpool.Pool
	Catalogue official.Catalogue
	Client    *fetch.Client
	Loader    *ingest.Loader
	Downloads string // the folder of what was fetched
	Progress  fetch.Progress
	Clock     clock.Clock
	// Notify is called with the problems that were not there the last
	// time, in the transaction that records them.
	Notify func(context.Context, pgx.Tx, []Problem) error
}

// Problem is why the newest files of a source are not served.
type Problem struct {
	Source string `json:"source"`
	Why    string `json:"why"`
	Served bool   `json:"served"` // its former data are; else there are none
}

// Report is what became of an update.
type Report struct {
	Plan     official.Plan
	Fetched  fetch.Report
	Loads    []ingest.Outcome
	Problems []Problem // by source
	Removed  []string  // files that newer ones took the place of
}

// Errors of Run.
var (
	ErrRunning     = errors.New("another update is running")
	ErrUnreachable = errors.New("no producer could be reached")
	ErrNoRequests  = errors.New("nothing was fetched yet that could be brought up to date: see arpent fetch")
)

// Run brings up to date what was fetched. A source that cannot be had, is refused, or has got worse keeps its
// data and is in the report as a problem. An update that is interrupted or killed goes on where it was the
// next time. It returns ErrRunning while another one runs, ErrNoRequests where nothing was ever fetched,
// ErrUnreachable where no producer answers, and the error of a folder or database that fails.
func Run(ctx context.Context, o Options) (Report, error) {
	var r Report
	unlock, err := lockUpdates(ctx, o.DB)
	if err != nil {
		return r, err
	}
	defer unlock()
	requests, err := official.Remembered(o.Downloads)
	if err != nil {
		return r, err
	}
	if len(requests) == 0 {
		return r, ErrNoRequests
	}
	if r.Plan, err = o.Catalogue.Plan(ctx, o.Client, requests...); err != nil {
		return r, err
	}
	if r.Fetched, err = fetch.Run(ctx, o.Client, o.Downloads, r.Plan.Items, o.Progress); err != nil {
		return r, err
	}
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	if err := r.checkReachable(); err != nil {
		return r, err
	}
	names := r.askedSources()
	var refused error
	if len(names) > 0 {
		r.Loads, refused = o.Loader.Load(ctx, ingest.Request{Sources: names, KeepBetter: true})
	}
	isOfFiles := slices.ContainsFunc(r.Loads, func(o ingest.Outcome) bool { return o.Err != nil })
	if refused != nil && !isOfFiles || ctx.Err() != nil { // another error ended the loads early
		return r, errors.Join(context.Cause(ctx), refused)
	}
	served, err := o.Loader.ServedFiles(ctx)
	if err != nil {
		return r, err
	}
	r.Problems = r.firstProblems(served)
	for _, p := range r.Problems { // also of a source that others depend on
		if !slices.Contains(names, p.Source) {
			names = append(names, p.Source)
		}
	}
	if err := o.saveChecks(ctx, names, r.Problems); err != nil {
		return r, err
	}
	r.Removed, err = o.removeReplaced(r, served)
	return r, err
}

// checkReachable returns ErrUnreachable when no producer has answered anything: then our own connection has
// failed, which says nothing about the sources.
func (r Report) checkReachable() error {
	var silence error
	for _, m := range r.Plan.Missing {
		if m.Silent {
			silence = errors.New(m.Why)
		} else if !m.None {
			return nil
		}
	}
	for _, f := range r.Fetched.Results {
		if !fetch.IsTemporary(f.Err) {
			return nil
		}
		silence = f.Err
	}
	if silence == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, silence)
}

const (
	tryLock = `SELECT pg_try_advisory_lock(hashtextextended('arpent update', 0))`
	unlock  = `SELECT pg_advisory_unlock(hashtextextended('arpent update', 0))`
)

// lockUpdates keeps other updates out until the function is called, or the process ends.
func lockUpdates(ctx context.Context, pool *pgxpool.Pool) (func(), error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("reach the database: %w", err)
	}
	for try := 1; ; try++ {
		var locked bool
		err := conn.QueryRow(ctx, tryLock).Scan(&locked)
		switch {
		case err != nil:
			err = fmt.Errorf("lock the update: %w", err)
		case !locked && try == lockTries:
			err = ErrRunning
		case !locked && !clock.Sleep(ctx, lockPause):
			err = context.Cause(ctx)
		}
		if err != nil {
			conn.Release()
			return nil, err
		}
		if locked {
			break
		}
	}
	return func() {
		defer conn.Release()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTimeout)
		defer cancel()
		if _, err := conn.Exec(ctx, unlock); err != nil {
			slog.WarnContext(ctx, "update not unlocked; the end of its connection does", "error", err)
			_ = conn.Conn().Close(ctx)
		}
	}, nil
}

const (
	unlockTimeout = 5 * time.Second
	// The database takes a moment to see that a process was killed, and to free its lock.
	lockTries = 15
	lockPause = 200 * time.Millisecond
)

// askedSources are those that there was something to ask for.
func (r Report) askedSources() []string {
	found := map[string]bool{}
	for _, i := range r.Plan.Items {
		for _, s := range i.Sources {
			found[s] = true
		}
	}
	for _, m := range r.Plan.Missing {
		if !m.None {
			found[m.Source] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// firstProblems are the first of each source: a file that is not
// there comes before what is loaded without it.
func (r Report) firstProblems(served ingest.Files) []Problem {
	first := map[string]string{}
	add := func(source, why string) {
		if first[source] == "" {
			first[source] = why
		}
	}
	for _, m := range r.Plan.Missing {
		if !m.None {
			add(m.Source, m.Why)
		}
	}
	for _, f := range r.Fetched.Results {
		if f.Err != nil && !errors.Is(f.Err, fetch.ErrNothing) {
			for _, s := range f.Item.Sources {
				add(s, f.Err.Error())
			}
		}
	}
	for _, o := range r.Loads {
		if o.Err != nil {
			add(o.Source, o.Err.Error())
		}
	}
	var out []Problem
	for _, s := range slices.Sorted(maps.Keys(first)) {
		out = append(out, Problem{s, first[s], served.Serve([]string{s})})
	}
	return out
}

// removeReplaced deletes the files that were fetched before and that newer ones took the place of: they
// are not asked for any more, and no load that is served was made from them.
func (o Options) removeReplaced(r Report, served ingest.Files) (removed []string, err error) {
	asked, troubled := map[string]bool{}, map[string]bool{}
	for _, i := range r.Plan.Items {
		asked[i.Path] = true
	}
	for _, p := range r.Problems {
		troubled[p.Source] = true
	}
	known := map[string]bool{}
	for _, s := range r.askedSources() {
		known[s] = true
	}
	gone, err := fetch.Prune(o.Downloads, func(e fetch.Entry) bool {
		return asked[e.Path] || served.Has(e.Path) || !served.Serve(e.Sources) ||
			slices.ContainsFunc(e.Sources, func(s string) bool { return troubled[s] || !known[s] })
	})
	for _, e := range gone {
		removed = append(removed, e.Path)
	}
	return removed, err
}
