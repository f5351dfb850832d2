package app

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"arpent/api"
	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/auth/assistant"
	"arpent/auth/management"
	"arpent/auth/passkey"
	"arpent/auth/policy"
	"arpent/auth/social"
	"arpent/auth/webhook"
	"arpent/billing"
	"arpent/internal/clock"
	"arpent/internal/config"
	"arpent/internal/mail"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/topic"
	"arpent/internal/pgdb"
	"arpent/mcp"
	"arpent/portal"
	"arpent/portal/accountapi"
	"arpent/portal/admin"
	"arpent/portal/pages"
	"arpent/web"
	"arpent/web/explore"
	"arpent/web/guide"
	"arpent/web/landing"
	"arpent/web/legal"
	"arpent/web/public"
	"arpent/web/reference"
	"arpent/web/status"
)

// accounts is what people reach their account with: the pages, the mails they get, and the work behind both.
type accounts struct {
	jobs       *jobs
	mailing    mailing
	pages      *public.Pages
	guide      *guide.Pages
	reference  *reference.Pages
	search     *reference.SearchPages
	coverage   *status.CoveragePages
	explore    *explore.Pages
	uptime     *status.Pages
	legal      *legal.Pages
	portal     *portal.Portal
	assistants *assistant.Server
	tools      *mcp.Server
	webhook    *billing.Webhook
	programs   *accountapi.Server
}

func (a *App) newAccounts(ctx context.Context, server *api.Server) (*accounts, error) {
	c := a.in.Config
	secrets, err := serverSecrets(c)
	if err != nil {
		return nil, err
	}
	paid := NewBilling(c, a.in.Pool, clock.Real{})
	// Neither a key that Stripe refuses nor a wrong price keeps the service from starting: selling stops, the
	// operator is notified, and everything else serves.
	if err := paid.CheckSelling(ctx); err != nil {
		slog.WarnContext(ctx, "prices at stripe not checked", "error", err)
	}
	if _, err := paid.YearlyPrices(ctx); err != nil {
		slog.WarnContext(ctx, "yearly prices at stripe not read", "error", err)
	}
	out := &accounts{}
	if out.mailing, err = newMailing(c); err != nil {
		return nil, fmt.Errorf("prepare the mails: %w", err)
	}
	passkeys, err := passkey.New(c.BaseURL, c.ServiceName)
	if err != nil {
		return nil, err
	}
	service := auth.New(auth.Options{DB: a.in.Pool, Clock: clock.Real{}, Secret: secrets.current(),
		Former: secrets.former(), Passkeys: passkeys,
		Name: c.ServiceName, BeforeDelete: paid.BeforeDelete, AfterEmailChange: paid.AfterEmailChange})
	normalizeAddresses(ctx, auth.NewAccounts(a.in.Pool, clock.Real{}), paid)
	a.in.Metrics.MustRegister(prometheus.NewCounterFunc(
		prometheus.CounterOpts{Name: "arpent_mail_requests_total",
			Help: "Requests of anonymous clients that may cause a mail."},
		func() float64 { return float64(service.MailRequests()) }))
	out.assistants = assistant.New(assistant.Options{DB: a.in.Pool, Clock: clock.Real{}, Index: a.keys,
		BaseURL: c.BaseURL, ServiceName: c.ServiceName, ClientDocuments: c.ClientDocuments,
		Client: server.ClientAddress})
	out.tools = a.newTools(server, out.assistants)
	store := apikey.NewStore(a.in.Pool, clock.Real{})
	hooks := webhook.NewStore(a.in.Pool, clock.Real{}, secrets.current(), secrets.former())
	programTokens := management.NewStore(a.in.Pool, clock.Real{})
	factors := policy.NewFactors(a.in.Pool, clock.Real{}, service.OffersPasskeys())
	domains := policy.NewDomains(a.in.Pool, clock.Real{}, net.DefaultResolver)
	mailer := mail.NewWorker(mail.WorkerOptions{Sender: out.mailing.sender, BaseURL: c.BaseURL,
		ServiceName: c.ServiceName, Contact: c.ContactEmail, OIDCName: c.OIDC.Name,
		Token: service.LinkToken, Clock: clock.Real{}})
	update, err := updateJobs(c, a.in.Program)
	if err != nil {
		return nil, err
	}
	out.jobs, err = newJobs(a.in.Pool, c.DatabaseConns, 0,
		slices.Concat(mailer.Jobs(), service.Jobs(), store.Jobs(), out.assistants.Jobs(), a.meter.Jobs(),
			paid.Jobs(), webhook.NewWorker(hooks).Jobs(), programTokens.Jobs(), factors.Jobs(), domains.Jobs(), update)...)
	if err != nil {
		return nil, err
	}
	providers, err := social.New(social.Options{BaseURL: c.BaseURL, Secret: secrets.current(),
		Former: secrets.former(), Clock: clock.Real{}, Providers: configuredProviders(c)})
	if err != nil {
		return nil, fmt.Errorf("prepare third-party sign-in: %w", err)
	}
	a.finder = landing.NewFinder(clock.Real{}, landing.Calls{Admit: server.AdmitPreview, Run: server.Preview,
		Around: a.status.sheetAround, Sheet: func() *web.Sheet { return a.status.currentStatus().Sheet }})
	csrfKey := pages.CSRFKey(secrets.current())
	site := web.New(web.Options{ServiceName: c.ServiceName, BaseURL: c.BaseURL, Contact: c.ContactEmail,
		Status: a.status.currentStatus, Speed: a.measuredSpeed,
		Accounts: true, CSRFToken: func(session string) string {
			return pages.CSRFToken(csrfKey, session, clock.Real{}.Now())
		}})
	out.pages = public.New(public.Options{Site: site, Plans: billing.Plans(), Report: reportKeys(),
		Statistics: statisticsKeys(),
		Methods:    methodValues(), PaidPlans: paid.SellsTo(false), YearlyPrices: yearlyPrices(paid), ReservePrice: reservePrice(paid),
		Finder: a.finder, Client: server.ClientAddress,
		Suggest: explore.SuggestPath})
	out.guide = guide.New(guide.Options{Site: site, Plans: billing.Plans()})
	out.reference = reference.New(reference.Options{Site: site, BaseURL: c.BaseURL,
		Document: api.Describe(c.ServiceName, c.BaseURL), Sources: fieldSources()})
	out.coverage = status.NewCoverage(status.CoverageOptions{Site: site, Current: a.coverage.Current})
	out.explore = a.newExplorer(site, server)
	out.uptime = a.statusPages(site)
	out.search = reference.NewSearch(reference.SearchOptions{Site: site, Summary: out.pages.Summary,
		Reference: out.reference.Markdown, Documents: func(f web.Frame) []web.Document {
			return slices.Concat(out.guide.Documents(f), out.pages.Documents(f), out.reference.Documents(f))
		}})
	out.legal = newLegal(c, site, paid.SellsTo(false))
	options := portal.Options{Options: pages.Options{Site: site, Auth: service, Keys: store,
		Tokens: programTokens, Webhooks: hooks, Factors: factors, Domains: domains, Billing: paid,
		DB:    a.in.Pool,
		Clock: clock.Real{}, Secret: secrets.current(), Former: secrets.former(), BaseURL: c.BaseURL,
		MailDown:  out.mailing.down,
		Operators: c.Operators, Client: server.ClientAddress},
		API: server, Reference: out.reference, RefreshKeys: a.keys.Refresh, LiveKey: a.keys.Of, Social: providers,
		Meter:      a.meter,
		Assistants: out.assistants, Connections: out.assistants}
	out.programs = accountapi.New(accountapi.Options{API: server, Tokens: options.Tokens, Keys: store,
		Accounts: auth.NewAccounts(a.in.Pool, clock.Real{}), Meter: a.meter, DB: a.in.Pool, Clock: clock.Real{},
		BaseURL: c.BaseURL, ServiceName: c.ServiceName})
	out.webhook = &billing.Webhook{Service: paid, Rejected: countRefused(a.in.Metrics)}
	if paid.Sells() {
		registerBilling(a.in.Metrics, paid)
	}
	if c.StripeURL != "" {
		options.PaymentOrigins = []string{c.StripeURL}
	}
	if options.Operation, err = a.operatorPages(); err != nil {
		return nil, err
	}
	out.portal = portal.New(options)
	return out, nil
}

// CheckSignIn asks the configured providers of sign-in for their description, and returns what is wrong by
// the name of each.
func CheckSignIn(ctx context.Context, c config.Config) (map[string]error, error) {
	s, err := social.New(social.Options{BaseURL: c.BaseURL, Secret: make([]byte, 32), Clock: clock.Real{},
		Providers: configuredProviders(c)})
	if err != nil {
		return nil, err
	}
	return s.Check(ctx), nil
}

// operatorPages returns the functions of the pages for operators, those of the command line.
func (a *App) operatorPages() (*admin.Pages, error) {
	mails, err := mail.NewQueue(a.in.Pool, pgdb.JobSchema)
	if err != nil {
		return nil, err
	}
	loader := ingest.New(ingest.Options{DB: a.in.Pool, Catalogue: topic.Sources(), Box: config.Box(),
		DataDir: a.in.Config.DataDir, StateDir: a.in.Config.StateDir})
	return &admin.Pages{Accounts: auth.NewAccounts(a.in.Pool, clock.Real{}), Mails: mails,
		Sources: loader.Sources}, nil
}

func (x *accounts) registerPages(app *fiber.App, traffic *api.Traffic) {
	x.pages.Register(app)
	x.guide.Register(app)
	x.reference.Register(app)
	x.search.Register(app)
	x.coverage.Register(app)
	x.explore.Register(app)
	x.uptime.Register(app)
	x.legal.Register(app)
	if x.mailing.dev != nil {
		x.mailing.dev.Register(app)
	}
	for _, path := range []string{"/.well-known", "/oauth", mcp.Path} {
		app.Use(path, func(c *fiber.Ctx) error { programHeaders(c); return c.Next() })
	}
	x.assistants.Register(app)
	x.tools.Register(app)
	x.webhook.Register(app)
	x.programs.Register(app)
	x.portal.Register(app)
	app.Use(traffic.Unmatched, x.portal.Missing)
}

// configuredProviders are the third parties that are configured.
func configuredProviders(c config.Config) []social.ProviderConfig {
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
func reportKeys() []public.ReportKey {
	var out []public.ReportKey
	for _, k := range topic.Report().Keys() {
		out = append(out, public.ReportKey{Group: string(k.Group), Name: k.Name, Doc: k.Doc, Layers: k.Layers})
	}
	return out
}

// yearlyPrices gives the public pages what can be bought for a year; nothing while Stripe has not said what
// it costs.
func yearlyPrices(b *billing.Service) func(context.Context) map[string]int64 {
	return func(ctx context.Context) map[string]int64 {
		if !b.SellsTo(false) {
			return nil
		}
		cents, _ := b.YearlyPrices(ctx) // the start and the page of the plan log why there are none
		return cents
	}
}

// reservePrice gives the public pages what 1 000 requests beyond the quota cost, in cents; 0: none are sold,
// or Stripe has not said what they cost.
func reservePrice(b *billing.Service) func(context.Context) int64 {
	return func(ctx context.Context) int64 {
		if !b.SellsTo(false) {
			return 0
		}
		cents, _ := b.PublishedReservePrice(ctx) // the start logs why it is not known
		return cents
	}
}

// newLegal makes the legal pages: the operator says who publishes the
// server, the code how long things are kept.
func newLegal(c config.Config, site *web.Site, paidPlans bool) *legal.Pages {
	p := c.Publisher
	o := legal.Options{Site: site, Clock: clock.Real{}, Plans: billing.Plans(), PaidPlans: paidPlans, YearlyPrices: c.StripeYearlyPrices,
		SellsReserve: c.StripeReservePrice != "",
		Publisher: legal.Publisher{Name: p.Name, Address: p.Address, Phone: p.Phone, Director: p.Director,
			Host: p.Host, Registration: p.Registration, VAT: p.VAT, LogDays: p.LogDays},
		Retention: legal.Retention{Session: auth.SessionLife, SessionMax: auth.SessionMaxLife,
			ConnectionMax: assistant.ConnectionMaxLife, Device: pages.DeviceLife, Language: pages.LanguageLife,
			Unconfirmed: auth.KeepUnconfirmed, Links: auth.KeepLinks, Tries: auth.KeepTries,
			Rejections: auth.KeepRejections, Hours: auth.KeepHours, Requests: auth.KeepRequests,
			Tokens: auth.KeepTokens, Deliveries: webhook.KeepDeliveries, Joining: auth.KeepJoining,
			Personal: auth.KeepPersonal, MailDone: jobDoneKept, MailFailed: jobFailedKept,
			Connection: assistant.RefreshLife, PaymentEvents: billing.EventsKept, Grace: billing.Grace}}
	for _, provider := range configuredProviders(c) {
		o.Providers = append(o.Providers, provider.Label)
	}
	return legal.New(o)
}

// addressesTimeout bounds the change of addresses at the start, which goes on at the next one.
const addressesTimeout = 30 * time.Second

// normalizeAddresses brings the addresses that were stored by an earlier version to the form in which they
// are compared. What cannot be brought to it is in the log, without the address, and in arpent doctor with
// it.
func normalizeAddresses(ctx context.Context, accounts *auth.Accounts, paid *billing.Service) {
	ctx, cancel := context.WithTimeout(ctx, addressesTimeout)
	defer cancel()
	changed, faults, err := accounts.NormalizeAddresses(ctx, paid.AfterEmailChange)
	if err != nil {
		slog.WarnContext(ctx, "addresses of accounts not normalized", "error", err)
	}
	if changed > 0 {
		slog.InfoContext(ctx, "addresses of accounts normalized", "accounts", changed)
	}
	for _, f := range faults {
		slog.ErrorContext(ctx, "address of an account cannot be normalized", "account", int64(f.Account), "same_as",
			f.Same,
			"way_out", "arpent doctor shows the address, arpent account address sets another one")
	}
}
