package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/gofiber/fiber/v2"

	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/app/pgdb"
)

// The baseline is a process of its own, as the service is. It is told by its environment what to serve.
const (
	baselineCommand  = "baseline"
	baselineBodies   = "BENCH_BODIES"   // file: JSON object of path and query to body
	baselineDatabase = "BENCH_DATABASE" // database address
)

// baseline serves what the service serves with nothing around it: bodies from a map, and parcels from the same query,
// on a connection pool of the same size.
func baseline(ctx context.Context) error {
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
	parcels := parcel.New(pool, func(code string) (parcel.Place, bool) {
		place, ok := store.Place(code)
		return parcel.Place(place), ok
	})
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

func sendBody(c *fiber.Ctx, body []byte) error {
	if body == nil {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Send(body)
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
