// Package web serves the public pages: the service, the loaded data, how to call the API, and each error code. The pages
// need no script, no cookie and no third party, and they say so when the served data are synthetic. The package has no
// database access: what is loaded is passed in as a value.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"arpent/billing"
)

// Options are the parameters of New.
type Options struct {
	ServiceName string
	BaseURL     string // public address, no trailing slash
	Contact     string // e-mail of the operator; empty: none is shown
	Plans       []billing.Plan
	Report      []ReportKey
	Statistics  []StatisticsLevel
	Methods     Methods
	Status      func() Status // what is served now; called for every page
	Accounts    bool          // people can sign up and sign in here
	PaidPlans   bool          // and subscribe to a plan
	// CSRFToken returns the CSRF token for the forms of a session cookie; empty: nobody is signed in. Nil: the pages have no
	// forms.
	CSRFToken func(session string) string
}

// ReportKey is one key of the report of a parcel, as its page explains it. Layers are what it is made from.
type ReportKey struct {
	Group, Name, Doc string
	Layers           []string
}

// Status is what the server serves now.
type Status struct {
	Demonstration bool
	Communes      int // with an outline
	Parcelles     int
	Sources       []Source
	Layers        []string      // of the report, loaded for any place
	Known         []KnownLevel  // availability of the statistics; empty: none are served yet
	Sheet         *Sheet        // nil: no parcels to draw
	Lookup        time.Duration // median duration of reading one parcel; 0: not measured
}

// Source is a data set that is served.
type Source struct {
	Name                     string // in the catalogue
	Producer, Title, Licence string
	Vintage                  string // date given by the producer; empty: not known
	Rows                     int
	LoadedAt                 time.Time
	Figures                  *Figures // nil: no figures of communes
}

// Figures is the number of communes that a statistics source has values for.
type Figures struct {
	Communes, Of int
	Periods      []string // its periods, oldest first: years, quarters, pairs of years
}

// Pages are the public pages.
type Pages struct {
	o      Options
	assets map[string]asset  // by their name with the hash of the content
	names  map[string]string // address of an asset by its plain name
}

type asset struct {
	body        []byte
	contentType string
}

//go:embed static
var static embed.FS

const (
	// policy restricts a page to what we serve.
	policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; font-src 'self'; " +
		"img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	assetPath = "/assets/"
)

var contentTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8"}

// New returns the pages.
func New(o Options) *Pages {
	p := &Pages{o: o, assets: map[string]asset{}, names: map[string]string{}}
	files, err := fs.ReadDir(static, "static")
	if err != nil {
		panic(err) // the files are embedded
	}
	fonts := []string{}
	for _, f := range files {
		if f.Name() == "app.css" {
			continue
		}
		name, hashed := p.add(f.Name(), nil)
		fonts = append(fonts, name, hashed)
	}
	p.add("app.css", strings.NewReplacer(fonts...))
	return p
}

// add serves a file under a name that contains a hash of its content, so that browsers may cache it for ever.
func (p *Pages) add(name string, names *strings.Replacer) (plain, hashed string) {
	body, err := static.ReadFile(path.Join("static", name))
	if err != nil {
		panic(err) // the files are embedded
	}
	if names != nil {
		body = []byte(names.Replace(string(body)))
	}
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	hashed = strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:5]) + ext
	p.assets[hashed] = asset{body, contentTypes[ext]}
	p.names[name] = assetPath + hashed
	return name, hashed
}

// Register adds the pages to the server.
func (p *Pages) Register(app *fiber.App) {
	app.Get("/", p.landing)
	app.Get("/pricing", p.pricing)
	app.Get("/sources", p.sources)
	app.Get("/methods", p.methods)
	app.Get("/connect", p.connect)
	app.Get("/llms.txt", p.llms)
	app.Get("/docs", p.page(docs))
	app.Get("/docs/errors", p.page(errorReference))
	app.Get("/docs/report", p.page(reportReference))
	app.Get("/docs/statistics", p.page(statisticsReference))
	app.Get(assetPath+":name", p.asset)
}

func (p *Pages) landing(c *fiber.Ctx) error {
	v := p.view(p.Frame(c))
	v.chosen = v.status.Sheet.choose(c.Query("parcelle"))
	return Send(c, landing(v))
}

func (p *Pages) pricing(c *fiber.Ctx) error { return Send(c, pricing(p.view(p.Frame(c)))) }

func (p *Pages) sources(c *fiber.Ctx) error { return Send(c, sources(p.view(p.Frame(c)))) }

func (p *Pages) methods(c *fiber.Ctx) error { return Send(c, methods(p.view(p.Frame(c)))) }

func (p *Pages) connect(c *fiber.Ctx) error { return Send(c, connect(p.view(p.Frame(c)))) }

// page registers a page that exists in English only.
func (p *Pages) page(body func(view) templ.Component) fiber.Handler {
	return func(c *fiber.Ctx) error {
		f := p.Frame(c)
		f.Lang, f.OneLanguage = English, true
		return Send(c, body(p.view(f)))
	}
}

func (p *Pages) asset(c *fiber.Ctx) error {
	a, ok := p.assets[c.Params("name")]
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, a.contentType)
	c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	return c.Send(a.body)
}

// Send responds with a page. Its headers restrict it to what we serve; targets are the other origins that its forms may
// redirect to.
func Send(c *fiber.Ctx, page templ.Component, targets ...string) error {
	var b bytes.Buffer
	if err := page.Render(c.UserContext(), &b); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	Guard(c, targets...)
	return c.Send(b.Bytes())
}

// Guard sets the headers of every page, including redirects.
func Guard(c *fiber.Ctx, targets ...string) {
	c.Set(fiber.HeaderContentSecurityPolicy, strings.Join(append([]string{policy}, targets...), " "))
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	c.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	for name, value := range map[string]string{fiber.HeaderReferrerPolicy: "same-origin", fiber.HeaderCacheControl: "no-cache"} {
		if len(c.Response().Header.Peek(name)) == 0 { // a stricter one stays
			c.Set(name, value)
		}
	}
	c.Vary(fiber.HeaderAcceptLanguage, fiber.HeaderCookie)
}
