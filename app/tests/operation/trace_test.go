package operation_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"arpent/app/base/config"
	"arpent/app/base/trace"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// With a collector an operator sees what a slow request waited for, whether a program or an assistant made it; with no key, no argument
// and no address in it.
func TestSlowRequestsAreTraced(t *testing.T) {
	t.Parallel()
	s := fixture.New(t, fixture.Territory)
	collector := testkit.NewCollector(t)
	s.Run(func(c *config.Config) { c.Collector = collector.URL })
	secret := s.Account("a@example.org", "pro")
	s.UntilIndexed(secret)
	release := stuckReports(s)
	answered := make(chan string, 2)
	go func() { answered <- s.Get(aReport + "?api_key=" + secret).Header.Get("X-Request-Id") }()
	go func() {
		answered <- s.Do(http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_parcel_enrichments","arguments":{"idu":"930100000A0001"}}}`,
			"X-API-Key", secret, "Content-Type", "application/json", "Accept", "application/json, text/event-stream").Header.Get("X-Request-Id")
	}()
	busyReports(s, true)
	time.Sleep(trace.SlowAfter)
	release()
	ids := []string{<-answered, <-answered}
	s.Get("/healthz")
	s.Stop() // sends what is left
	spans := collector.Spans()
	for _, id := range ids {
		if id == "" || !bytes.Contains(collector.Bodies(), []byte(id)) {
			t.Errorf("no trace of the request %q", id)
		}
	}
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
	if len(requests) != 2 {
		t.Errorf("%d slow requests: %v", len(requests), requests)
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
