package contract_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/web/reference"
)

// Every link of the documentation leads to a page of this server that is there, and to a part of it that is
// there; so do the links to errors that every error has.
func testLinksOfTheDocumentation(t *testing.T, s *fixture.Service) {
	t.Helper()
	b := testkit.NewBrowser(t, s.Base)
	s.Until(func() bool { return b.Get("/sources").Find("#statistics").Length() == 1 }) // it is there once the statistics are rendered
	s.Until(func() bool { return b.Get("/coverage.json").Status == http.StatusOK })     // once it is counted
	from := []string{"/docs/recipes/address-to-report", "/docs/recipes/compare-communes", "/docs/recipes/map",
		"/docs/recipes/spreadsheet", "/docs/recipes/r", "/docs/recipes/assistant", "/connect", "/pricing", "/coverage",
		"/coverage/93", "/status", "/terms", "/privacy", "/legal", "/contact", "/docs/search?q=population"}
	b.Get("/docs").Find("#docs-pages a").Each(func(_ int, a *goquery.Selection) {
		path := a.AttrOr("href", "")
		if n := b.Get(path).Find(`#docs-pages a[aria-current="page"][href="` + path + `"]`).Length(); n != 1 {
			t.Errorf("%s has no list of pages that marks it", path)
		}
		from = append(from, path)
	})
	pages := map[string]*testkit.Page{}
	for _, path := range from {
		for _, language := range []string{"fr", "en"} {
			at := path + "?lang=" + language
			if strings.Contains(path, "?") {
				at = path + "&lang=" + language
			}
			page := b.Get(at).Want(http.StatusOK)
			page.Find("a[href], link[href]").Each(func(_ int, a *goquery.Selection) {
				checkLink(t, b, pages, page, a.AttrOr("href", ""))
			})
		}
	}
	for _, path := range []string{"/openapi.json", "/openapi.yaml", "/llms.txt", "/llms-full.txt", reference.Path + ".md"} {
		if pages[path] == nil {
			b.Get(path).Want(http.StatusOK)
		}
	}
	if len(from) < 30 || len(pages) < 50 {
		t.Errorf("only %d pages are read and %d linked to", len(from), len(pages))
	}
}

// checkLink follows a link of a page. What was read is kept in pages.
func checkLink(t *testing.T, b *testkit.Browser, pages map[string]*testkit.Page, on *testkit.Page, link string) {
	t.Helper()
	base := testkit.Must(url.Parse(on.Path))(t)
	to, err := base.Parse(strings.TrimPrefix(link, b.Base))
	switch {
	case err != nil:
		t.Errorf("%s: %v", on.Path, err)
		return
	case to.Scheme == "mailto", to.Host != "":
		return // of others, which connecting an assistant needs
	}
	anchor := to.Fragment
	to.Fragment, to.RawFragment = "", ""
	page := pages[to.String()]
	if page == nil {
		page = b.Get(to.String())
		pages[to.String()] = page
		if page.Status != http.StatusOK {
			t.Errorf("%s links to %s, which answers %d", on.Path, link, page.Status)
		}
	}
	if anchor != "" && page.Find("[id='"+anchor+"']").Length() == 0 {
		t.Errorf("%s links to %s, which has no such part", on.Path, link)
	}
}
