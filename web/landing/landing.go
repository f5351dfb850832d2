// Package landing serves the first page: what the service is for, an address box that leads to the explorer,
// and the report of one parcel as a person reads it next to the call that gives it. It needs no script, no
// key and no count, and a failure of what it shows is a sentence on it, never an error in its place.
package landing

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/billing"
	"arpent/web"
)

// Options are the parameters of New.
type Options struct {
	Site   *web.Site
	Plans  []billing.Plan
	Layers map[string][]string // what each key of the report is made from
	Finder *Finder             // nil: the page shows the parcels without their reports
	Client func(*fiber.Ctx) netip.Addr
	// Suggest is the path that suggests addresses while one is typed; empty: none are suggested.
	Suggest string
}

// Pages is the first page.
type Pages struct{ o Options }

// New returns the page.
func New(o Options) *Pages { return &Pages{o} }

// Register adds the page to the server.
func (p *Pages) Register(app *fiber.App) {
	p.o.Site.Publish(publication)
	app.Get("/", p.servePage)
}

var publication = web.Publication{Path: "/", Description: [2]string{
	"Une adresse, et tout ce qui est public sur sa parcelle, en un appel\u00a0: risques, urbanisme, ventes, écoles, réseaux. Chaque chiffre avec sa source et son année.",
	"One address in, everything public about its parcel out, in one call: risks, planning, sales, schools, networks. Each figure with its source and year."}}

// view is the data of the page.
type view struct {
	web.Frame
	status  web.Status
	plans   []billing.Plan
	layers  map[string][]string
	reports bool   // it shows reports
	suggest string // the option
	example *Found
	found   *Found           // the example, or what was asked for
	sheet   *web.Sheet       // nil: no parcels to draw
	chosen  *web.SheetParcel // on it
	trouble *trouble         // why what was asked for is not shown
}

// The parameters of the page. Links with an address are of a former version.
const (
	parcelParam  = "parcelle"
	addressParam = "adresse"
)

func (p *Pages) servePage(c *fiber.Ctx) error {
	if asked := c.Query(addressParam); asked != "" && c.Query(parcelParam) == "" {
		web.Guard(c)
		return c.Redirect(addressLink(view{Frame: p.o.Site.Frame(c)}, asked))
	}
	v := view{Frame: p.o.Site.Frame(c), status: p.o.Site.Status(), plans: p.o.Plans, layers: p.o.Layers,
		reports: p.o.Finder != nil, suggest: p.o.Suggest}
	v.sheet = v.status.Sheet
	if v.reports {
		v.example = p.o.Finder.Example()
		v.found = v.example
	}
	idu := strings.Clone(c.Query(parcelParam)) // it outlives the request
	if idu != "" {
		// Search engines get the one page: the others answer one visitor's request, and
		// sales must not be found through them.
		c.Set("X-Robots-Tag", "noindex")
		c.Set(fiber.HeaderCacheControl, "no-store")
		p.findParcel(c, &v, idu)
	}
	if v.example != nil {
		v.sheet = v.example.Sheet
	}
	if v.found != nil && v.sheet != nil {
		v.chosen = v.sheet.Find(v.found.Parcel.IDU)
	} else if v.sheet != nil {
		v.chosen = v.sheet.Choose(idu)
	}
	return web.Send(c, page(v))
}

// findParcel looks for what a visitor asked for. What cannot be shown leaves the example, and a sentence.
func (p *Pages) findParcel(c *fiber.Ctx, v *view, idu string) {
	if !v.reports {
		return
	}
	found, err := p.o.Finder.Find(c.UserContext(), idu, p.o.Client(c))
	if err == nil {
		v.found = found
		return
	}
	v.trouble = describeError(v.Lang, err)
	c.Status(v.trouble.status)
	if limited, ok := errors.AsType[*Limited](err); ok {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(retrySeconds(limited.Wait)))
	}
}

// producerNames returns the producers of the loaded data, each once. A data set may have several, and a
// department of a ministry stands for the ministry.
func (v view) producerNames() string {
	isSeparator := func(r rune) bool { return strings.ContainsRune(";,/", r) }
	split := strings.NewReplacer(" et ", "; ", "'", "’")
	var names []string
	for _, s := range v.status.Sources {
		for name := range strings.FieldsFuncSeq(split.Replace(s.Producer), isSeparator) {
			if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(names, func(other string) bool { return strings.HasPrefix(other, name+" (") })
	})
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
	return strings.Join(names, ", ") + "."
}
