package operation_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
	"arpent/internal/trace"
)

// With a collector an operator sees what a slow request waited for, whether a program or an assistant made
// it; with no key, no argument and no address in it.
func TestSlowRequestsAreTraced(t *testing.T) {
	t.Parallel()
	s := fixture.New(t, fixture.Territory)
	collector := testkit.NewCollector(t)
	s.Run(func(c *config.Config) { c.Collector = collector.URL })
	secret := s.Account("a@example.org", "pro")
	s.UntilIndexed(secret)
	s.Exec(coverRadon)
	traced := func(r fixture.Response) bool {
		return bytes.Contains(collector.Bodies(), []byte(r.Header.Get("X-Request-Id")))
	}
	slowly(s, traced, func() fixture.Response { return s.Get(aReport + "?fields=radon&api_key=" + secret) })
	slowly(s, traced, func() fixture.Response {
		return s.Do(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_parcel_enrichments","arguments":{"idu":"930100000A0001","fields":["radon"]}}}`,
			"X-API-Key", secret, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	})
	s.Stop()
	spans := collector.Spans()
	requests := map[string][]string{} // names of the parts, by that of the request
	for _, r := range spans {
		if r.Kind == otlp.Span_SPAN_KIND_SERVER {
			for _, part := range spans {
				if bytes.Equal(part.TraceId, r.TraceId) {
					requests[r.Name] = append(requests[r.Name], part.Name+" "+testkit.Attribute(part, "db.query.text"))
				}
			}
		}
	}
	for name, parts := range map[string][]string{
		"GET /api/v1/parcelles/{idu}/enrichments": {"admission", "wait for a connection", "geo.enrich_radon"},
		"POST /mcp": {"get_parcel_enrichments", "admission", "wait for a connection", "geo.enrich_radon"},
	} {
		for _, part := range parts {
			if !strings.Contains(strings.Join(requests[name], "\n"), part) {
				t.Errorf("%s has no part %q: %q", name, part, requests[name])
			}
		}
	}
	for _, hidden := range []string{secret, "930100000A0001", "a@example.org"} {
		if bytes.Contains(collector.Bodies(), []byte(hidden)) {
			t.Errorf("%q is in a trace", hidden)
		}
	}
}

// slowly makes a request whose report has to wait for a table, until it is seen that it was slow. A busy
// machine may be so late with the request that the table is free again, or so slow that the report is given
// up.
func slowly(s *fixture.Service, seen func(fixture.Response) bool, request func() fixture.Response) {
	s.T.Helper()
	testkit.Eventually(s.T, 2*testkit.Timeout, "a slow request is seen", func() bool {
		tx, err := s.Pool.Begin(s.T.Context())
		if err == nil {
			_, err = tx.Exec(s.T.Context(), lockRadon)
		}
		testkit.NoError(s.T, err)
		answered := make(chan fixture.Response, 1)
		go func() {
			defer close(answered) // also when there is no answer
			answered <- request()
		}()
		time.Sleep(2 * trace.SlowAfter)
		testkit.NoError(s.T, tx.Rollback(s.T.Context()))
		r := <-answered
		for waited := time.Now(); r.Status == http.StatusOK && time.Since(waited) < 5*time.Second; {
			if seen(r) {
				return true
			}
			time.Sleep(50 * time.Millisecond)
		}
		return false
	})
}
