package fetch_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/clock"
	"arpent/internal/opendata/ingest/fetch"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func okResponse(body string) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
}

// requestFrom asks a host through a transport, and closes the answer.
func requestFrom(t *testing.T, transport http.RoundTripper, address string) error {
	t.Helper()
	req := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))(t)
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// newSpacedTransport is how a client sends its requests through next.
func newSpacedTransport(t *testing.T, next http.RoundTripper, o fetch.Options) http.RoundTripper {
	t.Helper()
	o.Next = next
	client := testkit.Must(fetch.NewClient(o))(t)
	return client.HTTP.Transport
}

func movingClockOptions(c *clock.Fixed) fetch.Options {
	return fetch.Options{Clock: c, Sleep: func(ctx context.Context, d time.Duration) error { c.Advance(d); return ctx.Err() }}
}

// INSEE's limit of 30 requests a minute is kept to; a host without a limit does not wait, nor for another.
func TestRequestsAreSpaced(t *testing.T) {
	t.Parallel()
	c := clock.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	asked := map[string][]time.Duration{}
	start := c.Now()
	transport := newSpacedTransport(t, roundTripper(func(r *http.Request) (*http.Response, error) {
		asked[r.URL.Host] = append(asked[r.URL.Host], c.Now().Sub(start))
		return okResponse(""), nil
	}), movingClockOptions(c))
	for range 30 {
		for _, host := range []string{"api.insee.fr", "www.insee.fr"} {
			testkit.NoError(t, requestFrom(t, transport, "https://"+host+"/x"))
		}
	}
	for i, at := range asked["api.insee.fr"] {
		if want := time.Duration(i) * 2 * time.Second; at != want || asked["www.insee.fr"][i] != want {
			t.Fatalf("request %d after %s (%s)", i, at, asked["www.insee.fr"][i])
		}
	}
}

// A host has two requests under way at most, each until its answer is closed. Others are not held up.
func TestRequestsAtATime(t *testing.T) {
	t.Parallel()
	var underWay, highest atomic.Int32
	transport := newSpacedTransport(t, roundTripper(func(*http.Request) (*http.Response, error) {
		if n := underWay.Add(1); n > highest.Load() {
			highest.Store(n)
		}
		return okResponse(""), nil
	}), fetch.Options{})
	var open []*http.Response
	get := func(ctx context.Context, address string) (*http.Response, error) {
		req := testkit.Must(http.NewRequestWithContext(ctx, http.MethodGet, address, nil))(t)
		return transport.RoundTrip(req)
	}
	for range 2 {
		resp := testkit.Must(get(t.Context(), "https://a.example/x"))(t)
		open = append(open, resp)
	}
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := get(soon, "https://a.example/x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a third request: %v", err)
	}
	if _, err := get(t.Context(), "https://b.example/x"); err != nil {
		t.Error(err)
	}
	testkit.NoError(t, open[0].Body.Close())
	if _, err := get(t.Context(), "https://a.example/x"); err != nil || highest.Load() != 4 {
		t.Errorf("%v, %d requests", err, highest.Load())
	}
}

// Many files of a host that is down do not each wait for it: after
// ten attempts it is left alone for a minute.
func TestHostThatIsDown(t *testing.T) {
	t.Parallel()
	c := clock.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	dials := 0
	transport := newSpacedTransport(t, roundTripper(func(*http.Request) (*http.Response, error) {
		dials++
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	}), movingClockOptions(c))
	var err error
	for range 30 {
		err = requestFrom(t, transport, "https://a.example/x")
	}
	loadkit.Contains(t, err, "a.example was not reached 10 times in a row", "connection refused")
	testkit.Want(t, dials, 10, "attempts")
	c.Advance(time.Minute)
	if err := requestFrom(t, transport, "https://a.example/x"); err == nil || dials != 11 {
		t.Errorf("a minute later: %v, %d attempts", err, dials)
	}
}

// A host that does not exist is not asked again.
func TestHostThatDoesNotExist(t *testing.T) {
	t.Parallel()
	asked := 0
	client, err := fetch.NewClient(fetch.Options{Next: roundTripper(func(*http.Request) (*http.Response, error) {
		asked++
		return nil, &net.DNSError{Err: "no such host", Name: "a.example", IsNotFound: true}
	})})
	testkit.NoError(t, err)
	_, err = client.Bytes(t.Context(), "https://a.example/x")
	loadkit.Contains(t, err, "no such host")
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}
