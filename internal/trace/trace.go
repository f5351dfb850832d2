// Package trace records what slow requests waited for, and sends it to an OpenTelemetry collector as
// spans. A fast request leaves nothing behind, and without a collector nothing is recorded. A trace
// names routes, operations and statements: no address, no header, no argument and no message of the
// database, any of which may hold what is secret.
package trace

import (
	"context"
	"sync"
	"time"
)

// SlowAfter is how long a request takes at least that is sent. Nothing
// here is meant to take as long, but a password.
const SlowAfter = 250 * time.Millisecond

// maxSpans bounds the memory of one request.
const maxSpans = 200

// Tracer records requests. A nil Tracer records none.
type Tracer struct {
	collector
	slow time.Duration
}

// Request is one request while it is served. A nil Request records nothing.
type Request struct {
	tracer *Tracer
	start  time.Time

	mu     sync.Mutex // a report has several statements under way
	ended  bool
	spans  []span
	missed int // spans beyond maxSpans
	took   time.Duration
	answer Answer
}

// Answer is what is known of a request once it is answered.
type Answer struct {
	Operation string // of the API; empty: it is none
	Route     string // the pattern, not the path
	Method    string
	Status    int
	RequestID string // as the answer and the log have it
}

// span is a part of a request. Times count from its start.
type span struct {
	name, statement string // statement: of PostgreSQL; empty: it is none
	parent          int    // index among the spans; none: the request itself
	begun, ended    time.Duration
	state           string // SQLSTATE, or why it failed; empty: it did not
}

const none = -1

type contextKey struct{}

// spanPosition is where in a request a context is.
type spanPosition struct {
	request *Request
	parent  int
}

// Begin records a request from now on: what takes the context that it gives is a part of it.
func (t *Tracer) Begin(ctx context.Context) (context.Context, *Request) {
	if t == nil {
		return ctx, nil
	}
	r := &Request{tracer: t, start: time.Now()}
	return context.WithValue(ctx, contextKey{}, spanPosition{r, none}), r
}

// End ends the request, and has it sent if it was slow. Parts that go on are cut off here.
func (r *Request) End(a Answer) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended, r.took, r.answer = true, time.Since(r.start), a
	if r.took >= r.tracer.slow {
		r.tracer.queueRequest(r)
	}
}

// Span is a part of a request that has begun. The zero value is none.
type Span struct {
	request *Request
	index   int
}

// Start begins a part of the request of ctx, if it is recorded. What takes the
// context that it gives is within that part.
func Start(ctx context.Context, name string) (context.Context, Span) {
	return startSpan(ctx, name, "")
}

func startSpan(ctx context.Context, name, statement string) (context.Context, Span) {
	at, recorded := ctx.Value(contextKey{}).(spanPosition)
	if !recorded {
		return ctx, Span{}
	}
	s := at.request.addSpan(span{name: name, statement: statement, parent: at.parent,
		begun: time.Since(at.request.start)})
	if s.request == nil {
		return ctx, s
	}
	return context.WithValue(ctx, contextKey{}, spanPosition{s.request, s.index}), s
}

func (r *Request) addSpan(s span) Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.ended:
		return Span{}
	case len(r.spans) == maxSpans:
		r.missed++
		return Span{}
	}
	r.spans = append(r.spans, s)
	return Span{r, len(r.spans) - 1}
}

// End ends the part.
func (s Span) End() { s.endWithState("") }

// endWithState ends the part, and says why it failed: "" if it did not.
func (s Span) endWithState(state string) {
	if s.request == nil {
		return
	}
	s.request.mu.Lock()
	defer s.request.mu.Unlock()
	if !s.request.ended { // else it is being sent
		of := &s.request.spans[s.index]
		of.ended, of.state = time.Since(s.request.start), state
	}
}
