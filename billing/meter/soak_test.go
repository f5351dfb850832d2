//go:build soak

package meter_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/billing/meter/shared"
	"arpent/internal/clock"
)

const soakFor = 150 * time.Second

// Fifty clients that hammer one account for 150 seconds are admitted exactly what the
// plan says, on one instance and on three that share Redis: no window of 60 seconds holds
// more, and nothing that was sold is withheld.
func TestSoakHammer(t *testing.T) {
	t.Parallel()
	for name, instances := range map[string]int{"one instance": 1, "three instances": 3} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			url := testkit.Redis(t)
			var all []*meter.Meter
			for range instances {
				if instances == 1 {
					url = ""
				}
				all = append(all, b.instance(url, clock.Real{}))
			}
			checkMinutes(t, sendConcurrently(b, all), 60)
		})
	}
}

// sendConcurrently gives the times at which requests were served, in microseconds.
func sendConcurrently(b *fixture, instances []*meter.Meter) []int64 {
	a, k := b.account("a")
	l := billing.Limits{PerMinute: 60, EnrichmentsPerMinute: 20, PerDay: 1_000_000}
	start := time.Now()
	var (
		mu     sync.Mutex
		served []int64
		all    sync.WaitGroup
	)
	for i := range 50 {
		all.Go(func() {
			m := instances[i%len(instances)]
			for time.Since(start) < soakFor {
				v := m.Admit(context.Background(), meter.Request{Account: a, Key: k, Limits: l, Cost: 1})
				status := 429
				if v.Rejection == meter.None {
					time.Sleep(v.Wait)
					status = 200
					mu.Lock()
					served = append(served, time.Since(start).Microseconds())
					mu.Unlock()
				}
				m.Done(&v, meter.Answer{Status: status})
				time.Sleep(2 * time.Millisecond) // a client's round trip; 25 000 requests a second all the same
			}
		})
	}
	all.Wait()
	slices.Sort(served)
	return served
}

// checkMinutes allows for the time between a decision and the moment at which the test notes it.
func checkMinutes(t *testing.T, served []int64, perMinute int) {
	t.Helper()
	slack := (20 * time.Millisecond).Microseconds()
	for i := perMinute; i < len(served); i++ {
		if apart := served[i] - served[i-perMinute]; apart < shared.Span.Microseconds()-slack {
			t.Fatalf("%d served in %v", perMinute+1, time.Duration(apart)*time.Microsecond)
		}
	}
	want := 3 * perMinute // at 0 s, 60 s and 120 s
	t.Logf("%d served in %v, want %d", len(served), soakFor, want)
	testkit.Want(t, len(served), want, "served")
}
