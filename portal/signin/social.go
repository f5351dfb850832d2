package signin

import (
	"cmp"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/social"
	"arpent/internal/fault"
	"arpent/internal/mail"
	"arpent/portal/pages"
	"arpent/portal/view"
	"arpent/web"
)

// identityRecency is the maximum age of an authentication for linking an identity.
const identityRecency = stepLife

var intents = map[string]social.Intent{"signin": social.SignIn, "link": social.Link, "verify": social.Verify}

// Providers are the third parties whose buttons continue to next. None is offered for a path that is too long
// for their cookie: it would be lost on the way.
func (p *Pages) Providers(next string) []view.Provider {
	if len(next) > social.MaxNext {
		return nil
	}
	var offered []view.Provider
	for _, o := range p.Social.Offered() {
		offered = append(offered, view.Provider{Name: o.Name, Label: o.Label})
	}
	return offered
}

// ProviderLabel is the label of a provider, also of one that is no longer configured.
func (p *Pages) ProviderLabel(name string) string {
	for _, o := range p.Social.Offered() {
		if o.Name == name {
			return o.Label
		}
	}
	return cmp.Or(mail.ProviderNames[name], name)
}

// StartOAuth redirects to a third party.
func (p *Pages) StartOAuth(c *fiber.Ctx, v *pages.Visitor) error {
	intent, ok := intents[pages.Field(c, "intent")]
	if !ok {
		return fault.Invalid("intent must be signin, link or verify")
	}
	flow := social.Flow{Intent: intent, Next: pages.LocalPath(pages.Field(c, "next"), "/account", ""),
		Language: string(v.Frame.Asked())}
	if intent != social.SignIn {
		if !v.SignedIn() {
			return pages.AskToSignIn(c)
		}
		flow.Session = int64(v.Session.ID)
	}
	if intent == social.Link && v.Session.MustEnrol {
		return pages.Redirect(c, pages.EnrolPage)
	}
	if intent == social.Link && !v.Session.Recent(p.Now(), identityRecency) {
		return v.Redirect(c, pages.WithBack(pages.WithNext(pages.VerifyPage, "/account/security"),
			"/account/security"))
	}
	provider := strings.Clone(c.Params("provider"))
	to, cookie, err := p.Social.Begin(v.Ctx, provider, flow)
	if err != nil {
		return p.redirectSocialError(c, v, flow, err)
	}
	p.SetCookie(c, flowCookie, cookie, stepLife)
	if u, err := url.Parse(to); err == nil && slices.Contains(p.Targets, u.Scheme+"://"+u.Host) {
		return pages.Redirect(c, to)
	}
	// The policy of the page with the form could not include this origin, which was not known yet: browsers
	// would block the redirect. A page of its own may redirect anywhere.
	c.Set("Refresh", "0; url="+to)
	return web.Send(c, view.RedirectPage(view.Redirect{Frame: v.Frame, To: to,
		Label: p.ProviderLabel(provider)}))
}

// Callback receives what a third party answers.
func (p *Pages) Callback(c *fiber.Ctx, v *pages.Visitor) error {
	cookie := p.Cookie(c, flowCookie)
	p.Forget(c, flowCookie)
	query, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return p.redirectSocialError(c, v, social.Flow{}, social.ErrFlow)
	}
	claim, flow, err := p.Social.Finish(v.Ctx, strings.Clone(c.Params("provider")), cookie, query)
	v.UseLanguage(web.Lang(flow.Language))
	if err != nil {
		return p.redirectSocialError(c, v, flow, err)
	}
	next := pages.LocalPath(flow.Next, "/account", "")
	if flow.Intent == social.SignIn {
		v.Origin.Next = pages.LocalNext(flow.Next)
		in, err := p.Auth.SignInWithIdentity(v.Ctx, claim, v.Origin)
		switch {
		case errors.Is(err, auth.ErrMailSent):
			p.SetCookie(c, signUpCookie, in.Browser, 24*time.Hour)
			return p.redirectToSent(c, v, claim.Email, pages.LocalNext(flow.Next))
		case err != nil:
			return p.redirectSocialError(c, v, flow, err)
		}
		return p.completeSignIn(c, v, in, next)
	}
	if !v.SignedIn() || int64(v.Session.ID) != flow.Session {
		return p.redirectSocialError(c, v, flow, social.ErrFlow)
	}
	if flow.Intent == social.Verify {
		pending, err := p.Auth.ReauthenticateWithIdentity(v.Ctx, v.Session, claim, v.Origin)
		if err != nil {
			return p.redirectSocialError(c, v, flow, err)
		}
		if pending != "" {
			return p.completeSignIn(c, v, auth.SignedIn{Pending: pending}, next)
		}
		return v.Redirect(c, next)
	}
	if v.Session.MustEnrol {
		return pages.Redirect(c, pages.EnrolPage)
	}
	if err := p.Auth.LinkIdentity(v.Ctx, v.Session, claim, v.Origin); err != nil {
		return p.redirectSocialError(c, v, flow, err)
	}
	return v.Redirect(c, "/account/security?done=linked#identities")
}

// redirectSocialError redirects to the page that the visitor came from,
// which says what did not work and what to do.
func (p *Pages) redirectSocialError(c *fiber.Ctx, v *pages.Visitor, flow social.Flow, err error) error {
	trouble := ""
	problem, refused := errors.AsType[*auth.Problem](err)
	switch {
	case refused && problem.Wait == 0:
		trouble = problem.Code
	case errors.Is(err, social.ErrFlow):
		trouble = TroubleFlow
	case errors.Is(err, social.ErrDenied):
		trouble = TroubleDenied
	case errors.Is(err, social.ErrProvider):
		slog.WarnContext(v.Ctx, "third-party sign-in", "error", err)
		trouble = TroubleProvider
	case errors.Is(err, social.ErrUnknownProvider):
		return pages.ErrNothing
	default:
		return err
	}
	page := "/signin"
	switch {
	case v.SignedIn() && flow.Intent == social.Link:
		return v.Redirect(c, "/account/security?trouble="+trouble+"#identities")
	case v.SignedIn():
		page = pages.VerifyPage
	}
	return v.Redirect(c, pages.WithNext(page+"?trouble="+trouble, pages.LocalPath(flow.Next, "/account", "")))
}
