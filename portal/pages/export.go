package pages

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/web"
)

// SendExport sends everything that is stored about an account as a file named for the day.
func SendExport(c *fiber.Ctx, data []byte, now time.Time) error {
	web.Guard(c)
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="arpent-`+now.UTC().Format(time.DateOnly)+
		`.json"`)
	return c.Send(data)
}
