package guide_test

import (
	"encoding/xml"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/gofiber/fiber/v2"
	"github.com/tidwall/gjson"

	"arpent/api/recorded"
	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/web"
	"arpent/web/guide"
)

const base = "https://arpent.example"

func newTestApp() *fiber.App {
	app := fiber.New()
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: base, Accounts: true})
	site.Register(app)
	guide.New(guide.Options{Site: site, Plans: billing.Plans()}).Register(app)
	return app
}

var sitemapPath = regexp.MustCompile(`<loc>` + base + `([^<?]+)</loc>`)

// guidePaths are those of all pages of the guide.
func guidePaths(t *testing.T, app *fiber.App) (out []string) {
	t.Helper()
	_, body := testkit.Get(t, app, "/sitemap.xml")
	for _, m := range sitemapPath.FindAllStringSubmatch(body, -1) {
		out = append(out, m[1])
	}
	if len(out) < 9 {
		t.Fatalf("the pages are %v", out)
	}
	return out
}

// anchorIDs are the anchors of a page, and code is what it shows to copy
// or to read: neither depends on the language.
func anchorIDs(page *goquery.Document) []string {
	return page.Find("main [id]").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("id", "") })
}

func codeTexts(page *goquery.Document) []string {
	return page.Find("main .code:not(.tall) code").Map(func(_ int, s *goquery.Selection) string { return s.Text() })
}

// A French reader gets all that an English one gets: the two texts are
// written apart, and neither may fall behind.
func TestBothLanguagesSayTheSame(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	for _, path := range guidePaths(t, app) {
		french, english := testkit.Document(t, app, path+"?lang=fr"), testkit.Document(t, app, path+"?lang=en")
		if a, b := anchorIDs(french), anchorIDs(english); !slices.Equal(a, b) {
			t.Errorf("%s: the anchors differ: %v, %v", path, a, b)
		}
		if a, b := codeTexts(french), codeTexts(english); !slices.Equal(a, b) {
			t.Errorf("%s: the code differs: %q, %q", path, a, b)
		}
		for _, tag := range []string{"h2", "h3", "p", "li", "dt", "dd", "pre", "tr"} {
			if a, b := french.Find("main "+tag).Length(), english.Find("main "+tag).Length(); a != b {
				t.Errorf("%s: %d times <%s> in French, %d in English", path, a, tag, b)
			}
		}
		if a, b := french.Find("main").Text(), english.Find("main").Text(); a == b || strings.Contains(a+b, `\u`) {
			t.Errorf("%s is not translated, or has an escape in it", path)
		}
	}
}

// A reader finds every page of the documentation by its name from each other one, and the parts of a long
// page from its beginning.
func TestDocumentationHasOneFrame(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	want := testkit.Document(t, app, "/docs").Find(".side a").Map(func(_ int, a *goquery.Selection) string { return a.Text() })
	for _, path := range guidePaths(t, app) {
		page := testkit.Document(t, app, path)
		names := page.Find(".side a").Map(func(_ int, a *goquery.Selection) string { return a.Text() })
		if len(names) < 20 || !slices.Equal(names, want) || page.Find(".side a[aria-current]").Length() != 1 {
			t.Errorf("%s: the list of pages is %q, with %d current ones", path, names, page.Find(".side a[aria-current]").Length())
		}
		parts := page.Find("article .part").Length()
		if links := page.Find(".toc a").Length(); parts > 1 && links < parts {
			t.Errorf("%s: %d links to %d parts", path, links, parts)
		}
		page.Find(".toc a").Each(func(_ int, a *goquery.Selection) {
			if page.Find(a.AttrOr("href", "")).Length() != 1 || a.Text() == "" {
				t.Errorf("%s: %q leads to no part", path, a.Text())
			}
		})
	}
}

// Without scripts a call is shown in its first language, and the others can be chosen.
func TestCallsAreShownInEachLanguage(t *testing.T) {
	t.Parallel()
	page := testkit.Document(t, newTestApp(), "/docs")
	page.Find(".langs").Each(func(_ int, call *goquery.Selection) {
		languages := call.Find("input[type=radio]").Map(func(_ int, i *goquery.Selection) string { return i.AttrOr("value", "") })
		if want := []string{"curl", "python", "typescript", "php", "r", "go"}; !slices.Equal(languages, want) {
			t.Errorf("the languages are %v", languages)
		}
		testkit.Want(t, call.Find("input[checked]").AttrOr("value", ""), "curl", "the first language")
	})
	testkit.Want(t, page.Find(".langs").Length(), len(guide.Calls()), "calls have languages")
}

// Answers, mails and pages link to these sections: they have to stay.
func TestSectionsStay(t *testing.T) {
	t.Parallel()
	found := anchorIDs(testkit.Document(t, newTestApp(), "/docs"))
	for id := range strings.FieldsSeq("endpoints addresses parcels statistics report states coverage authentication limits caching assistants errors versions licence start") {
		if !slices.Contains(found, id) {
			t.Errorf("/docs has no section %s", id)
		}
	}
}

// Every call and every program that is tested is on a page, with the answer that
// was recorded: each shown call was run.
func TestExamplesAreShownAsRecorded(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	var all, answers []string
	for _, path := range guidePaths(t, app) {
		page := testkit.Document(t, app, path+"?lang=en")
		all = append(all, codeTexts(page)...)
		answers = append(answers, page.Find("main .tall code").Map(func(_ int, s *goquery.Selection) string { return s.Text() })...)
	}
	for _, c := range guide.Calls() {
		if recorded.Answer(c.Name, base) == nil || !slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, `"`+base+"/api/v1"+c.Path+`"`) }) {
			t.Errorf("%s is not recorded, or not shown", c.Name)
		}
	}
	for _, s := range guide.Samples() {
		if want := recorded.Output(s.Recorded(), base); want == nil || !slices.Contains(answers, string(want)) {
			t.Errorf("%s: its output is not recorded, or not shown", s.File)
		}
		if !slices.Contains(all, s.Code(base)) {
			t.Errorf("%s is not shown", s.File)
		}
	}
	want := len(guide.Calls()) + len(guide.Samples()) + len(guide.AccountAnswers)
	if len(answers) != want || slices.Contains(answers, "") {
		t.Errorf("%d answers are shown, %d recorded", len(answers), want)
	}
}

// Changes are found by their day, the newest first, in both languages.
func TestChangesAreInOrder(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	var days []string
	testkit.Document(t, app, "/changes?lang=fr").Find(`section[id^="on-"]`).Each(func(_ int, s *goquery.Selection) {
		day := strings.TrimPrefix(s.AttrOr("id", ""), "on-")
		days = append(days, day)
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			t.Error(err)
		}
	})
	if len(days) < 4 || !slices.IsSortedFunc(days, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("the days are %v", days)
	}
	if text := testkit.Document(t, app, "/changes?lang=en").Find("main").Text(); strings.Contains(text, "`") {
		t.Error("a mark of code is left")
	}
}

// A reader of the feed gets every change once: it has an entry for each, which is on
// the page, and keeps its id when others are added.
func TestFeedOfChanges(t *testing.T) {
	t.Parallel()
	app := newTestApp()
	for _, lang := range []string{"fr", "en"} {
		page := testkit.Document(t, app, "/changes?lang="+lang)
		path := page.Find(`link[rel="alternate"][type="application/atom+xml"]`).AttrOr("href", "")
		res, err := app.Test(httptest.NewRequest("GET", path+"?lang="+lang, nil), -1)
		if err != nil || res.Header.Get("Content-Type") != "application/atom+xml; charset=utf-8" {
			t.Fatalf("%q: %v, error %v", path, res, err)
		}
		var feed struct {
			XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
			Entries []struct {
				ID      string    `xml:"id"`
				Title   string    `xml:"title"`
				Summary string    `xml:"summary"`
				Updated time.Time `xml:"updated"`
				Link    struct {
					Href string `xml:"href,attr"`
				} `xml:"link"`
				Category struct {
					Label string `xml:"label,attr"`
				} `xml:"category"`
			} `xml:"entry"`
		}
		testkit.NoError(t, xml.NewDecoder(res.Body).Decode(&feed))
		changes := page.Find(`[id^="on-"] li`)
		if len(feed.Entries) != min(changes.Length(), 50) || len(feed.Entries) < 10 {
			t.Fatalf("%d entries, %d changes", len(feed.Entries), changes.Length())
		}
		for i, e := range feed.Entries {
			on := changes.Eq(i)
			if text := strings.TrimSpace(on.ChildrenFiltered("span").Text()); e.Summary != text || !strings.HasPrefix(e.Summary, e.Title) || e.Title == "" {
				t.Errorf("%q: %q, and on the page %q", e.Title, e.Summary, text)
			}
			anchor := on.AttrOr("id", "")
			if _, place, _ := strings.Cut(e.Link.Href, "#"); place != anchor || page.Find("#"+anchor).Length() != 1 || !strings.HasPrefix(anchor, "on-"+e.Updated.Format(time.DateOnly)+"-") {
				t.Errorf("%s of %s is not the place %s on the page", e.Link.Href, e.Updated, anchor)
			}
			if e.ID != base+"/changes#"+anchor {
				t.Errorf("the id is %s, at %s", e.ID, anchor)
			}
			if tag := on.ChildrenFiltered("a.chip"); tag.AttrOr("href", "") != "#"+anchor || e.Category.Label == "" || !strings.HasPrefix(tag.Text(), e.Category.Label) {
				t.Errorf("%s has the tag %q, and on the page %q", anchor, e.Category.Label, tag.Text())
			}
		}
	}
}

// The limits are those of the plans.
func TestLimitsAreThoseOfThePlans(t *testing.T) {
	t.Parallel()
	page := testkit.Document(t, newTestApp(), "/docs?lang=en")
	for _, p := range billing.Plans() {
		want := fmt.Sprint(p.Title, p.PerMinute, p.EnrichmentsPerMinute, web.English.Number(p.PerDay))
		found := page.Find("#limits tbody tr").FilterFunction(func(_ int, row *goquery.Selection) bool {
			return strings.Join(row.Children().Map(func(_ int, c *goquery.Selection) string { return c.Text() }), "") == strings.ReplaceAll(want, " ", "")
		})
		if found.Length() != 1 {
			t.Errorf("no row says %s", want)
		}
	}
}

// The guide explains every header about limits that the contract lists: a client paces itself by them.
func TestLimitsNameEveryHeader(t *testing.T) {
	t.Parallel()
	contract := testkit.Must(os.ReadFile("../../app/tests/contract/testdata/openapi.json"))(t)
	headers := gjson.GetBytes(contract, "paths./api/v1/communes/{code}.get.responses.429.headers").Map()
	if len(headers) < 8 {
		t.Fatalf("the contract lists %d headers of a 429", len(headers))
	}
	for _, lang := range []string{"fr", "en"} {
		table := testkit.Document(t, newTestApp(), "/docs?lang="+lang).Find("#limits th code").Map(func(_ int, s *goquery.Selection) string { return s.Text() })
		for name := range headers {
			if name != "X-Request-Id" && !slices.Contains(table, name) {
				t.Errorf("%s: %s is not explained in %q", lang, name, table)
			}
		}
	}
}
