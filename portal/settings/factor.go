package settings

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/policy"
	"arpent/internal/clock"
	"arpent/portal/pages"
	"arpent/web"
)

// FactorNeeded shows how to add a second factor to a member who lacks the one that the organisation requires.
func (p *OrganisationPages) FactorNeeded(c *fiber.Ctx, v *pages.Visitor) error {
	if !v.Session.NeedsFactor {
		return pages.Redirect(c, "/account")
	}
	v.Frame.FactorDue = nil // the page says it
	return web.Send(c, FactorNeededPage(FactorNeeded{Frame: v.Frame, Organisation: v.Session.OrganisationName,
		Account: v.Session.Account, From: *v.Session.FactorFrom, HasPasskey: v.Session.HasPasskey,
		OffersPasskeys: p.Auth.OffersPasskeys()}))
}

// FactorForm shows the rule of the organisation about second factors, and who has none.
func (p *OrganisationPages) FactorForm(c *fiber.Ctx, v *pages.Visitor) error {
	members, err := p.Auth.Members(v.Ctx, v.Session)
	if err != nil {
		return err
	}
	today := clock.Day(p.Now())
	page := Factor{Frame: v.Frame, From: v.Session.FactorFrom, Done: c.Query("done"), Errors: v.Errors(),
		Day: pages.Text(c, "from"), First: today.String(), Last: (today + policy.MaxFactorDays).String(),
		LacksFactor: v.Session.LacksFactor(), HasPasskey: v.Session.HasPasskey}
	switch {
	case page.Day != "":
	case page.From != nil && page.From.After(p.Now()):
		page.Day = clock.Day(*page.From).String()
	default:
		page.Day = (today + policy.DefaultFactorDays).String()
	}
	page.Begun = page.From != nil && !page.From.After(p.Now())
	for _, m := range members {
		if !m.HasFactor() {
			page.Lacking = append(page.Lacking, m.Email)
		}
	}
	return web.Send(c, FactorPage(page))
}

// RequireFactor has the members need a second factor from a day on.
func (p *OrganisationPages) RequireFactor(c *fiber.Ctx, v *pages.Visitor) error {
	day, ok := clock.ParseDay(pages.Text(c, "from"), 0)
	if !ok {
		return v.Again(c, auth.NewProblem("from", auth.CodeFactorDate), p.FactorForm)
	}
	return v.Answer(c, p.Factors.Require(v.Ctx, v.Session, day), p.FactorForm,
		OrganisationPath+"/factor?done=required")
}

// ReleaseFactor ends the rule.
func (p *OrganisationPages) ReleaseFactor(c *fiber.Ctx, v *pages.Visitor) error {
	return pages.RedirectAfter(c, p.Factors.Release(v.Ctx, v.Session), OrganisationPath+"/factor?done=released")
}

// factorRule says the rule in a sentence, for members.
func factorRule(l web.Lang, from *time.Time, now time.Time) string {
	switch {
	case from == nil:
		return l.Pick("Chaque membre choisit d’en avoir un ou non.", "Each member chooses whether to have one.")
	case from.After(now):
		return l.Pick("Obligatoire à partir du ", "Required from ") + l.Day(*from) + l.Pick(".", " on.")
	}
	return l.Pick("Obligatoire depuis le ", "Required since ") + l.Day(*from) + "."
}
