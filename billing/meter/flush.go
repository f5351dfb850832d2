package meter

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/ident"
)

const (
	flushTimeout = 3 * time.Second
	releaseEvery = time.Minute
)

// Load reads today's counts of every account, so that the first requests after a start need not ask for
// theirs, and looks for the shared store. Call it once, before Run.
func (m *Meter) Load(ctx context.Context) error {
	var read time.Time
	if m.shared != nil {
		m.shared.Connect(ctx)
		read = m.shared.Changed().Add(reconcileDelay) // nothing was admitted here without the store yet
	}
	today := m.calendar.dayAt(m.clock.Now())
	var (
		id   ident.AccountID
		used int64
	)
	rows, _ := m.ledger.db.Query(ctx, totalsOfDay, int32(today.date)) // the rows have its error too
	_, err := pgx.ForEachRow(rows, []any{&id, &used}, func() error {
		s := m.shardOf(id)
		s.mu.Lock()
		defer s.mu.Unlock()
		if a := s.findOrAddAccount(id, today); !a.storedKnown && a.day.date == today.date {
			a.stored, a.storedKnown, a.readAt = used, true, read
		}
		return nil
	})
	return fault.Wrap("read today's counts", err)
}

// Run writes the counts to PostgreSQL until ctx ends, and keeps the shared store
// connected. A flush that fails is tried again with the next one: nothing is dropped, and
// what piles up is bounded by the number of keys, and of hours that it lasts.
func (m *Meter) Run(ctx context.Context) {
	if m.shared != nil {
		done := make(chan struct{})
		go func() { defer close(done); m.shared.Run(ctx) }()
		defer func() { <-done }()
	}
	// None of the batches of these instances can still be on its way.
	if _, err := m.ledger.db.Exec(ctx, forgetInstances, (7 * 24 * time.Hour).Seconds()); err != nil {
		slog.WarnContext(ctx, "batch numbers of ended instances not deleted", "error", err)
	}
	flush, release := time.NewTicker(m.flushInterval), time.NewTicker(releaseEvery)
	defer flush.Stop()
	defer release.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-release.C:
			m.releaseShards()
		case <-flush.C:
			failing := m.FlushError() != nil
			err := m.Flush(ctx)
			if err != nil && ctx.Err() == nil && !failing {
				slog.ErrorContext(ctx, "counts not written, retrying", "error", err)
			}
			if err == nil && failing {
				slog.InfoContext(ctx, "counts written again")
			}
		}
	}
}

// Close writes what is left, trying until ctx ends. It is called when no more requests are being answered.
// The shared store is left alone: it gets the last refunds when Run ends, which may be before or after.
func (m *Meter) Close(ctx context.Context) error {
	for {
		err := m.Flush(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("write the last counts: %w", err)
		case <-time.After(m.flushInterval):
		}
	}
}

// Flush writes what has been counted so far. A batch that was not acknowledged is written again before
// anything newer; it is applied once, however often it is sent.
func (m *Meter) Flush(ctx context.Context) error {
	m.flushing.Lock()
	defer m.flushing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	err := m.flushCounts(ctx)
	if err != nil {
		m.flushError.Store(&err)
		return err
	}
	m.lastFlush.Store(m.clock.Now().UnixNano())
	m.flushError.Store(nil)
	return nil
}

func (m *Meter) flushCounts(ctx context.Context) error {
	if m.ledger.unwritten != nil {
		if err := m.writeBatch(ctx); err != nil {
			return err
		}
	}
	b := m.collectBatch()
	if len(b.quota) == 0 && len(b.usage) == 0 {
		return nil
	}
	m.ledger.unwritten = b
	answers := int64(0)
	for _, k := range b.keys {
		answers += k.requests
	}
	m.unwritten.Store(answers)
	return m.writeBatch(ctx)
}

func (m *Meter) writeBatch(ctx context.Context) error {
	b := m.ledger.unwritten
	totals, err := m.ledger.writeCounts(ctx, b)
	if err != nil {
		return err
	}
	m.ledger.unwritten = nil
	m.unwritten.Store(0)
	for q := range b.quota {
		m.applyFlushed(q, totals)
	}
	return nil
}

// applyFlushed moves what a batch has of an account and its keys from flushing to stored.
func (m *Meter) applyFlushed(q dayKey, totals map[dayKey]int64) {
	s := m.shardOf(q.Account)
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[q.Account]
	if a == nil || a.day.date != q.Date {
		return
	}
	total, known := totals[q] // not when the account was deleted
	a.applyFlushed(total, known)
	for _, k := range a.keys {
		total, known := totals[k.dayOf(a)]
		k.today.applyFlushed(total, known)
	}
}

// collectBatch takes the counts out of the shards.
func (m *Meter) collectBatch() *batch {
	b := &batch{number: m.ledger.lastBatch.Add(1), quota: map[dayKey]int64{}, usage: map[usageKey]tally{},
		rejections: map[rejectionKey]rejectionCount{}}
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		for _, a := range s.dirty {
			a.dirty = false
			b.addAccountCounts(a)
		}
		clear(s.dirty)
		s.dirty = s.dirty[:0]
		for k, n := range s.lateQuota {
			b.quota[k] += n
		}
		for k, t := range s.lateUsage {
			b.addUsage(k, t)
		}
		s.lateQuota, s.lateUsage = nil, nil
		s.mu.Unlock()
	}
	return b
}

// batch is what one flush writes.
type batch struct {
	number     int64
	quota      map[dayKey]int64 // of accounts
	usage      map[usageKey]tally
	keys       []keyDelta
	capped     []dayKey // whose totals are wanted
	rejections map[rejectionKey]rejectionCount
	recent     []accountRequest
	trimmed    []ident.AccountID // whose older requests are removed
}

type keyDelta struct {
	account  ident.AccountID
	key      ident.KeyID
	lastUsed int64
	requests int64
}

// addAccountCounts moves the counts of an account into the batch. Its quota is listed even when nothing
// counts: that is how an instance gets to know what the others have added.
func (b *batch) addAccountCounts(a *account) {
	b.quota[a.currentDayKey()] += a.pending
	a.flushing, a.pending = a.pending, 0
	b.takeRecent(a)
	for _, k := range a.keys {
		if k.requests == 0 {
			continue
		}
		b.keys = append(b.keys, keyDelta{a.id, k.key, k.lastUsed, k.requests})
		k.requests = 0
		k.today.flushing, k.today.pending = k.today.pending, 0
		if k.today.capped {
			b.capped = append(b.capped, k.dayOf(a))
		}
		b.takeRejections(a, k)
		k.takeTallies(a, b.addUsage)
	}
}

func (b *batch) addUsage(k usageKey, t tally) {
	sum := b.usage[k]
	b.usage[k] = tally{sum.requests + t.requests, sum.counted + t.counted}
}

func (m *Meter) releaseShards() {
	now := m.clock.Now()
	today := m.calendar.dayAt(now)
	for i := range m.shards {
		m.shards[i].releaseIdle(now.Sub(m.start).Microseconds(), today.date)
	}
}

// FlushError is why the last flush failed; nil: it did not.
func (m *Meter) FlushError() error {
	if err := m.flushError.Load(); err != nil {
		return *err
	}
	return nil
}

// State is the meter's health, for the operator.
type State struct {
	SharedUp     bool      // limits are shared with other instances; false without Redis too
	Accounts     int       // in memory
	LastFlush    time.Time // that succeeded; before the first one, when the meter was made
	Unwritten    int       // answers counted in memory alone: a crash would lose them
	FlushFailing bool      // the last flush failed
}

// State returns how the meter is doing. It waits for no database.
func (m *Meter) State() State {
	st := State{
		SharedUp:     m.shared != nil && m.shared.Up(),
		LastFlush:    time.Unix(0, m.lastFlush.Load()),
		FlushFailing: m.FlushError() != nil,
		Unwritten:    int(m.unwritten.Load()),
	}
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		st.Accounts += len(s.accounts)
		for _, a := range s.dirty {
			for _, k := range a.keys {
				st.Unwritten += int(k.requests)
			}
		}
		s.mu.Unlock()
	}
	return st
}
