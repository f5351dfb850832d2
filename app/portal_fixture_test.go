package app_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"arpent/app/base/config"
	"arpent/app/dev/testkit"
)

// site is an instance with its portal, and the mail server that it sends through.
type site struct {
	*service
	mails *testkit.Catcher
	log   *lines
}

// portal starts an instance whose public address is the one that it listens on, so that links in mails work.
func portal(t testing.TB, change func(*config.Config)) *site {
	t.Helper()
	pool, address := testkit.DB(t)
	if _, err := pool.Exec(t.Context(), smallFrance); err != nil {
		t.Fatal(err)
	}
	s := &site{log: &lines{}, mails: testkit.NewSMTP(t)}
	s.service = &service{t: t, pool: pool, url: address}
	s.service.log = s.log
	s.start(change)
	return s
}

// start runs an instance; call it again after stop for a restart.
func (s *site) start(change func(*config.Config)) {
	s.t.Helper()
	port := freePort(s.t)
	dir := s.t.TempDir()
	s.run(func(c *config.Config) {
		c.Port, c.BaseURL = port, fmt.Sprintf("http://127.0.0.1:%d", port)
		c.StateDir, c.SMTPURL, c.MailFrom = dir, config.Secret(s.mails.URL()), "no-reply@arpent.example"
		if change != nil {
			change(c)
		}
	})
}

func freePort(t testing.TB) uint16 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return uint16(l.Addr().(*net.TCPAddr).Port)
}

var mailLink = regexp.MustCompile(`https?://[^\s"<>]+/(?:confirm|reset|email)/[^\s"<>]+`)

// link waits for a mail to an address that holds a link of that kind, and gives the newest one's.
func (s *site) link(to, kind string) string {
	s.t.Helper()
	m := s.mails.Wait(func(m testkit.Mail) bool { return m.To == to && strings.Contains(m.Text, "/"+kind+"/") })
	found := mailLink.FindString(m.Text)
	if !strings.Contains(found, "/"+kind+"/") {
		s.t.Fatalf("no link in the mail %q:\n%s", m.Subject, m.Text)
	}
	return found
}

// client is a browser without scripts, pictures or patience: cookies, pages, forms.
type client struct {
	t    testing.TB
	s    *site
	http *http.Client
}

func (s *site) client() *client {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &client{s.t, s, &http.Client{Jar: jar, Timeout: 15 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// page is an answer to a client.
type page struct {
	response
	doc *goquery.Document
}

func (p page) location() string { return p.header.Get("Location") }

func (c *client) send(method, path string, form url.Values, headers ...string) page {
	c.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = c.s.base + path
	}
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequest(method, path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(string(text)))
	if err != nil {
		c.t.Fatal(err)
	}
	return page{response{res.StatusCode, res.Header, text}, doc}
}

func (c *client) get(path string, headers ...string) page {
	c.t.Helper()
	return c.send(http.MethodGet, path, nil, headers...)
}

// submit opens a page and sends the form on it that posts to action, with what it holds and what is given.
func (c *client) submit(pagePath, action string, values ...string) page {
	c.t.Helper()
	p := c.get(pagePath)
	form := c.form(p, action)
	for i := 0; i < len(values); i += 2 {
		form.Set(values[i], values[i+1])
	}
	return c.send(http.MethodPost, action, form, "Sec-Fetch-Site", "same-origin", "Referer", c.s.base+pagePath)
}

// form reads what the form that posts to action would send.
func (c *client) form(p page, action string) url.Values {
	c.t.Helper()
	f := p.doc.Find(fmt.Sprintf(`form[action=%q]`, action)).First()
	if f.Length() == 0 {
		c.t.Fatalf("status %d: no form posts to %s in\n%s", p.status, action, p.doc.Find("main").Text())
	}
	values := url.Values{}
	f.Find("input[name],textarea[name],select[name]").Each(func(_ int, in *goquery.Selection) {
		name, _ := in.Attr("name")
		kind, _ := in.Attr("type")
		_, checked := in.Attr("checked")
		if (kind == "checkbox" || kind == "radio") && !checked {
			return
		}
		value, _ := in.Attr("value")
		switch goquery.NodeName(in) {
		case "textarea":
			value = in.Text()
		case "select":
			value, _ = in.Find("option[selected]").First().Attr("value")
		}
		values.Set(name, value)
	})
	return values
}

const goodPassword = "trois chevaux bleus galopent"

// signUp makes a confirmed account through the pages, signed in.
func (s *site) signUp(email string) *client {
	s.t.Helper()
	c := s.client()
	if p := c.submit("/signup", "/signup", "email", email, "password", goodPassword); p.status != http.StatusSeeOther {
		s.t.Fatalf("sign-up: %d\n%s", p.status, p.doc.Find("main").Text())
	}
	path := strings.TrimPrefix(s.link(email, "confirm"), s.base)
	if p := c.submit(path, path); p.status != http.StatusSeeOther {
		s.t.Fatalf("confirm: %d\n%s", p.status, p.doc.Find("main").Text())
	}
	return c
}

func (s *site) signIn(email, password string) (*client, page) {
	s.t.Helper()
	c := s.client()
	return c, c.submit("/signin", "/signin", "email", email, "password", password)
}
