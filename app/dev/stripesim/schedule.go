package stripesim

import (
	"strconv"
	"time"
)

func (s *Simulator) scheduleOf(id string) (*schedule, error) {
	if c, ok := s.schedules.get(id); ok {
		return c, nil
	}
	return nil, noSuch("subscription_schedule", id)
}

// createSchedule takes a subscription over, with its present period as the only phase.
func (s *Simulator) createSchedule(c call) (object, error) {
	b, err := s.subscriptionOf(c.get("from_subscription"))
	if err != nil {
		return nil, invalid("from_subscription", "The simulator makes schedules of subscriptions alone: %v", err)
	}
	if c.under("phases") || c.has("end_behavior") {
		return nil, invalid("from_subscription", "You cannot set `phases` or `end_behavior` if `from_subscription` is set.")
	}
	if b.schedule != "" {
		return nil, invalid("from_subscription", "You cannot migrate a subscription that is already attached to a schedule: %s", b.schedule)
	}
	if !b.live() {
		return nil, invalid("from_subscription", "You cannot create a schedule from a subscription that is %s.", b.status)
	}
	id := s.id("sub_sched")
	end := "release"
	if b.cancelAtEnd {
		end = "cancel"
	}
	made := s.schedules.add(id, &schedule{id: id, customer: b.customer, subscription: b.id, status: active, endBehavior: end,
		phases: []phase{{price: b.price, start: b.start, end: b.end}}, created: s.at, done: s.at})
	s.emit("subscription_schedule.created", s.showSchedule(made), nil)
	s.change(b, func() { b.schedule = id })
	return s.showSchedule(made), nil
}

func (s *Simulator) updateSchedule(c call) (object, error) {
	found, err := s.scheduleOf(c.id)
	if err != nil {
		return nil, err
	}
	if found.status != active {
		return nil, invalid("", "You cannot update a subscription schedule that is currently in the `%s` status.", found.status)
	}
	before := s.showSchedule(found)
	if c.under("phases") {
		phases, err := s.phases(c.form, found)
		if err != nil {
			return nil, err
		}
		found.phases = phases
	}
	if c.has("end_behavior") {
		found.endBehavior = c.get("end_behavior")
	}
	s.emit("subscription_schedule.updated", s.showSchedule(found), before)
	return s.showSchedule(found), nil
}

// phases reads the phases of an update: the one that runs has to stay, each begins where the one before ends.
func (s *Simulator) phases(f form, c *schedule) ([]phase, error) {
	b, err := s.subscriptionOf(c.subscription)
	if err != nil {
		return nil, err
	}
	var phases []phase
	for i := range f.count("phases") {
		name := element("phases", i, "items") + "[0][price]"
		price, ok := s.prices.get(f.get(name))
		if !ok {
			return nil, noSuchIn(name, "price", f.get(name))
		}
		p := phase{price: price.ID}
		switch start := element("phases", i, "start_date"); {
		case i > 0:
			p.start = phases[i-1].end
		case f.get(start) == "now":
			p.start = s.at
		case f.has(start):
			p.start = time.Unix(f.number(start), 0)
		default:
			return nil, invalid(start, "You must supply `start_date` of the current phase.")
		}
		if i == 0 && !p.start.Equal(c.phases[0].start) {
			return nil, invalid("phases[0][start_date]", "You can not modify the start date of the current phase.")
		}
		if end := element("phases", i, "end_date"); f.has(end) {
			p.end = time.Unix(f.number(end), 0)
		} else {
			n := 1
			if it := element("phases", i, "iterations"); f.has(it) {
				n, _ = strconv.Atoi(f.get(it))
			}
			for p.end = p.start; n > 0; n-- {
				p.end = nextEnd(b.anchor, p.end)
			}
		}
		if !p.end.After(p.start) {
			return nil, invalid(element("phases", i, "end_date"), "The phase ends before it begins.")
		}
		phases = append(phases, p)
	}
	return phases, nil
}

// endSchedule releases or cancels one.
func (s *Simulator) endSchedule(c call) (object, error) {
	found, err := s.scheduleOf(c.id)
	if err != nil {
		return nil, err
	}
	if found.status != active {
		return nil, invalid("", "You cannot %s a subscription schedule that is currently in the `%s` status.", c.inner, found.status)
	}
	switch c.inner {
	case "release":
		s.releaseSchedule(found)
	case "cancel":
		if b, ok := s.subscriptions.get(found.subscription); ok {
			s.cancelNow(b, "cancellation_requested")
		}
	default:
		return s.unknown(c)
	}
	return s.showSchedule(found), nil
}

// releaseSchedule leaves the subscription as it is, without a schedule.
func (s *Simulator) releaseSchedule(c *schedule) {
	c.status, c.released, c.subscription = "released", c.subscription, ""
	if b, ok := s.subscriptions.get(c.released); ok {
		s.change(b, func() { b.schedule = "" })
	}
	s.emit("subscription_schedule.released", s.showSchedule(c), nil)
}

// phaseAt is what the schedule of a subscription says of an instant; nil without one.
func (s *Simulator) phaseAt(b *subscription, at time.Time) *phase {
	c, ok := s.schedules.get(b.schedule)
	if !ok {
		return nil
	}
	for i, p := range c.phases {
		if !at.Before(p.start) && at.Before(p.end) {
			return &c.phases[i]
		}
	}
	return nil
}

// boundary is the next instant at which a schedule changes something.
func (c *schedule) boundary() time.Time {
	for _, p := range c.phases {
		for _, at := range []time.Time{p.start, p.end} {
			if at.After(c.done) {
				return at
			}
		}
	}
	return c.done
}

// step does what is due at a boundary: another price without proration, or the schedule's end.
func (s *Simulator) step(c *schedule) {
	b, ok := s.subscriptions.get(c.subscription)
	if !ok {
		return
	}
	c.done = s.at
	if p := s.phaseAt(b, s.at); p != nil {
		if p.price != b.price {
			s.change(b, func() { b.price = p.price })
		}
		return
	}
	if c.endBehavior == "cancel" {
		c.status = "completed"
		s.cancelNow(b, "cancellation_requested")
		return
	}
	s.releaseSchedule(c)
}
