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
	sendBody, err := newBodySender(os.Getenv(baselineHeaders))
	if err != nil {
		return err
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(http.StatusOK) })
	bodies, err := readBodies(os.Getenv(baselineBodies))
	if err != nil {
		return err
	}
	app.Get("/*", func(c *fiber.Ctx) error { return sendBody(c, bodies[string(c.Request().RequestURI())]) })
	go func() {
		<-ctx.Done()
		_ = app.Shutdown() // the process ends either way
	}()
	return app.Listen("127.0.0.1:" + os.Getenv("PORT"))
}

// newBodySender answers with a body, and with headers that are always the same.
func newBodySender(text string) (func(c *fiber.Ctx, body []byte) error, error) {
	headers := map[string]string{fiber.HeaderContentType: fiber.MIMEApplicationJSON}
	if err := json.Unmarshal([]byte(text), &headers); err != nil {
		return nil, fmt.Errorf("read %s: %w", baselineHeaders, err)
	}
	type header struct{ name, value []byte }
	var all []header
	for name, value := range headers {
		all = append(all, header{[]byte(name), []byte(value)})
	}
	return func(c *fiber.Ctx, body []byte) error {
		if body == nil {
			return fiber.ErrNotFound
		}
		for i := range all {
			c.Response().Header.SetCanonical(all[i].name, all[i].value)
		}
		c.Response().SetBodyRaw(body)
		return nil
	}, nil
}

func readBodies(path string) (map[string][]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var bodies map[string][]byte
	if err := json.Unmarshal(text, &bodies); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return bodies, nil
}
