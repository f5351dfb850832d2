package meter_test

import (
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"arpent/app/clock"
	"arpent/app/testkit"
	"arpent/billing"
	"arpent/billing/meter"
)

// hasty gives a store up soon.
func hasty(m *meter.Meter) {
	meter.Timing(m, 20*time.Millisecond, 500*time.Millisecond, 100*time.Millisecond)
}

// steadfast notices a stall soon, and never gives up.
func steadfast(m *meter.Meter) {
	meter.Timing(m, 20*time.Millisecond, time.Hour, 100*time.Millisecond)
}

// pause stops the store in the middle of whatever it does, as a machine without time for it would. Nothing is lost.
func pause(t testing.TB, client *redis.Client) (resume func()) {
	t.Helper()
	info, err := client.Info(t.Context(), "server").Result()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`process_id:(\d+)`).FindStringSubmatch(info)
	if found == nil {
		t.Fatal("no process_id in INFO")
	}
	pid, _ := strconv.Atoi(found[1])
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	resume = sync.OnceFunc(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	t.Cleanup(resume)
	return resume
}

// hammerOnce sends requests at the same time, and counts the admitted.
func hammerOnce(m *meter.Meter, n int, send func(*meter.Meter) meter.Verdict) int {
	var admitted atomic.Int64
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if send(m).Refusal == meter.None {
				admitted.Add(1)
			}
		})
	}
	all.Wait()
	return int(admitted.Load())
}

// While the store is slow, instances admit together no more than the limit; after it, the store knows each admission
// once, and nobody gets another minute from it.
func TestStall(t *testing.T) {
	t.Parallel()
	for name, class := range map[string]meter.Class{"standard": meter.Standard, "enrichments": meter.Enrichments} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			url := testkit.Redis(t)
			client := dial(t, url)
			three := []*meter.Meter{}
			for range 3 {
				three = append(three, b.instance(url, clock.At(noon), steadfast))
			}
			a, k := b.account("a")
			limit := 92
			l := billing.Limits{PerMinute: limit, EnrichmentsPerMinute: 1, PerDay: 1 << 40}
			window := ":minute"
			if class == meter.Enrichments {
				l.PerMinute, l.EnrichmentsPerMinute, window = 10*limit, limit, ":enrichments"
			}
			send := func(m *meter.Meter) meter.Verdict {
				v := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Limits: l, Class: class, Cost: 1})
				m.Done(&v, 0, 200)
				return v
			}
			inStore := func() int {
				keys, _ := client.Keys(t.Context(), "arpent:*"+window).Result()
				if len(keys) == 0 {
					return 0
				}
				n, err := client.LLen(t.Context(), keys[0]).Result()
				if err != nil {
					t.Fatal(err)
				}
				return int(n)
			}
			eventually(t, "three instances to know each other", func() bool {
				return meter.Instances(three[0]) == 3 && meter.Instances(three[1]) == 3 && meter.Instances(three[2]) == 3
			})
			began := time.Now()
			first := 0
			for i, n := range []int{20, 10, 0} {
				for range n {
					if v := send(three[i]); v.Refusal == meter.None {
						first++
					}
				}
			}
			if first != 30 {
				t.Fatalf("%d admitted of 30 within the share", first)
			}
			eventually(t, "the store to know them", func() bool { return inStore() == first })
			eventually(t, "the end of a stall, if there was one", func() bool { return !meter.Stalled(three[0]) && !meter.Stalled(three[1]) && !meter.Stalled(three[2]) })

			resume := pause(t, client)
			total := first
			for i, own := range []int{20, 10, 0} {
				alone := hammerOnce(three[i], 300, send)
				if own+alone > limit/3 {
					t.Errorf("instance %d admitted %d of its share of %d", i, own+alone, limit/3)
				}
				total += alone
			}
			if total > limit || total == first {
				t.Errorf("%d admitted during the stall, %d in all; the limit is %d", total-first, total, limit)
			}
			if v := send(three[0]); v.Refusal != meter.Minute || v.RetryAfter > time.Second || v.Remaining != 0 {
				t.Errorf("beyond the share: %+v", v)
			}
			resume()
			eventually(t, "the store to know each admission once", func() bool { return inStore() == total })
			eventually(t, "the end of the stall", func() bool { return !meter.Stalled(three[0]) && !meter.Stalled(three[1]) && !meter.Stalled(three[2]) })
			for _, m := range three {
				total += hammerOnce(m, 200, send)
			}
			if time.Since(began) > 50*time.Second {
				t.Skip("the minute is nearly over: this machine is too slow to tell what belongs to it")
			}
			if total > limit {
				t.Errorf("%d admitted after the stall, limit %d", total, limit)
			}
			eventually(t, "the store to agree", func() bool { return inStore() == total })
		})
	}
}

// A stall that goes on is a loss: the instance goes on at the plan's rate. When the store is back, it knows what was
// admitted without it, and the other instance gets the rest.
func TestStallBecomesLoss(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	url := testkit.Redis(t)
	client := dial(t, url)
	two := []*meter.Meter{b.instance(url, clock.At(noon), hasty), b.instance(url, clock.At(noon))}
	eventually(t, "both to know each other", func() bool { return meter.Instances(two[0]) == 2 && meter.Instances(two[1]) == 2 })
	a, k := b.account("a")
	l := billing.Limits{PerMinute: 50, EnrichmentsPerMinute: 1, PerDay: 1 << 40}
	send := func(m *meter.Meter) meter.Verdict {
		v, _ := serve(m, a, k, l, 200)
		return v
	}
	began := time.Now()
	resume := pause(t, client)
	admitted := 0
	eventually(t, "the loss", func() bool {
		if send(two[0]).Refusal == meter.None {
			admitted++
		}
		return !two[0].State().SharedUp
	})
	for range 50 {
		if send(two[0]).Refusal == meter.None {
			admitted++
		}
	}
	if admitted != 50 {
		t.Errorf("%d admitted without the store, want 50", admitted)
	}
	resume()
	eventually(t, "the store to be used again", func() bool {
		return two[0].State().SharedUp && two[1].State().SharedUp && !meter.Stalled(two[0]) && !meter.Stalled(two[1])
	})
	eventually(t, "the store to know", func() bool {
		keys, _ := client.Keys(t.Context(), "arpent:*:minute").Result()
		return len(keys) == 1 && client.LLen(t.Context(), keys[0]).Val() == 50
	})
	if time.Since(began) > 50*time.Second {
		t.Skip("the minute is nearly over: this machine is too slow to tell what belongs to it")
	}
	for range 5 {
		if v := send(two[1]); v.Refusal != meter.Minute {
			t.Errorf("the other instance: %+v", v)
		}
	}
}
