package portal

import (
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/apikey"
	"arpent/auth/member"
	"arpent/auth/policy"
	"arpent/billing/meter"
	"arpent/portal/keys"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
)

// expiringSoon is how long before its expiry a key becomes the next thing to do.
const expiringSoon = 7 * 24 * time.Hour

// JoinOffer is an organisation that the person can join by their address.
type JoinOffer = policy.Offer

// showHome shows the state of the account, and what to do next.
func (p *Portal) showHome(c *fiber.Ctx, v *pages.Visitor) error {
	if !v.Session.Role.May(member.ListKeys) { // such as a billing manager
		page := "/account/plan"
		if done := c.Query("done"); done != "" {
			page += "?done=" + url.QueryEscape(done)
		}
		return v.Redirect(c, page)
	}
	all, err := p.ListKeys(v)
	if err != nil {
		return err
	}
	used := p.usage.Current(v)
	page := Home{Frame: v.Frame, Organisation: v.Session.OrganisationName, Email: v.Session.Email, Plan: v.Session.Plan, Done: c.Query("done"),
		Bars: p.usage.Bars(v, used), Confirmed: v.Session.Confirmed, MailDown: p.MailDown}
	page.Sample = view.FirstCallOf(p.Site.Status()).Path
	for _, k := range all {
		page.Called = page.Called || k.LastUsedAt != nil
		if k.Kind == apikey.Integration && k.Live(p.Now()) && k.LastUsedAt != nil && (page.LastUsed == nil ||
			k.LastUsedAt.After(*page.LastUsed)) {
			page.LastUsed, page.LastKey = k.LastUsedAt, k.Name
		}
		switch {
		case !k.Live(p.Now()):
		case k.Kind == apikey.Assistant:
			page.Assistants++
		default:
			page.Live++
		}
	}
	if !v.Session.ActsForOrganisation() {
		if page.Offer, err = p.Domains.FindOffer(v.Ctx, v.Session.Account); err != nil {
			return err
		}
	}
	p.chooseAdvice(&page, v, all, used)
	return web.Send(c, HomePage(page))
}

// chooseAdvice chooses the one thing that is most worth doing.
func (p *Portal) chooseAdvice(page *Home, v *pages.Visitor, all []apikey.Key, used meter.Usage) {
	successors := keys.Successors(all)
	for _, k := range all {
		if k.Live(p.Now()) && k.Kind == apikey.Integration && k.PausedAt == nil && k.ExpiresAt != nil &&
			k.ExpiresAt.Before(p.Now().Add(expiringSoon)) &&
			k.LastUsedAt != nil && successors[k.ID] == nil {
			page.Advice, page.AdviceName, page.AdviceID = AdviceExpiring, k.Name, k.ID
			return
		}
	}
	switch {
	case used.DayUsed >= used.DayLimit:
		page.Advice = AdviceSpent
	case used.DayUsed*100 >= used.DayLimit*80:
		page.Advice = AdviceQuota
	case !v.Session.HasTOTP && !v.Session.HasPasskey:
		page.Advice = AdviceSecondFactor
	}
}
