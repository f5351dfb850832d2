package portal

import (
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/fault"
	"arpent/auth"
	"arpent/auth/social"
	"arpent/portal/view"
	"arpent/web"
)

// identityRecency is how lately somebody must have proved who they are to change how they sign in.
const identityRecency = stepLife

var intents = map[string]social.Intent{"signin": social.SignIn, "link": social.Link, "verify": social.Verify}

// providers are the third parties that people can sign in with.
func (p *Portal) providers() []view.Provider {
	var offered []view.Provider
	for _, o := range p.o.Social.Offered() {
		offered = append(offered, view.Provider{Name: o.Name, Label: o.Label})
	}
	return offered
}

// formTargets are the origins that a sign-in button may end up at.
func (p *Portal) formTargets() []string { return p.startTargets }

// leave sends somebody to a third party.
func (p *Portal) leave(c *fiber.Ctx, v *visitor) error {
	intent, ok := intents[typed(c, "intent")]
	if !ok {
		return fault.Invalid("intent must be signin, link or verify")
	}
	flow := social.Flow{Intent: intent, Next: localPath(typed(c, "next"), "/account", "")}
	if intent != social.SignIn {
		if !v.signedIn() {
			return p.askToSignIn(c, v)
		}
		flow.Session = int64(v.session.ID)
	}
	if intent == social.Link && !v.session.Recent(p.now(), identityRecency) {
		return redirect(c, "/account/verify?next="+escape("/account/security"))
	}
	provider := strings.Clone(c.Params("provider"))
	to, cookie, err := p.o.Social.Begin(v.ctx, provider, flow)
	if err != nil {
		return p.socialTrouble(c, v, flow, err)
	}
	p.remember(c, flowCookie, cookie, stepLife)
	if u, err := url.Parse(to); err == nil && slices.Contains(p.startTargets, u.Scheme+"://"+u.Host) {
		return redirect(c, to)
	}
	// The page that the form stands on could not allow this origin, which was not known then: browsers would refuse to
	// be redirected there. A page of its own may lead anywhere.
	c.Set("Refresh", "0; url="+to)
	return web.Send(c, view.RedirectPage(view.Redirect{Frame: v.frame, To: to, Label: p.providerLabel(provider)}))
}

// comeBack is where a third party sends people to.
func (p *Portal) comeBack(c *fiber.Ctx, v *visitor) error {
	cookie := p.cookie(c, flowCookie)
	p.forget(c, flowCookie)
	query, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return p.socialTrouble(c, v, social.Flow{}, social.ErrFlow)
	}
	claim, flow, err := p.o.Social.Finish(v.ctx, strings.Clone(c.Params("provider")), cookie, query)
	if err != nil {
		return p.socialTrouble(c, v, flow, err)
	}
	next := localPath(flow.Next, "/account", "")
	if flow.Intent == social.SignIn {
		v.origin.Next = localNext(flow.Next)
		in, err := p.o.Auth.SignInWithIdentity(v.ctx, claim, v.origin)
		switch {
		case errors.Is(err, auth.ErrMailSent):
			p.remember(c, signUpCookie, in.Browser, 24*time.Hour)
			return p.sent(c, claim.Email, localNext(flow.Next))
		case err != nil:
			return p.socialTrouble(c, v, flow, err)
		}
		return p.begin(c, v, in, next)
	}
	if !v.signedIn() || int64(v.session.ID) != flow.Session {
		return p.socialTrouble(c, v, flow, social.ErrFlow)
	}
	if flow.Intent == social.Verify {
		pending, err := p.o.Auth.ReauthenticateWithIdentity(v.ctx, v.session, claim, v.origin)
		if err != nil {
			return err
		}
		if pending != "" {
			return p.begin(c, v, auth.SignedIn{Pending: pending}, next)
		}
		return redirect(c, next)
	}
	if err := p.o.Auth.LinkIdentity(v.ctx, v.session, claim, v.origin); err != nil {
		return err
	}
	return redirect(c, "/account/security?done=linked#identities")
}

// socialTrouble says on the page that the person came from what did not work, and how to go on.
func (p *Portal) socialTrouble(c *fiber.Ctx, v *visitor, flow social.Flow, err error) error {
	trouble := ""
	switch {
	case errors.Is(err, social.ErrFlow):
		trouble = view.TroubleFlow
	case errors.Is(err, social.ErrDenied):
		trouble = view.TroubleDenied
	case errors.Is(err, social.ErrProvider):
		slog.WarnContext(v.ctx, "third-party sign-in", "error", err)
		trouble = view.TroubleProvider
	case errors.Is(err, social.ErrUnknownProvider):
		return errNothing
	default:
		return err
	}
	page := "/signin"
	if v.signedIn() {
		page = "/account/verify"
	}
	return redirect(c, page+"?trouble="+trouble+"&next="+escape(localPath(flow.Next, "/account", "")))
}
