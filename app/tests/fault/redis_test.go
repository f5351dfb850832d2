//go:build soak

package fault_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
)

const (
	limited   = "limited@example.org"
	perMinute = 600
)

// While Redis stalls, an account gets no more than its limit from all instances together. While it is lost,
// each instance gives the limit; once it is back what was given is known to all. Whatever happens to it,
// every account with requests left is served, and what was answered is counted.
func TestSoakFaultRedis(t *testing.T) {
	redis := testkit.NewRedis(t)
	w := newWorld(t, "ARPENT_REDIS_URL="+redis.URL)
	key, err := w.program.Account(t.Context(), limited, harness.Limits{PerMinute: perMinute, EnrichmentsPerMinute: 1, PerDay: 10_000_000})
	testkit.NoError(t, err)
	bases := []string{w.start().Base, w.start().Base}
	time.Sleep(2 * time.Second) // both are registered
	for _, stall := range []time.Duration{200 * time.Millisecond, time.Second, 2500 * time.Millisecond} {
		t.Run(fmt.Sprintf("stalls for %s", stall), func(t *testing.T) {
			w.hammered(t, bases, key, 1, func() {
				redis.Pause()
				time.Sleep(stall)
				redis.Resume()
			})
		})
	}
	t.Run("stalls for 5s", func(t *testing.T) {
		w.hammered(t, bases, key, len(bases), func() {
			redis.Pause()
			time.Sleep(5 * time.Second)
			redis.Resume()
		})
	})
	t.Run("is killed and returns", func(t *testing.T) {
		w.hammered(t, bases, key, len(bases), func() {
			redis.Kill()
			time.Sleep(5 * time.Second)
			redis.Start()
		})
	})
}

// hammered has an account ask both instances for more than its limit, concurrently with the mix, over a
// minute in which something happens to Redis. Together they may admit its limit so many times in 60 seconds.
func (w *world) hammered(t *testing.T, bases []string, key string, limits int, happens func()) {
	t.Helper()
	w.T = t
	mix := w.mix()
	before, ofLimited := w.usedNow(), w.used(limited)
	mix.Rate = rate / len(bases)
	greedy := traffic{Rate: 50, Requests: []harness.Request{{Path: "/api/v1/regions", Key: key}}}
	var ends, greedyEnds []func() []outcome
	for _, base := range bases {
		mix.Base, greedy.Base = base, base
		ends, greedyEnds = append(ends, mix.Start()), append(greedyEnds, greedy.Start())
	}
	time.Sleep(5 * time.Second)
	happens()
	time.Sleep(65 * time.Second)
	outcomes, asked := gather(ends), gather(greedyEnds)
	describe(t, t.Name(), outcomes)
	wrong(t, outcomes, never)
	var admitted []outcome
	others := map[int]int{}
	for _, o := range asked {
		if o.Status == http.StatusOK {
			admitted = append(admitted, o)
		} else {
			others[o.Status]++
		}
	}
	most := within(admitted, time.Minute)
	t.Logf("the account of %d a minute: %d admitted in all, %d at most within 60 s; others by status: %v", perMinute, len(admitted), most, others)
	if most > limits*perMinute {
		t.Errorf("%d were admitted within 60 s, more than %d", most, limits*perMinute)
	}
	if delete(others, http.StatusTooManyRequests); len(others) > 0 {
		t.Errorf("answers that are neither 200 nor 429: %v", others)
	}
	w.exact(before, outcomes)
	if got := w.used(limited) - ofLimited; got != len(admitted) {
		t.Errorf("%d of the account are stored, %d were admitted", got, len(admitted))
	}
}

// gather ends traffic and gives its outcomes in the order in which they were due.
func gather(ends []func() []outcome) (outcomes []outcome) {
	for _, end := range ends {
		outcomes = append(outcomes, end()...)
	}
	slices.SortFunc(outcomes, func(a, b outcome) int { return a.Due.Compare(b.Due) })
	return outcomes
}

// within is how many requests were certainly admitted within a time: sent
// after its begin and answered before its end.
func within(admitted []outcome, span time.Duration) (most int) {
	for _, last := range admitted {
		n := 0
		for _, o := range admitted {
			if !o.Received.After(last.Received) && !o.Sent.Before(last.Received.Add(-span)) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}
