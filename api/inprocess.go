package api

import (
	"context"
	"net/url"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/auth/apikey"
)

// Ask is one run of an operation for a caller who was authenticated elsewhere: an assistant that calls a tool.
type Ask struct {
	Context   context.Context // ends when the answer is no longer waited for
	Operation string          // its name in the operations table
	Path      url.Values      // path parameters by name, as they are meant: nothing is escaped
	Query     url.Values      // query parameters
	Key       *apikey.Entry   // whose limits hold
	From      *fiber.Ctx      // the request that brought the ask: who sent it, from where, and whether they still wait
	Fault     error           // what is wrong with the parameters already, nil: nothing; it counts as it does when they are read here
}

// askKey is the name of the Ask among the user values of a request. Nothing that arrives over the network can set it.
type askKey struct{}

func askOf(c *fiber.Ctx) *Ask {
	ask, _ := c.Context().UserValue(askKey{}).(*Ask)
	return ask
}

// asks are the requests that runs are made with, used again.
var asks = sync.Pool{New: func() any { return new(fasthttp.RequestCtx) }}

// Run answers an ask as the REST endpoint answers a request: through the same gate, parameters, counters and log. Only the
// key is not looked for, as it is known, and no route, as the operation is. What read is given is valid until read returns.
// An operation that the table does not name answers 404.
func (s *Server) Run(ask *Ask, read func(*fasthttp.Response)) {
	ctx := asks.Get().(*fasthttp.RequestCtx)
	ctx.Request.Reset()
	ctx.Response.Reset()
	ctx.ResetUserValues()
	ctx.Init2(ask.From.Context().Conn(), nil, false)
	ctx.SetUserValue(askKey{}, ask)
	if len(ask.Query) > 0 {
		ctx.Request.SetRequestURI("/?" + ask.Query.Encode())
	}
	app := ask.From.App()
	c := app.AcquireCtx(ctx)
	if err := s.serve(c, s.named(ask.Operation)); err != nil {
		s.writeFault(c, err)
	}
	app.ReleaseCtx(c)
	read(&ctx.Response)
	ctx.ResetUserValues() // the ask must not be kept
	asks.Put(ctx)
}

// named is the operation of a name.
func (s *Server) named(name string) *Operation {
	for i := range s.operations {
		if op := &s.operations[i]; op.Name == name {
			return op
		}
	}
	return &s.unknown
}
