package meter_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/internal/clock"
	"arpent/internal/ident"
)

var operations = []string{"get_commune", "get_parcel"}

var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// fixture is a database with accounts, each with one key.
type fixture struct {
	t    testing.TB
	pool *pgxpool.Pool
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	return openFixture(t)
}

// openFixture is newFixture for a benchmark, or a test that does not run in parallel or has several.
func openFixture(t testing.TB) *fixture {
	pool, _ := testkit.DB(t)
	return &fixture{t, pool}
}

// account makes an account with a key.
func (b *fixture) account(name string) (ident.AccountID, ident.KeyID) {
	b.t.Helper()
	var (
		a ident.AccountID
		k ident.KeyID
	)
	err := b.pool.QueryRow(b.t.Context(), `
		INSERT INTO account.account (email, plan, created_at, updated_at) VALUES ($1 || '@exemple.fr', 'free', now(), now())
		RETURNING id`, name).Scan(&a)
	if err == nil {
		err = b.pool.QueryRow(b.t.Context(), `
			INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at)
			VALUES ($1, $2::text, sha256(convert_to($2::text, 'UTF8')), 'arp_', '0000', now()) RETURNING id`, a, name).Scan(&k)
	}
	testkit.NoError(b.t, err)
	return a, k
}

// newAccount makes a fixture with one account.
func newAccount(t *testing.T) (*fixture, ident.AccountID, ident.KeyID) {
	b := newFixture(t)
	a, k := b.account("a")
	return b, a, k
}

func (b *fixture) meter(c clock.Clock) *meter.Meter {
	b.t.Helper()
	return testkit.Must(meter.New(meter.Options{Pool: b.pool, Clock: c, Operations: operations}))(b.t)
}

// stored is what PostgreSQL holds for an account and day.
func (b *fixture) stored(a ident.AccountID, day clock.Date) (used int) {
	b.t.Helper()
	err := b.pool.QueryRow(b.t.Context(),
		`SELECT coalesce(sum(used), 0) FROM account.quota_day WHERE account_id = $1 AND day = $2`, a, day.Time()).Scan(&used)
	testkit.NoError(b.t, err)
	return used
}

func (b *fixture) flush(m *meter.Meter) {
	b.t.Helper()
	testkit.NoError(b.t, m.Flush(b.t.Context()))
}

func ampleLimits(perDay int) billing.Limits {
	return billing.Limits{PerMinute: 1_000_000, EnrichmentsPerMinute: 1_000_000, PerDay: perDay}
}

// sendRequest sends one request through the meter.
func sendRequest(m *meter.Meter, a ident.AccountID, k ident.KeyID, l billing.Limits, status int) (meter.Decision, int) {
	v := m.Admit(context.Background(), meter.Request{Account: a, Key: k, Limits: l, Cost: 1})
	if v.Rejection != meter.None {
		status = 429
	}
	return v, m.Done(&v, meter.Answer{Status: status})
}

// wantRejection fails a test unless a decision rejects as it should; meter.None: it admits.
func wantRejection(t *testing.T, what string, v meter.Decision, want meter.Rejection) {
	t.Helper()
	if v.Rejection != want {
		t.Errorf("%s: %+v", what, v)
	}
}

// wantUsed sends a request, after which so many of the day have to be used.
func wantUsed(t *testing.T, want int, what string, m *meter.Meter, a ident.AccountID, k ident.KeyID,
	l billing.Limits, status int) {
	t.Helper()
	if _, used := sendRequest(m, a, k, l, status); used != want {
		t.Errorf("%s: %d used, want %d", what, used, want)
	}
}

// Retrying is safe: what we failed to answer, and what the client had
// already, does not count against the day.
func TestWhatCounts(t *testing.T) {
	b, a, k := newAccount(t)
	m := b.meter(clock.At(noon))
	want := 0
	for _, c := range []struct {
		status int
		counts int
	}{{200, 1}, {304, 0}, {400, 1}, {404, 1}, {500, 0}, {503, 0}, {200, 1}} {
		want += c.counts
		if _, used := sendRequest(m, a, k, ampleLimits(100), c.status); used != want {
			t.Errorf("after %d: %d used, want %d", c.status, used, want)
		}
	}
	b.flush(m)
	testkit.Want(t, b.stored(a, clock.Day(noon)), want, "stored")
	var rows, requests, counted, onKey int
	err := b.pool.QueryRow(t.Context(), `
		SELECT count(*), sum(requests), sum(counted), (SELECT request_count FROM account.api_key WHERE id = $2)
		FROM account.usage WHERE account_id = $1 AND operation = 'get_commune'`, a, k).Scan(&rows, &requests, &counted, &onKey)
	if err != nil || rows != 4 || requests != 7 || counted != want || onKey != 7 {
		t.Errorf("usage: %d rows, %d requests, %d counted, %d on the key (%v)", rows, requests, counted, onKey, err)
	}
}

// The day's quota admits what was sold and no more, says when the
// next day begins, and rejections cost nothing.
func TestQuota(t *testing.T) {
	b, a, k := newAccount(t)
	m := b.meter(clock.At(noon))
	for range 5 {
		if v, _ := sendRequest(m, a, k, ampleLimits(5), 200); v.Rejection != meter.None {
			t.Fatalf("refused: %+v", v)
		}
	}
	for range 3 {
		v, used := sendRequest(m, a, k, ampleLimits(5), 200)
		if v.Rejection != meter.Day || used != 5 || v.RetryAfter != 11*time.Hour || v.QuotaReset != noon.Add(11*time.Hour).Unix() {
			t.Fatalf("sixth: %+v", v)
		}
	}
	// A request that is refunded makes room again; while it is being answered it takes its place.
	held := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Limits: ampleLimits(6), Cost: 1})
	if v, _ := sendRequest(m, a, k, ampleLimits(6), 200); held.Rejection != meter.None || v.Rejection != meter.Day {
		t.Errorf("with the last place held: %+v", v)
	}
	if used := m.Done(&held, meter.Answer{Status: 503}); used != 5 {
		t.Errorf("after the refund: %d used", used)
	}
	if v, used := sendRequest(m, a, k, ampleLimits(6), 200); v.Rejection != meter.None || used != 6 {
		t.Errorf("after the refund: %+v", v)
	}
}

// The minute's rejection does not consume the day, nor the day's the
// minute; enrichments have their own, tighter one.
func TestMinute(t *testing.T) {
	b, a, k := newAccount(t)
	c := clock.At(noon)
	m := b.meter(c)
	l := billing.Limits{PerMinute: 3, EnrichmentsPerMinute: 1, PerDay: 100}
	enrich := meter.Request{Account: a, Key: k, Class: meter.Enrichments, Limits: l, Cost: 1}
	v := m.Admit(t.Context(), enrich)
	m.Done(&v, meter.Answer{Operation: 1, Status: 200})
	if v.Rejection != meter.None || v.Limit != 1 || v.Remaining != 0 {
		t.Errorf("first: %+v", v)
	}
	v = m.Admit(t.Context(), enrich)
	m.Done(&v, meter.Answer{Operation: 1, Status: 429})
	if v.Rejection != meter.Minute || v.RetryAfter != time.Minute || v.QuotaUsed != 1 {
		t.Errorf("second enrichment: %+v", v)
	}
	for want := 1; want >= 0; want-- {
		if v, _ := sendRequest(m, a, k, l, 200); v.Rejection != meter.None || v.Limit != 3 || v.Remaining != want {
			t.Errorf("other operation: %+v", v)
		}
	}
	if v, used := sendRequest(m, a, k, l, 200); v.Rejection != meter.Minute || used != 3 {
		t.Errorf("fourth: %+v", v)
	}
	l.PerMinute = 4 // raised: at once, and what was admitted stays admitted
	if v, _ := sendRequest(m, a, k, l, 200); v.Rejection != meter.None || v.Remaining != 0 {
		t.Errorf("raised: %+v", v)
	}
	c.Advance(time.Minute)
	if v, _ := sendRequest(m, a, k, l, 200); v.Rejection != meter.None || v.Remaining != 3 {
		t.Errorf("a minute later: %+v", v)
	}
}

// The answer to a rejected request names the limit that was met: the account's own
// minute may be full before that of enrichments is.
func TestLimitMet(t *testing.T) {
	b, a, k := newAccount(t)
	m := b.meter(clock.At(noon))
	l := billing.Limits{PerMinute: 3, EnrichmentsPerMinute: 2, PerDay: 100}
	ask := func(class meter.Class, met int) {
		t.Helper()
		v := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Class: class, Limits: l, Cost: 1})
		m.Done(&v, meter.Answer{Status: 200})
		if v.Met != met || (v.Rejection == meter.None) != (met == 0) {
			t.Errorf("class %d: %+v, want to meet %d", class, v, met)
		}
	}
	ask(meter.Enrichments, 0)
	ask(meter.Enrichments, 0)
	ask(meter.Enrichments, 2)
	ask(meter.Standard, 0)
	ask(meter.Standard, 3)
	l.EnrichmentsPerMinute = 5
	ask(meter.Enrichments, 3)
	l.PerDay = 3
	ask(meter.Enrichments, 3)
	l.PerMinute, l.PerDay = 50, 2
	ask(meter.Standard, 2)
}

// Requests that overtake each other between their arrival and the decision do not open the window early: to
// the limiter that is no clock that was set back.
func TestOvertaking(t *testing.T) {
	b, a, k := newAccount(t)
	m := b.meter(clock.At(noon))
	l := billing.Limits{PerMinute: 2, EnrichmentsPerMinute: 1, PerDay: 100}
	for _, c := range []struct {
		after     time.Duration
		rejection meter.Rejection
	}{{10 * time.Second, meter.None}, {8 * time.Second, meter.None}, {69 * time.Second, meter.Minute}, {70 * time.Second, meter.None}} {
		v := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Limits: l, Cost: 1, At: noon.Add(c.after)})
		m.Done(&v, meter.Answer{Status: 200})
		if v.Rejection != c.rejection {
			t.Errorf("after %v: %+v", c.after, v)
		}
	}
}

// A day is a day of Paris, on the nights of 23 and 25 hours too, and a
// request counts on the day it was admitted.
func TestDayChange(t *testing.T) {
	t.Parallel()
	for name, midnight := range map[string]time.Time{
		"winter":              time.Date(2026, 1, 15, 23, 0, 0, 0, time.UTC),
		"begins 23 hours":     time.Date(2026, 3, 28, 23, 0, 0, 0, time.UTC),
		"ends 23 hours":       time.Date(2026, 3, 29, 22, 0, 0, 0, time.UTC),
		"begins 25 hours":     time.Date(2026, 10, 24, 22, 0, 0, 0, time.UTC),
		"ends 25 hours":       time.Date(2026, 10, 25, 23, 0, 0, 0, time.UTC),
		"summer":              time.Date(2026, 7, 15, 22, 0, 0, 0, time.UTC),
		"leap day":            time.Date(2028, 2, 28, 23, 0, 0, 0, time.UTC),
		"last day of a year ": time.Date(2026, 12, 31, 23, 0, 0, 0, time.UTC),
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			a, k := b.account("a")
			c := clock.At(midnight.Add(-time.Millisecond))
			m := b.meter(c)
			old, next := clock.Day(c.Now()), clock.Day(midnight)
			sendRequest(m, a, k, ampleLimits(2), 200)
			held := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Limits: ampleLimits(2), Cost: 1})
			if v, _ := sendRequest(m, a, k, ampleLimits(2), 200); v.Rejection != meter.Day || v.RetryAfter != time.Millisecond {
				t.Errorf("before midnight: %+v", v)
			}
			c.Set(midnight)
			if v, used := sendRequest(m, a, k, ampleLimits(2), 200); v.Rejection != meter.None || used != 1 {
				t.Errorf("after midnight: %+v", v)
			}
			m.Done(&held, meter.Answer{Status: 200})
			if v, used := sendRequest(m, a, k, ampleLimits(2), 200); v.Rejection != meter.None || used != 2 {
				t.Errorf("after the late answer: %+v", v)
			}
			b.flush(m)
			if was, is := b.stored(a, old), b.stored(a, next); was != 2 || is != 2 {
				t.Errorf("stored %d and %d, want 2 and 2", was, is)
			}
		})
	}
}

// Giving back the memory of sleeping accounts gives back neither their minute nor their day.
func TestRelease(t *testing.T) {
	b, a, k := newAccount(t)
	c := clock.At(noon)
	m := b.meter(c)
	l := billing.Limits{PerMinute: 2, EnrichmentsPerMinute: 1, PerDay: 100}
	sendRequest(m, a, k, l, 200)
	sendRequest(m, a, k, l, 200)
	b.flush(m)
	c.Advance(59 * time.Second)
	meter.Release(m)
	if v, _ := sendRequest(m, a, k, l, 200); v.Rejection != meter.Minute {
		t.Errorf("within the minute: %+v", v)
	}
	b.flush(m)
	c.Advance(time.Hour)
	meter.Release(m)
	if v, used := sendRequest(m, a, k, l, 200); v.Rejection != meter.None || used != 3 || v.Remaining != 1 {
		t.Errorf("an hour later: %+v", v)
	}
	b.flush(m)
	testkit.Want(t, m.State().Accounts, 1, "accounts in memory")
	c.Advance(24 * time.Hour)
	meter.Release(m)
	if n := m.State().Accounts; n != 0 {
		t.Errorf("the day after: %d accounts in memory, want 0", n)
	}
}

// Concurrent requests of one account and of several are admitted up to the limits and not one beyond, and
// every answer is counted once, while counts are being written.
func TestConcurrentRequests(t *testing.T) {
	b := newFixture(t)
	m := b.meter(clock.At(noon))
	const clients, each, quota = 50, 200, 3_000
	var (
		accounts [3]ident.AccountID
		keys     [3]ident.KeyID
		admitted [3]atomic.Int64
	)
	for i := range accounts {
		accounts[i], keys[i] = b.account(fmt.Sprint("a", i))
	}
	running, stop := context.WithCancel(t.Context())
	var writer, all sync.WaitGroup
	writer.Go(func() { m.Run(running) })
	for i := range clients {
		all.Go(func() {
			for range each {
				n := i % len(accounts)
				if v, _ := sendRequest(m, accounts[n], keys[n], ampleLimits(quota), 200); v.Rejection == meter.None {
					admitted[n].Add(1)
				}
			}
		})
	}
	all.Wait()
	stop()
	writer.Wait()
	testkit.NoError(t, m.Close(t.Context()))
	for i, a := range accounts {
		if n := admitted[i].Load(); n != quota || b.stored(a, clock.Day(noon)) != quota {
			t.Errorf("%d admitted, %d stored, want %d", n, b.stored(a, clock.Day(noon)), quota)
		}
	}
	var requests int
	if err := b.pool.QueryRow(t.Context(), `SELECT sum(requests) FROM account.usage`).Scan(&requests); err != nil || requests != clients*each {
		t.Errorf("%d requests in the usage, want %d (%v)", requests, clients*each, err)
	}
}

// Admitting a request costs the collector nothing: this is on the path of every request.
func TestAdmitAllocatesNothing(t *testing.T) {
	b := openFixture(t)
	a, k := b.account("a")
	m := b.meter(clock.Real{})
	l := ampleLimits(1 << 40)
	for range 100_000 { // the window grows to hold what follows
		sendRequest(m, a, k, l, 200)
	}
	if n := testing.AllocsPerRun(1_000, func() { sendRequest(m, a, k, l, 200) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// What the meter takes of a request, as the server asks it: the time of arrival is known.
func BenchmarkMeter(b *testing.B) {
	at := openFixture(b)
	for name, arrivals := range map[string]time.Duration{"admitted": time.Millisecond, "refused": 0} {
		b.Run(name, func(b *testing.B) {
			a, k := at.account(name)
			m := at.meter(clock.At(noon))
			r := meter.Request{Account: a, Key: k, Cost: 1, At: noon,
				Limits: billing.Limits{PerMinute: 60_000, EnrichmentsPerMinute: 100, PerDay: 1 << 40}}
			b.ReportAllocs()
			for b.Loop() {
				r.At = r.At.Add(arrivals)
				v := m.Admit(b.Context(), r)
				m.Done(&v, meter.Answer{Status: 200})
			}
		})
	}
}
