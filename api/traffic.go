package api

import (
	"slices"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"arpent/app/base/trace"
)

// Traffic counts and logs the requests that are no operations of the API, which keeps an account of its own: pages, the
// authorization of assistants and their calls, documents, health. It knows them by the pattern of their route. The address
// itself may hold a link's token, a code or a key: it reaches neither a label nor the log.
type Traffic struct {
	log       *AccessLog
	traces    *trace.Tracer // nil: there are none
	answers   *prometheus.CounterVec
	durations *prometheus.HistogramVec
}

const (
	noRoute        = "none" // in place of a pattern, for a path that is nothing
	unmatchedLocal = "arpent unmatched"
)

// probes are asked every few seconds by whoever watches the service: they are counted, and not logged.
var probes = []string{"/healthz", "/readyz"}

// NewTraffic registers its metrics with reg.
func NewTraffic(reg prometheus.Registerer, log *AccessLog, traces *trace.Tracer) *Traffic {
	t := &Traffic{log: log, traces: traces,
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "arpent_http_requests_total",
			Help: "Requests outside /api/v1, by method, pattern of the route and status class."}, []string{"method", "route", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "arpent_http_request_duration_seconds",
			Help: "Time that requests outside /api/v1 took, by pattern of the route.", Buckets: []float64{.001, .005, .02, .1, .5, 2, 10}}, []string{"route"}),
	}
	reg.MustRegister(t.answers, t.durations)
	return t
}

// Observe is the middleware of all routes that are registered after it. It has errors answered, so that it sees the status
// that is sent.
func (t *Traffic) Observe(c *fiber.Ctx) error {
	start, status := time.Now(), fiber.StatusInternalServerError // a panic's, on its way to whoever recovers it
	ctx, traced := t.traces.Begin(c.UserContext())
	if traced != nil {
		c.SetUserContext(ctx)
	}
	defer func() { t.record(c, status, start, traced) }()
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

func (t *Traffic) record(c *fiber.Ctx, status int, start time.Time, traced *trace.Request) {
	took, route, method := time.Since(start), c.Route().Path, methodOf(c)
	if c.Locals(unmatchedLocal) != nil {
		route = noRoute
	}
	t.answers.WithLabelValues(method, route, strconv.Itoa(status/100)+"xx").Inc()
	t.durations.WithLabelValues(route).Observe(took.Seconds())
	if slices.Contains(probes, route) {
		return
	}
	h := &c.Response().Header
	EnsureRequestID(h)
	bytes := max(h.ContentLength(), 0)
	if !c.Response().IsBodyStream() {
		bytes = len(c.Response().Body())
	}
	if traced != nil {
		traced.End(trace.Answer{Route: route, Method: method, Status: status, RequestID: string(h.PeekBytes(headerRequestID))})
	}
	t.log.add(start.Add(took), &line{requestID: h.PeekBytes(headerRequestID), route: route, method: method, status: status, bytes: bytes, duration: took})
}

// methodOf is the method of a request. The context's own lives as long as the request.
func methodOf(c *fiber.Ctx) string {
	if i := slices.Index(fiber.DefaultMethods, c.Method()); i >= 0 {
		return fiber.DefaultMethods[i]
	}
	return fiber.MethodPatch // as everyRequest has it
}
