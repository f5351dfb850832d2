package contract_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/valyala/fasthttp"

	"arpent/api/recorded"
	"arpent/app/dev/fixture"
	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// communesOfFrance are those that have an outline.
const communesOfFrance = 34_875

// On the box: a commune of France is found by its code and by a point inside it, the 96 and the 18 are what
// they are, and parcels are found by reference and by a point, in the newest vintage.
func TestRealData(t *testing.T) {
	t.Parallel()
	pool, url, o := loadkit.Box(t)
	s := &fixture.Service{T: t, Pool: pool, URL: url}
	s.Run(withRecordedAddress)
	key := s.Account("real@example.org", "pro")
	s.Limit(key, 10_000_000)
	ask := inProcess(s, key)
	communes := testkit.Rounds(1000, communesOfFrance)
	t.Run("communes", func(t *testing.T) { someCommunes(t, s, ask, communes) })
	t.Run("lists", func(t *testing.T) { lists(t, ask) })
	t.Run("parcels", func(t *testing.T) { someParcels(t, s, ask) })
	reports := testkit.Rounds(40, 1_000_000) // in make soak of all parcels
	t.Run("states", func(t *testing.T) { statesOfReports(t, s, ask, reports) })
	t.Run("null parts", func(t *testing.T) { statesOfNullParts(t, ask) })
	t.Run("withheld rates", func(t *testing.T) { statesOfWithheldRates(t, s, ask) })
	t.Run("facts", func(t *testing.T) { facts(t, ask) })
	t.Run("recorded", func(t *testing.T) { recordedAnswers(t, s, key) })
	t.Run("sizes", func(t *testing.T) { sizesOfAnswers(t, s, key) })
	each := testkit.Rounds(8, 30) // the last, because it changes reports
	t.Run("further sources", func(t *testing.T) { furtherSources(t, s, o, key, ask, each) })
}

func withRecordedAddress(c *config.Config) { c.BaseURL = recorded.Base }

// inProcess asks without a network: tens of thousands of requests in seconds.
func inProcess(s *fixture.Service, key string) func(path string) (int, map[string]any) {
	handler := s.Handler()
	return func(path string) (int, map[string]any) {
		var ctx fasthttp.RequestCtx
		ctx.Init(&fasthttp.Request{}, nil, nil)
		text := "GET /api/v1" + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: " + key + "\r\n\r\n" // the headers are checked as they were sent
		if err := ctx.Request.Read(bufio.NewReader(strings.NewReader(text))); err != nil {
			return 0, map[string]any{"not read": err.Error()}
		}
		handler(&ctx)
		var body map[string]any
		if err := json.Unmarshal(ctx.Response.Body(), &body); err != nil {
			body = map[string]any{"not JSON": string(ctx.Response.Body())}
		}
		return ctx.Response.StatusCode(), body
	}
}

// someCommunes asks for n communes, which are all where there are no more.
func someCommunes(t *testing.T, s *fixture.Service, ask func(string) (int, map[string]any), n int) {
	const inside = `SELECT code, ST_X(p), ST_Y(p)
		FROM (SELECT * FROM geo.commune_contour ORDER BY md5(code) LIMIT $1) c, ST_PointOnSurface(geom) p`
	rows, err := s.Pool.Query(t.Context(), inside, n)
	testkit.NoError(t, err)
	var code string
	var lon, lat float64
	seen, elsewhere := 0, 0
	_, err = pgx.ForEachRow(rows, []any{&code, &lon, &lat}, func() error {
		seen++
		status, c := ask("/communes/" + code)
		if status != 200 || c["codeInsee"] != code || c["name"] == "" || c["deptName"] == nil || c["regionName"] == nil || c["areaKm2"] == nil {
			t.Errorf("%s: %d %v", code, status, c)
		}
		status, c = ask(fmt.Sprintf("/communes?lat=%.7f&lon=%.7f", lat, lon))
		if status != 200 {
			t.Errorf("%s: the point inside answers %d", code, status)
		} else if c["codeInsee"] != code {
			elsewhere++ // outlines of two editions overlap by metres
		}
		return nil
	})
	if err != nil || seen != n {
		t.Errorf("%d communes, error %v, want %d", seen, err, n)
	}
	if elsewhere > 0 {
		t.Errorf("%d communes are not found at a point inside them", elsewhere)
	}
}

func lists(t *testing.T, ask func(string) (int, map[string]any)) {
	// A figure that is not loaded is answered by the name of one that is.
	_, list := ask("/departements?top=3&sort=unemploymentRate")
	const census = "rankings.censusUnemploymentRate.value, by the census, is loaded in place of unemploymentRate."
	if note, _ := list["note"].(string); !strings.Contains(note, census) {
		t.Errorf("unemploymentRate is not loaded: %v, want %q", list["note"], census)
	}
	for _, path := range []string{"/departements?top=3&sort=securite.assault.ratePer1000", "/departements/36?fields=securite.assault.ratePer1000"} {
		_, list := ask(path)
		if states := fmt.Sprint(list["states"]); !strings.Contains(states, "The value of securite here has no assault; it has ") ||
			!strings.Contains(states, " homicides, ") {
			t.Errorf("%s: a series that is not loaded: %s", path, states)
		}
	}
	for path, want := range map[string]float64{"/regions": 18, "/departements": 96, "/departements?region=01": 0,
		"/departements?region=44": 10, "/communes?departement=75": 1, "/communes?departement=974": 24, "/communes?departement=62": 887} {
		if status, c := ask(path); status != 200 || c["count"] != want {
			t.Errorf("%s: %d with count %v, want %v", path, status, c["count"], want)
		}
	}
	for _, code := range []string{"971", "972", "973", "974", "976"} {
		if status, _ := ask("/departements/" + code); status != 404 {
			t.Errorf("département %s: %d, want 404", code, status)
		}
	}
	total := 0.0
	_, all := ask("/departements")
	for _, d := range append(all["data"].([]any), map[string]any{"code": "971"}, map[string]any{"code": "972"},
		map[string]any{"code": "973"}, map[string]any{"code": "974"}, map[string]any{"code": "976"}) {
		_, list := ask("/communes?departement=" + d.(map[string]any)["code"].(string))
		total += list["count"].(float64)
	}
	if total != communesOfFrance {
		t.Errorf("the lists of all départements hold %v communes, want %d", total, communesOfFrance)
	}
}

func someParcels(t *testing.T, s *fixture.Service, ask func(string) (int, map[string]any)) {
	const some = `SELECT idu, ST_X(p), ST_Y(p) FROM geo.parcelle, ST_PointOnSurface(geom) p ORDER BY md5(idu) LIMIT 2000`
	rows := testkit.Must(s.Pool.Query(t.Context(), some))(t)
	type parcel struct {
		idu      string
		lon, lat float64
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p parcel, err error) {
		return p, row.Scan(&p.idu, &p.lon, &p.lat)
	})
	if err != nil || len(all) != 2000 {
		t.Fatalf("%d parcels, error %v", len(all), err)
	}
	elsewhere := 0
	for _, p := range all {
		if status, body := ask("/parcelles/" + p.idu + "?include=geometry"); status != 200 || body["idu"] != p.idu || body["geometry"] == nil {
			t.Errorf("%s: %d", p.idu, status)
		}
		status, body := ask(fmt.Sprintf("/parcelles?lat=%.7f&lon=%.7f", p.lat, p.lon))
		if status != 200 {
			t.Errorf("%s: the point inside answers %d", p.idu, status)
		} else if body["idu"] != p.idu {
			elsewhere++
		}
	}
	if elsewhere > len(all)/100 { // the producer's parcels overlap here and there
		t.Errorf("%d of %d parcels are not found at a point inside them", elsewhere, len(all))
	}
	t.Logf("%d of %d parcels share the point with one of a lower reference", elsewhere, len(all))
}

// facts are what the manifest of the files states, looked up by hand.
func facts(t *testing.T, ask func(string) (int, map[string]any)) {
	_, p := ask("/parcelles/93010000AF0230")
	if p["contenance"] != 309_998.0 || p["commune"] != "Bondy" || p["section"] != "AF" || p["numero"] != "0230" || p["codeArr"] != nil {
		t.Errorf("93010000AF0230: %v", p)
	}
	// Its recorded area is ten times that of its outline: by it, it would be the largest of Bondy.
	_, c := ask("/communes/93010?fields=parcels.largest")
	var largest struct {
		Parcels struct{ Largest []map[string]any }
	}
	text, _ := json.Marshal(c)
	if err := json.Unmarshal(text, &largest); err != nil || len(largest.Parcels.Largest) != 10 ||
		largest.Parcels.Largest[0]["idu"] != "930100000C0130" {
		t.Errorf("the largest parcels of Bondy: %v, %v", largest, err)
	}
	for _, one := range largest.Parcels.Largest {
		if one["outlineAreaM2"] == nil || (one["idu"] == "93010000AF0230") != (one["contenanceDiffers"] == true) {
			t.Errorf("one of the largest parcels of Bondy: %v", one)
		}
	}
	// A clerk who asks for a parcel that was divided into 13 is given ten of them, and that there are others.
	_, p = ask("/parcelles/930100000D0229")
	text, _ = json.Marshal(p)
	if n := strings.Count(string(text), "930100000D02"); n != 11 || !strings.Contains(string(text), " and 3 more.") {
		t.Errorf("930100000D0229: %d references in %s", n, text)
	}
	_, p = ask("/parcelles/75118000AA0002")
	if p["codeInsee"] != "75056" || p["codeArr"] != "118" || p["codeCom"] != "056" || p["codeDep"] != "75" || p["contenance"] != 23_120.0 {
		t.Errorf("75118000AA0002: %v", p)
	}
	_, p = ask("/parcelles/361740000A0001")
	if p["codeDep"] != "36" || p["commune"] != "Roussines" || p["contenance"] == nil || p["feuille"] != nil {
		t.Errorf("361740000A0001: %v", p)
	}
	status, a := ask("/communes/75101")
	if status != 404 || !strings.Contains(fmt.Sprint(a["error"]), "part of commune 75056 (Paris)") {
		t.Errorf("75101: %d %v", status, a)
	}
}
