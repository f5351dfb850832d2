// Package settings holds the pages of what people choose about their account, and of the two ways out of it:
// the export of their data, and the deletion.
package settings

import (
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/internal/httpbody"
	"arpent/portal/pages"
	"arpent/portal/plan"
	"arpent/web"
)

// Pages serves the pages.
type Pages struct{ *pages.Server }

// Show shows the settings.
func (p *Pages) Show(c *fiber.Ctx, v *pages.Visitor) error {
	quota := make([]QuotaChoice, 0, len(auth.QuotaPercents))
	for _, percent := range auth.QuotaPercents {
		quota = append(quota, QuotaChoice{Percent: percent, Chosen: slices.Contains(v.Session.QuotaPercents,
			percent)})
	}
	return web.Send(c, SettingsPage(Settings{
		Frame: v.Frame, Done: c.Query("done"), Email: v.Session.Email, Confirmed: v.Session.Confirmed,
		Billed: v.Bought.CustomerID != "", Quota: quota, MailDown: p.MailDown,
		SentTo: p.SentTo(c, auth.PurposeEmail), Since: v.Session.CreatedAccount, Plan: plan.Line(v.Session.Plan, v),
	}))
}

// EmailPage asks for another address.
func (p *Pages) EmailPage(c *fiber.Ctx, v *pages.Visitor) error {
	errors, typed := v.Errors(), p.Typed(c, v)
	return web.Send(c, EmailPage(Email{Frame: v.Frame, Current: v.Session.Email, Typed: typed,
		MailDown: p.MailDown, Error: errors["email"], Alert: errors[""]}))
}

// ChangeEmail sends a link to the new address; the old one stays until that link is followed.
func (p *Pages) ChangeEmail(c *fiber.Ctx, v *pages.Visitor) error {
	if err := p.Auth.RequestEmailChange(v.Ctx, v.Session, pages.Text(c, "email"), v.Origin); err != nil {
		return v.Again(c, err, p.EmailPage)
	}
	p.SetSentTo(c, auth.PurposeEmail, pages.Text(c, "email"))
	return pages.Redirect(c, "/account/settings?done=email")
}

// SetNotifications chooses at which percentages of a day's quota mails are sent.
func (p *Pages) SetNotifications(c *fiber.Ctx, v *pages.Visitor) error {
	var percents []int
	for _, text := range httpbody.Fields(c, "percent") {
		if percent, err := strconv.Atoi(text); err == nil {
			percents = append(percents, percent)
		}
	}
	if percents == nil && httpbody.Field(c, "quota") == "on" { // a page opened before percentages could be chosen
		percents = []int{80, 100}
	}
	if err := p.Auth.SetQuotaMails(v.Ctx, v.Session, percents, v.Origin); err != nil {
		return err
	}
	return pages.Redirect(c, "/account/settings?done=notifications")
}

// SetLanguage stores the chosen language in the browser, and in the account of a signed-in visitor.
func (p *Pages) SetLanguage(c *fiber.Ctx, v *pages.Visitor) error {
	chosen := web.French
	if httpbody.Field(c, "language") == string(web.English) {
		chosen = web.English
	}
	if v.SignedIn() {
		if err := p.Auth.SetLanguage(v.Ctx, v.Session, string(chosen), v.Origin); err != nil {
			return err
		}
	}
	p.SetTyped(c, httpbody.Field(c, "typed"))
	p.SetPublicCookie(c, web.LanguageCookie, string(chosen), pages.LanguageLife)
	return pages.Redirect(c, pages.LocalPath(httpbody.Field(c, "next"), "/", ""))
}
