package billing

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/internal/httpbody"
)

// WebhookPath is the path at which Stripe delivers events.
const WebhookPath = "/webhooks/stripe"

// webhookTimeout is shorter than Stripe's own, which sends again what was not answered.
const webhookTimeout = 10 * time.Second

// Webhook receives Stripe's events.
type Webhook struct {
	Service *Service
	// Rejected is called with the reason for which an event was rejected, one of a short list; nil: not called.
	Rejected func(reason string)
}

// Register adds the route, if plans are sold here.
func (w *Webhook) Register(app *fiber.App) {
	if w.Service.Sells() {
		app.Post(WebhookPath, w.receiveEvent)
	}
}

// receiveEvent has no session and no CSRF token: an event is authenticated by its signature
// alone, over the body as it was sent. It answers 200 once the event has been applied in the
// database.
func (w *Webhook) receiveEvent(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	ctx, cancel := context.WithTimeout(c.UserContext(), webhookTimeout)
	defer cancel()
	_, err := w.Service.Receive(ctx, httpbody.Raw(c), strings.Clone(c.Get("Stripe-Signature")))
	var refused *EventError
	switch {
	case errors.As(err, &refused):
		slog.WarnContext(ctx, "stripe event rejected", "reason", refused.Reason)
		return w.rejectEvent(c, fiber.StatusBadRequest, refused.Reason)
	case err != nil:
		slog.ErrorContext(ctx, "stripe event not handled", "error", err)
		return askAgain(c)
	}
	return c.SendString("ok\n")
}

// rejectionReasons are the reasons for which an event was not read at all; of any other status: unreadable.
var rejectionReasons = map[int]string{fiber.StatusRequestEntityTooLarge: "too_large",
	fiber.StatusUnsupportedMediaType: "encoded"}

// Fault answers a call that was not read, or whose handler panicked.
func (w *Webhook) Fault(c *fiber.Ctx, status int) error {
	if status >= fiber.StatusInternalServerError {
		return askAgain(c)
	}
	return w.rejectEvent(c, status, cmp.Or(rejectionReasons[status], "unreadable"))
}

func askAgain(c *fiber.Ctx) error {
	c.Set(fiber.HeaderRetryAfter, "60")
	return c.Status(fiber.StatusServiceUnavailable).SendString("not handled: send it again\n")
}

func (w *Webhook) rejectEvent(c *fiber.Ctx, status int, reason string) error {
	if w.Rejected != nil {
		w.Rejected(reason)
	}
	return c.Status(status).SendString("rejected: " + reason + "\n")
}
