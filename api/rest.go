package api

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/api/reply"
	"arpent/auth/management"
	"arpent/internal/fault"
	"arpent/internal/httpbody"
)

// Register mounts the API on a Fiber application.
func (s *Server) Register(app *fiber.App) {
	// Fiber tries them in turn: those that are asked most are the last
	for i := len(s.operations) - 1; i >= 0; i-- {
		op := &s.operations[i]
		app.Get(fiberPath(op.Path), func(c *fiber.Ctx) error { return s.serveOperation(c, op) })
	}
	wrong := s.fallbackOperation(func(*Handlers, *Request) (reply.Reply, error) {
		return reply.Reply{}, fault.New(fault.MethodNotAllowed, "Every operation is a GET (or HEAD).", nil)
	})
	for i := range s.operations {
		for _, method := range fiber.DefaultMethods {
			if method != fiber.MethodGet && method != fiber.MethodHead {
				app.Add(method, fiberPath(s.operations[i].Path), func(c *fiber.Ctx) error {
					return s.serveOperation(c, wrong)
				})
			}
		}
	}
	unknown := s.fallbackOperation(func(*Handlers, *Request) (reply.Reply, error) {
		return reply.Reply{}, fault.Missing("There is no endpoint at this path. %s lists them all.", Root)
	})
	app.Use(Root, func(c *fiber.Ctx) error { return s.serveOperation(c, unknown) })
	app.Use("/api", func(c *fiber.Ctx) error {
		return s.RespondError(c, fault.Missing("There is nothing at this path. The API lives below %s.", Root))
	})
}

// fallbackOperation answers a path under /api/v1 that is no operation. It is counted as any other.
func (s *Server) fallbackOperation(run func(*Handlers, *Request) (reply.Reply, error)) *Operation {
	return &Operation{Name: unknownPath, number: uint8(len(s.operations)), Cost: 1, NotCached: true, Run: run}
}

// fiberPath turns /communes/{code} into Fiber's /api/v1/communes/:code.
func fiberPath(path string) string {
	return Root + strings.NewReplacer("{", ":", "}", "").Replace(path)
}

var executions = sync.Pool{New: func() any { return new(execution) }}

// serveOperation is the adapter of REST: it reads a request for Execute and writes the result.
func (s *Server) serveOperation(c *fiber.Ctx, op *Operation) error {
	x := executions.Get().(*execution)
	defer executions.Put(x)
	x.result = Result{}
	setRequestID(c, &x.result.requestID)
	x.caller = s.authenticateRequest(c)
	var ctx context.Context
	ctx, x.trace = s.traces.Begin(context.Background())
	x.request = Request{ctx: ctx, op: op, memory: responseBuffer{c.Response()}}
	readArguments(c, op, &x.request.arguments)
	s.runExecution(x)
	out := &x.result
	if out.Fault != nil {
		s.writeFault(c.Response(), out.Fault)
	} else {
		writeResult(c, out)
	}
	out.admission.eachLimitHeader(x.scratch[:0], x.start, c.Response().Header.SetCanonical)
	if out.Status == fiber.StatusTooManyRequests {
		x.caller.Address = s.ClientAddress(c) // for the log
	}
	s.recordCall(x, methodOf(c.Context()), len(c.Response().Body()))
	return nil
}

// authenticateRequest finds out who sent a request: the key is the first of X-API-Key,
// Authorization: Bearer and api_key= that is not empty.
func (s *Server) authenticateRequest(c *fiber.Ctx) Caller {
	caller := Caller{Conn: c.Context().Conn(), Holds: ifNoneMatchTag(c)}
	if presented, inQuery := presentedKey(c); presented != "" {
		key, err := s.keys.Find(presented)
		switch {
		case err != nil:
			caller.Reason = errWrongKey
		case inQuery && key.RefuseInQuery:
			caller.Reason = errKeyInQuery
		default:
			caller.Key = key
		}
		if err != nil && strings.HasPrefix(presented, management.Mark) {
			caller.Reason = errManagementToken
		}
	}
	if caller.needsAddress() {
		caller.Address = s.ClientAddress(c)
	}
	return caller
}

func presentedKey(c *fiber.Ctx) (key string, inQuery bool) {
	if v := c.Request().Header.Peek("X-Api-Key"); len(v) > 0 {
		return unsafeString(v), false
	}
	if v := BearerToken(c); len(v) > 0 {
		return unsafeString(v), false
	}
	if len(c.Request().URI().QueryString()) == 0 {
		return "", false
	}
	return unsafeString(c.Context().QueryArgs().Peek("api_key")), true
}

// BearerToken returns what a request presents as Authorization: Bearer, which is valid while it is served;
// empty: nothing.
func BearerToken(c *fiber.Ctx) []byte {
	const scheme = "bearer "
	header := c.Request().Header.Peek(fiber.HeaderAuthorization)
	if len(header) < len(scheme) || !bytes.EqualFold(header[:len(scheme)], []byte(scheme)) {
		return nil
	}
	return bytes.TrimSpace(header[len(scheme):])
}

// ifNoneMatchTag is the tag of the answer that a client has kept. Only a single tag is compared: a 304 is not
// counted against the quota, so that * or a list would let a client test answers at no cost.
func ifNoneMatchTag(c *fiber.Ctx) []byte {
	h := &c.Request().Header
	if len(h.Peek(fiber.HeaderIfNoneMatch)) == 0 {
		return nil
	}
	lines := h.PeekAll(fiber.HeaderIfNoneMatch)
	if len(lines) != 1 {
		return nil
	}
	return bytes.TrimSpace(lines[0])
}

// readArguments reads path and query of a request, the query once. The texts live as long as the request.
func readArguments(c *fiber.Ctx, op *Operation, a *Arguments) {
	for i := range op.Params {
		if p := &op.Params[i]; p.In == "path" {
			a.values[i] = argument{pathValue(c, p.Name), true}
		}
	}
	if len(c.Request().URI().QueryString()) == 0 {
		return
	}
	key := false
	for name, value := range c.Context().QueryArgs().All() {
		switch {
		case string(name) != "api_key":
			a.setParam(op, "query", unsafeString(name), unsafeString(value))
		case key:
			a.Reject(givenTwiceError("api_key"))
		default:
			key = true
		}
	}
}

// pathValue is the path parameter called name, with escapes undone.
func pathValue(c *fiber.Ctx, name string) string {
	value := c.Params(name)
	if strings.IndexByte(value, '%') >= 0 {
		if plain, err := url.PathUnescape(value); err == nil {
			return plain
		}
	}
	return value
}

// responseBuffer lends the memory of a response that was sent for the next body, as large as most of them
// are. It is taken out of the response, which would release it as soon as another body is set; writeResult
// puts it back.
type responseBuffer struct{ *fasthttp.Response }

func (b responseBuffer) takeBuffer() []byte { return b.SwapBody(nil)[:0] }

// RespondError answers an error in the form of the API, whatever the path. It counts nothing.
func (s *Server) RespondError(c *fiber.Ctx, err error) error {
	var id [16]byte
	setRequestID(c, &id)
	s.writeFault(c.Response(), toClientFault(err, &id))
	return nil
}

// Fault answers an error that reached Fiber itself: a request that
// could not be read, or a path outside the API.
func (s *Server) Fault(c *fiber.Ctx, err error) error {
	var id [16]byte
	setRequestID(c, &id)
	f := fault.From(err)
	var fe *fiber.Error
	var refused *httpbody.Rejection
	if errors.As(err, &refused) {
		f, fe = faultFromRejection(refused), fiber.NewError(refused.Status)
	} else if errors.As(err, &fe) && fe.Code < 500 {
		f = faultFromFiber(fe)
	}
	if f.Code != fault.NotFound && f.Code != fault.MethodNotAllowed { // it may have been meant for the API
		var a admission
		if limited := s.admitAnonymous(s.ClientAddress(c), &a); limited != nil {
			f, fe = fault.From(limited), nil
		}
		a.eachLimitHeader(nil, s.clock.Now(), c.Response().Header.SetCanonical)
	}
	if status := s.writeFault(c.Response(), toClientFault(f, &id)); fe != nil && fe.Code < 500 &&
		fe.Code != status {
		c.Status(fe.Code) // more exact than the code's usual status: 431 for a header, 413 for a body
	}
	return nil
}

func faultFromRejection(r *httpbody.Rejection) *fault.Error {
	switch r.Status {
	case fiber.StatusRequestEntityTooLarge, fiber.StatusRequestHeaderFieldsTooLarge:
		return fault.New(fault.RequestTooLarge, r.Message, nil)
	case fiber.StatusServiceUnavailable:
		return fault.Down(r.Message, nil)
	default:
		return fault.New(fault.InvalidParameter, r.Message, nil)
	}
}

func faultFromFiber(e *fiber.Error) *fault.Error {
	switch e.Code {
	case fiber.StatusNotFound:
		return fault.Missing("There is nothing at this path.")
	case fiber.StatusMethodNotAllowed:
		return fault.New(fault.MethodNotAllowed, "This method is not allowed here.", nil)
	case fiber.StatusRequestEntityTooLarge, fiber.StatusRequestURITooLong,
		fiber.StatusRequestHeaderFieldsTooLarge:
		return fault.New(fault.RequestTooLarge, "The address and the headers of the request are longer than the 8 KiB that are accepted.", nil)
	default:
		return fault.Invalid("the request could not be read as HTTP")
	}
}
