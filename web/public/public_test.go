package public_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/internal/fault"
	"arpent/web"
	"arpent/web/guide"
	"arpent/web/public"
)

func squareRings(x, y float64) [][][2]float64 {
	const d = 0.0003
	return [][][2]float64{{{x, y}, {x + d, y}, {x + d, y + d}, {x, y + d}, {x, y}}}
}

const producerPage = "https://cadastre.example/plan"

func testStatus() web.Status {
	return web.Status{
		Communes: 34_875, Parcelles: 1_234_567,
		Sources: []web.Source{{Name: "plan", Producer: "DGFiP", Title: "Plan cadastral <b>", Homepage: producerPage, Licence: "Licence Ouverte 2.0", Vintage: "2025-01-01 – 2025-03-05",
			Rows: 7_124, LoadedAt: time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC)}},
		Sheet: web.Draw("Bondy", []web.Outline{
			{IDU: "93010000AB0007", Rings: squareRings(2.48, 48.9), Answer: []byte(`{"idu":"first"}`)},
			{IDU: "93010000AB0012", Rings: squareRings(2.4803, 48.9), Answer: []byte(`{"idu":"second"}`)},
		}),
	}
}

func newTestApp(s web.Status) *fiber.App {
	app := fiber.New()
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org", Contact: "who@example.org", Status: func() web.Status { return s }})
	public.New(public.Options{Site: site, Plans: billing.Plans()}).Register(app)
	guide.New(guide.Options{Site: site, Plans: billing.Plans()}).Register(app) // which these pages lead to
	return app
}

func getPage(t *testing.T, app *fiber.App, path, accept string, headers ...string) (*http.Response, string) {
	t.Helper()
	return testkit.Get(t, app, path, append(headers, "Accept-Language", accept)...)
}

// A visitor who reads one of our languages must not be given the other.
func TestLanguageIsTheReaders(t *testing.T) {
	t.Parallel()
	app := newTestApp(testStatus())
	for _, c := range []struct{ path, accept, want string }{
		{"/", "", "fr"}, {"/", "en-GB,en;q=0.9,fr;q=0.8", "en"}, {"/", "de, fr-CA;q=0.5, en;q=0.3", "fr"}, {"/", "de", "fr"},
		{"/", "en;q=0.3, fr;q=0.9", "fr"}, {"/", "fr;q=0, en;q=0.1", "en"}, {"/", "en;q=x", "fr"},
		{"/?lang=en", "fr", "en"}, {"/?lang=fr", "en", "fr"}, {"/?lang=xx", "en", "en"}, {"/docs", "fr", "fr"}, {"/docs/errors", "fr", "fr"}, {"/docs/report", "fr", "fr"}, {"/docs/statistics", "en", "en"},
	} {
		res, body := getPage(t, app, c.path, c.accept)
		if !strings.Contains(body, `<html lang="`+c.want+`"`) {
			t.Errorf("%s with %q is not in %s", c.path, c.accept, c.want)
		}
		if !strings.Contains(res.Header.Get("Vary"), "Accept-Language") {
			t.Errorf("%s: a cache would give one reader's language to another", c.path)
		}
	}
}

// Every error of the API links to its explanation: each must exist.
func TestEveryErrorCodeIsExplained(t *testing.T) {
	t.Parallel()
	_, french := getPage(t, newTestApp(testStatus()), "/docs/errors?lang=fr", "")
	_, body := getPage(t, newTestApp(testStatus()), "/docs/errors?lang=en", "")
	for _, code := range []fault.Code{fault.InvalidParameter, fault.MissingAPIKey, fault.InvalidAPIKey, fault.NotFound,
		fault.RateLimited, fault.QuotaExceeded, fault.Unavailable, fault.MethodNotAllowed, fault.RequestTooLarge, fault.Internal,
		fault.MissingToken, fault.InvalidToken, fault.MissingScope} {
		if !strings.Contains(body, `id="`+string(code)+`"`) || !strings.Contains(french, `id="`+string(code)+`"`) {
			t.Errorf("%s has no section", code)
		}
	}
}

var (
	links   = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	cssURLs = regexp.MustCompile(`url\("?([^")]*)"?\)`)
	scripts = regexp.MustCompile(`<script[^>]*>[^<]*`)
	// legalPage matches the pages of another package, which the tests of the whole service follow.
	legalPage = regexp.MustCompile(`^/(terms|privacy|legal|contact)(\?lang=..)?(#.*)?$`)
	ownScript = regexp.MustCompile(`^<script src="/assets/[^"]+" defer>$`)
)

// A page that requests something from a third party, or runs its script, reveals its readers to
// others. A link to a missing page is broken.
func TestPagesStandAlone(t *testing.T) {
	t.Parallel()
	app := newTestApp(testStatus())
	for _, path := range []string{"/", "/pricing", "/sources", "/docs?lang=fr", "/docs?lang=en", "/docs/errors?lang=fr", "/docs/errors?lang=en", "/docs/report", "/docs/statistics", "/methods?lang=fr", "/methods?lang=en", "/sources?lang=en", "/connect?lang=fr", "/connect?lang=en"} {
		res, body := getPage(t, app, path, "")
		if policy := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", path, policy)
		}
		if res.Header.Get("Set-Cookie") != "" || strings.Contains(body, "style=") || strings.Contains(body, "<style") {
			t.Errorf("%s: a cookie or an inline style", path)
		}
		for _, script := range scripts.FindAllString(body, -1) {
			if !ownScript.MatchString(script) {
				t.Errorf("%s: the script %q is not a file of ours", path, script)
			}
		}
		for _, l := range links.FindAllStringSubmatch(body, -1) {
			link := strings.TrimPrefix(strings.ReplaceAll(l[1], "&amp;", "&"), base)
			switch {
			case link == producerPage && strings.HasPrefix(path, "/sources"): // opened by a reader alone
			case link == "/openapi.json" || legalPage.MatchString(link) || strings.HasPrefix(link, "/coverage") || strings.HasPrefix(link, "/explore") || strings.HasPrefix(link, "/status") || strings.HasPrefix(link, "/docs/reference") || strings.HasPrefix(link, "mailto:") || strings.HasPrefix(link, "#"):
			case strings.HasPrefix(link, "?"):
				checkLinkExists(t, app, path+link)
			default:
				checkLinkExists(t, app, link)
			}
		}
	}
}

func checkLinkExists(t *testing.T, app *fiber.App, link string) {
	t.Helper()
	if !strings.HasPrefix(link, "/") {
		t.Errorf("%s is on another host", link)
		return
	}
	res, body := getPage(t, app, link, "")
	if res.StatusCode != http.StatusOK {
		t.Errorf("%s answers %d", link, res.StatusCode)
	}
	for _, u := range cssURLs.FindAllStringSubmatch(body, -1) {
		checkLinkExists(t, app, "/assets/"+u[1])
	}
}

// What a visitor clicks on the plan must be what is shown; what a source calls itself must not become markup.
func TestSheetShowsTheChosenParcel(t *testing.T) {
	t.Parallel()
	app := newTestApp(testStatus())
	for path, want := range map[string]string{"/": "first", "/?parcelle=93010000AB0012": "second", "/?parcelle=<script>": "first"} {
		_, body := getPage(t, app, path, "en")
		if !strings.Contains(body, "&#34;idu&#34;: &#34;"+want) {
			t.Errorf("%s does not show the %s parcel", path, want)
		}
		if strings.Contains(body, "<b>") || strings.Contains(body, "<script>") {
			t.Errorf("%s: text became markup", path)
		}
	}
	_, body := getPage(t, app, "/", "fr")
	testkit.Contains(t, body, "1\u202f234\u202f567", "21\u00a0novembre\u00a02026", "19\u00a0€", "Bondy, section AB.")
	_, sourcesPage := getPage(t, app, "/sources", "fr")
	if !strings.Contains(sourcesPage, "1er\u00a0janvier\u00a02025 – 5\u00a0mars\u00a02025") || strings.Contains(sourcesPage, "<b>") {
		t.Error("the vintage of the sources is not shown as text")
	}
	if !strings.Contains(sourcesPage, `<a lang="fr" href="https://cadastre.example/plan" rel="noreferrer">Plan cadastral &lt;b&gt;</a>`) {
		t.Error("a source does not link to the page of its producer")
	}
	for name, want := range map[string]string{
		"yearly":    "· chaque année · à jour, vérifié le 21\u00a0novembre\u00a02026",
		"monthly":   "· chaque mois · en retard\u00a0: à vérifier depuis le 1er\u00a0octobre\u00a02026",
		"quarterly": "· chaque trimestre · une édition plus récente n’a pas pu être chargée",
		"":          "· fréquence inconnue</p>",
	} {
		s := testStatus()
		src := &s.Sources[0]
		src.Rhythm = name
		switch name {
		case "yearly":
			src.CheckedAt, src.DueAt = time.Date(2026, 11, 21, 3, 30, 0, 0, time.UTC), time.Date(2150, 1, 1, 0, 0, 0, 0, time.UTC)
		case "monthly":
			src.DueAt = time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)
		case "quarterly":
			src.Problem = true
		}
		if _, body := getPage(t, newTestApp(s), "/sources", "fr"); !strings.Contains(body, want) {
			t.Errorf("a source of rhythm %q does not say %q", name, want)
		}
	}
	if _, body := getPage(t, newTestApp(web.Status{}), "/", "en"); !strings.Contains(body, "Nothing yet.") || strings.Contains(body, "<figure") {
		t.Error("an empty server does not say that it is empty")
	}
}

// A French reader reads the conditions of a licence in French.
func TestConditionsOfALicenceAreInTheLanguage(t *testing.T) {
	t.Parallel()
	app := newTestApp(web.Status{Sources: []web.Source{{Name: "dvf", Producer: "DGFiP", Title: "Ventes",
		Licence: "Licence Ouverte 2.0; no re-identification, no indexing by search engines"}}})
	for lang, want := range map[string]string{"fr": "pas de réidentification, pas d’indexation",
		"en": "2.0; no re-identification, no indexing"} {
		if _, page := getPage(t, app, "/sources", lang); !strings.Contains(page, want) {
			t.Errorf("%s: the page lacks %q", lang, want)
		}
	}
}

// A buyer reads before paying what requests beyond the quota cost, where they are sold.
func TestPricingSaysWhatAReserveCosts(t *testing.T) {
	t.Parallel()
	for cents, want := range map[int64]bool{0: false, 800: true, 1050: true} {
		app := fiber.New()
		site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org", Status: testStatus})
		public.New(public.Options{Site: site, Plans: billing.Plans(), PaidPlans: true,
			ReservePrice: func(context.Context) int64 { return cents }}).Register(app)
		_, page := getPage(t, app, "/pricing?lang=en", "")
		if strings.Contains(page, web.English.Euros(cents)+" excl. VAT for 1,000 requests") != want ||
			strings.Contains(page, `id="reserve"`) != want {
			t.Errorf("%d cents: the page says what a reserve costs: %t", cents, !want)
		}
	}
}

// Where plans are sold by the year, the pages that name their prices say so, and that it costs less only
// where it does. What the law gives a customer is kept.
func TestPagesSayThatPlansAreSoldByTheYear(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prices      map[string]int64
		want, lacks string
	}{
		"no year":     {nil, "no minimum term", "a year in advance"},
		"for less":    {map[string]int64{"standard": 19000, "pro": 79000}, "a year in advance, for less.", "refunded in part"},
		"for as much": {map[string]int64{"standard": 22800, "pro": 94800}, "a year in advance.", "for less"},
	} {
		app := fiber.New()
		site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org", Status: testStatus})
		public.New(public.Options{Site: site, Plans: billing.Plans(), PaidPlans: true,
			YearlyPrices: func(context.Context) map[string]int64 { return c.prices }}).Register(app)
		_, page := getPage(t, app, "/pricing?lang=en", "")
		if !strings.Contains(page, c.want) || strings.Contains(page, c.lacks) {
			t.Errorf("%s: the page lacks %q or has %q", name, c.want, c.lacks)
		}
		byYear := c.prices != nil
		if got := strings.Contains(page, "no pro-rata refund for a year that has begun, unless the law entitles you to one"); got != byYear {
			t.Errorf("%s: the page says what is refunded: %t", name, got)
		}
		for _, path := range []string{"/llms.txt", "/connect?lang=en"} {
			if _, text := getPage(t, app, path, ""); strings.Contains(text, "or by the year") != byYear {
				t.Errorf("%s: %s says that plans are sold by the year: %t", name, path, !byYear)
			}
		}
	}
}
