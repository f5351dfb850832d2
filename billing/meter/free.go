package meter

import (
	"arpent/app/base/ident"
	"arpent/billing"
)

// AdmitFree holds what the day does not count to the account's minute. It leaves no trace in the usage. While the shared
// store is slow or lost, what is known here decides.
func (m *Meter) AdmitFree(id ident.AccountID, limits billing.Limits) Passage {
	wall := m.clock.Now()
	s := &m.shards[uint64(id)%shardCount]
	s.mu.Lock()
	a := s.account(id, m.calendar.at(wall))
	now := a.arrive(wall.Sub(m.start).Microseconds())
	shut := &a.shut[Standard]
	if now < shut.until-Grace.Microseconds() && shut.limits == limits {
		p := Passage{Wait: micros(shut.until - now), Reset: micros(shut.reset - now), Met: shut.met}
		s.mu.Unlock()
		return p
	}
	p := a.minute.decide(now, Limit{PerMinute: limits.PerMinute, Grace: Grace}, 1)
	s.mu.Unlock()
	if !p.Admitted || m.shared == nil || m.shared.stalled() {
		return p
	}
	at := now + p.Wait.Microseconds()
	c, err := m.shared.decide(question{account: id, limits: limits, cost: 1, free: true})
	if err != nil {
		return p
	}
	answer := &c.answer
	if answer.refusal == None {
		return Passage{Admitted: true, Wait: max(p.Wait, answer.wait), Remaining: answer.remaining, Reset: answer.reset}
	}
	s.mu.Lock()
	a.minute.withdraw(at, 1)
	a.shut[Standard] = shutBy(answer, limits, 1, wall.Sub(m.start))
	s.mu.Unlock()
	return Passage{Wait: answer.wait, Reset: answer.reset, Met: answer.met}
}
