package portal

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/clock"
	"arpent/billing/meter/usage"
	"arpent/portal/view"
	"arpent/web"
)

func (p *Portal) removeForm(c *fiber.Ctx, v *visitor) error {
	return p.removePage(c, v, "", false)
}

// removePage says what dies with the account.
func (p *Portal) removePage(c *fiber.Ctx, v *visitor, address string, wrong bool) error {
	page := view.Remove{Frame: v.frame, Email: v.session.Email, Typed: address, Wrong: wrong}
	keys, err := p.o.Keys.List(v.ctx, v.session.Account)
	if err != nil {
		return err
	}
	counts, err := usage.ReadKeyCounts(v.ctx, p.o.DB, v.session.Account, clock.Day(p.now()))
	if err != nil {
		return err
	}
	for _, k := range keys {
		if k.Live(p.now()) {
			page.Keys++
			page.Today += counts[k.ID].Today
		}
	}
	sessions, err := p.o.Auth.Sessions(v.ctx, v.session)
	if err != nil {
		return err
	}
	page.OtherSessions = max(0, len(sessions)-1)
	if state, _ := planState(v.bought, p.now()); state != view.PlanNone {
		page.Paid = v.bought.Snapshot.Plan
	}
	return web.Send(c, view.RemovePage(page))
}

// remove deletes the account once its address has been typed, so that nobody does it with a stray click.
func (p *Portal) remove(c *fiber.Ctx, v *visitor) error {
	address := formText(c, "email")
	if !strings.EqualFold(address, v.session.Email) {
		c.Status(fiber.StatusUnprocessableEntity)
		return p.removePage(c, v, address, true)
	}
	if err := p.o.Auth.Delete(v.ctx, v.session, v.origin); err != nil {
		return err
	}
	p.forget(c, web.SessionCookie)
	p.forget(c, deviceCookie)
	return redirect(c, "/goodbye")
}

// goodbye is the last page of an account.
func (p *Portal) goodbye(c *fiber.Ctx, v *visitor) error {
	return web.Send(c, view.GoodbyePage(view.Goodbye{Frame: v.frame}))
}
