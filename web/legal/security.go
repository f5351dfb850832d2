package legal

import (
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/web"
)

// securityExpiry is for how long what is served today may be relied on: RFC 9116 asks for less than a year.
const securityExpiry = 180 * 24 * time.Hour

// serveSecurity says where to report a hole (RFC 9116). Without an
// address to write to there is no such document.
func (p *Pages) serveSecurity(c *fiber.Ctx) error {
	f := p.o.Site.Frame(c)
	if f.Contact() == "" {
		return c.Next()
	}
	web.Guard(c)
	c.Set(fiber.HeaderContentType, fiber.MIMETextPlainCharsetUTF8)
	c.Set(fiber.HeaderCacheControl, "public, max-age=86400")
	expires := p.o.Clock.Now().UTC().Add(securityExpiry).Truncate(24 * time.Hour)
	return c.SendString(fmt.Sprintf("Contact: mailto:%s\nExpires: %s\nPreferred-Languages: fr, en\nCanonical: %s\n",
		f.Contact(), expires.Format(time.RFC3339), f.BaseURL()+securityPath))
}

const securityPath = "/.well-known/security.txt"
