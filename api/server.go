package api

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/reply"
	"arpent/api/report"
	"arpent/api/stats"
	"arpent/api/territory"
	"arpent/api/topic"
	"arpent/app/base/clock"
	"arpent/app/base/fault"
	"arpent/app/base/httpbody"
	"arpent/app/base/ident"
	"arpent/auth/apikey"
	"arpent/billing"
	"arpent/billing/meter"
)

// KeyFinder finds the live key that a secret belongs to.
type KeyFinder interface {
	Find(presented string) (*apikey.Entry, error)
}

// Meter admits requests within the limits of an account and counts them.
type Meter interface {
	Admit(ctx context.Context, r meter.Request) meter.Verdict
	Done(v *meter.Verdict, operation uint8, status int) (quotaUsed int)
	AdmitFree(id ident.AccountID, limits billing.Limits) meter.Passage
}

// Options are what a Server is made of.
type Options struct {
	BaseURL     string // public address, no trailing slash
	ServiceName string
	Proxies     []netip.Prefix // whose X-Forwarded-For is believed
	TagKey      []byte         // what entity tags are made with, 32 bytes, the same on all instances
	// Untrusted is called with a peer on a private address that names others in X-Forwarded-For and is none of Proxies. It is
	// called often, and must not wait. It may be nil.
	Untrusted  func(peer netip.Addr)
	Clock      clock.Clock
	Keys       KeyFinder
	Meter      Meter
	Anonymous  *meter.AnonymousLimiter
	Territory  *territory.Store
	Parcels    *parcel.Store
	Reports    *report.Store
	Addresses  *geocode.Store
	Statistics *stats.Store
	Log        *AccessLog
	Stats      *Statistics
}

// Server is /api/v1.
type Server struct {
	baseURL    string
	proxies    []netip.Prefix
	untrusted  func(peer netip.Addr)
	clock      clock.Clock
	keys       KeyFinder
	meter      Meter
	anonymous  *meter.AnonymousLimiter
	log        *AccessLog
	stats      *Statistics
	handlers   *Handlers
	operations []Operation
	unknown    Operation
	limits     limitTexts
	tagger     reply.Tagger
	openapi    fiber.Handler
}

// Handlers are the operations' functions and what they read from.
type Handlers struct {
	territory  *territory.Store
	parcels    *parcel.Store
	reports    *report.Store
	addresses  *geocode.Store
	statistics *stats.Store
	index      map[territory.Demonstration][]byte

	reportKeys []report.Key
}

// New makes a Server. It panics on a faulty operations table, which a test would have shown.
func New(o Options) *Server {
	ops := Operations()
	s := &Server{
		baseURL: o.BaseURL, proxies: o.Proxies, untrusted: o.Untrusted, clock: o.Clock, keys: o.Keys, meter: o.Meter,
		anonymous: o.Anonymous, log: o.Log, stats: o.Stats, operations: ops, tagger: reply.NewTagger(o.TagKey),
		unknown: Operation{Name: unknownPath, number: uint8(len(ops)), Cost: 1, NotCached: true},
	}
	s.unknown.Run = s.noSuchPath
	s.handlers = &Handlers{territory: o.Territory, parcels: o.Parcels, reports: o.Reports, addresses: o.Addresses, statistics: o.Statistics,
		index: indexBodies(o.ServiceName, o.BaseURL, ops), reportKeys: topic.Report().Keys()}
	s.openapi = serveDocument(Document(o.ServiceName, o.BaseURL))
	return s
}

// serveDocument sends a document that never changes, in encodings made once.
func serveDocument(document []byte) fiber.Handler {
	made := map[encoding][]byte{brotli: encode(document, brotli), gzip: encode(document, gzip)}
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "public, max-age=300")
		c.Response().Header.SetContentTypeBytes(typeJSON)
		c.Response().SetBodyRaw(compress(c, document, func(_ []byte, how encoding) []byte { return made[how] }))
		return nil
	}
}

// RegisterDocument mounts the description of the API.
func (s *Server) RegisterDocument(app *fiber.App) { app.Get("/openapi.json", s.openapi) }

// Register mounts the API on a Fiber application.
func (s *Server) Register(app *fiber.App) {
	for i := len(s.operations) - 1; i >= 0; i-- { // Fiber tries them in turn: those that are asked most are the last
		op := &s.operations[i]
		app.Get(fiberPath(op.Path), func(c *fiber.Ctx) error { return s.serve(c, op) })
	}
	app.Use(Root, func(c *fiber.Ctx) error { return s.serve(c, &s.unknown) })
	app.Use("/api", func(c *fiber.Ctx) error {
		setRequestID(c, new([16]byte))
		s.writeFault(c, fault.Missing("There is nothing at this path. The API lives below %s.", Root))
		return nil
	})
}

// fiberPath turns /communes/{code} into Fiber's /api/v1/communes/:code.
func fiberPath(path string) string {
	return Root + strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// call is one request on its way through the server. It is used again for another one: nothing keeps it.
type call struct {
	request Request
	pass    pass
	id      [16]byte
	scratch [160]byte // for header values
	tag     reply.TagBuffer
}

var calls = sync.Pool{New: func() any { return new(call) }}

// serve is the way of every request under /api/v1: gate, parameters, operation, answer.
func (s *Server) serve(c *fiber.Ctx, op *Operation) error {
	start := s.clock.Now()
	l := calls.Get().(*call)
	defer calls.Put(l)
	l.request, l.pass = Request{fiber: c, op: op}, pass{}
	setRequestID(c, &l.id)
	var answer reply.Reply
	err := s.admit(c, op, &l.pass, start)
	if err == nil {
		answer, err = s.run(&l.request)
	}
	var tag []byte
	if !op.NotCached {
		tag = s.tagger.Tag(&l.tag, answer.Version)
	}
	status := fiber.StatusOK
	switch {
	case err != nil:
		status = s.writeFault(c, err)
	case notModified(c, tag):
		status = fiber.StatusNotModified
		fallthrough
	default:
		write(c, answer.Body, tag, status)
	}
	if l.pass.key != nil {
		l.pass.verdict.QuotaUsed = s.meter.Done(&l.pass.verdict, op.number, status)
	}
	s.limitHeaders(&c.Response().Header, l, start)
	s.record(op, l, status, start)
	return nil
}

func (s *Server) record(op *Operation, l *call, status int, start time.Time) {
	took := time.Since(start)
	s.stats.observe(op.number, status, took)
	c := l.request.fiber
	e := line{requestID: l.id[:], operation: op.Name, method: c.Method(), status: status,
		bytes: len(c.Response().Body()), duration: took}
	if key := l.pass.key; key != nil {
		e.accountID, e.keyID = int64(key.Account), int64(key.ID)
	}
	s.log.add(start.Add(took), &e)
}

// run checks the parameters and runs the operation. A panic becomes a 500: one request must not end the process.
func (s *Server) run(r *Request) (answer reply.Reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("operation panicked", "operation", r.op.Name, "panic", p, "stack", string(debug.Stack()))
			err = errors.New("panic in " + r.op.Name)
		}
	}()
	if err := r.read(); err != nil {
		return reply.Reply{}, err
	}
	return r.op.Run(s.handlers, r)
}

// noSuchPath answers what is under /api/v1 but no operation.
func (s *Server) noSuchPath(_ *Handlers, r *Request) (reply.Reply, error) {
	c := r.fiber
	if method := c.Method(); method != fiber.MethodGet && method != fiber.MethodHead {
		for i := range s.operations {
			if fiber.RoutePatternMatch(c.Path(), fiberPath(s.operations[i].Path), fiber.Config{CaseSensitive: true}) {
				c.Set(fiber.HeaderAllow, "GET, HEAD")
				return reply.Reply{}, fault.New(fault.MethodNotAllowed, "Every operation is a GET (or HEAD).", nil)
			}
		}
	}
	return reply.Reply{}, fault.Missing("There is no endpoint at this path. %s lists them all.", Root)
}

// Fault answers an error that reached Fiber itself: a request that could not be read, or a path outside the API.
func (s *Server) Fault(c *fiber.Ctx, err error) error {
	l := new(call)
	setRequestID(c, &l.id)
	f := fault.From(err)
	var fe *fiber.Error
	var refused *httpbody.Rejection
	if errors.As(err, &refused) {
		f, fe = fromRejection(refused), fiber.NewError(refused.Status)
	} else if errors.As(err, &fe) && fe.Code < 500 {
		f = fromFiber(fe)
	}
	if f.Code != fault.NotFound && f.Code != fault.MethodNotAllowed { // it may have been meant for the API
		if limited := s.admitAnonymous(c, &l.pass); limited != nil {
			f, fe = fault.From(limited), nil
		}
		s.limitHeaders(&c.Response().Header, l, s.clock.Now())
	}
	if status := s.writeFault(c, f); fe != nil && fe.Code < 500 && fe.Code != status {
		c.Status(fe.Code) // more exact than the code's usual status: 431 for a header, 413 for a body
	}
	return nil
}

func fromRejection(r *httpbody.Rejection) *fault.Error {
	switch r.Status {
	case fiber.StatusRequestEntityTooLarge, fiber.StatusRequestHeaderFieldsTooLarge:
		return fault.New(fault.RequestTooLarge, r.Message, nil)
	case fiber.StatusServiceUnavailable:
		return fault.Down(r.Message, nil)
	default:
		return fault.New(fault.InvalidParameter, r.Message, nil)
	}
}

func fromFiber(e *fiber.Error) *fault.Error {
	switch e.Code {
	case fiber.StatusNotFound:
		return fault.Missing("There is nothing at this path.")
	case fiber.StatusMethodNotAllowed:
		return fault.New(fault.MethodNotAllowed, "This method is not allowed here.", nil)
	case fiber.StatusRequestEntityTooLarge, fiber.StatusRequestURITooLong, fiber.StatusRequestHeaderFieldsTooLarge:
		return fault.New(fault.RequestTooLarge, "The request is too large: address and headers have 8 KiB.", nil)
	default:
		return fault.Invalid("The request could not be read as HTTP.")
	}
}

// setRequestID gives the response its own random identifier. One sent by the caller is not believed.
func setRequestID(c *fiber.Ctx, id *[16]byte) {
	newRequestID(id)
	c.Response().Header.SetCanonical(headerRequestID, id[:])
}

func newRequestID(id *[16]byte) {
	var random [8]byte
	binary.LittleEndian.PutUint64(random[:], rand.Uint64())
	hex.Encode(id[:], random[:])
}

// EnsureRequestID gives a response an identifier when it has none yet: pages, health, what Fiber answers itself.
func EnsureRequestID(h *fasthttp.ResponseHeader) {
	if len(h.PeekBytes(headerRequestID)) == 0 {
		var id [16]byte
		newRequestID(&id)
		h.SetCanonical(headerRequestID, id[:])
	}
}
