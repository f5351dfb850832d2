// Package explore serves the explorer: a map of what a server holds, and next to it a commune
// or a parcel as a person reads it. Every view has an address that can be shared, and is
// whole without the map and without scripts.
//
// It is free, and no way around the plans: a visitor sees a few dozen places at a time, with the report
// of the first page for fewer. See visitEvery.
package explore

import (
	"context"
	"math"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/api/coverage"
	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/api/tile"
	"arpent/internal/budget"
	"arpent/internal/clock"
	"arpent/internal/opendata/source"
	"arpent/web"
	"arpent/web/report"
)

// Path is that of the page.
const Path = "/explore"

// Options are the parameters of New.
type Options struct {
	Site   *web.Site
	Clock  clock.Clock
	Tiles  *tile.Maker
	Layers []source.MapLayer // that the map offers where they are loaded
	// the country drawn small, and where there are parcels; nil while nothing is counted
	Coverage   func() *coverage.Served
	Territory  func() *territory.Snapshot    // nil while none is loaded
	Statistics func() territory.Statistics   // of communes
	Parcels    *parcel.Store                 // by reference and at a point
	Index      func() *parcel.Index          // what is drawn and listed; nil while there is no file
	Addresses  func() *geocode.Index         // nil while there is none
	Report     Reporter                      // makes reports for visitors, within limits of its own
	Client     func(c *fiber.Ctx) netip.Addr // the client's address
}

// Reporter makes the report of a parcel for a client.
type Reporter func(ctx context.Context, idu string, client netip.Addr) (*report.Report, error)

// Pages are the explorer.
type Pages struct {
	o      Options
	visits *budget.Clients
	work   *budget.Shared

	suggest suggestLimits
}

// What looking things up for visitors may cost: a quarter of one processor and of one connection to the
// database in the long run. A search, a commune and a parcel are a visit each, of which one address has 144 a
// day. An evening of curiosity has room in it; a program that reads a département page by page has not. Tiles
// and lists are not counted: they are outlines and references.
const (
	workShare   = 0.25
	workReserve = 20 * time.Second

	visitsAtOnce   = 60
	visitEvery     = 10 * time.Minute
	addressesKnown = 20_000 // clients whose visits are remembered, in some 6 MiB
)

// New returns the explorer.
func New(o Options) *Pages {
	return &Pages{o: o,
		suggest: suggestLimits{
			turns: budget.NewClients(budget.ClientOptions{Clock: o.Clock, Every: suggestEvery, Burst: suggestAtOnce,
				Known: addressesKnown}),
			work: budget.NewShared(budget.Options{Clock: o.Clock, Share: suggestShare, Reserve: suggestReserve})},
		visits: budget.NewClients(budget.ClientOptions{Clock: o.Clock, Every: visitEvery, Burst: visitsAtOnce,
			Known: addressesKnown}),
		work: budget.NewShared(budget.Options{Clock: o.Clock, Share: workShare, Reserve: workReserve})}
}

// Register adds the page and its tiles to the server.
func (p *Pages) Register(app *fiber.App) {
	p.o.Site.Publish(publication)
	app.Get(Path, p.page)
	app.Get(SuggestPath, p.serveSuggestions)
	app.Get(Path+"/tiles/:z/:x/:y", p.serveTile)
	app.Get(Path+"/layers/:layer/:z/:x/:y", p.serveTile)
}

var publication = web.Publication{Path: Path, Description: [2]string{
	"La carte de ce que ce serveur a chargé\u00a0: cherchez une adresse, choisissez une commune ou une parcelle, lisez ce que l’on en sait et l’appel qui le donne.",
	"The map of what this server holds: search for an address, choose a commune or a parcel, read what is known about it and the call that returns it."}}

// page serves what the address asks for: a parcel before a commune, a point before a search.
func (p *Pages) page(c *fiber.Ctx) error {
	v := p.newView(c)
	begun := p.o.Clock.Now()
	switch {
	case c.Query("parcelle") != "":
		p.showParcel(c, &v, c.Query("parcelle"))
	case c.Query("commune") != "":
		p.showCommune(c, &v, c.Query("commune"))
	case c.Query("lat") != "" || c.Query("lon") != "":
		p.showPoint(c, &v)
	case c.Query("q") != "":
		if to := p.searchPlaces(c, &v); to != "" {
			web.Guard(c)
			if layers := c.Query(layersParameter); layers != "" {
				to += "&" + layersParameter + "=" + url.QueryEscape(layers)
			}
			return c.Redirect(v.Link(to))
		}
	}
	if v.plot == nil && v.commune == nil && v.found == nil {
		v.loaded, v.more = p.loadedPlaces()
	}
	v.still = p.drawPicture(v)
	if v.looked {
		p.work.Spend(p.o.Client(c), p.o.Clock.Now().Sub(begun)-v.reporting)
	}
	c.Status(v.status)
	return web.Send(c, page(v))
}

// admitVisitor decides whether something is looked up for a visitor, and says in the view when it is not.
func (p *Pages) admitVisitor(c *fiber.Ctx, v *view) bool {
	wait := p.work.Wait(p.o.Client(c))
	if wait == 0 {
		_, wait = p.visits.Take(p.o.Client(c))
	}
	v.looked = wait == 0
	if !v.looked {
		v.refused, v.status = true, fiber.StatusTooManyRequests
		c.Set(fiber.HeaderRetryAfter, retrySeconds(wait))
	}
	return v.looked
}

// retrySeconds is a duration as Retry-After has it.
func retrySeconds(d time.Duration) string { return strconv.Itoa(max(1, int(math.Ceil(d.Seconds())))) }
