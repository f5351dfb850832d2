package portal

import (
	"github.com/gofiber/fiber/v2"

	"arpent/portal/view"
	"arpent/web"
)

func (p *Portal) exportForm(c *fiber.Ctx, v *visitor) error {
	return web.Send(c, view.ExportPage(view.Export{Frame: v.frame}))
}

// export sends everything that is kept about the account. It is an act, not a page: it goes on the record.
func (p *Portal) export(c *fiber.Ctx, v *visitor) error {
	data, err := p.o.Auth.Export(v.ctx, v.session, v.origin)
	if err != nil {
		return err
	}
	web.Guard(c)
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="arpent-`+p.now().UTC().Format("2006-01-02")+`.json"`)
	return c.Send(data)
}
