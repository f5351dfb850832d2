package portal

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth/apikey"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/portal/view"
	"arpent/web"
)

// expiringSoon is when a key that is going to expire becomes the next thing to see to.
const expiringSoon = 7 * 24 * time.Hour

// home tells how the account stands, and what to do next.
func (p *Portal) home(c *fiber.Ctx, v *visitor) error {
	keys, err := p.o.Keys.List(v.ctx, v.session.Account)
	if err != nil {
		return err
	}
	standing := p.standing(v)
	page := view.Home{Frame: v.frame, Email: v.session.Email, Plan: v.session.Plan, Done: c.Query("done"),
		Bars: bars(v, standing, p.now()), Confirmed: v.session.Confirmed, MailDown: p.o.MailDown}
	for _, k := range keys {
		page.Called = page.Called || k.LastUsedAt != nil
		if k.LastUsedAt != nil && (page.LastUsed == nil || k.LastUsedAt.After(*page.LastUsed)) {
			page.LastUsed, page.LastKey = k.LastUsedAt, k.Name
		}
		switch {
		case !k.Live(p.now()):
		case k.Kind == apikey.Assistant:
			page.Assistants++
		default:
			page.Live++
		}
	}
	p.advise(&page, v, keys, standing)
	return web.Send(c, view.HomePage(page))
}

// advise chooses the one thing that is most worth doing.
func (p *Portal) advise(page *view.Home, v *visitor, keys []apikey.Key, standing meter.Usage) {
	successors := successorsOf(keys)
	for _, k := range keys {
		if k.Live(p.now()) && k.Kind == apikey.Integration && k.ExpiresAt != nil && k.ExpiresAt.Before(p.now().Add(expiringSoon)) &&
			k.LastUsedAt != nil && successors[k.ID] == nil {
			page.Advice, page.AdviceName, page.AdviceID = view.AdviceExpiring, k.Name, int64(k.ID)
			return
		}
	}
	switch {
	case standing.DayUsed*100 >= standing.DayLimit*80:
		page.Advice = view.AdviceQuota
	case !v.session.HasTOTP:
		page.Advice = view.AdviceSecondFactor
	}
}

func (p *Portal) standing(v *visitor) meter.Usage {
	s := v.session
	return p.o.Meter.Usage(v.ctx, s.Account, billing.Entitlement(s.Plan, billing.Own{PerMinute: s.Own.PerMinute, EnrichmentsPerMinute: s.Own.EnrichmentsPerMinute, PerDay: s.Own.PerDay}))
}
