package portal

import (
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/view"
	"arpent/web"
)

func (p *Portal) passwordForm(c *fiber.Ctx, v *visitor) error {
	return p.passwordPage(c, v, nil)
}

func (p *Portal) passwordPage(c *fiber.Ctx, v *visitor, problem *auth.Problem) error {
	return web.Send(c, view.PasswordPage(view.Password{
		Frame: v.frame, Email: v.session.Email, HasPassword: v.session.HasPassword, Alert: textFor(v, problem, ""),
		CurrentError: textFor(v, problem, "current"), Error: textFor(v, problem, "password"),
	}))
}

// changePassword sets the password, or the first one of an account that had none. Every other session ends.
func (p *Portal) changePassword(c *fiber.Ctx, v *visitor) error {
	err := p.o.Auth.ChangePassword(v.ctx, v.session, typed(c, "current"), typed(c, "password"), v.origin)
	if problem := asProblem(err); problem != nil {
		setStatus(c, problem)
		return p.passwordPage(c, v, problem)
	}
	if err != nil {
		return err
	}
	return redirect(c, "/account/security?done=password")
}
