package app

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"html/template"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/mail"
)

// devMail shows the mails of a developer's machine instead of sending them. Mails hold links that sign people in: the
// pages answer to a browser on this machine alone.
type devMail struct {
	kept *mail.Memory
	base string
	host string
}

func newDevMail(baseURL string) *devMail {
	d := &devMail{kept: mail.NewMemory(mailsKept), base: baseURL}
	if u, err := url.Parse(baseURL); err == nil {
		d.host = u.Hostname()
	}
	return d
}

func (d *devMail) address() string { return d.base + "/dev/mail" }

// Register adds the pages.
func (d *devMail) Register(app fiber.Router) {
	app.Get("/dev/mail", d.local, d.list)
	app.Get("/dev/mail/:id", d.local, d.one)
	app.Get("/dev/mail/:id/html", d.local, d.page)
}

// local lets the request through when it comes from this machine, was not passed on by a proxy, and asked for this
// machine by name: a page elsewhere may point a name of its own here.
func (d *devMail) local(c *fiber.Ctx) error {
	for _, header := range []string{fiber.HeaderXForwardedFor, fiber.HeaderForwarded, "X-Real-Ip"} {
		if c.Get(header) != "" {
			return fiber.ErrNotFound
		}
	}
	peer, ok := netip.AddrFromSlice(c.Context().RemoteIP())
	if !ok || !peer.Unmap().IsLoopback() || !d.named(string(c.Request().Host())) {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	return c.Next()
}

func (d *devMail) named(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || strings.EqualFold(host, d.host) || err == nil && address.IsLoopback()
}

const devMailStyle = `:root{color-scheme:light dark;--line:#8886}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}` +
	`table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--line)}` +
	`pre{white-space:pre-wrap;padding:1rem;border:1px solid var(--line);border-radius:6px}iframe{width:100%;height:44rem;border:1px solid var(--line);border-radius:6px;background:#fff}`

// The pages run nothing and fetch nothing; the mail is in a frame that can do nothing at all.
var devMailPolicy = "default-src 'none'; style-src 'sha256-" + hash(devMailStyle) +
	"'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const devMailFramePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

var devMailPages = template.Must(template.New("").Funcs(template.FuncMap{
	"time": func(t time.Time) string { return t.Local().Format(time.DateTime) },
}).Parse(`{{define "head"}}<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
	`<title>Mails of this machine</title><style>` + devMailStyle + `</style></head><body>{{end}}
{{define "list"}}{{template "head"}}<h1>Mails of this machine</h1><p>In development mails are shown here instead of sent. They are forgotten when the server stops.</p>
{{if .}}<table><thead><tr><th scope="col">Time</th><th scope="col">To</th><th scope="col">Subject</th></tr></thead><tbody>
{{range .}}<tr><td>{{time .At}}</td><td>{{.To}}</td><td><a href="/dev/mail/{{.ID}}">{{.Subject}}</a></td></tr>
{{end}}</tbody></table>{{else}}<p>None yet.</p>{{end}}</body></html>{{end}}
{{define "one"}}{{template "head"}}<p><a href="/dev/mail">All mails</a></p><h1>{{.M.Subject}}</h1>
<table><tbody><tr><th scope="row">To</th><td>{{.M.To}}</td></tr><tr><th scope="row">Time</th><td>{{time .M.At}}</td></tr>
<tr><th scope="row">Language</th><td>{{.M.Language}}</td></tr><tr><th scope="row">Message-ID</th><td>{{.M.ID}}</td></tr></tbody></table>
<h2>Text</h2><pre id="text">{{.Text}}</pre><h2>Page</h2><iframe title="The mail as a page" sandbox="" src="/dev/mail/{{.M.ID}}/html"></iframe></body></html>{{end}}`))

func (d *devMail) show(c *fiber.Ctx, name string, data any) error {
	c.Set(fiber.HeaderContentSecurityPolicy, devMailPolicy)
	c.Type("html", "utf-8")
	return devMailPages.ExecuteTemplate(c, name, data)
}

func (d *devMail) list(c *fiber.Ctx) error { return d.show(c, "list", d.kept.List()) }

var webAddress = regexp.MustCompile(`https?://[^\s<>"]+`)

func (d *devMail) one(c *fiber.Ctx) error {
	m, ok := d.kept.Get(c.Params("id"))
	if !ok {
		return fiber.ErrNotFound
	}
	text := webAddress.ReplaceAllStringFunc(html.EscapeString(m.Text), func(a string) string { return `<a href="` + a + `">` + a + `</a>` })
	return d.show(c, "one", struct {
		M    mail.Message
		Text template.HTML
	}{m, template.HTML(text)}) // escaped above
}

func (d *devMail) page(c *fiber.Ctx) error {
	m, ok := d.kept.Get(c.Params("id"))
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentSecurityPolicy, devMailFramePolicy)
	c.Type("html", "utf-8")
	return c.SendString(m.HTML)
}
