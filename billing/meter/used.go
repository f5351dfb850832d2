package meter

import (
	"context"
	"time"

	"arpent/billing"
	"arpent/internal/ident"
)

// Usage is how much of its limits an account has used at this moment.
type Usage struct {
	MinuteUsed, MinuteLimit           int
	EnrichmentsUsed, EnrichmentsLimit int
	DayUsed, DayLimit                 int
	DayReset                          time.Time // when the next quota day begins
	// false: what other instances and earlier hours used could not be read
	DayKnown bool
}

// Usage returns what an account has used, over all instances where they share a store. It admits nothing and
// counts nothing. Without an answer of the store the local figures hold.
func (m *Meter) Usage(ctx context.Context, account ident.AccountID, limits billing.Limits) Usage {
	wall := m.clock.Now()
	today := m.calendar.dayAt(wall)
	u := Usage{MinuteLimit: limits.PerMinute, EnrichmentsLimit: limits.EnrichmentsPerMinute,
		DayLimit: limits.PerDay,
		DayReset: time.Unix(today.end, 0).UTC()}
	var stored reading
	s := m.shardOf(account)
	s.mu.Lock()
	a := s.accounts[account]
	isKnown := a != nil && a.storedKnown && a.day.date == today.date
	s.mu.Unlock()
	if !isKnown {
		ctx, cancel := context.WithTimeout(ctx, readTimeout)
		defer cancel()
		var err error
		stored, err = m.ledger.readUsage(ctx, dayKey{Account: account, Date: today.date})
		u.DayUsed, u.DayKnown = int(stored.used), err == nil
	}
	m.addLocalUsage(account, today, wall, stored, &u)
	if m.shared != nil {
		if n, ok := m.shared.Used(ctx, dayKey{Account: account, Date: today.date}); ok {
			u.MinuteUsed, u.EnrichmentsUsed, u.DayUsed = n[0], n[1], max(u.DayUsed, n[2])
		}
	}
	return u
}

// addLocalUsage adds what this instance knows; stored is what was read where it does not know that.
func (m *Meter) addLocalUsage(account ident.AccountID, today *day, wall time.Time, stored reading, u *Usage) {
	s := m.shardOf(account)
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[account]
	if a == nil {
		return
	}
	now := wall.Sub(m.start).Microseconds()
	u.MinuteUsed, u.EnrichmentsUsed = a.minute.Within(now), a.enrichments.Within(now)
	if a.day.date != today.date {
		return
	}
	if a.storedKnown {
		u.DayUsed, u.DayKnown = int(a.stored), true
	} else {
		u.DayUsed = int(m.ledger.subtractFlushing(a.flushing, stored))
	}
	u.DayUsed += int(a.flushing + a.pending + a.reserved)
}
