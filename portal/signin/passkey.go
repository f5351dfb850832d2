package signin

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/portal/pages"
)

// passkeyCookie is what the challenge of a sign-in by passkey is bound to, in all tabs of a browser.
const passkeyCookie = "arpent-passkey"

// PasskeyChallenge brings the challenge of a sign-in by passkey.
func (p *Pages) PasskeyChallenge(c *fiber.Ctx, v *pages.Visitor) error {
	browser := p.Cookie(c, passkeyCookie)
	if browser == "" {
		browser = auth.NewPasskeyBrowser()
	}
	request, err := p.Auth.BeginPasskeySignIn(v.Ctx, browser)
	if err == nil {
		p.SetCookie(c, passkeyCookie, browser, stepLife)
	}
	return pages.SendPasskeyRequest(c, v, request, err)
}

// SignInWithPasskey signs in by a passkey.
func (p *Pages) SignInWithPasskey(c *fiber.Ctx, v *pages.Visitor) error {
	browser := p.Cookie(c, passkeyCookie)
	if browser == "" { // another browser's, or too old
		return v.Again(c, &auth.Problem{Code: auth.CodePasskeyOver}, p.signInPage)
	}
	in, err := p.Auth.SignInWithPasskey(v.Ctx, browser, pages.Field(c, "sealed"), pages.Field(c, "answer"), v.Origin)
	if err != nil {
		p.waitForStep(v)
		return v.Again(c, err, p.signInPage)
	}
	p.Forget(c, passkeyCookie)
	return p.completeSignIn(c, v, in, pages.Field(c, "next"))
}

// FactorChallenge brings the challenge of a passkey as the second factor.
func (p *Pages) FactorChallenge(c *fiber.Ctx, v *pages.Visitor) error {
	request, err := p.Auth.BeginPasskeyFactor(v.Ctx, p.Cookie(c, codeCookie))
	return pages.SendPasskeyRequest(c, v, request, err)
}

// FactorByPasskey finishes a sign-in by a passkey as the second factor.
func (p *Pages) FactorByPasskey(c *fiber.Ctx, v *pages.Visitor) error {
	in, err := p.Auth.FinishSignInWithPasskey(v.Ctx, p.Cookie(c, codeCookie), pages.Field(c, "sealed"),
		pages.Field(c, "answer"), v.Origin)
	return p.finishFactor(c, v, in, err)
}

// finishFactor completes a sign-in whose second factor was given, or asks for it again.
func (p *Pages) finishFactor(c *fiber.Ctx, v *pages.Visitor, in auth.SignedIn, err error) error {
	if problem, ok := errors.AsType[*auth.Problem](err); ok && problem.Code == auth.CodePendingOver {
		p.Forget(c, codeCookie)
		return v.Redirect(c, pages.WithNext("/signin?trouble=over", pages.LocalPath(pages.Field(c, "next"),
			"/account", "")))
	}
	if err != nil {
		return v.Again(c, err, p.codePage)
	}
	return p.completeSignIn(c, v, in, pages.Field(c, "next"))
}

// ProofChallenge brings the challenge of a passkey that authenticates a signed-in visitor again.
func (p *Pages) ProofChallenge(c *fiber.Ctx, v *pages.Visitor) error {
	request, err := p.Auth.BeginPasskeyProof(v.Ctx, v.Session)
	return pages.SendPasskeyRequest(c, v, request, err)
}

// VerifyByPasskey authenticates a signed-in visitor again, by a passkey.
func (p *Pages) VerifyByPasskey(c *fiber.Ctx, v *pages.Visitor) error {
	err := p.Auth.ReauthenticateWithPasskey(v.Ctx, v.Session, pages.Field(c, "sealed"), pages.Field(c, "answer"),
		v.Origin)
	if err != nil {
		return v.Again(c, err, p.VerifyPage)
	}
	return v.Redirect(c, pages.LocalPath(pages.Field(c, "next"), "/account", ""))
}
