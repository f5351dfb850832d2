package api

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/api/parcel"
	"arpent/api/reply"
	"arpent/api/territory"
	"arpent/app/clock"
	"arpent/app/fault"
	"arpent/auth/apikey"
	"arpent/billing/meter"
)

// KeyFinder finds the live key that a secret belongs to.
type KeyFinder interface {
	Find(presented string) (*apikey.Entry, error)
}

// Meter admits requests within the limits of an account and counts them.
type Meter interface {
	Admit(ctx context.Context, r meter.Request) meter.Verdict
	Done(v meter.Verdict, operation uint8, status int) (quotaUsed int)
}

// Options are what a Server is made of.
type Options struct {
	BaseURL     string // public address, no trailing slash
	ServiceName string
	Proxies     []netip.Prefix // whose X-Forwarded-For is believed
	Clock       clock.Clock
	Keys        KeyFinder
	Meter       Meter
	Strangers   *meter.Strangers
	Territory   *territory.Store
	Parcels     *parcel.Store
	Log         *AccessLog
	Stats       *Statistics
}

// Server is /api/v1.
type Server struct {
	baseURL    string
	proxies    []netip.Prefix
	clock      clock.Clock
	keys       KeyFinder
	meter      Meter
	strangers  *meter.Strangers
	log        *AccessLog
	stats      *Statistics
	handlers   *Handlers
	operations []Operation
	unknown    Operation
	document   []byte
}

// Handlers are the operations' functions and what they read from.
type Handlers struct {
	territory *territory.Store
	parcels   *parcel.Store
	index     func(demonstration bool) []byte
}

// New makes a Server. It panics on a faulty operations table, which a test would have shown.
func New(o Options) *Server {
	ops := Operations()
	s := &Server{
		baseURL: o.BaseURL, proxies: o.Proxies, clock: o.Clock, keys: o.Keys, meter: o.Meter,
		strangers: o.Strangers, log: o.Log, stats: o.Stats, operations: ops,
		unknown:  Operation{Name: unknownPath, number: uint8(len(ops)), Cost: 1, NotCached: true},
		document: Document(o.ServiceName, o.BaseURL),
	}
	s.unknown.Run = s.noSuchPath
	s.handlers = &Handlers{territory: o.Territory, parcels: o.Parcels, index: indexBodies(o.ServiceName, o.BaseURL, ops)}
	return s
}

// Register mounts the API on a Fiber application.
func (s *Server) Register(app *fiber.App) {
	app.Get("/openapi.json", func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "public, max-age=300")
		c.Response().Header.SetContentTypeBytes(typeJSON)
		compress(c, s.document)
		return nil
	})
	for i := range s.operations {
		op := &s.operations[i]
		app.Get(fiberPath(op.Path), func(c *fiber.Ctx) error { return s.serve(c, op) })
	}
	app.Use(Root, func(c *fiber.Ctx) error { return s.serve(c, &s.unknown) })
	app.Use("/api", func(c *fiber.Ctx) error {
		setRequestID(c)
		s.writeFault(c, fault.Missing("There is nothing at this path. The API lives below %s.", Root))
		return nil
	})
}

// fiberPath turns /communes/{code} into Fiber's /api/v1/communes/:code.
func fiberPath(path string) string {
	return Root + strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// serve is the way of every request under /api/v1: gate, parameters, operation, answer.
func (s *Server) serve(c *fiber.Ctx, op *Operation) error {
	start := s.clock.Now()
	id := setRequestID(c)
	p, err := s.admit(c, op)
	var answer reply.Reply
	if err == nil {
		answer, err = s.run(c, op)
	}
	status := fiber.StatusOK
	switch {
	case err != nil:
		status = s.writeFault(c, err)
	default:
		if !op.NotCached && notModified(c, answer.ETag) {
			status = fiber.StatusNotModified
		}
		write(c, op, answer, status)
	}
	if p.key != nil {
		p.verdict.QuotaUsed = s.meter.Done(p.verdict, op.number, status)
	}
	limitHeaders(&c.Response().Header, &p, start)
	s.record(c, op, &p, id, status, start)
	return nil
}

func (s *Server) record(c *fiber.Ctx, op *Operation, p *pass, id string, status int, start time.Time) {
	now := s.clock.Now()
	took := now.Sub(start)
	s.stats.observe(op.number, status, took)
	e := line{requestID: id, operation: op.Name, method: c.Method(), status: status,
		bytes: len(c.Response().Body()), duration: took}
	if p.key != nil {
		e.accountID, e.keyID = int64(p.key.Account), int64(p.key.ID)
	}
	s.log.add(now, &e)
}

// run checks the parameters and runs the operation. A panic becomes a 500: one request must not end the process.
func (s *Server) run(c *fiber.Ctx, op *Operation) (answer reply.Reply, err error) {
	defer func() {
		if r := recover(); r != nil {
			slog.Error("operation panicked", "operation", op.Name, "panic", r, "stack", string(debug.Stack()))
			err = errors.New("panic in " + op.Name)
		}
	}()
	r := Request{fiber: c}
	if err := r.read(op); err != nil {
		return reply.Reply{}, err
	}
	return op.Run(s.handlers, &r)
}

// noSuchPath answers what is under /api/v1 but no operation.
func (s *Server) noSuchPath(_ *Handlers, r *Request) (reply.Reply, error) {
	c := r.fiber
	for i := range s.operations {
		if fiber.RoutePatternMatch(c.Path(), fiberPath(s.operations[i].Path)) {
			c.Set(fiber.HeaderAllow, "GET, HEAD")
			return reply.Reply{}, fault.New(fault.MethodNotAllowed, "Every operation is a GET (or HEAD).", nil)
		}
	}
	return reply.Reply{}, fault.Missing("There is no endpoint at this path. %s lists them all.", Root)
}

// Fault answers an error that reached Fiber itself: a request that could not be read, or a path outside the API.
func (s *Server) Fault(c *fiber.Ctx, err error) error {
	id := setRequestID(c)
	f := fault.From(err)
	var fe *fiber.Error
	if errors.As(err, &fe) && fe.Code < 500 {
		f = fromFiber(fe)
	}
	status := s.writeFault(c, f)
	if fe != nil && fe.Code < 500 {
		status = fe.Code // more exact than the code's usual status: 431 for a header, 413 for a body
		c.Status(status)
	}
	p := pass{}
	p.verdict.QuotaReset = clock.Day(s.clock.Now()).End().Unix()
	limitHeaders(&c.Response().Header, &p, s.clock.Now())
	slog.Info("unreadable request", "request_id", id, "status", status)
	return nil
}

func fromFiber(e *fiber.Error) *fault.Error {
	switch e.Code {
	case fiber.StatusNotFound:
		return fault.Missing("There is nothing at this path.")
	case fiber.StatusMethodNotAllowed:
		return fault.New(fault.MethodNotAllowed, "This method is not allowed here.", nil)
	case fiber.StatusRequestEntityTooLarge, fiber.StatusRequestURITooLong, fiber.StatusRequestHeaderFieldsTooLarge:
		return fault.New(fault.RequestTooLarge, "The request is too large: 8 KiB of address and headers, 1 MiB of body.", nil)
	default:
		return fault.Invalid("The request could not be read as HTTP.")
	}
}

// setRequestID gives the response its own random identifier. One sent by the caller is not believed.
func setRequestID(c *fiber.Ctx) string {
	const hex = "0123456789abcdef"
	var b [16]byte
	for i, n := 0, rand.Uint64(); i < len(b); i, n = i+1, n>>4 {
		b[i] = hex[n&15]
	}
	c.Response().Header.SetCanonical(headerRequestID, b[:])
	return string(b[:])
}
