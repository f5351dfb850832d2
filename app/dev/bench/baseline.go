package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/gofiber/fiber/v2"
)

// The baseline is a process of its own, as the service is. Its environment names the file of what to serve.
const (
	baselineCommand = "baseline"
	baselineFile    = "BENCH_ANSWERS"
)

// answers are what the baseline serves.
type answers struct {
	Headers map[string]string // of each answer
	Bodies  map[string][]byte // by path and query
}

// serveBaseline serves what the service serves with nothing around
// it: bodies from a map, under given headers.
func (*options) serveBaseline(ctx context.Context) error {
	text, err := os.ReadFile(os.Getenv(baselineFile))
	if err != nil {
		return err
	}
	var given answers
	if err := json.Unmarshal(text, &given); err != nil {
		return fmt.Errorf("read %s: %w", baselineFile, err)
	}
	type header struct{ name, value []byte }
	var headers []header
	for name, value := range given.Headers {
		headers = append(headers, header{[]byte(name), []byte(value)})
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(http.StatusOK) })
	app.Get("/*", func(c *fiber.Ctx) error {
		body := given.Bodies[string(c.Request().RequestURI())]
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
