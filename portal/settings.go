package portal

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/httpbody"
	"arpent/auth"
	"arpent/billing"
	"arpent/portal/view"
	"arpent/web"
)

// settings shows what somebody may choose about the account, and the two ways out of it: export and deletion.
func (p *Portal) settings(c *fiber.Ctx, v *visitor) error {
	own := v.session.Own
	limits := billing.Entitlement(v.session.Plan, billing.Own{PerMinute: own.PerMinute,
		EnrichmentsPerMinute: own.EnrichmentsPerMinute, PerDay: own.PerDay})
	plan, _ := billing.Find(v.session.Plan)
	return web.Send(c, view.SettingsPage(view.Settings{
		Frame: v.frame, Done: c.Query("done"), Email: v.session.Email, Confirmed: v.session.Confirmed,
		QuotaMails: v.session.QuotaMails, MailDown: p.o.MailDown, Since: v.session.CreatedAccount,
		Plan: view.PlanLine{Name: plan.Name, PerDay: limits.PerDay, PerMinute: limits.PerMinute,
			EnrichmentsPerMinute: limits.EnrichmentsPerMinute, Commercial: plan.Commercial,
			Own: limits != billing.Entitlement(v.session.Plan, billing.Own{})},
	}))
}

func (p *Portal) newEmailForm(c *fiber.Ctx, v *visitor) error {
	return p.newEmailPage(c, v, "", nil)
}

func (p *Portal) newEmailPage(c *fiber.Ctx, v *visitor, address string, problem *auth.Problem) error {
	return web.Send(c, view.EmailPage(view.Email{
		Frame: v.frame, Current: v.session.Email, Typed: address, MailDown: p.o.MailDown,
		Error: textFor(v, problem, "email"), Alert: textFor(v, problem, ""),
	}))
}

// changeEmail sends a link to the new address; the old one stays until that link is followed.
func (p *Portal) changeEmail(c *fiber.Ctx, v *visitor) error {
	email := formText(c, "email")
	err := p.o.Auth.RequestEmailChange(v.ctx, v.session, email, v.origin)
	if problem := asProblem(err); problem != nil {
		setStatus(c, problem)
		return p.newEmailPage(c, v, email, problem)
	}
	if err != nil {
		return err
	}
	return redirect(c, "/account/settings?done=email")
}

func (p *Portal) setNotifications(c *fiber.Ctx, v *visitor) error {
	if err := p.o.Auth.SetQuotaMails(v.ctx, v.session, httpbody.Field(c, "quota") == "on", v.origin); err != nil {
		return err
	}
	return redirect(c, "/account/settings?done=notifications")
}

// formText is what was typed in a field that is not a password: spaces around it are not meant.
func formText(c *fiber.Ctx, name string) string {
	return strings.TrimSpace(typed(c, name))
}

// textFor says what is wrong with one field; field is empty for what concerns the whole form.
func textFor(v *visitor, problem *auth.Problem, field string) string {
	if problem == nil || problem.Field != field {
		return ""
	}
	return problemText(v.frame.Lang, problem)
}
