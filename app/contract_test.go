package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"arpent/app/base/config"
	"arpent/app/dev/testkit"
)

// Whatever a developer reads in the contract is what the service answers: status and error code of every kind of
// call, in the order of checks that the decisions give.
func TestStatusAndCode(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("contract@example.org", "pro")
	s.untilIndexed(key)
	tests := []struct {
		path   string
		status int
		code   string
	}{
		{"", 200, ""},
		{"/regions", 200, ""},
		{"/regions?include=geometry", 400, "invalid_parameter"},
		{"/regions/11", 200, ""},
		{"/regions/11?include=geometry,stats,departements", 200, ""},
		{"/regions/11?include=%20geometry%20,%20geometry", 200, ""},
		{"/regions/11?include=communes", 400, "invalid_parameter"},
		{"/regions/11?include=", 400, "invalid_parameter"},
		{"/regions/11?include=geometry,", 400, "invalid_parameter"},
		{"/regions/11?include=Geometry", 400, "invalid_parameter"},
		{"/regions/11?include=stats&include=stats", 400, "invalid_parameter"},
		{"/regions/11?unknown=1&unknown=2", 200, ""},
		{"/regions/99", 404, "not_found"},
		{"/regions/1111", 400, "invalid_parameter"},
		{"/regions/1A", 400, "invalid_parameter"},
		{"/departements", 200, ""},
		{"/departements?region=11", 200, ""},
		{"/departements?region=04", 200, ""},
		{"/departements?region=77", 404, "not_found"},
		{"/departements?region=x", 400, "invalid_parameter"},
		{"/departements?region=", 400, "invalid_parameter"},
		{"/departements?region=11&region=11", 400, "invalid_parameter"},
		{"/departements/2A", 200, ""},
		{"/departements/2a", 400, "invalid_parameter"},
		{"/departements/93?include=communes,geometry,stats", 200, ""},
		{"/departements/93?include=departements", 400, "invalid_parameter"},
		{"/departements/974", 404, "not_found"},
		{"/departements/00", 404, "not_found"},
		{"/departements/9999", 400, "invalid_parameter"},
		{"/adresses", 400, "invalid_parameter"},
		{"/adresses?q=", 400, "invalid_parameter"},
		{"/adresses?q=%20%09", 400, "invalid_parameter"},
		{"/adresses?q=a%00b", 400, "invalid_parameter"},
		{"/adresses?q=%FF", 400, "invalid_parameter"},
		{"/adresses?q=" + strings.Repeat("%C3%A9", 201), 400, "invalid_parameter"},
		{"/adresses?q=" + strings.Repeat("%C3%A9", 200), 200, ""},
		{"/adresses?q=bondy", 200, ""},
		{"/adresses?q=bondy&q=bondy", 400, "invalid_parameter"},
		{"/adresses?q=bondy&include=geometry", 400, "invalid_parameter"},
		{"/adresses?q=bondy&limit=20", 200, ""},
		{"/adresses?q=bondy&limit=0", 400, "invalid_parameter"},
		{"/adresses?q=bondy&limit=21", 400, "invalid_parameter"},
		{"/adresses?q=bondy&limit=1.5", 400, "invalid_parameter"},
		{"/adresses?q=bondy&limit=%2B1", 400, "invalid_parameter"},
		{"/adresses?q=bondy&lat=48.9&lon=2.5", 200, ""},
		{"/adresses?q=bondy&lat=48.9", 400, "invalid_parameter"},
		{"/adresses?q=bondy&lat=91&lon=2", 400, "invalid_parameter"},
		{"/adresses?q=zzzzzzzzz", 200, ""},
		{"/communes", 400, "invalid_parameter"},
		{"/communes?departement=93", 200, ""},
		{"/communes?departement=974", 200, ""},
		{"/communes?departement=975", 404, "not_found"},
		{"/communes?departement=93&include=geometry", 400, "invalid_parameter"},
		{"/communes?departement=93&lat=48.95&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=48.95", 400, "invalid_parameter"},
		{"/communes?lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=48.95&lon=2.55", 200, ""},
		{"/communes?lat=48.95&lon=2.55&include=geometry,stats", 200, ""},
		{"/communes?lat=48.95&lon=2.55&include=communes", 400, "invalid_parameter"},
		{"/communes?lat=0&lon=0", 404, "not_found"},
		{"/communes?lat=NaN&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=Inf&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=0x1p4&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=1e400&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=90.0000001&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=48,95&lon=2.55", 400, "invalid_parameter"},
		{"/communes?lat=48.95&lat=48.95&lon=2.55", 400, "invalid_parameter"},
		{"/communes/93010", 200, ""},
		{"/communes/93010?include=geometry,stats", 200, ""},
		{"/communes/75101", 404, "not_found"},
		{"/communes/00000", 404, "not_found"},
		{"/communes/9301", 400, "invalid_parameter"},
		{"/communes/2a004", 400, "invalid_parameter"},
		{"/parcelles", 400, "invalid_parameter"},
		{"/parcelles?lat=48.9105&lon=2.5105", 200, ""},
		{"/parcelles?lat=48.9105&lon=2.5105&include=geometry", 200, ""},
		{"/parcelles?lat=48.9105&lon=2.5105&include=stats", 400, "invalid_parameter"},
		{"/parcelles?lat=48.99&lon=2.59", 404, "not_found"},
		{"/parcelles/930100000A0001", 200, ""},
		{"/parcelles/930100000A0001?include=geometry", 200, ""},
		{"/parcelles/930100000a0001", 400, "invalid_parameter"},
		{"/parcelles/930100000A001", 400, "invalid_parameter"},
		{"/parcelles/930100000A0777", 404, "not_found"},
		{"/parcelles/930100000A0009", 404, "not_found"},
		{"/parcelles/930100000A0001/enrichments", 200, ""},
		{"/parcelles/930100000A0777/enrichments", 404, "not_found"},
		{"/parcelles/930100000A0001/enrichments?include=geometry", 400, "invalid_parameter"},
		{"/nothing", 404, "not_found"},
		{"/Regions", 404, "not_found"},
		{"/communes/93010/x", 404, "not_found"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			r := s.get("/api/v1"+tt.path, "X-API-Key", key)
			if r.status != tt.status {
				t.Fatalf("status %d, want %d: %s", r.status, tt.status, r.body)
			}
			if tt.code != "" && r.code(t) != tt.code {
				t.Errorf("code %s, want %s", r.code(t), tt.code)
			}
			checkHeaders(t, r, "pro")
			without := s.get("/api/v1" + tt.path)
			if tt.path != "" && without.status != 401 && without.status != 429 {
				t.Errorf("without a key: status %d, want 401 before anything else", without.status)
			}
			checkHeaders(t, without, "none")
		})
	}
}

// checkHeaders looks for what every response under /api/v1 carries.
func checkHeaders(t *testing.T, r response, plan string) {
	t.Helper()
	for _, name := range []string{"X-RateLimit-Limit", "X-Quota-Limit", "X-Quota-Used", "X-Quota-Remaining", "X-Quota-Reset"} {
		if _, err := strconv.Atoi(r.header.Get(name)); err != nil {
			t.Errorf("%s is %q, want an integer", name, r.header.Get(name))
		}
	}
	if got := r.header.Get("X-Plan"); got != plan {
		t.Errorf("X-Plan is %q, want %q", got, plan)
	}
	for _, name := range []string{"X-Request-Id", "RateLimit-Policy", "RateLimit", "Cache-Control", "Content-Type"} {
		if r.header.Get(name) == "" && r.status != http.StatusNotModified {
			t.Errorf("%s is missing", name)
		}
	}
	if r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("the API must not be open to browsers of other sites")
	}
}

// A key is taken from each of the three places; the first that is not empty wins.
func TestKeyPlaces(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("places@example.org", "pro")
	for name, r := range map[string]response{
		"header":               s.get("/api/v1/regions", "X-API-Key", key),
		"bearer":               s.get("/api/v1/regions", "Authorization", "Bearer "+key),
		"bearer, other case":   s.get("/api/v1/regions", "Authorization", "bEARER "+key),
		"query":                s.get("/api/v1/regions?api_key=" + key),
		"header before query":  s.get("/api/v1/regions?api_key=wrong", "X-API-Key", key),
		"empty header, bearer": s.get("/api/v1/regions", "X-API-Key", "", "Authorization", "Bearer "+key),
	} {
		if r.status != 200 {
			t.Errorf("%s: status %d: %s", name, r.status, r.body)
		}
	}
	if r := s.get("/api/v1/regions?api_key="+key, "X-API-Key", "wrong"); r.status != 401 || r.code(t) != "invalid_api_key" {
		t.Errorf("a wrong key in the first place: status %d", r.status)
	}
	if r := s.get("/api/v1/regions"); r.status != 401 || r.code(t) != "missing_api_key" {
		t.Errorf("no key: status %d", r.status)
	}
	if r := s.get("/api/v1/regions?api_key=" + key + "&api_key=" + key); r.status != 400 {
		t.Errorf("the key twice in the URL: status %d, want 400", r.status)
	}
}

// HEAD answers as GET without a body, and other methods say what is allowed.
func TestMethods(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("methods@example.org", "pro")
	get := s.get("/api/v1/communes/93010", "X-API-Key", key)
	head := s.do(http.MethodHead, "/api/v1/communes/93010", "X-API-Key", key)
	if head.status != 200 || len(head.body) != 0 || head.header.Get("Content-Length") != strconv.Itoa(len(get.body)) {
		t.Errorf("HEAD: status %d, %d bytes, Content-Length %s, want 200, 0, %d", head.status, len(head.body), head.header.Get("Content-Length"), len(get.body))
	}
	if used(t, head) != used(t, get)+1 {
		t.Errorf("HEAD did not count: %d after %d", used(t, head), used(t, get))
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "get"} {
		r := s.do(method, "/api/v1/communes/93010", "X-API-Key", key)
		if r.status != 405 || r.header.Get("Allow") != "GET, HEAD" || r.code(t) != "method_not_allowed" {
			t.Errorf("%s: status %d, Allow %q", method, r.status, r.header.Get("Allow"))
		}
	}
	if r := s.get("/api/v2/communes"); r.status != 404 || r.code(t) != "not_found" {
		t.Errorf("/api/v2: status %d, want a JSON 404", r.status)
	}
}

func used(t *testing.T, r response) int {
	t.Helper()
	n, err := strconv.Atoi(r.header.Get("X-Quota-Used"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A caller that kept an answer is told so, and pays nothing for asking.
func TestNotModified(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("cache@example.org", "pro")
	for _, path := range []string{"/regions", "/communes/93010", "/communes/93010?include=geometry", "/parcelles/930100000A0001?include=geometry", "/departements/93?include=communes"} {
		first := s.get("/api/v1"+path, "X-API-Key", key)
		etag := first.header.Get("ETag")
		if etag == "" || first.header.Get("Cache-Control") != "private, max-age=3600" {
			t.Fatalf("%s: ETag %q, Cache-Control %q", path, etag, first.header.Get("Cache-Control"))
		}
		again := s.get("/api/v1"+path, "X-API-Key", key, "If-None-Match", etag)
		if again.status != 304 || len(again.body) != 0 || used(t, again) != used(t, first) {
			t.Errorf("%s: status %d, used %d after %d, want 304 and no more", path, again.status, used(t, again), used(t, first))
		}
		if other := s.get("/api/v1"+path, "X-API-Key", key, "If-None-Match", `"other"`); other.status != 200 {
			t.Errorf("%s: status %d for another validator", path, other.status)
		}
		if strong := s.get("/api/v1"+path, "X-API-Key", key, "If-None-Match", strings.TrimPrefix(etag, "W/")); strong.status != 304 ||
			strong.header.Get("ETag") != etag || strong.header.Get("Vary") != first.header.Get("Vary") {
			t.Errorf("%s: status %d, headers %v for the tag as a cache may send it", path, strong.status, strong.header)
		}
	}
	if r := s.get("/api/v1/parcelles/930100000A0001/enrichments", "X-API-Key", key); r.header.Get("Cache-Control") != "no-store" || r.header.Get("ETag") != "" {
		t.Error("a report must not be cached")
	}
}

// Nobody reads for nothing: only the one tag that came with an answer is answered 304, and it cannot be worked out from
// an answer that is guessed.
func TestTagsTellNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("frugal@example.org", "pro")
	first := s.get("/api/v1/communes/93010", "X-API-Key", key)
	etag, spent := first.header.Get("ETag"), used(t, first)
	for _, lines := range [][]string{{"*"}, {`"other", ` + etag}, {etag + ", " + etag}, {`"other"`, etag}, {etag, "*"}, {etag, etag}, {""}, {"", etag},
		{fmt.Sprintf(`W/"%x"`, xxhash.Sum64(first.body))}} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r := s.send(method, "/api/v1/communes/93010", http.Header{"X-Api-Key": {key}, "If-None-Match": lines})
			if spent++; r.status != 200 || used(t, r) != spent || r.header.Get("ETag") != etag {
				t.Errorf("%s with %q: status %d, used %d, want 200 and %d", method, lines, r.status, used(t, r), spent)
			}
		}
	}
	s.run(func(*config.Config) {})
	if other := s.get("/api/v1/communes/93010", "X-API-Key", key).header.Get("ETag"); other != etag {
		t.Errorf("tags %s and %s on two instances of one secret", etag, other)
	}
	s.run(func(c *config.Config) { c.Secret = "another secret of thirty-two letters" })
	if other := s.get("/api/v1/communes/93010", "X-API-Key", key).header.Get("ETag"); other == etag || other == "" {
		t.Errorf("tag %s whatever the secret", other)
	}
}

// Long answers travel compressed when the caller can read that, and are the same inside.
func TestCompression(t *testing.T) {
	t.Parallel()
	s := start(t)
	for accept, want := range map[string]string{"": "", "identity": "", "gzip": "gzip", "gzip, deflate, br": "br", "br;q=0, gzip": "gzip", "zstd": ""} {
		r := s.get("/openapi.json", "Accept-Encoding", accept)
		if got := r.header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: Content-Encoding %q, want %q", accept, got, want)
		}
	}
}

// The minute's limit is exact over HTTP, on the enrichments too, and a refusal says when to come back.
func TestMinute(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("minute@example.org", "free")
	ok := 0
	var last response
	for range 30 {
		if last = s.get("/api/v1/regions", "X-API-Key", key); last.status == 200 {
			ok++
		}
	}
	if ok > 10 || ok < 9 { // the fixture may have used one to see the key
		t.Errorf("%d admitted, want 10 less those the fixture used", ok)
	}
	after, err := strconv.Atoi(last.header.Get("Retry-After"))
	if last.status != 429 || last.code(t) != "rate_limited" || err != nil || after < 1 || after > 60 {
		t.Errorf("refusal: status %d, Retry-After %q", last.status, last.header.Get("Retry-After"))
	}
	standard := s.account("reports@example.org", "standard")
	ok = 0
	for range 40 {
		if last = s.get("/api/v1/parcelles/930100000A0001/enrichments", "X-API-Key", standard); last.status == 200 {
			ok++
		}
	}
	if ok != 20 || last.header.Get("X-RateLimit-Limit") != "20" {
		t.Errorf("%d reports admitted, limit header %s, want 20 and 20", ok, last.header.Get("X-RateLimit-Limit"))
	}
	if r := s.get("/api/v1/regions", "X-API-Key", standard); r.status != 200 || r.header.Get("X-RateLimit-Limit") != "60" {
		t.Errorf("other operations: status %d, limit %s, want 200 and 60", r.status, r.header.Get("X-RateLimit-Limit"))
	}
}

// Bodies hold the contract's members, in its order, and nothing made up.
func TestBodies(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("bodies@example.org", "pro")
	for _, name := range []string{"/regions", "/regions/11?include=departements,stats", "/departements?region=04",
		"/departements/93?include=communes", "/communes?departement=974", "/communes/75056?include=geometry",
		"/communes?lat=48.95&lon=2.5", "/parcelles/930100000A0002?include=geometry", "/parcelles/75118000AB0003",
		"/parcelles?lat=48.9105&lon=2.511", "/parcelles/930100000A0009", "/communes/75101", "/parcelles/930100000A0001/enrichments"} {
		r := s.get("/api/v1"+name, "X-API-Key", key)
		testkit.Golden(t, goldenName(name), append(r.body, '\n'))
		if !json.Valid(r.body) {
			t.Errorf("%s: not JSON", name)
		}
	}
}

func goldenName(path string) string {
	return strings.NewReplacer("/", "_", "?", "-", "&", "-", "=", "-", ",", "-").Replace(strings.TrimPrefix(path, "/")) + ".json"
}

// A request that cannot be read gets the same form of error, and never a 500.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	s := start(t)
	long := strings.Repeat("a", 20_000)
	for name, r := range map[string]response{
		"address": s.get("/api/v1/communes/" + long),
		"query":   s.get("/api/v1/communes?x=" + long),
		"header":  s.get("/api/v1/communes", "X-Filler", long),
	} {
		if r.status < 400 || r.status > 499 {
			t.Errorf("%s: status %d", name, r.status)
		}
		if got := r.code(t); got != "request_too_large" {
			t.Errorf("%s: code %s", name, got)
		}
	}
}
