package meter_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/billing/meter/shared"
	"arpent/internal/clock"
)

// instance is a meter that runs and shares its limits, from the start. It waits for the store as long as it
// takes, unless it is tuned: a busy machine changes no answer.
func (b *fixture) instance(url string, c clock.Clock, tune ...func(*meter.Meter)) *meter.Meter {
	b.t.Helper()
	if url != "" {
		// A store that stands still is given up after the meter's timeout, not the connection's.
		url += "?dial_timeout=1h&read_timeout=1h&write_timeout=1h"
	}
	m := testkit.Must(meter.New(meter.Options{Pool: b.pool, Clock: c, Operations: operations, RedisURL: url, FlushEvery: 50 * time.Millisecond}))(b.t)
	for _, f := range append([]func(*meter.Meter){useLongTimeouts}, tune...) {
		f(m)
	}
	meter.Connect(b.t.Context(), m)
	testkit.NoError(b.t, m.Load(b.t.Context()))
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { m.Run(ctx) })
	b.t.Cleanup(func() {
		stop()
		running.Wait()
		if err := m.Close(context.Background()); err != nil {
			b.t.Error(err)
		}
	})
	return m
}

func dialRedis(t testing.TB, url string) *redis.Client {
	o := testkit.Must(redis.ParseURL(url))(t)
	client := redis.NewClient(o)
	t.Cleanup(func() { client.Close() })
	return client
}

// The first request of an account after a start waits for no count: what was read with all others holds.
func TestStartAsksForNoCountAgain(t *testing.T) {
	b, a, k := newAccount(t)
	before := b.meter(clock.At(noon))
	sendRequest(before, a, k, ampleLimits(100), 200)
	b.flush(before)
	m := b.instance(testkit.Redis(t), clock.At(noon))
	testkit.Eventually(t, testkit.Timeout, "a first request after the start", func() bool { return meter.Reconciled(m) })
	testkit.Exec(t, b.pool, `UPDATE account.quota_day SET used = 50 WHERE account_id = $1`, a)
	if _, used := sendRequest(m, a, k, ampleLimits(100), 200); used != 2 {
		t.Errorf("%d used, want 2: the count was read again", used)
	}
}

// useLongTimeouts waits for the store as long as it takes.
func useLongTimeouts(m *meter.Meter) {
	meter.Timing(m, shared.Timing{Slow: time.Hour, GiveUp: time.Hour, Request: time.Hour})
}

// A burst is decided in the store to the last request, however many wait for it. What becomes of those
// that wait too long is another rule: TestStall.
func TestConcurrentBurst(t *testing.T) {
	b := newFixture(t)
	url := testkit.Redis(t)
	two := []*meter.Meter{b.instance(url, clock.At(noon)), b.instance(url, clock.At(noon))}
	a, k := b.account("a")
	const burst, limit = 3_000, 3_500 // each instance alone would let all of its burst pass
	l := billing.Limits{PerMinute: limit, EnrichmentsPerMinute: 1, PerDay: 1 << 40}
	var admitted atomic.Int64
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range 2 * burst {
		all.Go(func() {
			<-start
			if v, _ := sendRequest(two[i%2], a, k, l, 200); v.Rejection == meter.None {
				admitted.Add(1)
			}
		})
	}
	close(start)
	all.Wait()
	testkit.Want(t, admitted.Load(), limit, "admitted")
}

// An instance that stops in good order gives back what it still owes
// the shared store, and does not call it lost.
func TestStopGivesBack(t *testing.T) { // not parallel: it reads the log
	var log bytes.Buffer
	former := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(former)
	b := openFixture(t)
	url := testkit.Redis(t)
	m := testkit.Must(meter.New(meter.Options{Pool: b.pool, Clock: clock.At(noon), Operations: operations, RedisURL: url}))(t)
	useLongTimeouts(m)
	meter.Connect(t.Context(), m)
	testkit.NoError(t, m.Load(t.Context()))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var running sync.WaitGroup
	running.Go(func() { m.Run(ctx) })
	a, k := b.account("a")
	sendRequest(m, a, k, ampleLimits(10), 200)
	late := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Limits: ampleLimits(10), Cost: 1})
	testkit.NoError(t, m.Close(t.Context()))
	m.Done(&late, meter.Answer{Status: 503})
	stop()
	running.Wait()
	testkit.Want(t, storedUsage(t, dialRedis(t, url)), 1, "used in the store")
	if strings.Contains(log.String(), "unavailable") {
		t.Errorf("logged %s", log.String())
	}
}

// What is not counted is given back to all instances.
func TestSharedRefund(t *testing.T) {
	b := newFixture(t)
	url := testkit.Redis(t)
	m1, m2 := b.instance(url, clock.At(noon)), b.instance(url, clock.At(noon))
	a, k := b.account("a")
	for range 10 {
		sendRequest(m1, a, k, ampleLimits(100), 200)
		sendRequest(m1, a, k, ampleLimits(100), 304)
	}
	testkit.Eventually(t, testkit.Timeout, "refunds to arrive", func() bool {
		v, used := sendRequest(m2, a, k, ampleLimits(100), 503)
		return v.QuotaUsed == 11 && used == 10
	})
}

// When the shared store is lost there is no storm of rejections and no second allowance; when it is back,
// empty, what was used before and meanwhile is still used, once.
func TestStoreLost(t *testing.T) {
	b := newFixture(t)
	server := testkit.NewRedis(t)
	c := clock.At(noon)
	m1, m2 := b.instance(server.URL, c), b.instance(server.URL, c)
	a, k := b.account("a")
	day := clock.Day(noon)
	rounds := func(n int) {
		t.Helper()
		for range n {
			for _, m := range []*meter.Meter{m1, m2} {
				if v, _ := sendRequest(m, a, k, ampleLimits(1_000), 200); v.Rejection != meter.None {
					t.Fatalf("refused: %+v", v)
				}
			}
		}
	}
	rounds(10)
	server.Kill()
	rounds(10)
	testkit.Eventually(t, testkit.Timeout, "the loss", func() bool { return !m1.State().SharedUp && !m2.State().SharedUp })
	testkit.Eventually(t, testkit.Timeout, "counts written", func() bool { return b.stored(a, day) == 40 })
	server.Start()
	testkit.Eventually(t, testkit.Timeout, "the store to be used again", func() bool { return m1.State().SharedUp && m2.State().SharedUp })
	rounds(10)
	testkit.Eventually(t, testkit.Timeout, "counts written", func() bool { return b.stored(a, day) == 60 })
	sendRequest(m1, a, k, ampleLimits(1_000), 304)
	b.flush(m1) // it reads what the other wrote, and sends it to the store with its next request
	client := dialRedis(t, server.URL)
	testkit.Eventually(t, testkit.Timeout, "the refund", func() bool { return storedUsage(t, client) <= 60 })
	wantUsed(t, 61, "first instance", m1, a, k, ampleLimits(1_000), 200)
	wantUsed(t, 62, "second instance", m2, a, k, ampleLimits(1_000), 200)
}

// An instance that has used its minute, or a key its cap, does not get another one from the loss of the shared
// store, nor from its return.
func TestStoreLostKeepsTheMinute(t *testing.T) {
	b := newFixture(t)
	server := testkit.NewRedis(t)
	m := b.instance(server.URL, clock.At(noon))
	a, k := b.account("a")
	capped, c := b.account("capped")
	l := billing.Limits{PerMinute: 10, EnrichmentsPerMinute: 5, PerDay: 1_000}
	admitted := map[string]int{}
	use := func() {
		for range 20 {
			if v, _ := sendRequest(m, a, k, l, 200); v.Rejection == meter.None {
				admitted["minute"]++
			}
			if sendCapped(m, capped, c, ampleLimits(100), 10, 200).Rejection == meter.None {
				admitted["cap"]++
			}
		}
	}
	use()
	server.Kill()
	use()
	server.Start()
	testkit.Eventually(t, testkit.Timeout, "the store to be used again", func() bool { return m.State().SharedUp })
	use()
	if admitted["minute"] != 10 || admitted["cap"] != 10 {
		t.Errorf("admitted %v, want 10 of each", admitted)
	}
}

// The store keeps what was admitted for a whole minute, however little comes after it, and the count of the
// day until that ends; so it does what an instance admitted without it.
func TestStoreKeepsWhatItKnows(t *testing.T) {
	b := newFixture(t)
	server := testkit.NewRedis(t)
	m := b.instance(server.URL, clock.At(noon))
	a, k := b.account("a")
	report := func() {
		v := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Class: meter.Enrichments, Limits: ampleLimits(100), Cost: 1})
		m.Done(&v, meter.Answer{Status: 200})
	}
	kept := func(begun time.Time, least map[string]time.Duration) {
		t.Helper()
		client := dialRedis(t, server.URL)
		for name, want := range least {
			testkit.Eventually(t, testkit.Timeout, name, func() bool { return client.Exists(t.Context(), name).Val() == 1 })
			if ttl := client.PTTL(t.Context(), name).Val(); ttl+time.Since(begun) < want {
				t.Errorf("%s is kept for %s, want %s", name, ttl, want)
			}
		}
	}
	name := fmt.Sprintf("arpent:{%d}:", a)
	begun := time.Now()
	report()
	kept(begun, map[string]time.Duration{name + "minute": time.Minute, name + "enrichments": time.Minute, name + "2026-03-10": clock.Day(noon).End().Sub(noon)})
	server.Kill()
	report() // whose answer is missed: it may have been admitted by the store
	begun = time.Now()
	report()
	server.Start()
	kept(begun, map[string]time.Duration{name + "minute": time.Minute, name + "enrichments": time.Minute})
}

// Nor does an account get another day from an instance where it was
// idle while it used its day up through another.
func TestStoreLostKeepsTheDay(t *testing.T) {
	b := newFixture(t)
	server := testkit.NewRedis(t)
	m1, m2 := b.instance(server.URL, clock.At(noon)), b.instance(server.URL, clock.At(noon))
	testkit.Eventually(t, testkit.Timeout, "a second since the store is used", func() bool { return meter.Reconciled(m2) })
	a, k := b.account("a")
	use := func(m *meter.Meter, n, stored int) {
		for range n {
			sendRequest(m, a, k, ampleLimits(10), 200)
		}
		testkit.Eventually(t, testkit.Timeout, "counts written", func() bool { return b.stored(a, clock.Day(noon)) == stored })
	}
	use(m2, 1, 1)
	use(m1, 9, 10)
	server.Kill()
	testkit.Eventually(t, testkit.Timeout, "the loss", func() bool { return !m2.State().SharedUp })
	if v, _ := sendRequest(m2, a, k, ampleLimits(10), 200); v.Rejection != meter.Day {
		t.Errorf("an 11th request of 10: %+v", v)
	}
}

// An instance that the store has just rejected knows that the minute is used by others, also once the store
// is lost; and a limit that is raised counts at once.
func TestStoreLostAfterRejection(t *testing.T) {
	b := newFixture(t)
	server := testkit.NewRedis(t)
	m1, m2 := b.instance(server.URL, clock.At(noon)), b.instance(server.URL, clock.At(noon))
	a, k := b.account("a")
	l := billing.Limits{PerMinute: 10, EnrichmentsPerMinute: 5, PerDay: 1_000}
	for range 10 {
		sendRequest(m1, a, k, l, 200)
	}
	if v, _ := sendRequest(m2, a, k, l, 200); v.Rejection != meter.Minute || v.RetryAfter > time.Minute {
		t.Fatalf("eleventh: %+v", v)
	}
	server.Kill()
	if v, _ := sendRequest(m2, a, k, l, 200); v.Rejection != meter.Minute || v.Remaining != 0 || v.RetryAfter <= 0 {
		t.Errorf("without the store: %+v", v)
	}
	l.PerMinute = 20
	if v, _ := sendRequest(m2, a, k, l, 200); v.Rejection != meter.None {
		t.Errorf("with a higher limit: %+v", v)
	}
}

// A request that the store decided too late for an answer is counted as it would have been: once when
// it counts, not at all when it is given back.
func TestAnswerMissed(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"counts": 200, "given back": 304} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			url := testkit.Redis(t)
			m := b.instance(url, clock.At(noon), useShortTimeouts)
			a, k := b.account("a")
			_, want := sendRequest(m, a, k, ampleLimits(1<<40), 200)
			client := dialRedis(t, url)
			resume := pauseRedis(t, client)
			for m.State().SharedUp { // until a request meets the deadline
				if v, _ := sendRequest(m, a, k, ampleLimits(1<<40), status); v.Rejection != meter.None {
					t.Fatalf("refused: %+v", v)
				}
				if status == 200 {
					want++
				}
			}
			resume()
			testkit.Eventually(t, testkit.Timeout, "the store to be used again", func() bool { return m.State().SharedUp })
			testkit.Eventually(t, testkit.Timeout, "the store to agree", func() bool {
				sendRequest(m, a, k, ampleLimits(1<<40), 503) // brings what is known here
				return storedUsage(t, client) == want
			})
		})
	}
}

// A request that was rejected while the store stalled uses nothing of the day, also
// when the store is given up and had read it.
func TestRejectedAnswerMissed(t *testing.T) {
	b := newFixture(t)
	url := testkit.Redis(t)
	client := dialRedis(t, url)
	m := b.instance(url, clock.At(noon), func(m *meter.Meter) {
		meter.Timing(m, shared.Timing{Slow: 20 * time.Millisecond, GiveUp: 2 * time.Second, Request: 100 * time.Millisecond})
	})
	b.instance(url, clock.At(noon)) // has the other half of the limit
	withinMinute(t, func(at attempt, name string) error {
		a, k := b.account(name)
		send := func(m *meter.Meter) meter.Decision {
			v, _ := sendRequest(m, a, k, billing.Limits{PerMinute: 20, EnrichmentsPerMinute: 1, PerDay: 1_000}, 200)
			return v
		}
		if err := at.eventually("both to know each other", func() bool { return meter.Instances(m) == 2 && !meter.Stalled(m) }); err != nil {
			return err
		}
		if n := hammerOnce(m, 10, send); n != 10 {
			return fmt.Errorf("%d admitted of 10 within the share", n)
		}
		resume := pauseRedis(t, client)
		defer resume()
		if n := hammerOnce(m, 10, send); n != 0 {
			return fmt.Errorf("%d admitted beyond the share", n)
		}
		if err := at.eventually("the loss", func() bool { return !m.State().SharedUp }); err != nil {
			return err
		}
		resume()
		if err := at.eventually("the store to have read what it was sent, and to be used again", func() bool {
			return client.LLen(t.Context(), fmt.Sprintf("arpent:{%d}:minute", a)).Val() > 10 && m.State().SharedUp
		}); err != nil {
			return err
		}
		testkit.Eventually(t, testkit.Timeout, "the store to count only what was admitted", func() bool {
			sendRequest(m, a, k, ampleLimits(1_000), 503) // brings what is known here
			return client.Get(t.Context(), fmt.Sprintf("arpent:{%d}:2026-03-10", a)).Val() == "10"
		})
		return nil
	})
}

// storedUsage is what the store holds for the one account in it.
func storedUsage(t testing.TB, client *redis.Client) int {
	t.Helper()
	keys, err := client.Keys(t.Context(), "arpent:*:2026-03-10").Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("keys %v, %v", keys, err)
	}
	return testkit.Must(client.Get(t.Context(), keys[0]).Int())(t)
}

// Instances without a store, or with a wrong address, say so at the start and not at the first request.
func TestRedisAddress(t *testing.T) {
	t.Parallel()
	_, err := meter.New(meter.Options{Clock: clock.At(noon), RedisURL: "http://user:hunter2@host"})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

// What the shared store adds to a request, alone and with many at a time.
func BenchmarkShared(b *testing.B) {
	at := openFixture(b)
	m := at.instance(testkit.Redis(b), clock.Real{})
	a, k := at.account("a")
	l := billing.Limits{PerMinute: 300, EnrichmentsPerMinute: 100, PerDay: 1 << 40}
	b.Run("one at a time", func(b *testing.B) {
		l.PerMinute = 1 << 30
		for b.Loop() {
			sendRequest(m, a, k, l, 200)
		}
	})
	b.Run("64 at a time", func(b *testing.B) {
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				sendRequest(m, a, k, l, 200)
			}
		})
	})
}
