package portal

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/audit"
	"arpent/auth"
	"arpent/web"
)

// Cookies. Over https their names begin with __Host-, which ties them to this host and to https.
const (
	deviceCookie = "arpent-device" // this browser has signed in before
	signUpCookie = "arpent-signup" // this browser asked for a confirmation link
	codeCookie   = "arpent-code"   // a second factor is still to come
	flowCookie   = "arpent-flow"   // signing in at a third party
)

const (
	sessionLife = 30 * 24 * time.Hour
	deviceLife  = 365 * 24 * time.Hour
	stepLife    = 10 * time.Minute
)

// visitor finds out who asks.
func (p *Portal) visitor(ctx context.Context, c *fiber.Ctx) (*visitor, error) {
	v := &visitor{ctx: ctx, arrived: p.now(), frame: p.o.Pages.Frame(c)}
	v.origin = auth.Origin{Address: p.clientAddress(c), Agent: strings.ToValidUTF8(strings.Clone(c.Get(fiber.HeaderUserAgent)), ""),
		Device: p.cookie(c, deviceCookie), Language: string(v.frame.Lang)}
	v.ctx = audit.With(ctx, audit.Actor{Kind: audit.ActorAccount, Address: v.origin.Address, Agent: v.origin.Agent})
	if token := p.cookie(c, web.SessionCookie); token != "" {
		session, err := p.o.Auth.Session(ctx, token)
		switch {
		case err == nil:
			v.session, v.token = session, token
			if session.Extended {
				p.remember(c, web.SessionCookie, token, sessionLife)
			}
		case !errors.Is(err, auth.ErrNoSession):
			return v, err
		default:
			p.forget(c, web.SessionCookie)
		}
	}
	v.frame.HasSession = v.signedIn()
	if v.signedIn() && c.Query("lang") == "" {
		v.frame.Lang = web.Lang(v.session.Language)
	}
	v.frame.Token = CSRFToken(p.csrfKeys[0], v.token, p.now())
	return v, nil
}

func (p *Portal) clientAddress(c *fiber.Ctx) netip.Addr {
	if p.o.Client == nil {
		return netip.Addr{}
	}
	return p.o.Client(c)
}

func (p *Portal) cookieName(name string) string {
	if p.secure {
		return "__Host-" + name
	}
	return name
}

func (p *Portal) cookie(c *fiber.Ctx, name string) string {
	return strings.Clone(c.Cookies(p.cookieName(name)))
}

// remember gives the browser a cookie that no script reads and no other site sends along with a form.
func (p *Portal) remember(c *fiber.Ctx, name, value string, life time.Duration) {
	c.Cookie(&fiber.Cookie{Name: p.cookieName(name), Value: value, Path: "/", MaxAge: int(life.Seconds()),
		Secure: p.secure, HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode})
}

func (p *Portal) forget(c *fiber.Ctx, name string) {
	c.Cookie(&fiber.Cookie{Name: p.cookieName(name), Path: "/", Expires: time.Unix(1, 0),
		Secure: p.secure, HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode})
}

// begin gives the browser what a successful sign-in brings, or what the second factor needs.
func (p *Portal) begin(c *fiber.Ctx, v *visitor, in auth.SignedIn, next string) error {
	next = localPath(next, "/account", "")
	if in.Pending != "" {
		p.remember(c, codeCookie, in.Pending, stepLife)
		return redirect(c, "/signin/code?next="+escape(next))
	}
	if v.signedIn() { // nobody holds the session that the browser forgets now
		if err := p.o.Auth.SignOut(v.ctx, v.session, v.origin); err != nil {
			return err
		}
	}
	p.forget(c, codeCookie)
	p.remember(c, web.SessionCookie, in.Token, sessionLife)
	if in.Device != "" {
		p.remember(c, deviceCookie, in.Device, deviceLife)
	}
	if p.cookie(c, reviewCookie) != "" {
		p.forget(c, reviewCookie)
		next = withNext(accessPath, next)
	}
	return redirect(c, next)
}

// localPath gives the path of an address on this server, or fallback for anything that a browser could take to
// another place. host is accepted where the address is absolute; empty: none is.
func localPath(address, fallback, host string) string {
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return fallback
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Opaque != "" || u.Host != "" && (host == "" || u.Host != host) || u.Host == "" && u.Scheme != "" {
		return fallback
	}
	if !strings.HasPrefix(u.Path, "/") || strings.Contains(u.Path, "//") { // "/.//host" is "//host" once the dot is dropped
		return fallback
	}
	local := url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}
	return local.String()
}

func escape(s string) string { return url.QueryEscape(s) }

// redirect answers a form: the browser asks for the page with a GET.
func redirect(c *fiber.Ctx, to string) error {
	web.Guard(c)
	return c.Redirect(to, fiber.StatusSeeOther)
}

// steady holds an answer until a multiple of a quarter of a second has passed since the request arrived, so that its
// time does not tell what was found.
func (p *Portal) steady(v *visitor) {
	spent := p.now().Sub(v.arrived)
	if spent < 0 {
		return
	}
	wait := time.NewTimer(untilStep(spent))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-v.ctx.Done():
	}
}

// step is longer than anything that a known address causes and an unknown one does not.
const step = 250 * time.Millisecond

// untilStep is how long it is to the next step, never nothing.
func untilStep(spent time.Duration) time.Duration { return step - spent%step }
