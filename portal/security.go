package portal

import (
	"github.com/gofiber/fiber/v2"

	"arpent/app/base/audit"
	"arpent/portal/view"
	"arpent/web"
)

// recentEvents is how much of the record the page of the account's security shows.
const recentEvents = 8

// security shows every way into the account, who is in it now, and what happened lately.
func (p *Portal) security(c *fiber.Ctx, v *visitor) error {
	page := view.Security{Frame: v.frame, Done: c.Query("done"), HasPassword: v.session.HasPassword, HasTOTP: v.session.HasTOTP}
	var err error
	if v.session.HasTOTP {
		if page.CodesLeft, err = p.o.Auth.RecoveryCodesLeft(v.ctx, v.session); err != nil {
			return err
		}
	}
	if page.Sessions, err = p.sessionRows(v); err != nil {
		return err
	}
	if page.Identities, page.Offered, err = p.identityRows(v); err != nil {
		return err
	}
	events, err := audit.List(v.ctx, p.o.DB, v.session.Account, 0, recentEvents)
	if err != nil {
		return err
	}
	page.Events = p.eventRows(v, events)
	return web.Send(c, view.SecurityPage(page), p.formTargets()...)
}
