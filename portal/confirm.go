package portal

import (
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/view"
	"arpent/web"
)

// guardToken keeps a page whose address holds a secret from telling it to others.
func guardToken(c *fiber.Ctx) string {
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	return strings.Clone(c.Params("token"))
}

// confirmForm shows a button and spends nothing: mail scanners follow links too.
func (p *Portal) confirmForm(c *fiber.Ctx, v *visitor) error {
	return p.confirmPage(c, v, guardToken(c), nil)
}

// confirmPage asks for a password too in a browser other than that of the sign-up.
func (p *Portal) confirmPage(c *fiber.Ctx, v *visitor, token string, problem *auth.Problem) error {
	state, err := p.o.Auth.LookConfirm(v.ctx, token, p.cookie(c, signUpCookie))
	if err != nil {
		return err
	}
	return p.linkPage(c, v, auth.PurposeConfirm, token, state, problem)
}

func (p *Portal) confirm(c *fiber.Ctx, v *visitor) error {
	token := guardToken(c)
	browser := p.cookie(c, signUpCookie)
	state, err := p.o.Auth.LookConfirm(v.ctx, token, browser)
	if err != nil {
		return err
	}
	in, err := p.o.Auth.ConfirmEmail(v.ctx, token, browser, typed(c, "password"), v.origin)
	if problem := asProblem(err); problem != nil {
		setStatus(c, problem)
		return p.confirmPage(c, v, token, problem)
	}
	if err != nil {
		return err
	}
	p.forget(c, signUpCookie)
	p.forget(c, sentCookie)
	next := localNext(state.Next)
	switch {
	case in != nil:
		return p.begin(c, v, *in, localPath(next, "/account?done=confirmed", ""))
	case v.signedIn():
		return redirect(c, localPath(next, "/account?done=confirmed", ""))
	}
	return redirect(c, withNext("/signin?done=confirmed", next))
}

// emailForm shows a button that makes another address the account's. It and its button are for the account that asked:
// whoever reads the mail by mistake must not give their address to a stranger's account.
func (p *Portal) emailForm(c *fiber.Ctx, v *visitor) error {
	return p.emailPage(c, v, guardToken(c), nil)
}

func (p *Portal) email(c *fiber.Ctx, v *visitor) error {
	token := guardToken(c)
	err := p.o.Auth.ConfirmEmailChange(v.ctx, v.session, token, v.origin)
	if problem := asProblem(err); problem != nil {
		setStatus(c, problem)
		return p.emailPage(c, v, token, problem)
	}
	if err != nil {
		return err
	}
	return redirect(c, "/account/settings?done=email-changed")
}

func (p *Portal) emailPage(c *fiber.Ctx, v *visitor, token string, problem *auth.Problem) error {
	state, err := p.o.Auth.LookEmailChange(v.ctx, v.session, token)
	if err != nil {
		return err
	}
	return p.linkPage(c, v, auth.PurposeEmail, token, state, problem)
}

// linkPage says what a link does, or why it does nothing any more.
func (p *Portal) linkPage(c *fiber.Ctx, v *visitor, purpose auth.Purpose, token string, state auth.LinkState, problem *auth.Problem) error {
	if !state.Valid && c.Method() == fiber.MethodGet {
		c.Status(fiber.StatusGone)
	}
	page := linkView(v, purpose, token, state)
	page.Errors = p.errors(v, problem)
	return web.Send(c, view.LinkPage(page))
}

func linkView(v *visitor, purpose auth.Purpose, token string, state auth.LinkState) view.Link {
	return view.Link{Frame: v.frame, Purpose: string(purpose), Token: token, Valid: state.Valid, Used: state.Used,
		Expired: state.Expired, NewPassword: state.NewPassword, Elsewhere: state.Elsewhere, Email: partly(state.Email), Account: partly(state.Account), Next: localNext(state.Next), SignedIn: v.signedIn()}
}

// partly shows enough of an address to recognise one's own: j…e@exemple.fr.
func partly(email string) string {
	local, domain, ok := strings.Cut(email, "@")
	if !ok {
		return ""
	}
	first, size := utf8.DecodeRuneInString(local)
	if size == len(local) {
		return string(first) + "…@" + domain
	}
	last, _ := utf8.DecodeLastRuneInString(local)
	return string(first) + "…" + string(last) + "@" + domain
}
