package plan

import (
	"errors"
	"regexp"
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

// MaxCents is what the whole reserve of this month costs, without tax: also what was used before a lower one
// was set.
func (r Reserve) MaxCents() int64 {
	return (int64(max(r.PerMonth, r.Used))*r.PerThousandCents + 500) / 1000
}

// wholeNumber is a number as people type it, with or without a mark after each thousand.
var wholeNumber = regexp.MustCompile(`^(\d{1,9}|\d{1,3}([ .,\x{a0}\x{202f}]\d{3})+)$`)

// parseRequests reads a number of requests; nothing is 0.
func parseRequests(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	if !wholeNumber.MatchString(text) {
		return 0, billing.ErrReserveSize
	}
	n, err := strconv.Atoi(strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", ".", "", ",", "").Replace(text))
	if err != nil {
		return 0, billing.ErrReserveSize
	}
	return n, nil
}

// ChooseReserve sets the reserve of a month, or ends it.
func (p *Pages) ChooseReserve(c *fiber.Ctx, v *pages.Visitor) error {
	typed := pages.Text(c, "per_month")
	n, err := parseRequests(typed)
	if err == nil {
		err = p.Billing.ChooseReserve(v.Ctx, v.Account, n)
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
	case errors.Is(err, billing.ErrReserveUnpaid):
		c.Status(fiber.StatusConflict)
		return p.showPlan(c, v, Plan{Alert: l.Pick(
			"Une facture de la réserve n’est pas payée\u00a0: réglez-la d’abord, sous «\u00a0Factures\u00a0».",
			"An invoice for the reserve is unpaid: pay it first, under “Invoices”.")})
	case errors.Is(err, billing.ErrUnavailable):
		return p.showStripeErrorOn(c, v, err, Plan{})
	case errors.Is(err, billing.ErrNoReserveSold):
		c.Status(fiber.StatusConflict)
		return p.showPlan(c, v, Plan{Alert: l.Pick(
			"La réserve complète une offre payante en cours\u00a0: souscrivez d’abord une offre.",
			"A reserve comes on top of a paid plan: subscribe to a plan first.")})
	}
	return err
}
