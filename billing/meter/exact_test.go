package meter_test

import (
	"context"
	"fmt"
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

// moreKeys gives an account n keys.
func (b *fixture) moreKeys(a ident.AccountID, n int) (keys []ident.KeyID) {
	b.t.Helper()
	for i := range n {
		var k ident.KeyID
		testkit.NoError(b.t, b.pool.QueryRow(b.t.Context(), `
			INSERT INTO account.api_key (account_id, name, secret_hash, prefix, last4, created_at)
			VALUES ($1, $2::text, sha256(convert_to($1::bigint::text || $2::text, 'UTF8')), 'arp_', '0000', now()) RETURNING id`,
			a, fmt.Sprint("key ", i)).Scan(&k))
		keys = append(keys, k)
	}
	return keys
}

// Fifty clients with twenty keys of one account get exactly what was sold, whether they ask
// for half of it or for three times as much, of one instance or of three that share one Redis or a
// cluster; and each counted answer says another number, from 1 to the last.
func TestExactAroundTheLimit(t *testing.T) {
	b := newFixture(t)
	instances := map[string][]*meter.Meter{"one": {b.instance("", clock.At(noon))}}
	for name, url := range map[string]string{"three": testkit.Redis(t), "cluster": testkit.RedisCluster(t)} {
		for range 3 {
			instances[name] = append(instances[name], b.instance(url, clock.At(noon)))
		}
	}
	const limit = 200
	for name, instances := range instances {
		for _, percent := range []int{50, 100, 150, 200, 300} {
			for of, limits := range map[string]billing.Limits{"day": ampleLimits(limit), "minute": {PerMinute: limit, EnrichmentsPerMinute: 1, PerDay: 1_000_000},
				"day, reserve": reserveOf(limit)} {
				t.Run(fmt.Sprintf("%s, %d%% of a %s", name, percent, of), func(t *testing.T) {
					a, _ := b.account(t.Name())
					b.checkExact(t, instances, a, limits, limit*percent/100, limit)
				})
			}
		}
	}
}

// reserveOf are limits whose quota and reserve together are that many requests.
func reserveOf(most int) billing.Limits {
	l := ampleLimits(most / 2)
	l.HasReserve, l.Reserve = true, most-most/2
	return l
}

func (b *fixture) checkExact(t *testing.T, instances []*meter.Meter, a ident.AccountID, limits billing.Limits, requests, limit int) {
	t.Helper()
	const clients = 50
	keys := b.moreKeys(a, 20)
	var (
		all      sync.WaitGroup
		sent     atomic.Int64
		mu       sync.Mutex
		numbered = map[int]int{}
	)
	for i := range clients {
		all.Go(func() {
			for n := int(sent.Add(1)); n <= requests; n = int(sent.Add(1)) {
				v, used := sendRequest(instances[(i+n)%len(instances)], a, keys[n%len(keys)], limits, 200)
				switch {
				case v.Rejection == meter.None:
					mu.Lock()
					numbered[used]++
					mu.Unlock()
				case v.RetryAfter <= 0:
					t.Errorf("nothing says when to come back: %+v", v)
				}
			}
		})
	}
	all.Wait()
	want := min(requests, limit)
	for n := 1; n <= want; n++ {
		if numbered[n] != 1 {
			t.Errorf("%d answers say that %d were used, want 1", numbered[n], n)
			break
		}
	}
	if len(numbered) != want {
		t.Errorf("%d numbers of %d requests, want %d", len(numbered), requests, want)
	}
	const usage = `SELECT coalesce(sum(counted), 0), coalesce(sum(requests), 0) FROM account.usage WHERE account_id = $1`
	var counted, asked int
	testkit.Eventually(t, testkit.Timeout, "counts written", func() bool {
		err := b.pool.QueryRow(context.Background(), usage, a).Scan(&counted, &asked)
		return err == nil && asked == requests
	})
	if counted != want || b.stored(a, clock.Day(noon)) != want {
		t.Errorf("%d counted over the keys, %d stored, want %d", counted, b.stored(a, clock.Day(noon)), want)
	}
}

// A clock that is wrong while the service runs, set back an hour or forward a day and
// then corrected, gives no account a day twice, and refuses no account that has something left
// of the latest day that the clock has shown.
func TestClockChangedWhileRunning(t *testing.T) {
	t.Parallel()
	const limit = 5
	midnight := clock.Day(noon).End()
	for name, steps := range map[string][]struct {
		at       time.Time
		admitted int // of ten requests
	}{
		"back an hour at noon":           {{noon, 5}, {noon.Add(-time.Hour), 0}, {noon, 0}, {midnight, 5}},
		"back an hour after midnight":    {{noon, 5}, {midnight.Add(time.Minute), 5}, {midnight.Add(-time.Hour), 0}, {midnight.Add(time.Hour), 0}, {midnight.Add(25 * time.Hour), 5}},
		"forward a day and right again":  {{noon, 5}, {noon.Add(24 * time.Hour), 5}, {noon.Add(time.Hour), 0}, {noon.Add(25 * time.Hour), 0}, {noon.Add(48 * time.Hour), 5}},
		"forward without a request":      {{noon, 5}, {noon.Add(time.Hour), 0}, {midnight, 5}},
		"forward two days, right again":  {{noon, 5}, {noon.Add(48 * time.Hour), 5}, {noon.Add(time.Hour), 0}, {noon.Add(24 * time.Hour), 5}, {noon.Add(49 * time.Hour), 0}},
		"back two days and right again":  {{noon, 5}, {noon.Add(-48 * time.Hour), 5}, {noon.Add(time.Hour), 0}, {midnight, 5}},
		"the night of 23 hours, an hour": {{time.Date(2026, 3, 29, 1, 30, 0, 0, time.UTC), 5}, {time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC), 0}, {time.Date(2026, 3, 29, 22, 0, 0, 0, time.UTC), 5}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			a, k := b.account("a")
			c := clock.At(noon)
			m := b.meter(c)
			for i, step := range steps {
				c.Set(step.at)
				admitted := 0
				for range 10 {
					if v, _ := sendRequest(m, a, k, ampleLimits(limit), 200); v.Rejection == meter.None {
						admitted++
					}
				}
				if admitted != step.admitted {
					t.Errorf("step %d, %v: %d admitted, want %d", i, step.at, admitted, step.admitted)
				}
				fresh, key := b.account(fmt.Sprint("new ", i))
				if v, _ := sendRequest(m, fresh, key, ampleLimits(limit), 200); v.Rejection != meter.None {
					t.Errorf("step %d: a new account is refused: %+v", i, v)
				}
				b.flush(m)
			}
		})
	}
}

// An account that had something left of the day when the clock ran a day ahead loses no more than that, and
// no count: each request is counted once, also while nothing is written yet, no day exceeds its quota, and
// the day after the one that the clock ran into is whole.
func TestClockADayAheadCountsOnce(t *testing.T) {
	t.Parallel()
	const limit = 5
	for before := range limit + 1 {
		b := openFixture(t)
		a, k := b.account("a")
		c := clock.At(noon)
		m := b.meter(c)
		var admitted [3]int // on the clock as it should have been
		for _, step := range []struct {
			day, requests int
			at            time.Time
		}{
			{0, before, noon}, {0, 2, noon.Add(24 * time.Hour)}, {0, 10, noon.Add(time.Hour)},
			{1, 10, noon.Add(25 * time.Hour)}, {2, 10, noon.Add(48 * time.Hour)},
		} {
			c.Set(step.at)
			for range step.requests {
				if v, _ := sendRequest(m, a, k, ampleLimits(limit), 200); v.Rejection == meter.None {
					admitted[step.day]++
				}
			}
		}
		b.flush(m)
		var stored, all int
		for i, n := range admitted {
			used := b.stored(a, clock.Day(noon.Add(time.Duration(i)*24*time.Hour)))
			if used > limit {
				t.Errorf("%d before: %d stored on day %d, of %d", before, used, i, limit)
			}
			stored, all = stored+used, all+n
		}
		if stored != all || admitted[0]+admitted[1] < before+limit || admitted[2] != limit {
			t.Errorf("%d before: admitted %d, stored %d; want each once, %d on the first two days and %d on the last",
				before, admitted, stored, before+limit, limit)
		}
	}
}

// A plan that changes in the course of a day changes what is left of the day and not what was
// used: who pays for more has the difference at once, who goes back has what the smaller plan
// leaves, and going to and fro wins nothing.
func TestPlanChangedInTheDay(t *testing.T) {
	b, a, k := newAccount(t)
	m := b.meter(clock.At(noon))
	for i, step := range []struct{ limit, admitted int }{{5, 5}, {12, 7}, {5, 0}, {12, 0}, {20, 8}, {5, 0}, {21, 1}} {
		admitted := 0
		for range 30 {
			v, used := sendRequest(m, a, k, ampleLimits(step.limit), 200)
			if v.Rejection == meter.None {
				admitted++
			}
			if v.QuotaLimit != step.limit || used != v.QuotaUsed {
				t.Errorf("step %d: %+v says the limit %d", i, v, step.limit)
			}
		}
		if admitted != step.admitted {
			t.Errorf("step %d, limit %d: %d admitted, want %d", i, step.limit, admitted, step.admitted)
		}
		b.flush(m)
	}
}
