package contract_test

import (
	"bufio"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// BenchmarkServe measures a request inside the server, from parsed request to finished response, and a Fiber
// handler that sends the same bytes.
func BenchmarkServe(b *testing.B) {
	s := fixture.Start(b)
	key := s.Account("bench@example.org", "pro")
	s.Limit(key, 2_000_000_000)
	body := s.Get("/api/v1/communes/93010", "X-API-Key", key).Body
	bare := fiber.New()
	bare.Get("/api/v1/communes/:code", func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Send(body)
	})
	for _, row := range []struct {
		name, path string
		serve      fasthttp.RequestHandler
	}{
		{"bare", "/api/v1/communes/93010", bare.Handler()},
		{"commune", "/api/v1/communes/93010", s.Handler()},
		{"point", "/api/v1/communes?lat=48.95&lon=2.55", s.Handler()},
	} {
		b.Run(row.name, func(b *testing.B) {
			var ctx fasthttp.RequestCtx
			ctx.Init(&fasthttp.Request{}, nil, nil)
			text := "GET " + row.path + " HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nX-API-Key: " + key + "\r\n\r\n"
			testkit.NoError(b, ctx.Request.Read(bufio.NewReader(strings.NewReader(text))))
			b.ReportAllocs()
			for b.Loop() {
				ctx.Response.Reset()
				row.serve(&ctx)
				if ctx.Response.StatusCode() != 200 {
					b.Fatalf("status %d: %s", ctx.Response.StatusCode(), ctx.Response.Body())
				}
			}
		})
	}
}
