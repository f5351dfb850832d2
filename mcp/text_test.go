package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"arpent/internal/opendata/state"
)

// An answer without statistics or a report, and one of chosen keys, is given byte for byte.
func TestShortResultsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"a": 1,"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,1],[0,0]]]},"stats":{"x":[1,2,3],"y":null}}`,
		`{"count":12,"data":[1,2,3,4,5,6,7,8,9,10,11,12]}`, `{"stats":null}`, `{}`, `[1]`,
	} {
		if got := resultTexts(t, makeContent([]byte(body), contentOptions{chosen: true})); len(got) != 1 || got[0] != body {
			t.Errorf("%s: %q", body, got)
		}
	}
}

// A digest leaves keys without a value to the states, names a source once for all that it is of, and leaves
// out definitions and notes.
func TestDigestNamesSourcesOnce(t *testing.T) {
	t.Parallel()
	const body = `{"name":"Bondy","stats":{"revenus":{"source":"INSEE, Filosofi","year":2021,"median":1},"maire":null,"nuisibles":[],` +
		`"rankings":{"source":"INSEE, Filosofi; DGFiP, Comptes","year":2023,"income":{"source":"INSEE, Filosofi","rank":3},"debt":{"source":"DGFiP, Comptes","rank":4},"definition":{"text":"t"}},` +
		`"crime":7,"sources":{"crime":{"source":"SSMSI, Base; method sum10-v1","year":2024}}},"states":{"maire":{"state":"none","reason":"r"},"roadTraffic":{"state":"none","reason":"r","radiusM":500},"revenus":{"state":"value"}}}`
	const want = `{"name":"Bondy","stats":{"revenus":{"year":2021,"median":1},"rankings":{"year":2023,"income":{"rank":3},"debt":{"rank":4}},"crime":7,"sources":{"crime":{"year":2024}}},` +
		`"states":[{"state":"none","keys":["maire","roadTraffic"],"radiusM":{"roadTraffic":500}}],"sources":[{"source":"INSEE, Filosofi","keys":["revenus","rankings.income"]},` +
		`{"source":"DGFiP, Comptes","keys":["rankings.debt"]},{"source":"SSMSI, Base; method sum10-v1","keys":["crime"]}]}`
	if got := resultTexts(t, makeContent([]byte(body), contentOptions{address: noAddress})); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %s", got, want)
	}
}

// Details of a commune are given to calls that name them alone; of a report, where the same keys are lists of
// what is near, to all.
func TestDetailsAreGivenByName(t *testing.T) {
	t.Parallel()
	const stats = `{"name":"Bondy","stats":{"population":1,"icpe":{"total":3}},"states":[]`
	for body, want := range map[string]string{
		stats + `}`: `{"name":"Bondy","stats":{"population":1},"states":[],"leftOut":["icpe"]}`,
		`{"idu":"x","enrichments":{"icpe":[{"id":"a"}]}}`: `{"idu":"x","enrichments":{"icpe":[{"id":"a"}]}}`,
	} {
		if got := resultTexts(t, makeContent([]byte(body), contentOptions{address: noAddress})); got[0] != want {
			t.Errorf("%q, want %s", got, want)
		}
	}
	if got := resultTexts(t, makeContent([]byte(stats+"}"), contentOptions{chosen: true, address: noAddress})); got[0] != stats+"}" {
		t.Errorf("by name: %q", got)
	}
}

// In a digest that would be too long, lists are cut to the newest, nearest or largest items, so that no key
// takes the room of others; a note says which lists and of how many. Keys that are asked for by name are
// whole.
func TestLongListsAreCut(t *testing.T) {
	t.Parallel()
	list := func(item func(i int) string, from, to int) string {
		var items []string
		for i := from; i < to; i++ {
			items = append(items, item(i))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	address := func(i int) string { return fmt.Sprintf(`{"label":"n° %d%s"}`, i, strings.Repeat(" ", 50)) }
	year := func(i int) string { return fmt.Sprintf(`{"year":%d,"v":null}`, 2000+i) }
	report := func(addresses, years, returned string) string {
		return `{"idu":"x","enrichments":{"banAddresses":` + addresses + `,"dvf":{"n":{"sales":` + years + `}}},"lists":{"banAddresses":{"total":137,"returned":` + returned + `,"truncated":true,"radiusM":50,"note":"a"},` +
			`"schools":{"total":1,"returned":1,"truncated":false,"note":"b"},"icpe":{"total":6,"returned":6,"truncated":false,"radiusM":1000}},"sources":[]}`
	}
	long := report(list(address, 0, 136), list(year, 2, 12), "136")
	got := resultTexts(t, makeContent([]byte(long), contentOptions{address: func() string { return testBase + "/api/v1/x" }}))
	// Lists without an item, and radii, are left to calls of single keys.
	want := strings.NewReplacer(`"radiusM":50,`, "", `,"schools":{"total":1,"returned":1,"truncated":false,"note":"b"}`, "",
		`,"icpe":{"total":6,"returned":6,"truncated":false,"radiusM":1000}`, "").Replace(report(list(address, 0, 10), list(year, 2, 12), "10"))
	if len(got) != 2 || got[0] != want {
		t.Fatalf("%q, want %s", got, want)
	}
	for _, want := range []string{"banAddresses (10 of 137, first)", "fields=", testBase + "/api/v1/x"} {
		if !strings.Contains(got[1], want) {
			t.Errorf("%q does not say %q", got[1], want)
		}
	}
	if got := resultTexts(t, makeContent([]byte(long), contentOptions{chosen: true})); len(got) != 1 || got[0] != long {
		t.Errorf("keys that were asked for are cut: %q", got)
	}
}

// A key of many series that a call chooses has the newest figure of each: the years are left out, and the
// note says how to ask for those of one. A key that is short, and the timeline itself, are given whole.
func TestYearsOfManySeriesAreLeftOut(t *testing.T) {
	t.Parallel()
	series := func(years int) string {
		var items []string
		for y := range years {
			for _, key := range []string{"homicides", "burglary"} {
				items = append(items, fmt.Sprintf(`{"year":%d,"key":%q,"count":%d,"ratePer1000":1.2345}`, 2000+y, key, y))
			}
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	body := func(categories string, years int) string {
		return `{"name":"x","stats":{"population":1,"securite":{"source":"S",` + categories + `"timeline":` + series(years) + `,"note":"n"}}}`
	}
	const newest = `"categories":[{"key":"homicides","count":3},{"key":"burglary","count":4}],`
	for _, whole := range []string{body(newest, 10), body("", 400)} {
		if got := resultTexts(t, makeContent([]byte(whole), contentOptions{chosen: true, address: noAddress})); len(got) != 1 || got[0] != whole {
			t.Errorf("a short key or the timeline itself is cut: %.200s", got)
		}
	}
	got := resultTexts(t, makeContent([]byte(body(newest, 400)), contentOptions{chosen: true, address: noAddress}))
	const want = `{"name":"x","stats":{"population":1,"securite":{"source":"S","categories":[{"key":"homicides","count":3},{"key":"burglary","count":4}],"note":"n"}},"leftOut":["securite.timeline"]}`
	if len(got) != 2 || got[0] != want || !strings.HasPrefix(got[1], `Left out: securite.timeline. fields=["securite.timeline.homicides"] gives the years of one series, fields=["securite.timeline"] those of all.`) {
		t.Errorf("%q, want %s", got, want)
	}
}

// However long the values of an answer are, its digest is short, and the keys that have no room are named.
func TestDigestsAreShort(t *testing.T) {
	t.Parallel()
	var keys []string
	for i := range 60 {
		keys = append(keys, fmt.Sprintf(`"key%d":{"source":"S%d","text":%q,"list":[{"year":1},{"year":2},{"year":3}]}`, i, i, strings.Repeat("x", 5*i)))
	}
	body := `{"name":"x","stats":{` + strings.Join(keys, ",") + `},"states":{}}`
	got := resultTexts(t, makeContent([]byte(body), contentOptions{address: noAddress, objects: true}))
	if len(got) != 2 || !strings.Contains(got[1], "Left out: key59") || !strings.Contains(got[0], "structuredContent") || len(got[0]) > maxSummary+100 {
		t.Errorf("%q", got)
	}
	result := makeContent([]byte(body), contentOptions{address: noAddress})
	structured := result.RawStructuredContent
	if n := len(structured); n > maxDigest || n < maxDigest/2 {
		t.Errorf("the digest has %d bytes", n)
	}
	all := gjson.GetBytes(structured, "leftOut").Array()
	if len(all) < 5 || all[0].Str != "key59" {
		t.Errorf("keys without room are not named in the object: %v", all)
	}
	for _, source := range gjson.GetBytes(structured, "sources").Array() {
		if key := source.Get("keys.0").Str; !gjson.GetBytes(structured, "stats."+key).Exists() {
			t.Errorf("%s is the source of a key that was left out", source)
		}
	}
}

// The items of a long list are rows, whose values the columns name.
func TestListsAreTables(t *testing.T) {
	t.Parallel()
	const body = `{"count":2,"data":[{"name":"Bobigny","codeInsee":"93008","stats":{"a.b":1}},{"name":"Bondy","codeInsee":"93010","stats":{"a.b":null}}]}`
	const want = `{"count":2,"data":[["Bobigny","93008",1],["Bondy","93010",null]],"columns":["name","codeInsee","stats.a.b"]}`
	if got := resultTexts(t, makeContent([]byte(body), contentOptions{table: true})); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %s", got, want)
	}
}

// The fields of few are named once: a row with all of them has true, one with some these.
func TestSmallBaseIsNamedOnce(t *testing.T) {
	t.Parallel()
	const body = `{"data":[{"name":"A","stats":{"x":1},"smallBase":["x"]},{"name":"B","stats":{"x":2},"smallBase":["x","y"]},{"name":"C","stats":{"x":3}}]}`
	const want = `{"data":[["A",1,["x"]],["B",2,true],["C",3,null]],"columns":["name","stats.x","smallBase"],"smallBase":["x","y"]}`
	if got := resultTexts(t, makeContent([]byte(body), contentOptions{table: true})); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %s", got, want)
	}
}

// A list that has no room says in the object itself that it is cut, after how many items, and how to get the
// others.
func TestCutListsSayHowToGetTheRest(t *testing.T) {
	t.Parallel()
	var items []string
	for i := range 400 {
		items = append(items, fmt.Sprintf(`{"name":%q,"code":"%d"}`, strings.Repeat("x", 80), i))
	}
	body := []byte(`{"count":400,"truncated":false,"data":[` + strings.Join(items, ",") + `],"note":"n"}`)
	for _, table := range []bool{false, true} {
		got := makeContent(body, contentOptions{table: table, objects: true, narrow: []string{"region", "top"}, address: func() string { return testBase + "/x" }})
		object := gjson.ParseBytes(got.RawStructuredContent)
		shown := object.Get("data.#").Int()
		if shown < 100 || shown > 350 || object.Get("shown").Int() != shown || !object.Get("truncated").Bool() || object.Get("count").Int() != 400 ||
			object.Get("note").Str != "n" || strings.Count(object.Raw, `"truncated"`) != 1 || !json.Valid(got.RawStructuredContent) {
			t.Errorf("a list that is cut: %.300s", object.Raw[len(object.Raw)-500:])
		}
		for _, want := range []string{fmt.Sprintf("the first %d of 400 items", shown), "region, top", testBase + "/x"} {
			if !strings.Contains(object.Get("rest").Str, want) {
				t.Errorf("%q does not say %q", object.Get("rest").Str, want)
			}
		}
	}
	for _, tool := range testTools() {
		for _, name := range []string{"shown", "truncated", "rest", "unranked", "unrankedTruncated", "tiedWithLast"} {
			if isList := strings.HasPrefix(tool.Name, "list_"); name != "truncated" && gjson.GetBytes(tool.output, "properties."+name).Exists() != isList {
				t.Errorf("%s: the schema has %s: %v", tool.Name, name, !isList)
			}
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
	got := resultTexts(t, makeContent(body(`{"type":"Polygon","coordinates":[[`+strings.Join(circle, ",")+`]]}`), contentOptions{address: noAddress}))
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
	got = resultTexts(t, makeContent(body(`{"type":"MultiPolygon","coordinates":[`+strings.Join(dust, ",")+`]}`), contentOptions{address: noAddress}))
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
	whole := err == nil && json.Compact(&text, []byte(r.Content[0].Text)) == nil && text.String() == string(r.StructuredContent)
	if err != nil || !whole && len(r.StructuredContent) <= maxText {
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
			if p.Name != "fields" || !one.CanExplain() {
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

// An assistant reads in which years sales were looked for; that nothing applies it is given once for all
// keys.
func TestAbsentSalesNameTheirYears(t *testing.T) {
	t.Parallel()
	got := string(mustMarshal(groupAbsences(gjson.Parse(`{
		"dvf":{"state":"none","reason":"No sale of it in the period that is loaded: 2022-01-03 to 2022-12-30.","vintage":"2022"},
		"roadTraffic":{"state":"none","reason":"It was looked for here: nothing applies.","radiusM":500}}`), true)))
	want := `[{"state":"none","reason":"No sale of it in the period that is loaded: 2022-01-03 to 2022-12-30.","vintage":"2022","keys":["dvf"]},` +
		`{"state":"none","keys":["roadTraffic"],"radiusM":{"roadTraffic":500}}]`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// An assistant reads what a value lacks that no loaded file has; of other values no state is given.
func TestStatesNameWhatValuesLack(t *testing.T) {
	t.Parallel()
	got := string(mustMarshal(groupAbsences(gjson.Parse(`{
		"gpu":{"state":"value","vintage":"2024-07-05"},
		"gpuPrescriptions":{"state":"value","reason":"`+state.SurfacesOnly+`","vintage":"2024-07-05"}}`), false)))
	if want := `[{"state":"value","reason":"` + state.SurfacesOnly + `","keys":["gpuPrescriptions"]}]`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Where a call names keys, an assistant reads which source would fill those that none is loaded of.
func TestAbsentKeysNameTheirSources(t *testing.T) {
	t.Parallel()
	states := gjson.Parse(`{"apl":{"state":"not_loaded","source":"apl-2021"},"maire":{"state":"value"},"anfr":{"state":"not_loaded","source":"mobile-supports"}}`)
	for withSources, want := range map[bool]string{
		true:  `[{"state":"not_loaded","keys":["apl","anfr"],"sources":{"anfr":"mobile-supports","apl":"apl-2021"}}]`,
		false: `[{"state":"not_loaded","keys":["apl","anfr"]}]`,
	} {
		if got := string(mustMarshal(groupAbsences(states, withSources))); got != want {
			t.Errorf("with sources %v: %s, want %s", withSources, got, want)
		}
	}
}

// Near the edge of what is loaded an assistant reads what is known, in a report of all keys no more than has
// room; of keys that it names all that the state has.
func TestKnownPartsHaveRoom(t *testing.T) {
	t.Parallel()
	site := `{"name":"` + strings.Repeat("x", 140) + `","distanceM":80}`
	known := func(items, in int) string {
		list := strings.TrimSuffix(strings.Repeat(site+",", items), ",")
		keys := fmt.Sprintf(`"a":{"atLeast":12,"value":[%s]}`, list)
		if in == 2 {
			keys += fmt.Sprintf(`,"b":{"completeWithinM":9,"value":{"sales":[%s],"price":7}}`, list)
		}
		return keys
	}
	for _, tc := range []struct {
		keys, given, want int
		chosen            bool
	}{{1, 5, 5, true}, {1, 5, 5, false}, {2, 5, 5, true}, {2, 5, 2, false}, {1, 115, 115, true}} {
		states := `{"a":{"state":"not_covered","reason":"r","known":{"atLeast":12,"value":[` + strings.TrimSuffix(strings.Repeat(site+",", tc.given), ",") + `]}}`
		keys := `"a"`
		if tc.keys == 2 {
			keys += `,"b"`
			states += `,"b":{"state":"not_covered","reason":"r","known":{"completeWithinM":9,"value":{"sales":[` +
				strings.TrimSuffix(strings.Repeat(site+",", tc.given), ",") + `],"price":7}}}`
		}
		want := `[{"state":"not_covered","reason":"r","keys":[` + keys + `],"known":{` + known(tc.want, tc.keys) + `}}]`
		if got := string(mustMarshal(groupAbsences(gjson.Parse(states+"}"), tc.chosen))); got != want {
			t.Errorf("%+v: %s\nwant %s", tc, got, want)
		}
	}
}

// A ranking of few communes is not longer than they are for the départements that lack the figure.
func TestPlacesWithoutFigureAreCut(t *testing.T) {
	t.Parallel()
	place := `{"code":"01","name":"Ain","count":3}`
	list := func(n int) string { return strings.TrimSuffix(strings.Repeat(place+",", n), ",") }
	body := func(n int) string { return `{"count":0,"data":[],"withoutFigureIn":[` + list(n) + `]}` }
	for n, want := range map[int]int{10: 10, 96: 10} {
		got := resultTexts(t, makeContent([]byte(body(n)), contentOptions{chosen: true, address: noAddress}))
		if got[0] != body(want) || (len(got) == 2) != (n > want) || n > want && !strings.HasPrefix(got[1], "withoutFigureIn has the 10 of 96 départements") {
			t.Errorf("of %d: %q", n, got)
		}
	}
}

// A value that is given as known of a key near the edge of what is loaded is explained as others are, and a key
// that the call names also where it has no value: what it would hold is a question, too. So are the parcels of a
// commune, next to its statistics: without it an assistant would not know by which area the largest are chosen.
func TestKnownValuesAreExplained(t *testing.T) {
	t.Parallel()
	if got := explainedKeys([]byte(`{"stats":{"finances":null,"sources":{}}}`), true); !slices.Equal(got, []string{"finances"}) {
		t.Errorf("of a key that is named %v is explained", got)
	}
	if got := explainedKeys([]byte(`{"stats":{},"parcels":{"total":3}}`), true); !slices.Equal(got, []string{"parcels"}) {
		t.Errorf("of the parcels of a commune %v is explained", got)
	}
	got := explainedKeys([]byte(`{"enrichments":{"radon":{"class":1},"dpe":[],"dvfEstimate":null},
		"states":{"dpe":{"state":"none"},"dvfEstimate":{"state":"not_covered","known":{"value":{"q1":1},"atLeast":1}}}}`), false)
	if want := []string{"radon", "dvfEstimate"}; !slices.Equal(got, want) {
		t.Errorf("explained are %v, want %v", got, want)
	}
}
