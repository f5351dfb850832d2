package meter

import (
	"context"
	"errors"
	"time"

	"arpent/billing/meter/shared"
)

// A store that is there but slow is waited for. Meanwhile an instance admits on its own at most its share of
// the limit, the limit divided by the instances of the last minute: together they then admit no more than the
// limit. Shares are rounded down; an instance whose share is less than one request admits none.

// stallRetry is when a request that a stall rejected may be sent again.
const stallRetry = time.Second

// askStore asks the shared store, which knows what other instances admitted, about a
// request that is admitted here. When it is slow, the request is held to this instance's
// share; when it is lost, the local decision holds.
func (m *Meter) askStore(ctx context.Context, r *Request, v *Decision, wall time.Time) {
	q := shared.Request{
		Day: v.dayOfKey(), PerMinute: r.Limits.PerMinute, PerDay: r.Limits.AdmittedPerDay(), Cost: v.cost,
		Floor: v.floor, Keep: v.day.timeLeft(wall) + time.Hour, KeyPerDay: r.KeyPerDay, KeyFloor: v.keyFloor,
	}
	if r.Class == Enrichments {
		q.EnrichmentsPerMinute = r.Limits.EnrichmentsPerMinute
	}
	if m.shared.Stalled() && m.admitWithinShare(ctx, r, v, wall) {
		m.shared.Owe(&q, time.Now())
		return
	}
	c, err := m.shared.Decide(q)
	switch {
	case err == nil:
		m.applyAnswer(ctx, r, v, c, wall)
	case errors.Is(err, shared.ErrSlow):
		admitted := m.admitWithinShare(ctx, r, v, wall)
		if !admitted {
			m.rejectBeyondShare(v)
		}
		if v.shared = admitted && c.Sent; c.Sent {
			m.shared.Later(c, admitted)
		} else if admitted {
			m.shared.Owe(&q, time.Now())
		}
	default:
		s := v.account.shard
		s.mu.Lock()
		v.account.addUndecided(v, -v.cost) // the local decision holds
		s.mu.Unlock()
		if v.shared = errors.Is(err, shared.ErrMissed); !v.shared {
			m.shared.Owe(&q, time.Now())
		}
	}
}

// applyAnswer does what the shared store decided. Just after a stall it may not know yet what others admitted
// without it: what is more than this instance's share is then rejected all the same.
func (m *Meter) applyAnswer(ctx context.Context, r *Request, v *Decision, c *shared.Call, wall time.Time) {
	ans := &c.Answer
	if ans.Admitted() && m.shared.Stalled() {
		if v.shared = m.admitWithinShare(ctx, r, v, wall); !v.shared {
			m.rejectBeyondShare(v)
			m.shared.Discard(c)
			return
		}
		v.Remaining, v.ResetAfter, v.QuotaUsed, v.Wait = ans.Remaining, ans.Reset, int(ans.Used),
			max(v.Wait, ans.Wait)
		return
	}
	v.shared, v.Met = ans.Admitted(), ans.Met
	v.Rejection, v.Remaining, v.ResetAfter, v.QuotaUsed = Rejection(ans.Rejection), ans.Remaining, ans.Reset,
		int(ans.Used)
	switch v.Rejection {
	case None:
		v.Wait = max(v.Wait, ans.Wait)
	case Minute:
		v.Wait, v.RetryAfter = 0, ans.Wait
	case Day, KeyDay:
		v.Wait, v.RetryAfter = 0, v.day.timeLeft(wall)
	}
	s := v.account.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	v.account.recordAnswer(v, ans, m.shared.Instances())
	if v.Rejection == Minute {
		v.account.storeRejections[r.Class] = newStoreRejection(ans, r.Limits, v.cost, wall.Sub(m.start))
	}
}

// ceiling is how many admissions of a window may be this instance's own while the store is not asked. It
// follows from the last answer: what was admitted here, and this instance's part of what was left for all.
type ceiling struct {
	max   int
	until int64 // on the clock of the windows
	order uint64
}

// addUndecided counts an admission as waiting for the store's decision; a negative cost ends that.
func (a *account) addUndecided(v *Decision, cost int) {
	a.undecided[Standard] += cost
	if v.class == Enrichments {
		a.undecided[Enrichments] += cost
	}
}

// recordAnswer notes what the store decided, and what that leaves this instance.
func (a *account) recordAnswer(v *Decision, ans *shared.Answer, instances int) {
	a.addUndecided(v, -v.cost)
	if !ans.Admitted() {
		a.withdrawAdmission(v)
	}
	if a.day.date == v.day.date {
		a.sharedUsed = ans.Used
		if v.capped {
			a.findKeyUse(v.key).today.sharedUsed = ans.UsedByKey
		}
	}
	c := &a.ceilings[v.class]
	// a later answer was noted before: it knows of this admission, but not that it is ours
	if ans.Order < c.order {
		if ans.Admitted() {
			c.max += v.cost
		}
		return
	}
	*c = ceiling{a.decidedCount(v.class) + ans.Remaining/instances, a.latest + shared.Span.Microseconds(),
		ans.Order}
}

// decidedCount is how many admissions in a window are decided.
func (a *account) decidedCount(class Class) int {
	w := &a.minute
	if class == Enrichments {
		w = &a.enrichments
	}
	return w.Count(a.latest, shared.Grace) - a.undecided[class]
}

// takeShare keeps an admission that the store has not decided, if it is within this instance's share.
func (a *account) takeShare(r *Request, v *Decision, instances int) bool {
	limits := &r.Limits
	used := max(a.sharedUsed, a.countedToday()) + int64(v.cost*instances) // as if all did the same
	if used > int64(limits.AdmittedPerDay()) || !a.hasShare(Standard, v.cost, limits.PerMinute/instances) ||
		v.class == Enrichments && !a.hasShare(Enrichments, v.cost, limits.EnrichmentsPerMinute/instances) {
		return false
	}
	usedByKey := int64(0)
	if v.capped {
		d := &a.findKeyUse(v.key).today
		usedByKey = max(d.sharedUsed, d.countedToday()) + int64(v.cost*instances)
		if usedByKey > int64(r.KeyPerDay) {
			return false
		}
	}
	a.addUndecided(v, -v.cost)
	if a.day.date == v.day.date {
		a.sharedUsed = used
		if v.capped {
			a.findKeyUse(v.key).today.sharedUsed = usedByKey
		}
	}
	return true
}

func (a *account) hasShare(class Class, cost, share int) bool {
	if c := a.ceilings[class]; a.latest < c.until {
		share = min(share, c.max)
	}
	return a.decidedCount(class)+cost <= share
}

// admitWithinShare is takeShare for a caller that does not hold the lock, once it is known what all have used
// of the day: where the account was idle here, that is what was used when it was last read.
func (m *Meter) admitWithinShare(ctx context.Context, r *Request, v *Decision, wall time.Time) bool {
	s := v.account.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	return m.readAccount(ctx, s, r, v.day, wall).takeShare(r, v, m.shared.Instances())
}

// rejectBeyondShare rejects what is beyond this instance's share while what is left is not known.
func (m *Meter) rejectBeyondShare(v *Decision) {
	s := v.account.shard
	s.mu.Lock()
	v.account.addUndecided(v, -v.cost)
	v.account.withdrawAdmission(v)
	s.mu.Unlock()
	v.Rejection, v.Met, v.Remaining, v.Wait, v.RetryAfter = Minute, v.Limit, 0, 0, stallRetry
	v.QuotaUsed -= v.cost
}
