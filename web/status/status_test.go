package status_test

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/dev/testkit"
	"arpent/internal/clock"
	"arpent/web"
	"arpent/web/status"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

type fixedClock struct{}

func (fixedClock) Now() time.Time { return noon }

// testReport is a service whose second operation fails.
func testReport() status.Report {
	today := clock.Day(noon)
	latency := make([]int, 41)
	latency[10] = 20
	return status.Report{Every: 5 * time.Minute, Today: today, Since: today - 89, Read: true,
		Operations: []status.Operation{
			{Name: "get_commune", State: status.OK, Last: noon,
				Days: []status.Day{{Date: today - 1, OK: 2879, Failed: 1, Latency: latency},
					{Date: today, OK: 20, Latency: latency}}},
			{Name: "get_parcel", State: status.Failing, Last: noon,
				Days: []status.Day{{Date: today, Failed: 3, Latency: make([]int, 41)}}},
			{Name: "mcp", State: status.Unknown},
		},
		Incidents: []status.Incident{
			{Operation: "get_parcel", BeganAt: noon.Add(-10 * time.Minute), FailedAt: noon, Failures: 3, Reason: "status 503"},
			{Operation: "get_commune", BeganAt: noon.Add(-26 * time.Hour), FailedAt: noon.Add(-25 * time.Hour), Failures: 2, Reason: "timeout", Over: true},
		}}
}

func newTestApp(r status.Report, up bool, sources ...web.Source) *fiber.App {
	app := fiber.New()
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org", Speed: r.Speed, Status: func() web.Status { return web.Status{Sources: sources} }})
	status.New(status.Options{Site: site, Clock: fixedClock{}, Report: func() status.Report { return r },
		DatabaseUp: func() bool { return up },
		Operations: []status.OperationName{{"get_commune", "Une commune", "Get a commune"},
			{"get_parcel", "Une parcelle", "Get a parcel"}, {"mcp", "Un outil", "A tool"}}}).Register(app)
	return app
}

// blanks are those between words, not those that keep two together.
var blanks = regexp.MustCompile(`[ \t\n]+`)

func getPage(t *testing.T, app *fiber.App, path string, header ...string) (*http.Response, string) {
	t.Helper()
	res, body := testkit.Get(t, app, path, header...)
	return res, blanks.ReplaceAllString(body, " ")
}

func expectTexts(t *testing.T, app *fiber.App, path string, want ...string) {
	t.Helper()
	res, body := getPage(t, app, path)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s answers %d", path, res.StatusCode)
	}
	testkit.Contains(t, body, want...)
}

// A reader sees in their language what answers and what does not, since when, and whether the data are fresh.
func TestPage(t *testing.T) {
	t.Parallel()
	late := web.Source{Name: "dvf", Title: "Ventes", Rhythm: "half-yearly", LoadedAt: noon.AddDate(-1, 0, 0), DueAt: noon.AddDate(0, -1, 0)}
	fresh := web.Source{Name: "plan", Title: "Plan", Rhythm: "quarterly", Vintage: "2026-10-01",
		LoadedAt: noon, CheckedAt: noon, DueAt: noon.AddDate(0, 3, 0)}
	app := newTestApp(testReport(), true, fresh, late)
	expectTexts(t, app, "/status?lang=fr", "Des opérations ne répondent pas.", "Une commune", "répond", "99,96\u00a0% de réponses", "mesuré 2\u00a0jours sur 90, 1 avec des échecs",
		"médiane 10\u00a0ms", "1\u00a0jeu sur 2 a peut-être une édition plus récente.", "depuis le 20\u00a0novembre\u00a02026 à\u00a012:50", "503 Service Unavailable", "pas de réponse en 15\u00a0secondes", "1 sur 2", "en retard", "édition 1er\u00a0octobre\u00a02026", "1 sur 2\u202f880")
	expectTexts(t, app, "/status?lang=en", "Some operations do not answer.", "Get a parcel", "does not answer", "99.96% answered", "measured on 2 of 90 days, 1 with failures",
		"since 20\u00a0November\u00a02026 at\u00a012:50", "no answer within 15 seconds", "1 of 2", "not measured", "edition 1\u00a0October\u00a02026")
	if _, body := getPage(t, app, "/status?lang=en"); strings.Index(body, "Ventes") > strings.Index(body, ">Plan<") || strings.Contains(body, "The database does not answer") {
		t.Error("late sources are not first, or the database is called away")
	}
}

// Nothing measured is said to be nothing: no share, no green bar, and null for programs.
func TestNothingMeasured(t *testing.T) {
	t.Parallel()
	today := clock.Day(noon)
	app := newTestApp(status.Report{Every: 5 * time.Minute, Today: today, Since: today - 89,
		Operations: []status.Operation{{Name: "get_commune", State: status.Unknown}}}, true)
	expectTexts(t, app, "/status?lang=fr", "Pas encore mesuré.", "on ne sait pas si le service répondait avant", "Rien n’a encore été mesuré.", "Aucune source n’est chargée.")
	if _, body := getPage(t, app, "/status?lang=en"); strings.Contains(body, "100%") || strings.Contains(body, "bar-good") || !strings.Contains(body, "Not measured yet.") {
		t.Errorf("%s", body)
	}
	_, body := getPage(t, app, "/status.json")
	if !strings.Contains(body, `"state":"unknown"`) || !strings.Contains(body, `"answered":null,"days":[]`) || !strings.Contains(body, `"lastAt":null`) {
		t.Error(body)
	}
	expectTexts(t, newTestApp(status.Report{Today: today, Since: today - 89}, true), "/status?lang=en",
		"Nothing is measured on this server.")
}

// After a start the page says how much was called so far, and that all of
// it answers only once all of it was called.
func TestHeadlineSaysWhatWasMeasured(t *testing.T) {
	t.Parallel()
	today := clock.Day(noon)
	report := status.Report{Every: 5 * time.Minute, Today: today, Since: today - 89,
		Operations: []status.Operation{{Name: "get_commune", State: status.OK},
			{Name: "get_parcel", State: status.Unknown}, {Name: "mcp", State: status.Unknown}}}
	expectTexts(t, newTestApp(report, true), "/status?lang=fr", "Mesure en cours\u00a0: 1 sur 3 opérations ont répondu")
	_, body := getPage(t, newTestApp(report, true), "/status?lang=en")
	if !strings.Contains(body, "1 of 3 operations answered") || strings.Contains(body, "The service answers.") {
		t.Error("one operation of three stands for all of them")
	}
	for i := range report.Operations {
		report.Operations[i].State = status.OK
	}
	expectTexts(t, newTestApp(report, true), "/status?lang=en", "The service answers.")
}

// While the database is away the page answers, with what it knows, and reports the outage.
func TestPageWithoutDatabase(t *testing.T) {
	t.Parallel()
	app := newTestApp(testReport(), false)
	expectTexts(t, app, "/status?lang=fr", "La base de données ne répond pas.", "Une commune")
	expectTexts(t, app, "/status.json", `"database":"down"`)
}

// Programs find every member that is documented, and unknown is null.
func TestDocument(t *testing.T) {
	t.Parallel()
	res, body := getPage(t, newTestApp(testReport(), true, web.Source{Name: "plan", Title: "Plan", LoadedAt: noon}), "/status.json")
	var d struct {
		State, Database string
		EverySeconds    int
		Complete        bool
		Operations      []struct {
			Name, State string
			Answered    *float64
			Days        []struct {
				Day             string
				OK, Failed      int
				MedianMs, P95Ms *float64
			}
		}
		Incidents []struct {
			Operation, Reason string
			EndedAt           *time.Time
		}
		Sources []struct {
			Name         string
			Rhythm, Late *string
		}
	}
	testkit.NoError(t, json.Unmarshal([]byte(body), &d))
	if d.State != "failing" || d.Database != "up" || d.EverySeconds != 300 || !d.Complete || len(d.Operations) != 3 || len(d.Incidents) != 2 || len(d.Sources) != 1 {
		t.Errorf("%s", body)
	}
	o := d.Operations[0]
	if o.Days[1].Day != "2026-11-20" || o.Days[1].OK != 20 || *o.Days[1].MedianMs != 10 || d.Operations[1].Days[0].MedianMs != nil || d.Operations[2].Answered != nil {
		t.Errorf("%+v", d.Operations)
	}
	if d.Incidents[0].EndedAt != nil || d.Incidents[1].EndedAt == nil || d.Sources[0].Late != nil || d.Sources[0].Rhythm != nil {
		t.Errorf("%+v %+v", d.Incidents, d.Sources)
	}
	if res.Header.Get("Access-Control-Allow-Origin") != "*" || res.Header.Get("Set-Cookie") != "" {
		t.Error(res.Header)
	}
}

// A feed reader gets an entry an incident, which keeps its name while it goes on.
func TestFeed(t *testing.T) {
	t.Parallel()
	if _, page := getPage(t, newTestApp(testReport(), true), "/status"); !strings.Contains(page, `<link rel="alternate" type="application/atom+xml" href="/status.atom"`) {
		t.Error("the page does not name its feed")
	}
	res, body := getPage(t, newTestApp(testReport(), true), "/status.atom?lang=en")
	var f struct {
		XMLName xml.Name  `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string    `xml:"id"`
		Updated time.Time `xml:"updated"`
		Entries []struct {
			ID, Title, Summary string
			Updated            time.Time `xml:"updated"`
		} `xml:"entry"`
	}
	testkit.NoError(t, xml.Unmarshal([]byte(body), &f))
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "application/atom+xml") || f.ID != "https://api.example.org/status" || len(f.Entries) != 2 || !f.Updated.Equal(noon) {
		t.Errorf("%s", body)
	}
	if !strings.Contains(body, "<title>Get a parcel: going on</title>") || !strings.Contains(body, "2 calls failed: no answer within 15 seconds.") ||
		!strings.Contains(body, "https://api.example.org/status#get_parcel-1795175400") {
		t.Errorf("%s", body)
	}
}
