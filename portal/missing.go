package portal

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/app/fault"
	"arpent/web"
)

// Missing answers whatever no route takes: a page for who reads pages, the error of the API for programs.
func (p *Portal) Missing(c *fiber.Ctx) error {
	web.Guard(c)
	reads := c.Method() == fiber.MethodGet && strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMETextHTML)
	if !reads {
		return c.Next()
	}
	return p.open(func(*fiber.Ctx, *visitor) error { return fault.Missing("There is nothing at this path.") })(c)
}
