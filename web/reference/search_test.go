package reference_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/web"
	"arpent/web/reference"
)

const article = `<html><body><nav>Menu</nav><main><h1>Errors</h1><p>Every error has a code.</p>
<section id="not_found"><h2><span>not_found</span> 404</h2><p>There is no such région, or &lt;b&gt; it is not loaded.</p></section>
<dl><div id="stats.population"><dt><code>population</code> <span class="kind">integer</span></dt><dd>Inhabitants, in force. L’année est dite.</dd></div>
<dt id="dvf"><code>dvf</code></dt><dd>Sales of the parcel.</dd></dl>
<section id="calls"><h2>Calls</h2>
<div data-language="curl">curl zone</div><div data-language="go">gopher zone</div></section>
<section id="themes"><h2>Themes</h2><details><summary>Folded rows <span class="soft small">4 keys</span></summary></details></section>
<section id="steps"><h2>Steps</h2><ol><li>Type the address.<div><span class="code-label">Address</span><pre><code>https://mcp.example</code></pre></div></li></ol>
<table><caption>Members</caption><thead><tr><th>Name</th><th>Type</th><th>Unit</th></tr></thead><tbody><tr><th>areaKm2</th><td>number</td><td>km²</td></tr></tbody></table></section>
</main></body></html>`

// newSearchApp has one page, which is the same in both languages but for its title.
func newSearchApp() *fiber.App {
	app := fiber.New()
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://arpent.example"})
	reference.NewSearch(reference.SearchOptions{Site: site, Summary: func(web.Frame) string { return "# Arpent\n" }, Reference: func() string { return "# Reference\n" },
		Documents: func(f web.Frame) []web.Document {
			text := strings.Replace(article, "Errors", f.Lang.Pick("Erreurs", "Errors"), 1)
			return []web.Document{{Path: "/docs/errors", Body: templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})}}
		}}).Register(app)
	return app
}

func readPage(t *testing.T, app *fiber.App, path string) string {
	t.Helper()
	res, body := testkit.Get(t, app, path)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%.99s answers %d: %.300s", path, res.StatusCode, body)
	}
	return body
}

// A reader finds a part of a page by its words, without accents, capitals or
// scripts, and what is called so comes first.
func TestSearch(t *testing.T) {
	t.Parallel()
	app := newSearchApp()
	for query, want := range map[string]string{
		"population": "/docs/errors#stats.population", "REGION": "/docs/errors#not_found", "not_found": "/docs/errors#not_found", "errors": "/docs/errors",
		"sales parcel": "/docs/errors#dvf", "l'annee": "/docs/errors#stats.population", "dvf": "/docs/errors#dvf",
	} {
		doc := testkit.Document(t, app, "/docs/search?lang=en&q="+url.QueryEscape(query))
		if got := doc.Find(".results a").First().AttrOr("href", ""); got != want {
			t.Errorf("%q finds %q first, want %q", query, got, want)
		}
		if got := doc.Find(".results a").First().Text(); strings.Contains(got, "integer") {
			t.Errorf("%q finds a title with a type: %q", query, got)
		}
		if got := doc.Find("input[name=q]").AttrOr("value", ""); got != query {
			t.Errorf("%q is shown as %q", query, got)
		}
	}
	doc := testkit.Document(t, app, "/docs/search?lang=en&q=region")
	for query, want := range map[string]bool{"curl": true, "gopher": false} {
		found := readPage(t, app, "/docs/search?lang=en&q="+query)
		if got := strings.Contains(found, "/docs/errors#calls"); got != want {
			t.Errorf("a call with %s is found: %v", query, got)
		}
	}
	if got := doc.Find("mark").Text(); got != "région" {
		t.Errorf("%q is marked", got)
	}
	if doc.Find("main b").Length() != 0 || !strings.Contains(doc.Find(".results").Text(), "<b>") {
		t.Error("a text of a page became markup")
	}
}

// A reader who adds a word that the documentation does not have, or spells a name with parts that it has
// elsewhere, gets the closest passages, and a sentence that they lack a word.
func TestClosestPassages(t *testing.T) {
	t.Parallel()
	app := newSearchApp()
	for query, want := range map[string]string{
		"too many errors":           "", // one word of three
		"population census":         "/docs/errors#stats.population",
		"X-Sales-Of-Parcel":         "/docs/errors#dvf",
		"sales of the parcel xyzzy": "/docs/errors#dvf",
		"xyzzy":                     "",
	} {
		doc := testkit.Document(t, app, "/docs/search?lang=en&q="+url.QueryEscape(query))
		if got := doc.Find(".results a").First().AttrOr("href", ""); got != want {
			t.Errorf("%q finds %q first, want %q", query, got, want)
		}
		if status := doc.Find("#found [role=status]").Text(); !strings.HasPrefix(status, "No passage contains all of these words") {
			t.Errorf("%q is answered with %q", query, status)
		}
	}
	if doc := readPage(t, app, "/docs/search?lang=en&q=sales+parcel"); strings.Contains(doc, "closest") {
		t.Error("a passage with every word counts as the closest only")
	}
}

// Results are together by page, with the page of the best one first; a passage that several pages have is
// found once; and the form keeps the language that the page was asked for in.
func TestResultsAreTogetherByPage(t *testing.T) {
	t.Parallel()
	const field = `<dl><dt id="population"><code>population</code></dt><dd>Inhabitants.</dd></dl>`
	pages := []web.Document{
		{Path: "/docs/first", Body: templ.Raw(`<main><h1>First</h1><section id="a"><h2>Counting</h2><p>The population of a place.</p></section>` + field + `</main>`)},
		{Path: "/docs/second", Body: templ.Raw(`<main><h1>Second</h1><section id="b"><h2>Growth</h2><p>More population.</p></section>` + field + `</main>`)},
	}
	app := fiber.New()
	reference.NewSearch(reference.SearchOptions{Site: web.New(web.Options{ServiceName: "Arpent"}),
		Documents: func(web.Frame) []web.Document { return pages }}).Register(app)
	doc := testkit.Document(t, app, "/docs/search?lang=en&q=population")
	var got []string
	doc.Find("#found h2, #found .results a").Each(func(_ int, s *goquery.Selection) { got = append(got, s.Text()) })
	if want := "First population Counting Second Growth"; strings.Join(got, " ") != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if lang := doc.Find("form[data-instant] input[name=lang]").AttrOr("value", ""); lang != "en" {
		t.Errorf("the form asks for %q", lang)
	}
}

// The count is that of all passages, and says how many of them the page shows.
func TestCountSaysHowManyAreShown(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	for i := range 41 {
		fmt.Fprintf(&body, `<section id="s%d"><h2>Part %d</h2><p>Census number %d.</p></section>`, i, i, i)
	}
	pages := []web.Document{{Path: "/docs/parts",
		Body: templ.Raw(`<main><h1>Parts</h1>` + body.String() + `</main>`)}}
	app := fiber.New()
	reference.NewSearch(reference.SearchOptions{Site: web.New(web.Options{ServiceName: "Arpent"}),
		Documents: func(web.Frame) []web.Document { return pages }}).Register(app)
	for query, want := range map[string]string{"lang=en&q=census": "The first 30 of 41 passages",
		"lang=fr&q=census": "Les 30 premiers passages sur 41", "lang=en&q=census+7": "4 passages"} {
		doc := testkit.Document(t, app, "/docs/search?"+query)
		testkit.Want(t, doc.Find("#found [role=status]").Text(), want, query)
	}
}

// Keys of one name on the page of statistics differ by their level.
func TestKeysOfOneNameHaveTheirLevel(t *testing.T) {
	t.Parallel()
	const body = `<main><h1>Statistics</h1><section id="commune"><h2>Communes</h2></section>
<section id="commune-population"><h3>population</h3><p>Inhabitants.</p></section>
<section id="region-population"><h3>population</h3><p>Inhabitants of all its communes.</p></section></main>`
	pages := []web.Document{{Path: "/docs/statistics", Body: templ.Raw(body)}}
	app := fiber.New()
	reference.NewSearch(reference.SearchOptions{Site: web.New(web.Options{ServiceName: "Arpent"}),
		Documents: func(web.Frame) []web.Document { return pages }}).Register(app)
	answer := readPage(t, app, "/docs/search?lang=en&q=population")
	doc := testkit.Must(goquery.NewDocumentFromReader(strings.NewReader(answer)))(t)
	got := doc.Find(".results .soft").Map(func(_ int, s *goquery.Selection) string { return s.Text() })
	if !slices.Equal(got, []string{"Communes", "Régions"}) {
		t.Errorf("the keys have the places %q", got)
	}
}

// What stands in blocks of its own on the page, as the cells of a table, does not read as
// one sentence in the excerpt.
func TestBlocksAreApart(t *testing.T) {
	t.Parallel()
	doc := testkit.Document(t, newSearchApp(), "/docs/search?lang=en&q=unit")
	const want = "Type the address. https://mcp.example · Members · Name · Type · Unit · areaKm2 · number · km²"
	testkit.Want(t, strings.TrimSpace(doc.Find(".results p").First().Text()), want, "the excerpt")
	if folded := readPage(t, newSearchApp(), "/docs/search?lang=fr&q=folded"); !strings.Contains(folded,
		"rows") || strings.Contains(folded, "4 keys") {
		t.Errorf("how much is folded is in the excerpt:\n%s", folded)
	}
}

// Any query is answered: nothing, too much, or what is no text.
func TestAnyQueryIsAnswered(t *testing.T) {
	t.Parallel()
	app := newSearchApp()
	for _, query := range []string{"", "   ", "xyzzy", strings.Repeat("xyzzy ", 300), "\xff\xfe", "<script>", "é́", "plugh xyzzy"} {
		body := readPage(t, app, "/docs/search?q="+url.QueryEscape(query))
		if strings.Contains(body, "<script>") || strings.Contains(body, `class="results"><li>`) {
			t.Errorf("%.20q: %.2000s", query, body)
		}
	}
	if !strings.Contains(readPage(t, app, "/docs/search?q=erreurs&lang=fr"), "Erreurs") || strings.Contains(readPage(t, app, "/docs/search?q=erreurs&lang=en"), `href="/docs/errors"`) {
		t.Error("a page is not searched in the language of the reader")
	}
}

// A program that reads text gets everything in one: the summary, the pages part by part, and the reference.
func TestFullText(t *testing.T) {
	t.Parallel()
	text := readPage(t, newSearchApp(), "/llms-full.txt")
	testkit.Contains(t, text, "# Arpent\n", "# Errors (https://arpent.example/docs/errors)", "Every error has a code.", "## not_found 404\n", "Inhabitants, in force.", "# Reference\n")
	if strings.Contains(text, "Menu") || strings.Contains(text, "<code>") {
		t.Errorf("more than the text of the pages:\n%s", text)
	}
}

// The whole documentation is put together once for what is loaded: a program that has it is answered with
// 304, and with another text after a load, which the search finds too.
func TestFullTextIsMadeOnceForEachLoad(t *testing.T) {
	t.Parallel()
	loaded, built := web.Status{Edition: 1}, 0
	app := fiber.New()
	app.Use(web.Compress)
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://arpent.example", Status: func() web.Status { return loaded }})
	reference.NewSearch(reference.SearchOptions{Site: site,
		Summary:   func(web.Frame) string { return "# Arpent\n" },
		Reference: func() string { return strings.Repeat("# Reference\n", 1000) },
		Documents: func(web.Frame) []web.Document {
			built++
			text := strings.Replace(article, "Every error", fmt.Sprintf("Load%d: every error", loaded.Edition), 1)
			return []web.Document{{Path: "/docs/errors", Body: templ.Raw(text)}}
		}}).Register(app)
	get := func(path string, headers ...string) (*http.Response, string) {
		t.Helper()
		return testkit.Get(t, app, path, headers...)
	}
	const path = "/llms-full.txt"
	first, text := get(path)
	tag := first.Header.Get("ETag")
	if tag == "" || !strings.Contains(text, "Load1: every error") {
		t.Fatalf("tag %q of\n%.400s", tag, text)
	}
	for _, encoding := range []string{"br", "gzip"} {
		again, packed := get(path, "Accept-Encoding", encoding)
		if again.Header.Get("ETag") != tag || again.Header.Get("Content-Encoding") != encoding || len(packed) > len(text)/2 {
			t.Errorf("%s: %v, %d bytes of %d", encoding, again.Header, len(packed), len(text))
		}
	}
	if known, body := get(path, "If-None-Match", tag); known.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("%d with %d bytes for a program that has it", known.StatusCode, len(body))
	}
	if built != 1 {
		t.Errorf("it was put together %d times", built)
	}
	loaded.Edition = 2
	after, text := get(path, "If-None-Match", tag)
	if after.StatusCode != http.StatusOK || after.Header.Get("ETag") == tag || !strings.Contains(text, "Load2: every error") || built != 2 {
		t.Errorf("after a load: %d, tag %s, put together %d times:\n%.400s", after.StatusCode, after.Header.Get("ETag"), built, text)
	}
	if _, page := get("/docs/search?lang=en&q=load2"); !strings.Contains(page, `<a href="/docs/errors">`) {
		t.Errorf("the search does not find what was loaded:\n%s", page)
	}
}
