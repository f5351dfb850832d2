// Package web is the frame of all pages: layout, language, styles and scripts, and the headers that restrict
// a page to what we serve. It has no database access: what is loaded is passed in as a value.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"arpent/internal/clock"
)

// Options are the parameters of New.
type Options struct {
	ServiceName string
	BaseURL     string        // public address, no trailing slash
	Contact     string        // e-mail of the operator; empty: none is shown
	Status      func() Status // what is served now; called for every page; nil: nothing
	Clock       clock.Clock   // nil: that of the machine
	// Speed is within which times half and 95 % of an operation's answers came over HTTP; 0: not measured. Nil:
	// nothing is measured.
	Speed    func(operation string) (median, p95 time.Duration)
	Accounts bool // people can sign up and sign in here
	// CSRFToken returns the CSRF token for the forms of a session cookie; empty: no visitor is
	// signed in. Nil: the pages have no forms.
	CSRFToken func(session string) string
}

// Site is the frame of the pages of a server.
type Site struct {
	o      Options
	assets map[string]asset  // by their name with the hash of the content
	names  map[string]string // address of an asset by its plain name

	publications []Publication
	published    map[string]int // their places by path

	clock clock.Clock
	pages Kept[pageEdition, pageKey, *Body] // see SendKept
}

type asset struct {
	body        []byte
	contentType string
	encoded     *encodings // nil: it does not get smaller
}

//go:embed static
var static embed.FS

const (
	// policy restricts a page to what we serve.
	policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; font-src 'self'; " +
		"img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	// assetPolicy is that of a script that works for the map next to its page, which
	// asks for tiles by itself.
	assetPolicy = "default-src 'none'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
	assetPath   = "/assets/"
)

var contentTypes = map[string]string{".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png",
	".ico": "image/x-icon", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8"}

// New returns the frame of the pages.
func New(o Options) *Site {
	s := &Site{o: o, clock: o.Clock, assets: map[string]asset{}, names: map[string]string{},
		published: map[string]int{}}
	if s.clock == nil {
		s.clock = clock.Real{}
	}
	files, err := fs.ReadDir(static, "static")
	if err != nil {
		panic(err) // the files are embedded
	}
	fonts := []string{}
	for _, f := range files {
		if f.Name() == "app.css" {
			continue
		}
		name, hashed := s.addAsset(f.Name(), nil)
		fonts = append(fonts, name, hashed)
	}
	s.addAsset("app.css", strings.NewReplacer(fonts...))
	return s
}

// addAsset serves a file under a name that contains a hash of its
// content, so that browsers may cache it for ever.
func (s *Site) addAsset(name string, names *strings.Replacer) (plain, hashed string) {
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
	a := asset{body: body, contentType: contentTypes[ext]}
	if kind, _, _ := strings.Cut(a.contentType, ";"); len(body) >= compressFrom && slices.Contains(compressible,
		kind) {
		level := assetLevel
		if len(body) >= largeFrom {
			level = largeLevel
		}
		a.encoded = newEncodings(body, level)
	}
	s.assets[hashed] = a
	s.names[name] = assetPath + hashed
	return name, hashed
}

// Register adds the styles and scripts to the server, and what programs that search read.
func (s *Site) Register(app *fiber.App) {
	app.Get(assetPath+":name", s.serveAsset)
	app.Get("/robots.txt", s.serveRobots)
	app.Get("/sitemap.xml", s.serveSitemap)
	for _, name := range rootIcons {
		app.Get("/"+name, s.serveRootIcon(name))
	}
}

// rootIcons are asked for at these addresses by browsers and telephones, whatever a page names.
var rootIcons = []string{"favicon.ico", "apple-touch-icon.png"}

// serveRootIcon serves an icon at an address without a hash.
func (s *Site) serveRootIcon(name string) fiber.Handler {
	a := s.assets[path.Base(s.names[name])]
	return func(c *fiber.Ctx) error {
		Guard(c)
		c.Set(fiber.HeaderContentType, a.contentType)
		c.Set(fiber.HeaderCacheControl, "public, max-age=86400")
		return c.Send(a.body)
	}
}

// Status returns the data that is served now.
func (s *Site) Status() Status {
	if s.o.Status == nil {
		return Status{}
	}
	return s.o.Status()
}

func (s *Site) serveAsset(c *fiber.Ctx) error {
	a, ok := s.assets[c.Params("name")]
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, a.contentType)
	c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	c.Set(fiber.HeaderContentSecurityPolicy, assetPolicy)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	if a.encoded == nil {
		return c.Send(a.body)
	}
	a.encoded.sendBody(c, a.body)
	return nil
}

// Send responds with a page. Its headers restrict it to what we serve; targets are the
// other origins that its forms may redirect to.
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
	c.Set("Permissions-Policy", "camera=(), geolocation=(self), microphone=()")
	for name, value := range map[string]string{fiber.HeaderReferrerPolicy: "same-origin",
		fiber.HeaderCacheControl: "no-cache"} {
		if len(c.Response().Header.Peek(name)) == 0 { // a stricter one stays
			c.Set(name, value)
		}
	}
	c.Vary(fiber.HeaderAcceptLanguage, fiber.HeaderCookie)
}

// Document is a page of the documentation.
type Document struct {
	Path string
	Body templ.Component
}
