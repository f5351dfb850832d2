package portal

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/httpbody"
	"arpent/auth"
	"arpent/portal/view"
	"arpent/web"
)

// sentCookie remembers in the browser which address a link was sent to, so that the next page can name it without it
// being part of an address.
const (
	sentCookie = "arpent-sent"
	sentLife   = time.Hour
)

// signUpForm offers an account to whoever has none.
func (p *Portal) signUpForm(c *fiber.Ctx, v *visitor) error {
	if v.signedIn() {
		return redirect(c, localPath(c.Query("next"), "/account", ""))
	}
	return p.signUpPage(c, v, nil)
}

func (p *Portal) signUpPage(c *fiber.Ctx, v *visitor, problem *auth.Problem) error {
	next := nextOf(c)
	page := view.SignUp{Frame: v.frame, Email: typed(c, "email"), Next: next, Asking: p.asking(v, next),
		NoMail: p.o.MailDown, Providers: p.providersFor(next), Errors: p.errors(v, problem)}
	return web.Send(c, view.SignUpPage(page), p.formTargets()...)
}

func (p *Portal) signUp(c *fiber.Ctx, v *visitor) error {
	if p.o.MailDown {
		c.Status(fiber.StatusServiceUnavailable)
		return p.signUpPage(c, v, nil)
	}
	email := typed(c, "email")
	v.origin.Next = nextOf(c)
	browser, err := p.o.Auth.SignUp(v.ctx, email, typed(c, "password"), v.origin)
	p.steady(v)
	if problem := asProblem(err); problem != nil {
		setStatus(c, problem)
		return p.signUpPage(c, v, problem)
	}
	if err != nil {
		return err
	}
	p.remember(c, signUpCookie, browser, 24*time.Hour)
	return p.sent(c, email, v.origin.Next)
}

// sent leads to the page that says to look for a mail, and waits there for its link to be followed.
func (p *Portal) sent(c *fiber.Ctx, email, next string) error {
	p.rememberSent(c, email)
	return redirect(c, withNext("/signup/sent", next))
}

func (p *Portal) rememberSent(c *fiber.Ctx, email string) {
	if normal, err := auth.NormalEmail(email); err == nil {
		p.remember(c, sentCookie, base64.RawURLEncoding.EncodeToString([]byte(normal)), sentLife)
	} else {
		p.forget(c, sentCookie)
	}
}

// sentTo is the address that this browser last asked to write to; empty when it is not known.
func (p *Portal) sentTo(c *fiber.Ctx) string {
	raw, err := base64.RawURLEncoding.DecodeString(p.cookie(c, sentCookie))
	if err != nil {
		return ""
	}
	email, err := auth.NormalEmail(string(raw))
	if err != nil {
		return ""
	}
	return email
}

// sentPage says that a mail is on its way. It says the same whether or not the address has an account.
func (p *Portal) sentPage(c *fiber.Ctx, v *visitor) error {
	return p.sentView(c, v, p.sentTo(c), nil)
}

func (p *Portal) sentView(c *fiber.Ctx, v *visitor, email string, problem *auth.Problem) error {
	next := nextOf(c)
	return web.Send(c, view.SentPage(view.Sent{Frame: v.frame, Email: email, Next: next, Asking: p.asking(v, next),
		SignedIn: v.signedIn(), Waiting: c.Query("done") == "waiting", Errors: p.errors(v, problem)}))
}

// resend asks for another confirmation link.
func (p *Portal) resend(c *fiber.Ctx, v *visitor) error {
	email := typed(c, "email")
	if v.signedIn() {
		email = v.session.Email
	}
	v.origin.Next = nextOf(c)
	err := p.o.Auth.ResendConfirmation(v.ctx, email, p.cookie(c, signUpCookie), v.origin)
	p.steady(v)
	if problem := asProblem(err); problem != nil {
		setStatus(c, problem)
		return p.sentView(c, v, email, problem)
	}
	if err != nil {
		return err
	}
	return p.sent(c, email, v.origin.Next)
}

// errors says for a form what is wrong, by field; the empty name stands for the whole form.
func (p *Portal) errors(v *visitor, problem *auth.Problem) map[string]string {
	if problem == nil {
		return nil
	}
	return map[string]string{problem.Field: problemText(v.frame.Lang, problem)}
}

// typed is what a form holds under a name: of its body alone when it is sent, of the address when its page is asked for.
// It is good for longer than the request: Fiber's own strings are not.
func typed(c *fiber.Ctx, name string) string {
	if c.Method() == fiber.MethodPost {
		return httpbody.Field(c, name)
	}
	return strings.Clone(c.Query(name))
}
