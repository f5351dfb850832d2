// Package budget limits the time spent on unauthenticated requests: how much of the
// server's time they take, a share of one processor in the long run with a reserve
// for bursts (Budget), and how much of it one client may ask for (Clients).
package budget

import (
	"sync"
	"time"

	"arpent/internal/clock"
)

// Options are the parameters of New.
type Options struct {
	Clock   clock.Clock
	Share   float64       // of elapsed time that may be spent
	Reserve time.Duration // how much may be spent at once after a pause
}

// Budget is an amount of working time that fills up as time passes. It is safe for concurrent use.
type Budget struct {
	o    Options
	mu   sync.Mutex
	left time.Duration
	at   time.Time
}

// New returns a full budget.
func New(o Options) *Budget {
	return &Budget{o: o, left: o.Reserve, at: o.Clock.Now()}
}

// Wait is how long it takes until there is something left; 0: work may begin. Work that has begun may
// overdraw the budget; the next waits until time has paid for that.
func (b *Budget) Wait() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refillReserve()
	if b.left > 0 {
		return 0
	}
	return time.Duration(float64(-b.left)/b.o.Share) + time.Millisecond
}

// Spend subtracts the time of finished work; what is left may become negative.
func (b *Budget) Spend(took time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refillReserve()
	b.left -= took
}

func (b *Budget) refillReserve() {
	now := b.o.Clock.Now()
	if passed := now.Sub(b.at); passed > 0 {
		b.left = min(b.o.Reserve, b.left+time.Duration(float64(passed)*b.o.Share))
	}
	b.at = now
}
