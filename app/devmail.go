package app

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"html"
	"html/template"
	"regexp"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/internal/mail"
)

// devMail shows the mails of a developer's machine instead of sending them. Mails hold links
// that sign people in: the pages open with a token only, which is made at each start
// and printed with their address in the log.
type devMail struct {
	kept  *mail.Memory
	base  string
	token string
}

const (
	devMailPath   = "/dev/mail"
	devMailCookie = "arpent_dev_mail"
	devMailHelp   = "This page opens with the link that the server has printed in its log at its start.\n"
)

func newDevMail(baseURL string) *devMail {
	return &devMail{kept: mail.NewMemory(mailsKept), base: baseURL, token: rand.Text()}
}

// tokenURL is where the mails are, with the token.
func (d *devMail) tokenURL() string { return d.base + devMailPath + "?token=" + d.token }

// Register adds the pages.
func (d *devMail) Register(app fiber.Router) {
	app.Get(devMailPath, d.checkToken,
		func(c *fiber.Ctx) error { return d.renderPage(c, "list", d.kept.List()) })
	app.Get(devMailPath+"/:id", d.checkToken, d.showMail)
	app.Get(devMailPath+"/:id/html", d.checkToken, d.showHTML)
}

// checkToken lets through who has the token. From the link it moves into a cookie, so that the addresses
// of the pages do not hold it. Where the request comes from says nothing: in a container, and
// behind a proxy, all come from one address.
func (d *devMail) checkToken(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	if d.matchesToken(c.Query("token")) {
		c.Cookie(&fiber.Cookie{Name: devMailCookie, Value: d.token, Path: devMailPath, HTTPOnly: true,
			Secure: strings.HasPrefix(d.base, "https://"), SameSite: fiber.CookieSameSiteLaxMode})
		return c.Redirect(c.Path(), fiber.StatusSeeOther)
	}
	if !d.matchesToken(c.Cookies(devMailCookie)) {
		return c.Status(fiber.StatusForbidden).SendString(devMailHelp)
	}
	return c.Next()
}

func (d *devMail) matchesToken(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(d.token)) == 1
}

const devMailStyle = `:root{color-scheme:light dark;--line:#8886}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}` +
	`table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}` +
	`pre{white-space:pre-wrap;padding:1rem;border:1px solid var(--line);border-radius:6px}iframe{width:100%;height:44rem;border:1px solid var(--line);border-radius:6px;background:#fff}`

// The pages run nothing and fetch nothing; the mail is in a frame that can do nothing at all.
var devMailPolicy = "default-src 'none'; style-src 'sha256-" + styleHash(devMailStyle) +
	"'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const devMailFramePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"

func styleHash(s string) string {
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

func (d *devMail) renderPage(c *fiber.Ctx, name string, data any) error {
	c.Set(fiber.HeaderContentSecurityPolicy, devMailPolicy)
	c.Type("html", "utf-8")
	return devMailPages.ExecuteTemplate(c, name, data)
}

var webAddress = regexp.MustCompile(`https?://[^\s<>"]+`)

func (d *devMail) showMail(c *fiber.Ctx) error {
	m, ok := d.kept.Get(c.Params("id"))
	if !ok {
		return fiber.ErrNotFound
	}
	text := webAddress.ReplaceAllStringFunc(html.EscapeString(m.Text),
		func(a string) string { return `<a href="` + a + `">` + a + `</a>` })
	return d.renderPage(c, "one", struct {
		M    mail.Message
		Text template.HTML
	}{m, template.HTML(text)}) // escaped above
}

func (d *devMail) showHTML(c *fiber.Ctx) error {
	m, ok := d.kept.Get(c.Params("id"))
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentSecurityPolicy, devMailFramePolicy)
	c.Type("html", "utf-8")
	return c.SendString(m.HTML)
}
