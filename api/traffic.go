package api

import (
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"arpent/internal/trace"
)

// Traffic counts and logs the requests that are no operations of the API, which has its own metrics and log:
// pages, the authorization of assistants and their calls, documents, health. It knows them by the pattern of
// their route. The address itself may hold a link's token, a code or a key: it reaches neither a label nor
// the log.
type Traffic struct {
	log       *AccessLog
	traces    *trace.Tracer // nil: there are none
	client    func(*fiber.Ctx) netip.Addr
	answers   *prometheus.CounterVec
	durations *prometheus.HistogramVec
}

const (
	noRoute        = "none" // in place of a pattern, for a path that is nothing or that was not looked at
	unmatchedLocal = "arpent unmatched"
)

// healthPaths are asked every few seconds by probes of the service: they are counted, and not logged.
var healthPaths = []string{"/healthz", "/readyz"}

// NewTraffic registers its metrics with reg. client returns the address of the client of a request.
func NewTraffic(
	reg prometheus.Registerer, log *AccessLog, traces *trace.Tracer,
	client func(*fiber.Ctx) netip.Addr) *Traffic {
	t := &Traffic{log: log, traces: traces, client: client,
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "arpent_http_requests_total",
			Help: "Requests outside /api/v1 and those that were refused before a route was looked for, by method, pattern of the route and status class."}, []string{"method", "route", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "arpent_http_request_duration_seconds",
			Help: "Time that requests outside /api/v1 took, by pattern of the route.", Buckets: []float64{.001, .005,
				.02, .1, .5, 2, 10}}, []string{"route"}),
	}
	reg.MustRegister(t.answers, t.durations)
	return t
}

// Observe is the middleware of all routes that are registered after it. It has errors
// answered, so that it sees the status that is sent.
func (t *Traffic) Observe(c *fiber.Ctx) error {
	start, status := time.Now(), fiber.StatusInternalServerError // a panic's, on its way to its recovery
	ctx, traced := t.traces.Begin(c.UserContext())
	if traced != nil {
		c.SetUserContext(ctx)
	}
	defer func() {
		e := line{route: routeOf(c), status: status}
		if status == fiber.StatusTooManyRequests {
			e.client = t.client(c)
		}
		t.recordRequest(c.Context(), &e, start, traced)
	}()
	err := c.Next()
	if err != nil {
		err = c.App().ErrorHandler(c, err)
	}
	if err == nil {
		status = c.Response().StatusCode()
	}
	return err
}

// Unmatched goes before the handler of what no route is for.
func (t *Traffic) Unmatched(c *fiber.Ctx) error {
	c.Locals(unmatchedLocal, true)
	return c.Next()
}

// routeOf is the pattern of the route that a request has come to.
func routeOf(c *fiber.Ctx) string {
	if c.Locals(unmatchedLocal) != nil {
		return noRoute
	}
	return c.Route().Path
}

// Refused counts and logs a request that was answered before a route was looked for: it
// could not be read, or its body is not taken.
func (t *Traffic) Refused(ctx *fasthttp.RequestCtx, start time.Time) {
	t.recordRequest(ctx, &line{route: noRoute, status: ctx.Response.StatusCode()}, start, nil)
}

// recordRequest counts and logs a request, of which e has the route and the status.
func (t *Traffic) recordRequest(ctx *fasthttp.RequestCtx, e *line, start time.Time, traced *trace.Request) {
	took, method := time.Since(start), methodOf(ctx)
	t.answers.WithLabelValues(method, e.route, strconv.Itoa(e.status/100)+"xx").Inc()
	t.durations.WithLabelValues(e.route).Observe(took.Seconds())
	if slices.Contains(healthPaths, e.route) {
		return
	}
	h := &ctx.Response.Header
	EnsureRequestID(h)
	if traced != nil {
		traced.End(trace.Answer{Route: e.route, Method: method, Status: e.status,
			RequestID: string(h.PeekBytes(headerRequestID))})
	}
	e.requestID, e.method, e.bytes, e.duration = h.PeekBytes(headerRequestID), method,
		sizeOf(&ctx.Response), took
	t.log.addLine(start.Add(took), e)
}

// sizeOf returns the length of a response body; of a streamed one its Content-Length, or 0.
func sizeOf(r *fasthttp.Response) int {
	if r.IsBodyStream() {
		return max(r.Header.ContentLength(), 0)
	}
	return len(r.Body())
}

// methodOf is the method of a request. The context's own lives as long as the request.
func methodOf(ctx *fasthttp.RequestCtx) string {
	if i := slices.Index(fiber.DefaultMethods, string(ctx.Method())); i >= 0 {
		return fiber.DefaultMethods[i]
	}
	return fiber.MethodPatch // as everyRequest has it
}
