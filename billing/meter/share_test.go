package meter_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/billing/meter/shared"
	"arpent/internal/clock"
)

// useShortTimeouts gives a store up soon.
func useShortTimeouts(m *meter.Meter) {
	meter.Timing(m, shared.Timing{Slow: 20 * time.Millisecond, GiveUp: 500 * time.Millisecond, Request: 100 * time.Millisecond})
}

// neverGiveUp notices a stall soon, and never gives up.
func neverGiveUp(m *meter.Meter) {
	meter.Timing(m, shared.Timing{Slow: 20 * time.Millisecond, GiveUp: time.Hour, Request: 100 * time.Millisecond})
}

// pauseRedis stops the store in the middle of whatever it does, as a machine
// without time for it would. Nothing is lost.
func pauseRedis(t testing.TB, client *redis.Client) (resume func()) {
	t.Helper()
	info := testkit.Must(client.Info(t.Context(), "server").Result())(t)
	found := regexp.MustCompile(`process_id:(\d+)`).FindStringSubmatch(info)
	if found == nil {
		t.Fatal("no process_id in INFO")
	}
	pid, _ := strconv.Atoi(found[1])
	testkit.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	resume = sync.OnceFunc(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	t.Cleanup(resume)
	return resume
}

// hammerOnce sends requests at the same time, and counts the admitted.
func hammerOnce(m *meter.Meter, n int, send func(*meter.Meter) meter.Decision) int {
	var admitted atomic.Int64
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if send(m).Rejection == meter.None {
				admitted.Add(1)
			}
		})
	}
	all.Wait()
	return int(admitted.Load())
}

// attempt ends before the store forgets the first of its admissions.
type attempt struct{ end time.Time }

func (m attempt) over() bool { return time.Now().After(m.end) }

// eventually waits for a condition until the attempt is over.
func (m attempt) eventually(what string, holds func() bool) error {
	for !holds() {
		if m.over() {
			return errors.New(what + ": not within the minute")
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

// withinMinute runs an attempt, and again with another name when it took longer than the
// store remembers: a machine without time for it says nothing of the limits then. What an
// attempt finds wrong within its minute stands.
func withinMinute(t *testing.T, try func(m attempt, name string) error) {
	t.Helper()
	const attempts = 5
	for i := range attempts {
		m := attempt{time.Now().Add(50 * time.Second)}
		err := try(m, fmt.Sprint("attempt", i))
		if !m.over() {
			if err != nil {
				t.Error(err)
			}
			return
		}
		t.Logf("attempt %d took too long: %v", i, err)
	}
	t.Fatalf("%d attempts took longer than a minute each", attempts)
}

// While the store is slow, instances admit together no more than the limit; after it, the store knows each
// admission once, and no account gets another minute from it.
func TestStall(t *testing.T) {
	t.Parallel()
	for name, class := range map[string]meter.Class{"standard": meter.Standard, "enrichments": meter.Enrichments} {
		t.Run(name, func(t *testing.T) {
			s := stallFixture{fixture: newFixture(t), class: class}
			url := testkit.Redis(t)
			s.client = dialRedis(t, url)
			for range 3 {
				s.instances = append(s.instances, s.fixture.instance(url, clock.At(noon), neverGiveUp))
			}
			withinMinute(t, func(m attempt, name string) error { return s.stall(t, m, name) })
		})
	}
}

// stallFixture is three instances and the store that they share.
type stallFixture struct {
	fixture   *fixture
	client    *redis.Client
	instances []*meter.Meter
	class     meter.Class
}

// stallLimit is the limit in question: three shares of 30, and a rest.
const stallLimit = 92

// admission makes what sends a request of a new account, and what counts those that the store knows of it.
func (s stallFixture) admission(t *testing.T, name string) (send func(*meter.Meter) meter.Decision, inStore func() int) {
	a, k := s.fixture.account(name)
	l, window := billing.Limits{PerMinute: stallLimit, EnrichmentsPerMinute: 1, PerDay: 1 << 40}, ":minute"
	if s.class == meter.Enrichments {
		l.PerMinute, l.EnrichmentsPerMinute, window = 10*stallLimit, stallLimit, ":enrichments"
	}
	send = func(m *meter.Meter) meter.Decision {
		v := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Limits: l, Class: s.class, Cost: 1})
		m.Done(&v, meter.Answer{Status: 200})
		return v
	}
	return send, func() int {
		n := testkit.Must(s.client.LLen(t.Context(), fmt.Sprintf("arpent:{%d}%s", a, window)).Result())(t)
		return int(n)
	}
}

func (s stallFixture) all(holds func(*meter.Meter) bool) bool {
	return !slices.ContainsFunc(s.instances, func(m *meter.Meter) bool { return !holds(m) })
}

func (s stallFixture) unstalled() bool {
	return s.all(func(m *meter.Meter) bool { return !meter.Stalled(m) })
}

func (s stallFixture) stall(t *testing.T, m attempt, name string) error {
	send, inStore := s.admission(t, name)
	if err := m.eventually("three instances to know each other", func() bool {
		return s.all(func(m *meter.Meter) bool { return meter.Instances(m) == 3 })
	}); err != nil {
		return err
	}
	first := 0
	for i, n := range []int{20, 10, 0} {
		for range n {
			if v := send(s.instances[i]); v.Rejection == meter.None {
				first++
			}
		}
	}
	if first != 30 {
		return fmt.Errorf("%d admitted of 30 within the share", first)
	}
	if err := m.eventually("the store to know them, and no stall", func() bool { return inStore() == first && s.unstalled() }); err != nil {
		return err
	}

	resume := pauseRedis(t, s.client)
	defer resume()
	total := first
	for i, own := range []int{20, 10, 0} {
		alone := hammerOnce(s.instances[i], 300, send)
		if own+alone > stallLimit/3 {
			return fmt.Errorf("instance %d admitted %d of its share of %d", i, own+alone, stallLimit/3)
		}
		total += alone
	}
	if total > stallLimit || total == first {
		return fmt.Errorf("%d admitted during the stall, %d in all; the limit is %d", total-first, total, stallLimit)
	}
	if v := send(s.instances[0]); v.Rejection != meter.Minute || v.RetryAfter > time.Second || v.Remaining != 0 {
		return fmt.Errorf("beyond the share: %+v", v)
	}
	resume()
	if err := m.eventually("the store to know each admission once, and the end of the stall", func() bool { return inStore() == total && s.unstalled() }); err != nil {
		return err
	}
	for _, m := range s.instances {
		total += hammerOnce(m, 200, send)
	}
	if total > stallLimit {
		return fmt.Errorf("%d admitted after the stall, limit %d", total, stallLimit)
	}
	return m.eventually("the store to agree", func() bool { return inStore() == total })
}

// A stall that goes on is a loss: the instance goes on at the plan's rate. When the store is back, it knows
// what was admitted without it, and the other instance gets the rest.
func TestStallBecomesLoss(t *testing.T) {
	b := newFixture(t)
	url := testkit.Redis(t)
	client := dialRedis(t, url)
	two := []*meter.Meter{b.instance(url, clock.At(noon), useShortTimeouts), b.instance(url, clock.At(noon))}
	withinMinute(t, func(m attempt, name string) error { return checkLoss(t, m, b, name, client, two) })
}

func checkLoss(t *testing.T, m attempt, b *fixture, name string, client *redis.Client, two []*meter.Meter) error {
	ready := func() bool {
		return two[0].State().SharedUp && two[1].State().SharedUp && !meter.Stalled(two[0]) && !meter.Stalled(two[1]) &&
			meter.Instances(two[0]) == 2 && meter.Instances(two[1]) == 2
	}
	if err := m.eventually("both to know each other", ready); err != nil {
		return err
	}
	a, k := b.account(name)
	l := billing.Limits{PerMinute: 50, EnrichmentsPerMinute: 1, PerDay: 1 << 40}
	send := func(m *meter.Meter) meter.Decision {
		v, _ := sendRequest(m, a, k, l, 200)
		return v
	}
	resume := pauseRedis(t, client)
	defer resume()
	admitted := 0
	if err := m.eventually("the loss", func() bool {
		if send(two[0]).Rejection == meter.None {
			admitted++
		}
		return !two[0].State().SharedUp
	}); err != nil {
		return err
	}
	for range 50 {
		if send(two[0]).Rejection == meter.None {
			admitted++
		}
	}
	if admitted != 50 {
		return fmt.Errorf("%d admitted without the store, want 50", admitted)
	}
	resume()
	if err := m.eventually("the store to be used again, and to know", func() bool {
		return ready() && client.LLen(t.Context(), fmt.Sprintf("arpent:{%d}:minute", a)).Val() == 50
	}); err != nil {
		return err
	}
	for range 5 {
		if v := send(two[1]); v.Rejection != meter.Minute {
			return fmt.Errorf("the other instance: %+v", v)
		}
	}
	return nil
}

// What an instance admitted of a day counts for others in a stall, though they have not seen the account
// since, and so does after it what instances admitted while the store was slow.
func TestDayAfterStall(t *testing.T) { dayAfterStall(t, 90, 0) }

// So it does for the day of a key.
func TestDayOfAKeyAfterStall(t *testing.T) { dayAfterStall(t, 100_000, 90) }

func dayAfterStall(t *testing.T, perDay, keyPerDay int) {
	b := newFixture(t)
	url := testkit.Redis(t)
	var three []*meter.Meter
	for range 3 {
		three = append(three, b.instance(url, clock.At(noon), neverGiveUp))
	}
	unstalled := func() { // and no request waits for what was admitted without the store
		t.Helper()
		testkit.Eventually(t, testkit.Timeout, "all know each other, and no stall", func() bool {
			return !slices.ContainsFunc(three, func(m *meter.Meter) bool {
				return meter.Instances(m) != 3 || meter.Stalled(m) || !meter.Reconciled(m)
			})
		})
	}
	unstalled()
	a, k := b.account("a")
	limits := billing.Limits{PerMinute: 100_000, EnrichmentsPerMinute: 1, PerDay: perDay}
	send := func(m *meter.Meter) meter.Decision { return sendCapped(m, a, k, limits, keyPerDay, 200) }
	admitted := 0
	for _, m := range three {
		admitted += hammerOnce(m, 1, send)
	}
	written := func() bool { return b.stored(a, clock.Day(noon)) == admitted }
	testkit.Eventually(t, testkit.Timeout, "counts written", written) // then nothing shows two of them what the first admits
	admitted += hammerOnce(three[0], 30, send)
	testkit.Eventually(t, testkit.Timeout, "counts written", written)
	resume := pauseRedis(t, dialRedis(t, url))
	for _, m := range three {
		admitted += hammerOnce(m, 200, send)
	}
	if admitted <= 60 || admitted > 90 {
		t.Errorf("%d of 90 admitted in a stall", admitted)
	}
	resume()
	// A second is what PostgreSQL has in production; a busy machine may take longer. It may also stall by
	// itself, and an instance that is asked then admits a share alone: the others come as often as it takes.
	round := func() {
		for _, m := range three {
			testkit.Eventually(t, testkit.Timeout, "counts written", written)
			unstalled()
			admitted += hammerOnce(m, 200, send)
		}
	}
	testkit.Eventually(t, testkit.Timeout, "the whole day admitted", func() bool { round(); return admitted >= 90 })
	if round(); admitted != 90 {
		t.Errorf("%d of 90 admitted", admitted)
	}
}
