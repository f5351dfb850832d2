package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/gofiber/fiber/v2"

	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/app/base/pgdb"
)

// The baseline is a process of its own, as the service is. Its environment says what to serve.
const (
	baselineCommand  = "baseline"
	baselineBodies   = "BENCH_BODIES"   // file: JSON object of path and query to body
	baselineDatabase = "BENCH_DATABASE" // database address
	baselineHeaders  = "BENCH_HEADERS"  // JSON object of headers to send with each answer
)

// baseline serves what the service serves with nothing around it: bodies from a map, and parcels from the same query,
// on a connection pool of the same size. With headers given it returns every byte that the service returns; without,
// the same body under the three headers that Fiber sends of itself.
func baseline(ctx context.Context, _ options) error {
	bodies, err := readBodies(os.Getenv(baselineBodies))
	if err != nil {
		return err
	}
	pool, err := pgdb.Open(ctx, os.Getenv(baselineDatabase), pgdb.Options{MaxConns: 16, AppName: "arpent baseline"})
	if err != nil {
		return err
	}
	defer pool.Close()
	store := territory.New(pool)
	if err := store.Refresh(ctx); err != nil {
		return err
	}
	parcels := parcel.New(pgdb.ReadFrom(pool), func(code string) (parcel.Place, bool) {
		place, ok := store.Place(code)
		return parcel.Place(place), ok
	}, store.Explain, func() *parcel.Index { return nil }) // the bare handler asks the database
	sendBody, err := sender(os.Getenv(baselineHeaders))
	if err != nil {
		return err
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(http.StatusOK) })
	app.Get("/api/v1/communes/:code", func(c *fiber.Ctx) error { return sendBody(c, bodies[c.Params("code")]) })
	app.Get("/api/v1/communes", func(c *fiber.Ctx) error { return sendBody(c, bodies[string(c.Context().QueryArgs().QueryString())]) })
	app.Get("/api/v1/parcelles/:idu", func(c *fiber.Ctx) error {
		r, err := parcels.Find(c.Context(), c.Params("idu"), c.Query("include") == "geometry")
		if err != nil {
			return err
		}
		return sendBody(c, r.Body)
	})
	go func() {
		<-ctx.Done()
		_ = app.Shutdown() // the process ends either way
	}()
	return app.Listen("127.0.0.1:" + os.Getenv("PORT"))
}

// sender answers with a body, and with headers that are always the same.
func sender(text string) (func(c *fiber.Ctx, body []byte) error, error) {
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
