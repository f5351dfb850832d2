package web

import (
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

// Frame is what surrounds the content of a page.
type Frame struct {
	Lang        Lang
	OneLanguage bool    // the page is written in one language: no switch
	Title       string  // of the window, without the service's name
	Here        string  // the entry of the navigation that this page is
	Path        string  // of the page with its query, to come back to
	Next        string  // path that somebody is on the way to, through signing in or up; empty: none
	HasSession  bool    // the browser holds a session, which may have ended
	Token       string  // forgery token of the frame's own forms; empty: none
	Unpaid      *Unpaid // a payment of whoever is signed in failed
	site        *Pages
}

// entrance is the address of a page to sign in or up on, which leads on to where one is going.
func (f Frame) entrance(page string) string {
	if f.Next == "" {
		return page
	}
	return page + "?next=" + url.QueryEscape(f.Next)
}

// Unpaid is a plan whose payment failed.
type Unpaid struct {
	Plan  string
	Until time.Time // how long it stays in force all the same
	Over  bool      // that time is past
}

// Name is the name of the service.
func (f Frame) Name() string { return f.site.o.ServiceName }

// BaseURL is the public address of the service, without a slash at the end.
func (f Frame) BaseURL() string { return f.site.o.BaseURL }

// Contact is the operator's e-mail address; empty when there is none.
func (f Frame) Contact() string { return f.site.o.Contact }

// Demonstration tells that what is served is made up.
func (f Frame) Demonstration() bool { return f.site.status().Demonstration }

// With gives the frame of one page.
func (f Frame) With(title, here string) Frame {
	f.Title, f.Here = title, here
	return f
}

// Frame reads from a request what surrounds its answer.
func (p *Pages) Frame(c *fiber.Ctx) Frame {
	session := c.Cookies(SessionCookie)
	if strings.HasPrefix(p.o.BaseURL, "https://") {
		session = c.Cookies("__Host-" + SessionCookie)
	}
	f := Frame{
		Lang:       language(c.Query("lang"), c.Cookies(LanguageCookie), c.Get(fiber.HeaderAcceptLanguage)),
		Path:       strings.Clone(withoutLanguage(c.OriginalURL())),
		HasSession: session != "",
		site:       p,
	}
	if p.o.Forgery != nil {
		f.Token = p.o.Forgery(session)
	}
	return f
}

// SessionCookie is the name of the cookie of whoever is signed in; over https it begins with __Host-.
const SessionCookie = "arpent-session"

// withoutLanguage drops ?lang=, which would win over the language that is chosen next.
func withoutLanguage(address string) string {
	path, query, ok := strings.Cut(address, "?")
	if !ok {
		return address
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return path
	}
	values.Del("lang")
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// view is what a public page is made from.
type view struct {
	Frame
	lang    Lang
	name    string
	baseURL string
	status  Status
	options Options
	chosen  *SheetParcel
}

func (p *Pages) view(f Frame) view {
	return view{Frame: f, lang: f.Lang, name: p.o.ServiceName, baseURL: p.o.BaseURL, options: p.o, status: p.status()}
}

func (p *Pages) status() Status {
	if p.o.Status == nil {
		return Status{}
	}
	return p.o.Status()
}
