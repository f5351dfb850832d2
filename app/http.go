package app

import (
	"bytes"
	"net"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/api"
)

const (
	// A connection may be silent this long: between requests, within one, or while it does not take an answer. It
	// is one figure so that the deadline only ever moves forward (see coarseConn).
	quietTimeout = time.Minute
	// Address and headers of a request, and its body, at most.
	headerBytes = 8 << 10
	bodyBytes   = 1 << 20
	// An answer of up to this size goes out in one piece: a second one costs as much as a commune.
	answerBytes = 32 << 10
)

// httpsOnly tells browsers to come back over https for a year, once they have.
const httpsOnly = "max-age=31536000"

func newFiber(server *api.Server, secure bool) *fiber.App {
	app := fiber.New(fiber.Config{
		DisableStartupMessage: true,
		CaseSensitive:         true,
		ReadTimeout:           quietTimeout,
		WriteTimeout:          quietTimeout,
		IdleTimeout:           quietTimeout,
		ReadBufferSize:        headerBytes,
		WriteBufferSize:       answerBytes,
		BodyLimit:             bodyBytes,
		ErrorHandler:          server.Fault,
	})
	app.Server().Handler = everyRequest(app.Server().Handler)
	if secure {
		app.Server().Handler = overHTTPS(app.Server().Handler)
	}
	return app
}

func overHTTPS(serve fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		serve(ctx)
		ctx.Response.Header.Set(fiber.HeaderStrictTransportSecurity, httpsOnly)
	}
}

// everyRequest does what holds for all requests, whatever their path: a method that Fiber has never heard of is
// refused like any other, by whom it was meant for, and every response has a request id.
func everyRequest(serve fasthttp.RequestHandler) fasthttp.RequestHandler {
	root, known := []byte(api.Root), map[string]bool{}
	for _, method := range fiber.DefaultMethods {
		known[method] = true
	}
	return func(ctx *fasthttp.RequestCtx) {
		if !ctx.IsGet() && !known[string(ctx.Method())] {
			ctx.Request.Header.SetMethod(fasthttp.MethodPatch) // Fiber answers others in text; nothing of ours takes this
		}
		ours := bytes.HasPrefix(ctx.Path(), root) // the API gives its own
		if !ours {
			api.EnsureRequestID(&ctx.Response.Header)
		}
		serve(ctx)
		if !ours {
			api.EnsureRequestID(&ctx.Response.Header) // an error starts the response anew
		}
	}
}

// coarseListener gives connections whose deadlines are kept to the second.
type coarseListener struct{ net.Listener }

func (l coarseListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &coarseConn{Conn: c}, nil
}

// coarseConn leaves a deadline where it is when the new one is less than a second later: setting it three times a
// request costs as much as finding a commune. A connection may therefore be ended up to a second early.
type coarseConn struct {
	net.Conn
	read, write time.Time
}

const deadlineStep = time.Second

// NetConn gives the connection inside, as that of crypto/tls does.
func (c *coarseConn) NetConn() net.Conn { return c.Conn }

// SetReadDeadline implements net.Conn.
func (c *coarseConn) SetReadDeadline(t time.Time) error {
	if near(c.read, t) {
		return nil
	}
	c.read = t
	return c.Conn.SetReadDeadline(t)
}

// SetWriteDeadline implements net.Conn.
func (c *coarseConn) SetWriteDeadline(t time.Time) error {
	if near(c.write, t) {
		return nil
	}
	c.write = t
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline implements net.Conn.
func (c *coarseConn) SetDeadline(t time.Time) error {
	c.read, c.write = t, t
	return c.Conn.SetDeadline(t)
}

func near(set, next time.Time) bool {
	later := next.Sub(set)
	return !set.IsZero() && later >= 0 && later < deadlineStep
}
