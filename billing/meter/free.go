package meter

import (
	"arpent/billing"
	"arpent/billing/meter/shared"
	"arpent/internal/ident"
)

// AdmitFree applies the minute limit, but not the daily quota. It leaves no trace in the usage: its
// decision does not go back to Done. While the shared store is slow or lost, what is known here decides.
func (m *Meter) AdmitFree(id ident.AccountID, limits billing.Limits) (v Decision) {
	wall := m.clock.Now()
	s := m.shardOf(id)
	s.mu.Lock()
	a := s.findOrAddAccount(id, m.calendar.dayAt(wall))
	now := a.recordArrival(wall.Sub(m.start).Microseconds())
	if shut := &a.storeRejections[Standard]; shut.isActive(now, limits, 1) {
		shut.rejectRequest(now, &v)
		s.mu.Unlock()
		return v
	}
	v.applyWindow(a.minute.Decide(now, shared.Limit{PerMinute: limits.PerMinute, Grace: shared.Grace}, 1))
	s.mu.Unlock()
	if !v.Admitted() || m.shared == nil || m.shared.Stalled() {
		return v
	}
	at := now + v.Wait.Microseconds()
	c, err := m.shared.Decide(shared.Request{Day: dayKey{Account: id}, PerMinute: limits.PerMinute, Cost: 1,
		Free: true})
	if err != nil {
		return v
	}
	ans := &c.Answer
	if v.Remaining, v.ResetAfter = ans.Remaining, ans.Reset; ans.Admitted() {
		v.Wait = max(v.Wait, ans.Wait)
		return v
	}
	v.Rejection, v.Wait, v.RetryAfter, v.Met = Minute, 0, ans.Wait, ans.Met
	s.mu.Lock()
	a.minute.Withdraw(at, 1)
	a.storeRejections[Standard] = newStoreRejection(ans, limits, 1, wall.Sub(m.start))
	s.mu.Unlock()
	return v
}

// applyWindow takes the decision of a window over.
func (v *Decision) applyWindow(d shared.Decision) {
	v.Remaining, v.ResetAfter = d.Remaining, d.Reset
	if d.Admitted {
		v.Wait = d.Wait
	} else {
		v.Rejection, v.Met, v.RetryAfter = Minute, d.Met, d.Wait
	}
}
