package portal

import (
	"errors"
	"math"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/view"
	"arpent/web"
)

// signInForm asks who somebody is.
func (p *Portal) signInForm(c *fiber.Ctx, v *visitor) error {
	if v.signedIn() {
		return redirect(c, localPath(c.Query("next"), "/account", ""))
	}
	return p.signInPage(c, v, nil)
}

func (p *Portal) signInPage(c *fiber.Ctx, v *visitor, problem *auth.Problem) error {
	next := nextOf(c)
	page := view.SignIn{Frame: v.frame, Email: typed(c, "email"), Next: next, Asking: p.asking(v, next),
		Providers: p.providersFor(next), Errors: p.errors(v, problem), Done: c.Query("done"), Trouble: c.Query("trouble")}
	if page.Email == "" && page.Done == "confirmed" {
		page.Email = p.sentTo(c)
	}
	return web.Send(c, view.SignInPage(page), p.formTargets()...)
}

func (p *Portal) signIn(c *fiber.Ctx, v *visitor) error {
	v.origin.Next = nextOf(c)
	in, err := p.o.Auth.SignIn(v.ctx, typed(c, "email"), typed(c, "password"), v.origin)
	if err != nil {
		p.steady(v)
	}
	if problem := asProblem(err); problem != nil {
		setStatus(c, problem)
		return p.signInPage(c, v, problem)
	}
	if err != nil {
		return err
	}
	return p.begin(c, v, in, typed(c, "next"))
}

// setStatus gives a form that comes back its status, and says when to try again where that is known.
func setStatus(c *fiber.Ctx, problem *auth.Problem) (status int) {
	switch problem.Code {
	case auth.CodeWait:
		status = fiber.StatusTooManyRequests
	case auth.CodeBusy:
		status = fiber.StatusServiceUnavailable
	default:
		status = fiber.StatusUnprocessableEntity
	}
	if problem.Wait > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(problem.Wait.Seconds()))))
	}
	c.Status(status)
	return status
}

// codeForm asks for the second factor of a sign-in that has passed the first.
func (p *Portal) codeForm(c *fiber.Ctx, v *visitor) error {
	if p.cookie(c, codeCookie) == "" {
		return redirect(c, withNext("/signin", nextOf(c)))
	}
	return p.codePage(c, v, nil)
}

func (p *Portal) codePage(c *fiber.Ctx, v *visitor, problem *auth.Problem) error {
	return web.Send(c, view.SecondFactorPage(view.SecondFactor{Frame: v.frame, Next: nextOf(c), Asking: p.asking(v, nextOf(c)), Errors: p.errors(v, problem)}))
}

func (p *Portal) code(c *fiber.Ctx, v *visitor) error {
	in, err := p.o.Auth.FinishSignIn(v.ctx, p.cookie(c, codeCookie), typed(c, "code"), v.origin)
	if problem := asProblem(err); problem != nil {
		if problem.Code == auth.CodePendingOver {
			p.forget(c, codeCookie)
			return redirect(c, "/signin?trouble=over&next="+escape(localPath(typed(c, "next"), "/account", "")))
		}
		setStatus(c, problem)
		return p.codePage(c, v, problem)
	}
	if err != nil {
		return err
	}
	return p.begin(c, v, in, typed(c, "next"))
}

// signOut ends the session of this browser. It leads on to next for whoever wants to come back as somebody else.
func (p *Portal) signOut(c *fiber.Ctx, v *visitor) error {
	if v.signedIn() {
		if err := p.o.Auth.SignOut(v.ctx, v.session, v.origin); err != nil && !errors.Is(err, auth.ErrNoSession) {
			return err
		}
	}
	p.forget(c, web.SessionCookie)
	return redirect(c, localPath(nextOf(c), "/signin?done=signedout", ""))
}
