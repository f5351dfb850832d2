package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"arpent/internal/opendata/source"
)

// maxWorkers bounds the loads at a time: each may take half a gigabyte of the database's memory.
const maxWorkers = 4

// loadGroups loads groups: first those that others may overlap, one after the other in their order, then the
// départements that stand alone, several at a time. The first connection holds the lock of the source's group
// until all are done. written is called when the only load is being written.
func (l *Loader) loadGroups(
	ctx context.Context, up upcoming, r Request, written func()) (_ []Outcome, err error) {
	src, changed, first := up.src, up.changed, up.begun
	if first == nil {
		if first, err = l.openSession(ctx, src, r); err != nil {
			return nil, err
		}
	}
	defer first.Close()
	if len(changed) == 1 {
		first.beforeWrite, first.alone = written, true
	}
	if _, err := first.conn.Exec(ctx, lockGroup, first.groupName()); err != nil {
		return nil, fmt.Errorf("wait for other loads: %w", err)
	}
	// Another process may have loaded the same while this one waited for the lock.
	known, err := l.readKnownLoads(ctx, src)
	if err != nil {
		return nil, err
	}
	if err := first.dropSuccessors(ctx); err != nil { // of a load that was killed
		return nil, err
	}
	var out []Outcome
	var apart []group
	for _, g := range changed {
		switch {
		case known.hasLoaded(src, g) && !r.Force:
			o := unchangedOutcome(src, g)
			if first.reading != nil {
				first.reading = nil
				l.updateProgress(func(p Progress) { p.Done(o) })
			}
			out = append(out, o)
		case standsAlone(g, changed):
			apart = append(apart, g)
		default:
			o := first.loadGroup(ctx, g)
			out = append(out, o)
			if first.isLost(ctx) {
				return out, o.Err
			}
		}
	}
	done, err := l.loadApart(ctx, first, apart, r)
	return append(out, done...), err
}

// standsAlone reports whether a group is the only one of a département, so
// that it does not matter when it is loaded.
func standsAlone(g group, all []group) bool {
	unrelated := 0
	for _, o := range all {
		if !isPlace(o.scope) || strings.HasPrefix(o.scope, g.scope) || strings.HasPrefix(g.scope, o.scope) {
			unrelated++ // it counts itself
		}
	}
	return departementCode.MatchString(g.scope) && unrelated == 1
}

// errLost ends the loads of a source whose connection is lost.
var errLost = errors.New("the database connection was lost")

// loadApart loads groups that do not depend on each other, the first connection doing its part. What was
// loaded when the database is lost or ctx is done is returned with the error.
func (l *Loader) loadApart(
	ctx context.Context, first *session, groups []group, r Request) ([]Outcome, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	queue := make(chan group, len(groups))
	for _, g := range groups {
		queue <- g
	}
	close(queue)
	var mu sync.Mutex
	var out []Outcome
	all, inner := errgroup.WithContext(ctx)
	work := func(s *session) error {
		for g := range queue {
			if inner.Err() != nil {
				return inner.Err()
			}
			o := s.loadGroup(inner, g)
			mu.Lock()
			out = append(out, o)
			mu.Unlock()
			if s.isLost(inner) {
				return cmp.Or(o.Err, inner.Err(), errLost)
			}
		}
		return nil
	}
	all.Go(func() error { return work(first) })
	for range min(l.o.Workers, len(groups)) - 1 {
		all.Go(func() error {
			s, err := l.openSession(inner, first.src, r)
			if err != nil {
				return err
			}
			defer s.Close()
			return work(s)
		})
	}
	err := all.Wait()
	slices.SortFunc(out, func(a, b Outcome) int { return cmp.Compare(a.Scope, b.Scope) })
	return out, err
}

// queue goes through the sources of a run in their order. To read a file and to write its rows each take one
// processor: while the only load of a source is written those of the next two are read, one after the other.
type queue struct {
	loader  *Loader
	request Request
	sources []source.Source // that have not been planned
	folders *dataFolders

	ahead  chan planResult // nil: nothing is read ahead
	cancel context.CancelFunc
}

// upcoming is a source with something to load, or the last one without.
type upcoming struct {
	src       source.Source
	changed   []group
	unchanged []Outcome // of it and of the sources before it that have nothing to load
	begun     *session  // has read the load; nil: that is to be done
}

type planResult struct {
	upcoming
	err error
}

// nextSource waits for the source that is read ahead, or plans the next.
func (q *queue) nextSource(ctx context.Context) (upcoming, error) {
	if q.ahead == nil {
		return q.planNext(ctx)
	}
	if p, more := <-q.ahead; more {
		return p.upcoming, p.err
	}
	q.close()
	return q.planNext(ctx)
}

// planNext goes on to a source with something to load.
func (q *queue) planNext(ctx context.Context) (upcoming, error) {
	var passed []Outcome
	for {
		if len(q.sources) == 0 {
			return upcoming{unchanged: passed}, nil
		}
		src := q.sources[0]
		q.sources = q.sources[1:]
		next, err := q.loader.planSource(ctx, src, q.folders, q.request)
		passed = append(passed, next.unchanged...)
		next.unchanged = passed
		if err != nil || len(next.changed) > 0 {
			return next, err
		}
	}
}

// readAhead plans the next sources concurrently with the current loads, and reads their loads up to a source
// with several: those are done side by side themselves.
func (q *queue) readAhead(ctx context.Context) {
	if q.ahead != nil {
		return
	}
	ctx, q.cancel = context.WithCancel(ctx)
	q.ahead = make(chan planResult, 1) // one waits in it while another is read
	go func() {
		defer close(q.ahead)
		for more := true; more; {
			next, err := q.planNext(ctx)
			more = err == nil && len(next.changed) == 1
			if more {
				if next.begun, err = q.loader.openSession(ctx, next.src, q.request); err == nil {
					next.begun.readGroup(ctx, next.changed[0])
				}
				more = err == nil
			}
			select {
			case q.ahead <- planResult{next, err}:
			case <-ctx.Done():
				if next.begun != nil {
					next.begun.Close()
				}
				return
			}
		}
	}()
}

// close ends what is read ahead of a run that does not come to it.
func (q *queue) close() {
	if q.ahead == nil {
		return
	}
	q.cancel()
	for p := range q.ahead {
		if p.begun != nil {
			p.begun.Close()
		}
	}
	q.ahead = nil
}

// analyzer brings the planner's statistics of the tables of a run up to date, so that the first readers of a
// new table get good plans: after the first load into a table, and after the last of the loads that follow
// each other. A table of figures takes those of dozens of sources, and to analyze it takes as long as most of
// them. Between the two, autovacuum analyzes what has grown by a tenth.
type analyzer struct {
	db       *pgxpool.Pool
	analyzed map[string]bool // tables that a load of the run was analyzed of
	due      []string        // tables with loads since
}

// analyzeFirst analyzes the tables of a source that was loaded, or puts off those that were analyzed before.
func (a *analyzer) analyzeFirst(ctx context.Context, src source.Source) error {
	for _, t := range targetsOf(src) {
		table := tableName(t)
		switch {
		case !a.analyzed[table]:
			if err := a.analyzeTable(ctx, table); err != nil {
				return err
			}
		case !slices.Contains(a.due, table):
			a.due = append(a.due, table)
		}
	}
	return nil
}

// analyzeDue analyzes the tables that were put off, but for those that the next source is loaded into.
func (a *analyzer) analyzeDue(ctx context.Context, next source.Source) error {
	waits := func(table string) bool {
		return slices.ContainsFunc(targetsOf(next), func(t source.Target) bool { return tableName(t) == table })
	}
	for _, table := range a.due {
		if waits(table) {
			continue
		}
		if err := a.analyzeTable(ctx, table); err != nil {
			return err
		}
	}
	a.due = slices.DeleteFunc(a.due, func(table string) bool { return !waits(table) })
	return nil
}

func (a *analyzer) analyzeTable(ctx context.Context, table string) error {
	if _, err := a.db.Exec(ctx, "ANALYZE "+table); err != nil {
		return fmt.Errorf("analyze %s: %w", table, err)
	}
	a.analyzed[table] = true
	return nil
}
