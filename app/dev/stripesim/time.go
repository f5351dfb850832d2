package stripesim

import "time"

// Advance moves the simulator's time on, and does in its order everything that becomes due: renewals, attempts to
// collect, ends of periods, schedules, expiries. Events go out by themselves; Quiet waits for them.
func (s *Simulator) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset += max(d, 0)
	s.settle()
	s.posts.poke()
}

// Settle does what has become due since, for a test that moves the clock of the options itself. Requests do it too.
func (s *Simulator) Settle() { s.Advance(0) }

// task is something that is due at an instant.
type task struct {
	at time.Time
	do func()
}

// settle works through what is due, as of the moment at which it is.
func (s *Simulator) settle() {
	target := s.target()
	for {
		next, found := s.nextTask()
		if !found || next.at.After(target) {
			break
		}
		if next.at.After(s.at) {
			s.at = next.at
		}
		next.do()
	}
	if target.After(s.at) {
		s.at = target
	}
}

// nextTask is the earliest. Of those at one instant a schedule comes before the period that it changes.
func (s *Simulator) nextTask() (next task, found bool) {
	offer := func(at time.Time, do func()) {
		if !at.IsZero() && (!found || at.Before(next.at)) {
			next, found = task{at: at, do: do}, true
		}
	}
	for _, c := range s.schedules.all() {
		if c.status == active && c.boundary().After(c.done) {
			offer(c.boundary(), func() { s.step(c) })
		}
	}
	for _, b := range s.subscriptions.all() {
		switch {
		case !b.live():
		case b.status == incomplete:
			offer(b.created.Add(incompleteLife), func() { s.expire(b) })
		default:
			offer(b.end, func() { s.renew(b) })
		}
		if b.live() && b.pending != nil {
			offer(b.pending.expires, func() { s.dropPending(b) })
		}
	}
	for _, i := range s.invoices.all() {
		if i.status == draft || i.status == open {
			offer(i.draftUntil, func() { s.collect(i, s.cardOfInvoice(i)) })
			offer(i.nextAttempt, func() { s.collect(i, s.cardOfInvoice(i)) })
		}
	}
	for _, n := range s.sessions.all() {
		if n.status == open {
			offer(n.expires, func() { s.endSession(n) })
		}
	}
	return next, found
}

// expire ends a subscription whose first payment never came.
func (s *Simulator) expire(b *subscription) {
	if i, ok := s.invoices.get(b.invoice); ok && i.status == open {
		s.voidIt(i)
	}
	s.change(b, func() { b.status, b.endedAt = incompleteExpired, s.at })
}

// dropPending forgets a change that was not paid for.
func (s *Simulator) dropPending(b *subscription) {
	if i, ok := s.invoices.get(b.pending.invoice); ok && i.status == open {
		s.voidIt(i)
	}
}
