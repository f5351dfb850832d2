package contract_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"arpent/api"
	"arpent/app/dev/fixture"
)

// countedPaths are, by operation, a request that is answered, one whose parameters
// are wrong (empty: it has none), and one for an object that does not exist (empty:
// the operation finds something for all that it accepts).
var countedPaths = map[string]struct{ good, wrong, missing string }{
	"":                             {"", "", ""},
	"/regions":                     {"/regions", "/regions?include=nope", ""},
	"/regions/{code}":              {"/regions/11", "/regions/x", "/regions/99"},
	"/departements":                {"/departements", "/departements?region=x", ""},
	"/departements/{code}":         {"/departements/93", "/departements/9", "/departements/00"},
	"/communes":                    {"/communes?departement=93", "/communes?departement=9", ""},
	"/communes/{code}":             {"/communes/93010", "/communes/9301", "/communes/99999"},
	"/adresses":                    {"/adresses?q=bondy", "/adresses", ""},
	"/parcelles":                   {"/parcelles?lat=48.9105&lon=2.511", "/parcelles?lat=x&lon=2", "/parcelles?lat=0&lon=0"},
	"/parcelles/{idu}":             {"/parcelles/930100000A0001", "/parcelles/x", "/parcelles/99999000AA0001"},
	"/parcelles/{idu}/enrichments": {"/parcelles/930100000A0001/enrichments", "/parcelles/x/enrichments", "/parcelles/99999000AA0001/enrichments"},
}

// What counts is the same for every operation: an answer and a mistake of the caller count once, by GET and
// by HEAD; that the caller's copy is still good, however its tag is written, counts nothing; and what the
// headers of one answer say is left is what the next call finds. An operation that is not in the table fails
// the test. (TestToolsAnswerAsREST: tools count as much.)
func testWhatCountsOfEveryOperation(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("counted@example.org", "pro")
	s.UntilIndexed(key)
	used := s.Get(api.Root, "X-API-Key", key).Used(t)
	ask := func(method, path string, status, counts int, headers ...string) fixture.Response {
		t.Helper()
		r := s.Do(method, api.Root+path, "", append([]string{"X-API-Key", key}, headers...)...)
		if used += counts; r.Status != status || r.Used(t) != used {
			t.Errorf("%s %s %v: %d with %d used, want %d with %d", method, path, headers, r.Status, r.Used(t), status, used)
			used = r.Used(t)
		}
		number := func(name string) int { n, _ := strconv.Atoi(r.Header.Get(name)); return n }
		if left := number("X-Quota-Remaining"); left != number("X-Quota-Limit")-used || !strings.Contains(r.Header.Get("RateLimit"), `"day";r=`+strconv.Itoa(left)+";") {
			t.Errorf("%s %s: %d left after %d of %d, RateLimit %s", method, path, left, used, number("X-Quota-Limit"), r.Header.Get("RateLimit"))
		}
		return r
	}
	operations := api.Operations()
	if len(countedPaths) != len(operations) {
		t.Errorf("%d operations in the table of what counts, of %d", len(countedPaths), len(operations))
	}
	for i := range operations {
		op := &operations[i]
		path, known := countedPaths[op.Path]
		if !known {
			t.Errorf("%s (%s) is not in the table of what counts", op.Name, op.Path)
			continue
		}
		first := ask(http.MethodGet, path.good, http.StatusOK, 1)
		if kept := first.Header.Get("Cache-Control") == "private, max-age=3600"; kept == op.NotCached {
			t.Errorf("%s: Cache-Control %q", op.Name, first.Header.Get("Cache-Control"))
		}
		ask(http.MethodHead, path.good, http.StatusOK, 1)
		ask(http.MethodPost, path.good, http.StatusMethodNotAllowed, 1)
		if path.wrong != "" {
			ask(http.MethodGet, path.wrong, http.StatusBadRequest, 1)
		}
		if path.missing != "" {
			ask(http.MethodGet, path.missing, http.StatusNotFound, 1)
		}
		tag := first.Header.Get("ETag")
		if (tag == "") != op.NotCached {
			t.Errorf("%s: tag %q", op.Name, tag)
		}
		if tag != "" {
			for _, held := range []string{tag, strings.TrimPrefix(tag, "W/"), " " + tag + " "} {
				r := ask(http.MethodGet, path.good, http.StatusNotModified, 0, "If-None-Match", held)
				if len(r.Body) > 0 || r.Header.Get("ETag") != tag || r.Header.Get("Vary") != first.Header.Get("Vary") {
					t.Errorf("%s, not modified: %v, %d bytes", op.Name, r.Header, len(r.Body))
				}
				ask(http.MethodHead, path.good, http.StatusNotModified, 0, "If-None-Match", held)
			}
			ask(http.MethodGet, path.good, http.StatusNotModified, 0, "If-None-Match", tag, "Accept-Encoding", "br")
		}
		for _, held := range []string{"*", `"other"`, tag + `, "other"`} {
			ask(http.MethodGet, path.good, http.StatusOK, 1, "If-None-Match", held)
		}
		if r := s.Get(api.Root+path.good, "X-API-Key", "wrong"); r.Status != http.StatusUnauthorized {
			t.Errorf("%s with a wrong key: %d", op.Name, r.Status)
		}
		ask(http.MethodGet, "/no-such-path", http.StatusNotFound, 1)
	}
}
