package testkit

import (
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// UserAgent is what a Browser calls itself.
const UserAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// Browser is a client of the pages of a server: it keeps cookies, follows
// redirects and fills in forms, but runs no script.
type Browser struct {
	*http.Client
	Base   string              // address of the server, without a slash at the end
	Before func(*http.Request) // called with every request before it is sent; nil: not called
	// false: a request that a busy server refuses is sent again, see RetryBusy; nil: it is not
	AsksOnce *bool
	t        testing.TB
}

// ownTransport is not the default transport: that one loses its connections whenever the
// httptest server of another test is closed.
var ownTransport = &http.Transport{}

// NewBrowser returns a browser without cookies.
func NewBrowser(t testing.TB, base string) *Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	NoError(t, err)
	return &Browser{Client: &http.Client{Jar: jar, Timeout: Timeout, Transport: ownTransport}, Base: base, t: t}
}

// Stay has the browser return redirects instead of following them.
func (b *Browser) Stay() *Browser {
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b
}

// SetCookie adds a cookie.
func (b *Browser) SetCookie(name, value string) {
	b.Jar.SetCookies(b.resolveURL("/"), []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

// Cookie returns the value of a cookie; empty: there is none.
func (b *Browser) Cookie(name string) string {
	for _, c := range b.Jar.Cookies(b.resolveURL("/")) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// resolveURL resolves a path, or an absolute address.
func (b *Browser) resolveURL(path string) *url.URL {
	b.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.Base + path
	}
	u, err := url.Parse(path)
	NoError(b.t, err)
	return u
}

// Get reads a page. headers are names and values.
func (b *Browser) Get(path string, headers ...string) *Page {
	b.t.Helper()
	return b.Send(http.MethodGet, path, nil, headers...)
}

// Post sends a form with a valid CSRF token, whether or not a page has that form.
func (b *Browser) Post(path string, values url.Values) *Page {
	b.t.Helper()
	form := url.Values{"token": {b.Token()}}
	maps.Copy(form, values)
	return b.Send(http.MethodPost, path, form)
}

// Token is the CSRF token of the pages of this browser.
func (b *Browser) Token() string {
	b.t.Helper()
	token := b.Get("/pricing").Value("token") // a small page, which draws nothing
	if token == "" {
		b.t.Fatal("the page of prices has no CSRF token")
	}
	return token
}

// Submit sends the form of a page that posts to action, with the values
// that it has and those given, names and values.
func (b *Browser) Submit(p *Page, action string, values ...string) *Page {
	b.t.Helper()
	form := p.Form(action)
	if form == nil {
		b.t.Fatalf("%s (%d) has no form for %s:\n%.1500s", p.Path, p.Status, action, p.Text("html"))
	}
	for i := 0; i < len(values); i += 2 {
		form.Set(values[i], values[i+1])
	}
	return b.Send(http.MethodPost, action, form, "Referer", b.Base+p.Path)
}

// Send sends a request without a token of its own, a form as a browser does. headers are names and values.
func (b *Browser) Send(method, path string, form url.Values, headers ...string) *Page {
	b.t.Helper()
	return RetryBusy(b.AsksOnce != nil && !*b.AsksOnce, func() *Page { return b.sendOnce(method, path, form, headers...) },
		func(p *Page) (int, http.Header) { return p.Status, p.Header })
}

func (b *Browser) sendOnce(method, path string, form url.Values, headers ...string) *Page {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.resolveURL(path).String(),
		strings.NewReader(form.Encode()))
	NoError(b.t, err)
	req.Header.Set("User-Agent", UserAgent)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", b.Base)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	if b.Before != nil {
		b.Before(req)
	}
	res, err := b.Do(req)
	NoError(b.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	NoError(b.t, err)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(string(body)))
	NoError(b.t, err)
	return &Page{t: b.t, Status: res.StatusCode, Path: res.Request.URL.RequestURI(), Header: res.Header,
		Body: string(body), doc: doc}
}

// Page is the answer to a request of a Browser.
type Page struct {
	Status int
	Path   string // after redirects, with the query
	Header http.Header
	Body   string
	doc    *goquery.Document
	t      testing.TB
}

// Want fails the test unless the page has that status and shows all of the texts.
func (p *Page) Want(status int, texts ...string) *Page {
	p.t.Helper()
	if p.Status != status {
		p.t.Errorf("%s answers %d, want %d", p.Path, p.Status, status)
	}
	shown := p.Text("html")
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			p.t.Errorf("%s does not show %q:\n%.1500s", p.Path, text, shown)
		}
	}
	return p
}

// Lacks fails the test when the page has the text, shown or in its markup.
func (p *Page) Lacks(text string) *Page {
	p.t.Helper()
	if strings.Contains(p.Body, text) {
		p.t.Errorf("%s has %q:\n%.1500s", p.Path, text, p.Text("html"))
	}
	return p
}

// LacksForm fails the test when a form of the page posts to action.
func (p *Page) LacksForm(action string) *Page {
	p.t.Helper()
	if p.Form(action) != nil {
		p.t.Errorf("%s has a form for %s", p.Path, action)
	}
	return p
}

// Location is where a redirect that was not followed leads.
func (p *Page) Location() string { return p.Header.Get("Location") }

// Find returns the elements that match a CSS selector.
func (p *Page) Find(selector string) *goquery.Selection { return p.doc.Find(selector) }

// Text is the text of the first element that matches a CSS selector, as it is read: blanks are
// collapsed, and elements are separated by one.
func (p *Page) Text(selector string) string {
	var b strings.Builder
	for _, n := range p.Find(selector).First().Nodes {
		writeText(&b, n)
	}
	return strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool {
		return r == ' ' || r == '\n' || r == '\t'
	}), " ")
}

func writeText(b *strings.Builder, n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		b.WriteString(n.Data)
	case n.Data == "script" || n.Data == "style" || n.Data == "wbr":
		return
	}
	for c := range n.ChildNodes() {
		writeText(b, c)
	}
	if next := n.NextSibling; next == nil || next.Data != "wbr" { // which parts no words
		b.WriteByte(' ')
	}
}

// Value is the value of the first input with a name.
func (p *Page) Value(name string) string { return p.Find(`input[name="`+name+`"]`).AttrOr("value", "") }

// Error returns the error text shown next to a field; empty when there is none.
func (p *Page) Error(field string) string { return p.Text("#" + field + "-error") }

// Link is the address of the first link that begins with prefix. Its absence fails the test.
func (p *Page) Link(prefix string) string {
	p.t.Helper()
	to, ok := p.Find(`a[href^="` + prefix + `"]`).Attr("href")
	if !ok {
		p.t.Fatalf("%s has no link to %s:\n%.1500s", p.Path, prefix, p.Text("html"))
	}
	return to
}

// Form returns the fields that the form that posts to action would send; nil: there is no such form.
func (p *Page) Form(action string) url.Values {
	form := p.Find(`form[action="` + action + `"]`).First()
	if form.Length() == 0 {
		return nil
	}
	values := url.Values{}
	form.Find("input[name],textarea[name],select[name]").Each(func(_ int, in *goquery.Selection) {
		value := in.AttrOr("value", "")
		switch kind := in.AttrOr("type", goquery.NodeName(in)); kind {
		case "checkbox", "radio":
			if !in.Is("[checked]") {
				return
			}
		case "textarea":
			value = in.Text()
		case "select":
			value = in.Find("option[selected]").First().AttrOr("value", "")
		}
		values.Set(in.AttrOr("name", ""), value)
	})
	return values
}
