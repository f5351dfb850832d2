package settings

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/apikey"
	"arpent/internal/ident"
	"arpent/portal/pages"
	"arpent/web"
)

// ConvertPath is the address of the page that makes the visitor's own account an organisation.
const ConvertPath = "/account/organisations/convert"

// ConvertForm shows what becomes of the visitor's own account, and asks for the name of the organisation.
func (p *OrganisationPages) ConvertForm(c *fiber.Ctx, v *pages.Visitor) error {
	errors := v.Errors()
	page := Conversion{Frame: v.Frame, Account: v.Account, Confirmed: v.Session.Confirmed,
		Email: v.Session.Email, MailDown: p.MailDown, Subscribed: v.Bought.CustomerID != "", Name: pages.Text(c, "name"),
		Error: errors["name"], Alert: errors[""]}
	keys, err := p.Keys.List(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	for _, k := range keys {
		switch {
		case !k.Live(p.Now()):
		case k.Kind == apikey.Assistant:
			page.Assistants++
		default:
			page.Keys++
		}
	}
	return web.Send(c, ConvertPage(page))
}

// Convert makes the account that the page showed an organisation, and shows its members.
func (p *OrganisationPages) Convert(c *fiber.Ctx, v *pages.Visitor) error {
	id, err := strconv.ParseInt(pages.Text(c, "account"), 10, 64)
	if err != nil || id < 1 {
		return pages.ErrNothing
	}
	device, err := p.Auth.BecomeOrganisation(v.Ctx, v.Session, ident.AccountID(id), pages.Text(c, "name"), v.Origin)
	if err != nil {
		return v.Again(c, err, p.ConvertForm)
	}
	p.SetDevice(c, device)
	return pages.Redirect(c, OrganisationPath+"?done=converted")
}
