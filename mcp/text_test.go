package mcp

import (
	"encoding/json"
	"strings"
	"testing"
)

// A geometry is cut out alone; all else stays byte for byte.
func TestWithoutGeometry(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		body, want string
		size       int
	}{
		{`{"a":1,"geometry":{"x":[1,2]},"b":{"geometry":3}}`, `{"a":1,"b":{"geometry":3}}`, 11},
		{`{"a":"geometry","geometry":null}`, `{"a":"geometry"}`, 4},
		{`{"a":{"geometry":1}}`, "", 0},
		{`[1]`, "", 0},
		{`{`, "", 0},
	} {
		got, size := withoutGeometry([]byte(tc.body))
		if string(got) != tc.want || size != tc.size {
			t.Errorf("%s: %s and %d, want %s and %d", tc.body, got, size, tc.want, tc.size)
		}
	}
}

// A geometry is given, as text too, as long as it is itself under the bound, whatever else the result holds. The note about
// one that is left out says how long it is.
func TestLongGeometries(t *testing.T) {
	t.Parallel()
	text := func(length int) string { return `"` + strings.Repeat("x", length-2) + `"` }
	address := func() string { return testBase + "/api/v1/x" }
	for name, tc := range map[string]struct {
		body string
		note string
	}{
		"short":       {`{"a":1,"geometry":` + text(11) + `}`, ""},
		"just under":  {`{"a":` + text(50_000) + `,"geometry":` + text(99_999) + `,"b":2}`, ""},
		"just over":   {`{"a":1,"geometry":` + text(100_000) + `,"b":2}`, "it is 100000 bytes long, and only one under 100000 bytes is given."},
		"no geometry": {`{"a":` + text(200_000) + `}`, ""},
	} {
		var r struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
		result, err := json.Marshal(content([]byte(tc.body), address))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := json.Unmarshal(result, &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Content[0].Text != string(r.StructuredContent) {
			t.Errorf("%s: text and structured content differ", name)
		}
		if cut := tc.note != ""; cut != (len(r.Content) == 2) || cut == (tc.body == r.Content[0].Text) {
			t.Errorf("%s: %d contents, %.300s", name, len(r.Content), result)
		} else if cut && (!strings.Contains(r.Content[1].Text, tc.note) || !strings.Contains(r.Content[1].Text, address()) || r.Content[0].Text != `{"a":1,"b":2}`) {
			t.Errorf("%s: %s", name, result)
		}
	}
}

// Pages of unknown origins stay out; those of assistants come in.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]bool{
		"": true, testBase: true, "https://claude.ai": true, "http://localhost:6274": true, "http://127.0.0.1": true, "http://[::1]:80": true,
		"http://evil.example": false, "null": false, "http://localhost.evil.example": false, "file://": false, "http://127.0.0.1.evil.example": false,
		"ftp://127.0.0.1": false, "%": false, "https://": false,
	} {
		if got := originAllowed(origin, testBase); got != want {
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
