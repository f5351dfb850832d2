package harness_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"arpent/app/dev/harness"
	"arpent/app/dev/testkit"
)

// A figure that the harness gets wrong would be claimed to customers.
func TestSteadyTrafficIsCharged(t *testing.T) {
	t.Parallel()
	const stall = 200 * time.Millisecond
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-API-Key") != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		if n.Add(1) == 10 {
			time.Sleep(stall)
		}
	}))
	defer server.Close()
	took, err := harness.Steady{Base: server.URL, Path: "/", Rate: 100, Lasting: 500 * time.Millisecond, Clients: 1,
		Key: func(int, int) string { return "secret" }}.Run(func(status int) {
		if status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	})
	testkit.NoError(t, err)
	if len(took) != 50 || n.Load() != 50 {
		t.Errorf("%d requests were timed and %d answered, expected 50", len(took), n.Load())
	}
	// One answer stalls; all that were due meanwhile waited with it.
	if p75 := harness.Quantile(took, 0.75); p75 < stall/10 {
		t.Errorf("the slowest quarter took at least %s: those that waited behind the stalled one were not charged", p75)
	}
}

// What the limiter admitted is counted from these answers.
func TestHammerSortsAnswers(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i := n.Add(1)
		if i > 100 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		if i > 300 {
			enough()
		}
	}))
	defer server.Close()
	admitted, others := harness.Hammer(ctx, []string{server.URL}, 10, "/", "")
	if len(admitted) != 100 || others[http.StatusTooManyRequests] == 0 || len(others) != 1 {
		t.Errorf("%d admitted, others %v", len(admitted), others)
	}
	for i := 1; i < len(admitted); i++ {
		if admitted[i].Received.Before(admitted[i-1].Received) {
			t.Fatal("answers are not in the order of their arrival")
		}
	}
}
