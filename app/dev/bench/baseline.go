package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/gofiber/fiber/v2"
)

// The baseline is a process of its own, as the service is. Its environment says what to serve.
const (
	baselineCommand = "baseline"
	baselineBodies  = "BENCH_BODIES"  // file: JSON object of path and query to body
	baselineHeaders = "BENCH_HEADERS" // JSON object of headers to send with each answer
)

// serveBaseline serves what the service serves with nothing around
// it: bodies from a map, under given headers.
func serveBaseline(ctx context.Context, _ options) error {
	given := map[string]string{fiber.HeaderContentType: fiber.MIMEApplicationJSON}
	if err := json.Unmarshal([]byte(os.Getenv(baselineHeaders)), &given); err != nil {
		return fmt.Errorf("read %s: %w", baselineHeaders, err)
	}
	text, err := os.ReadFile(os.Getenv(baselineBodies))
	if err != nil {
		return err
	}
	var bodies map[string][]byte
	if err := json.Unmarshal(text, &bodies); err != nil {
		return fmt.Errorf("read %s: %w", baselineBodies, err)
	}
	type header struct{ name, value []byte }
	var headers []header
	for name, value := range given {
		headers = append(headers, header{[]byte(name), []byte(value)})
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(http.StatusOK) })
	app.Get("/*", func(c *fiber.Ctx) error {
		body := bodies[string(c.Request().RequestURI())]
		if body == nil {
			return fiber.ErrNotFound
		}
		for i := range headers {
			c.Response().Header.SetCanonical(headers[i].name, headers[i].value)
		}
		c.Response().SetBodyRaw(body)
		return nil
	})
	go func() {
		<-ctx.Done()
		_ = app.Shutdown() // the process ends either way
	}()
	return app.Listen("127.0.0.1:" + os.Getenv("PORT"))
}
