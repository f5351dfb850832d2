package app_test

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"arpent/app"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// newDrainingApp makes an instance that goes on for delay when it is stopped, unless it is hurried.
func newDrainingApp(t *testing.T, delay time.Duration) (s *fixture.Service, a *app.App, hurry func()) {
	t.Helper()
	s = fixture.New(t, fixture.Territory)
	hurried := make(chan struct{})
	return s, s.Build(func(in *app.Inputs) { in.DrainDelay, in.Hurry = delay, hurried }), sync.OnceFunc(func() { close(hurried) })
}

// A probe sees that the server is leaving while it still answers everything: no client is sent to a closed
// port. A second request to stop ends the wait.
func TestNotReadyBeforeClosedToSimultaneousRequests(t *testing.T) {
	t.Parallel()
	s, a, hurry := newDrainingApp(t, time.Hour)
	s.Serve(a)
	t.Cleanup(hurry) // before the cleanup that waits for the end
	s.UntilReady()
	ended := make(chan struct{})
	go func() { s.Stop(); close(ended) }()
	fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // a connection each, as other callers have
	ask := func(path string) int {
		t.Helper()
		res := testkit.Must(fresh.Get(s.Base + path))(t)
		res.Body.Close()
		return res.StatusCode
	}
	testkit.Eventually(t, testkit.Timeout, "/readyz says that the server is leaving", func() bool {
		return ask("/readyz") == http.StatusServiceUnavailable
	})
	if got := ask("/api/v1"); got != http.StatusOK {
		t.Errorf("while draining the API answers %d", got)
	}
	if got := ask("/healthz"); got != http.StatusOK {
		t.Errorf("while draining /healthz answers %d: it would be restarted", got)
	}
	hurry()
	select {
	case <-ended:
	case <-time.After(testkit.Timeout):
		t.Fatal("it goes on for the whole delay")
	}
}

// A server that is stopped while it starts ends, also when it had not begun to accept: a deployment that
// changes its mind does not hang until it is killed.
func TestStopBeforeTheFirstConnection(t *testing.T) { // not parallel: one processor for all, so that stopping comes first
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	_, a, _ := newDrainingApp(t, 0)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx, func(string) { stop() }) }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(testkit.Timeout):
		t.Fatal("it waits for connections for ever")
	}
}
