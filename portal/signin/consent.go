package signin

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/auth/member"
	"arpent/internal/ident"
	"arpent/portal/pages"
	"arpent/web"
)

// minAnswerDelay is the time during which the page accepts no answer: a click that comes sooner was meant for
// what was there before. The style sheet has browsers hold the buttons back (.held).
const minAnswerDelay = 500 * time.Millisecond

// authorizePath is the path of the page. Its component imports no package of accounts.
const authorizePath = assistant.AuthorizePath

// ShowConsent asks a signed-in visitor whether an assistant may act in their
// name, each time. Others sign in or up first.
func (p *Pages) ShowConsent(c *fiber.Ctx, v *pages.Visitor) error {
	query := plainQuery(string(c.Request().URI().QueryString()))
	r, err := p.ReadRequest(v, query)
	if err != nil {
		return p.showRejection(c, v, err)
	}
	return p.showRequest(c, v, r, query)
}

// Decide does what was decided. If anything has changed since the page was shown, the page is shown again.
func (p *Pages) Decide(c *fiber.Ctx, v *pages.Visitor) error {
	query := plainQuery(pages.Field(c, "request"))
	r, err := p.ReadRequest(v, query)
	if err != nil {
		return p.showRejection(c, v, err)
	}
	decision := pages.Field(c, "decision")
	switch {
	case v.SignedIn() && decision == "refuse":
		return redirectToClient(c, p.Assistants.Deny(r), fiber.StatusSeeOther)
	case !v.SignedIn() || !v.Session.Confirmed || decision != "allow" ||
		p.Now().Sub(pages.RenderedAt(c)) < minAnswerDelay:
		return pages.Redirect(c, authorizePath+"?"+query)
	}
	account, err := p.chosenAccount(c, v)
	if errors.Is(err, errChoice) {
		return p.cannotConnect(c, v, r, AuthorizeChoice)
	}
	if err != nil {
		return err
	}
	r.Origin, r.Person = v.Origin, v.Session.Account
	location, err := p.Assistants.Approve(v.Ctx, account, r)
	switch {
	case errors.Is(err, apikey.ErrTooManyAssistants):
		return p.cannotConnect(c, v, r, AuthorizeTooMany)
	case errors.Is(err, apikey.ErrUnconfirmed):
		return p.cannotConnect(c, v, r, AuthorizeUnconfirmed)
	case err != nil:
		return p.showRejection(c, v, err)
	}
	return redirectToClient(c, location, fiber.StatusSeeOther)
}

// organisationsOf lists the organisations for which the visitor may connect an assistant.
func (p *Pages) organisationsOf(v *pages.Visitor) ([]auth.Membership, error) {
	list, err := p.Auth.Memberships(v.Ctx, v.Session)
	return slices.DeleteFunc(list, func(m auth.Membership) bool {
		return !m.Role.May(member.ConnectAssistant) || v.Session.IsKeptOut(m.FactorFrom, p.Now())
	}), err
}

// addOrganisations adds the choice of a person who may connect assistants to organisations. That of the
// session is chosen first, where it is one of them.
func (a *Authorize) addOrganisations(s auth.Session, list []auth.Membership) {
	if len(list) == 0 {
		return
	}
	own := web.Choice{ID: int64(s.Account), Name: a.Frame.Lang.Pick("Mon compte personnel", "My personal account"), Chosen: true}
	for _, m := range list {
		chosen := m.ID == s.Organisation
		own.Chosen = own.Chosen && !chosen
		a.Accounts = append(a.Accounts, web.Choice{ID: int64(m.ID), Name: m.Name, Chosen: chosen})
	}
	a.Accounts = append(a.Accounts, own)
}

// errChoice is the error for a form whose organisation is none for which the visitor may connect an
// assistant, or not any more.
var errChoice = errors.New("the visitor may not connect an assistant to the organisation")

// chosenAccount is the account that the form says the assistant is for: the visitor's own, or that of one of
// organisationsOf. The choice of the session does not count.
func (p *Pages) chosenAccount(c *fiber.Ctx, v *pages.Visitor) (ident.AccountID, error) {
	list, err := p.organisationsOf(v)
	if err != nil {
		return 0, err
	}
	typed := pages.Field(c, "organisation")
	if typed == "" && len(list) == 0 { // the page had no choice
		return v.Session.Account, nil
	}
	id, err := strconv.ParseInt(typed, 10, 64)
	chosen := ident.AccountID(id)
	isChosen := func(m auth.Membership) bool { return m.ID == chosen }
	if err != nil || chosen != v.Session.Account && !slices.ContainsFunc(list, isChosen) {
		return 0, errChoice
	}
	return chosen, nil
}

// RestartConsent answers a form whose session has ended, or changed, since its page was shown.
func RestartConsent(c *fiber.Ctx) error {
	return pages.Redirect(c, authorizePath+"?"+plainQuery(pages.Field(c, "request")))
}

// cannotConnect says why the account cannot connect an assistant, with a
// link to the client that reports access_denied.
func (p *Pages) cannotConnect(c *fiber.Ctx, v *pages.Visitor, r assistant.Request, why string) error {
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Status(fiber.StatusConflict)
	return web.Send(c, AuthorizeCannotPage(AuthorizeCannot{Frame: v.Frame, Asking: AskingOf(r), Why: why,
		Back: p.Assistants.Deny(r)}))
}

// showRejection says why nothing can be authorized: to a client on the visitor's own machine if the
// visitor is signed in, on a page otherwise. Any client can register an address: a link to us must not
// redirect there without consent (RFC 9700, 4.11.2).
func (p *Pages) showRejection(c *fiber.Ctx, v *pages.Visitor, err error) error {
	var (
		back    *assistant.RedirectError
		refused *assistant.PageError
	)
	page := AuthorizeFault{Frame: v.Frame}
	switch {
	case errors.As(err, &back) && v.SignedIn() && back.IsLocal():
		return redirectToClient(c, back.Location, fiber.StatusFound)
	case errors.As(err, &back):
		page.Code, page.Detail, page.Back = back.Code, back.Detail, back.Location
	case errors.As(err, &refused):
		page.Code, page.Detail = refused.Code, refused.Detail
		// the detail repeats what was sent
		slog.InfoContext(v.Ctx, "authorization request rejected", "code", refused.Code)
	case errors.Is(err, ErrLongRequest):
		page.Code = AuthorizeTooLong
	default:
		return err
	}
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Status(fiber.StatusBadRequest)
	return web.Send(c, AuthorizeFaultPage(page))
}

// redirectToClient sends the browser to a client. The address contains a
// code or a state, which is secret.
func redirectToClient(c *fiber.Ctx, location string, status int) error {
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	web.Guard(c)
	return c.Redirect(location, status)
}

func (p *Pages) showRequest(c *fiber.Ctx, v *pages.Visitor, r assistant.Request, query string) error {
	next := authorizePath + "?" + query
	if c.Query("lang") == "" {
		v.Frame.Path = next // as it came: the frame's own has its parameters in another order
	}
	v.Frame.Next = next
	page := Authorize{Frame: v.Frame, Asking: AskingOf(r), Next: next, Request: query,
		Email: v.Session.Email, NoMail: p.MailDown, Providers: p.Providers(next),
		Passkeys: p.Auth.OffersPasskeys()}
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	switch {
	case !v.SignedIn():
		return web.Send(c, AuthorizeSignInPage(page), p.Targets...)
	case !v.Session.Confirmed:
		return web.Send(c, AuthorizeConfirmPage(page))
	}
	list, err := p.organisationsOf(v)
	if err != nil {
		return err
	}
	page.addOrganisations(v.Session, list)
	if s := p.Usage.Current(v); s.DayKnown && len(list) == 0 && !v.Session.ActsForOrganisation() {
		page.Left, page.Limit = new(max(0, s.DayLimit-s.DayUsed)), s.DayLimit
	}
	if err := web.Send(c, AuthorizePage(page)); err != nil {
		return err
	}
	// Browsers apply form-action to every redirect of a form. This one leads to the client, which may
	// redirect to an address only known to it, such as a scheme of its own.
	policy, _, _ := strings.Cut(string(c.Response().Header.Peek(fiber.HeaderContentSecurityPolicy)),
		"; form-action")
	c.Set(fiber.HeaderContentSecurityPolicy, policy)
	return nil
}

// plainQuery escapes in a query what our own addresses, cookies and database do not accept, and changes
// nothing else: what it means stays the same to the byte.
func plainQuery(query string) string {
	var b strings.Builder
	for _, x := range []byte(query) {
		if x <= ' ' || x >= 0x7f || x == '\\' || x == '#' {
			fmt.Fprintf(&b, "%%%02X", x)
		} else {
			b.WriteByte(x)
		}
	}
	return b.String()
}
