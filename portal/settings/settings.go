// Package settings holds the pages of what people choose about their account, of the two ways out of it (the
// export of their data, and the deletion), and of organisations.
package settings

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/internal/httpbody"
	"arpent/portal/pages"
	"arpent/portal/plan"
	"arpent/portal/view"
	"arpent/web"
)

// Pages serves the pages.
type Pages struct{ *pages.Server }

// Show shows the settings of the person. After a form it shows what was typed, and what was wrong. While an
// organisation is chosen, what belongs to an account with keys is left out: ShowNotices has its part of it.
func (p *Pages) Show(c *fiber.Ctx, v *pages.Visitor) error {
	return p.showSettings(c, v, SettingsPage)
}

// ShowNotices shows at which percentages of an organisation's quota mails are sent, and where.
func (p *Pages) ShowNotices(c *fiber.Ctx, v *pages.Visitor) error {
	return p.showSettings(c, v, OrganisationNoticesPage)
}

// organisationNotices is where the notices of an organisation are chosen.
const organisationNotices = "/account/organisation/notices"

// showChoice shows the page that has the forms about notices.
func (p *Pages) showChoice(c *fiber.Ctx, v *pages.Visitor) error {
	if v.Session.ActsForOrganisation() {
		return p.ShowNotices(c, v)
	}
	return p.Show(c, v)
}

// choicePath is the address of that page.
func choicePath(v *pages.Visitor) string {
	if v.Session.ActsForOrganisation() {
		return organisationNotices
	}
	return "/account/settings"
}

func (p *Pages) showSettings(c *fiber.Ctx, v *pages.Visitor, show func(Settings) templ.Component) error {
	var addresses []auth.NoticeAddress
	if v.Account == v.Session.Organisation { // else the page is not about its notices
		var err error
		if addresses, err = p.Auth.NoticeAddresses(v.Ctx, v.Session, auth.PurposeNotices); err != nil {
			return err
		}
	}
	page := Settings{
		Shared: v.Session.ActsForOrganisation(),
		Frame:  v.Frame, Done: c.Query("done"), Email: v.Session.Email, Confirmed: v.Session.Confirmed,
		Billed: v.Bought.CustomerID != "", MailDown: p.MailDown,
		SentTo: p.SentTo(c, auth.PurposeEmail), NoticesSentTo: p.SentTo(c, auth.PurposeNotices),
		Since: v.Session.CreatedAccount, Plan: plan.Line(v.Session.Plan, v),
		Percents: httpbody.Fields(c, "percent"), Errors: v.Errors(),
	}
	page.Recipients = view.Recipients{Frame: v.Frame, Path: "/account/settings/recipients", Field: "email",
		Full: len(addresses) >= auth.MaxNoticeAddresses, Confirmed: page.Confirmed, MailDown: p.MailDown,
		Typed: pages.Text(c, "email"), Error: page.Errors["email"]}
	for _, a := range addresses {
		page.Recipients.All = append(page.Recipients.All, view.Recipient(a))
	}
	if page.Percents == nil {
		for _, percent := range v.Session.QuotaPercents {
			page.Percents = append(page.Percents, strconv.Itoa(percent))
		}
	}
	for len(page.Percents) < auth.MaxQuotaPercents {
		page.Percents = append(page.Percents, "")
	}
	return web.Send(c, show(page))
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

// SetNotifications chooses at which percentages of a day's quota mails are sent. A field that is empty is
// none.
func (p *Pages) SetNotifications(c *fiber.Ctx, v *pages.Visitor) error {
	var percents []int
	for _, text := range httpbody.Fields(c, "percent") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		percent, err := strconv.Atoi(text)
		if err != nil {
			percent = 0 // which is no percentage
		}
		percents = append(percents, percent)
	}
	if err := p.Auth.SetQuotaMails(v.Ctx, v.Session, percents, v.Origin); err != nil {
		return v.Again(c, err, p.showChoice)
	}
	if percents == nil {
		return pages.Redirect(c, choicePath(v)+"?done=no-notifications")
	}
	return pages.Redirect(c, choicePath(v)+"?done=notifications")
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
	if v.Frame.Asked() != "" { // the form asks for the former one
		v.UseLanguage(chosen)
	}
	return v.Redirect(c, pages.LocalPath(httpbody.Field(c, "next"), "/", ""))
}
