package contract_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arpent/api"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// smallAddresses are two streets of Bondy, one of the same name in
// Bobigny, and the communes with the shortest names.
const smallAddresses = `
INSERT INTO geo.departement (code, name) VALUES ('31', 'Haute-Garonne'), ('76', 'Seine-Maritime'), ('80', 'Somme');
INSERT INTO geo.commune (type, code, name, departement_code, commune_code, postcodes) VALUES
    ('commune-actuelle', '31404', 'Oô', '31', '31404', '{31110}'),
    ('commune-actuelle', '76255', 'Eu', '76', '76255', '{76260}'),
    ('commune-actuelle', '80829', 'Y', '80', '80829', '{80190}');
INSERT INTO geo.adresse (part, id, place, numero, rep, street, postcode, code_insee, geom) VALUES
    ('ban/93', 'a', 1, 12, NULL, 'Rue de Paris', '93140', '93010', 'SRID=4326;POINT(2.51 48.91)'),
    ('ban/93', 'b', 1, 14, 'bis', 'Rue de Paris', '93140', '93010', 'SRID=4326;POINT(2.52 48.92)'),
    ('ban/93', 'c', 1, 1, NULL, 'Allée des Roses', '93140', '93010', 'SRID=4326;POINT(2.53 48.93)'),
    ('ban/93', 'd', 1, 12, NULL, 'Rue de Paris', '93000', '93008', 'SRID=4326;POINT(2.41 48.91)');`

// places is a body of /adresses: its members, all of them and no others.
type places struct {
	Query     string  `json:"query"`
	Count     int     `json:"count"`
	Truncated bool    `json:"truncated"`
	Ambiguous bool    `json:"ambiguous"`
	Namesakes int     `json:"namesakes"`
	Data      []place `json:"data"`
	Hint      *string `json:"hint"`
}

type place struct {
	Kind        string   `json:"kind"`
	Label       string   `json:"label"`
	Score       float64  `json:"score"`
	Fuzzy       bool     `json:"fuzzy"`
	IDU         *string  `json:"idu"`
	DistanceM   *int     `json:"distanceM"`
	HouseNumber *string  `json:"housenumber"`
	Street      *string  `json:"street"`
	Postcode    *string  `json:"postcode"`
	Postcodes   []string `json:"postcodes"`
	CodeInsee   string   `json:"codeInsee"`
	CodeArr     *string  `json:"codeArrondissement,omitempty"`
	Commune     string   `json:"commune"`
	DeptCode    string   `json:"deptCode"`
	Lat         *float64 `json:"lat"`
	Lon         *float64 `json:"lon"`
	Matched     []string `json:"matched"`
	Unmatched   []string `json:"unmatched"`
}

func (p places) labels() string {
	var all []string
	for _, f := range p.Data {
		all = append(all, f.Label)
	}
	return strings.Join(all, " | ")
}

// addresses runs an instance that knows the small addresses, and gives a key for it.
func addresses(t testing.TB) (*fixture.Service, string) {
	t.Helper()
	s := fixture.Start(t, smallAddresses)
	key := s.Account("addresses@example.org", "pro")
	s.UntilIndexed(key)
	return s, key
}

// search asks for addresses, and refuses a body with a member too many or too few.
func search(s *fixture.Service, key, query string) places {
	s.T.Helper()
	r := s.Get("/api/v1/adresses?"+query, "X-API-Key", key)
	if r.Status != http.StatusOK {
		s.T.Fatalf("%s: status %d: %s", query, r.Status, r.Body)
	}
	var p places
	d := json.NewDecoder(bytes.NewReader(r.Body))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		s.T.Fatalf("%s: %v: %s", query, err, r.Body)
	}
	if again, err := json.Marshal(p); err != nil || !bytes.Equal(again, r.Body) {
		s.T.Errorf("%s: the members of\n%s\nare not those of\n%s", query, r.Body, again)
	}
	if p.Count != len(p.Data) {
		s.T.Errorf("%s: count %d of %d", query, p.Count, len(p.Data))
	}
	last := 1.0
	for _, f := range p.Data {
		if f.Score < 0 || f.Score > last {
			s.T.Errorf("%s: %s has the score %v after %v", query, f.Label, f.Score, last)
		}
		last = f.Score
	}
	return p
}

// A form filled from an answer has every part of the address in its own member, or null.
func testGoldenAddresses(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("golden@example.org", "pro")
	for name, query := range map[string]string{
		"housenumber": "q=12+r.+de+Paris,+93140+Bondy&limit=1", "suffix": "q=14bis+rue+de+pari+bondy&limit=1", "street": "q=99+rue+de+paris+bondy&limit=1",
		"commune": "q=eu", "nothing": "q=xkqjz",
	} {
		search(s, key, query)
		testkit.Golden(t, "adresses_"+name+".json", append(s.Get("/api/v1/adresses?"+query, "X-API-Key", key).Body, '\n'))
	}
	exact, without := search(s, key, "q=12+rue+de+paris+bondy").Data[0], search(s, key, "q=99+rue+de+paris+bondy").Data[0]
	if without.Kind != "street" || without.HouseNumber != nil || without.Score >= exact.Score {
		t.Errorf("a number that is not known: %+v; the score of one that is: %v", without, exact.Score)
	}
	// The number stands on a corner of its parcel; the other one is far from every parcel, and a street has
	// none.
	if exact.IDU == nil || *exact.IDU != "930100000A0001" || exact.DistanceM == nil || *exact.DistanceM != 0 || without.IDU != nil {
		t.Errorf("the parcel of a number: %+v, of a street: %+v", exact, without)
	}
	if far := search(s, key, "q=14bis+rue+de+paris+bondy").Data[0]; far.Kind != "housenumber" || far.IDU != nil || far.DistanceM != nil {
		t.Errorf("the parcel of a number far from all: %+v", far)
	}
	testkit.Want(t, search(s, key, "q=%20%09+bondy+%20").Query, "bondy", "the query is reported as")
}

// These share an instance, each with an account of its own.
func TestGoldenAddresses(t *testing.T) {
	t.Parallel()
	s, _ := addresses(t)
	onOne(t, s, map[string]func(*testing.T, *fixture.Service){
		"answers": testGoldenAddresses, "short queries": testShortQueries, "near": testNear, "rejections": testRejections,
		"references": testReferences, "limit": testAddressLimit,
	})
}

// Short names are names: a user who types Y, Eu or Oô gets that commune, and one who has typed two
// letters of something longer is not flooded.
func testShortQueries(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("shortqueries@example.org", "pro")
	for q, want := range map[string]string{"Y": "80829", "y": "80829", "Eu": "76255", "EU": "76255", "Oô": "31404", "oo": "31404", "Bo": "", "93": "", "ru": "", "é": "", "-": "", "’": ""} {
		p := search(s, key, "q="+url.QueryEscape(q))
		switch {
		case want == "" && p.Count != 0:
			t.Errorf("%q finds %s; expected nothing", q, p.labels())
		case want != "" && (p.Count != 1 || p.Data[0].CodeInsee != want || p.Data[0].Kind != "commune"):
			t.Errorf("%q finds %s; expected commune %s alone", q, p.labels(), want)
		}
	}
}

// Who asks the search for a parcel, as people write it, is given it with its reference; where it is not
// known, the operation that says why. A query that is an address as a whole is none.
func testReferences(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("references@example.org", "pro")
	for _, q := range []string{"93010000AB0058", "93010 AB 58"} {
		if hint := search(s, key, "q="+url.QueryEscape(q)).Hint; hint == nil || !strings.Contains(*hint, "GET /parcelles/93010000AB0058 (tool get_parcel)") {
			t.Errorf("%s: no hint at the parcel", q)
		}
	}
	for _, q := range []string{"930100000A0001", "93 010 A 1", "A1 à Bondy", "section A n° 1 Bondy", "A 1 Bondy (93)"} {
		p := search(s, key, "q="+url.QueryEscape(q))
		if p.Count != 1 || p.Data[0].Kind != "parcel" || p.Data[0].IDU == nil || *p.Data[0].IDU != "930100000A0001" || p.Data[0].CodeInsee != "93010" || p.Data[0].Lat == nil || p.Ambiguous {
			t.Errorf("%s: %+v", q, p)
		}
	}
	two := search(s, key, "q="+url.QueryEscape("Bondy A n°1-2"))
	if two.Count != 2 || *two.Data[0].IDU != "930100000A0001" || *two.Data[1].IDU != "930100000A0002" || two.Ambiguous ||
		two.Hint == nil || *two.Hint != "The query names several parcels: each is an answer." {
		t.Errorf("two parcels: %+v", two)
	}
	for q, want := range map[string]string{
		"A 1 à Bodny":              "No commune is called so as written: unmatched lists the words that are spelt otherwise.",
		"bondy cadastre A-1 lot 3": "A lot (lot 3) is a part of a building and of no reference: the answer is the whole parcel.",
	} {
		p := search(s, key, "q="+url.QueryEscape(q))
		isFuzzy := strings.Contains(q, "Bodny")
		if p.Count != 1 || *p.Data[0].IDU != "930100000A0001" || p.Data[0].Fuzzy != isFuzzy || isFuzzy && p.Data[0].Score > 0.8 || p.Hint == nil || *p.Hint != want {
			t.Errorf("%s: %+v", q, p)
		}
	}
	if hint := search(s, key, "q=12+rue+de+paris+bondy").Hint; hint != nil {
		t.Error(*hint)
	}
}

// A reference by the name of two communes, of which one has its parcels loaded, may be of the other: its
// answer is no sure one, says of which département it is and names the other commune.
func TestReferencesNameUnloadedNamesakes(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t, smallAddresses+`
		INSERT INTO geo.departement (code, name) VALUES ('16', 'Charente');
		INSERT INTO geo.commune (type, code, name, departement_code, commune_code, postcodes) VALUES
			('commune-actuelle', '16289', 'Bondy', '16', '16289', '{16310}');`)
	key := s.Account("namesakes@example.org", "pro")
	s.UntilIndexed(key)
	p := search(s, key, "q="+url.QueryEscape("section A n° 1 Bondy"))
	if p.labels() != "Parcelle 930100000A0001, Bondy (93)" || !p.Ambiguous || p.Namesakes != 2 || p.Data[0].Score > 0.8 ||
		p.Hint == nil || !strings.Contains(*p.Hint, "Bondy (16289), of which none is loaded on this server") {
		t.Errorf("by the name: %+v", p)
	}
	for _, q := range []string{"93010 A 1", "A 1 Bondy (93)"} {
		p := search(s, key, "q="+url.QueryEscape(q))
		if p.labels() != "Parcelle 930100000A0001, Bondy" || p.Ambiguous || p.Namesakes != 1 || p.Data[0].Score != 1 || p.Hint != nil {
			t.Errorf("%s: %+v", q, p)
		}
	}
}

// limit is how many answers there are at most, 5 when it is not said.
func testAddressLimit(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("limit@example.org", "pro")
	s.Exec(`
INSERT INTO geo.adresse (part, id, place, numero, street, postcode, code_insee, geom)
SELECT 'ban/93', 'n' || n, 1, 1, 'Rue du Moulin ' || chr(64 + n), '93140', '93010', 'SRID=4326;POINT(2.54 48.94)' FROM generate_series(1, 26) n;
INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ('ban', '', '', '', '[]', 'more', 26, 0, '[]', now(), now(), true)`)
	// A load that ends while the service runs is found without anybody doing anything.
	s.Slowly(func() bool {
		return search(s, key, "q=rue+du+moulin+a+bondy&limit=1").labels() == "Rue du Moulin A, 93140 Bondy"
	})
	for limit, want := range map[string]int{"": 5, "&limit=1": 1, "&limit=7": 7, "&limit=20": 20, "&limit=007": 7} {
		if got := search(s, key, "q=rue+du+moulin+bondy"+limit).Count; got != want {
			t.Errorf("%q: %d answers, want %d", limit, got, want)
		}
	}
}

// lat and lon choose between what fits equally well, and never hide the better fit.
func testNear(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("near@example.org", "pro")
	for query, want := range map[string]string{
		"q=12+rue+de+paris&lat=48.91&lon=2.41":       "12 Rue de Paris, 93000 Bobigny",
		"q=12+rue+de+paris&lat=48.91&lon=2.51":       "12 Rue de Paris, 93140 Bondy",
		"q=12+rue+de+paris+bondy&lat=48.91&lon=2.41": "12 Rue de Paris, 93140 Bondy",
		"q=12+rue+de+paris+bondy&lat=-90&lon=180":    "12 Rue de Paris, 93140 Bondy",
	} {
		if p := search(s, key, query); p.Count == 0 || p.Data[0].Label != want {
			t.Errorf("%s: %s; want %s first", query, p.labels(), want)
		}
	}
}

// The answer to a wrong request names the parameter and what would have been right.
func testRejections(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("rejections@example.org", "pro")
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
		r := s.Get("/api/v1/adresses?"+query, "X-API-Key", key)
		if r.Status != http.StatusBadRequest || r.Code(t) != "invalid_parameter" {
			t.Errorf("%s: status %d: %s", query, r.Status, r.Body)
			continue
		}
		var e struct{ Error struct{ Message string } }
		if err := json.Unmarshal(r.Body, &e); err != nil || !strings.Contains(e.Error.Message, want) {
			t.Errorf("%s: %q (%v); want %q in it", query, e.Error.Message, err, want)
		}
		if got := len([]rune(e.Error.Message)); got > 64+100 {
			t.Errorf("%s: a message of %d characters", query, got)
		}
	}
	for _, query := range []string{"q=" + strings.Repeat("%C3%A9", 200), "q=%20" + strings.Repeat("a", 200) + "%20", "q=bondy&unknown=1&unknown=2"} {
		search(s, key, query)
	}
}

// While statistics are computed, nulls would be taken for what is known: what asks for them is refused and
// does not count, by tools too, and everything else is served.
func TestStatisticsBeforeTheyAreComputed(t *testing.T) {
	t.Parallel()
	s := fixture.New(t, fixture.Territory)
	s.Run(func(c *config.Config) {
		if err := os.Mkdir(filepath.Join(c.StateDir, "statistics.book"), 0o700); err != nil { // where the file would be
			t.Fatal(err)
		}
	})
	key := s.Account("early@example.org", "pro")
	before := s.Get("/api/v1", "X-API-Key", key)
	s.AsksOnce = true
	for _, path := range []string{"/communes/93010?include=stats", "/communes?lat=48.95&lon=2.55&include=stats",
		"/communes?lat=48.95&lon=2.55&fields=population", "/departements/93?fields=population", "/regions/11?include=stats", "/regions?include=population"} {
		r := s.Get(api.Root+path, "X-API-Key", key)
		if r.Status != http.StatusServiceUnavailable || r.Code(t) != "unavailable" || r.Header.Get("Retry-After") != "30" || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: status %d, Retry-After %q: %s", path, r.Status, r.Header.Get("Retry-After"), r.Body)
		}
		if r.Used(t) != before.Used(t) {
			t.Errorf("%s counted: %d after %d", path, r.Used(t), before.Used(t))
		}
	}
	for tool, arguments := range map[string]string{"get_commune": `{"code":"93010"}`, "find_commune": `{"lat":48.95,"lon":2.55,"include":["stats"]}`} {
		if a := call(s, key, tool, arguments); !a.Result.IsError || !strings.HasPrefix(a.text(), "unavailable: ") {
			t.Errorf("%s: %s", tool, a.Body)
		}
	}
	if r := s.Get(api.Root+"/communes/93010", "X-API-Key", key); r.Status != http.StatusOK || r.Used(t) != before.Used(t)+1 {
		t.Errorf("without statistics: status %d, used %d: %s", r.Status, r.Used(t), r.Body)
	}
}

// Where nothing is loaded, an empty answer would be a lie: it is a 503 that names the reason, does not count,
// and ends by itself with the first load. What is wrong with the request is reported all the same.
func TestAddressesBeforeAnyLoad(t *testing.T) {
	t.Parallel()
	s := fixture.New(t)
	dir := ""
	s.Run(func(c *config.Config) { dir = c.StateDir })
	key := s.Account("early@example.org", "pro")
	const path = "/api/v1/adresses?q=bondy"
	before := s.Get("/api/v1", "X-API-Key", key)
	s.AsksOnce = true
	r := s.Get(path, "X-API-Key", key)
	if r.Status != http.StatusServiceUnavailable || r.Code(t) != "unavailable" || r.Header.Get("Retry-After") == "" || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("status %d, Retry-After %q: %s", r.Status, r.Header.Get("Retry-After"), r.Body)
	}
	fitsDocument(t, path, r)
	if r.Used(t) != before.Used(t) {
		t.Errorf("it counted: %d after %d", r.Used(t), before.Used(t))
	}
	if r := s.Get("/api/v1/adresses?q=", "X-API-Key", key); r.Status != http.StatusBadRequest {
		t.Errorf("an empty query: status %d", r.Status)
	}
	// The index of an empty database is empty too, and no better.
	s.Until(func() bool {
		_, err := os.Stat(filepath.Join(dir, "addresses.index"))
		return err == nil
	})
	if r := s.Get(path, "X-API-Key", key); r.Status != http.StatusServiceUnavailable {
		t.Errorf("with an empty index: status %d: %s", r.Status, r.Body)
	}
	load := `INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ('cog-communes', '', '', '', '[]', 'first', 1, 0, '[]', now(), now(), true)`
	s.Exec(fixture.Territory + load)
	s.UntilIndexed(key)
}
