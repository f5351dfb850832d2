package jobs

import (
	"time"

	"arpent/internal/clock"
)

// Daily is a moment of each day in Paris, the same whenever the service was started.
type Daily struct{ Hour, Minute int }

// Next is the first such moment after now.
func (d Daily) Next(now time.Time) time.Time {
	for day := clock.Day(now); ; day++ {
		start := day.Start()
		at := time.Date(start.Year(), start.Month(), start.Day(), d.Hour, d.Minute, 0, 0, start.Location())
		if at.After(now) {
			return at
		}
	}
}
