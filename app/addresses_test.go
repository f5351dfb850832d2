package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"arpent/app/base/config"
	"arpent/app/dev/testkit"
)

// smallAddresses are two streets of Bondy, one of the same name in Bobigny, and the communes with the shortest names.
const smallAddresses = `
INSERT INTO geo.departement (code, name) VALUES ('31', 'Haute-Garonne'), ('76', 'Seine-Maritime'), ('80', 'Somme');
INSERT INTO geo.commune (type, code, name, departement_code, commune_code) VALUES
    ('commune-actuelle', '31404', 'Oô', '31', '31404'),
    ('commune-actuelle', '76255', 'Eu', '76', '76255'),
    ('commune-actuelle', '80829', 'Y', '80', '80829');
INSERT INTO geo.adresse (part, id, place, numero, rep, street, postcode, code_insee, geom) VALUES
    ('ban/93', 'a', 1, 12, NULL, 'Rue de Paris', '93140', '93010', 'SRID=4326;POINT(2.51 48.91)'),
    ('ban/93', 'b', 1, 14, 'bis', 'Rue de Paris', '93140', '93010', 'SRID=4326;POINT(2.52 48.92)'),
    ('ban/93', 'c', 1, 1, NULL, 'Allée des Roses', '93140', '93010', 'SRID=4326;POINT(2.53 48.93)'),
    ('ban/93', 'd', 1, 12, NULL, 'Rue de Paris', '93000', '93008', 'SRID=4326;POINT(2.41 48.91)');`

// places is a body of /adresses: its members, all of them and no others.
type places struct {
	Query string  `json:"query"`
	Count int     `json:"count"`
	Data  []place `json:"data"`
}

type place struct {
	Kind        string   `json:"kind"`
	Label       string   `json:"label"`
	Score       float64  `json:"score"`
	HouseNumber *string  `json:"housenumber"`
	Street      *string  `json:"street"`
	Postcode    *string  `json:"postcode"`
	CodeInsee   string   `json:"codeInsee"`
	Commune     string   `json:"commune"`
	DeptCode    string   `json:"deptCode"`
	Lat         *float64 `json:"lat"`
	Lon         *float64 `json:"lon"`
}

func (p places) labels() string {
	var all []string
	for _, f := range p.Data {
		all = append(all, f.Label)
	}
	return strings.Join(all, " | ")
}

// addresses runs an instance that knows the small addresses, and gives a key for it.
func addresses(t testing.TB) (*service, string) {
	t.Helper()
	s := &service{t: t, log: io.Discard}
	s.pool, s.url = testkit.DB(t)
	if _, err := s.pool.Exec(t.Context(), smallFrance+smallAddresses); err != nil {
		t.Fatal(err)
	}
	s.run(func(*config.Config) {})
	key := s.account("addresses@example.org", "pro")
	s.untilIndexed(key)
	return s, key
}

func (s *service) untilIndexed(key string) {
	s.t.Helper()
	s.slowly(func() bool { return s.get("/api/v1/adresses?q=bondy", "X-API-Key", key).status == http.StatusOK })
}

// slowly waits for a condition that costs a request each time it is looked at: a minute of them is limited.
func (s *service) slowly(done func() bool) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("the index of addresses is not built")
		}
	}
}

// search asks for addresses, and refuses a body with a member too many or too few.
func (s *service) search(key, query string) places {
	s.t.Helper()
	r := s.get("/api/v1/adresses?"+query, "X-API-Key", key)
	if r.status != http.StatusOK {
		s.t.Fatalf("%s: status %d: %s", query, r.status, r.body)
	}
	var p places
	d := json.NewDecoder(bytes.NewReader(r.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		s.t.Fatalf("%s: %v: %s", query, err, r.body)
	}
	if again, err := json.Marshal(p); err != nil || !bytes.Equal(again, r.body) {
		s.t.Errorf("%s: the members of\n%s\nare not those of\n%s", query, r.body, again)
	}
	if p.Count != len(p.Data) {
		s.t.Errorf("%s: count %d of %d", query, p.Count, len(p.Data))
	}
	last := 1.0
	for _, f := range p.Data {
		if f.Score < 0 || f.Score > last {
			s.t.Errorf("%s: %s has the score %v after %v", query, f.Label, f.Score, last)
		}
		last = f.Score
	}
	return p
}

// A form filled from an answer has every part of the address in its own member; what there is none of is null.
func TestAddressAnswer(t *testing.T) {
	t.Parallel()
	s, key := addresses(t)
	for name, query := range map[string]string{
		"housenumber": "q=12+r.+de+Paris,+93140+Bondy&limit=1", "suffix": "q=14bis+rue+de+pari+bondy&limit=1", "street": "q=99+rue+de+paris+bondy&limit=1",
		"commune": "q=eu", "nothing": "q=xkqjz",
	} {
		s.search(key, query)
		testkit.Golden(t, "adresses_"+name+".json", append(s.get("/api/v1/adresses?"+query, "X-API-Key", key).body, '\n'))
	}
	exact, without := s.search(key, "q=12+rue+de+paris+bondy").Data[0], s.search(key, "q=99+rue+de+paris+bondy").Data[0]
	if without.Kind != "street" || without.HouseNumber != nil || without.Score >= exact.Score {
		t.Errorf("a number that is not known: %+v; the score of one that is: %v", without, exact.Score)
	}
	if got := s.search(key, "q=%20%09+bondy+%20").Query; got != "bondy" {
		t.Errorf("the query is told as %q", got)
	}
}

// Short names are names: whoever types Y, Eu or Oô gets that commune, and whoever has typed two letters of something
// longer is not flooded.
func TestAddressShortQueries(t *testing.T) {
	t.Parallel()
	s, key := addresses(t)
	for q, want := range map[string]string{"Y": "80829", "y": "80829", "Eu": "76255", "EU": "76255", "Oô": "31404", "oo": "31404", "Bo": "", "93": "", "ru": "", "é": "", "-": "", "’": ""} {
		p := s.search(key, "q="+url.QueryEscape(q))
		switch {
		case want == "" && p.Count != 0:
			t.Errorf("%q finds %s; expected nothing", q, p.labels())
		case want != "" && (p.Count != 1 || p.Data[0].CodeInsee != want || p.Data[0].Kind != "commune"):
			t.Errorf("%q finds %s; expected commune %s alone", q, p.labels(), want)
		}
	}
}

// limit is how many answers there are at most, 5 when it is not said.
func TestAddressLimit(t *testing.T) {
	t.Parallel()
	s, key := addresses(t)
	if _, err := s.pool.Exec(t.Context(), `
INSERT INTO geo.adresse (part, id, place, numero, street, postcode, code_insee, geom)
SELECT 'ban/93', 'n' || n, 1, 1, 'Rue du Moulin ' || chr(64 + n), '93140', '93010', 'SRID=4326;POINT(2.54 48.94)' FROM generate_series(1, 26) n;
INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ('ban', '', '', '', '[]', 'more', 26, 0, '[]', now(), now(), true)`); err != nil {
		t.Fatal(err)
	}
	// A load that ends while the service runs is found without anybody doing anything.
	s.slowly(func() bool {
		return s.search(key, "q=rue+du+moulin+a+bondy&limit=1").labels() == "Rue du Moulin A, 93140 Bondy"
	})
	for limit, want := range map[string]int{"": 5, "&limit=1": 1, "&limit=7": 7, "&limit=20": 20, "&limit=007": 7} {
		if got := s.search(key, "q=rue+du+moulin+bondy"+limit).Count; got != want {
			t.Errorf("%q: %d answers, want %d", limit, got, want)
		}
	}
}

// lat and lon choose between what fits equally well, and never hide the better fit.
func TestAddressNear(t *testing.T) {
	t.Parallel()
	s, key := addresses(t)
	for query, want := range map[string]string{
		"q=12+rue+de+paris&lat=48.91&lon=2.41":       "12 Rue de Paris, 93000 Bobigny",
		"q=12+rue+de+paris&lat=48.91&lon=2.51":       "12 Rue de Paris, 93140 Bondy",
		"q=12+rue+de+paris+bondy&lat=48.91&lon=2.41": "12 Rue de Paris, 93140 Bondy",
		"q=12+rue+de+paris+bondy&lat=-90&lon=180":    "12 Rue de Paris, 93140 Bondy",
	} {
		if p := s.search(key, query); p.Count == 0 || p.Data[0].Label != want {
			t.Errorf("%s: %s; want %s first", query, p.labels(), want)
		}
	}
}

// Whoever sends something wrong reads which parameter it was and what would have been right.
func TestAddressRefusals(t *testing.T) {
	t.Parallel()
	s, key := addresses(t)
	for query, want := range map[string]string{
		"":                                      "q is missing; expected 1 to 200 characters, without control characters",
		"q=":                                    `q is ""; expected 1 to 200`,
		"q=%20%20":                              `q is "  "; expected 1 to 200`,
		"q=" + strings.Repeat("%C3%A9", 201):    "…\"; expected 1 to 200",
		"q=rue%0Ade+paris":                      `q is "rue?de paris"; expected 1 to 200 characters, without control characters`,
		"q=rue%7F":                              "without control characters",
		"q=rue%C2%85de+paris":                   "without control characters",
		"q=%C3":                                 "q is",
		"q=bondy&q=paris":                       "q is given more than once",
		"q=bondy&limit=5&limit=5":               "limit is given more than once",
		"q=bondy&limit=":                        `limit is ""; expected a whole number between 1 and 20`,
		"q=bondy&limit=21":                      `limit is "21"; expected a whole number between 1 and 20`,
		"q=bondy&limit=-1":                      `limit is "-1"; expected a whole number between 1 and 20`,
		"q=bondy&limit=9223372036854775808":     "expected a whole number between 1 and 20",
		"q=bondy&lat=48.9":                      "lon is missing; expected lat and lon together",
		"q=bondy&lon=2.4":                       "lat is missing; expected lat and lon together",
		"q=bondy&lat=48.9&lon=181":              `lon is "181"; expected a longitude in decimal degrees between −180 and 180`,
		"q=bondy&lat=NaN&lon=2":                 `lat is "NaN"; expected a latitude in decimal degrees between −90 and 90`,
		"q=bondy&lat=48.9&lat=48.9&lon=2":       "lat is given more than once",
		"q=bondy&include=geometry":              `include is "geometry"; this operation takes no include value`,
		"q=bondy&include=":                      `include is ""; this operation takes no include value`,
		"include=geometry":                      "include is",
		"q=" + strings.Repeat("a", 100) + "%00": "q is",
	} {
		r := s.get("/api/v1/adresses?"+query, "X-API-Key", key)
		if r.status != http.StatusBadRequest || r.code(t) != "invalid_parameter" {
			t.Errorf("%s: status %d: %s", query, r.status, r.body)
			continue
		}
		var e struct{ Error struct{ Message string } }
		if err := json.Unmarshal(r.body, &e); err != nil || !strings.Contains(e.Error.Message, want) {
			t.Errorf("%s: %q (%v); want %q in it", query, e.Error.Message, err, want)
		}
		if got := len([]rune(e.Error.Message)); got > 64+100 {
			t.Errorf("%s: a message of %d characters", query, got)
		}
	}
	for _, query := range []string{"q=" + strings.Repeat("%C3%A9", 200), "q=%20" + strings.Repeat("a", 200) + "%20", "q=bondy&unknown=1&unknown=2"} {
		s.search(key, query)
	}
}

// A search is metered and cached like any other operation: it counts, a 304 does not, and HEAD is a GET without a body.
func TestAddressHeaders(t *testing.T) {
	t.Parallel()
	s, key := addresses(t)
	const path = "/api/v1/adresses?q=12+rue+de+paris+bondy"
	first := s.get(path, "X-API-Key", key)
	etag := first.header.Get("ETag")
	if etag == "" || first.header.Get("Cache-Control") != "private, max-age=3600" || first.header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("ETag %q, Cache-Control %q, Content-Type %q", etag, first.header.Get("Cache-Control"), first.header.Get("Content-Type"))
	}
	again := s.get(path, "X-API-Key", key, "If-None-Match", etag)
	if again.status != http.StatusNotModified || len(again.body) != 0 || used(t, again) != used(t, first) {
		t.Errorf("asked again: status %d, %d bytes, used %d after %d", again.status, len(again.body), used(t, again), used(t, first))
	}
	other := s.get("/api/v1/adresses?q=12+rue+de+paris+bobigny", "X-API-Key", key, "If-None-Match", etag)
	if other.status != http.StatusOK || other.header.Get("ETag") == etag || used(t, other) != used(t, first)+1 {
		t.Errorf("another query: status %d, ETag %q, used %d after %d", other.status, other.header.Get("ETag"), used(t, other), used(t, first))
	}
	head := s.do(http.MethodHead, path, "X-API-Key", key)
	if head.status != http.StatusOK || len(head.body) != 0 || head.header.Get("ETag") != etag || head.header.Get("Content-Length") != strconv.Itoa(len(first.body)) {
		t.Errorf("HEAD: status %d, ETag %q, Content-Length %q", head.status, head.header.Get("ETag"), head.header.Get("Content-Length"))
	}
	if nothing := s.get("/api/v1/adresses?q=xkqjz", "X-API-Key", key); used(t, nothing) != used(t, head)+1 {
		t.Errorf("a search that finds nothing: used %d after %d", used(t, nothing), used(t, head))
	}
	if wrong := s.get("/api/v1/adresses", "X-API-Key", key); wrong.status != http.StatusBadRequest || wrong.header.Get("ETag") != "" || wrong.header.Get("Cache-Control") != "no-store" {
		t.Errorf("a refusal: status %d, ETag %q, Cache-Control %q", wrong.status, wrong.header.Get("ETag"), wrong.header.Get("Cache-Control"))
	}
}

// Where nothing is loaded, an empty answer would be a lie: it is a 503 that says so, does not count, and ends by itself
// with the first load. What is wrong with the request is told all the same.
func TestAddressesBeforeAnyLoad(t *testing.T) {
	t.Parallel()
	s := &service{t: t, log: io.Discard}
	s.pool, s.url = testkit.DB(t)
	dir := ""
	s.run(func(c *config.Config) { dir = c.StateDir })
	key := s.account("early@example.org", "pro")
	const path = "/api/v1/adresses?q=bondy"
	before := s.get("/api/v1", "X-API-Key", key)
	r := s.get(path, "X-API-Key", key)
	if r.status != http.StatusServiceUnavailable || r.code(t) != "unavailable" || r.header.Get("Retry-After") == "" || r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("status %d, Retry-After %q: %s", r.status, r.header.Get("Retry-After"), r.body)
	}
	newJudge(t, s).check(t, s, path, r)
	if used(t, r) != used(t, before) {
		t.Errorf("it counted: %d after %d", used(t, r), used(t, before))
	}
	if r := s.get("/api/v1/adresses?q=", "X-API-Key", key); r.status != http.StatusBadRequest {
		t.Errorf("an empty query: status %d", r.status)
	}
	// The index of an empty database is empty too, and no better.
	s.within(patience, func() bool {
		_, err := os.Stat(filepath.Join(dir, "addresses.index"))
		return err == nil
	})
	if r := s.get(path, "X-API-Key", key); r.status != http.StatusServiceUnavailable {
		t.Errorf("with an empty index: status %d: %s", r.status, r.body)
	}
	load := `INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ('cog-communes', '', '', '', '[]', 'first', 1, 0, '[]', now(), now(), true)`
	if _, err := s.pool.Exec(t.Context(), smallFrance+load); err != nil {
		t.Fatal(err)
	}
	s.untilIndexed(key)
}
