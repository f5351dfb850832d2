package ingest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"arpent/api/source"
)

// maxWorkers bounds the loads at a time: each may take half a gigabyte of the database's memory.
const maxWorkers = 4

// loadGroups loads groups: first those that others may overlap, one after the other in their order, then the départements that stand
// alone, several at a time. The first connection holds the lock of the source's group until all are done.
func (l *Loader) loadGroups(ctx context.Context, src source.Source, changed []group, r Request) ([]Outcome, error) {
	first, err := l.connect(ctx, src, r)
	if err != nil {
		return nil, err
	}
	defer first.Close()
	if err := first.lock(ctx); err != nil {
		return nil, err
	}
	// Another process may have loaded the same while this one waited for the lock.
	known, err := l.remembered(ctx, src)
	if err != nil {
		return nil, err
	}
	var out []Outcome
	var apart []group
	for _, g := range changed {
		switch {
		case known.has(src, g) && !r.Force:
			out = append(out, unchanged(src, g))
		case standsAlone(g, changed):
			apart = append(apart, g)
		default:
			o := first.load(ctx, g)
			out = append(out, o)
			if first.lost(ctx) {
				return out, o.Err
			}
		}
	}
	done, err := l.loadApart(ctx, first, apart, r)
	if out = append(out, done...); err != nil {
		return out, err
	}
	return out, first.analyze(ctx)
}

// standsAlone reports whether a group is the only one of a département, so that it does not matter when it is loaded.
func standsAlone(g group, all []group) bool {
	beside := 0
	for _, o := range all {
		if !isPlace(o.scope) || strings.HasPrefix(o.scope, g.scope) || strings.HasPrefix(g.scope, o.scope) {
			beside++ // it counts itself
		}
	}
	return departementCode.MatchString(g.scope) && beside == 1
}

// errLost ends the loads of a source whose connection is lost.
var errLost = errors.New("the database was lost")

// loadApart loads groups that do not depend on each other, the first connection doing its part. What was loaded when the database is
// lost or ctx is done is returned beside the error.
func (l *Loader) loadApart(ctx context.Context, first *session, groups []group, r Request) ([]Outcome, error) {
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
			o := s.load(inner, g)
			mu.Lock()
			out = append(out, o)
			mu.Unlock()
			if s.lost(inner) {
				return cmp.Or(o.Err, inner.Err(), errLost)
			}
		}
		return nil
	}
	all.Go(func() error { return work(first) })
	for range min(l.o.Workers, len(groups)) - 1 {
		all.Go(func() error {
			s, err := l.connect(inner, first.src, r)
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
