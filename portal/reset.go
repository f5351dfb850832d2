package portal

import (
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/view"
	"arpent/web"
)

// forgotForm asks where to send a link that lets somebody choose a new password.
func (p *Portal) forgotForm(c *fiber.Ctx, v *visitor) error {
	return p.forgotPage(c, v, nil)
}

func (p *Portal) forgotPage(c *fiber.Ctx, v *visitor, problem *auth.Problem) error {
	next := nextOf(c)
	page := view.Forgot{Frame: v.frame, Email: typed(c, "email"), Next: next, Asking: p.asking(v, next), NoMail: p.o.MailDown, Errors: p.errors(v, problem)}
	if c.Query("done") == "sent" {
		page.Sent, page.Email = true, p.sentTo(c)
	}
	return web.Send(c, view.ForgotPage(page))
}

func (p *Portal) forgot(c *fiber.Ctx, v *visitor) error {
	email := typed(c, "email")
	v.origin.Next = nextOf(c)
	err := p.o.Auth.RequestReset(v.ctx, email, v.origin)
	p.steady(v)
	if problem := asProblem(err); problem != nil {
		setStatus(c, problem)
		return p.forgotPage(c, v, problem)
	}
	if err != nil {
		return err
	}
	p.rememberSent(c, email)
	return redirect(c, withNext("/forgot?done=sent", v.origin.Next))
}

// resetForm asks for the new password.
func (p *Portal) resetForm(c *fiber.Ctx, v *visitor) error {
	return p.resetPage(c, v, guardToken(c), nil)
}

func (p *Portal) resetPage(c *fiber.Ctx, v *visitor, token string, problem *auth.Problem) error {
	state, err := p.o.Auth.Look(v.ctx, auth.PurposeReset, token)
	if err != nil {
		return err
	}
	page := linkView(v, auth.PurposeReset, token, state)
	if !state.Valid {
		if c.Method() == fiber.MethodGet {
			c.Status(fiber.StatusGone)
		}
		return web.Send(c, view.LinkPage(page))
	}
	page.Errors = p.errors(v, problem)
	return web.Send(c, view.ResetPage(page))
}

func (p *Portal) reset(c *fiber.Ctx, v *visitor) error {
	token := guardToken(c)
	state, err := p.o.Auth.Look(v.ctx, auth.PurposeReset, token)
	if err != nil {
		return err
	}
	err = p.o.Auth.ResetPassword(v.ctx, token, typed(c, "password"), v.origin)
	if problem := asProblem(err); problem != nil {
		setStatus(c, problem)
		return p.resetPage(c, v, token, problem)
	}
	if err != nil {
		return err
	}
	if v.signedIn() { // a new password ends every session
		p.forget(c, web.SessionCookie)
	}
	p.remember(c, reviewCookie, "1", reviewLife)
	return redirect(c, withNext("/signin?done=reset", localNext(state.Next)))
}
