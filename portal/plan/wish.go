package plan

import (
	"github.com/gofiber/fiber/v2"

	"arpent/internal/fault"
	"arpent/portal/pages"
)

// Wish has the account notified once paid plans can be bought. A form that was sent just as they went on sale
// is taken too: the mail follows within minutes.
func (p *Pages) Wish(c *fiber.Ctx, v *pages.Visitor) error {
	plan := pages.Field(c, "plan")
	if !isForSale(plan) {
		return fault.Invalid("plan must be standard or pro")
	}
	if !v.Session.Confirmed {
		return p.showConfirmFirst(c, v)
	}
	return pages.RedirectAfter(c, p.Billing.WishPlan(v.Ctx, v.Account, plan), "/account/plan?done=wished")
}

// RemoveWish takes that back.
func (p *Pages) RemoveWish(c *fiber.Ctx, v *pages.Visitor) error {
	return pages.RedirectAfter(c, p.Billing.RemoveWish(v.Ctx, v.Account), "/account/plan?done=wish-removed")
}
