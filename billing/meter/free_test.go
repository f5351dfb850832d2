package meter_test

import (
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/internal/clock"
)

// A request that costs nothing of the day counts in the minute like the others, on one instance and over two;
// the day and the usage do not count it.
func TestAdmitFree(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		b := openFixture(t)
		account, key := b.account("free")
		limits := billing.Limits{PerMinute: 6, EnrichmentsPerMinute: 6, PerDay: 3}
		one := b.meter(clock.Real{})
		two := one
		if shared {
			url := testkit.Redis(t)
			one, two = b.instance(url, clock.Real{}), b.instance(url, clock.Real{})
			testkit.Eventually(t, testkit.Timeout, "shared", func() bool { return one.State().SharedUp && two.State().SharedUp })
		}
		admit := func(m *meter.Meter) meter.Decision {
			v := m.Admit(t.Context(), meter.Request{Account: account, Key: key, Limits: limits, Cost: 1})
			v.QuotaUsed = m.Done(&v, meter.Answer{Status: 200})
			return v
		}
		for range 2 {
			if one.AdmitFree(account, limits).Rejection != meter.None || two.AdmitFree(account, limits).Rejection != meter.None {
				t.Fatalf("shared %v: refused with room left", shared)
			}
		}
		if v := admit(one); v.Rejection != meter.None || v.QuotaUsed != 1 || v.Remaining != 1 {
			t.Errorf("shared %v: a request after four free ones: %+v", shared, v)
		}
		if two.AdmitFree(account, limits).Rejection != meter.None {
			t.Errorf("shared %v: refused with room left", shared)
		}
		for range 2 { // the second is refused without asking
			if p := two.AdmitFree(account, limits); p.Rejection == meter.None || p.Met != 6 || p.RetryAfter <= 0 || p.RetryAfter > time.Minute {
				t.Errorf("shared %v: the seventh in a minute: %+v", shared, p)
			}
		}
		if v := admit(one); v.Rejection != meter.Minute || v.QuotaUsed != 1 {
			t.Errorf("shared %v: a request in a full minute: %+v", shared, v)
		}
		limits.PerMinute = 100
		for range 2 {
			if v := admit(one); v.Rejection != meter.None {
				t.Errorf("shared %v: %+v", shared, v)
			}
		}
		if v := admit(one); v.Rejection != meter.Day {
			t.Errorf("shared %v: the fourth of a day of three: %+v", shared, v)
		}
		if one.AdmitFree(account, limits).Rejection != meter.None {
			t.Errorf("shared %v: refused for a day that is used up", shared)
		}
	}
}
