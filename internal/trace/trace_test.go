package trace_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"arpent/app/dev/testkit"
	"arpent/internal/trace"
)

// collectSpans runs requests on a tracer, and gives what the collector got of them.
func collectSpans(t *testing.T, slow time.Duration, requests func(*trace.Tracer)) (spans []*otlp.Span, body []byte) {
	t.Helper()
	c := testkit.NewCollector(t)
	tracer := trace.New(trace.Options{Endpoint: c.URL, Slow: slow})
	requests(tracer)
	ended, stop := context.WithCancel(t.Context())
	stop()
	tracer.Run(ended) // sends what is left
	testkit.Want(t, tracer.Dropped(), 0, "dropped")
	return c.Spans(), c.Bodies()
}

func spanNames(spans []*otlp.Span) (out []string) {
	for _, s := range spans {
		out = append(out, s.Name)
	}
	return out
}

func testAnswer() trace.Answer {
	return trace.Answer{Operation: "get_commune", Route: "/api/v1/communes/{code}", Method: http.MethodGet, Status: 503, RequestID: "0123456789abcdef"}
}

// A slow request is sent with its parts, one within the other; a fast one is not,
// nor is anything recorded without a collector.
func TestSlowRequests(t *testing.T) {
	t.Parallel()
	spans, _ := collectSpans(t, time.Nanosecond, func(tracer *trace.Tracer) {
		ctx, r := tracer.Begin(t.Context())
		inner, outer := trace.Start(ctx, "outer")
		_, part := trace.Start(inner, "inner")
		part.End()
		outer.End()
		_, open := trace.Start(ctx, "open")
		r.End(testAnswer())
		open.End()
		if _, late := trace.Start(ctx, "late"); late != (trace.Span{}) {
			t.Error("a part of a request that has ended is recorded")
		}
	})
	if got, want := spanNames(spans), []string{"GET /api/v1/communes/{code}", "outer", "inner", "open"}; !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	root := spans[0]
	for name, want := range map[string]string{"http.route": "/api/v1/communes/{code}", "arpent.operation": "get_commune", "arpent.request_id": "0123456789abcdef"} {
		if got := testkit.Attribute(root, name); !strings.Contains(got, want) {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if root.Kind != otlp.Span_SPAN_KIND_SERVER || root.Status.GetCode() != otlp.Status_STATUS_CODE_ERROR || len(root.TraceId) != 16 || len(root.SpanId) != 8 {
		t.Errorf("the request is %v", root)
	}
	for i, parent := range []int{1: 0, 2: 1, 3: 0} {
		s := spans[i]
		if i > 0 && !bytes.Equal(s.ParentSpanId, spans[parent].SpanId) {
			t.Errorf("%s is not within %s", s.Name, spans[parent].Name)
		}
		if !bytes.Equal(s.TraceId, root.TraceId) || s.StartTimeUnixNano < root.StartTimeUnixNano || s.EndTimeUnixNano > root.EndTimeUnixNano || s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("%s does not lie within the request: %v", s.Name, s)
		}
	}
	if spans, _ := collectSpans(t, time.Hour, func(tracer *trace.Tracer) {
		_, r := tracer.Begin(t.Context())
		r.End(testAnswer())
	}); spans != nil {
		t.Errorf("a fast request is sent: %v", spans)
	}
	none := trace.New(trace.Options{})
	ctx, r := none.Begin(t.Context())
	_, part := trace.Start(ctx, "part")
	part.End()
	r.End(testAnswer())
	if none != nil || ctx != t.Context() {
		t.Error("something is recorded without a collector")
	}
}

// The memory of a request is bounded, and a trace says how much it lacks.
func TestManyConcurrentParts(t *testing.T) {
	t.Parallel()
	spans, _ := collectSpans(t, time.Nanosecond, func(tracer *trace.Tracer) {
		ctx, r := tracer.Begin(t.Context())
		var all sync.WaitGroup
		for range 250 {
			all.Go(func() { _, s := trace.Start(ctx, "part"); s.End() })
		}
		all.Wait()
		r.End(testAnswer())
	})
	if len(spans) != 201 || !strings.Contains(testkit.Attribute(spans[0], "arpent.parts_not_recorded"), "50") {
		t.Errorf("%d spans, %v", len(spans), spans[0].Attributes)
	}
}

// Statements and the wait for a connection are parts of a request. What was sent with them, and
// what the database says of it, is in no trace.
func TestStatements(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	const secret = "arp_hidden"
	spans, body := collectSpans(t, time.Nanosecond, func(tracer *trace.Tracer) {
		ctx, r := tracer.Begin(t.Context())
		var n int
		if err := pool.QueryRow(ctx, "SELECT length($1::text)", secret).Scan(&n); err != nil || n != len(secret) {
			t.Error(n, err)
		}
		err := pool.QueryRow(ctx, "SELECT $1::text::int", secret).Scan(&n)
		if pg := (*pgconn.PgError)(nil); !errors.As(err, &pg) || !strings.Contains(pg.Message, secret) {
			t.Errorf("no error that repeats what was sent: %v", err)
		}
		batch := &pgx.Batch{}
		batch.Queue("SELECT $1::text || 'one'", secret)
		batch.Queue("SELECT pg_sleep(0.02), $1::text", secret)
		if err := pool.SendBatch(ctx, batch).Close(); err != nil {
			t.Error(err)
		}
		r.End(testAnswer())
	})
	const wait, statement = "wait for a connection", "statement"
	want := []string{"GET /api/v1/communes/{code}", wait, statement, wait, statement, wait, "batch"}
	if got := spanNames(spans); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	if bytes.Contains(body, []byte(secret)) {
		t.Error("what was sent with a statement is in the trace")
	}
	if got := testkit.Attribute(spans[2], "db.query.text"); !strings.Contains(got, "SELECT length($1::text)") || spans[2].Kind != otlp.Span_SPAN_KIND_CLIENT {
		t.Errorf("the statement is %q", got)
	}
	if spans[2].Status != nil || spans[4].Status.GetMessage() != "22P02" {
		t.Errorf("states %v and %v, want none and 22P02", spans[2].Status, spans[4].Status)
	}
	both := spans[6]
	if got := testkit.Attribute(both, "db.query.text"); !strings.Contains(got, "'one'") || !strings.Contains(got, "pg_sleep") ||
		both.EndTimeUnixNano-both.StartTimeUnixNano < uint64(20*time.Millisecond) {
		t.Errorf("the batch is %v", both)
	}
}

// What is on its way when the process ends arrives.
func TestEndDuringConcurrentSending(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(asked); <-release }))
	defer server.Close()
	tracer := trace.New(trace.Options{Endpoint: server.URL, Slow: time.Nanosecond})
	_, r := tracer.Begin(t.Context())
	r.End(testAnswer())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); tracer.Run(ctx) }()
	<-asked
	stop()
	close(release)
	<-ended
	testkit.Want(t, tracer.Dropped(), 0, "dropped")
}

// A collector that is away, refuses or sends elsewhere delays no request, and what
// it does not get is counted.
func TestCollectorFails(t *testing.T) {
	t.Parallel()
	elsewhere := testkit.NewCollector(t)
	for name, handler := range map[string]http.HandlerFunc{
		"refuses": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"sends elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/v1/traces", http.StatusTemporaryRedirect)
		},
		"hangs up": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(handler)
			defer server.Close()
			tracer := trace.New(trace.Options{Endpoint: server.URL + "/", Slow: time.Nanosecond})
			if tracer.Check(t.Context()) == nil {
				t.Error("nothing is said about it")
			}
			for range 300 { // more than may wait
				_, r := tracer.Begin(t.Context())
				r.End(testAnswer())
			}
			testkit.Want(t, tracer.Dropped(), 300-256, "dropped before any is sent")
			ended, stop := context.WithCancel(t.Context())
			stop()
			tracer.Run(ended)
			if n := tracer.Dropped(); n != 300-256+64 { // of a collector that fails no more is asked until the next time
				t.Errorf("%d dropped, want %d", n, 300-256+64)
			}
		})
	}
	if err := trace.New(trace.Options{Endpoint: elsewhere.URL}).Check(t.Context()); err != nil {
		t.Error(err)
	}
	t.Cleanup(func() {
		if elsewhere.Spans() != nil {
			t.Error("a redirect is followed")
		}
	})
}
