package plan

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/billing"
	"arpent/internal/httpbody"
)

// WebhookPath is where Stripe sends events.
const WebhookPath = billing.WebhookPath

// webhookTimeout is shorter than Stripe's own, which sends again what was not answered.
const webhookTimeout = 10 * time.Second

// Webhook receives Stripe's events. It has no session and no CSRF token: an event is
// authenticated by its signature alone, over the body as it was sent. It answers 200 once
// the event has been applied in the database.
func (p *Pages) Webhook(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	ctx, cancel := context.WithTimeout(c.UserContext(), webhookTimeout)
	defer cancel()
	_, err := p.Billing.Receive(ctx, httpbody.Raw(c), strings.Clone(c.Get("Stripe-Signature")))
	var refused *billing.EventError
	switch {
	case errors.As(err, &refused):
		slog.WarnContext(ctx, "stripe event rejected", "reason", refused.Reason)
		return p.rejectEvent(c, fiber.StatusBadRequest, refused.Reason)
	case err != nil:
		slog.ErrorContext(ctx, "stripe event not handled", "error", err)
		c.Set(fiber.HeaderRetryAfter, "60")
		return c.Status(fiber.StatusServiceUnavailable).SendString("not handled: send it again\n")
	}
	return c.SendString("ok\n")
}

// eventReasons are the reasons for which an event was not read at all.
var eventReasons = map[int]string{fiber.StatusRequestEntityTooLarge: "too_large",
	fiber.StatusUnsupportedMediaType: "encoded",
	fiber.StatusBadRequest:           "unreadable", fiber.StatusRequestTimeout: "unreadable",
	fiber.StatusRequestHeaderFieldsTooLarge: "unreadable"}

// RejectEvent answers an event that was not read.
func (p *Pages) RejectEvent(c *fiber.Ctx, status int) error {
	return p.rejectEvent(c, status, eventReasons[status])
}

func (p *Pages) rejectEvent(c *fiber.Ctx, status int, reason string) error {
	if p.EventRejected != nil {
		p.EventRejected(reason)
	}
	return c.Status(status).SendString("refused: " + reason + "\n")
}
