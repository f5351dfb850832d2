package portal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/net/idna"

	"arpent/app/base/ident"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/portal/view"
	"arpent/web"
)

const (
	authorizePath = "/oauth/authorize"
	// heldFor is how long the page must have been there before it is answered: a click that comes sooner was meant for
	// what was there before. The style sheet has browsers keep it back (.held).
	heldFor = 500 * time.Millisecond
	// longestAuthorization is how much of an authorization request the addresses of our own pages can carry along.
	longestAuthorization = 5000
	// longestEscaped is how long it may be as they hold it, escaped once more: the server takes 8 kB of address and
	// headers, and browsers send up to two of headers.
	longestEscaped = 6000
)

// Assistants is what the page asks of the authorization server of assistants.
type Assistants interface {
	// Read judges an authorization request. Its error is an *assistant.PageError, which must not lead to the client, or
	// an *assistant.RedirectError, which does.
	Read(ctx context.Context, query string) (assistant.Request, error)
	// Approve gives the address of the client with a code in it, Deny the one that tells it of the refusal.
	Approve(ctx context.Context, account ident.AccountID, r assistant.Request) (location string, err error)
	Deny(r assistant.Request) (location string)
}

// authorizeForm asks whoever is signed in whether an assistant may act in their name, each time, and lets others sign in
// or sign up first.
func (p *Portal) authorizeForm(c *fiber.Ctx, v *visitor) error {
	query := plainQuery(string(c.Request().URI().QueryString()))
	r, err := p.readAuthorization(v, query)
	if err != nil {
		return p.refuseAuthorization(c, v, err)
	}
	return p.authorizationPage(c, v, r, query)
}

// authorize does what was decided. Whatever is not as it was when the page was shown leads to the page again.
func (p *Portal) authorize(c *fiber.Ctx, v *visitor) error {
	query := plainQuery(typed(c, "request"))
	r, err := p.readAuthorization(v, query)
	if err != nil {
		return p.refuseAuthorization(c, v, err)
	}
	decision := typed(c, "decision")
	switch {
	case v.signedIn() && decision == "refuse":
		return leaveFor(c, p.o.Assistants.Deny(r), fiber.StatusSeeOther)
	case !v.signedIn() || !v.session.Confirmed || decision != "allow" || p.now().Sub(shownAt(typed(c, csrfField))) < heldFor:
		return redirect(c, authorizePath+"?"+query)
	}
	r.Origin = v.origin
	location, err := p.o.Assistants.Approve(v.ctx, v.session.Account, r)
	switch {
	case errors.Is(err, apikey.ErrTooManyAssistants):
		return p.cannotConnect(c, v, r, view.AuthorizeTooMany)
	case errors.Is(err, apikey.ErrUnconfirmed):
		return p.cannotConnect(c, v, r, view.AuthorizeUnconfirmed)
	case err != nil:
		return p.refuseAuthorization(c, v, err)
	}
	return leaveFor(c, location, fiber.StatusSeeOther)
}

// cannotConnect says what stands in the way on the side of the account, and leads back to the client, which learns that
// nothing was authorized.
func (p *Portal) cannotConnect(c *fiber.Ctx, v *visitor, r assistant.Request, why string) error {
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Status(fiber.StatusConflict)
	return web.Send(c, view.AuthorizeCannotPage(view.AuthorizeCannot{Frame: v.frame, Asking: askingOf(r), Why: why, Back: p.o.Assistants.Deny(r)}))
}

// authorizeAgain answers a form whose session has ended, or changed, since its page was shown.
func authorizeAgain(c *fiber.Ctx) error {
	return redirect(c, authorizePath+"?"+plainQuery(typed(c, "request")))
}

func (p *Portal) readAuthorization(v *visitor, query string) (assistant.Request, error) {
	if len(query) > longestAuthorization || len(escape(authorizePath+"?"+query)) > longestEscaped {
		return assistant.Request{}, errLongAuthorization
	}
	return p.o.Assistants.Read(assistant.WithBrowser(v.ctx, v.origin.Address), query)
}

var errLongAuthorization = fmt.Errorf("an authorization request has at most %d bytes, and %d with its escapes escaped", longestAuthorization, longestEscaped)

// refuseAuthorization says why nothing can be authorized: to the client where its address is one that it registered and
// somebody is signed in, on a page otherwise. Anybody can register an address: a link to us must not lead there by itself
// (RFC 9700, 4.11.2).
func (p *Portal) refuseAuthorization(c *fiber.Ctx, v *visitor, err error) error {
	var (
		back    *assistant.RedirectError
		refused *assistant.PageError
	)
	page := view.AuthorizeFault{Frame: v.frame}
	switch {
	case errors.As(err, &back) && v.signedIn():
		return leaveFor(c, back.Location, fiber.StatusFound)
	case errors.As(err, &back):
		page.Code, page.Detail, page.Back = back.Code, back.Detail, back.Location
	case errors.As(err, &refused):
		page.Code, page.Detail = refused.Code, refused.Detail
		slog.InfoContext(v.ctx, "an assistant's request for access is not as it should be", "code", refused.Code, "detail", refused.Detail)
	case errors.Is(err, errLongAuthorization):
		page.Code = view.AuthorizeTooLong
	default:
		return err
	}
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Status(fiber.StatusBadRequest)
	return web.Send(c, view.AuthorizeFaultPage(page))
}

// leaveFor sends the browser to a client. The address holds a code or a state: nobody else is told of it.
func leaveFor(c *fiber.Ctx, location string, status int) error {
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	web.Guard(c)
	return c.Redirect(location, status)
}

func (p *Portal) authorizationPage(c *fiber.Ctx, v *visitor, r assistant.Request, query string) error {
	next := authorizePath + "?" + query
	if c.Query("lang") == "" {
		v.frame.Path = next // as it came: the frame's own would be put in another order
	}
	v.frame.Next = next
	page := view.Authorize{Frame: v.frame, Asking: askingOf(r), Next: next, Request: query,
		Email: v.session.Email, NoMail: p.o.MailDown, Providers: p.providersFor(next)}
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	switch {
	case !v.signedIn():
		return web.Send(c, view.AuthorizeSignInPage(page), p.formTargets()...)
	case !v.session.Confirmed:
		return web.Send(c, view.AuthorizeConfirmPage(page))
	}
	if s := p.standing(v); s.DayKnown {
		left := max(0, s.DayLimit-s.DayUsed)
		page.Left, page.Limit = &left, s.DayLimit
	}
	if err := web.Send(c, view.AuthorizePage(page)); err != nil {
		return err
	}
	// Browsers apply form-action to every redirect that a form leads to. This one leads to the client, which leads on to
	// where only it knows, such as a scheme of its own.
	policy, _, _ := strings.Cut(string(c.Response().Header.Peek(fiber.HeaderContentSecurityPolicy)), "; form-action")
	c.Set(fiber.HeaderContentSecurityPolicy, policy)
	return nil
}

// asking tells who waits for an authorization at the end of that path; nil: nobody.
func (p *Portal) asking(v *visitor, next string) *view.Asking {
	query, ok := strings.CutPrefix(next, authorizePath+"?")
	if p.o.Assistants == nil || !ok {
		return nil
	}
	r, err := p.readAuthorization(v, query)
	if err != nil {
		return nil // its page says why
	}
	asking := askingOf(r)
	return &asking
}

// askingOf describes the client and where it is answered, as exactly as a person can judge it.
func askingOf(r assistant.Request) view.Asking {
	a := view.Asking{Name: r.Client.Name, Host: ascii(r.Client.Host)}
	u, err := url.Parse(r.RedirectURI)
	if err != nil {
		a.To = r.RedirectURI
		return a
	}
	switch u.Scheme {
	case "http", "https":
		a.To, a.Local = ascii(u.Host), u.Scheme == "http" && loopback(u.Hostname())
	default:
		a.To, a.App = u.Scheme+":", true
		if u.Host != "" {
			a.To += "//" + ascii(u.Host)
		}
	}
	return a
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// ascii shows a name of another script as xn--…: letters of two scripts may look the same.
func ascii(host string) string {
	if plain, err := idna.Punycode.ToASCII(host); err == nil {
		return plain
	}
	return url.PathEscape(host)
}

// plainQuery escapes in a query what our own addresses, cookies and database do not take, and changes nothing else: what
// it says stays the same to the byte.
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
