package shared_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"arpent/app/dev/testkit"
	"arpent/billing/meter/shared"
)

// A customer gets the same answers from one instance and from several: the script agrees with Decide,
// and DecideBoth, on the same random sequence.
func TestScriptAgreesWithDecide(t *testing.T) {
	t.Parallel()
	o := testkit.Must(redis.ParseURL(testkit.Redis(t)))(t)
	client := redis.NewClient(o)
	t.Cleanup(func() { client.Close() })
	script := redis.NewScript(strings.Replace(shared.AdmitSource, "redis.call('TIME')", "{ARGV[8], ARGV[9]}", 1))
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	steps := 20_000
	if testing.Short() {
		steps = 2_000
	}
	var (
		now    = int64(1_800_000_000) * 1_000_000 // of a size at which rounding would show
		w, w2  shared.Window
		p      shared.Decision
		limit  = shared.Limit{PerMinute: 10, Grace: shared.Grace}
		narrow = 5
		used   = int64(0)
	)
	for i := range steps {
		now += int64(r.ExpFloat64() * float64(shared.Span.Microseconds()) / 15)
		if r.IntN(500) == 0 {
			limit.PerMinute, narrow = 1+r.IntN(40), 1+r.IntN(20)
		}
		if r.IntN(1_000) == 0 {
			now -= r.Int64N(10 * shared.Span.Microseconds()) // the clock is set back
		}
		cost, tighter := 1+r.IntN(20)/19, 0
		if r.IntN(3) == 0 {
			tighter = narrow
			p = shared.DecideBoth(now, &w, &w2, limit, narrow, cost)
		} else {
			p = w.Decide(now, limit, cost)
		}
		rejection := int64(1) // the minute
		if p.Admitted {
			rejection = 0
			used += int64(cost)
		}
		got := testkit.Must(script.Run(t.Context(), client, []string{"m", "e", "d"}, limit.PerMinute, tighter, 1<<40, 0, cost,
			shared.Grace.Microseconds(), 3600, now/1_000_000, now%1_000_000).Int64Slice())(t)
		want := []int64{rejection, p.Wait.Microseconds(), int64(p.Remaining), p.Reset.Microseconds(), used, int64(p.Met)}
		for j := range want {
			if got[j] != want[j] {
				t.Fatalf("step %d, limits %d and %d, cost %d: the script says %v, Decide %v", i, limit.PerMinute, tighter, cost, got, want)
			}
		}
	}
}
