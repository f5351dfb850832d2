package meter_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/internal/clock"
	"arpent/internal/ident"
)

// secondKey gives an account another key.
func (b *fixture) secondKey(a ident.AccountID, name string) (k ident.KeyID) {
	b.t.Helper()
	err := b.pool.QueryRow(b.t.Context(), `
		INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at)
		VALUES ($1::bigint, $2::text, sha256(convert_to($2::text || ' ' || $1::bigint, 'UTF8')), 'arp_', '0000', now()) RETURNING id`, a, name).Scan(&k)
	testkit.NoError(b.t, err)
	return k
}

// sendCapped sends one request with a key that has a cap of its own.
func sendCapped(m *meter.Meter, a ident.AccountID, k ident.KeyID, l billing.Limits, perDay, status int) meter.Decision {
	v := m.Admit(context.Background(), meter.Request{Account: a, Key: k, Limits: l, KeyPerDay: perDay, Cost: 1})
	if v.Rejection != meter.None {
		status = 429
	}
	m.Done(&v, meter.Answer{Status: status})
	return v
}

// The owner of a key decides what it may use of the account's day: that much is admitted and no more, the
// other keys are left alone, and what does not count against the day does not count against the cap.
func TestKeyCap(t *testing.T) {
	b, a, k := newAccount(t)
	free := b.secondKey(a, "free")
	m := b.meter(clock.At(noon))
	for _, status := range []int{200, 304, 404, 503, 200} {
		if v := sendCapped(m, a, k, ampleLimits(100), 3, status); v.Rejection != meter.None {
			t.Fatalf("refused: %+v", v)
		}
	}
	v := sendCapped(m, a, k, ampleLimits(100), 3, 200)
	if v.Rejection != meter.KeyDay || v.Met != 3 || v.RetryAfter != 11*time.Hour || v.QuotaUsed != 3 || v.QuotaLimit != 100 {
		t.Errorf("over the cap: %+v", v)
	}
	if v, used := sendRequest(m, a, free, ampleLimits(100), 200); v.Rejection != meter.None || used != 4 {
		t.Errorf("the other key: %+v", v)
	}
	wantRejection(t, "cap raised", sendCapped(m, a, k, ampleLimits(100), 4, 503), meter.None)
	held := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Limits: ampleLimits(100), KeyPerDay: 4, Cost: 1})
	if v := sendCapped(m, a, k, ampleLimits(100), 4, 200); held.Rejection != meter.None || v.Rejection != meter.KeyDay {
		t.Errorf("with the last place held: %+v", v)
	}
	m.Done(&held, meter.Answer{Status: 503})
	wantRejection(t, "after the refund", sendCapped(m, a, k, ampleLimits(100), 4, 200), meter.None)
	if v := sendCapped(m, a, k, ampleLimits(5), 4, 200); v.Rejection != meter.Day || v.Met != 5 {
		t.Errorf("account and key used up: %+v", v)
	}
	if v, _ := sendRequest(m, a, k, ampleLimits(100), 200); v.Rejection != meter.None {
		t.Errorf("cap taken away: %+v", v)
	}
}

// A rejection by the key's cap consumes neither the minute nor the day.
func TestKeyCapCostsNothing(t *testing.T) {
	b, a, k := newAccount(t)
	m := b.meter(clock.At(noon))
	l := billing.Limits{PerMinute: 3, EnrichmentsPerMinute: 3, PerDay: 100}
	sendCapped(m, a, k, l, 1, 200)
	for range 5 {
		if v := sendCapped(m, a, k, l, 1, 200); v.Rejection != meter.KeyDay || v.Remaining != 2 {
			t.Fatalf("%+v", v)
		}
	}
	if v, used := sendRequest(m, a, b.secondKey(a, "other"), l, 200); v.Rejection != meter.None || v.Remaining != 1 || used != 2 {
		t.Errorf("the other key: %+v", v)
	}
}

// A cap that is set in the course of a day knows what the key used before: what was written,
// what is on its way, and what still waits. Neither a restart nor the sleep of an account
// gives it back, and the next day begins anew.
func TestKeyCapKnowsTheDay(t *testing.T) {
	b, a, k := newAccount(t)
	c := clock.At(noon)
	first := b.meter(c)
	sendRequest(first, a, k, ampleLimits(100), 200)
	b.flush(first)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	sendRequest(first, a, k, ampleLimits(100), 200)
	if err := first.Flush(gone); err == nil {
		t.Fatal("a flush without a database succeeds")
	}
	sendRequest(first, a, k, ampleLimits(100), 200)
	check := func(what string, m *meter.Meter, perDay int, want meter.Rejection) {
		t.Helper()
		if v := sendCapped(m, a, k, ampleLimits(100), perDay, 503); v.Rejection != want {
			t.Errorf("%s, %d a day: %+v", what, perDay, v)
		}
	}
	both := func(what string, m *meter.Meter) {
		t.Helper()
		check(what, m, 3, meter.KeyDay)
		check(what, m, 4, meter.None)
	}
	both("in the same instance", first)
	b.flush(first)
	both("after a flush", first)
	both("after a restart", b.meter(c))
	c.Advance(2 * time.Minute)
	meter.Release(first)
	both("after a sleep", first)
	b.flush(first)
	c.Set(noon.Add(11 * time.Hour))
	check("at midnight", first, 1, meter.None)
}

// Requests that arrive together cannot exceed the cap, whether it is new to the instance or not.
func TestKeyCapUnderConcurrentCalls(t *testing.T) {
	b, a, k := newAccount(t)
	m := b.meter(clock.At(noon))
	ctx, stop := context.WithCancel(t.Context())
	var writer, all sync.WaitGroup
	writer.Go(func() { m.Run(ctx) })
	var admitted atomic.Int64
	for range 50 {
		all.Go(func() {
			for range 100 {
				if sendCapped(m, a, k, ampleLimits(1_000_000), 1_234, 200).Rejection == meter.None {
					admitted.Add(1)
				}
			}
		})
	}
	all.Wait()
	stop()
	writer.Wait()
	if n := admitted.Load(); n != 1_234 {
		t.Errorf("%d admitted, want 1234", n)
	}
}

// Instances without a shared store read with their flushes what a key used elsewhere.
func TestKeyCapTwoInstances(t *testing.T) {
	b, a, k := newAccount(t)
	c := clock.At(noon)
	m1, m2 := b.meter(c), b.meter(c)
	for range 4 {
		sendCapped(m1, a, k, ampleLimits(100), 10, 200)
		sendCapped(m2, a, k, ampleLimits(100), 10, 200)
	}
	b.flush(m1)
	b.flush(m2)
	for want := range 3 {
		v := sendCapped(m2, a, k, ampleLimits(100), 10, 200)
		if (v.Rejection == meter.None) != (want < 2) {
			t.Errorf("request %d: %+v", 9+want, v)
		}
	}
	b.flush(m2)
	sendCapped(m1, a, k, ampleLimits(100), 10, 304) // nothing to add, and yet it reads
	b.flush(m1)
	wantRejection(t, "in the first instance", sendCapped(m1, a, k, ampleLimits(100), 10, 200), meter.KeyDay)
}

// A batch that was gathered before the key had a cap, and is written after, is counted once.
func TestKeyCapLostAcknowledgement(t *testing.T) {
	b, a, k := newAccount(t)
	m := b.meter(clock.At(noon))
	sendRequest(m, a, k, ampleLimits(100), 200)
	testkit.NoError(t, meter.FlushUnacknowledged(t.Context(), m))
	wantRejection(t, "before the acknowledgement", sendCapped(m, a, k, ampleLimits(100), 1, 200), meter.KeyDay)
	if v := sendCapped(m, a, k, ampleLimits(100), 2, 503); v.Rejection != meter.None || v.QuotaUsed != 2 {
		t.Errorf("before the acknowledgement, one left: %+v", v)
	}
	b.flush(m)
	wantRejection(t, "after it", sendCapped(m, a, k, ampleLimits(100), 2, 200), meter.None)
	wantRejection(t, "one more", sendCapped(m, a, k, ampleLimits(100), 2, 200), meter.KeyDay)
}

// Three instances with a shared store admit together what the cap says, refunds included.
func TestSharedKeyCapUnderConcurrentCalls(t *testing.T) {
	b := newFixture(t)
	url := testkit.Redis(t)
	a, k := b.account("a")
	var three []*meter.Meter
	for range 3 {
		three = append(three, b.instance(url, clock.At(noon)))
	}
	for range 5 { // counted before there was a cap
		sendRequest(three[0], a, k, ampleLimits(1_000), 200)
	}
	testkit.Eventually(t, testkit.Timeout, "counts written", func() bool { return b.stored(a, clock.Day(noon)) == 5 })
	var admitted atomic.Int64
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			for range 20 {
				switch v := sendCapped(three[i%3], a, k, ampleLimits(1_000), 150, 200); v.Rejection {
				case meter.None:
					admitted.Add(1)
				case meter.KeyDay:
					if v.Met != 150 || v.QuotaLimit != 1_000 {
						t.Errorf("%+v", v)
					}
				default:
					t.Errorf("%+v", v)
				}
			}
		})
	}
	all.Wait()
	testkit.Want(t, admitted.Load(), 145, "admitted")
	for range 10 { // given back each time, or the second would be refused
		testkit.Eventually(t, testkit.Timeout, "the refund", func() bool { return sendCapped(three[1], a, k, ampleLimits(1_000), 151, 304).Rejection == meter.None })
	}
	if v, _ := sendRequest(three[2], a, k, ampleLimits(1_000), 200); v.Rejection != meter.None {
		t.Errorf("cap taken away: %+v", v)
	}
}

// While PostgreSQL is away a key with a cap is served with what is known here, and its count follows later.
func TestKeyCapWithoutDatabase(t *testing.T) {
	b, a, k := newAccount(t)
	c := clock.At(noon)
	before := b.meter(c)
	for range 5 {
		sendRequest(before, a, k, ampleLimits(100), 200)
	}
	b.flush(before)
	m := b.meter(c)
	rename := func(from, to string) {
		t.Helper()
		testkit.Exec(t, b.pool, `ALTER TABLE account.`+from+` RENAME TO `+to)
	}
	rename("usage", "hidden")
	wantRejection(t, "while away", sendCapped(m, a, k, ampleLimits(100), 6, 200), meter.None)
	rename("hidden", "usage")
	c.Advance(time.Second)
	wantRejection(t, "once back", sendCapped(m, a, k, ampleLimits(100), 6, 200), meter.KeyDay)
	b.flush(m)
	c.Advance(2 * time.Minute)
	meter.Release(m)
	rename("usage", "hidden")
	wantRejection(t, "away again, after a sleep", sendCapped(m, a, k, ampleLimits(100), 6, 200), meter.KeyDay)
	rename("hidden", "usage")
}

// What a key used before it had a cap, and what is written only after
// the cap was asked for, is not forgotten.
func TestKeyCapSetWhileAFlushWaits(t *testing.T) {
	b, a, k := newAccount(t)
	m := b.meter(clock.At(noon))
	sendRequest(m, a, k, ampleLimits(100), 200)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Flush(gone); err == nil {
		t.Fatal("a flush without a database succeeds")
	}
	held := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Limits: ampleLimits(100), KeyPerDay: 2, Cost: 1})
	b.flush(m)
	if v := sendCapped(m, a, k, ampleLimits(100), 2, 200); held.Rejection != meter.None || v.Rejection != meter.KeyDay {
		t.Errorf("one counted, one held: %+v", v)
	}
	m.Done(&held, meter.Answer{Status: 200})
}

// A key's cap is on the path of every request of that key: it costs the collector nothing.
func TestKeyCapAllocatesNothing(t *testing.T) {
	b := openFixture(t)
	a, k := b.account("a")
	m := b.meter(clock.Real{})
	for range 100_000 { // the window grows to hold what follows
		sendCapped(m, a, k, ampleLimits(1<<40), 1<<40, 200)
	}
	for perDay, what := range map[int]string{1 << 40: "admitted", 1: "refused"} {
		if n := testing.AllocsPerRun(1_000, func() { sendCapped(m, a, k, ampleLimits(1<<40), perDay, 200) }); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
}
