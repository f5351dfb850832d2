package status_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	held "arpent/api/coverage"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/web"
	"arpent/web/status"
)

func testCoverage() *held.Served {
	parcels := held.Share{Communes: 1, Partly: 2, Of: 39, Oldest: "2024-01-01", Newest: "2025-01-01"}
	d := held.Document{CountedAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Communes: 40,
		Keys: []held.Key{{Part: held.Data, Name: held.Parcels, Share: parcels}, {Part: held.Data, Name: held.Addresses, Share: held.Share{Of: 40}},
			{Part: held.Data, Name: held.Sales, Share: held.Share{Of: 39}},
			{Part: held.Report, Group: "Risks", Name: "radon", Share: held.Share{Communes: 40, Of: 40, Newest: "2019"}},
			{Part: held.Report, Group: "Risks", Name: "rga", Share: held.Share{Of: 40}},
			{Part: held.Statistics, Name: "population", Share: held.Share{Communes: 38, Of: 40, Oldest: "2015", Newest: "2023"}}},
		Departements: []held.Departement{
			{Code: "67", Name: "Bas-Rhin", Communes: 1, Data: map[string]held.Share{held.Parcels: {Of: 1}, held.Addresses: {Of: 1}, held.Sales: {}},
				Report: map[string]held.Share{"radon": {Communes: 1, Of: 1}}, Statistics: map[string]held.Share{}, Own: []string{}},
			{Code: "93", Name: "Seine-Saint-Denis", Communes: 39, Data: map[string]held.Share{held.Parcels: parcels, held.Addresses: {Of: 39}, held.Sales: {Of: 39}},
				Report: map[string]held.Share{"radon": {Communes: 39, Of: 39, Newest: "2019"}}, Statistics: map[string]held.Share{"population": {Communes: 38, Of: 39}}, Own: []string{"population"}},
		}}
	return &held.Served{Document: d, Map: &held.Map{ViewBox: "0 0 10 10", Paths: []held.Path{{Code: "93", D: "M0 0l5 0 0 5z"}}},
		Whole: held.Body{JSON: []byte(`{"communes":40}`), Tag: `"whole"`}, Of: map[string]held.Body{"93": {JSON: []byte(`{"code":"93"}`), Tag: `"93"`}}}
}

func newCoverageApp(now *held.Served) *fiber.App {
	app := fiber.New()
	site := web.New(web.Options{ServiceName: "Arpent", BaseURL: "https://api.example.org"})
	status.NewCoverage(status.CoverageOptions{Site: site,
		Current: func() *held.Served { return now }}).Register(app)
	return app
}

// A reader sees what is held where, in their language: what is covered in part is not called covered, and
// what cannot be there is not called missing.
func TestPageShowsWhatIsHeld(t *testing.T) {
	t.Parallel()
	app := newCoverageApp(testCoverage())
	for path, want := range map[string][]string{
		"/coverage?lang=fr": {"parcelles de 1\u00a0commune, et de 2\u00a0autres en partie, dans 1\u00a0département\u00a0; aucune adresse\u00a0; aucune vente.", "3\u00a0%", "1\u00a0département",
			"sans parcelles, ni adresses, ni ventes", "Seine-Saint-Denis (93)\u00a0: 1\u00a0commune sur 39", "Risques", "1 sur 39, et 2 en partie", `href="/docs/report?lang=fr#radon"`,
			`href="/docs/statistics?lang=fr#commune-population"`, "2015 – 2023", "departements[].data"},
		"/coverage?lang=en":                 {"parcels of 1 commune, and part of 2 others, in 1 département; no addresses; no sales.", "3%", "1 of 39, and 2 in part", "Bas-Rhin"},
		"/coverage?lang=en&show=report":     {"Seine-Saint-Denis (93): 1 of 2 keys", "level-2"},
		"/coverage?lang=en&show=statistics": {"Seine-Saint-Denis (93): 1 of 1 key", "level-3"},
		"/coverage/67?lang=fr":              {"il n’y en a pas ici", "Bas-Rhin (67)"},
		"/coverage/93?lang=en":              {"1 of 39, and 2 in part", "1\u00a0January\u00a02024 – 1\u00a0January\u00a02025", "38 of 39"},
	} {
		res, body := getPage(t, app, path)
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s answers %d", path, res.StatusCode)
		}
		testkit.Contains(t, body, want...)
	}
}

// A narrow screen has the column of what the map shows; where nothing local is loaded, the page says so.
func TestNarrowTableKeepsWhatTheMapShows(t *testing.T) {
	t.Parallel()
	app := newCoverageApp(testCoverage())
	for path, hidden := range map[string]string{"/coverage?lang=en": "Statistics", "/coverage?lang=en&show=report": "Statistics",
		"/coverage?lang=en&show=statistics": "Report"} {
		if _, body := getPage(t, app, path); !strings.Contains(body, `<th scope="col" class="num roomy">`+hidden+`</th>`) ||
			strings.Count(body, `<th scope="col" class="num roomy">`) != 1 {
			t.Errorf("%s does not leave out %s alone", path, hidden)
		}
	}
	for path, want := range map[string]bool{"/coverage/67?lang=en": true, "/coverage/93?lang=en": false} {
		if _, body := getPage(t, app, path); strings.Contains(body, "No parcel, address or sale") != want {
			t.Errorf("%s says that nothing is loaded: %t", path, !want)
		}
	}
}

// Programs read the document without a key and from any page, and keep it until it changes.
func TestCoverageDocument(t *testing.T) {
	t.Parallel()
	app := newCoverageApp(testCoverage())
	res, body := getPage(t, app, "/coverage.json")
	if strings.TrimSpace(body) != `{"communes":40}` || res.Header.Get("Etag") != `W/"whole"` || res.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%s, %v", body, res.Header)
	}
	if res, _ := getPage(t, app, "/coverage.json", "If-None-Match", `"whole"`); res.StatusCode != http.StatusNotModified {
		t.Errorf("what was kept answers %d", res.StatusCode)
	}
	if _, body := getPage(t, app, "/coverage/93.json"); body != `{"code":"93"}` {
		t.Error(body)
	}
	for _, path := range []string{"/coverage/99", "/coverage/99.json", "/coverage/67.json"} {
		if res, _ := getPage(t, app, path); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s answers %d", path, res.StatusCode)
		}
	}
}

// A département of one commune that is loaded in part, as Paris by one arrondissement, has no share of its
// communes to show.
func TestOnlyCommuneInPart(t *testing.T) {
	t.Parallel()
	now := testCoverage()
	now.Departements[0].Data[held.Parcels] = held.Share{Partly: 1, Of: 1}
	for lang, want := range map[string]string{"fr": "en partie", "en": "in part"} {
		_, body := getPage(t, newCoverageApp(now), "/coverage/67?lang="+lang)
		if body = blanks.ReplaceAllString(body, " "); !strings.Contains(body, "<dd>"+want+" <small>") {
			t.Errorf("%s: %q is not shown", lang, want)
		}
	}
}

// Before the first count the page states it, and programs are to come back: an empty
// document would be read as "nothing is held".
func TestBeforeTheFirstCount(t *testing.T) {
	t.Parallel()
	app := newCoverageApp(nil)
	if res, body := getPage(t, app, "/coverage?lang=en"); res.StatusCode != http.StatusOK || !strings.Contains(body, "Not counted yet") {
		t.Errorf("%d: %s", res.StatusCode, body)
	}
	for _, path := range []string{"/coverage.json", "/coverage/93.json"} {
		res, body := getPage(t, app, path)
		var fault struct{ Error struct{ Code string } }
		if err := json.Unmarshal([]byte(body), &fault); err != nil || res.StatusCode != http.StatusServiceUnavailable || fault.Error.Code != "unavailable" || res.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d, %s", path, res.StatusCode, body)
		}
	}
}

// A new group or key of the report, or of the statistics, has a name on the pages in both languages.
func TestGroupsAndKeysHaveNames(t *testing.T) {
	t.Parallel()
	for _, l := range []web.Lang{web.French, web.English} {
		for _, k := range topic.Report().Keys() {
			if web.ReportGroups.Of(l, string(k.Group)) == "" || web.ReportKeys.Of(l, k.Name) == "" {
				t.Errorf("%s of the group %q lacks a name in %s", k.Name, k.Group, l)
			}
		}
		for _, name := range topic.Statistics().Keys(stats.Commune) {
			if web.StatisticsKeys.Of(l, name) == "" {
				t.Errorf("%s lacks a name in %s", name, l)
			}
		}
	}
}
