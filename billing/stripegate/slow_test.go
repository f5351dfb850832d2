package stripegate_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/stripegate"
	"arpent/internal/clock"
)

// A bank takes its time: a charge of ten seconds is waited for, and one of more than 25 is not; what is asked
// again then, by the same form or by a later one, is paid once. No time passes outside the test's bubble.
func TestSlowCharge(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	sim := stripesim.ForTest(t, stripesim.Options{NoMock: true, Clock: clock.At(at)})
	gate := stripegate.New(stripegate.Options{Key: stripesim.DefaultKey, Prices: plans, PublicURL: "https://arpent.example", Backend: sim.URL(),
		HTTP: &http.Client{Transport: sim.Transport()}, Clock: sim})
	// paid is what a new customer has paid for an upgrade of a bank that takes so long, tried by each of
	// these keys.
	paid := func(t *testing.T, name string, delay time.Duration, want error, keys ...string) int64 {
		t.Helper()
		sim.SetBankDelay(0)
		ctx := context.Background()
		customer := testkit.Must(gate.CreateCustomer(ctx, billing.CustomerRequest{Account: 1, Reference: name, Email: name + "@exemple.fr", Language: "fr", Attempt: "0"}))(t)
		sub := testkit.Must(sim.Subscribe(customer, stripesim.StandardPrice, stripesim.CardOK))(t)
		for i, key := range keys {
			sim.SetBankDelay(delay)
			start := time.Now()
			err := gate.Upgrade(ctx, sub, monthly(billing.Pro), at, key)
			took := time.Since(start)
			if i > 0 { // done meanwhile
				want, delay = nil, 0
			}
			if !errors.Is(err, want) || want == nil && err != nil {
				t.Errorf("%s, try %d: %v", name, i+1, err)
			}
			if want != nil && (!errors.Is(err, context.DeadlineExceeded) || took > stripegate.ChargeTimeout+time.Second) || took < min(delay, stripegate.ChargeTimeout) {
				t.Errorf("%s, try %d: %v after %s", name, i+1, err, took)
			}
		}
		s, _, err := gate.Read(ctx, billing.Customer{ID: customer, Reference: name})
		if err != nil || s.Plan != billing.Pro {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		return sim.Kept(customer)
	}
	synctest.Test(t, func(t *testing.T) {
		once := paid(t, "fast", 0, nil, "1")
		if got := paid(t, "slow", 10*time.Second, nil, "1"); got != once {
			t.Errorf("a slow charge takes %d cents instead of %d", got, once)
		}
		if got := paid(t, "slower", 26*time.Second, billing.ErrUnavailable, "1", "1", "2"); got != once {
			t.Errorf("a charge that was given up and asked for again takes %d cents instead of %d", got, once)
		}
	})
}
