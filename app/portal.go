package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/api/topic"
	"arpent/app/base/clock"
	"arpent/app/base/config"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/auth/social"
	"arpent/billing"
	"arpent/mcp"
	"arpent/portal"
	"arpent/web"
)

// accounts is what people reach their account with: the pages, the mails they get, and the work behind both.
type accounts struct {
	jobs       *jobs
	pages      *web.Pages
	portal     *portal.Portal
	assistants *assistant.Server
	tools      *mcp.Server
}

func (a *App) newAccounts(ctx context.Context, server *api.Server) (*accounts, error) {
	c := a.in.Config
	keys, err := serverSecrets(c)
	if err != nil {
		return nil, err
	}
	paid, err := NewBilling(c, a.in.Pool, clock.Real{})
	if err == nil {
		err = checkPrices(ctx, paid)
	}
	if err != nil {
		return nil, err
	}
	var service *auth.Service // it sends mails, whose links it makes
	out := &accounts{}
	out.jobs, err = newJobs(ctx, jobsOptions{Config: c, Pool: a.in.Pool, Clock: clock.Real{}, Billing: paid,
		LinkToken: func(ctx context.Context, purpose string, id int64) (string, error) {
			return service.LinkToken(ctx, purpose, id)
		},
		Clean: func(ctx context.Context) error {
			return errors.Join(service.Clean(ctx), out.assistants.Clean(ctx))
		}})
	if err != nil {
		return nil, fmt.Errorf("prepare the background work: %w", err)
	}
	service = auth.New(auth.Options{DB: a.in.Pool, Clock: clock.Real{}, Mail: out.jobs.outbox, Secret: keys.current(), Former: keys.former(), MailDown: out.jobs.mailDown,
		Name: c.ServiceName, BeforeDelete: paid.BeforeDelete})
	out.assistants = a.newAssistants(server, out.jobs.outbox)
	out.tools = a.newTools(server, out.assistants)
	providers, err := social.New(social.Options{BaseURL: c.BaseURL, Secret: keys.current(), Former: keys.former(), Clock: clock.Real{}, Providers: providers(c)})
	if err != nil {
		return nil, fmt.Errorf("prepare third-party sign-in: %w", err)
	}
	forgery := portal.ForgeryKey(keys.current())
	out.pages = web.New(web.Options{ServiceName: c.ServiceName, BaseURL: c.BaseURL, Contact: c.ContactEmail, Plans: billing.Plans(),
		Operations: documented(), Report: reportKeys(), Statistics: statisticsKeys(), Methods: methodsInUse(), Status: a.status.get, Accounts: true, PaidPlans: paid.Sells(),
		CSRFToken: func(session string) string { return portal.ForgeryToken(forgery, session, clock.Real{}.Now()) }})
	options := portal.Options{Pages: out.pages, Auth: service, Keys: apikey.NewStore(a.in.Pool, clock.Real{}), Learn: a.keys.Refresh,
		Social: providers, Meter: a.meter, Mail: out.jobs.outbox, DB: a.in.Pool, Clock: clock.Real{}, Secret: keys.current(), Former: keys.former(), BaseURL: c.BaseURL,
		Assistants: out.assistants, Connections: out.assistants, MailDown: out.jobs.mailDown, Client: server.ClientAddress, Billing: paid, EventRefused: countRefused(a.registry)}
	if paid.Sells() {
		registerBilling(a.registry, paid)
	}
	if c.StripeURL != "" {
		options.PaymentOrigins = []string{c.StripeURL}
	}
	out.portal = portal.New(options)
	return out, nil
}

func (x *accounts) register(app *fiber.App, traffic *api.Traffic) {
	x.pages.Register(app)
	if x.jobs.devMail != nil {
		x.jobs.devMail.Register(app)
	}
	for _, path := range []string{"/.well-known", "/oauth", mcp.Path} {
		app.Use(path, inert)
	}
	x.assistants.Register(app)
	x.tools.Register(app)
	x.portal.Register(app)
	app.Use(traffic.Unmatched, x.portal.Missing)
}

// providers are the third parties that are configured.
func providers(c config.Config) []social.ProviderConfig {
	var out []social.ProviderConfig
	for _, p := range []struct {
		name, label string
		config      config.Provider
	}{
		{"google", "Google", c.Google}, {"github", "GitHub", c.GitHub}, {"microsoft", "Microsoft", c.Microsoft},
		{"gitlab", "GitLab", c.GitLab}, {"oidc", c.OIDC.Name, c.OIDC},
	} {
		if p.config.On() {
			out = append(out, social.ProviderConfig{Name: p.name, Label: p.label, ClientID: p.config.ClientID,
				ClientSecret: p.config.ClientSecret.Reveal(), Issuer: p.config.Issuer, PKCE: p.config.PKCE})
		}
	}
	return out
}

// reportKeys are the keys of the report as their page explains them.
func reportKeys() []web.ReportKey {
	var out []web.ReportKey
	for _, k := range topic.Report().Keys() {
		out = append(out, web.ReportKey{Group: string(k.Group), Name: k.Name, Doc: k.Doc, Layers: k.Layers})
	}
	return out
}

// documented is the operations table as the pages list it.
func documented() []web.Operation {
	var out []web.Operation
	for _, op := range api.Operations() {
		out = append(out, web.Operation{Path: api.Root + op.Path, Summary: op.Summary})
	}
	return out
}
