package plan

import (
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/billing"
	"arpent/portal/pages"
	"arpent/web"
)

// Offer is a plan as it is sold, for the pages.
type Offer = billing.Offer

// listOffers lists how a plan is sold: by the month and, where it is, by the year.
func (o PlanOffer) listOffers(yearlyFirst bool) []Offer {
	all := []Offer{{Plan: o.Name}}
	if o.YearlyCents > 0 {
		all = append(all, Offer{Plan: o.Name, Yearly: true})
	}
	if yearlyFirst {
		slices.Reverse(all)
	}
	return all
}

// offerName names a plan and, with its interval, how it is paid.
func offerName(l web.Lang, o Offer, interval bool) string {
	name := web.PlanName(l, o.Plan)
	switch {
	case !interval || o.Plan == billing.Free:
		return name
	case o.Yearly:
		return l.Pick(name+" à l’année", "yearly "+name)
	}
	return l.Pick(name+" au mois", "monthly "+name)
}

// buttonName names an offer after a verb.
func buttonName(l web.Lang, o Offer, interval bool) string {
	switch name := web.PlanName(l, o.Plan); {
	case l == web.French || !interval || o.Plan == billing.Free:
		return offerName(l, o, interval)
	case o.Yearly:
		return name + ", yearly"
	default:
		return name + ", monthly"
	}
}

// yearInterval is the value of the field interval of forms for an offer by the year.
const yearInterval = "year"

// offerFields are the fields of a form that name an offer.
func offerFields(o Offer) map[string]string {
	if o.Yearly {
		return map[string]string{"plan": o.Plan, "interval": yearInterval}
	}
	return map[string]string{"plan": o.Plan}
}

// changePath leads to the page of a change to an offer.
func changePath(o Offer) string {
	path := "/account/plan/change?plan=" + o.Plan
	if o.Yearly {
		path += "&interval=" + yearInterval
	}
	return path
}

// readOffer reads the offer that a form or an address names.
func readOffer(c *fiber.Ctx) Offer {
	return Offer{Plan: strings.Clone(pages.Field(c, "plan")), Yearly: pages.Field(c, "interval") == yearInterval}
}
