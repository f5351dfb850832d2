package public_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/internal/clock"
	"arpent/web"
	"arpent/web/public"
	"arpent/web/reference"
)

// figuresApp is a server with one source of figures, one without, and two keys.
func figuresApp() *fiber.App {
	s := loadedFigures()
	return statisticsApp(web.Options{Status: func() web.Status { return s }})
}

func loadedFigures() web.Status {
	return web.Status{
		Sources: []web.Source{
			{Name: "filosofi-communes", Title: "Filosofi", Producer: "INSEE", Rows: 34_909, LoadedAt: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC),
				Figures: &web.Figures{Communes: 31_304, Of: 34_875, Periods: []string{"2012", "2015", "2019", "2021"}}},
			{Name: "plan", Title: "Plan cadastral", Producer: "DGFiP", Rows: 12, LoadedAt: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)},
		},
		Known: []web.KnownLevel{
			{Level: "commune", Of: 34_875, Keys: []web.KnownKey{{Name: "revenus", Known: 31_304, From: 2019, To: 2021}, {Name: "apl"}}},
			{Level: "region", Of: 18, Keys: []web.KnownKey{{Name: "pib", Known: 18, To: 2023}}},
		},
	}
}

// statisticsApp is a server that explains two keys.
func statisticsApp(o web.Options) *fiber.App {
	o.ServiceName, o.BaseURL = "Arpent", "https://api.example.org"
	app := fiber.New()
	app.Use(web.Compress)
	public.New(public.Options{Site: web.New(o), Plans: billing.Plans(),
		Statistics: []public.StatisticsLevel{{Level: "commune", Path: "/communes/75056", Keys: []public.StatisticsKey{
			{Name: "revenus", Doc: "Income.", Type: "object", Members: []public.StatisticsMember{{Name: "medianIncome", Type: "integer or null", Doc: "Euros a year."}},
				Sources: []public.StatisticsSource{{Names: []string{"filosofi-communes"}, Producer: "INSEE", Title: "Filosofi"}}},
			{Name: "apl", Doc: "Doctors.", Type: "object", SameAs: "commune-revenus",
				Sources: []public.StatisticsSource{{Names: []string{"apl-2021", "apl-2022", "apl-2023"}, Producer: "DREES", Title: "APL"}}},
		}}},
		Methods: reference.MethodValues{
			Numbers: reference.MethodNumbers{MinCoverage: 0.95, MinBlocCoverage: 0.7, Left: -0.35, CentreLeft: -0.12,
				Centre: 0.12, CentreRight: 0.35},
			Blocs: reference.BlocTable{Version: "2026-1",
				Blocs:   []reference.BlocPlace{{Bloc: "farLeft", Position: -1}, {Bloc: "right", Position: 0.5}},
				Nuances: []reference.BlocOf{{Name: "REG", Label: "Régionalistes", Why: "Not translated."}},
				Candidates: []reference.BlocOf{{Year: 2022, Name: "Jean LASSALLE",
					Why: "No place on the scale: a candidate of rural protest, who drew from left and right."}}},
			Offences: []reference.OffenceList{{List: "2025", Labels: []string{"Cambriolages de logement"}}},
		}}).Register(app)
	return app
}

// blanks are those that a browser shows as one; others do not break.
var blanks = regexp.MustCompile(`[ \t\n]+`)

// expectTexts fails for each text that a page lacks.
func expectTexts(t *testing.T, app *fiber.App, path string, wants ...string) string {
	t.Helper()
	_, body := getPage(t, app, path, "")
	text := blanks.ReplaceAllString(body, " ")
	testkit.Contains(t, text, wants...)
	return text
}

// The page shows how many communes a source has figures of. What a source or a key lacks is left out and not
// shown as zero: figures of communes, a level, the years of a key without values.
func TestSourcesShowTheirCoverage(t *testing.T) {
	t.Parallel()
	app := figuresApp()
	expectTexts(t, app, "/sources?lang=fr",
		"communes renseignées\u00a0: 31\u202f304 sur 34\u202f875, 2012 – 2021 (4\u00a0périodes) · chargé le",
		"12\u00a0lignes · chargé le", "<p>communes\u00a0: 31\u202f304 sur 34\u202f875, 2019 – 2021</p>",
		"<p>régions\u00a0: 18 sur 18, 2023</p>")
	expectTexts(t, app, "/sources?lang=en",
		"communes with a value: 31,304 of 34,875, 2012 – 2021 (4 periods) · loaded on",
		"12 rows · loaded on", "<p>communes: 0 of 34,875</p>")
	if _, body := getPage(t, newTestApp(testStatus()), "/sources", "fr"); strings.Contains(body, `id="statistics"`) {
		t.Error("a server without statistics counts them")
	}
}

// The numbers and votes on the page on methods are those of the code, in the language of the reader. Text
// without a translation is marked as English.
func TestMethodsPrintWhatIsUsed(t *testing.T) {
	t.Parallel()
	app := figuresApp()
	expectTexts(t, app, "/methods?lang=fr", "au moins 95\u00a0% des habitants", "moins de 70\u00a0% des suffrages", "left jusqu’à −0,35", "+0,5", "sans place",
		"candidat de la protestation rurale", `<span lang="en">Not translated.</span>`, "Éditions depuis juillet 2025", "Cambriolages de logement")
	expectTexts(t, app, "/methods?lang=en", "95% of the inhabitants at least", "left up to −0.35", "a candidate of rural protest, who drew", "Editions since July 2025")
}

// Every key has its meaning, its members and its sources in one place, with what is loaded here.
func TestStatisticsAreExplained(t *testing.T) {
	t.Parallel()
	expectTexts(t, figuresApp(), "/docs/statistics?lang=en", `id="commune-revenus"`, "for 31,304 of 34,875", ", 2019 – 2021", "Euros a year.", "integer or null",
		"<code>filosofi-communes</code>, loaded", `id="commune-apl"`, "not known here", "apl-2021 … apl-2023</code>, not loaded here",
		`<a href="#commune-revenus"><code>commune-revenus</code></a>`, "/api/v1/communes/75056?include=stats")
	expectTexts(t, figuresApp(), "/docs/statistics?lang=fr", "en anglais, langue du contrat", "connue</span> pour 31\u202f304 sur 34\u202f875, 2019 – 2021", `<p lang="en">Income.</p>`,
		`<td lang="en">Euros a year. </td>`, "<code>filosofi-communes</code>, chargée", "inconnue ici", "Demander les statistiques d’une commune")
}

// The page on statistics is made once for what is loaded and an hour, in each language: readers share it
// until a load changes it. A reader with a session gets a page with their own token.
func TestStatisticsPageIsMadeOnceForEachLoad(t *testing.T) {
	t.Parallel()
	loaded, now, tokens := loadedFigures(), clock.At(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)), 0
	app := statisticsApp(web.Options{Status: func() web.Status { return loaded }, Clock: now, Accounts: true, CSRFToken: func(session string) string {
		tokens++
		return fmt.Sprintf("token-%d-of-%s", tokens, session)
	}})
	const path = "/docs/statistics?lang=en"
	first, text := getPage(t, app, path, "")
	tag := first.Header.Get("ETag")
	if tag == "" || !strings.Contains(text, "for 31,304 of 34,875") || !strings.Contains(text, "token-1-of-") {
		t.Fatalf("tag %q of\n%.400s", tag, text)
	}
	loaded.Known[0].Keys[0].Known = 12 // a page that is made now would say so
	if again, body := getPage(t, app, path+"&x=1", ""); again.Header.Get("ETag") != tag || body != text {
		t.Errorf("made again: tag %s after %s", again.Header.Get("ETag"), tag)
	}
	if known, body := getPage(t, app, path, "", "If-None-Match", tag); known.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("%d with %d bytes for a browser that has it", known.StatusCode, len(body))
	}
	if packed, body := getPage(t, app, path, "", "Accept-Encoding", "br"); packed.Header.Get("ETag") != tag ||
		packed.Header.Get("Content-Encoding") != "br" || len(body) > len(text)/2 {
		t.Errorf("compressed: %v, %d bytes of %d", packed.Header, len(body), len(text))
	}
	if other, body := getPage(t, app, "/docs/statistics?lang=fr", ""); other.Header.Get("ETag") == tag || !strings.Contains(body, `lang="fr"`) {
		t.Error("another language has the same page")
	}
	if own, body := getPage(t, app, path, "", "Cookie", "__Host-arpent-session=mine"); own.Header.Get("ETag") != "" ||
		!strings.Contains(body, "-of-mine") || !strings.Contains(body, "for 31,304 of 34,875") {
		t.Errorf("a reader with a session: tag %q, content made again or without their token", own.Header.Get("ETag"))
	}
	now.Advance(time.Hour)
	if later, body := getPage(t, app, path, ""); later.Header.Get("ETag") == tag || strings.Contains(body, "token-1-of-") {
		t.Error("the token of a form is kept for ever")
	}
	loaded.Edition++
	if after, body := getPage(t, app, path, "", "If-None-Match", tag); after.StatusCode != http.StatusOK || !strings.Contains(body, "for 12 of 34,875") {
		t.Errorf("after a load: %d", after.StatusCode)
	}
}
