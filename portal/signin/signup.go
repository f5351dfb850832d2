package signin

import (
	"cmp"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/pages"
	"arpent/web"
)

// SignUpForm offers an account to visitors who are not signed in.
func (p *Pages) SignUpForm(c *fiber.Ctx, v *pages.Visitor) error {
	if v.SignedIn() {
		return pages.Redirect(c, pages.LocalPath(c.Query("next"), "/account", ""))
	}
	return p.signUpPage(c, v)
}

func (p *Pages) signUpPage(c *fiber.Ctx, v *pages.Visitor) error {
	next, email := pages.Next(c), p.Typed(c, v)
	page := SignUp{Frame: v.Frame, Email: email, Next: next, Asking: p.describeClient(v, next),
		NoMail: p.MailDown, Providers: p.Providers(next), Errors: v.Errors()}
	return web.Send(c, SignUpPage(page), p.Targets...)
}

// SignUp asks for an account, which a mailed link confirms.
func (p *Pages) SignUp(c *fiber.Ctx, v *pages.Visitor) error {
	if p.MailDown {
		c.Status(fiber.StatusServiceUnavailable)
		return p.signUpPage(c, v)
	}
	email := pages.Field(c, "email")
	v.Origin.Next = pages.Next(c)
	browser, err := p.Auth.SignUp(v.Ctx, email, pages.Field(c, "password"), v.Origin)
	p.waitForStep(v)
	if err != nil {
		return v.Again(c, err, p.signUpPage)
	}
	p.SetCookie(c, signUpCookie, browser, 24*time.Hour)
	return p.redirectToSent(c, v, email, v.Origin.Next)
}

// redirectToSent redirects to the page that says to look for a mail, which waits until its link is followed.
func (p *Pages) redirectToSent(c *fiber.Ctx, v *pages.Visitor, email, next string) error {
	p.SetSentTo(c, auth.PurposeConfirm, email)
	return v.Redirect(c, pages.WithNext("/signup/sent", next))
}

// SentPage says that a mail is on its way, to the browser that asked for it, and offers one to any other. It
// says the same whether or not the address has an account.
func (p *Pages) SentPage(c *fiber.Ctx, v *pages.Visitor) error {
	if v.SignedIn() && v.Session.Confirmed {
		return v.Redirect(c, pages.LocalPath(pages.Next(c), "/account", ""))
	}
	return p.sentPage(c, v)
}

func (p *Pages) sentPage(c *fiber.Ctx, v *pages.Visitor) error {
	next, typed, to := pages.Next(c), p.Typed(c, v), p.SentTo(c, auth.PurposeConfirm)
	return web.Send(c, SentPage(Sent{Frame: v.Frame, To: to, Email: cmp.Or(typed, to), Next: next,
		Asking:   p.describeClient(v, next),
		Asked:    to != "" || p.Cookie(c, signUpCookie) != "",
		SignedIn: v.SignedIn(), Waiting: c.Query("done") == "waiting", Errors: v.Errors()}))
}

// Resend sends another confirmation link.
func (p *Pages) Resend(c *fiber.Ctx, v *pages.Visitor) error {
	email := pages.Field(c, "email")
	if v.SignedIn() {
		email = v.Session.Email
	}
	v.Origin.Next = pages.Next(c)
	err := p.Auth.ResendConfirmation(v.Ctx, email, p.Cookie(c, signUpCookie), v.Origin)
	p.waitForStep(v)
	if err != nil {
		return v.Again(c, err, p.sentPage)
	}
	return p.redirectToSent(c, v, email, v.Origin.Next)
}

// checkFollowed reports whether the link that this browser waits for
// was followed, and the path to continue to.
func (p *Pages) checkFollowed(c *fiber.Ctx, v *pages.Visitor) (to string, done bool, err error) {
	next := pages.Next(c)
	if v.SignedIn() {
		return pages.LocalPath(next, "/account", ""), v.Session.Confirmed, nil
	}
	done, err = p.Auth.Followed(v.Ctx, p.Cookie(c, signUpCookie))
	return pages.WithNext("/signin?done=confirmed", next), done, err
}

// Continue leaves the page that waits for the link to be followed.
func (p *Pages) Continue(c *fiber.Ctx, v *pages.Visitor) error {
	to, done, err := p.checkFollowed(c, v)
	if err != nil {
		return err
	}
	if !done {
		to = pages.WithNext("/signup/sent?done=waiting", pages.Next(c))
	}
	return v.Redirect(c, to)
}

// Waiting answers the script of that page: 204 until the link was followed.
func (p *Pages) Waiting(c *fiber.Ctx, v *pages.Visitor) error {
	_, done, err := p.checkFollowed(c, v)
	if err != nil {
		return err
	}
	web.Guard(c)
	if !done {
		return c.SendStatus(fiber.StatusNoContent)
	}
	return c.SendString("over")
}
