package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"time"

	"arpent/api/reply"
	"arpent/auth/apikey"
	"arpent/billing/meter"
	"arpent/internal/fault"
	"arpent/internal/trace"
)

// Caller is who calls an operation, as the adapter that received the call has found out.
type Caller struct {
	Key    *apikey.Entry // whose limits hold; nil: an anonymous client
	Reason error         // why the call is rejected although nothing else speaks against it; nil: it is not
	// Address is that of the client. It is looked at when there is no key, when the call is rejected, and for
	// a key that is bound to networks; see needsAddress. The log has the network of a call that met a limit.
	Address netip.Addr
	// SharedAddress is set for callers of many people behind one address, such as hosted assistants: what
	// is rejected is not counted against it.
	SharedAddress bool
	Conn          net.Conn // long work ends when the client closes it; nil: it runs to its end
	// Try claims one of the calls that an anonymous client may make of an operation that needs
	// a key, or returns why there is none. It is called once the minute of the address allows
	// the call. nil: there are no such calls.
	Try   func(context.Context) error
	Holds []byte // entity tag of the answer that the client has kept; nil: none
}

// needsAddress reports whether admission will look at the address of the client.
func (c *Caller) needsAddress() bool {
	return c.Key == nil || c.Reason != nil || c.Key.Paused || len(c.Key.Networks) > 0
}

// Result is what came of a call.
type Result struct {
	Status int // of the HTTP answer
	// what the operation gave, on a 304 too; unless it is own it is shared, and must not be modified
	Body  []byte
	Tag   []byte       // entity tag of the body; empty: the answer must not be kept
	Fault *fault.Error // what went wrong, as the caller may read it; nil for a 200 and a 304

	own       bool // see reply.Reply
	admission admission
	requestID [16]byte
}

// admission is under which limits a call was admitted or rejected.
type admission struct {
	key      *apikey.Entry // nil: those of anonymous clients
	decision meter.Decision
}

// RequestID names the call in the log.
func (r *Result) RequestID() string { return string(r.requestID[:]) }

// QuotaRemaining is how many requests the account has left today.
func (r *Result) QuotaRemaining() int { return r.admission.quotaRemaining() }

// QuotaReset is when the next quota day begins.
func (r *Result) QuotaReset() time.Time { return time.Unix(r.admission.decision.QuotaReset, 0) }

// limitMet names the limit that a refused call met: one of those of meter.Decision, or anonymous.
func (a *admission) limitMet() string {
	if a.key == nil {
		return "anonymous"
	}
	return a.decision.LimitMet()
}

func (a *admission) quotaRemaining() int { return max(0, a.decision.QuotaLimit-a.decision.QuotaUsed) }

// reserveRemaining returns the rest of the reserve of the month, once today's quota is used.
func (a *admission) reserveRemaining() int {
	v := &a.decision
	return max(0, v.Reserve-max(0, v.QuotaUsed-v.QuotaLimit))
}

// Execute runs an operation of the table: admission of the caller, check of the arguments, the
// operation itself, counting. It is the operation without HTTP; REST takes the same way with memory of
// its own. What goes wrong is a part of the result.
func (s *Server) Execute(ctx context.Context, caller Caller, op *Operation, arguments Arguments) *Result {
	ctx, part := trace.Start(ctx, op.Name)
	defer part.End()
	x := &execution{caller: caller, request: Request{ctx: ctx, op: op, arguments: arguments}}
	newRequestID(&x.result.requestID)
	s.runExecution(x)
	s.recordCall(x, http.MethodGet, len(x.result.Body))
	return &x.result
}

// execution is one call of an operation on its way through the server. It is
// used again for another one: nothing keeps it.
type execution struct {
	caller  Caller
	request Request
	result  Result
	start   time.Time
	trace   *trace.Request
	tag     reply.TagBuffer
	scratch [128]byte // for the value of a header about limits
}

// runExecution handles every call: admission, arguments, operation, count.
func (s *Server) runExecution(x *execution) {
	r, out := &x.request, &x.result
	x.start = s.clock.Now()
	r.conn = x.caller.Conn
	var answer reply.Reply
	_, admission := trace.Start(r.ctx, "admission")
	err := s.admitCaller(r.ctx, &x.caller, r.op, out, x.start)
	admission.End()
	if err == nil {
		answer, err = s.runOperation(r)
	}
	if err != nil {
		out.Fault = toClientFault(err, &out.requestID)
		out.Status = out.Fault.Code.Status()
	} else {
		out.Status, out.Body, out.own = http.StatusOK, answer.Body, answer.Own
		if !r.op.NotCached {
			out.Tag = s.tagger.Tag(&x.tag, answer.Version)
		}
		if matchesTag(x.caller.Holds, out.Tag) {
			out.Status = http.StatusNotModified
		}
	}
	if out.admission.key != nil {
		done := meter.Answer{Operation: r.op.number, Status: out.Status, RequestID: out.requestID,
			Took: s.clock.Now().Sub(x.start)}
		if out.Fault != nil {
			done.Reason, done.Parameter = string(out.Fault.Code), out.Fault.Parameter
		}
		out.admission.decision.QuotaUsed = s.meter.Done(&out.admission.decision, done)
	}
}

// matchesTag compares weakly (RFC 9110 8.8.3.2).
func matchesTag(held, tag []byte) bool {
	weak := []byte("W/")
	return len(held) > 0 && len(tag) > 0 && bytes.Equal(bytes.TrimPrefix(held, weak),
		bytes.TrimPrefix(tag, weak))
}

// runOperation checks the arguments and runs the operation. A panic becomes a
// 500: one request must not end the process.
func (s *Server) runOperation(r *Request) (answer reply.Reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("operation panicked", "operation", r.op.Name, "panic", p, "stack", string(debug.Stack()))
			err = errors.New("panic in " + r.op.Name)
		}
	}()
	if err := r.validateArguments(s.handlers.readLoaded()); err != nil {
		return reply.Reply{}, err
	}
	answer, err = r.op.Run(s.handlers, r)
	if note := r.reading; note != "" {
		answer, err = addReading(note, answer, err)
	}
	return answer, err
}

// addReading says in an answer, or in the error that there is none, as what an argument was read.
func addReading(note string, answer reply.Reply, err error) (reply.Reply, error) {
	if err != nil {
		f := *fault.From(err)
		if f.Code == fault.NotFound {
			f.Message += " " + note
		}
		return answer, &f
	}
	said, err := json.Marshal([]string{note})
	if err != nil {
		return answer, err
	}
	body := append(slices.Clip(bytes.TrimSuffix(answer.Body, []byte("}"))), `,"readings":`...)
	return reply.New(append(append(body, said...), '}')), nil
}

// toClientFault turns an error into what the caller may read. What
// only the operator may read goes to the log.
func toClientFault(err error, id *[16]byte) *fault.Error {
	f := *fault.From(err)
	switch f.Code {
	case fault.Internal:
		slog.Error("request failed", "request_id", string(id[:]), "error", f.Cause)
		f.Message += " Quote request id " + string(id[:]) + " when you write to us."
	case fault.Unavailable:
		slog.Warn("request not served", "request_id", string(id[:]), "error", cmp.Or[error](f.Cause, &f))
	}
	return &f
}

// recordCall counts and logs a call, once its answer is ready.
func (s *Server) recordCall(x *execution, method string, bytes int) {
	op, out, took := x.request.op, &x.result, time.Since(x.start)
	s.metrics.recordAnswer(op.number, out.Status, took)
	e := line{requestID: out.requestID[:], operation: op.Name, method: method, status: out.Status, bytes: bytes,
		duration: took}
	if key := out.admission.key; key != nil {
		e.accountID, e.keyID = int64(key.Account), int64(key.ID)
	}
	if out.Fault != nil {
		e.reason = string(out.Fault.Code)
	}
	if out.Status == http.StatusTooManyRequests {
		e.limit, e.client = out.admission.limitMet(), x.caller.Address
	}
	s.log.addLine(x.start.Add(took), &e)
	if x.trace != nil {
		x.trace.End(trace.Answer{Operation: op.Name, Route: Root + op.Path, Method: method, Status: out.Status,
			RequestID: out.RequestID()})
	}
}
