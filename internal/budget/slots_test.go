package budget_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"arpent/internal/budget"
)

// A network that asks from 200 of its /64s at the same time holds half of the slots, whatever it waits for,
// and a client of another network finds one at once.
func TestConcurrentCallsShareSlotsBetweenNetworks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := budget.NewSlots(4)
		var running, refused atomic.Int64
		var attack sync.WaitGroup
		end := make(chan struct{})
		for n := range 200 {
			attack.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				release, err := s.Take(ctx, addressOf(n))
				if err != nil {
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("refused for %v", err)
					}
					refused.Add(1)
					return
				}
				running.Add(1)
				<-end
				release()
			})
		}
		synctest.Wait()
		if n := running.Load(); n != 2 {
			t.Errorf("one network holds %d of 4 slots", n)
		}
		began := time.Now()
		for range 2 {
			release, err := s.Take(t.Context(), otherNetwork)
			if err != nil {
				t.Fatal(err)
			}
			defer release()
		}
		if waited := time.Since(began); waited > 0 {
			t.Errorf("another network waited %s", waited)
		}
		time.Sleep(2 * time.Second)
		if n := refused.Load(); n != 198 {
			t.Errorf("%d requests of the network gave up, want 198", n)
		}
		close(end)
		attack.Wait()
	})
}

// A slot that is released is found by the next request of the network, and nothing is kept of a network that
// has left.
func TestSlotsAreReleased(t *testing.T) {
	t.Parallel()
	s := budget.NewSlots(2)
	for n := range 1000 {
		release, err := s.Take(t.Context(), addressOf(n))
		if err != nil {
			t.Fatal(err)
		}
		release()
	}
	if n := s.Networks(); n != 0 {
		t.Errorf("%d networks are remembered", n)
	}
}
