package settings

import (
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/billing/meter/usage"
	"arpent/internal/clock"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
)

// ExportForm describes the content of the export.
func (p *Pages) ExportForm(c *fiber.Ctx, v *pages.Visitor) error {
	return web.Send(c, ExportPage(Export{Frame: v.Frame}))
}

// Export sends everything that is stored about the account. It is an act,
// not a page: it is recorded in the audit log.
func (p *Pages) Export(c *fiber.Ctx, v *pages.Visitor) error {
	data, err := p.Auth.Export(v.Ctx, v.Session, v.Origin)
	if err != nil {
		return err
	}
	return pages.SendExport(c, data, p.Now())
}

// DeletePage shows what is deleted with the account. After a form it says
// that the typed address is not the account's.
func (p *Pages) DeletePage(c *fiber.Ctx, v *pages.Visitor) error {
	page := RemoveAccount{Frame: v.Frame, Email: v.Session.Email, Typed: pages.Text(c, "email"),
		Shared: v.Session.ActsForOrganisation(), Alert: v.Errors()[""]}
	page.Wrong = c.Method() == fiber.MethodPost && page.Alert == ""
	keys, err := p.Keys.List(v.Ctx, v.Account)
	if err != nil {
		return err
	}
	counts, err := usage.ReadKeyCounts(v.Ctx, p.DB, v.Account, clock.Day(p.Now()))
	if err != nil {
		return err
	}
	for _, k := range keys {
		if k.Live(p.Now()) {
			page.Today += counts[k.ID].Today
		}
	}
	if page.Access, err = p.CountAccess(v, keys); err != nil {
		return err
	}
	memberships, err := p.Auth.Memberships(v.Ctx, v.Session)
	if err != nil {
		return err
	}
	for _, m := range memberships {
		switch {
		case m.LastOwner():
			page.Owned = append(page.Owned, Owned{ID: m.ID, Name: m.Name})
		case m.SoleMember():
			page.Deleted = append(page.Deleted, m.Name)
		default:
			page.Left = append(page.Left, m.Name)
		}
	}
	sessions, err := p.Auth.Sessions(v.Ctx, v.Session)
	if err != nil {
		return err
	}
	page.OtherSessions = max(0, len(sessions)-1)
	page.Customer = v.Bought.CustomerID != ""
	if state, _ := p.PlanState(v.Bought); state != view.PlanNone {
		page.Paid = v.Bought.Snapshot.Plan
	}
	return web.Send(c, RemoveAccountPage(page))
}

// Delete deletes the account once its address has been typed, so that it is not done by accident.
func (p *Pages) Delete(c *fiber.Ctx, v *pages.Visitor) error {
	if !strings.EqualFold(pages.Text(c, "email"), v.Session.Email) {
		c.Status(fiber.StatusUnprocessableEntity)
		return p.DeletePage(c, v)
	}
	if err := p.Auth.Delete(v.Ctx, v.Session, v.Origin); err != nil {
		return v.Again(c, err, p.DeletePage)
	}
	p.ForgetDevice(c)
	p.SetCookie(c, deletedCookie, "1", deletedLife)
	return pages.Redirect(c, "/goodbye")
}

// deletedCookie marks a browser in which an account has just been deleted.
const (
	deletedCookie = "arpent-gone"
	deletedLife   = 10 * time.Minute
)

// Goodbye is the last page of an account. A visitor who is signed in has one, and may have come here by the
// history of the browser; who deleted none here has no use for it either.
func (p *Pages) Goodbye(c *fiber.Ctx, v *pages.Visitor) error {
	switch {
	case v.SignedIn():
		return pages.Redirect(c, "/account")
	case p.Cookie(c, deletedCookie) == "":
		return v.Redirect(c, "/")
	}
	return web.Send(c, GoodbyePage(Goodbye{Frame: v.Frame}))
}
