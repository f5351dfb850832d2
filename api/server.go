package api

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/reply"
	"arpent/api/territory"
	"arpent/auth/apikey"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/internal/clock"
	"arpent/internal/ident"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/internal/trace"
)

// KeyFinder finds the live key that a secret belongs to.
type KeyFinder interface {
	Find(presented string) (*apikey.Entry, error)
}

// Meter admits requests within the limits of an account and counts them.
type Meter interface {
	Admit(ctx context.Context, r meter.Request) meter.Decision
	Done(v *meter.Decision, answer meter.Answer) (quotaUsed int)
	AdmitFree(id ident.AccountID, limits billing.Limits) meter.Decision
}

// Options are what a Server is made of.
type Options struct {
	BaseURL     string // public address, no trailing slash
	ServiceName string
	Proxies     []netip.Prefix // whose X-Forwarded-For is believed
	TagKey      []byte         // what entity tags are made with, 32 bytes, the same on all instances
	// Untrusted is called with a peer on a private address that names others in X-Forwarded-For and is none
	// of Proxies. It is called often, and must not wait. It may be nil.
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
	Metrics    *Metrics
	Traces     *trace.Tracer // nil: there are none
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
	metrics    *Metrics
	traces     *trace.Tracer
	handlers   *Handlers
	operations []Operation
	tagger     reply.Tagger
	document   []byte
}

// New makes a Server. It panics on a faulty operations table, which a test would have shown.
func New(o Options) *Server {
	ops := Operations()
	s := &Server{
		baseURL: o.BaseURL, proxies: o.Proxies, untrusted: o.Untrusted, clock: o.Clock, keys: o.Keys,
		meter:     o.Meter,
		anonymous: o.Anonymous, log: o.Log, metrics: o.Metrics, traces: o.Traces, operations: ops,
		tagger: reply.NewTagger(o.TagKey),
	}
	s.handlers = &Handlers{territory: o.Territory, parcels: o.Parcels, reports: o.Reports,
		addresses: o.Addresses, statistics: o.Statistics,
		index: encodeIndex(o.ServiceName, o.BaseURL, ops), reportKeys: topic.Report().Keys()}
	s.document = Document(o.ServiceName, o.BaseURL)
	return s
}

// Operation is the row of the table that has the name. It panics on a name of none: they are written in code.
func (s *Server) Operation(name string) *Operation {
	return &s.operations[slices.IndexFunc(s.operations, func(o Operation) bool { return o.Name == name })]
}

// Document is the OpenAPI description of this server, as JSON.
func (s *Server) Document() []byte { return s.document }

// RegisterDocument mounts the description of the API.
func (s *Server) RegisterDocument(app *fiber.App) {
	app.Get("/openapi.json", serveDocument(s.Document, string(typeJSON)))
	app.Get("/openapi.yaml", serveDocument(func() []byte { return asYAML(s.document) },
		"application/yaml; charset=utf-8"))
}

// serveDocument sends a document that never changes. It and its encodings are made once, by
// the first request: no start waits for them.
func serveDocument(content func() []byte, contentType string) fiber.Handler {
	document := sync.OnceValue(content)
	made := sync.OnceValue(func() map[encoding][]byte {
		return map[encoding][]byte{brotli: compressBody(document(), brotli), gzip: compressBody(document(), gzip)}
	})
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, "public, max-age=300")
		// viewers and editors of such documents are pages of other origins
		c.Set(fiber.HeaderAccessControlAllowOrigin, "*")
		c.Response().Header.SetContentType(contentType)
		c.Response().SetBodyRaw(compressResponse(c, document(),
			func(_ []byte, how encoding) []byte { return made()[how] }))
		return nil
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

// EnsureRequestID gives a response an identifier when it has none
// yet: pages, health, what Fiber answers itself.
func EnsureRequestID(h *fasthttp.ResponseHeader) {
	if len(h.PeekBytes(headerRequestID)) == 0 {
		var id [16]byte
		newRequestID(&id)
		h.SetCanonical(headerRequestID, id[:])
	}
}
