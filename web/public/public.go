// Package public serves the public pages: the service, the loaded data, each error code, and
// each key of the answers. The pages need no script, no cookie and no third party, and they
// say so when the served data are synthetic.
package public

import (
	"context"
	"html/template"
	"net/netip"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"arpent/billing"
	"arpent/web"
	"arpent/web/landing"
	"arpent/web/reference"
)

// Options are the parameters of New.
type Options struct {
	Site       *web.Site
	Plans      []billing.Plan
	Report     []ReportKey
	Statistics []StatisticsLevel
	Methods    reference.MethodValues
	PaidPlans  bool // people can subscribe to a plan here
	// YearlyPrices gives what the plans that are sold by the year cost a year, in cents, by their names; nil:
	// none is.
	YearlyPrices func(context.Context) map[string]int64
	// ReservePrice gives what 1 000 requests beyond the quota cost, in cents; nil or 0: none are sold.
	ReservePrice func(context.Context) int64
	// Finder finds the parcels of the first page, for clients whose address
	// Client gives; nil: it shows no reports.
	Finder *landing.Finder
	Client func(*fiber.Ctx) netip.Addr
	// Suggest is the path that suggests addresses while one is typed; empty: none are suggested.
	Suggest string
}

// ReportKey is one key of the report of a parcel, as its page explains it. Layers are what it is made from.
type ReportKey struct {
	Group, Name, Doc string
	Layers           []string
}

// Pages are the public pages.
type Pages struct {
	o          Options
	statistics web.Kept[int, [2]web.Lang, template.HTML] // the content of their page
}

// New returns the pages.
func New(o Options) *Pages { return &Pages{o: o} }

// Register adds the pages to the server.
func (p *Pages) Register(app *fiber.App) {
	p.o.Site.Register(app)
	layers := map[string][]string{}
	for _, k := range p.o.Report {
		layers[k.Name] = k.Layers
	}
	landing.New(landing.Options{Site: p.o.Site, Plans: p.o.Plans, Layers: layers, Finder: p.o.Finder,
		Client: p.o.Client, Suggest: p.o.Suggest}).Register(app)
	p.o.Site.Publish(publications...)
	app.Get("/pricing", p.page(pricing))
	app.Get("/sources", p.page(sources))
	app.Get("/methods", func(c *fiber.Ctx) error {
		return web.Send(c, reference.MethodsPage(p.o.Site.Frame(c), p.o.Methods))
	})
	app.Get("/connect", p.page(connect))
	app.Get("/llms.txt", func(c *fiber.Ctx) error { // a short description for programs that read text
		c.Set(fiber.HeaderContentType, "text/plain; charset=utf-8")
		web.Guard(c)
		return c.SendString(llmsText(p.newView(c)))
	})
	app.Get("/docs/errors", p.page(errorReference))
	app.Get("/docs/report", p.page(reportReference))
	app.Get("/docs/statistics", p.serveStatistics)
}

// Documents are the pages of this package that belong to the documentation, in the language of the frame.
func (p *Pages) Documents(f web.Frame) []web.Document {
	v := view{Frame: f, status: p.o.Site.Status(), options: p.o}
	return []web.Document{{Path: "/docs/errors", Body: errorReference(v)},
		{Path: "/docs/report", Body: reportReference(v)}, {Path: "/docs/statistics", Body: statisticsReference(v,
			statisticsContent(v))},
		{Path: "/methods", Body: reference.MethodsPage(f, p.o.Methods)}, {Path: "/connect", Body: connect(v)}}
}

// Summary returns the text of /llms.txt.
func (p *Pages) Summary(f web.Frame) string {
	return llmsText(view{Frame: f, status: p.o.Site.Status(), options: p.o})
}

// yearlyPrices are those of the plans that can be bought for a year.
func (v view) yearlyPrices(ctx context.Context) map[string]int64 {
	if v.options.YearlyPrices == nil {
		return nil
	}
	return v.options.YearlyPrices(ctx)
}

// reservePrice is what 1 000 requests beyond the quota cost, in cents; 0: none are sold.
func (v view) reservePrice(ctx context.Context) int64 {
	if v.options.ReservePrice == nil {
		return 0
	}
	return v.options.ReservePrice(ctx)
}

// view is the data of a page.
type view struct {
	web.Frame
	status  web.Status
	options Options
}

func (p *Pages) newView(c *fiber.Ctx) view {
	return view{Frame: p.o.Site.Frame(c), status: p.o.Site.Status(), options: p.o}
}

// serveStatistics serves the page on statistics. It describes hundreds of members, so its content is kept,
// also for readers with a session.
func (p *Pages) serveStatistics(c *fiber.Ctx) error {
	return p.o.Site.SendKept(c, func(f web.Frame) templ.Component {
		v := view{Frame: f, status: p.o.Site.Status(), options: p.o}
		languages := [2]web.Lang{f.Lang, f.Asked()}
		content, err := p.statistics.Get(v.status.Edition, languages, func() (template.HTML, error) {
			return templ.ToGoHTML(context.Background(), statisticsContent(v))
		})
		return statisticsReference(v, templ.Raw(content, err))
	})
}

// page serves a page in the language of the reader.
func (p *Pages) page(body func(view) templ.Component) fiber.Handler {
	return func(c *fiber.Ctx) error { return web.Send(c, body(p.newView(c))) }
}
