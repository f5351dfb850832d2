package portal

import (
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/view"
	"arpent/web"
)

// verifyForm asks somebody who is signed in to prove again who they are, before an act that matters.
func (p *Portal) verifyForm(c *fiber.Ctx, v *visitor) error {
	return p.verifyPage(c, v, nil)
}

func (p *Portal) verifyPage(c *fiber.Ctx, v *visitor, problem *auth.Problem) error {
	identities, err := p.o.Auth.Identities(v.ctx, v.session)
	if err != nil {
		return err
	}
	linked := map[string]bool{}
	for _, i := range identities {
		linked[i.Provider] = true
	}
	page := view.Verify{Frame: v.frame, Email: v.session.Email, Next: localPath(typed(c, "next"), "/account", ""),
		HasPassword: v.session.HasPassword, HasTOTP: v.session.HasTOTP, Errors: p.errors(v, problem), Trouble: c.Query("trouble")}
	for _, offered := range p.providers() {
		if linked[offered.Name] {
			page.Providers = append(page.Providers, offered)
		}
	}
	return web.Send(c, view.VerifyPage(page), p.formTargets()...)
}

func (p *Portal) verify(c *fiber.Ctx, v *visitor) error {
	err := p.o.Auth.Reauthenticate(v.ctx, v.session, typed(c, "password"), typed(c, "code"), v.origin)
	if problem := asProblem(err); problem != nil {
		setStatus(c, problem)
		return p.verifyPage(c, v, problem)
	}
	if err != nil {
		return err
	}
	return redirect(c, localPath(typed(c, "next"), "/account", ""))
}
