package shared_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/billing/meter/shared"
	"arpent/internal/clock"
	"arpent/internal/ident"
)

// In a cluster all keys of one call are in one slot, or the node refuses it: every kind of call, of accounts
// that are spread over the nodes, is decided and counted there.
func TestClusterUnderConcurrentCalls(t *testing.T) {
	t.Parallel()
	s := testkit.Must(shared.Open(testkit.RedisCluster(t)))(t)
	s.Timing = shared.Timing{Slow: time.Hour, GiveUp: time.Hour, Request: time.Hour} // the machine may be busy
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); s.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	testkit.Eventually(t, testkit.Timeout, "the cluster is there", s.Up)
	day := clock.Day(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	decide := func(r shared.Request) {
		t.Helper()
		for n := range 3 { // two are admitted
			c, err := s.Decide(r)
			if err != nil {
				t.Fatalf("%+v: %v", r, err)
			}
			if c.Answer.Admitted() != (n < 2) {
				t.Errorf("%+v: call %d: %+v", r, n, c.Answer)
			}
		}
	}
	for id := range ident.AccountID(40) {
		of := shared.Day{Account: id + 1, Date: day, Key: 7}
		r := shared.Request{Day: of, PerMinute: 2, EnrichmentsPerMinute: 2, PerDay: 100, Cost: 1, Keep: time.Hour, KeyPerDay: 100}
		decide(r)
		decide(shared.Request{Address: netip.AddrFrom4([4]byte{192, 0, 2, byte(id)}), PerMinute: 2})
		if n, ok := s.Used(ctx, shared.Day{Account: of.Account, Date: day}); !ok || n != [3]int{2, 2, 2} {
			t.Errorf("account %d has used %v, %t", of.Account, n, ok)
		}
		s.Refund(of, 1, true)
		s.Owe(&shared.Request{Day: shared.Day{Account: id + 1000, Date: day}, EnrichmentsPerMinute: 1, Cost: 1}, time.Now())
		of.Account = id + 2000
		decide(shared.Request{Day: of, PerMinute: 2, Cost: 1, Free: true})
	}
	for id := range ident.AccountID(40) {
		testkit.Eventually(t, testkit.Timeout, "refunds and what was owed have arrived", func() bool {
			refunded, _ := s.Used(ctx, shared.Day{Account: id + 1, Date: day})
			owed, _ := s.Used(ctx, shared.Day{Account: id + 1000, Date: day})
			return refunded == [3]int{2, 2, 1} && owed == [3]int{1, 1, -1}
		})
	}
}
