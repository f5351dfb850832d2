package explore_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/web"
	"arpent/web/explore"
)

// startExplorer serves the territory of the fixture, once its parcels are
// in the file that maps and lists are made of.
func startExplorer(t *testing.T) (*fixture.Service, *testkit.Browser) {
	t.Helper()
	s := fixture.Start(t)
	b := testkit.NewBrowser(t, s.Base).Stay()
	testkit.Eventually(t, testkit.Timeout, "the parcels are listed", func() bool { return b.Get("/explore").Find(".places-list a").Length() == 2 })
	return s, b
}

// Without a map and without scripts one comes from the page to a commune, its sections, their parcels and one
// of them, in both languages, and finds next to each the call that returns it.
func TestExplorerReadsWithoutScripts(t *testing.T) {
	t.Parallel()
	_, b := startExplorer(t)
	for language, texts := range map[string][]string{
		"fr": {"Seine-Saint-Denis", "Sections du cadastre", "Parcelle A 1", "Contenance", "Ce qui manque ici", "Cet appel donne le rapport complet", "Lien à partager"},
		"en": {"Seine-Saint-Denis", "Sections of the cadastre", "Parcel A 1", "Recorded area", "What is missing here", "This call returns the full report", "Link to share"},
	} {
		get := func(path string) *testkit.Page { return b.Get(path, "Accept-Language", language).Want(http.StatusOK) }
		commune := get(get("/explore").Link("/explore?commune=93010"))
		section := get(commune.Link("/explore?commune=93010&section=930100000A"))
		parcel := get(section.Link("/explore?parcelle=930100000A0001"))
		all := commune.Text("main") + section.Text("main") + parcel.Text("main")
		testkit.Contains(t, all, texts...)
		if call := parcel.Text("#call"); !strings.HasSuffix(call, "/api/v1/parcelles/930100000A0001/enrichments'") {
			t.Errorf("the call is %q", call)
		}
		if to := parcel.Find("#share").AttrOr("href", ""); !strings.HasSuffix(to, "/explore?parcelle=930100000A0001") {
			t.Errorf("the link is %q", to)
		}
		if parcel.Find(".explorer-plan .marked").Length() != 1 {
			t.Errorf("%s: the page of a parcel has no picture", language)
		}
		if bounds := parcel.Find("#found").AttrOr("data-bounds", ""); bounds != "2.51,48.91,2.511,48.911" {
			t.Errorf("the map shows %q", bounds)
		}
	}
}

// On a small screen a picture stands in for the map: of a commune it shows that commune. Where a parcel is
// not loaded, the field still names it.
func TestPictureShowsTheCommune(t *testing.T) {
	t.Parallel()
	_, b := startExplorer(t)
	if b.Get("/explore").Find(".explorer-plan").Length() != 0 {
		t.Error("the picture of the country is that of a place")
	}
	for _, path := range []string{"/explore?commune=93010", "/explore?commune=93008", "/explore?lat=48.9105&lon=2.5105&z=10"} {
		outline := b.Get(path).Find(".explorer-still .explorer-plan .marked").AttrOr("d", "")
		if !strings.HasPrefix(outline, "M") || !strings.HasSuffix(outline, "Z") {
			t.Errorf("%s: the commune is drawn as %q", path, outline)
		}
	}
	if got := b.Get("/explore?commune=93010").Find(".explorer-plan text").Text(); !strings.HasSuffix(got, "\u00a0km") {
		t.Errorf("the scale of the plan of a commune is %q", got)
	}
	testkit.Want(t, b.Get("/explore?parcelle=930100000A9999").Value("q"), "930100000A9999", "the field names")
}

// Who sends a link sends what is shown; what a link cannot mean is said, with what it should have been.
func TestExplorerAddresses(t *testing.T) {
	t.Parallel()
	_, b := startExplorer(t)
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/explore?lat=48.9105&lon=2.5105&z=17":             {200, "Parcel A 1"},
		"/explore?lat=48.9105&lon=2.5105&z=10":             {200, "Bondy 93010"},
		"/explore?lat=48.95&lon=2.55&z=17":                 {200, "Bondy 93010"},
		"/explore?commune=93008":                           {200, "The parcels of this commune are not loaded"},
		"/explore?commune=75118":                           {200, "Paris 75056"},
		"/explore?parcelle=93010+A+1":                      {200, "Parcel A 1"},
		"/explore?commune=99999":                           {404, "No commune of today"},
		"/explore?commune=Bondy":                           {400, "five characters"},
		"/explore?parcelle=930100000A9999":                 {404, "not loaded on this server"},
		"/explore?parcelle=x":                              {400, "fourteen characters"},
		"/explore?lat=48.9":                                {400, "lat=48.9024&lon=2.4834"},
		"/explore?lat=NaN&lon=NaN":                         {400, "lat=48.9024&lon=2.4834"},
		"/explore?lat=10&lon=10":                           {404, "in no commune of France"},
		"/explore?lat=10&lon=10&z=18":                      {404, "Communes whose parcels are loaded"},
		"/explore?q=" + strings.Repeat("x", 300):           {400, "200 characters"},
		"/explore?commune=93010&section=930100000A&page=9": {200, "Section A"},
	} {
		if p := b.Get(path, "Accept-Language", "en"); p.Status != want.status || !strings.Contains(p.Text("main"), want.text) {
			t.Errorf("%s: %d, without %q:\n%s", path, p.Status, want.text, p.Text("#found"))
		}
	}
	testkit.Eventually(t, testkit.Timeout, "a commune that was searched is opened", func() bool {
		return b.Get("/explore?q=Bobigny").Location() == "/explore?commune=93008"
	})
	attributes := func(path string) (bounds, at string) {
		found := b.Get(path).Find("#found")
		return found.AttrOr("data-bounds", ""), found.AttrOr("data-at", "")
	}
	whole, _ := attributes("/explore?commune=93008")
	for path, want := range map[string][2]string{
		"/explore?lat=10&lon=10&z=18":       {"", ""},    // outside France the map stays where it is
		"/explore?lat=48.907&lon=2.44&z=18": {whole, ""}, // without parcels there is nothing to draw at this zoom
		"/explore?lat=48.907&lon=2.44&z=12": {"", "2.44,48.907,12"},
		"/explore?lat=48.95&lon=2.55&z=17":  {"", "2.55,48.95,17"},
	} {
		if bounds, at := attributes(path); bounds != want[0] || at != want[1] || whole == "" {
			t.Errorf("%s: the map shows %q at %q; want %q", path, bounds, at, want)
		}
	}
	if to := b.Get("/explore?q=48,9105+2,5105").Location(); to != "/explore?lat=48.9105&lon=2.5105" {
		t.Errorf("a position leads to %q", to)
	}
	if to := b.Get("/explore?q=48.9105,2.5105&calques=zonage,qpv").Location(); to != "/explore?lat=48.9105&lon=2.5105&calques=zonage%2Cqpv" {
		t.Errorf("a position with layers leads to %q", to)
	}
	b.Get("/explore?q=seine+saint+denis").Want(http.StatusOK, "Le département 93").Link("/coverage/93")
	b.Get("/explore?q=la+reunion").Want(http.StatusOK, "Un département", "Le département 974")
	for _, q := range []string{"93010+A+1", "93+010+A+1", "A1+%C3%A0+Bondy", "section+A+n%C2%B0+1+Bondy"} {
		if to := b.Get("/explore?q=" + q).Location(); to != "/explore?parcelle=930100000A0001" {
			t.Errorf("%s leads to %q", q, to)
		}
	}
	b.Get("/explore?parcelle=A+1+Bondy", "Accept-Language", "en").Want(http.StatusOK, "Parcel A 1")
}

// A search with one answer that has every word opens it, and the address stays in the search field, as the
// title, on the map and in the link to share, with its distance where the parcel is only the nearest. A
// street, a guess and one of several answers are listed.
func TestTheOnlyAnswerIsOpened(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t, `INSERT INTO geo.adresse (part, id, place, numero, street, postcode, code_insee, geom) VALUES
    ('ban/93', 'a', 1, 12, 'Rue de Paris', '93140', '93010', 'SRID=4326;POINT(2.5105 48.9105)'),
    ('ban/93', 'd', 1, 14, 'Rue de Paris', '93140', '93010', 'SRID=4326;POINT(2.5105 48.9099)'),
    ('ban/93', 'b', 1, 12, 'Rue de Rome', '93140', '93010', 'SRID=4326;POINT(2.5115 48.9105)'),
    ('ban/93', 'c', 1, 12, 'Rue de Rome', '93000', '93008', 'SRID=4326;POINT(2.44 48.907)');`)
	b := testkit.NewBrowser(t, s.Base).Stay()
	parcel := "/explore?parcelle=930100000A0001&q=" + url.QueryEscape("12 Rue de Paris, 93140 Bondy")
	testkit.Eventually(t, testkit.Timeout, "the address is found", func() bool {
		return b.Get("/explore?q=12+rue+de+paris+bondy").Location() == parcel
	})
	if typed := b.Get(parcel).Find("#q").AttrOr("value", ""); typed != "12 Rue de Paris, 93140 Bondy" {
		t.Errorf("the search field has %q", typed)
	}
	show := func(address string) *testkit.Page {
		path := "/explore?parcelle=930100000A0001&q=" + url.QueryEscape(address)
		return b.Get(path, "Accept-Language", "en")
	}
	for _, of := range []struct{ number, pin, match string }{
		{"12", "2.5105,48.9105", "Parcel A 1 (at this address)"},
		{"14", "2.5105,48.9099", "Parcel A 1 (the nearest to this address, 11\u00a0m away)"},
	} {
		address := of.number + " Rue de Paris, 93140 Bondy"
		p := show(address).Want(http.StatusOK, of.match)
		title, pin := p.Text("#found h2"), p.Find("#found").AttrOr("data-pin", "")
		if title != address || pin != of.pin || p.Find(".explorer-plan .pin").Length() != 1 {
			t.Errorf("%s has the title %q and the pin %q", address, title, pin)
		}
		link := p.Find("#share").AttrOr("href", "")
		if !strings.HasSuffix(link, "&q="+url.QueryEscape(address)) {
			t.Errorf("the link to share of %s is %s", address, link)
		}
	}
	// An address of another parcel, and a text that is no address.
	for _, other := range []string{"12 Rue de Rome, 93140 Bondy", "rue de paris"} {
		p := show(other).Want(http.StatusOK)
		title, pin := p.Text("#found h2"), p.Find("#found").AttrOr("data-pin", "")
		if title != "Parcel A 1 Bondy" || pin != "" || p.Find(".explorer-plan .pin").Length() != 0 {
			t.Errorf("with %s the title is %q and the pin %q", other, title, pin)
		}
	}
	for query, answers := range map[string]int{"rue de paris bondy": 1, "12 rue de parris bondy": 1, "12 rue de rome": 2} {
		p := b.Get("/explore?q="+url.QueryEscape(query), "Accept-Language", "en").Want(http.StatusOK)
		if guessed := p.Text("#found h2") == "No exact answer"; guessed != strings.Contains(query, "parris") {
			t.Errorf("%q is answered by %q", query, p.Text("#found h2"))
		}
		if n := p.Find(".explorer-results a").Length(); n < answers {
			t.Errorf("%q has %d answers; want %d", query, n, answers)
		}
	}
}

// A figure that the sources do not give for a commune, though they give others of its key, is listed with
// what is missing, for a reason of its own: it is neither zero nor a key that is not loaded.
func TestFigureInsideAKeyIsListedAsMissing(t *testing.T) {
	t.Parallel()
	list := explore.MissingStatistics(web.English, `{"stats": {"population": {"latest": {"municipal": 470}, "density": 22, "year": 2023},
		"revenus": {"medianIncome": 21510, "povertyRate": null, "year": 2021}},
		"states": {"population": {"state": "value"}, "revenus": {"state": "value"}, "radon": {"state": "not_loaded"}}}`)
	if len(list) != 2 || list[0].Reason != "Figure that the sources do not give here" || !slices.Equal(list[0].Labels, []string{"Poverty rate"}) ||
		len(list[1].Labels) != 1 {
		t.Errorf("missing: %+v", list)
	}
}

// Visitors get suggestions while they type, of parcels also before the name of the commune is complete, and
// the label of a suggestion opens its place. A search in a commune without streets or parcels has one answer
// that says why. Suggestions are limited: a client over its limit gets the time to wait.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	s, b := startExplorer(t)
	suggest := func(typed string) string {
		return string(s.Get("/explore/suggest?lang=en&q=" + url.QueryEscape(typed)).Body)
	}
	testkit.Eventually(t, testkit.Timeout, "suggestions may be kept", func() bool {
		got := s.Get("/explore/suggest?lang=en&q=bond")
		cache := got.Header.Get("Cache-Control")
		if cache == "no-store" { // what they are found in is being read
			return false
		}
		if want := `{"label":"Bondy, Seine-Saint-Denis","kind":"commune"}`; cache != "private, max-age=300" ||
			!strings.Contains(string(got.Body), want) {
			t.Errorf("suggestions %s have Cache-Control %q", got.Body, cache)
		}
		return true
	})
	for typed, want := range map[string]string{
		"A 1 Bondy": `"Parcelle 930100000A0001, Bondy","kind":"parcel"`, "a 1 bon": "930100000A0001", "bo": "[]", "": "[]",
	} {
		if found := suggest(typed); !strings.Contains(found, want) {
			t.Errorf("%q suggests %s; want %s", typed, found, want)
		}
	}
	for label, want := range map[string]string{
		"Bondy, Seine-Saint-Denis": "/explore?commune=93010", "Parcelle 930100000A0001, Bondy": "/explore?parcelle=930100000A0001",
	} {
		if to := b.Get("/explore?q=" + url.QueryEscape(label)).Location(); to != want {
			t.Errorf("%s leads to %q", label, to)
		}
	}
	for _, q := range []string{"mairie+de+Bondy", "h%C3%B4tel+de+ville+Bondy", "Bondy+mairie"} {
		hall := b.Get("/explore?q="+q, "Accept-Language", "fr").Want(http.StatusOK, "1\u00a0résultat", "L’emplacement des mairies n’est pas chargé ici")
		hall.Link("/explore?commune=93010")
	}
	if p := b.Get("/explore?q=place+de+la+mairie+Bondy"); strings.Contains(p.Text("main"), "L’emplacement des mairies") {
		t.Error("a street is taken for a town hall")
	}
	bare := b.Get("/explore?q=12+rue+de+Rome+Bobigny", "Accept-Language", "en").Want(http.StatusOK, "No streets in Bobigny are loaded here")
	testkit.Want(t, bare.Find(".explorer-results a").Length(), 1, "answers next to the sentence")
	b.Get("/explore?q=AY+71+Bobigny", "Accept-Language", "en").
		Want(http.StatusOK, "1 result", "No parcel of Bobigny is loaded here", "Bobigny, Seine-Saint-Denis")
	for range 200 {
		if got := s.Get("/explore/suggest?q=bondy"); got.Status != http.StatusOK {
			if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
				t.Errorf("%d, Retry-After %q", got.Status, got.Header.Get("Retry-After"))
			}
			return
		}
	}
	t.Error("suggestions are not limited")
}

// A page is no way around the plans: a visitor looks up a few dozen places. The map, the
// lists and what a reference says by itself stay.
func TestExplorerIsBounded(t *testing.T) {
	t.Parallel()
	s, b := startExplorer(t)
	if p := b.Get("/explore?parcelle=930100000A0001"); !strings.Contains(p.Text("main"), "700\u00a0m²") {
		t.Errorf("the area is not said:\n%s", p.Text("#found"))
	}
	left := 0
	for ; left < 200; left++ {
		if p := b.Get("/explore?commune=93010"); p.Status == http.StatusTooManyRequests {
			break
		}
	}
	testkit.Want(t, left, 59, "more communes were looked up")
	p := b.Get("/explore?parcelle=930100000A0001", "Accept-Language", "fr")
	if p.Status != http.StatusTooManyRequests || p.Header.Get("Retry-After") == "" || strings.Contains(p.Text("main"), "700") || !strings.Contains(p.Text("main"), "Parcelle A 1") {
		t.Errorf("%d, Retry-After %q:\n%s", p.Status, p.Header.Get("Retry-After"), p.Text("#found"))
	}
	b.Get("/explore").Want(http.StatusOK)
	b.Get("/explore?commune=93010&section=930100000A").Want(http.StatusOK)
	if tile := s.Get("/explore/tiles/16/33225/22519.mvt"); tile.Status != http.StatusOK && tile.Status != http.StatusNoContent {
		t.Errorf("a tile: %d", tile.Status)
	}
}

// Browsers and caches keep tiles; programs that take nothing compressed
// get them too; what is no tile is not found.
func TestTilesOverHTTP(t *testing.T) {
	t.Parallel()
	s, _ := startExplorer(t)
	const path = "/explore/tiles/10/519/352.mvt"
	packed := s.Get(path, "Accept-Encoding", "gzip")
	tag := packed.Header.Get("ETag")
	if packed.Status != http.StatusOK || packed.Header.Get("Content-Encoding") != "gzip" || packed.Header.Get("Content-Type") != "application/vnd.mapbox-vector-tile" ||
		packed.Header.Get("Cache-Control") != "public, max-age=3600" || tag == "" || packed.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%d %v", packed.Status, packed.Header)
	}
	plain := s.Get(path)
	if plain.Header.Get("Content-Encoding") != "" || !strings.Contains(string(plain.Body), "Bondy") {
		t.Errorf("as it is: %d bytes, %v", len(plain.Body), plain.Header)
	}
	if again := s.Get(path, "If-None-Match", tag); again.Status != http.StatusNotModified || len(again.Body) > 0 {
		t.Errorf("again: %d", again.Status)
	}
	testkit.Want(t, s.Get("/explore/tiles/10/301/385.mvt").Status, http.StatusNoContent, "New York")
	for _, wrong := range []string{"/explore/tiles/17/1/1.mvt", "/explore/tiles/3/1/1.mvt", "/explore/tiles/10/1024/1.mvt", "/explore/tiles/10/519/352", "/explore/tiles/10/519/352.png",
		"/explore/tiles/10/0519/352.mvt", "/explore/tiles/10/519/..%2f352.mvt", "/explore/tiles/10/519"} {
		testkit.Want(t, s.Get(wrong).Status, http.StatusNotFound, wrong)
	}
}

// areas are a priority district in three parts, a zone of a superseded plan below one of the plan that
// applies, and a zone of the national layer of a territory whose archive is loaded. No risk plan and no
// protected area is loaded.
const areas = `
INSERT INTO geo.load (source, scope, producer, title, licence, vintage, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
SELECT source, scope, 'test', 'test', 'test', vintage, '[]', '', 0, 0, '[]', now(), now(), true
FROM (VALUES ('qpv', '', NULL), ('gpu-zones', '93010_PLU_20150101', '2015-01-01'), ('gpu-zones', '200057875_PLUI_20240705', '2024-07-05'),
    ('gpu-zones-national', '', '2023-01-01')) l (source, scope, vintage);
INSERT INTO geo.coverage (layer, area, load_id)
SELECT CASE source WHEN 'qpv' THEN 'qpv' ELSE 'plan_zone' END, CASE source WHEN 'qpv' THEN '' ELSE '93010' END, id FROM geo.load WHERE source LIKE 'qpv' OR source LIKE 'gpu%';
INSERT INTO geo.enrich_qpv (part, id, piece, attrs, geom)
SELECT 'qpv', 'QN09312I', n, '{"name": "Blanqui"}', ST_MakeEnvelope(2.5099 + n * 0.0003, 48.9099, 2.5102 + n * 0.0003, 48.9111, 4326) FROM generate_series(0, 2) n;
INSERT INTO geo.enrich_plan_zone (part, id, attrs, geom)
SELECT part, '1', jsonb_build_object('zone', zone, 'label', 'Centre', 'type', 'U', 'territory', territory), ST_MakeEnvelope(2.505, 48.905, 2.515, 48.915, 4326)
FROM (VALUES ('gpu-zones/93010_PLU_20150101', 'OLD', '93010'), ('gpu-zones/200057875_PLUI_20240705', 'UC', '200057875'),
    ('gpu-zones-national', 'NATIONAL', '200057875')) z (part, zone, territory);`

// The map offers the layers of areas that are loaded, and no other: their tiles name each area once, and
// show the zones that the report shows. A tile with more areas than are drawn is a 422; what is no tile of a
// layer is not found.
func TestLayersOfAreas(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t, areas)
	b := testkit.NewBrowser(t, s.Base).Stay()
	testkit.Eventually(t, testkit.Timeout, "the layers are offered", func() bool {
		return b.Get("/explore").Find(".explorer-layers input").Length() == 2
	})
	for language, texts := range map[string][]string{
		"fr": {"Calques", "Quartiers prioritaires (QPV 2024)", "ANCT", "Zonage des plans locaux d’urbanisme", "Communes et EPCI, DGALN, IGN, "},
		"en": {"Layers", "Priority districts (QPV 2024)", "ANCT", "Zones of local plans", "Communes et EPCI, DGALN, IGN, "},
	} {
		page := b.Get("/explore?calques=zonage,unknown", "Accept-Language", language).Want(http.StatusOK)
		testkit.Contains(t, page.Text(".explorer-layers"), texts...)
		if on := page.Find(".explorer-layers input[checked]"); on.Length() != 1 || on.AttrOr("value", "") != "zonage" {
			t.Errorf("%d layers are shown", on.Length())
		}
	}
	const at = "/16/33225/22531.mvt"
	district := s.Get("/explore/layers/qpv" + at)
	if district.Status != http.StatusOK || strings.Count(string(district.Body), "Blanqui") != 1 || district.Header.Get("Cache-Control") != "public, max-age=3600" {
		t.Errorf("the district: %d %q %v", district.Status, district.Body, district.Header)
	}
	zones := string(s.Get("/explore/layers/zonage" + at).Body)
	if !strings.Contains(zones, "UC") || strings.Contains(zones, "OLD") || strings.Contains(zones, "NATIONAL") {
		t.Errorf("the zones are %q", zones)
	}
	if far := s.Get("/explore/layers/qpv/16/33225/22000.mvt"); far.Status != http.StatusNoContent {
		t.Errorf("a tile without a district: %d", far.Status)
	}
	for _, wrong := range []string{"/explore/layers/risques" + at, "/explore/layers/nature" + at, "/explore/layers/unknown" + at,
		"/explore/layers/zonage/12/2076/1408.mvt", "/explore/layers/qpv/17/1/1.mvt", "/explore/layers/qpv/16/33225/22531", "/explore/layers/qpv%27" + at} {
		testkit.Want(t, s.Get(wrong).Status, http.StatusNotFound, wrong)
	}
	s.Exec(`INSERT INTO geo.enrich_qpv (part, id, piece, attrs, geom)
		SELECT 'qpv', 'QN093' || n, 1, '{}', ST_MakeEnvelope(2.5165, 48.9105, 2.5166, 48.9106, 4326) FROM generate_series(1, 3001) n`)
	for address, text := range map[string]string{"15/16613/11265": "are drawn: ask for those of a higher zoom.", "16/33226/22531": "are drawn."} {
		got := s.Get("/explore/layers/qpv/" + address + ".mvt")
		if got.Status != http.StatusUnprocessableEntity || !strings.HasSuffix(string(got.Body), text) || got.Header.Get("Cache-Control") != "public, max-age=300" {
			t.Errorf("a tile of 3 001 areas at %s: %d %q %s", address, got.Status, got.Body, got.Header.Get("Cache-Control"))
		}
	}
}
