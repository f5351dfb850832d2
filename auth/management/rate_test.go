package management_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"arpent/auth/management"
)

// A program that loops is stopped at the documented limit, and one that waits as long as the answer says is
// admitted: whatever the moments of its requests, at most 60 are admitted in any 60 seconds and 30 at once.
func TestRateOfAToken(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	now, busy := noon, time.Time{}
	var admitted []time.Time
	rejected := 0
	for range 5000 {
		now = now.Add(time.Duration(random.IntN(2500)) * time.Millisecond / time.Duration(1+random.IntN(5)))
		next, rate := management.DecideRate(now, busy)
		if rate.RetryAfter > 0 {
			rejected++
			if _, early := management.DecideRate(now.Add(rate.RetryAfter-time.Millisecond), next); early.RetryAfter == 0 {
				t.Fatal("admitted before the time that was named")
			}
			if _, late := management.DecideRate(now.Add(rate.RetryAfter), next); late.RetryAfter != 0 {
				t.Fatal("rejected after the time that was named")
			}
			busy = next
			continue
		}
		busy = next
		admitted = append(admitted, now)
		for at := range admitted {
			if now.Sub(admitted[at]) < time.Minute && len(admitted)-at > management.PerMinute {
				t.Fatalf("%d requests in %s", len(admitted)-at, now.Sub(admitted[at]))
			}
		}
		if len(admitted) > 200 {
			admitted = admitted[100:]
		}
	}
	if rejected < 100 {
		t.Errorf("only %d rejected", rejected)
	}
	busy = time.Time{}
	for n := management.Burst - 1; n >= 0; n-- {
		next, rate := management.DecideRate(noon, busy)
		if rate.RetryAfter > 0 || rate.Remaining != n {
			t.Fatalf("%d left: %+v", n, rate)
		}
		busy = next
	}
	if _, rate := management.DecideRate(noon, busy); rate.RetryAfter <= 0 || rate.RetryAfter > 2*time.Second {
		t.Errorf("one too many: %+v", rate)
	}
	// A clock that was ahead by an hour rejects for no longer than a burst takes to come back.
	if _, rate := management.DecideRate(noon, noon.Add(time.Hour)); rate.RetryAfter > 2*time.Second {
		t.Errorf("after a clock that was ahead: %+v", rate)
	}
}
