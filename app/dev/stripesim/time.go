package stripesim

import (
	"slices"
	"time"
)

// Advance moves the simulator's time on, and does in its order everything that
// becomes due: renewals, attempts to collect, ends of periods, schedules, expiries.
// Events go out by themselves; Quiet waits for them.
func (s *Simulator) Advance(d time.Duration) {
	_ = s.runLocked(func() error { return nil }, max(d, 0))
}

// CatchUp does what has become due since, for a test that moves the clock
// of the options itself. Requests do it too.
func (s *Simulator) CatchUp() { s.Advance(0) }

// runLocked does something under the lock, with the time moved on and what is due done before.
func (s *Simulator) runLocked(do func() error, forward time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset += forward
	s.catchUp()
	defer s.webhooks.wake.Notify()
	return do()
}

// setLocked changes how the simulator behaves from now on.
func (s *Simulator) setLocked(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *Simulator) simulatedTime() time.Time {
	return s.options.Clock.Now().Add(s.offset).Truncate(time.Second)
}

// catchUp works through what is due, as of the moment at which it is.
func (s *Simulator) catchUp() {
	target := s.simulatedTime()
	for {
		at, do := s.nextTask()
		if do == nil || at.After(target) {
			break
		}
		if at.After(s.at) {
			s.at = at
		}
		do()
	}
	if target.After(s.at) {
		s.at = target
	}
}

// nextTask is the earliest. Of those at one instant what was made last comes first: a
// schedule before the period that it changes.
func (s *Simulator) nextTask() (next time.Time, task func()) {
	offer := func(at time.Time, do func()) {
		if !at.IsZero() && (task == nil || at.Before(next)) {
			next, task = at, do
		}
	}
	for _, o := range slices.Backward(s.order) {
		switch o := o.(type) {
		case *schedule:
			if o.Status == active {
				offer(o.due, func() { s.advanceSchedule(o) })
			}
		case *subscription:
			switch {
			case !o.isLive():
			case o.Status == incomplete:
				offer(o.Created.Add(incompleteLife), func() { s.expireIncomplete(o) })
			default:
				offer(o.End.Time, func() { s.renewSubscription(o) })
				if o.Pending != nil {
					offer(o.Pending.Expires.Time, func() { s.voidOpen(o.Pending.invoice) })
				}
			}
		case *invoice:
			if o.Status == draft || o.Status == open {
				offer(o.NextAttempt.Time, func() { s.collectInvoice(o, false) })
			}
		case *session:
			if o.Status == open {
				offer(o.Expires.Time, func() { s.endSession(o) })
			}
		}
	}
	return next, task
}

// expireIncomplete ends a subscription whose first payment never came.
func (s *Simulator) expireIncomplete(b *subscription) {
	s.voidOpen(b.Invoice)
	b.Status, b.EndedAt = incompleteExpired, s.now()
	s.emitEvent("customer.subscription.updated", b)
}

// monthsAfter is the same day of the month n months on, or the month's last day where there is none.
func monthsAfter(anchor time.Time, n int) time.Time {
	anchor = anchor.UTC()
	first := time.Date(anchor.Year(), anchor.Month()+time.Month(n), 1, anchor.Hour(), anchor.Minute(),
		anchor.Second(), 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(anchor.Day(), last)-1)
}

// yearly is the interval of a price for a year.
const yearly = "year"

// countMonths returns how many months the price pays for.
func (p *Price) countMonths() int {
	if p.Interval == yearly {
		return 12
	}
	return 1
}

// nextEnd is the end of the period that begins at start, with a price.
func nextEnd(anchor, start stamp, p *Price) stamp {
	for n := 1; ; n++ {
		if end := monthsAfter(anchor.Time, n*p.countMonths()); end.After(start.Time) {
			return stamp{end}
		}
	}
}
