package web

import (
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

// Frame holds what the layout shows around the content of a page.
type Frame struct {
	Lang     Lang
	Title    string // title of the window, without the service's name
	Here     string // the current entry of the navigation
	Path     string // path of the page with its query, for redirects back to it
	Markdown string // address of the same page as Markdown; empty: there is none
	Feed     string // path of the page's Atom feed; empty: it has none
	Next     string // path to continue to after signing in or up; empty: none
	// what was typed into a form that came back, kept when the language changes: mostly an e-mail address;
	// empty: nothing
	Typed string
	// much of the page is code: its font comes with the page, so that it is not laid out again for it
	Code       bool
	HasSession bool       // the browser has a session cookie, possibly expired
	Token      string     // CSRF token of the frame's own forms; empty: none
	Unpaid     *Unpaid    // a payment of the signed-in account failed
	FactorEnds *time.Time // when the second factor of the signed-in account is turned off as lost; nil: it stays
	// FactorDue is the second factor that an organisation of the signed-in person requires and they lack; nil:
	// none.
	FactorDue *FactorDue
	Operator  bool // the signed-in account gets the pages for operators
	// Organisation is that of the signed-in person's choice; nil: the person is a member of none.
	Organisation *Organisation
	asked        Lang // language that the address asks for; empty: it asks for none
	published    *Publication
	site         *Site
}

// authLink returns the address of a sign-in or sign-up page that continues to Next.
func (f Frame) authLink(page string) string {
	if f.Next == "" {
		return f.Link(page)
	}
	return f.Link(page + "?next=" + url.QueryEscape(f.Next))
}

// Organisation is what the pages of a member of organisations show of the one that is chosen.
type Organisation struct {
	Name   string          // empty: the person's own account
	Role   string          // of the person there, as it is read; empty: the person's own account
	Hidden map[string]bool // tabs that the role does not allow
	// ReadsKeys reports whether the role reads keys and changes none.
	ReadsKeys bool
	Choices   []Choice
}

// ReadsKeys reports whether the person may change no key of what is shown.
func (f Frame) ReadsKeys() bool { return f.Organisation != nil && f.Organisation.ReadsKeys }

// Hides reports whether the person may not open the pages of a tab.
func (f Frame) Hides(tab string) bool { return f.Organisation != nil && f.Organisation.Hidden[tab] }

// Choice is an organisation that a person can choose, or their own account.
type Choice struct {
	ID     int64
	Name   string
	Chosen bool
}

// FactorDue is a second factor that an organisation requires of its members.
type FactorDue struct {
	Organisation string
	From         time.Time
	Over         bool // that time is past: its pages are closed
	HasPasskey   bool // which was not used in this session
}

// Unpaid is a plan whose payment failed.
type Unpaid struct {
	Plan  string
	Until time.Time // how long it stays in force nevertheless
	Over  bool      // that time is past
	Rest  string    // plan that the account has without it
	Kept  bool      // that one is no lower: the limits do not change
}

// Name is the name of the service.
func (f Frame) Name() string { return f.site.o.ServiceName }

// BaseURL is the public address of the service, without a slash at the end.
func (f Frame) BaseURL() string { return f.site.o.BaseURL }

// Contact is the operator's e-mail address; empty when there is none.
func (f Frame) Contact() string { return f.site.o.Contact }

// Asked is the language that the address of the page asks for; empty: it asks for none.
func (f Frame) Asked() Lang { return f.asked }

// In returns the frame of a page that is asked for in a language; one that is none of ours asks for nothing.
func (f Frame) In(l Lang) Frame {
	if l == French || l == English {
		f.Lang, f.asked = l, l
	}
	return f
}

// Accounts reports whether people can sign up and sign in here.
func (f Frame) Accounts() bool { return f.site.o.Accounts }

// Asset is the address of a style, a script or a picture by its plain name.
func (f Frame) Asset(name string) string { return f.site.names[name] }

// Anonymous returns the frame as it is for a visitor without an account.
func (f Frame) Anonymous() Frame { return Frame{Lang: f.Lang, site: f.site} }

// HTMX is the address of the script that replaces parts of a page in place, for a page that needs it once its
// form is used: see data-htmx in app.js. It is empty where the page loads it anyway.
func (f Frame) HTMX() string {
	if f.HasSession {
		return ""
	}
	return f.site.names["htmx.min.js"]
}

// With returns the frame of one page.
func (f Frame) With(title, here string) Frame {
	f.Title, f.Here = title, here
	return f
}

// Frame returns the frame of the response to a request.
func (s *Site) Frame(c *fiber.Ctx) Frame {
	session := c.Cookies(SessionCookie)
	if strings.HasPrefix(s.o.BaseURL, "https://") {
		session = c.Cookies(secureCookie)
	}
	f := Frame{
		Lang:       chooseLanguage(c.Query("lang"), c.Cookies(LanguageCookie), c.Get(fiber.HeaderAcceptLanguage)),
		Path:       strings.Clone(withoutLanguage(c.OriginalURL())),
		HasSession: session != "",
		published:  s.findPublication(c.Path()),
		site:       s,
	}
	if asked := Lang(c.Query("lang")); asked == French || asked == English {
		f = f.In(f.Lang) // a string of the request is valid while it lasts
	}
	if s.o.CSRFToken != nil {
		f.Token = s.o.CSRFToken(session)
	}
	return f
}

// SessionCookie is the name of the session cookie; over https it begins with __Host-.
const (
	SessionCookie = "arpent-session"
	secureCookie  = "__Host-" + SessionCookie
)

// withoutLanguage drops ?lang=, which would override the language chosen next.
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
