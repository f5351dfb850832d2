package meter

import (
	"context"
	"time"

	"arpent/app/base/ident"
	"arpent/billing"
)

// Standing is how much of its limits an account has used at this moment.
type Standing struct {
	MinuteUsed, MinuteLimit           int
	EnrichmentsUsed, EnrichmentsLimit int
	DayUsed, DayLimit                 int
	DayReset                          time.Time // when the next quota day begins
	DayKnown                          bool      // false: what other instances and earlier hours used could not be read
}

// Standing tells how an account stands, over all instances where they share a store. It admits nothing and counts
// nothing.
func (m *Meter) Standing(ctx context.Context, account ident.AccountID, limits billing.Limits) Standing {
	wall := m.clock.Now()
	today := m.calendar.at(wall)
	st := Standing{MinuteLimit: limits.PerMinute, EnrichmentsLimit: limits.EnrichmentsPerMinute, DayLimit: limits.PerDay,
		DayReset: time.Unix(today.end, 0).UTC()}
	m.standingHere(account, today, wall, &st)
	if !st.DayKnown {
		ctx, cancel := context.WithTimeout(ctx, learnTimeout)
		defer cancel()
		if used, err := m.ledger.used(ctx, account, today.date); err == nil {
			st.DayUsed, st.DayKnown = st.DayUsed+int(used), true
		}
	}
	if m.shared != nil {
		m.shared.standing(ctx, dayOfKey{quotaKey: quotaKey{account, today.date}}, &st)
	}
	return st
}

// standingHere tells what this instance knows.
func (m *Meter) standingHere(account ident.AccountID, today *day, wall time.Time, st *Standing) {
	s := &m.shards[uint64(account)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[account]
	if a == nil {
		return
	}
	now := wall.Sub(m.start).Microseconds()
	st.MinuteUsed, st.EnrichmentsUsed = a.minute.within(now), a.enrichments.within(now)
	if a.day.date == today.date {
		st.DayUsed, st.DayKnown = int(a.stored+a.flushing+a.pending+a.reserved), a.known
	}
}

// within counts the admissions that have not left the window.
func (w *Window) within(now int64) int {
	left := 0
	for left < w.count && w.ring[w.place(left)] <= now-span.Microseconds() {
		left++
	}
	return w.count - left
}

// standing adds what the other instances have admitted. Without an answer the local figures stand.
func (s *shared) standing(ctx context.Context, day dayOfKey, st *Standing) {
	if !s.up.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	n, err := standingScript.Run(ctx, s.client, append(windowNames(day.account), day.name())).Int64Slice()
	if err != nil || len(n) != 3 {
		return
	}
	st.MinuteUsed, st.EnrichmentsUsed = int(n[0]), int(n[1])
	st.DayUsed = max(st.DayUsed, int(n[2]))
}
