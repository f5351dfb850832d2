package portal_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"arpent/auth"
)

// browser is somebody who reads pages: it keeps cookies, follows redirects and runs no script.
type browser struct {
	s       *site
	client  *http.Client
	account auth.Account  // of member
	lang    string        // Accept-Language
	reads   time.Duration // how long it looks at an authorization before it answers
}

const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func (s *site) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &browser{s: s, client: &http.Client{Jar: jar, Timeout: 20 * time.Second}, lang: "fr", reads: time.Second}
}

func (b *browser) setCookie(name, value string) {
	u, err := url.Parse(b.s.base)
	if err != nil {
		b.s.t.Fatal(err)
	}
	b.client.Jar.SetCookies(u, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

// cookie is the value of a cookie; empty: there is none.
func (b *browser) cookie(name string) string {
	u, err := url.Parse(b.s.base)
	if err != nil {
		b.s.t.Fatal(err)
	}
	for _, c := range b.client.Jar.Cookies(u) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// get reads a page, after redirects.
func (b *browser) get(path string) *page {
	b.s.t.Helper()
	return b.send(http.MethodGet, path, nil)
}

// post sends a form with a good token, and reads the page that the redirect leads to.
func (b *browser) post(path string, values url.Values) *page {
	b.s.t.Helper()
	sent := url.Values{"token": {b.token()}}
	for name, v := range values {
		sent[name] = v
	}
	return b.send(http.MethodPost, path, sent)
}

// token is the one that every page of this browser's carries now.
func (b *browser) token() string {
	b.s.t.Helper()
	token := b.get("/").value("token")
	if token == "" {
		b.s.t.Fatal("the first page has no form token")
	}
	return token
}

// send sends a request as it is, without adding a token.
func (b *browser) send(method, path string, form url.Values) *page {
	b.s.t.Helper()
	if method == http.MethodPost && path == "/oauth/authorize" {
		b.s.clock.Advance(b.reads)
	}
	req, err := http.NewRequestWithContext(b.s.t.Context(), method, b.s.base+strings.TrimPrefix(path, b.s.base), strings.NewReader(form.Encode()))
	if err != nil {
		b.s.t.Fatal(err)
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept-Language", b.lang)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", b.s.base)
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.s.t.Fatal(err)
	}
	doc, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		b.s.t.Fatal(err)
	}
	return &page{t: b.s.t, status: res.StatusCode, path: res.Request.URL.RequestURI(), header: res.Header, body: string(body), doc: doc}
}

// stay makes the browser show redirects instead of following them.
func (b *browser) stay() *browser {
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b
}

// page is what came back.
type page struct {
	t      *testing.T
	status int
	path   string // after redirects, with the query
	header http.Header
	body   string
	doc    *html.Node
}

// want fails the test unless the page has that status and shows every one of the texts.
func (p *page) want(status int, texts ...string) *page {
	p.t.Helper()
	if p.status != status {
		p.t.Errorf("%s answers %d, want %d", p.path, p.status, status)
	}
	shown := p.text()
	for _, text := range texts {
		if !strings.Contains(shown, text) {
			p.t.Errorf("%s does not show %q:\n%.1500s", p.path, text, shown)
		}
	}
	return p
}

// text is what the page shows, spaces made one.
func (p *page) text() string { return textOf(p.doc) }

// byID is the element with that id; nil: there is none.
func (p *page) byID(id string) *html.Node {
	return find(p.doc, func(n *html.Node) bool { return attr(n, "id") == id })
}

// value is the value of the first input with that name.
func (p *page) value(name string) string {
	return attr(find(p.doc, func(n *html.Node) bool { return n.Data == "input" && attr(n, "name") == name }), "value")
}

// error is what is said beside a field.
func (p *page) error(field string) string {
	n := p.byID(field + "-error")
	if n == nil {
		return ""
	}
	return textOf(n)
}

// form is the form that is sent to that address; nil: there is none.
func (p *page) form(action string) *html.Node {
	return find(p.doc, func(n *html.Node) bool { return n.Data == "form" && attr(n, "action") == action })
}

func find(n *html.Node, is func(*html.Node) bool) *html.Node {
	if n == nil || n.Type == html.ElementNode && is(n) {
		return n
	}
	for c := range n.ChildNodes() {
		if found := find(c, is); found != nil {
			return found
		}
	}
	return nil
}

func attr(n *html.Node, name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.Data == "script" || n.Data == "style":
			return
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
		b.WriteByte(' ')
	}
	walk(n)
	return strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }), " ")
}
