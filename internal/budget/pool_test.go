package budget_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"arpent/internal/budget"
	"arpent/internal/clock"
)

// addressOf is an address of the nth /64 of a /48.
func addressOf(n int) netip.Addr { return netip.MustParseAddr(fmt.Sprintf("2001:db8:1:%x::1", n)) }

var otherNetwork = netip.MustParseAddr("2001:db8:2::1")

// A network that has taken its share, from whichever of its addresses, leaves the others theirs.
func TestPoolIsSharedBetweenNetworks(t *testing.T) {
	t.Parallel()
	p := budget.NewPool(clock.At(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)), 20, 40)
	taken := 0
	for n := range 200 {
		if _, wait, own := p.Take(addressOf(n)); wait == 0 {
			taken++
		} else if !own {
			t.Fatalf("try %d: all networks wait", n)
		}
	}
	if taken != 10 {
		t.Errorf("one network took %d of 40", taken)
	}
	if _, wait, _ := p.Take(otherNetwork); wait > 0 {
		t.Errorf("another network waits %s", wait)
	}
}

// Work for one network leaves time for the others.
func TestSharedBudget(t *testing.T) {
	t.Parallel()
	s := budget.NewShared(budget.Options{Clock: clock.At(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)), Share: 0.25, Reserve: 20 * time.Second})
	var spent time.Duration
	for n := range 1000 {
		if s.Wait(addressOf(n)) == 0 {
			s.Spend(addressOf(n), time.Second)
			spent += time.Second
		}
	}
	if spent != 5*time.Second {
		t.Errorf("one network spent %s of 20 s", spent)
	}
	if wait := s.Wait(otherNetwork); wait > 0 {
		t.Errorf("another network waits %s", wait)
	}
}

// A /48 is a few clients, whichever of its 65 536 networks of 64 bits it uses.
func TestClientsOfOneSubscriber(t *testing.T) {
	t.Parallel()
	c := budget.NewClients(budget.ClientOptions{Clock: clock.At(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)), Every: time.Minute, Burst: 5, Known: 5000})
	taken := 0
	for n := range 1000 {
		if _, wait := c.Take(addressOf(n)); wait == 0 {
			taken++
		}
	}
	if taken != 20 {
		t.Errorf("%d turns, want four times those of one client", taken)
	}
	if _, wait := c.Take(otherNetwork); wait > 0 {
		t.Errorf("another client waits %s", wait)
	}
}
