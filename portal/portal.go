// Package portal is what people see of their account: signing up and in, keys, usage, settings. It promises that
// every page works without JavaScript, that nothing is changed by a GET, that a form which came from elsewhere is
// refused, and that what belongs to another account does not exist.
package portal

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/app/base/clock"
	"arpent/app/base/ident"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/social"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/web"
)

// Options of New.
type Options struct {
	Pages    *web.Pages
	Auth     *auth.Service
	Keys     *apikey.Store
	Learn    func(context.Context, ident.AccountID) error // lets this process accept a new key at once; nil: it hears of it
	Social   *social.Social
	Meter    *meter.Meter
	DB       *pgxpool.Pool
	Clock    clock.Clock
	Secret   []byte   // 32 bytes, the same on every instance
	Former   [][]byte // secrets of before: forms that were drawn with one are still taken
	BaseURL  string
	MailDown bool // no mail leaves this server: nobody can sign up with a password
	Billing  *billing.Service
	// Assistants decides what assistants may ask for; nil: none can be connected.
	Assistants Assistants
	// Connections tells which assistants an account has connected; nil: the names of their keys are all that is known.
	Connections Connections
	// PaymentOrigins are where the pages on which to pay are; nil: Stripe's.
	PaymentOrigins []string
	// EventRefused hears why a call of the webhook was refused, in a word of a short list; nil: nobody does.
	EventRefused func(reason string)
	// Client is the address of whoever sent a request.
	Client func(*fiber.Ctx) netip.Addr
}

// Portal serves the pages.
type Portal struct {
	o        Options
	secure   bool     // the public address is https
	csrfKeys [][]byte // keys of the CSRF tokens that are taken
	origin   *http.CrossOriginProtection
	// startTargets are the third parties that every page with their buttons lets its forms lead to.
	startTargets []string
	// payTargets are where forms that lead to a payment may end up at.
	payTargets []string
}

// New makes the portal.
func New(o Options) *Portal {
	p := &Portal{o: o, secure: strings.HasPrefix(o.BaseURL, "https://"), csrfKeys: [][]byte{CSRFKey(o.Secret)},
		origin: http.NewCrossOriginProtection(), startTargets: o.Social.FormTargets(), payTargets: o.PaymentOrigins}
	for _, secret := range o.Former {
		p.csrfKeys = append(p.csrfKeys, CSRFKey(secret))
	}
	if p.payTargets == nil {
		p.payTargets = stripeOrigins
	}
	return p
}

// CSRFKey derives from the server's secret what CSRF tokens are made with.
func CSRFKey(secret []byte) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, "arpent forgery token", sha256.Size) // as ever: open forms stay good
	if err != nil {
		panic(err) // the length is within what the hash allows
	}
	return key
}

// pageTimeout bounds everything that one page asks of the database and of others, and the wait for a turn to check a
// password.
const pageTimeout = 15 * time.Second

func (p *Portal) now() time.Time { return p.o.Clock.Now() }

// visitor is whoever asks for a page.
type visitor struct {
	ctx     context.Context
	frame   web.Frame
	session auth.Session // its zero value: nobody is signed in
	token   string       // of the session
	origin  auth.Origin
	arrived time.Time
	bought  billing.Row // what is known of the subscription, where plans are sold
}

// signedIn tells whether somebody is.
func (v *visitor) signedIn() bool { return v.session.Account != 0 }

// handler answers one request for a page.
type handler func(c *fiber.Ctx, v *visitor) error

// open serves a page to anybody.
func (p *Portal) open(h handler) fiber.Handler { return p.openOr(nil, h) }

// openOr answers with stale, when it is given, a form of ours whose session is not that of its page any more.
func (p *Portal) openOr(stale fiber.Handler, h handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		defer keepOpener(c)
		ctx, cancel := context.WithTimeout(c.UserContext(), pageTimeout)
		defer cancel()
		v, err := p.visitor(ctx, c)
		if err != nil {
			return p.fault(c, v, err)
		}
		v.frame.Next = nextOf(c)
		if err := p.checkCSRF(c, v); err != nil {
			if stale != nil && errors.Is(err, errStale) {
				return stale(c)
			}
			return p.fault(c, v, err)
		}
		c.Set(fiber.HeaderCacheControl, "no-store")
		if err := h(c, v); err != nil {
			return p.fault(c, v, err)
		}
		return nil
	}
}

// members serves a page to whoever is signed in, and sends others to sign in first.
func (p *Portal) members(h handler) fiber.Handler {
	return p.open(func(c *fiber.Ctx, v *visitor) error {
		if !v.signedIn() {
			return p.askToSignIn(c, v)
		}
		if err := p.readPlan(v); err != nil {
			return err
		}
		return h(c, v)
	})
}

// recent serves a page to whoever has proved lately who they are, and asks others for their password or provider.
func (p *Portal) recent(within time.Duration, h handler) fiber.Handler {
	return p.members(func(c *fiber.Ctx, v *visitor) error {
		if !v.session.Recent(p.now(), within) {
			return redirect(c, "/account/verify?next="+escape(returnPath(c)))
		}
		return h(c, v)
	})
}

func (p *Portal) askToSignIn(c *fiber.Ctx, v *visitor) error {
	return redirect(c, "/signin?next="+escape(returnPath(c)))
}

// returnPath is where to come back to: this page, or the one whose form was sent.
func returnPath(c *fiber.Ctx) string {
	if c.Method() == fiber.MethodGet {
		return strings.Clone(c.OriginalURL())
	}
	return localPath(c.Get(fiber.HeaderReferer), "/account", c.Hostname())
}
