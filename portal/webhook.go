package portal

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/httpbody"
	"arpent/billing"
)

// WebhookPath is where Stripe sends events.
const WebhookPath = "/webhooks/stripe"

// webhookTimeout is how long an event may take. Stripe waits longer, and repeats what was not answered.
const webhookTimeout = 10 * time.Second

// webhook takes Stripe's events. It has no session and no CSRF token: what an event says is believed for its
// signature alone, over the body as it was sent. 200 is said when what it tells of is in the database.
func (p *Portal) webhook(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	ctx, cancel := context.WithTimeout(c.UserContext(), webhookTimeout)
	defer cancel()
	_, err := p.o.Billing.Receive(ctx, httpbody.Raw(c), strings.Clone(c.Get("Stripe-Signature")))
	var refused *billing.EventError
	switch {
	case errors.As(err, &refused):
		slog.WarnContext(ctx, "a call that says it is from Stripe is refused", "reason", refused.Reason)
		return p.refuseEvent(c, fiber.StatusBadRequest, refused.Reason)
	case err != nil:
		slog.ErrorContext(ctx, "an event of Stripe cannot be handled now", "error", err)
		c.Set(fiber.HeaderRetryAfter, "60")
		return c.Status(fiber.StatusServiceUnavailable).SendString("not handled: send it again\n")
	}
	return c.SendString("ok\n")
}

// eventReasons name what keeps an event from being read at all.
var eventReasons = map[int]string{fiber.StatusRequestEntityTooLarge: "too_large", fiber.StatusUnsupportedMediaType: "encoded",
	fiber.StatusBadRequest: "unreadable", fiber.StatusRequestTimeout: "unreadable", fiber.StatusRequestHeaderFieldsTooLarge: "unreadable"}

func (p *Portal) refuseEvent(c *fiber.Ctx, status int, reason string) error {
	if p.o.EventRefused != nil {
		p.o.EventRefused(reason)
	}
	return c.Status(status).SendString("refused: " + reason + "\n")
}
