package app

import (
	"bytes"
	"errors"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"arpent/api"
	"arpent/auth/assistant"
	"arpent/billing"
	"arpent/internal/httpbody"
	"arpent/mcp"
	"arpent/portal/accountapi"
)

const (
	// A connection may take this long for the next request to begin, for a request to arrive,
	// and to take an answer (see coarseConn).
	quietTimeout = time.Minute
	// Address and headers of a request at most, and its body: that of a form, and of a message or an event.
	headerBytes  = 8 << 10
	formBytes    = 32 << 10
	messageBytes = 256 << 10
	// An answer of up to this size goes out in one piece: a second one costs as much as a commune.
	answerBytes = 32 << 10
)

// httpsOnly has browsers come back over https for a year, once they have.
const httpsOnly = "max-age=31536000"

// newFiber makes the server. Bodies are streamed, so that reading one is in our hands (see httpbody), and
// what a connection needs for an answer is given back between requests.
func newFiber(answer fiber.ErrorHandler, panics prometheus.Counter, traffic *api.Traffic,
	secure bool) *fiber.App {
	app := fiber.New(fiber.Config{
		DisableStartupMessage:        true,
		CaseSensitive:                true,
		ReadBufferSize:               headerBytes,
		WriteBufferSize:              answerBytes,
		BodyLimit:                    messageBytes,
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		ReduceMemoryUsage:            true,
		ErrorHandler:                 answer,
	})
	bodies := &httpbody.Limits{Default: formBytes, Paths: map[string]int{mcp.Path: messageBytes,
		billing.WebhookPath: messageBytes}}
	server := app.Server()
	server.HeaderReceived = bodies.HeaderReceived
	server.ConnState = resetReadDeadline
	e := edge{app, bodies, panics, traffic}
	server.Handler = withAnswerHeaders(withRequestChecks(e, server.Handler), secure)
	server.ErrorHandler = e.answerUnreadable(server.ErrorHandler, secure)
	return app
}

// withAnswerHeaders adds the headers of all answers.
func withAnswerHeaders(serve fasthttp.RequestHandler, secure bool) fasthttp.RequestHandler {
	serve = withRetryAfter(serve)
	return func(ctx *fasthttp.RequestCtx) {
		serve(ctx)
		// Pages and scripts have stricter headers of their own, and keep them.
		if len(ctx.Response.Header.Peek(fiber.HeaderContentSecurityPolicy)) == 0 {
			setSecurityHeaders(&ctx.Response.Header)
		}
		if secure {
			ctx.Response.Header.Set(fiber.HeaderStrictTransportSecurity, httpsOnly)
		}
	}
}

// defaultPolicy is the policy of every answer that is no page: shown by a browser as
// a page, it runs, loads and frames nothing.
const defaultPolicy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'"

func setSecurityHeaders(h *fasthttp.ResponseHeader) {
	for _, header := range securityHeaderValues {
		h.SetCanonical(header.name, header.value)
	}
}

// securityHeaderValues has canonical names: each answer of the API gets them, and normalizing took half of
// their time.
var securityHeaderValues = [...]struct{ name, value []byte }{
	{[]byte(fiber.HeaderContentSecurityPolicy), []byte(defaultPolicy)},
	{[]byte(fiber.HeaderXContentTypeOptions), []byte("nosniff")},
	{[]byte(fiber.HeaderXFrameOptions), []byte("DENY")},
	{[]byte(fiber.HeaderReferrerPolicy), []byte("no-referrer")},
}

// busySeconds is after how long a request is worth another try that could not be
// answered and whose handler knows no better.
const busySeconds = "2"

// withRetryAfter has every 503 say when to ask again.
func withRetryAfter(serve fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		serve(ctx)
		h := &ctx.Response.Header
		if h.StatusCode() == fasthttp.StatusServiceUnavailable && len(h.Peek(fiber.HeaderRetryAfter)) == 0 {
			h.Set(fiber.HeaderRetryAfter, busySeconds)
		}
	}
}

// edge is what stands before every route.
type edge struct {
	app     *fiber.App
	bodies  *httpbody.Limits
	panics  prometheus.Counter
	traffic *api.Traffic
}

// answerUnreadable answers what could not be read as a request, which the library hands to no handler.
func (e edge) answerUnreadable(answer func(*fasthttp.RequestCtx, error),
	secure bool) func(*fasthttp.RequestCtx, error) {
	return func(ctx *fasthttp.RequestCtx, err error) {
		markRefused(ctx)
		ctx.Request.Header.SetMethod(fasthttp.MethodPatch) // it is not known: as one that Fiber does not know
		withAnswerHeaders(func(ctx *fasthttp.RequestCtx) {
			answer(ctx, err)
			e.traffic.Refused(ctx, time.Now())
		}, secure)(ctx)
	}
}

// withRequestChecks does what holds for all requests, whatever their path: every response has a request id; a
// body that is too long or encoded is refused before a handler runs; a method that Fiber does not know is
// refused like any other, by whom it was meant for; and a panic ends the request, not the process.
func withRequestChecks(e edge, serve fasthttp.RequestHandler) fasthttp.RequestHandler {
	root, known := []byte(api.Root), map[string]bool{}
	for _, method := range fiber.DefaultMethods {
		known[method] = true
	}
	return func(ctx *fasthttp.RequestCtx) {
		ours := bytes.HasPrefix(ctx.Path(), root) // the API gives its own
		if !ours {
			api.EnsureRequestID(&ctx.Response.Header)
		}
		defer e.recoverPanic(ctx)
		held, reason := e.bodies.Receive(ctx)
		defer e.bodies.Release(held)
		if reason != nil {
			markRefused(ctx)
			e.sendError(ctx, reason)
			e.traffic.Refused(ctx, ctx.Time())
			return
		}
		if !ctx.IsGet() && !known[string(ctx.Method())] {
			// Fiber answers others in text; nothing of ours takes this
			ctx.Request.Header.SetMethod(fasthttp.MethodPatch)
		}
		serve(ctx)
		if !ours {
			api.EnsureRequestID(&ctx.Response.Header) // an error starts the response anew
		}
	}
}

// sendError sends an error in the form of the path.
func (e edge) sendError(ctx *fasthttp.RequestCtx, reason error) {
	c := e.app.AcquireCtx(ctx)
	defer e.app.ReleaseCtx(c)
	if err := e.app.ErrorHandler(c, reason); err != nil {
		ctx.SetStatusCode(fasthttp.StatusInternalServerError)
	}
}

// recoverPanic answers a request whose handler panicked. What was half done has ended with it: handlers hold
// no lock over a request, and transactions are rolled back as the panic passes them.
func (e edge) recoverPanic(ctx *fasthttp.RequestCtx) {
	p := recover()
	if p == nil {
		return
	}
	e.panics.Inc()
	id := string(ctx.Response.Header.Peek(fiber.HeaderXRequestID))
	closing := ctx.Response.ConnectionClose()
	ctx.Response.Reset()
	if closing {
		ctx.Response.SetConnectionClose()
	}
	ctx.Response.Header.Set(fiber.HeaderXRequestID, id)
	api.EnsureRequestID(&ctx.Response.Header)
	slog.Error("handler panicked", "request_id", string(ctx.Response.Header.Peek(fiber.HeaderXRequestID)),
		"panic", p, "stack", string(debug.Stack()))
	e.sendError(ctx, errPanic)
}

var errPanic = errors.New("a handler panicked")

// answerError answers what no handler answered, in the form that callers of the path read: a request that
// could not be read, a body that is refused, a handler that failed.
func (a *App) answerError(server *api.Server) fiber.ErrorHandler {
	return func(c *fiber.Ctx, err error) error {
		status, text := fiber.StatusInternalServerError, "Something went wrong on our side. Try again."
		var refused *httpbody.Rejection
		var unread *fiber.Error
		switch {
		case errors.As(err, &refused):
			status, text = refused.Status, refused.Message
		case errors.As(err, &unread): // its path may not be known
			return server.Fault(c, err)
		}
		switch path := c.Path(); {
		case path == mcp.Path:
			programHeaders(c)
			return a.accounts.tools.Fault(c, status, text)
		case strings.HasPrefix(path, "/oauth/") && path != assistant.AuthorizePath,
			strings.HasPrefix(path, "/.well-known/"):
			programHeaders(c)
			return a.accounts.assistants.Fault(c, status, text)
		case path == billing.WebhookPath:
			return a.accounts.webhook.Fault(c, status)
		case strings.HasPrefix(path, "/api"), strings.HasPrefix(path, "/openapi."), path == "/healthz",
			path == "/readyz", strings.HasPrefix(path, accountapi.Root):
			return server.Fault(c, err)
		default:
			return a.accounts.portal.Fault(c, status)
		}
	}
}
