package status

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"arpent/api/coverage"
	"arpent/web"
)

// CoveragePath is that of the page; a département is below it, by its code.
const CoveragePath = "/coverage"

// CoverageOptions are the parameters of NewCoverage.
type CoverageOptions struct {
	Site    *web.Site
	Current func() *coverage.Served // nil: not counted yet
}

// CoveragePages are the page on which parts of France a server holds, a page for each département, and the
// same as JSON for programs. Nothing is counted for a request: they show what was counted after the last
// load.
type CoveragePages struct{ o CoverageOptions }

// NewCoverage returns the pages.
func NewCoverage(o CoverageOptions) *CoveragePages { return &CoveragePages{o} }

// Register adds the pages to the server.
func (p *CoveragePages) Register(app *fiber.App) {
	p.o.Site.Publish(coveragePublication)
	app.Get(CoveragePath, p.serveCountry)
	app.Get(CoveragePath+".json", p.serveDocument)
	app.Get(CoveragePath+"/:code", p.serveDepartement)
}

var coveragePublication = web.Publication{Path: CoveragePath, Description: [2]string{
	"Ce que ce serveur a chargé, département par département : parcelles, adresses, ventes et chaque clé, avec parts et millésimes, sur une carte et en tableau.",
	"What this server has loaded, département by département: parcels, addresses, sales and each key, with shares and vintages, on a map and as a table."}}

// coverageView is the data of a page.
type coverageView struct {
	web.Frame
	held  *coverage.Served
	shown subject
	of    *coverage.Departement // of its own page; nil: the country's
}

func (p *CoveragePages) newView(c *fiber.Ctx) coverageView {
	return coverageView{Frame: p.o.Site.Frame(c), held: p.o.Current(), shown: findSubject(c.Query("show"))}
}

func (p *CoveragePages) serveCountry(c *fiber.Ctx) error { return web.Send(c, country(p.newView(c))) }

func (p *CoveragePages) serveDepartement(c *fiber.Ctx) error {
	v := p.newView(c)
	code, asJSON := strings.CutSuffix(c.Params("code"), ".json")
	if v.held == nil {
		if asJSON {
			return sendNotCounted(c)
		}
		return web.Send(c, country(v))
	}
	if asJSON {
		if body, there := v.held.Of[code]; there {
			return sendBody(c, body)
		}
		return c.Next()
	}
	if v.of = v.held.Find(code); v.of == nil {
		return c.Next()
	}
	return web.Send(c, departement(v))
}

// serveDocument serves all that was counted.
func (p *CoveragePages) serveDocument(c *fiber.Ctx) error {
	held := p.o.Current()
	if held == nil {
		return sendNotCounted(c)
	}
	return sendBody(c, held.Whole)
}

// sendBody sends a document that was made when it was counted. Any page may
// read it: it is public, and holds no secret.
func sendBody(c *fiber.Ctx, body coverage.Body) error {
	web.Guard(c)
	c.Set(fiber.HeaderCacheControl, "public, max-age=300")
	c.Set(fiber.HeaderETag, "W/"+body.Tag) // the bytes may be compressed on their way
	c.Set(fiber.HeaderAccessControlAllowOrigin, "*")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	if strings.TrimPrefix(c.Get(fiber.HeaderIfNoneMatch), "W/") == body.Tag {
		return c.SendStatus(http.StatusNotModified)
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
	return c.Send(body.JSON)
}

// sendNotCounted answers before the first count, which takes a second after the start.
func sendNotCounted(c *fiber.Ctx) error {
	web.Guard(c)
	c.Set(fiber.HeaderRetryAfter, "5")
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.Status(http.StatusServiceUnavailable).JSON(fiber.Map{"error": fiber.Map{"code": "unavailable",
		"message": "The coverage is not counted yet. Try again in some seconds.", "documentation": CoveragePath}})
}

// subject is what the map shows.
type subject struct {
	name            string
	french, english string
}

var subjects = []subject{
	{coverage.Parcels, "Parcelles", "Parcels"}, {coverage.Addresses, "Adresses", "Addresses"}, {coverage.Sales,
		"Ventes", "Sales"},
	{coverage.Report, "Rapport", "Report"}, {coverage.Statistics, "Statistiques", "Statistics"},
}

func findSubject(name string) subject {
	return subjects[max(0, slices.IndexFunc(subjects, func(s subject) bool { return s.name == name }))]
}

func (s subject) titleText(l web.Lang) string { return l.Pick(s.french, s.english) }

// heldCount is how much there is of a subject: n of of communes, or of keys.
type heldCount struct{ n, some, of int }

// mapLevel is how it is drawn: 0 nothing, 1 less than half, 2 half or more, 3 all.
func (h heldCount) mapLevel() int {
	switch {
	case h.n+h.some == 0:
		return 0
	case h.n == h.of:
		return 3
	case 2*h.n >= h.of:
		return 2
	default:
		return 1
	}
}

// heldOf is how much a département has of a subject: communes of data, else keys that cover all of them.
func (v coverageView) heldOf(d *coverage.Departement, s subject) (out heldCount) {
	if share, there := d.Data[s.name]; there {
		return heldCount{share.Communes, share.Partly, share.Of}
	}
	for i := range v.held.Keys {
		k := &v.held.Keys[i]
		if k.Part != s.name {
			continue
		}
		share := d.Of(k)
		switch {
		case !share.Applies():
			continue
		case s.name == coverage.Statistics && !share.None(), share.Whole(): // a commune without a figure is no gap
			out.n++
		case !share.None():
			out.some++
		}
		out.of++
	}
	return out
}

// heldOfCode is amount by the code of a département.
func (v coverageView) heldOfCode(code string) (name string, amount heldCount) {
	if d := v.held.Find(code); d != nil {
		return d.Name, v.heldOf(d, v.shown)
	}
	return code, heldCount{}
}

// levelCounts counts the départements of each level of the map.
func (v coverageView) levelCounts() []int {
	out := make([]int, 4)
	for i := range v.held.Departements {
		out[v.heldOf(&v.held.Departements[i], v.shown).mapLevel()]++
	}
	return out
}

// subjectLink is the address of the page whose map shows a subject, in the same language.
func (v coverageView) subjectLink(s subject) string {
	return "?show=" + s.name + "&lang=" + string(v.Lang)
}

// hasLocalData reports whether there is more of a département than what is loaded for the whole country.
func hasLocalData(d *coverage.Departement) bool {
	return !d.Data[coverage.Parcels].None() || !d.Data[coverage.Addresses].None() ||
		!d.Data[coverage.Sales].None()
}

// listDepartements lists those of which something local is held, or the others.
func (v coverageView) listDepartements(withData bool) (out []*coverage.Departement) {
	for i := range v.held.Departements {
		if d := &v.held.Departements[i]; hasLocalData(d) == withData {
			out = append(out, d)
		}
	}
	return out
}

// aroundParis are the départements of the inset of the map; the small ones, which it is for, are drawn last.
var aroundParis = []string{"77", "78", "91", "95", "75", "92", "93", "94"}

// overseasCodes are the départements that no map of metropolitan France shows.
func (v coverageView) overseasCodes() (out []string) {
	for _, d := range v.held.Departements {
		if strings.HasPrefix(d.Code, "97") {
			out = append(out, d.Code)
		}
	}
	return out
}

// group is the keys of one group.
type group struct {
	part, name string
	keys       []*coverage.Key
}

// keyGroups lists the keys by group. On the page of a département, what is no key stands above them.
func (v coverageView) keyGroups() (out []group) {
	for i := range v.held.Keys {
		k := &v.held.Keys[i]
		if k.Part == coverage.Data && v.of != nil {
			continue
		}
		at := slices.IndexFunc(out, func(g group) bool { return g.part == k.Part && g.name == k.Group })
		if at < 0 {
			at, out = len(out), append(out, group{part: k.Part, name: k.Group})
		}
		out[at].keys = append(out[at].keys, k)
	}
	return out
}

// shareOf returns the share of the communes for which k is covered, in the territory of the page or in
// France.
func (v coverageView) shareOf(k *coverage.Key) coverage.Share {
	if v.of == nil {
		return k.Share
	}
	return v.of.Of(k)
}

// countCovered counts the keys of a group that cover something.
func (v coverageView) countCovered(g group) (n int) {
	for _, k := range g.keys {
		if !v.shareOf(k).None() {
			n++
		}
	}
	return n
}

func (g group) titleText(l web.Lang) string {
	switch g.part {
	case coverage.Data:
		return l.Pick("Parcelles, adresses, ventes", "Parcels, addresses, sales")
	case coverage.Statistics:
		return l.Pick("Statistiques des communes", "Statistics of communes")
	}
	return web.ReportGroups.Of(l, g.name)
}

// keyLink is where a key is explained.
func keyLink(k *coverage.Key) string {
	switch k.Part {
	case coverage.Data:
		return "/sources"
	case coverage.Statistics:
		return "/docs/statistics#commune-" + k.Name
	}
	return "/docs/report#" + k.Name
}
