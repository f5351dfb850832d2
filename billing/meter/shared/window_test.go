package shared_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"arpent/billing/meter/shared"
)

const minute = int64(time.Minute / time.Microsecond)

// naive is the promise written down as plainly as can be: every
// admission is kept for ever and counted each time.
type naive struct{ at []int64 }

func (n *naive) within(t int64) (count int) {
	for i := len(n.at) - 1; i >= 0 && n.at[i] > t-minute; i-- {
		count++
	}
	return count
}

// first is the earliest time, not before now and not before the last admission, at which cost more fit.
func (n *naive) first(now int64, limit, cost int) int64 {
	at := now
	if len(n.at) > 0 {
		at = max(at, n.at[len(n.at)-1])
	}
	if cost > limit {
		return at + minute
	}
	for i := 0; n.within(at)+cost > limit; i++ {
		oldest := n.at[len(n.at)-n.within(at)]
		at = max(at, oldest+minute)
	}
	return at
}

func newSeededRand(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// A customer gets exactly what the limit says, whatever the order of requests, changes of limit and costs:
// the limiter agrees with the plain definition for a million random steps.
func TestDecideAgreesWithItsDefinition(t *testing.T) {
	t.Parallel()
	steps := 1_000_000
	if testing.Short() {
		steps = 50_000
	}
	r := newSeededRand(t)
	var (
		now   int64
		w     shared.Window
		n     naive
		limit = shared.Limit{PerMinute: 10, Grace: shared.Grace}
	)
	for i := range steps {
		now += int64(r.ExpFloat64() * float64(minute) / float64(limit.PerMinute) * []float64{0.1, 0.8, 1, 3}[r.IntN(4)])
		switch r.IntN(2_000) {
		case 0:
			limit.PerMinute = 1 + r.IntN(60) // the operator changes the limit
		case 1:
			now += 2 * minute // silence
		}
		cost := 1
		if r.IntN(50) == 0 {
			cost = 1 + r.IntN(limit.PerMinute+1)
		}
		want := n.first(now, limit.PerMinute, cost)
		p := w.Decide(now, limit, cost)
		if p.Admitted != (want-now <= shared.Grace.Microseconds()) ||
			p.Wait != time.Duration(want-now)*time.Microsecond {
			t.Fatalf("step %d at %d, limit %d, cost %d: %+v, want a wait of %d µs", i, now, limit.PerMinute, cost, p, want-now)
		}
		if p.Admitted {
			for range cost {
				n.at = append(n.at, want)
			}
		}
		if rest := max(0, limit.PerMinute-n.within(now)); p.Remaining != rest {
			t.Fatalf("step %d: %d remaining, want %d", i, p.Remaining, rest)
		}
		if len(n.at) > 10_000 {
			n.at = append([]int64(nil), n.at[len(n.at)-1_000:]...) // the longest window has 60
		}
	}
}

// A request for enrichments takes a place in both windows or in none.
func TestDecideBothAgreesWithItsDefinition(t *testing.T) {
	t.Parallel()
	r := newSeededRand(t)
	var (
		now    int64
		w, w2  shared.Window
		n, n2  naive
		limit  = shared.Limit{PerMinute: 10, Grace: shared.Grace}
		narrow = 4
	)
	for i := range 100_000 {
		now += int64(r.ExpFloat64() * float64(minute) / 12)
		both := r.IntN(2) == 0
		want := n.first(now, limit.PerMinute, 1)
		if both {
			want = max(want, n2.first(now, narrow, 1))
		}
		var p shared.Decision
		if both {
			p = shared.DecideBoth(now, &w, &w2, limit, narrow, 1)
		} else {
			p = w.Decide(now, limit, 1)
		}
		if p.Admitted != (want-now <= shared.Grace.Microseconds()) || p.Wait.Microseconds() != want-now {
			t.Fatalf("step %d, both %v: %+v, want a wait of %d µs", i, both, p, want-now)
		}
		if p.Admitted {
			n.at = append(n.at, want)
			if both {
				n2.at = append(n2.at, want)
			}
		}
		rest := limit.PerMinute - n.within(now)
		if both {
			rest = min(rest, narrow-n2.within(now))
		}
		if p.Remaining != max(0, rest) {
			t.Fatalf("step %d: %d remaining, want %d", i, p.Remaining, rest)
		}
	}
}

// A clock that is set back changes no decision for longer than a minute.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	var (
		w     shared.Window
		p     shared.Decision
		limit = shared.Limit{PerMinute: 10, Grace: shared.Grace}
		now   = 100 * minute
	)
	for range 10 {
		p = w.Decide(now, limit, 1)
	}
	now -= 60 * minute
	if p = w.Decide(now, limit, 1); p.Admitted || p.Wait > time.Minute {
		t.Errorf("an hour back: %+v", p)
	}
	if p = w.Decide(now+minute-shared.Grace.Microseconds()-1, limit, 1); p.Admitted {
		t.Errorf("before a minute has passed: %+v", p)
	}
	if p = w.Decide(now+minute, limit, 1); !p.Admitted || p.Wait != 0 {
		t.Errorf("after a minute: %+v", p)
	}
}

// A rejected client gets the time at which to come back, and is admitted then and not before.
func TestRetryAfterIsRight(t *testing.T) {
	t.Parallel()
	var (
		w     shared.Window
		p     shared.Decision
		limit = shared.Limit{PerMinute: 2}
	)
	_ = w.Decide(0, limit, 1)
	_ = w.Decide(1_000_000, limit, 1)
	if p = w.Decide(2_000_000, limit, 1); p.Admitted || p.Wait != 58*time.Second || p.Reset != 58*time.Second {
		t.Fatalf("third: %+v", p)
	}
	if p = w.Decide(minute-1, limit, 1); p.Admitted {
		t.Errorf("too early: %+v", p)
	}
	if p = w.Decide(minute, limit, 1); !p.Admitted {
		t.Errorf("at that time: %+v", p)
	}
}
