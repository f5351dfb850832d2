// Package portal serves what people see of their account: signing up and in, keys, usage, settings. It
// promises that every page works without JavaScript, that no GET changes anything, that a form which came
// from elsewhere is rejected, and that what belongs to another account does not exist. Each folder holds the
// pages of one subject, handlers and templates; pages holds what they share, view the shared components.
package portal

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/auth/apikey"
	"arpent/auth/social"
	"arpent/billing/meter"
	"arpent/internal/fault"
	"arpent/internal/ident"
	"arpent/portal/admin"
	"arpent/portal/keys"
	"arpent/portal/pages"
	"arpent/portal/plan"
	"arpent/portal/security"
	"arpent/portal/settings"
	"arpent/portal/signin"
	"arpent/web"
	"arpent/web/reference"
)

// Options are the parameters of New.
type Options struct {
	pages.Options
	// has this process accept a new key at once; nil: it is notified
	RefreshKeys func(context.Context, ident.AccountID) error
	// LiveKey returns a key of an account, or apikey.ErrInvalid when it has no such key or that has ended;
	// nil: a key cannot be tried on its page.
	LiveKey   func(context.Context, ident.AccountID, ident.KeyID) (*apikey.Entry, error)
	Social    *social.Social
	API       *api.Server      // makes the calls of the console of the reference and of the pages of keys
	Reference *reference.Pages // whose pages have the console; nil: there is none
	Meter     *meter.Meter
	// Assistants reads and approves authorization requests; nil: no assistant can be connected.
	Assistants signin.Assistants
	// Connections lists the connected assistants of an account; nil: only the names of their keys are known.
	Connections keys.Connections
	// PaymentOrigins are the origins of the payment pages; nil: Stripe's.
	PaymentOrigins []string
	// Operation serves the pages for operators, of whom pages.Options names the addresses. Its
	// Server is set here; nil: there are none.
	Operation *admin.Pages
}

// Portal serves the pages.
type Portal struct {
	*pages.Server
	signin   *signin.Pages
	keys     *keys.Pages
	tokens   *keys.TokenPages
	webhooks *keys.WebhookPages
	usage    *plan.UsagePages
	plan     *plan.Pages
	settings *settings.Pages
	company  *settings.OrganisationPages
	security *security.Pages
	console  *keys.Console // nil: there is none
	admin    *admin.Pages  // nil: there are no operators
	app      *fiber.App
	routes   []Route
}

// New returns the portal.
func New(o Options) *Portal {
	s := pages.New(o.Options)
	p := &Portal{Server: s}
	p.usage = &plan.UsagePages{Server: s, Meter: o.Meter}
	p.signin = &signin.Pages{Server: s, Social: o.Social, Targets: o.Social.FormTargets(),
		Assistants: o.Assistants, Usage: p.usage}
	p.keys = &keys.Pages{Server: s, Refresh: o.RefreshKeys, API: o.API, LiveKey: o.LiveKey,
		Connections: o.Connections}
	p.tokens = &keys.TokenPages{Server: s}
	p.webhooks = &keys.WebhookPages{Server: s}
	p.plan = &plan.Pages{Server: s, Targets: plan.StripeOrigins}
	if o.PaymentOrigins != nil {
		p.plan.Targets = o.PaymentOrigins
	}
	p.settings = &settings.Pages{Server: s}
	p.company = &settings.OrganisationPages{Server: s}
	if o.Reference != nil {
		p.console = keys.NewConsole(s, o.API, o.Reference)
	}
	if o.Operation != nil && len(o.Operators) > 0 {
		p.admin = o.Operation
		p.admin.Server, p.admin.SignIn = s, p.signin
	}
	p.security = &security.Pages{Server: s, SignIn: p.signin, KeyPages: p.keys}
	return p
}

// Missing answers a request that no route matches: with a page for a
// browser, with the error of the API for a program.
func (p *Portal) Missing(c *fiber.Ctx) error {
	web.Guard(c)
	reads := c.Method() == fiber.MethodGet && strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMETextHTML)
	if !reads {
		return c.Next()
	}
	return p.Open(func(*fiber.Ctx, *pages.Visitor) error {
		return fault.Missing("There is nothing at this path.")
	})(c)
}
