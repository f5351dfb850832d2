package contract_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"arpent/api"
	"arpent/app/dev/fixture"
	"arpent/app/dev/openapi"
	"arpent/app/dev/testkit"
)

// The document is part of the contract: a change to it is seen in review.
func TestOpenAPIGolden(t *testing.T) {
	t.Parallel()
	testkit.Golden(t, "openapi.json", api.Document("Arpent", "http://127.0.0.1:8080"))
}

// A client that reads YAML gets the same document.
func testYAML(t *testing.T, s *fixture.Service) {
	t.Helper()
	r := s.Get("/openapi.yaml")
	var asYAML, asJSON any
	if err := yaml.Unmarshal(r.Body, &asYAML); err != nil || r.Status != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/yaml") {
		t.Fatalf("%d %v: %v", r.Status, r.Header, err)
	}
	if r.Header.Get("Access-Control-Allow-Origin") != "*" { // viewers and editors are pages of other origins
		t.Errorf("the document is closed to other origins: %v", r.Header)
	}
	testkit.NoError(t, json.Unmarshal(s.Get("/openapi.json").Body, &asJSON))
	text := testkit.Must(json.Marshal(asYAML))(t)
	if want, _ := json.Marshal(asJSON); !bytes.Equal(text, want) {
		t.Errorf("as YAML the document is %d bytes of JSON, it is %d", len(text), len(want))
	}
}

// Every operation has a tag that is described, and examples that have
// the form that is promised of the answers.
func TestOpenAPIExamples(t *testing.T) {
	t.Parallel()
	document := testkit.Must(readDocument())(t)
	doc := api.Describe("Arpent", "http://127.0.0.1:8080")
	tags := map[string]bool{}
	for _, tag := range doc.Tags {
		tags[tag.Name] = tag.Description != ""
	}
	for _, op := range api.Operations() {
		described := doc.Paths[api.Root+op.Path].Get
		if len(described.Tags) != 1 || !tags[described.Tags[0]] {
			t.Errorf("%s has the tags %v", op.Name, described.Tags)
		}
		for status, r := range described.Responses {
			content := r.Content["application/json"]
			if content == nil {
				continue
			}
			if len(content.Examples) == 0 {
				t.Errorf("%s: %s has no example", op.Name, status)
			}
			for name, example := range content.Examples {
				code, _ := strconv.Atoi(status)
				if err := document.Check(api.Root+op.Example, code, "application/json", example.Value.(json.RawMessage)); err != nil {
					t.Errorf("%s: the example %s of %s: %v", op.Name, name, status, err)
				}
			}
		}
	}
}

// The document describes every operation with a typed result, an
// example that works and every status it may give.
func TestOpenAPIIsComplete(t *testing.T) {
	t.Parallel()
	var doc struct {
		OpenAPI string `json:"openapi"`
		Paths   map[string]map[string]struct {
			OperationID, Summary, Description string
			Responses                         map[string]json.RawMessage
		}
	}
	testkit.NoError(t, json.Unmarshal(api.Document("Arpent", "http://127.0.0.1:8080"), &doc))
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("openapi is %s", doc.OpenAPI)
	}
	for _, op := range api.Operations() {
		got, ok := doc.Paths[api.Root+op.Path]["get"]
		if !ok || got.OperationID != op.Name || got.Description == "" {
			t.Errorf("%s is not in the document", op.Name)
		}
		for _, status := range []string{"200", "400", "401", "404", "429"} {
			if _, ok := got.Responses[status]; !ok {
				t.Errorf("%s: %s is not documented", op.Name, status)
			}
		}
		if _, ok := got.Responses["422"]; ok {
			t.Errorf("%s: documents 422, which is never answered", op.Name)
		}
	}
}

var readDocument = sync.OnceValues(func() (*openapi.Document, error) {
	return openapi.Read(api.Document("Arpent", "http://127.0.0.1:8080"))
})

// fitsDocument fails when an answer has not the shape that the document promises of the path.
func fitsDocument(t testing.TB, path string, r fixture.Response) {
	t.Helper()
	document := testkit.Must(readDocument())(t)
	if err := document.Check(path, r.Status, r.Header.Get("Content-Type"), r.Body); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

// Every answer, good or bad, has the shape that the document promises.
func testResponsesMatchDocument(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("document@example.org", "pro")
	s.UntilIndexed(key)
	for _, path := range []string{"", "/regions", "/regions/11", "/regions/11?include=geometry,stats,departements", "/regions/11?include=centre,bbox", "/regions/99", "/regions/x",
		"/departements", "/departements?region=04", "/departements/93?include=communes,geometry,stats", "/departements/974",
		"/communes", "/communes?departement=93", "/communes?lat=48.95&lon=2.55&include=geometry,stats", "/communes?lat=0&lon=0",
		"/communes/93010", "/communes/97411?include=geometry", "/communes/97411?include=bbox,centre", "/communes/93099?include=bbox,centre", "/communes/75101", "/communes/9",
		"/parcelles?lat=48.9105&lon=2.5105&include=geometry", "/parcelles?lat=48.9105&lon=2.5105&include=centre,bbox", "/parcelles?lat=0&lon=0", "/parcelles/930100000A0001",
		"/parcelles/930100000A0002?include=geometry", "/parcelles/75118000AB0003", "/parcelles/930100000A0009", "/parcelles/1",
		"/parcelles/930100000A0001/enrichments", "/adresses", "/adresses?q=bondy&lat=48.9&lon=2.5", "/adresses?q=xkqjz"} {
		fitsDocument(t, "/api/v1"+path, s.Get("/api/v1"+path, "X-API-Key", key))
		fitsDocument(t, "/api/v1"+path, s.Get("/api/v1"+path, "X-API-Key", "wrong"))
	}
}

// parameters are where a text can be put into an address, each with texts that it is made for.
var parameters = []struct {
	before, after string
	seeds         []string
}{
	{"/regions/", "", []string{"11", "04", "x"}},
	{"/departements/", "", []string{"2A", "974"}},
	{"/communes/", "", []string{"93010", "75101"}},
	{"/parcelles/", "?include=geometry", []string{"930100000A0001", "930100000A0009"}},
	{"/parcelles/", "/enrichments", []string{"930100000A0001"}},
	{"/departements?region=", "", []string{"11"}},
	{"/communes?departement=", "", []string{"93", "974"}},
	{"/communes?lon=2.55&lat=", "", []string{"48.95", "-90"}},
	{"/parcelles?lat=48.9105&lon=", "", []string{"2.5105"}},
	{"/regions/11?include=", "", []string{"geometry,stats", "departements ,", ",,,"}},
	{"/regions?api_key=", "", []string{"arp_x"}},
}

// unlimited is a number of requests that no fuzzing comes to in a minute.
const unlimited = 1_000_000_000

// FuzzParameter sends any text as one parameter: the answer is never a failure of ours, and keeps its shape.
func FuzzParameter(f *testing.F) {
	s := fixture.Start(f)
	key := s.Account("fuzz@example.org", "pro")
	s.Limit(key, unlimited)
	for n, p := range parameters {
		for _, seed := range append(p.seeds, "", " ", "\x00", "é", "'; DROP TABLE geo.parcelle; --", "%", "..", "/", "?", "#", strings.Repeat("9", 300), "\xff", "NaN", "1e400", "-0", "𝟙") {
			f.Add(uint8(n), seed)
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, value string) {
		p := parameters[int(n)%len(parameters)]
		escape := url.PathEscape
		if strings.Contains(p.before, "?") {
			escape = url.QueryEscape
		}
		s := s.For(t)
		r := s.Get(api.Root+p.before+escape(value)+p.after, "X-API-Key", key)
		switch {
		case r.Status >= 500:
			t.Fatalf("%s%q: status %d: %s", p.before, value, r.Status, r.Body)
		case r.Status != 200 && (!json.Valid(r.Body) || r.Code(t) == "internal_error" || !utf8.Valid(r.Body)):
			t.Fatalf("%s%q: status %d: %s", p.before, value, r.Status, r.Body)
		case value != "": // an empty code is another path
			fitsDocument(t, api.Root+p.before+"x"+p.after, r)
		}
	})
}

// FuzzAddressQuery sends any text as the query, with any limit and place to begin from: what is answered has
// the shape that is promised, names the query that was searched, and is the same when it is asked again.
func FuzzAddressQuery(f *testing.F) {
	s, key := addresses(f)
	s.Limit(key, unlimited)
	for _, q := range []string{"12 rue de Paris, Bondy", "14bis r. de pari 93140", "Bondy CEDEX 9 BP 12", "75018", "Paris 18e", "Oô", "ß", "l'", "œuf-ŒUF", "12 12 12",
		"\u0301\u0301", "a\u200bb", "\x00", "\xff", "🏠 rue", "n° 1 F-93140", "  ", strings.Repeat("rue saint ", 20), strings.Repeat("é", 201), "9999999999999999999"} {
		f.Add(q, "", "", "")
	}
	f.Add("rue de paris", "20", "48.91", "2.51")
	f.Add("rue de paris", "0", "-90", "")
	f.Add("rue", "1", "NaN", "1e400")
	f.Fuzz(func(t *testing.T, q, limit, lat, lon string) {
		values := url.Values{"q": {q}}
		for name, value := range map[string]string{"limit": limit, "lat": lat, "lon": lon} {
			if value != "" {
				values.Set(name, value)
			}
		}
		path := api.Root + "/adresses?" + values.Encode()
		s := s.For(t)
		r := s.Get(path, "X-API-Key", key)
		fitsDocument(t, api.Root+"/adresses?q=x", r)
		switch r.Status {
		case http.StatusOK:
			if got := search(s, key, values.Encode()).Query; got != strings.TrimSpace(q) {
				t.Errorf("%q is reported as %q", q, got)
			}
			if again := s.Get(path, "X-API-Key", key); !bytes.Equal(again.Body, r.Body) {
				t.Errorf("%q: first %s, then %s", q, r.Body, again.Body)
			}
		case http.StatusBadRequest, http.StatusRequestHeaderFieldsTooLarge, http.StatusRequestURITooLong:
		default:
			t.Errorf("%q: status %d: %s", q, r.Status, r.Body)
		}
	})
}
