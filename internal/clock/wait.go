package clock

import (
	"context"
	"time"
)

// Sleep waits, and reports false where ctx ended before.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Signal wakes who waits for it, once however often it was given before.
type Signal chan struct{}

// NewSignal returns a signal that was not given yet.
func NewSignal() Signal { return make(Signal, 1) }

// Notify gives the signal.
func (s Signal) Notify() {
	select {
	case s <- struct{}{}:
	default: // it was given already
	}
}

// Wait waits for the signal, and then for a while in which more may
// come. It reports false where ctx ended before.
func (s Signal) Wait(ctx context.Context, delay time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-s:
		return Sleep(ctx, delay)
	}
}
