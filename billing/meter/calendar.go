package meter

import (
	"sync/atomic"
	"time"

	"arpent/internal/clock"
)

// day is a quota day with its ends worked out, in Unix seconds.
type day struct {
	date       clock.Date
	start, end int64
}

// timeLeft is how long the day goes on.
func (d *day) timeLeft(t time.Time) time.Duration { return time.Unix(d.end, 0).Sub(t) }

// calendar remembers the day it is: working it out takes longer than admitting a request.
type calendar struct{ today atomic.Pointer[day] }

func (c *calendar) dayAt(t time.Time) *day {
	if d := c.today.Load(); d != nil && d.start <= t.Unix() && t.Unix() < d.end {
		return d
	}
	date := clock.Day(t)
	d := &day{date: date, start: date.Start().Unix(), end: date.End().Unix()}
	c.today.Store(d)
	return d
}
