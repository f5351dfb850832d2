package console

import (
	"sync"
	"time"

	"arpent/app/base/clock"
	"arpent/billing/meter/window"
)

// anonymousPerMinute is how many calls of consoles all anonymous clients of an instance have in a minute together. It bounds what
// many addresses can make them cost: these calls, and as many rows that remember the networks for a day.
const anonymousPerMinute = 30

// anonymousMinute counts them.
type anonymousMinute struct {
	clock  clock.Clock
	start  time.Time // what is measured from: the time of day may be set
	mu     sync.Mutex
	window window.Window
}

func newAnonymousMinute(c clock.Clock) *anonymousMinute {
	return &anonymousMinute{clock: c, start: c.Now()}
}

// take takes a place, unless there is none. The time is read while the others wait: the window takes it for one that only moves on.
func (m *anonymousMinute) take() (at int64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at = m.clock.Now().Sub(m.start).Microseconds()
	return at, m.window.Decide(at, window.Limit{PerMinute: anonymousPerMinute}, 1).Admitted
}

func (m *anonymousMinute) giveBack(at int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.window.Withdraw(at, 1)
}
