package fetch

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	perHost = 2 // requests at a time
	// maxPause is how long at most is waited for a host that asks for a pause. What it asks beyond is an error.
	maxPause = 10 * time.Minute
	// downAfter is how many attempts in a row a host leaves without an answer before it is taken to be down
	// for downFor: the other files of a run do not wait for it each.
	downAfter = perHost * maxAttempts
	downFor   = time.Minute
)

// intervals are the shortest times between two requests to a host, as far as its operator publishes a limit.
var intervals = map[string]time.Duration{
	"api.insee.fr":    2 * time.Second,        // 30 a minute
	"data.ademe.fr":   100 * time.Millisecond, // 600 a minute
	"data.geopf.fr":   time.Second,            // the strictest of its services
	"overpass-api.de": 5 * time.Second,        // a shared server that asks for restraint
}

// transport spaces the requests to each host, redirects too, and gives each read of an answer a deadline.
type transport struct {
	next   http.RoundTripper
	client *Client // its clock
	mu     sync.Mutex
	hosts  map[string]*host
}

type host struct {
	name         string
	slots        chan struct{}
	next         time.Time // no request before
	failureCount int       // attempts in a row without an answer
	downErr      error     // of the last of them
	downTo       time.Time
}

// RoundTrip implements http.RoundTripper. The request counts as under way until its body is closed.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.mu.Lock()
	h := t.hosts[req.URL.Host]
	if h == nil {
		h = &host{name: req.URL.Host, slots: make(chan struct{}, perHost)}
		t.hosts[h.name] = h
	}
	t.mu.Unlock()
	select {
	case h.slots <- struct{}{}:
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	release := sync.OnceFunc(func() { cancel(nil); <-h.slots })
	for { // until the host may be asked again
		pause, err := t.reserveRequest(h, intervals[req.URL.Hostname()])
		if err == nil && pause > 0 {
			err = t.client.o.Sleep(ctx, pause)
		}
		if err != nil {
			release()
			return nil, err
		}
		if pause <= 0 {
			break
		}
	}
	counted, is := ctx.Value(tallyKey{}).(*tally)
	if !is {
		counted = &tally{} // that no caller reads
	}
	counted.requests.Add(1)
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	t.recordAnswer(req.Context(), h, resp, err)
	if err != nil {
		release()
		return nil, connectionError(h.name, err)
	}
	resp.Request = req
	resp.Body = &body{resp.Body, ctx, cancel, release, h.name, t.client.o.Stall, counted}
	return resp, nil
}

// body is that of an answer. Each read has a deadline.
type body struct {
	io.ReadCloser
	ctx     context.Context
	cancel  context.CancelCauseFunc
	release func()
	host    string
	stall   time.Duration
	counted *tally
}

func (b *body) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil { // bytes that came before could still be read
		return 0, &temporary{error: context.Cause(b.ctx)}
	}
	timer := time.AfterFunc(b.stall, func() { b.cancel(fmt.Errorf("%s sent nothing for %s", b.host, b.stall)) })
	n, err := b.ReadCloser.Read(p)
	timer.Stop()
	b.counted.bytes.Add(int64(n))
	if err != nil && err != io.EOF {
		err = &temporary{error: cmp.Or(context.Cause(b.ctx), err)}
	}
	return n, err
}

func (b *body) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}

// tally counts what a context's requests cost.
type tally struct{ requests, bytes atomic.Int64 }

type tallyKey struct{}

// reserveRequest takes the next time at which the host may be asked, if that is now,
// and else returns how long it is until then.
func (t *transport) reserveRequest(h *host, interval time.Duration) (time.Duration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.client.Now()
	pause := h.next.Sub(now)
	switch {
	case now.Before(h.downTo):
		return 0, fmt.Errorf("%s was not reached %d times in a row: %w", h.name, downAfter, h.downErr)
	case pause > maxPause:
		return 0, fmt.Errorf("%s asks for no requests before %s", h.name, h.next.Format(time.RFC3339))
	case pause <= 0:
		h.next = now.Add(interval)
	}
	return pause, nil
}

// recordAnswer counts the attempts without an answer, but for those that the caller ended, and takes note of
// the pause that a busy host asks for, for all further requests to it.
func (t *transport) recordAnswer(ctx context.Context, h *host, resp *http.Response, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.client.Now()
	switch {
	case err == nil:
		h.failureCount = 0
		isBusy := resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable
		if until := now.Add(retryAfter(resp.Header.Get("Retry-After"), now)); isBusy && until.After(h.next) {
			h.next = until
		}
	case ctx.Err() == nil:
		if h.failureCount++; h.failureCount >= downAfter {
			h.downErr, h.downTo = err, now.Add(downFor)
		}
	}
}

// retryAfter reads the header Retry-After: seconds or a date. Without one that can be read it is 0.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return at.Sub(now)
	}
	return 0
}
