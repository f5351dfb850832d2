package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fasthttp"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// These share an instance, each with accounts of its own.
func TestREST(t *testing.T) {
	t.Parallel()
	onOne(t, fixture.Start(t), map[string]func(*testing.T, *fixture.Service){
		"compression": testCompression, "yaml": testYAML, "minute": testMinute,
		"fields": testFieldsGiveTheKeysThatAreNamed, "unknown fields": testFieldsThatThereAreNot, "themes": testThemesChooseKeys,
		"typing errors in lists": testListsForgiveATypingError, "nearest parcel": testNearestParcelOfAPoint,
		"key places": testKeyPlaces, "methods": testMethods, "tags": testTagsCannotBeGuessed, "too large": testTooLarge,
		"headers of limits": testLimitHeadersAreLinesOfTheirOwn, "cap of a key": testKeysOwnCap,
	})
}

// Each of these is answered whatever clients without a key have used up of their limit.
func TestGoldenAnswers(t *testing.T) {
	t.Parallel()
	onOne(t, fixture.Start(t), map[string]func(*testing.T, *fixture.Service){
		"bodies": testGoldenBodies, "statuses": testStatusAndCode, "document": testResponsesMatchDocument,
	})
}

// Public pages are read from one instance.
func TestPages(t *testing.T) {
	t.Parallel()
	onOne(t, fixture.Start(t), map[string]func(*testing.T, *fixture.Service){
		"keys": testEveryKeyIsExplained, "definitions": testDefinitionsLeadToMethods, "links": testLinksOfTheDocumentation,
		"sitemap": testEveryPageIsInTheSitemap, "sources": testSourcesFollowTheStatistics,
		"outlines": testCommunesWithOutlineAreCounted,
	})
}

// onOne runs tests side by side on one instance. Those of one group together make fewer requests without a
// key, or with an unknown one, than a minute of an address takes, unless they do not mind to be refused.
func onOne(t *testing.T, s *fixture.Service, tests map[string]func(*testing.T, *fixture.Service)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s.For(t))
		})
	}
}

// A key is taken from each of the three places; the first that is not empty wins.
func testKeyPlaces(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("places@example.org", "pro")
	for name, r := range map[string]fixture.Response{
		"header":               s.Get("/api/v1/regions", "X-API-Key", key),
		"bearer":               s.Get("/api/v1/regions", "Authorization", "Bearer "+key),
		"bearer, other case":   s.Get("/api/v1/regions", "Authorization", "bEARER "+key),
		"query":                s.Get("/api/v1/regions?api_key=" + key),
		"header before query":  s.Get("/api/v1/regions?api_key=wrong", "X-API-Key", key),
		"empty header, bearer": s.Get("/api/v1/regions", "X-API-Key", "", "Authorization", "Bearer "+key),
	} {
		if r.Status != 200 {
			t.Errorf("%s: status %d: %s", name, r.Status, r.Body)
		}
	}
	if r := s.Get("/api/v1/regions?api_key="+key, "X-API-Key", "wrong"); r.Status != 401 || r.Code(t) != "invalid_api_key" {
		t.Errorf("a wrong key in the first place: status %d", r.Status)
	}
	if r := s.Get("/api/v1/regions"); r.Status != 401 || r.Code(t) != "missing_api_key" {
		t.Errorf("no key: status %d", r.Status)
	}
	if r := s.Get("/api/v1/regions?api_key=" + key + "&api_key=" + key); r.Status != 400 {
		t.Errorf("the key twice in the URL: status %d, want 400", r.Status)
	}
}

// HEAD answers as GET without a body, and other methods say what is allowed.
func testMethods(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("methods@example.org", "pro")
	get := s.Get("/api/v1/communes/93010", "X-API-Key", key)
	head := s.Do(http.MethodHead, "/api/v1/communes/93010", "", "X-API-Key", key)
	if head.Status != 200 || len(head.Body) != 0 || head.Header.Get("Content-Length") != strconv.Itoa(len(get.Body)) {
		t.Errorf("HEAD: status %d, %d bytes, Content-Length %s, want 200, 0, %d", head.Status, len(head.Body), head.Header.Get("Content-Length"), len(get.Body))
	}
	if head.Used(t) != get.Used(t)+1 {
		t.Errorf("HEAD did not count: %d after %d", head.Used(t), get.Used(t))
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "get"} {
		r := s.Do(method, "/api/v1/communes/93010", "", "X-API-Key", key)
		if r.Status != 405 || r.Header.Get("Allow") != "GET, HEAD" || r.Code(t) != "method_not_allowed" {
			t.Errorf("%s: status %d, Allow %q", method, r.Status, r.Header.Get("Allow"))
		}
	}
	if r := s.Get("/api/v2/communes"); r.Status != 404 || r.Code(t) != "not_found" {
		t.Errorf("/api/v2: status %d, want a JSON 404", r.Status)
	}
}

// No read is free: only the one tag that came with an answer is answered 304, and it cannot be
// worked out from an answer that is guessed.
func testTagsCannotBeGuessed(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("frugal@example.org", "pro")
	first := s.Get("/api/v1/communes/93010", "X-API-Key", key)
	etag, spent := first.Header.Get("ETag"), first.Used(t)
	for _, lines := range [][]string{{"*"}, {`"other", ` + etag}, {etag + ", " + etag}, {`"other"`, etag}, {etag, "*"}, {etag, etag}, {""}, {"", etag},
		{fmt.Sprintf(`W/"%x"`, xxhash.Sum64(first.Body))}} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r := s.Send(method, "/api/v1/communes/93010", "", http.Header{"X-Api-Key": {key}, "If-None-Match": lines})
			if spent++; r.Status != 200 || r.Used(t) != spent || r.Header.Get("ETag") != etag {
				t.Errorf("%s with %q: status %d, used %d, want 200 and %d", method, lines, r.Status, r.Used(t), spent)
			}
		}
	}
	s.Run(nil)
	if other := s.Get("/api/v1/communes/93010", "X-API-Key", key).Header.Get("ETag"); other != etag {
		t.Errorf("tags %s and %s on two instances of one secret", etag, other)
	}
	s.Run(func(c *config.Config) { c.Secret = "another secret of thirty-two letters" })
	if other := s.Get("/api/v1/communes/93010", "X-API-Key", key).Header.Get("ETag"); other == etag || other == "" {
		t.Errorf("tag %s whatever the secret", other)
	}
}

// Long answers travel compressed when the caller can read that, and are the same inside.
func testCompression(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("small@example.org", "pro")
	for _, path := range []string{"/openapi.json", "/api/v1/communes/93010?include=stats", "/api/v1/parcelles/930100000A0001/enrichments"} {
		plain := s.Get(path, "X-API-Key", key).Body
		for accept, want := range map[string]string{"": "", "identity": "", "gzip": "gzip", "gzip, deflate, br": "br", "br;q=0, gzip": "gzip", "zstd": "",
			"*": "br", "br;q=0.0, *": "gzip", "GZIP": "gzip", "*;q=0, gzip;q=0.5": "gzip"} {
			r := s.Get(path, "X-API-Key", key, "Accept-Encoding", accept)
			if got := r.Header.Get("Content-Encoding"); got != want || r.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s, Accept-Encoding %q: Content-Encoding %q, want %q; Vary %q", path, accept, got, want, r.Header.Get("Vary"))
			}
			if !bytes.Equal(unpacked(t, r), plain) {
				t.Errorf("%s, Accept-Encoding %q: another body", path, accept)
			}
		}
	}
}

// unpacked is the body of an answer, decoded.
func unpacked(t *testing.T, r fixture.Response) (body []byte) {
	t.Helper()
	decode := map[string]func(dst, src []byte) ([]byte, error){"": func(_, src []byte) ([]byte, error) { return src, nil },
		"br": fasthttp.AppendUnbrotliBytes, "gzip": fasthttp.AppendGunzipBytes}[r.Header.Get("Content-Encoding")]
	body, err := decode(nil, r.Body)
	if err != nil {
		t.Error(err)
	}
	return body
}

// The minute's limit is exact over HTTP, on the enrichments too, and a rejection says when to come back.
func testMinute(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("minute@example.org", "free")
	ok := 0
	var last fixture.Response
	for range 30 {
		if last = s.Get("/api/v1/regions", "X-API-Key", key); last.Status == 200 {
			ok++
		}
	}
	if ok > 10 || ok < 9 { // the fixture may have used one to see the key
		t.Errorf("%d admitted, want 10 less those the fixture used", ok)
	}
	after, err := strconv.Atoi(last.Header.Get("Retry-After"))
	if last.Status != 429 || last.Code(t) != "rate_limited" || err != nil || after < 1 || after > 60 {
		t.Errorf("refusal: status %d, Retry-After %q", last.Status, last.Header.Get("Retry-After"))
	}
	if body := string(last.Body); !strings.Contains(body, ", or take a plan with a higher limit.") {
		t.Errorf("the way out: %s", body)
	}
	pro := s.Account("most@example.org", "pro")
	s.Exec(`UPDATE account.account SET per_minute = 3 WHERE email = 'most@example.org'`)
	s.Until(func() bool { last = s.Get("/api/v1/regions", "X-API-Key", pro); return last.Status == 429 })
	if body := string(last.Body); !strings.Contains(body, ", or ask the operator of the service for a higher limit.") {
		t.Errorf("the way out of the highest plan: %s", body)
	}
	standard := s.Account("reports@example.org", "standard")
	ok = 0
	for range 40 {
		if last = s.Get("/api/v1/parcelles/930100000A0001/enrichments", "X-API-Key", standard); last.Status != 429 { // 503 on a busy machine
			ok++
		}
	}
	if ok != 20 || last.Header.Get("X-RateLimit-Limit") != "20" || !strings.Contains(string(last.Body), "More than 20 reports within 60 seconds.") {
		t.Errorf("%d reports admitted, limit header %s, want 20 and 20: %s", ok, last.Header.Get("X-RateLimit-Limit"), last.Body)
	}
	if r := s.Get("/api/v1/regions", "X-API-Key", standard); r.Status != 200 || r.Header.Get("X-RateLimit-Limit") != "60" {
		t.Errorf("other operations: status %d, limit %s, want 200 and 60", r.Status, r.Header.Get("X-RateLimit-Limit"))
	}
}

// Bodies hold the contract's members, in its order, and nothing else.
func testGoldenBodies(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("bodies@example.org", "pro")
	for _, name := range []string{"/regions", "/regions/11?include=departements,stats", "/departements?region=04",
		"/departements/93?include=communes", "/communes?departement=974", "/communes/75056?include=geometry",
		"/communes?lat=48.95&lon=2.5", "/parcelles/930100000A0002?include=geometry", "/parcelles/75118000AB0003",
		"/parcelles?lat=48.9105&lon=2.511", "/parcelles/930100000A0009", "/communes/75101", "/parcelles/930100000A0001/enrichments"} {
		r := s.Get("/api/v1"+name, "X-API-Key", key)
		testkit.Golden(t, goldenName(name), append(r.Body, '\n'))
		if !json.Valid(r.Body) {
			t.Errorf("%s: not JSON", name)
		}
	}
}

func goldenName(path string) string {
	return strings.NewReplacer("/", "_", "?", "-", "&", "-", "=", "-", ",", "-").Replace(strings.TrimPrefix(path, "/")) + ".json"
}

// A request that cannot be read gets the same form of error, and never a 500.
func testTooLarge(t *testing.T, s *fixture.Service) {
	t.Helper()
	long := strings.Repeat("a", 9_000)
	for name, ask := range map[string][2]string{
		"address": {"/api/v1/communes/" + long, ""}, "query": {"/api/v1/communes?x=" + long, ""}, "header": {"/api/v1/communes", long},
	} {
		r := untilAnswered(t, s, ask[0], ask[1])
		if r.Status < 400 || r.Status > 499 {
			t.Errorf("%s: status %d", name, r.Status)
		}
		testkit.Want(t, r.Code(t), "request_too_large", name, ": code")
	}
}

// untilAnswered asks again where the connection was reset: the server answers and closes it before it has
// read all, which a client that is still writing may see first.
func untilAnswered(t *testing.T, s *fixture.Service, path, filler string) (r fixture.Response) {
	t.Helper()
	testkit.Eventually(t, testkit.Timeout, "an answer", func() bool {
		req := testkit.Must(http.NewRequest(http.MethodGet, s.Base+path, nil))(t)
		if filler != "" {
			req.Header.Set("X-Filler", filler)
		}
		res, err := (&http.Client{Timeout: testkit.Timeout, Transport: fixture.Transport}).Do(req)
		if err != nil {
			return false
		}
		r = fixture.Read(t, res)
		return true
	})
	return r
}

// A client that reads the index without a key finds the way to one: where to sign up, what the plans are, how
// an assistant gets in. Each address in the sentence is there.
func testIndexNamesTheWayToAKey(t *testing.T, s *fixture.Service) {
	t.Helper()
	var index struct {
		Authentication struct{ Obtain string }
	}
	testkit.NoError(t, json.Unmarshal(s.Get("/api/v1").Body, &index))
	found := regexp.MustCompile(`https?://[^\s,]+[^\s,.]`).FindAllString(index.Authentication.Obtain, -1)
	want := map[string]int{"/signup": http.StatusOK, "/pricing": http.StatusOK, "/connect": http.StatusOK, "/mcp": http.StatusUnauthorized}
	for _, address := range found {
		path := strings.TrimPrefix(address, s.Base)
		testkit.Want(t, s.Get(path).Status, want[path], address)
		delete(want, path)
	}
	if len(want) > 0 {
		t.Errorf("not named in %q: %v", index.Authentication.Obtain, want)
	}
}
