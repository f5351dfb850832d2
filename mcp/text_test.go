package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// What is short is given byte for byte.
func TestShortResultsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"a": 1,"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,1],[0,0]]]},"stats":{"x":[1,2,3],"y":null}}`,
		`{"count":12,"data":[1,2,3,4,5,6,7,8,9,10,11,12]}`, `{"stats":null}`, `{}`, `[1]`,
	} {
		if got := resultTexts(t, makeContent([]byte(body), false, noAddress)); len(got) != 1 || got[0] != body {
			t.Errorf("%s: %q", body, got)
		}
	}
}

// A long list inside a report or statistics is cut to what comes first, one with years to what is
// newest, and a note says which lists and of how many. A call that asks for keys by name gets them whole.
func TestLongListsAreCut(t *testing.T) {
	t.Parallel()
	list := func(item func(i int) string, from, to int) string {
		var items []string
		for i := from; i < to; i++ {
			items = append(items, item(i))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	address := func(i int) string { return fmt.Sprintf(`{"label":"n° %d"}`, i) }
	year := func(i int) string { return fmt.Sprintf(`{"year":%d,"v":null}`, 2000+i) }
	quarter := func(i int) string { return fmt.Sprintf(`{"quarter":"%d-T4","v":1}`, 2000+i) }
	report := func(addresses, years, returned string) string {
		return `{"idu":"x","enrichments":{"banAddresses":` + addresses + `,"dvf":{"n":{"sales":` + years + `}},"old":null},"lists":{"banAddresses":{"total":137,"returned":` + returned + `,"truncated":true},"icpe":{"total":2,"returned":2,"truncated":false}},"sources":` + list(address, 0, 12) + `}`
	}
	long := report(list(address, 0, 136), list(year, 0, 12), "136")
	got := resultTexts(t, makeContent([]byte(`{"stats":{"emploi":`+list(quarter, 0, 6)+`,"x":`+list(address, 0, 5)+`}}`), false, noAddress))
	if want := `{"stats":{"emploi":` + list(quarter, 1, 6) + `,"x":` + list(address, 0, 5) + `}}`; got[0] != want {
		t.Errorf("%q, want %s", got, want)
	}
	got = resultTexts(t, makeContent([]byte(long), false, func() string { return testBase + "/api/v1/x" }))
	if want := report(list(address, 0, 10), list(year, 2, 12), "10"); len(got) != 2 || got[0] != want {
		t.Fatalf("%q, want %s", got, want)
	}
	for _, want := range []string{"banAddresses (first of 137)", "dvf.n.sales (newest by year of 12)", "fields=", testBase + "/api/v1/x"} {
		if !strings.Contains(got[1], want) {
			t.Errorf("%q does not say %q", got[1], want)
		}
	}
	if got := resultTexts(t, makeContent([]byte(long), true, noAddress)); len(got) != 1 || got[0] != long {
		t.Errorf("keys that were asked for are cut: %q", got)
	}
}

// A list is cut to its nearest, newest or largest items, which stay in their order, and the note says by which
// member they were chosen: the five thefts of a commune that come first in the alphabet are not its crime.
func TestCutListsKeepNewestAndLargest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ list, kept, by string }{
		{`[{"year":2024,"count":9},{"year":2024,"count":8},{"year":2025,"count":1},{"year":2025,"count":3},{"year":2025,"count":null},{"year":2025,"count":2}]`,
			`[{"year":2024,"count":9},{"year":2025,"count":1},{"year":2025,"count":3},{"year":2025,"count":null},{"year":2025,"count":2}]`, "newest by year, then largest by count"},
		{`[{"k":"a","count":1},{"k":"b","count":7},{"k":"c","count":null},{"k":"d","count":5},{"k":"e","count":2},{"k":"f","count":3}]`,
			`[{"k":"a","count":1},{"k":"b","count":7},{"k":"d","count":5},{"k":"e","count":2},{"k":"f","count":3}]`, "largest by count"},
		{`[{"date":"2024-05-01"},{"date":"2023-05-01"},{"date":"2022-05-01"},{"date":"2021-05-01"},{"date":"2020-05-01"},{"date":"2019-05-01"}]`,
			`[{"date":"2024-05-01"},{"date":"2023-05-01"},{"date":"2022-05-01"},{"date":"2021-05-01"},{"date":"2020-05-01"}]`, "newest by date"},
		{`[{"distanceM":1,"year":1990},{"distanceM":2,"year":2000},{"distanceM":3,"year":2000},{"distanceM":4,"year":2000},{"distanceM":5,"year":2000},{"distanceM":6,"year":2020}]`,
			`[{"distanceM":1,"year":1990},{"distanceM":2,"year":2000},{"distanceM":3,"year":2000},{"distanceM":4,"year":2000},{"distanceM":5,"year":2000}]`, "nearest by distanceM"},
		{`["a","b","c","d","e","f"]`, `["a","b","c","d","e"]`, "first"},
	} {
		got := resultTexts(t, makeContent([]byte(`{"stats":{"x":`+c.list+`}}`), false, noAddress))
		if got[0] != `{"stats":{"x":`+c.kept+`}}` || !strings.Contains(got[1], "x ("+c.by+" of 6)") {
			t.Errorf("%s: %q, want %s by %s", c.list, got, c.kept, c.by)
		}
	}
}

// An outline that would take up the context is given in fewer points, which are near those that were left
// out, and the note says how near. What has no simpler form is left out.
func TestLongOutlinesAreSimplified(t *testing.T) {
	t.Parallel()
	var circle, dust []string
	for i := range 5000 {
		angle := 2 * math.Pi * float64(i%4999) / 4999
		circle = append(circle, fmt.Sprintf("[%.7f,%.7f]", 2+0.1*math.Cos(angle), 48+0.1*math.Sin(angle)))
		x := float64(i) / 1000
		dust = append(dust, fmt.Sprintf("[[[%.7f,48],[%.7f,48],[%.7f,48.0000001],[%.7f,48]]]", x, x+1e-7, x, x))
	}
	body := func(geometry string) []byte { return []byte(`{"a":1,"geometry":` + geometry + `,"b":2}`) }
	got := resultTexts(t, makeContent(body(`{"type":"Polygon","coordinates":[[`+strings.Join(circle, ",")+`]]}`), false, noAddress))
	if len(got) != 2 || len(got[0]) >= maxGeometry || !strings.Contains(got[1], "simplified, to about 10 m") {
		t.Fatalf("%d texts, %d bytes, %q", len(got), len(got[0]), got[len(got)-1])
	}
	var simple struct {
		A, B     int
		Geometry struct {
			Type        string
			Coordinates [][][2]float64
		}
	}
	if err := json.Unmarshal([]byte(got[0]), &simple); err != nil || simple.Geometry.Type != "Polygon" || simple.A != 1 || simple.B != 2 {
		t.Fatalf("%s: %v", got[0], err)
	}
	ring := simple.Geometry.Coordinates[0]
	if len(ring) < 20 || ring[0] != ring[len(ring)-1] {
		t.Errorf("a ring of %d positions from %v to %v", len(ring), ring[0], ring[len(ring)-1])
	}
	for _, p := range ring {
		if off := math.Abs(math.Hypot(p[0]-2, p[1]-48)-0.1) * metresPerDegree; off > 10 {
			t.Errorf("%v is %f m from the outline", p, off)
		}
	}
	got = resultTexts(t, makeContent(body(`{"type":"MultiPolygon","coordinates":[`+strings.Join(dust, ",")+`]}`), false, noAddress))
	if len(got) != 2 || got[0] != `{"a":1,"b":2}` || !strings.Contains(got[1], "left out") {
		t.Errorf("%.200q", got)
	}
}

func noAddress() string { return "" }

// resultTexts are the texts of a result, the first of which is also what it is as an object.
func resultTexts(t *testing.T, result any) (all []string) {
	t.Helper()
	var r struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	b, err := json.Marshal(result)
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	var text bytes.Buffer
	if err != nil || json.Compact(&text, []byte(r.Content[0].Text)) != nil || text.String() != string(r.StructuredContent) {
		t.Fatalf("%s: text and object differ: %v", b, err)
	}
	for _, c := range r.Content {
		all = append(all, c.Text)
	}
	return all
}

// Pages of unknown origins stay out; those of assistants come in.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]bool{
		"": true, testBase: true, "https://claude.ai": true, "http://localhost:6274": true, "http://127.0.0.1": true, "http://[::1]:80": true,
		"http://evil.example": false, "null": false, "http://localhost.evil.example": false, "file://": false, "http://127.0.0.1.evil.example": false,
		"ftp://127.0.0.1": false, "%": false, "https://": false,
	} {
		if got := isOriginAllowed(origin, testBase); got != want {
			t.Errorf("%q: %v, want %v", origin, got, want)
		}
	}
}

// What is no message gets its own error, and no reading of one ends the program.
func TestMessages(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                                              0,
		` {"jsonrpc":"2.0","method":"notifications/initialized"}`:                               0,
		`{"jsonrpc":"2.0","id":"a","method":"x","params":[1]}`:                                  0,
		`{"jsonrpc":"2.0","id":"a","method":"x","params":{"name":1}}`:                           0,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                                  0,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`:                  0,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":null}}`: 0,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`:                    -32602,
		`{"params":{"name":"x","arguments":"y"},"method":"tools/call","jsonrpc":"2.0","id":1}`:  -32602,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`:                                        -32602,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`:                            -32602,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`:                                            -32600,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`:                                              -32600,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:                                           -32600,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:                                             -32600,
		`{"jsonrpc":"2.0","id":1,"method":5}`:                                                   -32600,
		`{"jsonrpc":"2.0"}`:                                                                     -32600,
		`"x"`:                                                                                   -32600,
		`null`:                                                                                  -32600,
		``:                                                                                      -32700,
		`{"jsonrpc":"2.0",`:                                                                     -32700,
		"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}":                             -32700,
		strings.Repeat(`{"params":`, 20_000):                                                    -32700,
	} {
		if _, code, text := readMessage([]byte(body)); code != want || (text == "") != (want == 0) {
			t.Errorf("%.100s: %d %q, want %d", body, code, text, want)
		}
	}
}

// A call that names keys is given their definitions: at most so much, what is said
// of the keys themselves first.
func TestNamedKeysAreExplained(t *testing.T) {
	t.Parallel()
	for _, one := range testTools() {
		for _, p := range one.Params {
			if p.Name != "fields" {
				continue
			}
			keys := p.Values()
			for _, key := range keys {
				if text := one.glossary.explainKeys([]string{key}); !strings.HasPrefix(text, key+": ") || len(text) > maxGlossary+1000 {
					t.Errorf("%s %s: %d bytes: %q", one.Name, key, len(text), text)
				}
			}
			if text := one.glossary.explainKeys(keys); strings.Count(text, "\n") != len(keys)-1 {
				t.Errorf("%s: %d keys are explained in %d lines", one.Name, len(keys), strings.Count(text, "\n")+1)
			}
		}
	}
	if text := (glossary{}).explainKeys([]string{"unknown"}); text != "" {
		t.Errorf("%q", text)
	}
}
