package signin

import (
	"strings"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/pages"
	"arpent/web"
)

// linkToken is the secret in the address of a mailed link. The page does not disclose it to other sites.
func linkToken(c *fiber.Ctx) string {
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	return strings.Clone(c.Params("token"))
}

// ConfirmPage shows a button and uses up nothing: mail scanners follow links too. In a browser other than
// that of the sign-up it also asks for a password.
func (p *Pages) ConfirmPage(c *fiber.Ctx, v *pages.Visitor) error {
	state, err := p.Auth.LookConfirm(v.Ctx, linkToken(c), p.Cookie(c, signUpCookie))
	if err != nil {
		return err
	}
	return sendLink(c, v, auth.PurposeConfirm, state, LinkPage)
}

// Confirm confirms the address of an account.
func (p *Pages) Confirm(c *fiber.Ctx, v *pages.Visitor) error {
	token, browser := linkToken(c), p.Cookie(c, signUpCookie)
	state, err := p.Auth.LookConfirm(v.Ctx, token, browser)
	if err != nil {
		return err
	}
	in, err := p.Auth.ConfirmEmail(v.Ctx, token, browser, pages.Field(c, "password"), v.Origin)
	if err != nil {
		return v.Again(c, err, p.ConfirmPage)
	}
	p.Forget(c, signUpCookie)
	p.NothingSent(c)
	next := pages.LocalNext(state.Next)
	switch {
	case in != nil:
		return p.completeSignIn(c, v, *in, pages.LocalPath(next, "/account?done=confirmed", ""))
	case v.SignedIn():
		return v.Redirect(c, pages.LocalPath(next, "/account?done=confirmed", ""))
	}
	return v.Redirect(c, pages.WithNext("/signin?done=confirmed", next))
}

// EmailPage shows a button that makes another address the account's. It and its button are for the account
// that requested it: a person who reads the mail by mistake must not give their address to another account.
func (p *Pages) EmailPage(c *fiber.Ctx, v *pages.Visitor) error {
	state, err := p.Auth.LookEmailChange(v.Ctx, v.Session, linkToken(c))
	if err != nil {
		return err
	}
	return sendLink(c, v, auth.PurposeEmail, state, LinkPage)
}

// ConfirmEmail makes another address the account's.
func (p *Pages) ConfirmEmail(c *fiber.Ctx, v *pages.Visitor) error {
	if err := p.Auth.ConfirmEmailChange(v.Ctx, v.Session, linkToken(c), v.Origin); err != nil {
		return v.Again(c, err, p.EmailPage)
	}
	p.NothingSent(c)
	return v.Redirect(c, "/account/settings?done=email-changed")
}

// ForgotPage asks where to send a link to choose a new password.
func (p *Pages) ForgotPage(c *fiber.Ctx, v *pages.Visitor) error {
	next, email := pages.Next(c), p.Typed(c, v)
	page := Forgot{Frame: v.Frame, Email: email, Next: next, Asking: p.describeClient(v, next),
		NoMail: p.MailDown, Errors: v.Errors()}
	if c.Query("done") == "sent" {
		page.Email = p.SentTo(c, auth.PurposeReset)
		page.Sent = page.Email != ""
	}
	return web.Send(c, ForgotPage(page))
}

// Forgot sends the link.
func (p *Pages) Forgot(c *fiber.Ctx, v *pages.Visitor) error {
	email := pages.Field(c, "email")
	v.Origin.Next = pages.Next(c)
	err := p.Auth.RequestReset(v.Ctx, email, v.Origin)
	p.waitForStep(v)
	if err != nil {
		return v.Again(c, err, p.ForgotPage)
	}
	p.SetSentTo(c, auth.PurposeReset, email)
	return v.Redirect(c, pages.WithNext("/forgot?done=sent", v.Origin.Next))
}

// ResetPage asks for the new password.
func (p *Pages) ResetPage(c *fiber.Ctx, v *pages.Visitor) error {
	state, err := p.Auth.Look(v.Ctx, auth.PurposeReset, linkToken(c))
	if err != nil {
		return err
	}
	return sendLink(c, v, auth.PurposeReset, state, ResetPage)
}

// Reset sets the new password.
func (p *Pages) Reset(c *fiber.Ctx, v *pages.Visitor) error {
	token := linkToken(c)
	state, err := p.Auth.Look(v.Ctx, auth.PurposeReset, token)
	if err != nil {
		return err
	}
	if err := p.Auth.ResetPassword(v.Ctx, token, pages.Field(c, "password"), v.Origin); err != nil {
		return v.Again(c, err, p.ResetPage)
	}
	if v.SignedIn() { // a new password ends every session
		p.SignedOut(c)
	}
	p.SetCookie(c, reviewCookie, "1", reviewLife)
	return v.Redirect(c, pages.WithNext("/signin?done=reset", pages.LocalNext(state.Next)))
}

// RecoverPage shows a button that has a lost second factor turned off. It uses up nothing.
func (p *Pages) RecoverPage(c *fiber.Ctx, v *pages.Visitor) error {
	state, err := p.Auth.Look(v.Ctx, auth.PurposeRecover, linkToken(c))
	if err != nil {
		return err
	}
	return sendLink(c, v, auth.PurposeRecover, state, RecoverPage)
}

// Recover has a lost second factor turned off after a delay.
func (p *Pages) Recover(c *fiber.Ctx, v *pages.Visitor) error {
	due, err := p.Auth.ConfirmFactorRecovery(v.Ctx, linkToken(c), v.Origin)
	if err != nil {
		return v.Again(c, err, p.RecoverPage)
	}
	return web.Send(c, RecoveringPage(Recovering{Frame: v.Frame, Until: due}))
}

// VerifyLinkPage shows a button that authenticates the visitor again, and asks for a code where the account
// has a second factor.
func (p *Pages) VerifyLinkPage(c *fiber.Ctx, v *pages.Visitor) error {
	state, err := p.Auth.LookVerifyLink(v.Ctx, v.Session, linkToken(c))
	if err != nil {
		return err
	}
	return sendLink(c, v, auth.PurposeVerify, state, VerifyLinkPage)
}

// VerifyByLink authenticates a signed-in visitor again, by a link in a mail.
func (p *Pages) VerifyByLink(c *fiber.Ctx, v *pages.Visitor) error {
	token := linkToken(c)
	state, err := p.Auth.LookVerifyLink(v.Ctx, v.Session, token)
	if err != nil {
		return err
	}
	if err := p.Auth.ReauthenticateByLink(v.Ctx, v.Session, token, pages.Field(c, "code"),
		v.Origin); err != nil {
		return v.Again(c, err, p.VerifyLinkPage)
	}
	p.NothingSent(c)
	return v.Redirect(c, pages.LocalPath(state.Next, "/account", ""))
}

// sendLink sends the page of a link, or that which says why the link does nothing here or any more.
func sendLink(c *fiber.Ctx, v *pages.Visitor, purpose auth.Purpose, state auth.LinkState,
	page func(Link) templ.Component) error {
	if !state.Valid && c.Method() == fiber.MethodGet {
		c.Status(fiber.StatusGone)
	}
	if !state.Valid || state.Elsewhere {
		page = LinkPage
	}
	return web.Send(c, page(Link{Frame: v.Frame, Purpose: string(purpose), Token: linkToken(c),
		Valid: state.Valid, Used: state.Used, Expired: state.Expired, NewPassword: state.NewPassword,
		Elsewhere: state.Elsewhere, HasTOTP: v.Session.HasTOTP, Email: pages.MaskEmail(state.Email),
		Account: pages.MaskEmail(state.Account),
		Next:    pages.LocalNext(state.Next), Errors: v.Errors()}))
}
