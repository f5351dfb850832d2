package pages

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/auth"
	"arpent/billing"
	"arpent/internal/audit"
	"arpent/internal/ident"
	"arpent/web"
)

// Visitor is the browser that requests a page, and the person who is signed in there.
type Visitor struct {
	Ctx     context.Context
	Frame   web.Frame
	Session auth.Session // its zero value: not signed in
	// whose data the page is about: the organisation of the session, or the person; 0: not signed in
	Account  ident.AccountID
	Origin   auth.Origin
	Arrived  time.Time
	Bought   billing.Row     // the subscription, on the pages of an account, where plans are sold
	Ended    bool            // the browser brought the cookie of a session that is over
	token    string          // of the session
	problems []*auth.Problem // what was wrong with the form that was sent; none: nothing, or none was sent
}

// SignedIn reports whether an account is signed in.
func (v *Visitor) SignedIn() bool { return v.Session.Account != 0 }

// Entitlement returns the limits of the account under a plan.
func (v *Visitor) Entitlement(plan string) billing.Limits {
	own := v.Session.Own
	return billing.Entitlement(plan, billing.Own{PerMinute: own.PerMinute,
		EnrichmentsPerMinute: own.EnrichmentsPerMinute,
		PerDay:               own.PerDay})
}

const (
	// deviceCookie marks a browser that has signed in before.
	deviceCookie = "arpent-device"
	// sessionLife is a week longer than a session is good for without use: who comes back
	// too late then reads that it has ended.
	sessionLife = auth.SessionLife + 7*24*time.Hour
	// DeviceLife and LanguageLife are those of the cookies that outlive a session.
	DeviceLife   = 365 * 24 * time.Hour
	LanguageLife = 365 * 24 * time.Hour
)

// identifyVisitor identifies the client of a request.
func (s *Server) identifyVisitor(ctx context.Context, c *fiber.Ctx) (*Visitor, error) {
	v := &Visitor{Ctx: ctx, Arrived: s.Now(), Frame: s.Site.Frame(c)}
	v.Origin = auth.Origin{Address: s.clientAddress(c),
		Agent:  strings.ToValidUTF8(strings.Clone(c.Get(fiber.HeaderUserAgent)), ""),
		Device: s.Cookie(c, deviceCookie), Language: string(v.Frame.Lang)}
	v.Ctx = audit.With(ctx, audit.Actor{Kind: audit.ActorAccount, Address: v.Origin.Address,
		Agent: v.Origin.Agent})
	if token := s.Cookie(c, web.SessionCookie); token != "" {
		ctx, cancel := context.WithTimeout(ctx, sessionTimeout)
		session, err := s.Auth.Session(ctx, token)
		cancel()
		switch {
		case err == nil:
			v.Session, v.Account, v.token = session, session.Organisation, token
			actor := audit.ActorOf(v.Ctx)
			actor.Person, actor.By = session.Account, session.Email
			v.Ctx = audit.With(v.Ctx, actor)
			if session.Extended {
				s.SetCookie(c, web.SessionCookie, token, sessionLife)
			}
		case !errors.Is(err, auth.ErrNoSession):
			return v, err
		default:
			s.Forget(c, web.SessionCookie)
			v.Ended = true
		}
	}
	v.Frame.HasSession, v.Frame.Operator = v.SignedIn(), s.isOperatorSession(v.Session)
	v.Frame.FactorEnds = v.Session.FactorEndsAt
	if v.SignedIn() && c.Query("lang") == "" {
		v.Frame.Lang = web.Lang(v.Session.Language)
		// for the public pages, which know nothing of the account
		if c.Cookies(web.LanguageCookie) != v.Session.Language {
			s.SetPublicCookie(c, web.LanguageCookie, v.Session.Language, LanguageLife)
		}
	}
	v.Frame.Token = csrfTokenOf(s.csrfKeys[0], v.token, chosenOrganisation(v.Session), s.Now())
	return v, nil
}

// sessionTimeout bounds the look-up of who asks, with which every page begins: while the database hangs,
// requests must not pile up for as long as a page may take.
const sessionTimeout = 4 * time.Second

func (s *Server) clientAddress(c *fiber.Ctx) netip.Addr {
	if s.Client == nil {
		return netip.Addr{}
	}
	return s.Client(c)
}

// SignIn gives the browser the cookies of a new session, and ends the one that it replaces.
func (s *Server) SignIn(c *fiber.Ctx, v *Visitor, in auth.SignedIn) error {
	if v.SignedIn() {
		if err := s.Auth.SignOut(v.Ctx, v.Session, v.Origin); err != nil {
			return err
		}
	}
	s.SetCookie(c, web.SessionCookie, in.Token, sessionLife)
	s.SetDevice(c, in.Device)
	return nil
}

// SetDevice gives the browser the cookie by which the account knows it; empty: it has it.
func (s *Server) SetDevice(c *fiber.Ctx, device string) {
	if device != "" {
		s.SetCookie(c, deviceCookie, device, DeviceLife)
	}
}

// SignedOut has the browser forget the session, and what it may have kept of the account besides the
// cookie: the pages are not to be stored, and what a browser or an extension stored all the same goes.
// Cookies stay: that of the device and that of the language are of no account, and this one is removed
// by itself. Browsers obey over https alone.
func (s *Server) SignedOut(c *fiber.Ctx) {
	s.Forget(c, web.SessionCookie)
	c.Set("Clear-Site-Data", `"cache", "storage"`)
}

// ForgetDevice makes the browser one that has never signed in.
func (s *Server) ForgetDevice(c *fiber.Ctx) {
	s.SignedOut(c)
	s.Forget(c, deviceCookie)
}

// cookieName is the name of a cookie: over https it begins with __Host-, which
// ties the cookie to this host and to https.
func (s *Server) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name
}

// Cookie returns the value of a cookie; empty: there is none.
func (s *Server) Cookie(c *fiber.Ctx, name string) string {
	return strings.Clone(c.Cookies(s.cookieName(name)))
}

// SetCookie gives the browser a cookie that no script reads and no other site sends along with a form.
func (s *Server) SetCookie(c *fiber.Ctx, name, value string, life time.Duration) {
	s.writeCookie(c, fiber.Cookie{Name: s.cookieName(name), Value: value, MaxAge: int(life.Seconds())})
}

// SetPublicCookie gives the browser a cookie whose name is the same
// over http and https, as package web reads it.
func (s *Server) SetPublicCookie(c *fiber.Ctx, name, value string, life time.Duration) {
	s.writeCookie(c, fiber.Cookie{Name: name, Value: value, MaxAge: int(life.Seconds())})
}

// Forget removes a cookie from the browser.
func (s *Server) Forget(c *fiber.Ctx, name string) {
	s.writeCookie(c, fiber.Cookie{Name: s.cookieName(name), Expires: time.Unix(1, 0)})
}

func (s *Server) writeCookie(c *fiber.Ctx, k fiber.Cookie) {
	k.Path, k.Secure, k.HTTPOnly, k.SameSite = "/", s.secure, true, fiber.CookieSameSiteLaxMode
	c.Cookie(&k)
}
