package meter

import (
	"math"
	"time"

	"arpent/app/clock"
	"arpent/app/ident"
	"arpent/billing"
)

// freeDay is the day that what no day counts is asked under: the shared store always counts one.
const freeDay clock.Date = -1

// AdmitFree holds what the day does not count to the account's minute. It leaves no trace in the usage.
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
	if !p.Admitted || m.shared == nil {
		return p
	}
	at := now + p.Wait.Microseconds()
	asked := limits
	asked.PerDay = math.MaxInt32
	answer, err := m.shared.decide(question{account: id, class: Standard, limits: asked, cost: 1, day: freeDay, keep: span})
	if err != nil { // the store is away: what is known here decides
		return p
	}
	if answer.refusal == None {
		return Passage{Admitted: true, Wait: max(p.Wait, answer.wait), Remaining: answer.remaining, Reset: answer.reset}
	}
	s.mu.Lock()
	a.minute.withdraw(at, 1)
	a.shut[Standard] = shutFrom(limits, answer, wall.Sub(m.start))
	s.mu.Unlock()
	return Passage{Wait: answer.wait, Reset: answer.reset, Met: answer.met}
}

func shutFrom(limits billing.Limits, a answer, now time.Duration) shut {
	return shut{limits: limits, cost: 1, met: a.met, until: (now + a.wait).Microseconds(), reset: (now + a.reset).Microseconds()}
}
