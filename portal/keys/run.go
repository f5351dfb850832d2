package keys

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/auth/apikey"
	"arpent/internal/ident"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
	"arpent/web/report"
)

// Run makes the first call with a key, and shows the answer. The form names the key by its id: the secret
// stays where it is shown once, in no form, address, log or history. What is called is not the form's to say.
func (p *Pages) Run(c *fiber.Ctx, v *pages.Visitor, id ident.KeyID) error {
	if p.LiveKey == nil {
		return pages.ErrNothing
	}
	key, err := p.LiveKey(v.Ctx, v.Account, id)
	switch {
	case errors.Is(err, apikey.ErrInvalid):
		return pages.ErrNothing
	case err != nil:
		return err
	}
	first := view.FirstCallOf(p.Site.Status())
	op := p.API.Operation(first.Operation)
	result := p.API.Execute(v.Ctx, api.Caller{Conn: c.Context().Conn(), Key: key, Address: p.Client(c)}, op,
		op.Read(op.Values(first.Path)))
	page := Ran{Frame: v.Frame, ID: id, Path: first.Path, Status: result.Status,
		Remaining: result.QuotaRemaining()}
	if f := result.Fault; f != nil {
		page.Code, page.Message = string(f.Code), f.Message
		return web.Send(c, RanPage(page))
	}
	// A commune is no report; it is read as one without keys, and shown as it is.
	if page.Report, err = report.Read(result.Body); err != nil {
		return err
	}
	page.Body = web.Indent(result.Body)
	return web.Send(c, RanPage(page))
}
