package contract_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/web"
)

// unlisted are public pages that no search engine should list: a step of something that was begun elsewhere.
var unlisted = []string{"/docs/search", "/forgot", "/goodbye", "/signup/sent", "/signup/continue", "/signup/waiting", "/signin/code", "/oauth/authorize"}

// Every public page with an address of its own is in the sitemap, or marked as not to be shown and listed
// here: a page that was added and forgotten would never be found. A page in one language leads to pages in
// the same one.
func testEveryPageIsInTheSitemap(t *testing.T, s *fixture.Service) {
	t.Helper()
	b := testkit.NewBrowser(t, s.Base).Stay()
	b.AsksOnce = &s.AsksOnce
	listed := b.Get("/sitemap.xml").Body
	const base = "http://127.0.0.1:8080" // the public address where none is set
	for _, route := range s.App.Fiber().GetRoutes(true) {
		if route.Method != http.MethodGet || strings.ContainsAny(route.Path, ":*") || strings.HasPrefix(route.Path, "/api/") {
			continue
		}
		page := b.Get(route.Path)
		if page.Status != http.StatusOK || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") {
			continue
		}
		hidden := page.Find(`meta[name=robots][content=noindex]`).Length() == 1
		switch isListed := strings.Contains(listed, "<loc>"+base+route.Path+"</loc>"); {
		case isListed && hidden:
			t.Errorf("%s is in the sitemap and not to be shown", route.Path)
		case !isListed && !slices.Contains(unlisted, route.Path):
			t.Errorf("%s is not in the sitemap", route.Path)
		case !isListed && !hidden:
			t.Errorf("%s is not in the sitemap and may be shown", route.Path)
		}
	}
	for _, page := range strings.Split(listed, "<loc>")[1:] {
		address, _, _ := strings.Cut(page, "</loc>")
		p := b.Get(strings.TrimPrefix(address, base)).Want(http.StatusOK)
		if text := p.Find(`meta[name=description]`).AttrOr("content", ""); len(text) < 40 || len([]rune(text)) > 300 {
			t.Errorf("%s is described as %q", address, text)
		}
		_, language, asked := strings.Cut(address, "?lang=")
		p.Find("main a").Each(func(_ int, a *goquery.Selection) {
			to, _, _ := strings.Cut(a.AttrOr("href", ""), "#")
			path, _, _ := strings.Cut(to, "?")
			isListed := strings.Contains(listed, "<loc>"+base+path+"</loc>")
			if asked && isListed && !strings.Contains(to, "lang="+language) {
				t.Errorf("%s leads to %s, in the language of the browser", address, to)
			}
		})
	}
	missing := b.Get("/nothing-here", "Accept", "text/html").Want(http.StatusNotFound)
	if missing.Find(`meta[name=robots]`).Length() != 1 {
		t.Error("what is not there may be shown")
	}
	if missing.Find(`form[action="/docs/search"] input[name=q]`).Length() != 1 {
		t.Error("a wrong address leads to no search")
	}
}

// The language that somebody chose for their account holds on the public pages
// too, in any browser that they sign in with.
func TestPagesOfAnAccount(t *testing.T) {
	t.Parallel()
	s := fixture.Portal(t, nil)
	testIndexNamesTheWayToAKey(t, s.Service)
	s.SignUp("jeanne@example.org")
	s.Exec(`UPDATE account.account SET language = 'en' WHERE email = 'jeanne@example.org'`)
	b, _ := s.SignIn("jeanne@example.org", fixture.Password)
	b.Get("/account")
	testkit.Want(t, b.Cookie(web.LanguageCookie), "en", "the language")
	if got := b.Get("/pricing", "Accept-Language", "fr").Find("html").AttrOr("lang", ""); got != "en" {
		t.Errorf("the page of prices is in %q", got)
	}
}
