package public_test

import (
	"encoding/xml"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
)

const base = "https://api.example.org"

type sitemap struct {
	Pages []struct {
		Address    string `xml:"loc"`
		Alternates []struct {
			Language string `xml:"hreflang,attr"`
			Address  string `xml:"href,attr"`
		} `xml:"http://www.w3.org/1999/xhtml link"`
	} `xml:"url"`
}

func readSitemap(t *testing.T, app *fiber.App) (out sitemap) {
	t.Helper()
	res, body := getPage(t, app, "/sitemap.xml", "")
	if err := xml.Unmarshal([]byte(body), &out); err != nil || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/xml") {
		t.Fatalf("%v, %s\n%s", err, res.Header.Get("Content-Type"), body)
	}
	return out
}

func getDocument(t *testing.T, app *fiber.App, path, accept string) *goquery.Document {
	t.Helper()
	return testkit.Document(t, app, path, "Accept-Language", accept)
}

// Every address of the sitemap is that of a page, in the language that the sitemap says, whatever the
// reader's browser prefers; its head says the same as the sitemap, in its own language.
func TestSitemap(t *testing.T) {
	t.Parallel()
	app := newTestApp(testStatus())
	described := map[string]string{}
	for _, page := range readSitemap(t, app).Pages {
		path, ours := strings.CutPrefix(page.Address, base)
		if !ours {
			t.Errorf("%s is elsewhere", page.Address)
			continue
		}
		doc := getDocument(t, app, path, "en")
		if canonical := doc.Find(`link[rel=canonical]`).AttrOr("href", ""); canonical != page.Address {
			t.Errorf("%s says that it is %s", page.Address, canonical)
		}
		if url := doc.Find(`meta[property="og:url"]`).AttrOr("content", ""); url != page.Address {
			t.Errorf("%s is shared as %s", page.Address, url)
		}
		checkAlternates(t, app, doc, page.Alternates)
		plain, _, _ := strings.Cut(path, "?")
		text, language := doc.Find(`meta[name=description]`).AttrOr("content", ""), doc.Find("html").AttrOr("lang", "")
		if n := len([]rune(text)); n < 60 || n > 200 {
			t.Errorf("%s is described in %d characters: %q", path, n, text)
		}
		if other, known := described[text]; known && other != plain+language {
			t.Errorf("%s is described as %s is", path, other)
		}
		described[text] = plain + language
	}
}

// checkAlternates holds the languages in the head of a page to those of the sitemap, and follows them.
func checkAlternates(t *testing.T, app *fiber.App, doc *goquery.Document, want []struct {
	Language string `xml:"hreflang,attr"`
	Address  string `xml:"href,attr"`
}) {
	t.Helper()
	heads := doc.Find(`link[rel=alternate][hreflang]:not([type])`)
	if heads.Length() != len(want) || len(want) != 0 && len(want) != 3 {
		t.Errorf("%d languages in the head, %d in the sitemap", heads.Length(), len(want))
	}
	for _, a := range want {
		if got := doc.Find(`link[rel=alternate][hreflang="`+a.Language+`"]:not([type])`).AttrOr("href", ""); got != a.Address {
			t.Errorf("%s is at %q in the head, at %s in the sitemap", a.Language, got, a.Address)
		}
		path := strings.TrimPrefix(a.Address, base)
		for _, accept := range []string{"fr", "en"} {
			shown := a.Language
			if shown == "x-default" {
				shown = accept
			}
			if got := getDocument(t, app, path, accept).Find("html").AttrOr("lang", ""); got != shown {
				t.Errorf("%s for a reader of %s is in %s", path, accept, got)
			}
		}
	}
}

// A link that is shared shows what the page says of itself, and a picture of ours that is there.
func TestSharedLinkHasAPicture(t *testing.T) {
	t.Parallel()
	app := newTestApp(testStatus())
	for language, locale := range map[string]string{"fr": "fr_FR", "en": "en_GB"} {
		doc := getDocument(t, app, "/pricing?lang="+language, "")
		for property, want := range map[string]string{"og:title": doc.Find("title").Text(), "og:site_name": "Arpent", "og:locale": locale,
			"og:description": doc.Find(`meta[name=description]`).AttrOr("content", "")} {
			if got := doc.Find(`meta[property="`+property+`"]`).AttrOr("content", ""); got != want || want == "" {
				t.Errorf("%s: %s is %q, want %q", language, property, got, want)
			}
		}
		picture := doc.Find(`meta[property="og:image"]`).AttrOr("content", "")
		res, body := getPage(t, app, strings.TrimPrefix(picture, base), "")
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(body, "\x89PNG") {
			t.Errorf("the picture %q: %d, %s", picture, res.StatusCode, res.Header.Get("Content-Type"))
		}
	}
}

// Who follows a link to a page in one language goes on in that language, without a cookie.
func TestAskedLanguageIsKept(t *testing.T) {
	t.Parallel()
	app := newTestApp(testStatus())
	getDocument(t, app, "/pricing?lang=en", "fr").Find("header a, footer a").Each(func(_ int, a *goquery.Selection) {
		to := a.AttrOr("href", "")
		if strings.HasPrefix(to, "/") && !strings.HasSuffix(to, "?lang=en") {
			t.Errorf("%q loses the language", to)
		}
	})
	if found := getDocument(t, app, "/pricing", "fr").Find(`header a[href*="lang="]`).Length(); found != 0 {
		t.Errorf("%d links ask for a language that was not asked for", found)
	}
}

// Search engines are kept out of what belongs to accounts and to programs, and shown
// the list of pages, none of which is closed.
func TestRobots(t *testing.T) {
	t.Parallel()
	app := newTestApp(testStatus())
	_, body := getPage(t, app, "/robots.txt", "")
	if !strings.Contains(body, "\nSitemap: "+base+"/sitemap.xml\n") {
		t.Errorf("the sitemap is not named:\n%s", body)
	}
	var closed []string
	for line := range strings.SplitSeq(body, "\n") {
		if path, ok := strings.CutPrefix(line, "Disallow: "); ok {
			closed = append(closed, path)
		}
	}
	for _, path := range []string{"/account", "/api/v1", "/oauth/authorize", "/mcp", "/confirm/x", "/reset/x"} {
		if !isClosed(path, closed) {
			t.Errorf("%s is open", path)
		}
	}
	for _, page := range readSitemap(t, app).Pages {
		if isClosed(strings.TrimPrefix(page.Address, base), closed) {
			t.Errorf("%s is in the sitemap and closed", page.Address)
		}
	}
}

func isClosed(path string, closed []string) bool {
	for _, prefix := range closed {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// Browsers and telephones find an icon at the addresses they ask for by themselves, and those of the head are
// served.
func TestIcons(t *testing.T) {
	t.Parallel()
	app := newTestApp(testStatus())
	for path, want := range map[string][2]string{
		"/favicon.ico": {"image/x-icon", "\x00\x00\x01\x00"}, "/apple-touch-icon.png": {"image/png", "\x89PNG"},
	} {
		res, body := getPage(t, app, path, "")
		if got := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || got != want[0] || !strings.HasPrefix(body, want[1]) || len(body) > 10<<10 {
			t.Errorf("%s: %d, %s, %d bytes", path, res.StatusCode, got, len(body))
		}
	}
	icons := getDocument(t, app, "/pricing", "fr").Find(`link[rel=icon], link[rel=apple-touch-icon]`)
	testkit.Want(t, icons.Length(), 3, "icons are named in the head")
	icons.Each(func(_ int, link *goquery.Selection) {
		if res, _ := getPage(t, app, link.AttrOr("href", ""), ""); res.StatusCode != http.StatusOK {
			t.Errorf("%s answers %d", link.AttrOr("href", ""), res.StatusCode)
		}
	})
}
