package attack_test

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"syscall"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/web/reference"
)

// What one network of 48 bits causes without an account has the ceilings of docs/operations/limits.md, from
// however many of its 65 536 networks of 64 bits it asks, and a client of another network is still served.
func TestCeilingsOfOneNetwork(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, behindProxy)
	b := s.Browser()
	from := ""
	b.Before = func(r *http.Request) { r.Header.Set("X-Forwarded-For", from) }
	from = "192.0.2.1"
	token, forgot := b.Token(), b.Get("/forgot").Form("/forgot")
	get := func(format string) func(int) *testkit.Page {
		return func(n int) *testkit.Page { return b.Get(fmt.Sprintf(format, n)) }
	}
	for row, c := range []struct {
		what      string
		ask       func(n int) *testkit.Page
		requests  int
		atOnce    int     // admitted after a pause
		perMinute float64 // in the long run
	}{
		{"calls of the API without a key", get("/api/v1?x=%d"), 200, 120, 120},
		{"reports of the landing page", get("/?parcelle=930100000A%04d"), 40, 5, 15},
		{"look-ups in the explorer", get("/explore?commune=93010&x=%d"), 300, 240, 0.4},
		{"suggestions", get("/explore/suggest?q=rue+%d"), 600, 480, 48},
		{"calls of the console", func(int) *testkit.Page {
			return b.Send(http.MethodPost, reference.Path+"/get_commune", url.Values{"token": {token}, reference.FieldPlace: {"0"}})
		}, 30, 7, 7.5},
		{"requests for a mail", func(n int) *testkit.Page {
			forgot.Set("email", fmt.Sprintf("somebody%d@exemple.fr", n))
			return b.Send(http.MethodPost, "/forgot", forgot)
		}, 90, 80, 80.0 / 60},
	} {
		began, processor, admitted := time.Now(), processorTime(t), 0
		for n := range c.requests {
			from = fmt.Sprintf("2001:db8:%x:%x::1", row, n%200<<8) // each in a /56 of its own
			switch p := c.ask(n); p.Status {
			case http.StatusTooManyRequests:
			default:
				admitted++
			}
		}
		took := time.Since(began)
		ceiling := c.atOnce + int(math.Ceil(c.perMinute*took.Minutes()))
		t.Logf("%s: %d of %d in %s, ceiling %d, %s of processors with the test", c.what, admitted, c.requests, took.Round(time.Millisecond),
			ceiling, processorTime(t)-processor)
		if admitted == 0 || admitted > ceiling {
			t.Errorf("%s: %d of %d were admitted in %s, want 1 to %d", c.what, admitted, c.requests, took, ceiling)
		}
		from = fmt.Sprintf("2001:db8:ff%02x::1", row)
		if other := c.ask(c.requests); other.Status == http.StatusTooManyRequests || other.Status >= http.StatusInternalServerError {
			t.Errorf("%s: %d for another network", c.what, other.Status)
		}
	}
}

// processorTime is the time that this process, with the server in it, has taken of all processors.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	testkit.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
