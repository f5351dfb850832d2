package meter

import (
	"context"
	"errors"
	"time"

	"arpent/billing/meter/shared"
	"arpent/billing/meter/window"
)

// A store that is there but slow is waited for. Meanwhile an instance admits on its own at most its share of the
// limit, the limit divided by the instances of the last minute: together they then admit no more than the limit.
// Shares are rounded down; an instance whose share is less than one request admits none.

// stallRetry is when a request that a stall rejected may be sent again.
const stallRetry = time.Second

// share asks the shared store, which knows what other instances admitted, about a request that is admitted here. When it
// is slow, the request is held to this instance's share; when it is lost, the local decision holds.
func (m *Meter) share(ctx context.Context, r *Request, v *Decision, wall time.Time) {
	q := shared.Request{
		Day: v.dayOfKey(), PerMinute: r.Limits.PerMinute, PerDay: r.Limits.PerDay, Cost: v.cost,
		Floor: v.floor, Keep: v.day.left(wall) + time.Hour, KeyPerDay: r.KeyPerDay, KeyFloor: v.keyFloor,
	}
	if r.Class == Enrichments {
		q.EnrichmentsPerMinute = r.Limits.EnrichmentsPerMinute
	}
	if m.shared.Stalled() && m.alone(ctx, r, v, wall) {
		m.shared.Owe(&q, time.Now())
		return
	}
	c, err := m.shared.Decide(q)
	switch {
	case err == nil:
		m.follow(ctx, r, v, c, wall)
	case errors.Is(err, shared.ErrSlow):
		admitted := m.alone(ctx, r, v, wall)
		if !admitted {
			m.rejectAlone(v)
		}
		if v.shared = admitted && c.Sent; c.Sent {
			m.shared.Later(c, admitted)
		} else if admitted {
			m.shared.Owe(&q, time.Now())
		}
	default:
		m.keepLocal(v)
		if v.shared = errors.Is(err, shared.ErrMissed); !v.shared {
			m.shared.Owe(&q, time.Now())
		}
	}
}

// keepLocal lets the local decision hold.
func (m *Meter) keepLocal(v *Decision) {
	s := v.account.shard
	s.mu.Lock()
	v.account.addUndecided(v, -v.cost)
	s.mu.Unlock()
}

// follow does what the shared store decided. Just after a stall it may not know yet what others admitted without it:
// what is more than this instance's share is then rejected all the same.
func (m *Meter) follow(ctx context.Context, r *Request, v *Decision, c *shared.Call, wall time.Time) {
	ans := &c.Answer
	if ans.Admitted() && m.shared.Stalled() {
		if v.shared = m.alone(ctx, r, v, wall); !v.shared {
			m.rejectAlone(v)
			m.shared.Discard(c)
			return
		}
		v.Remaining, v.ResetAfter, v.QuotaUsed, v.Wait = ans.Remaining, ans.Reset, int(ans.Used), max(v.Wait, ans.Wait)
		return
	}
	v.shared, v.Met = ans.Admitted(), ans.Met
	v.Rejection, v.Remaining, v.ResetAfter, v.QuotaUsed = Rejection(ans.Rejection), ans.Remaining, ans.Reset, int(ans.Used)
	switch v.Rejection {
	case None:
		v.Wait = max(v.Wait, ans.Wait)
	case Minute:
		v.Wait, v.RetryAfter = 0, ans.Wait
	case Day, KeyDay:
		v.Wait, v.RetryAfter = 0, v.day.left(wall)
	}
	s := v.account.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	v.account.answered(v, ans, m.shared.Instances())
	if v.Rejection == Minute {
		v.account.shut[r.Class] = shutBy(ans, r.Limits, v.cost, wall.Sub(m.start))
	}
}

// ceiling is how many admissions of a window may be this instance's own while the store is not asked. It follows from
// the last answer: what was admitted here, and this instance's part of what was left for all.
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

// answered notes what the store decided, and what that leaves this instance.
func (a *account) answered(v *Decision, ans *shared.Answer, instances int) {
	a.addUndecided(v, -v.cost)
	if !ans.Admitted() {
		a.withdraw(v)
	}
	if a.day.date == v.day.date {
		a.sharedUsed = ans.Used
		if v.capped {
			a.use(v.key).today.sharedUsed = ans.UsedByKey
		}
	}
	c := &a.ceilings[v.class]
	if ans.Order < c.order { // a later answer was noted before: it knows of this admission, but not that it is ours
		if ans.Admitted() {
			c.max += v.cost
		}
		return
	}
	*c = ceiling{a.own(v.class) + ans.Remaining/instances, a.latest + window.Span.Microseconds(), ans.Order}
}

// own is how many admissions in a window are decided.
func (a *account) own(class Class) int {
	w := &a.minute
	if class == Enrichments {
		w = &a.enrichments
	}
	return w.Count(a.latest, window.Grace) - a.undecided[class]
}

// takeShare lets an admission stand that the store has not decided, if it is within this instance's share.
func (a *account) takeShare(r *Request, v *Decision, instances int) bool {
	limits := &r.Limits
	used := max(a.sharedUsed, a.floor()) + int64(v.cost*instances) // as if all did the same
	if used > int64(limits.PerDay) || !a.hasShare(Standard, v.cost, limits.PerMinute/instances) ||
		v.class == Enrichments && !a.hasShare(Enrichments, v.cost, limits.EnrichmentsPerMinute/instances) {
		return false
	}
	usedByKey := int64(0)
	if v.capped {
		if usedByKey = a.use(v.key).today.share(v.cost, instances); usedByKey > int64(r.KeyPerDay) {
			return false
		}
	}
	a.addUndecided(v, -v.cost)
	if a.day.date == v.day.date {
		a.sharedUsed = used
		if v.capped {
			a.use(v.key).today.sharedUsed = usedByKey
		}
	}
	return true
}

func (a *account) hasShare(class Class, cost, share int) bool {
	if c := a.ceilings[class]; a.latest < c.until {
		share = min(share, c.max)
	}
	return a.own(class)+cost <= share
}

// alone is takeShare for whoever does not hold the lock, once it is known what all have used of the day: where the account was idle here,
// that is what was used when it was last read.
func (m *Meter) alone(ctx context.Context, r *Request, v *Decision, wall time.Time) bool {
	s := v.account.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	return m.read(ctx, s, r, v.day, wall).takeShare(r, v, m.shared.Instances())
}

// rejectAlone rejects what is beyond this instance's share while nobody knows what is left.
func (m *Meter) rejectAlone(v *Decision) {
	s := v.account.shard
	s.mu.Lock()
	v.account.addUndecided(v, -v.cost)
	v.account.withdraw(v)
	s.mu.Unlock()
	v.Rejection, v.Met, v.Remaining, v.Wait, v.RetryAfter = Minute, v.Limit, 0, 0, stallRetry
	v.QuotaUsed -= v.cost
}
