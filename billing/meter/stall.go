package meter

import (
	"log/slog"
	"math"
	"time"

	"arpent/billing"
)

// A store that is there but slow is waited for. Meanwhile an instance admits on its own at most its share of the
// limit, the limit divided by the instances of the last minute: together they then admit no more than the limit.
// Shares are rounded down; an instance whose share is less than one request admits none.

// stallRetry is when a request that a stall refused may be sent again.
const stallRetry = time.Second

// stalled reports whether the store is slow to answer, or was a moment ago: instances first bring it what they admitted
// alone, before they take each other's word for what is left.
func (s *shared) stalled() bool {
	until := s.stalledUntil.Load()
	return until != 0 && time.Now().UnixNano() < until && s.up.Load()
}

// sharers is how many instances share a limit, as far as is known.
func (s *shared) sharers() int { return max(1, int(s.instances.Load())) }

func (s *shared) stall() {
	s.stalledUntil.Store(math.MaxInt64)
	slog.Warn("redis stalled, limiting to this instance's share", "instances", s.instances.Load())
}

func (s *shared) endStall(answered bool) {
	s.stalledUntil.Store(time.Now().Add(s.slowAfter).UnixNano())
	if answered { // else it is lost, which is logged
		slog.Info("redis stall ended")
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
func (a *account) addUndecided(v *Verdict, cost int) {
	a.undecided[Standard] += cost
	if v.class == Enrichments {
		a.undecided[Enrichments] += cost
	}
}

// answered notes what the store decided, and what that leaves this instance.
func (a *account) answered(v *Verdict, ans *answer, instances int) {
	a.addUndecided(v, -v.cost)
	if ans.refusal != None {
		a.withdraw(v, v.class)
	}
	if a.day.date == v.day.date {
		a.sharedUsed = ans.used
	}
	c := &a.ceilings[v.class]
	if ans.order < c.order { // a later answer was noted before: it knows of this admission, but not that it is ours
		if ans.refusal == None {
			c.max += v.cost
		}
		return
	}
	*c = ceiling{a.own(v.class) + ans.remaining/instances, a.latest + span.Microseconds(), ans.order}
}

// own is how many admissions in a window are decided.
func (a *account) own(class Class) int {
	w := &a.minute
	if class == Enrichments {
		w = &a.enrichments
	}
	w.forget(a.latest, Grace)
	return w.count - a.undecided[class]
}

// takeShare lets an admission stand that the store has not decided, if it is within this instance's share.
func (a *account) takeShare(v *Verdict, limits billing.Limits, instances int) bool {
	used := max(a.sharedUsed, v.floor) + int64(v.cost*instances) // as if all did the same
	if used > int64(limits.PerDay) || !a.hasShare(Standard, v.cost, limits.PerMinute/instances) ||
		v.class == Enrichments && !a.hasShare(Enrichments, v.cost, limits.EnrichmentsPerMinute/instances) {
		return false
	}
	a.addUndecided(v, -v.cost)
	if a.day.date == v.day.date {
		a.sharedUsed = used
	}
	return true
}

func (a *account) hasShare(class Class, cost, share int) bool {
	if c := a.ceilings[class]; a.latest < c.until {
		share = min(share, c.max)
	}
	return a.own(class)+cost <= share
}

// alone is takeShare for whoever does not hold the lock.
func (m *Meter) alone(r *Request, v *Verdict) bool {
	s := v.account.shard
	s.mu.Lock()
	defer s.mu.Unlock()
	return v.account.takeShare(v, r.Limits, m.shared.sharers())
}

// refuseAlone refuses what is beyond this instance's share while nobody knows what is left.
func (m *Meter) refuseAlone(v *Verdict) {
	s := v.account.shard
	s.mu.Lock()
	v.account.addUndecided(v, -v.cost)
	v.account.withdraw(v, v.class)
	s.mu.Unlock()
	v.refuseForNow()
}

func (v *Verdict) refuseForNow() {
	v.Refusal, v.Met, v.Remaining, v.Wait, v.RetryAfter = Minute, v.Limit, 0, 0, stallRetry
	v.QuotaUsed -= v.cost
}
