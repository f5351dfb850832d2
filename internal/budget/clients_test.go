package budget_test

import (
	"net/netip"
	"testing"
	"time"

	"arpent/internal/budget"
	"arpent/internal/clock"
)

// No client gets more for nothing than its turns, whichever addresses of its network
// it comes from, and takes none from others.
func TestClientsHaveTheirTurns(t *testing.T) {
	t.Parallel()
	now := clock.At(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	c := budget.NewClients(budget.ClientOptions{Clock: now, Every: 10 * time.Minute, Burst: 3, Known: 2})
	take := func(address string, want time.Duration) (giveBack func()) {
		t.Helper()
		giveBack, wait := c.Take(netip.MustParseAddr(address))
		if wait = wait.Round(time.Millisecond); wait != want {
			t.Errorf("%s at %s: wait %s, want %s", address, now.Now().Format(time.TimeOnly), wait, want)
		}
		return giveBack
	}
	take("2001:db8::1", 0)
	take("2001:db8::2", 0)
	last := take("2001:db8::3", 0)
	take("2001:db8::4", 10*time.Minute)
	last()
	take("2001:db8::4", 0)
	now.Advance(4 * time.Minute)
	take("2001:db8::1", 6*time.Minute)
	take("203.0.113.7", 0)
	now.Advance(6 * time.Minute)
	take("2001:db8::1", 0)
	take("203.0.113.8", 0) // the third of two that are known: 203.0.113.7 is forgotten
	take("2001:db8::1", 10*time.Minute)
	now.Advance(24 * time.Hour)
	for range 3 {
		take("2001:db8::1", 0)
	}
	take("2001:db8::1", 10*time.Minute)
}
