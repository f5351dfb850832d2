package operation_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/fixture"
	"arpent/internal/config"
	"arpent/internal/trace"
)

// sampledLine is a line of the access log.
type sampledLine struct {
	Operation, Reason string
	Status, Sampled   int
	DurationUS        int64 `json:"duration_us"`
}

func readLines(t *testing.T, log *fixture.Lines) (out []sampledLine) {
	t.Helper()
	for text := range strings.Lines(log.String()) {
		var l sampledLine
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		out = append(out, l)
	}
	return out
}

// An operator who logs a sample of successes misses no failure and no slow request, and can still count: a
// line that stands for others says for how many.
func TestLogSamplesSuccesses(t *testing.T) {
	t.Parallel()
	s := fixture.New(t, fixture.Territory)
	s.Log = &fixture.Lines{}
	sample := func(oneIn int) func(*config.Config) { return func(c *config.Config) { c.LogSuccesses = oneIn } }
	s.Run(sample(1_000_000))
	key := s.Account("sample@example.org", "pro")
	for range 20 {
		s.Get("/api/v1/regions", "X-API-Key", key)
		s.Get("/api/v1/regions/00", "X-API-Key", key)
	}
	isSlow := func(l sampledLine) bool {
		return l.Status == http.StatusOK && l.DurationUS >= trace.SlowAfter.Microseconds() && l.Sampled == 0
	}
	s.Exec(coverRadon)
	logged := func(fixture.Response) bool { return slices.ContainsFunc(readLines(t, s.Log), isSlow) }
	slowly(s, logged, func() fixture.Response { return s.Get(aReport, "X-API-Key", key) })
	s.Stop() // writes what is left
	failed, slow := 0, 0
	for _, l := range readLines(t, s.Log) {
		switch {
		case l.Status == http.StatusNotFound && l.Reason == "not_found" && l.Sampled == 0:
			failed++
		case isSlow(l):
			slow++
		case l.Status < 400:
			t.Errorf("a line that was not to be chosen: %+v", l)
		}
	}
	if failed != 20 || slow == 0 {
		t.Errorf("%d failures of 20 and %d slow requests are logged", failed, slow)
	}

	const requests, oneIn = 400, 8
	s.Log.Forget()
	s.Run(sample(oneIn))
	for range requests {
		s.Get("/robots.txt")
	}
	s.Stop()
	counted := 0
	for _, l := range readLines(t, s.Log) {
		counted += max(l.Sampled, 1)
	}
	// The standard deviation is 53: a test that fails once in some seventy million runs.
	if counted < requests-300 || counted > requests+300 {
		t.Errorf("the lines stand for %d requests of %d", counted, requests)
	}
}
