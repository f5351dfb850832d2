package trace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	// A sample is enough when all are slow: requests that find the queue full are not traced.
	queueLength = 256
	batchLength = 64
	sendEvery   = time.Second
	sendTimeout = 3 * time.Second // for what waits at a time
	// A longer statement is cut.
	statementLength = 4 << 10
)

// collector is where traces are sent: OTLP over HTTP, as protobuf (OpenTelemetry Protocol 1.11).
type collector struct {
	url      string
	resource *resource.Resource
	client   *http.Client
	queue    chan *Request
	dropped  atomic.Uint64
	failing  bool // belongs to Run
}

// Options of a Tracer.
type Options struct {
	Endpoint string        // http(s) address of a collector, without /v1/traces; empty: there are no traces
	Version  string        // of this program
	Instance string        // name of this process
	Slow     time.Duration // requests that take less are not sent; 0: SlowAfter
}

// New makes a tracer; nil without an endpoint. It does not touch the network: Run does.
func New(o Options) *Tracer {
	if o.Endpoint == "" {
		return nil
	}
	o.Slow = cmp.Or(o.Slow, SlowAfter)
	return &Tracer{slow: o.Slow, collector: collector{
		url: strings.TrimRight(o.Endpoint, "/") + "/v1/traces",
		resource: &resource.Resource{Attributes: []*common.KeyValue{
			stringAttr("service.name", "arpent"), stringAttr("service.version", o.Version),
			stringAttr("service.instance.id", o.Instance)}},
		client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		queue:  make(chan *Request, queueLength),
	}}
}

// Check asks the collector to take an empty message. A nil Tracer has nothing to check.
func (t *Tracer) Check(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.postBatch(ctx, nil)
}

// Dropped counts the slow requests that were not delivered.
func (t *Tracer) Dropped() uint64 {
	if t == nil {
		return 0
	}
	return t.dropped.Load()
}

// queueRequest queues r, or counts it as dropped when the queue is full.
func (c *collector) queueRequest(r *Request) {
	select {
	case c.queue <- r:
	default:
		c.dropped.Add(1)
	}
}

// Run sends traces until ctx ends, and then what is left, unless the collector failed before. A batch that is
// not taken is dropped: traces are no record.
func (t *Tracer) Run(ctx context.Context) {
	if t == nil {
		return
	}
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			if !t.failing {
				t.sendQueued(ctx)
			}
			return
		case <-tick.C:
			t.sendQueued(ctx)
		}
	}
}

// sendQueued sends what waits. What is on its way when ctx ends still arrives.
func (c *collector) sendQueued(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	for {
		batch := c.nextBatch()
		if len(batch) == 0 {
			return
		}
		err := c.postBatch(ctx, batch)
		if err != nil {
			c.dropped.Add(uint64(len(batch)))
		}
		switch {
		case err != nil && !c.failing:
			slog.WarnContext(ctx, "traces not delivered", "error", err)
		case err == nil && c.failing:
			slog.InfoContext(ctx, "traces delivered again")
		}
		if c.failing = err != nil; c.failing {
			return
		}
	}
}

func (c *collector) nextBatch() (batch []*Request) {
	for len(batch) < batchLength {
		select {
		case r := <-c.queue:
			batch = append(batch, r)
		default:
			return batch
		}
	}
	return batch
}

func (c *collector) postBatch(ctx context.Context, batch []*Request) error {
	spans := &otlp.ScopeSpans{Scope: &common.InstrumentationScope{Name: "arpent"}}
	for _, r := range batch {
		spans.Spans = append(spans.Spans, r.encodeSpans()...)
	}
	body, err := proto.Marshal(&otlp.TracesData{ResourceSpans: []*otlp.ResourceSpans{{Resource: c.resource,
		ScopeSpans: []*otlp.ScopeSpans{spans}}}})
	if err != nil {
		return fmt.Errorf("encode traces: %w", err)
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send traces: %w", err)
	}
	q.Header.Set("Content-Type", "application/x-protobuf")
	answer, err := c.client.Do(q)
	if err != nil {
		return fmt.Errorf("send traces: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return errors.New("send traces: the collector answered " + answer.Status)
	}
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // so that the connection is used again
	return nil
}

// encodeSpans makes a span of the request, by the names of the semantic conventions (1.37)
// where they have one, and one of each part.
func (r *Request) encodeSpans() []*otlp.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	trace, ids := make([]byte, 16), make([][]byte, len(r.spans)+1)
	binary.NativeEndian.PutUint64(trace, rand.Uint64())
	binary.NativeEndian.PutUint64(trace[8:], rand.Uint64()|1) // all zeros would be none
	for i := range ids {
		ids[i] = binary.NativeEndian.AppendUint64(nil, rand.Uint64()|1)
	}
	a := &r.answer
	root := &otlp.Span{TraceId: trace, SpanId: ids[0], Name: a.Method + " " + a.Route,
		Kind:              otlp.Span_SPAN_KIND_SERVER,
		StartTimeUnixNano: r.unixNanoAt(0), EndTimeUnixNano: r.unixNanoAt(r.took),
		Attributes: []*common.KeyValue{stringAttr("http.request.method", a.Method), stringAttr("http.route",
			a.Route),
			intAttr("http.response.status_code", a.Status), stringAttr("arpent.request_id", a.RequestID)}}
	if a.Operation != "" {
		root.Attributes = append(root.Attributes, stringAttr("arpent.operation", a.Operation))
	}
	if r.missed > 0 {
		root.Attributes = append(root.Attributes, intAttr("arpent.parts_not_recorded", r.missed))
	}
	if a.Status >= http.StatusInternalServerError {
		root.Status = &otlp.Status{Code: otlp.Status_STATUS_CODE_ERROR}
	}
	out := []*otlp.Span{root}
	for i := range r.spans {
		s := &r.spans[i]
		s.ended = cmp.Or(s.ended, r.took) // it goes on without the request
		one := &otlp.Span{TraceId: trace, SpanId: ids[i+1], ParentSpanId: ids[s.parent+1], Name: s.name,
			Kind:              otlp.Span_SPAN_KIND_INTERNAL,
			StartTimeUnixNano: r.unixNanoAt(s.begun), EndTimeUnixNano: r.unixNanoAt(s.ended)}
		if s.statement != "" {
			one.Kind = otlp.Span_SPAN_KIND_CLIENT
			one.Attributes = []*common.KeyValue{stringAttr("db.system.name", "postgresql"),
				stringAttr("db.query.text", strings.ToValidUTF8(s.statement[:min(len(s.statement),
					statementLength)], ""))}
		}
		if s.state != "" {
			one.Status = &otlp.Status{Code: otlp.Status_STATUS_CODE_ERROR, Message: s.state}
		}
		out = append(out, one)
	}
	return out
}

func (r *Request) unixNanoAt(after time.Duration) uint64 {
	return uint64(r.start.Add(after).UnixNano())
}

func stringAttr(name, value string) *common.KeyValue {
	return &common.KeyValue{Key: name, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func intAttr(name string, value int) *common.KeyValue {
	return &common.KeyValue{Key: name, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: int64(
		value)}}}
}
