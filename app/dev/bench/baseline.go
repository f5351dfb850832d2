package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgxpool"

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

// baseline serves what the service serves with nothing around it: bodies from a map, under given headers; or
// parcels from the same query, on a connection pool of the same size.
func baseline(ctx context.Context, _ options) error {
	sendBody, err := sender(os.Getenv(baselineHeaders))
	if err != nil {
		return err
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/readyz", func(c *fiber.Ctx) error { return c.SendStatus(http.StatusOK) })
	if file := os.Getenv(baselineBodies); file != "" {
		bodies, err := readBodies(file)
		if err != nil {
			return err
		}
		app.Get("/*", func(c *fiber.Ctx) error { return sendBody(c, bodies[string(c.Request().RequestURI())]) })
	}
	if url := os.Getenv(baselineDatabase); url != "" {
		release, err := serveDatabase(ctx, app, url, sendBody)
		if err != nil {
			return err
		}
		defer release()
	}
	go func() {
		<-ctx.Done()
		_ = app.Shutdown() // the process ends either way
	}()
	return app.Listen("127.0.0.1:" + os.Getenv("PORT"))
}

// serveDatabase has a bare handler read parcels from the database.
func serveDatabase(ctx context.Context, app *fiber.App, url string, sendBody func(*fiber.Ctx, []byte) error) (release func(), err error) {
	pool, err := pgdb.Open(ctx, url, pgdb.Options{MaxConns: 16, AppName: "arpent baseline"})
	if err != nil {
		return nil, err
	}
	names := territory.New(pool)
	if err := names.Refresh(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	parcels := parcelsFrom(pool, names, func() *parcel.Index { return nil }) // it asks the database
	app.Get("/api/v1/parcelles/:idu", func(c *fiber.Ctx) error {
		r, err := parcels.Find(c.Context(), c.Params("idu"), c.Query("include") == "geometry", nil)
		if err != nil {
			return err
		}
		return sendBody(c, r.Body)
	})
	app.Get("/api/v1/parcelles", func(c *fiber.Ctx) error {
		r, err := parcels.At(c.Context(), c.QueryFloat("lat"), c.QueryFloat("lon"), c.Query("include") == "geometry", nil)
		if err != nil {
			return err
		}
		return sendBody(c, r.Body)
	})
	return pool.Close, nil
}

// parcelsFrom are the parcels of a file and, beside it, of a database.
func parcelsFrom(pool *pgxpool.Pool, names *territory.Store, file func() *parcel.Index) *parcel.Store {
	place := func(code string) (parcel.Place, bool) {
		place, ok := names.Place(code)
		return parcel.Place(place), ok
	}
	return parcel.New(pgdb.ReadFrom(pool), place, names.Explain, file)
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
