package plan

import (
	"errors"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/billing"
	"arpent/portal/pages"
)

// Reserve is the part of the page about the requests beyond the quota of a day that the owner pays for.
type Reserve struct {
	billing.ReserveState
	PerThousandCents int64  // what 1 000 cost, without tax; 0: not known at the moment, or none is sold
	Typed            string // what the owner typed, once it was refused
	Error            string
	CanChoose        bool // the visitor may
}

// MaxCents is what the whole reserve of a month costs, without tax.
func (r Reserve) MaxCents() int64 { return (int64(r.PerMonth)*r.PerThousandCents + 500) / 1000 }

// ChooseReserve sets the reserve of a month, or ends it.
func (p *Pages) ChooseReserve(c *fiber.Ctx, v *pages.Visitor) error {
	typed := pages.Text(c, "per_month")
	n, err := strconv.Atoi(strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", ".", "", ",", "").Replace(typed))
	if typed == "" {
		n, err = 0, nil
	}
	if err == nil {
		err = p.Billing.ChooseReserve(v.Ctx, v.Account, n)
	} else {
		err = billing.ErrReserveSize
	}
	l := v.Frame.Lang
	switch {
	case err == nil:
		return pages.Redirect(c, "/account/plan?done=reserve")
	case errors.Is(err, billing.ErrReserveSize):
		c.Status(fiber.StatusUnprocessableEntity)
		return p.showPlan(c, v, Plan{Reserve: Reserve{Typed: typed, Error: l.Pick(
			"Un nombre entier de requêtes, de 0 à "+l.Number(billing.MaxReserve)+".",
			"A whole number of requests, from 0 to "+l.Number(billing.MaxReserve)+".")}})
	case errors.Is(err, billing.ErrNoReserveSold):
		c.Status(fiber.StatusConflict)
		return p.showPlan(c, v, Plan{Alert: l.Pick(
			"La réserve complète une offre payante en cours\u00a0: souscrivez d’abord une offre.",
			"A reserve complements a paid plan in force: subscribe to a plan first.")})
	}
	return err
}
