package api

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/api/coverage"
)

// Health answers /healthz (the process lives) and /readyz (it can serve).
type Health struct {
	Missing  func() []string             // what is not served yet; empty: the instance is ready
	Database func(context.Context) error // a sign of life from PostgreSQL
	// Loading describes loads under way and what is not made from them yet; nil: nothing.
	Loading  func(context.Context) *coverage.Loading
	Details  func(*fiber.Ctx) fiber.Map // what ?verbose adds; nil: this client gets nothing more
	draining atomic.Bool

	checkMutex sync.Mutex // held while the database is asked
	checkedAt  time.Time
	lastError  error
}

// Drain makes /readyz answer 503 from now on, so that no new traffic is sent here.
func (h *Health) Drain() { h.draining.Store(true) }

// Register mounts both paths.
func (h *Health) Register(app *fiber.App) {
	app.Get("/healthz", func(c *fiber.Ctx) error { return c.JSON(fiber.Map{"status": "ok"}) })
	app.Get("/readyz", h.serveReadiness)
}

// serveReadiness answers 200 as long as this instance serves searches, statistics and parcels: without its
// database it still serves the territory, and reports "degraded".
func (h *Health) serveReadiness(c *fiber.Ctx) error {
	status, answer := fiber.StatusOK, fiber.Map{}
	missing := h.Missing()
	switch {
	case h.draining.Load():
		status, answer["status"] = fiber.StatusServiceUnavailable, "draining"
	case len(missing) > 0:
		status, answer["status"], answer["building"] = fiber.StatusServiceUnavailable, "not ready", missing
	case h.databaseDown() != nil:
		answer["status"], answer["database"] = "degraded", "down"
	default:
		answer["status"], answer["database"] = "ok", "up"
		if loading := h.Loading(context.Background()); loading != nil {
			answer["loading"] = loading
		}
	}
	if c.Context().QueryArgs().Has("verbose") {
		maps.Copy(answer, h.Details(c))
	}
	return c.Status(status).JSON(answer)
}

// DatabaseUp reports whether the database answers.
func (h *Health) DatabaseUp() bool { return h.databaseDown() == nil }

// databaseDown asks the database at most once a second, however often it is asked itself.
func (h *Health) databaseDown() error {
	h.checkMutex.Lock()
	defer h.checkMutex.Unlock()
	if time.Since(h.checkedAt) > time.Second {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		h.lastError, h.checkedAt = h.Database(ctx), time.Now()
	}
	return h.lastError
}
