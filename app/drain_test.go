package app_test

import (
	"context"
	"net/http"
	"runtime"
	"testing"
	"time"

	"arpent/app"
	"arpent/app/base/config"
	"arpent/app/dev/testkit"
)

// drainable makes an instance that goes on for delay when it is stopped, unless it is hurried.
func drainable(t *testing.T, delay time.Duration) (a *app.App, hurry chan struct{}) {
	t.Helper()
	pool, url := testkit.DB(t)
	if _, err := pool.Exec(t.Context(), smallFrance); err != nil {
		t.Fatal(err)
	}
	c, err := config.Read([]string{"ARPENT_HOST=127.0.0.1", "ARPENT_LOG_LEVEL=error"})
	if err != nil {
		t.Fatal(err)
	}
	c.Port, c.StateDir = 0, t.TempDir()
	hurry = make(chan struct{})
	a, err = app.New(t.Context(), app.Inputs{Config: c, Pool: pool, DatabaseURL: url, DrainDelay: delay, Hurry: hurry})
	if err != nil {
		t.Fatal(err)
	}
	return a, hurry
}

// drained starts an instance that is told to stop, and gives its address, the way to hurry it and its end.
func drained(t *testing.T, delay time.Duration) (base string, hurry chan struct{}, ended chan error) {
	t.Helper()
	a, hurry := drainable(t, delay)
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- a.Run(ctx, func(at string) { address <- at }) }()
	select {
	case at := <-address:
		base = "http://" + at
	case err := <-ended:
		t.Fatal(err)
	}
	stop()
	return base, hurry, ended
}

// A probe sees that the server is leaving while it still answers everything: nobody is sent to a closed port. Whoever asks
// twice does not wait.
func TestNotReadyBeforeClosed(t *testing.T) {
	t.Parallel()
	base, hurry, ended := drained(t, time.Hour)
	fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // a connection each, as other callers have
	ask := func(path string) int {
		t.Helper()
		res, err := fresh.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
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
	close(hurry)
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on for the whole delay")
	}
}

// A server that is told to stop while it starts ends, also when it had not begun to accept: a deployment that changes its
// mind does not hang until it is killed.
func TestStopBeforeTheFirstConnection(t *testing.T) { // not parallel: one processor for all, so that stopping comes first
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	a, _ := drainable(t, 0)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx, func(string) { stop() }) }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for connections for ever")
	}
}
