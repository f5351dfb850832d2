package meter

import (
	"sync/atomic"
	"time"

	"arpent/app/clock"
)

// day is a quota day with its ends worked out.
type day struct {
	date       clock.Date
	start, end time.Time
}

// calendar remembers the day it is: working it out takes longer than admitting a request.
type calendar struct{ today atomic.Pointer[day] }

func (c *calendar) at(t time.Time) *day {
	if d := c.today.Load(); d != nil && !t.Before(d.start) && t.Before(d.end) {
		return d
	}
	date := clock.Day(t)
	d := &day{date: date, start: date.Start(), end: date.End()}
	c.today.Store(d)
	return d
}
