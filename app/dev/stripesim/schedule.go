package stripesim

import (
	"fmt"
	"time"
)

// createSchedule takes a subscription over, with its present period as the only phase.
func (s *Simulator) createSchedule(c call) (any, error) {
	b, err := findObject[*subscription](s, c.get("from_subscription"), "from_subscription")
	if err != nil {
		return nil, err
	}
	switch {
	case c.hasNested("phases") || c.has("end_behavior"):
		return nil, invalidRequest("from_subscription",
			"You cannot set `phases` or `end_behavior` if `from_subscription` is set.")
	case b.Schedule != "":
		return nil, invalidRequest("from_subscription",
			"You cannot migrate a subscription that is already attached to a schedule: %s", b.Schedule)
	case !b.isLive():
		return nil, invalidRequest("from_subscription",
			"You cannot create a schedule from a subscription that is %s.", b.Status)
	}
	made := &schedule{base: s.newBase("sub_sched", "subscription_schedule"), Customer: b.Customer,
		Subscription: b.ID, Status: active,
		EndBehavior: "release", Phases: []phase{{Start: b.Start, End: b.End,
			Items: []phaseItem{{b.firstItem().Price.ID}}, Method: b.Method, Tax: b.Tax, discount: b.Discount}},
		due: b.End.Time}
	addObject(s, made.ID, made)
	s.emitEvent("subscription_schedule.created", made)
	b.Schedule, b.CancelAt = made.ID, b.End
	s.emitEvent("customer.subscription.updated", b)
	return made, nil
}

func (c *schedule) checkActive() error {
	if c.Status == active {
		return nil
	}
	return invalidRequest("", "You cannot change a subscription schedule that is currently in the `%s` status.",
		c.Status)
}

// updateSchedule replaces the phases: the one that runs has to stay, each begins where the one before ends.
func (s *Simulator) updateSchedule(c call, found *schedule) (any, error) {
	if err := found.checkActive(); err != nil {
		return nil, err
	}
	end := c.get("end_behavior")
	if end != "release" && end != "cancel" {
		return nil, invalidRequest("end_behavior", "The simulator knows end_behavior release and cancel alone.")
	}
	b, err := findObject[*subscription](s, found.Subscription, "")
	if err != nil {
		return nil, err
	}
	var phases []phase
	for n := 0; c.hasNested(fmt.Sprintf("phases[%d]", n)); n++ {
		prefix := fmt.Sprintf("phases[%d]", n)
		p, err := findObject[*Price](s, c.get(prefix+"[items][0][price]"), prefix+"[items][0][price]")
		if err != nil {
			return nil, err
		}
		next := phase{Start: stamp{c.timeParam(prefix + "[start_date]")}, Items: []phaseItem{{p.ID}},
			Method:   c.get(prefix + "[default_payment_method]"),
			Tax:      automaticTax{Enabled: c.get(prefix+"[automatic_tax][enabled]") == "true"},
			metadata: c.mapParam(prefix + "[metadata]")}
		next.discount, _ = s.byID[c.get(prefix+"[discounts][0][discount]")].(*discount)
		if n > 0 {
			next.Start = phases[n-1].End
		} else if next.Start.Unix() != found.Phases[0].Start.Unix() {
			return nil, invalidRequest("phases[0][start_date]",
				"You can not modify the start date of the current phase.")
		}
		anchor := b.Anchor
		if p.Interval != b.firstItem().Price.Interval {
			anchor = next.Start
		}
		if next.End = nextEnd(anchor, next.Start, p); c.has(prefix + "[end_date]") {
			next.End = stamp{c.timeParam(prefix + "[end_date]")}
		}
		if !next.End.After(next.Start.Time) {
			return nil, invalidRequest(prefix+"[end_date]", "The phase ends before it begins.")
		}
		phases = append(phases, next)
	}
	found.EndBehavior, found.Phases, found.due = end, phases, phases[0].End.Time
	b.CancelAt = phases[0].End
	s.enterPhase(b, phases[0])
	s.emitEvent("subscription_schedule.updated", found)
	return found, nil
}

// enterPhase gives a subscription what a phase says, and takes away what the phase leaves out. Metadata is
// added to the metadata of the subscription.
func (s *Simulator) enterPhase(b *subscription, p phase) {
	b.Method, b.Discount, b.Tax, b.Metadata = p.Method, p.discount, p.Tax, mergeMetadata(b.Metadata, p.metadata)
}

func (s *Simulator) endSchedule(_ call, found *schedule) (any, error) {
	if err := found.checkActive(); err != nil {
		return nil, err
	}
	s.releaseSchedule(found)
	return found, nil
}

// releaseSchedule leaves the subscription as it is, without a schedule and its end.
func (s *Simulator) releaseSchedule(c *schedule) {
	c.Status, c.Released, c.Subscription = "released", c.Subscription, ""
	if b, ok := s.byID[c.Released].(*subscription); ok {
		b.Schedule, b.CancelAt = "", stamp{}
		s.emitEvent("customer.subscription.updated", b)
	}
	s.emitEvent("subscription_schedule.released", c)
}

// phaseAt is what the schedule of a subscription says of an instant; nil without one.
func (s *Simulator) phaseAt(b *subscription, at time.Time) *phase {
	if c, ok := s.byID[b.Schedule].(*schedule); ok {
		for n, p := range c.Phases {
			if !at.Before(p.Start.Time) && at.Before(p.End.Time) {
				return &c.Phases[n]
			}
		}
	}
	return nil
}

// endsWithPeriod reports whether a subscription ends with its period, by itself or by its schedule.
func (s *Simulator) endsWithPeriod(b *subscription) bool {
	c, ok := s.byID[b.Schedule].(*schedule)
	return b.CancelAtEnd || ok && c.EndBehavior == "cancel" && s.phaseAt(b, b.End.Time) == nil
}

// advanceSchedule does what is due when a phase ends: another price
// without proration, or the end of the schedule.
func (s *Simulator) advanceSchedule(c *schedule) {
	b := s.byID[c.Subscription].(*subscription)
	p := s.phaseAt(b, s.at)
	switch {
	case p == nil && c.EndBehavior == "cancel":
		s.cancelNow(b)
		return
	case p == nil:
		s.releaseSchedule(c)
		return
	}
	c.due, b.CancelAt = p.End.Time, p.End
	s.enterPhase(b, *p)
	if price := s.byID[p.Items[0].Price].(*Price); price != b.firstItem().Price {
		if price.Interval != b.firstItem().Price.Interval { // billing_cycle_anchor of a phase is automatic
			b.Anchor = p.Start
		}
		b.firstItem().Price = price
		s.emitEvent("customer.subscription.updated", b)
	}
}
