package testkit

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector takes traces as an OpenTelemetry collector does, and keeps them.
type Collector struct {
	URL string

	mu     sync.Mutex
	bodies []byte
	spans  []*otlp.Span
}

// NewCollector starts a collector for the test, which fails if it is sent anything but traces.
func NewCollector(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var data otlp.TracesData
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" ||
			proto.Unmarshal(body, &data) != nil {
			t.Errorf("no traces: %s %v, %v", r.URL.Path, r.Header, err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies = append(c.bodies, body...)
		for _, of := range data.ResourceSpans {
			for _, scope := range of.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// Spans are those that the collector has got.
func (c *Collector) Spans() []*otlp.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Bodies are all bytes that the collector has got.
func (c *Collector) Bodies() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.bodies)
}

// Attribute is the value of an attribute of a span as text; empty: it has none of that name.
func Attribute(s *otlp.Span, name string) string {
	for _, a := range s.Attributes {
		switch {
		case a.Key == name && a.Value.GetStringValue() != "":
			return a.Value.GetStringValue()
		case a.Key == name:
			return strconv.FormatInt(a.Value.GetIntValue(), 10)
		}
	}
	return ""
}
