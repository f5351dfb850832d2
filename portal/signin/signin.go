// Package signin holds the pages on the way into an account: signing up and confirming the address, signing
// in by password, code or third party, a new password, proving one's identity again, and authorizing an
// assistant.
package signin

import (
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/assistant"
	"arpent/auth/social"
	"arpent/internal/clock"
	"arpent/internal/ident"
	"arpent/portal/pages"
	"arpent/portal/plan"
	"arpent/web"
)

// Pages serves the pages.
type Pages struct {
	*pages.Server
	Social *social.Social
	// Targets are the origins that every page with the buttons of third parties lets its forms lead to.
	Targets []string
	// Assistants is the authorization server of assistants; nil: none can be connected.
	Assistants Assistants
	Usage      *plan.UsagePages // of the account that an assistant is connected to
}

// Assistants is the authorization server of assistants.
type Assistants interface {
	// Read checks a request. Its error is an *assistant.PageError, which must not lead to the client, or an
	// *assistant.RedirectError, which does.
	Read(ctx context.Context, query string) (assistant.Request, error)
	// Approve returns the address of the client with a code in it, Deny the one with the error access_denied.
	Approve(ctx context.Context, account ident.AccountID, r assistant.Request) (location string, err error)
	Deny(r assistant.Request) (location string)
}

const (
	signUpCookie = "arpent-signup" // this browser asked for a confirmation link
	codeCookie   = "arpent-code"   // the second factor is still to come
	flowCookie   = "arpent-flow"   // signing in at a third party
	stepLife     = 10 * time.Minute
	// reviewCookie marks a browser in which a new password was chosen by a link in a mail. After
	// signing in there, the page of everything that still has access is shown: the link is requested
	// when somebody else was in the account.
	reviewCookie = "arpent-review"
	reviewLife   = time.Hour

	sessionDays    = int(auth.SessionLife / (24 * time.Hour))
	sessionMaxDays = int(auth.SessionMaxLife / (24 * time.Hour))
)

// SignInForm asks for address and password, or a third party.
func (p *Pages) SignInForm(c *fiber.Ctx, v *pages.Visitor) error {
	if v.SignedIn() {
		return pages.Redirect(c, pages.LocalPath(c.Query("next"), "/account", ""))
	}
	return p.signInPage(c, v)
}

func (p *Pages) signInPage(c *fiber.Ctx, v *pages.Visitor) error {
	next, email := pages.Next(c), p.Typed(c, v)
	page := SignIn{Frame: v.Frame, Email: email, Next: next, Asking: p.describeClient(v, next),
		Providers: p.Providers(next), Passkeys: p.Auth.OffersPasskeys(), Errors: v.Errors(), Done: c.Query("done"), Trouble: troubleText(c, v)}
	if page.Done == "reset" && p.Cookie(c, reviewCookie) == "" {
		page.Done = "" // it was not here, or is long ago
	}
	if page.Email == "" && page.Done == "confirmed" {
		page.Email = p.SentTo(c, auth.PurposeConfirm)
	}
	return web.Send(c, SignInPage(page), p.Targets...)
}

// troubleText is the text of what did not work, by its code in the address.
// Codes that no redirect of ours has say nothing.
func troubleText(c *fiber.Ctx, v *pages.Visitor) string {
	code := c.Query("trouble")
	if code == auth.CodeIdentityEmail || code == auth.CodeNotYours {
		return pages.ProblemText(v.Frame.Lang, &auth.Problem{Code: code})
	}
	return troubles.Of(v.Frame.Lang, code)
}

// SignIn signs in by password.
func (p *Pages) SignIn(c *fiber.Ctx, v *pages.Visitor) error {
	v.Origin.Next = pages.Next(c)
	in, err := p.Auth.SignIn(v.Ctx, pages.Field(c, "email"), pages.Field(c, "password"), v.Origin)
	if err != nil {
		p.waitForStep(v)
		return v.Again(c, err, p.signInPage)
	}
	return p.completeSignIn(c, v, in, pages.Field(c, "next"))
}

// completeSignIn gives the browser the cookies of a successful
// sign-in, or those that the second factor needs.
func (p *Pages) completeSignIn(c *fiber.Ctx, v *pages.Visitor, in auth.SignedIn, next string) error {
	next = pages.LocalPath(next, "/account", "")
	if in.Pending != "" {
		p.SetCookie(c, codeCookie, in.Pending, stepLife)
		return v.Redirect(c, pages.WithNext("/signin/code", next))
	}
	if err := p.Server.SignIn(c, v, in); err != nil {
		return err
	}
	p.Forget(c, codeCookie)
	if p.Cookie(c, reviewCookie) != "" {
		p.Forget(c, reviewCookie)
		next = pages.WithNext("/account/security/access", next)
	}
	return v.Redirect(c, next)
}

// CodeForm asks for the second factor of a sign-in whose first one was right.
func (p *Pages) CodeForm(c *fiber.Ctx, v *pages.Visitor) error {
	if p.Cookie(c, codeCookie) == "" {
		return v.Redirect(c, pages.WithNext("/signin", pages.Next(c)))
	}
	return p.codePage(c, v)
}

func (p *Pages) codePage(c *fiber.Ctx, v *pages.Visitor) error {
	next := pages.Next(c)
	hasPasskey, err := p.Auth.AcceptsPasskeyFactor(v.Ctx, p.Cookie(c, codeCookie))
	if err != nil {
		return err
	}
	return web.Send(c, SecondFactorPage(SecondFactor{Frame: v.Frame, Next: next, Asking: p.describeClient(v, next),
		HasPasskey: hasPasskey, Errors: v.Errors()}))
}

// Code finishes a sign-in by the second factor.
func (p *Pages) Code(c *fiber.Ctx, v *pages.Visitor) error {
	in, err := p.Auth.FinishSignIn(v.Ctx, p.Cookie(c, codeCookie), pages.Field(c, "code"), v.Origin)
	return p.finishFactor(c, v, in, err)
}

// SignOut ends the session of this browser. It continues to next for a visitor who
// wants to sign in to another account.
func (p *Pages) SignOut(c *fiber.Ctx, v *pages.Visitor) error {
	if v.SignedIn() {
		if err := p.Auth.SignOut(v.Ctx, v.Session, v.Origin); err != nil && !errors.Is(err, auth.ErrNoSession) {
			return err
		}
	}
	p.SignedOut(c)
	return pages.Redirect(c, pages.LocalPath(pages.Next(c), "/signin?done=signedout", ""))
}

// VerifyPage asks a signed-in visitor to authenticate again, before a sensitive act.
func (p *Pages) VerifyPage(c *fiber.Ctx, v *pages.Visitor) error {
	identities, err := p.Auth.Identities(v.Ctx, v.Session)
	if err != nil {
		return err
	}
	linked := map[string]bool{}
	for _, i := range identities {
		linked[i.Provider] = true
	}
	passkeys, err := p.Auth.Passkeys(v.Ctx, v.Session)
	if err != nil {
		return err
	}
	next, back := pages.LocalPath(pages.Field(c, "next"), "/account", ""),
		pages.LocalPath(pages.Field(c, "back"), "/account", "")
	v.Frame.Path = pages.WithBack(pages.WithNext(pages.VerifyPage, next), back)
	page := Verify{Frame: v.Frame, Email: v.Session.Email, Next: next, Back: back,
		HasPassword: v.Session.HasPassword, HasTOTP: v.Session.HasTOTP,
		HasPasskey: len(passkeys) > 0 && p.Auth.OffersPasskeys(), ByMail: v.Session.Confirmed && !p.MailDown,
		Sent:   c.Query("done") == "sent" && p.SentTo(c, auth.PurposeVerify) == v.Session.Email,
		Errors: v.Errors(), Trouble: troubleText(c, v)}
	for _, offered := range p.Providers("") {
		if linked[offered.Name] {
			page.Providers = append(page.Providers, offered)
		}
	}
	return web.Send(c, VerifyPage(page), p.Targets...)
}

// Verify authenticates a signed-in visitor again.
func (p *Pages) Verify(c *fiber.Ctx, v *pages.Visitor) error {
	err := p.Auth.Reauthenticate(v.Ctx, v.Session, pages.Field(c, "password"), pages.Field(c, "code"), v.Origin)
	if err != nil {
		return v.Again(c, err, p.VerifyPage)
	}
	return v.Redirect(c, pages.LocalPath(pages.Field(c, "next"), "/account", ""))
}

// SendVerifyLink mails a signed-in visitor a link that authenticates them again.
func (p *Pages) SendVerifyLink(c *fiber.Ctx, v *pages.Visitor) error {
	next, back := pages.LocalPath(pages.Field(c, "next"), "/account", ""),
		pages.LocalPath(pages.Field(c, "back"), "", "")
	v.Origin.Next = pages.LocalNext(next)
	if err := p.Auth.RequestVerifyLink(v.Ctx, v.Session, v.Origin); err != nil {
		return v.Again(c, err, p.VerifyPage)
	}
	p.SetSentTo(c, auth.PurposeVerify, v.Session.Email)
	return v.Redirect(c, pages.WithBack(pages.WithNext(pages.VerifyPage+"?done=sent", next), back))
}

// responseStep is longer than any work that a known address causes and an unknown one does not.
const responseStep = 250 * time.Millisecond

// waitForStep delays an answer until a multiple of step since the request arrived, so
// that its time does not reveal what was found.
func (p *Pages) waitForStep(v *pages.Visitor) {
	spent := p.Now().Sub(v.Arrived)
	if spent < 0 {
		return
	}
	clock.Sleep(v.Ctx, timeToStep(spent))
}

// timeToStep is the time until the next step, never zero.
func timeToStep(spent time.Duration) time.Duration { return responseStep - spent%responseStep }
