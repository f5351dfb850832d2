package portal

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/fault"
	"arpent/portal/view"
	"arpent/web"
)

// Fault answers a request that reached no handler, or whose handler broke off, with a page for whoever it is: nobody is
// looked up for it. Stripe reads a word.
func (p *Portal) Fault(c *fiber.Ctx, status int) error {
	page := view.Fault{Frame: p.o.Pages.Frame(c), Kind: view.Invalid, Status: status, RequestID: string(c.Response().Header.Peek(fiber.HeaderXRequestID))}
	switch {
	case c.Path() == WebhookPath && status < fiber.StatusInternalServerError:
		return p.refuseEvent(c, status, eventReasons[status])
	case status == fiber.StatusServiceUnavailable:
		page.Kind = view.Busy
	case status >= fiber.StatusInternalServerError:
		page.Kind = view.Broken
	}
	c.Status(status)
	c.Set(fiber.HeaderCacheControl, "no-store")
	return web.Send(c, view.FaultPage(page))
}

// Missing answers whatever no route takes: a page for who reads pages, the error of the API for programs.
func (p *Portal) Missing(c *fiber.Ctx) error {
	web.Guard(c)
	reads := c.Method() == fiber.MethodGet && strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMETextHTML)
	if !reads {
		return c.Next()
	}
	return p.open(func(*fiber.Ctx, *visitor) error { return fault.Missing("There is nothing at this path.") })(c)
}
