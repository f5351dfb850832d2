package api

import (
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// ReadQuery reads the query of a request to an operation, and gives the parameters that it takes from it.
func ReadQuery(op *Operation, query string) (values map[string]string, include Include, err error) {
	ctx := new(fasthttp.RequestCtx)
	ctx.Request.SetRequestURI("/?" + query)
	app := fiber.New()
	c := app.AcquireCtx(ctx)
	defer app.ReleaseCtx(c)
	r := &Request{fiber: c, op: op}
	if err := r.readQuery(); err != nil {
		return nil, 0, err
	}
	values = map[string]string{}
	for _, p := range op.Params {
		if value, given := r.Query(p.Name); given {
			values[p.Name] = string([]byte(value))
		}
	}
	return values, r.Include, nil
}
