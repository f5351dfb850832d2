package contract_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

const (
	modernMeta    = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	modernVersion = "2026-07-28"
)

// announced is the status of the answer to a message of a length that is announced and never sent:
// a body under way could cut the answer off.
func announced(t *testing.T, base, key string, length int) int {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	testkit.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", key, length)
	testkit.NoError(t, err)
	r := testkit.Must(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	return r.StatusCode
}

// A client is let in, sent to the sign-in or refused exactly as the protocol says, whatever it sends.
func testAssistantRequests(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("mcp@example.org", "pro")
	const (
		ping      = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		where     = `resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp", scope="mcp"`
		challenge = "Bearer " + where
		invalid   = `Bearer error="invalid_token", ` + where
	)
	before := s.Get("/api/v1/regions", "X-API-Key", key).Used(t)
	for name, tc := range map[string]struct {
		body      string
		headers   []string
		status    int
		contains  string
		challenge string
	}{
		"key":                  {ping, []string{"X-API-Key", key}, 200, `"result":{}`, ""},
		"key as bearer":        {ping, []string{"Authorization", "bEaReR " + key}, 200, `"result":{}`, ""},
		"no key":               {ping, nil, 401, `"error"`, challenge},
		"no key, no message":   {`x`, nil, 401, `"error"`, challenge},
		"another scheme":       {ping, []string{"Authorization", "Basic " + key}, 401, `"error"`, challenge},
		"empty token":          {ping, []string{"Authorization", "Bearer "}, 401, `"error"`, challenge},
		"unknown token":        {ping, []string{"Authorization", "Bearer nonsense"}, 401, `"invalid_token"`, invalid},
		"management token":     {ping, []string{"Authorization", "Bearer arpm_x"}, 401, `/account/v1`, invalid},
		"unknown key":          {ping, []string{"X-API-Key", key + "x"}, 401, `"invalid_token"`, invalid},
		"page of assistant":    {ping, []string{"X-API-Key", key, "Origin", "https://claude.ai"}, 200, `"result":{}`, ""},
		"page of another site": {ping, []string{"X-API-Key", key, "Origin", "http://evil.example.com"}, 403, `-32600`, ""},
		"batch":                {"[" + ping + "]", []string{"X-API-Key", key}, 400, `takes no batches`, ""},
		"no JSON":              {`{"jsonrpc"`, []string{"X-API-Key", key}, 400, `-32700`, ""},
		"form":                 {ping, []string{"X-API-Key", key, "Content-Type", "text/plain"}, 415, `application/json`, ""},
		"wants a picture":      {ping, []string{"X-API-Key", key, "Accept", "image/png"}, 406, `text/event-stream`, ""},
		"wants anything":       {ping, []string{"X-API-Key", key, "Accept", "*/*"}, 200, `"result":{}`, ""},
		"unknown version":      {ping, []string{"X-API-Key", key, "Mcp-Protocol-Version", "1999-01-01"}, 400, `"id":1,"error":{"code":-32022,"message":"Unsupported protocol version: 1999-01-01. This server speaks 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05."`, ""},
		"newer version":        {ping, []string{"X-API-Key", key, "Mcp-Protocol-Version", "2031-01-01"}, 400, `"supported":["2026-07-28","2025-11-25"`, ""},
		"great id":             {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, []string{"X-API-Key", key}, 200, `"id":9007199254740993,`, ""},
		"id of many digits":    {`{"jsonrpc":"2.0","id":1.50,"method":"tools/list"}`, []string{"X-API-Key", key}, 200, `"id":1.50,`, ""},
		"id that escapes":      {`{"jsonrpc":"2.0","id":"\u0061<","method":"x/y"}`, []string{"X-API-Key", key}, 200, `"id":"\u0061<",`, ""},
		"unknown method":       {`{"jsonrpc":"2.0","id":1,"method":"x/y"}`, []string{"X-API-Key", key}, 200, `-32601`, ""},
		"unknown tool":         {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, []string{"X-API-Key", key}, 200, `tools/list gives`, ""},
		"params of no form":    {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":[1]}`, []string{"X-API-Key", key}, 200, `"code":-32602,"message":"The params of this method are not of the form`, ""},
		"list of no params":    {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}`, []string{"X-API-Key", key}, 200, `"code":-32602`, ""},
		"page of no list":      {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"zzz"}}`, []string{"X-API-Key", key}, 200, `"code":-32602,"message":"There is no page of this cursor`, ""},
		"id of no text":        {"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", []string{"X-API-Key", key}, 400, `-32700`, ""},
		"arguments as a text":  {`{"jsonrpc":"2.0","id":"ä","method":"tools/call","params":{"name":"list_regions","arguments":"x"}}`, []string{"X-API-Key", key}, 200, `"id":"ä","error":{"code":-32602`, ""},
		"notification":         {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, []string{"X-API-Key", key}, 202, "", ""},
	} {
		a := post(s, tc.body, tc.headers...)
		if a.Status != tc.status || !strings.Contains(string(a.Body), tc.contains) || a.Header.Get("WWW-Authenticate") != tc.challenge {
			t.Errorf("%s: %d %q %s", name, a.Status, a.Header.Get("WWW-Authenticate"), a.Body)
		}
		if strings.Contains(string(a.Body), "json:") || strings.Contains(string(a.Body), "Go struct") || strings.Contains(string(a.Body), "base64") {
			t.Errorf("%s reveals internals: %s", name, a.Body)
		}
		if a.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(a.Header.Get("Access-Control-Expose-Headers"), "WWW-Authenticate") {
			t.Errorf("%s: a page cannot read it: %v", name, a.Header)
		}
	}
	if status := announced(t, s.Base, key, 1<<20+1); status != 413 {
		t.Errorf("too long: status %d", status)
	}
	if r := s.Do(http.MethodPost, "/mcp?api_key="+key+"&access_token="+key, ""); r.Status != 401 {
		t.Errorf("a key in the address: status %d", r.Status)
	}
	for _, method := range []string{"GET", "PUT", "DELETE", "PATCH", "HEAD"} {
		if r := s.Do(method, "/mcp", ""); r.Status != 401 {
			t.Errorf("%s without a key: status %d", method, r.Status)
		}
		if r := s.Do(method, "/mcp", "", "X-API-Key", key); r.Status != 405 || !strings.Contains(r.Header.Get("Allow"), "POST") {
			t.Errorf("%s: status %d, %v", method, r.Status, r.Header)
		}
	}
	r := s.Do(http.MethodOptions, "/mcp", "", "Origin", "https://app.example", "Access-Control-Request-Headers", "authorization, mcp-param-code, x\u00e9")
	if h := r.Header.Get("Access-Control-Allow-Headers"); r.Status != 204 || !strings.Contains(h, "Mcp-Protocol-Version") || !strings.HasSuffix(h, ", mcp-param-code") {
		t.Errorf("preflight: status %d, %v", r.Status, r.Header)
	}
	if after := s.Get("/api/v1/regions", "X-API-Key", key).Used(t); after != before+1 {
		t.Errorf("%d requests were counted for no call of a tool", after-before-1)
	}
}

// Clients of every revision are answered in theirs.
func testProtocolVersions(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("versions@example.org", "pro")
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		a := post(s, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, "X-API-Key", key)
		if !strings.Contains(string(a.Body), `"protocolVersion":"`+version+`"`) || !strings.Contains(string(a.Body), `"tools":{}`) || a.Header.Get("Mcp-Session-Id") != "" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v %s", version, a.Header, a.Body)
		}
		var begun struct{ Result struct{ Instructions string } }
		if err := json.Unmarshal(a.Body, &begun); err != nil || begun.Result.Instructions == "" || len(begun.Result.Instructions) >= 2000 {
			t.Errorf("%s: instructions of %d bytes, %v", version, len(begun.Result.Instructions), err)
		}
		if !strings.Contains(begun.Result.Instructions, "(of Paris only 75118, Bondy 93010)") { // not all of Paris
			t.Errorf("%s: the parcels that are loaded are not named: %s", version, begun.Result.Instructions)
		}
		if a := call(s, key, "list_regions", `{}`, "Mcp-Protocol-Version", version, "Mcp-Session-Id", "of somebody else"); a.Result.StructuredContent == nil || a.Result.IsError {
			t.Errorf("%s: %s", version, a.Body)
		}
		whole := call(s, key, "get_commune", `{"code":"Bobigny"}`, "Mcp-Protocol-Version", version)
		if got, want := json.Valid([]byte(whole.Result.Content[0].Text)), version < "2025-06-18" || len(whole.Result.StructuredContent) < 1500; got != want {
			t.Errorf("%s: a client that knows no structuredContent reads all in the text, others a summary of what is long: %s", version, whole.Body)
		}
	}
	modern := func(method, params, name string) rpc {
		return post(s, `{"jsonrpc":"2.0","id":"7","method":"`+method+`","params":{`+params+modernMeta+`}}`, "X-API-Key", key,
			"Mcp-Protocol-Version", modernVersion, "Mcp-Method", method, "Mcp-Name", name)
	}
	if a := modern("server/discover", "", ""); !strings.Contains(string(a.Body), `"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`) {
		t.Errorf("discover: %s", a.Body)
	}
	if a := modern("tools/call", `"name":"list_regions",`, "list_regions"); a.Result.StructuredContent == nil || !strings.Contains(string(a.Body), `"resultType":"complete"`) {
		t.Errorf("call: %s", a.Body)
	}
	if a := modern("tools/call", `"name":"list_regions",`, "get_commune"); a.Status != 400 || a.Error == nil {
		t.Errorf("a header that says another tool: %d %s", a.Status, a.Body)
	}
	a := modern("subscriptions/listen", `"notifications":{"toolsListChanged":true},`, "")
	acknowledged, ended, _ := strings.Cut(string(a.Body), "\n\n")
	if a.Header.Get("Content-Type") != "text/event-stream" || !strings.Contains(acknowledged, `"notifications/subscriptions/acknowledged"`) ||
		!strings.Contains(acknowledged, `"io.modelcontextprotocol/subscriptionId":"7"`) || !strings.Contains(ended, `"id":"7","result"`) {
		t.Errorf("subscription: %v %s", a.Header, a.Body)
	}
}

// What a tool gives is what its schema says: a client that checks it throws nothing away. A geometry is there
// when it is asked for; a long one is simplified, and the result says where the exact one is.
func TestResultsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	const fine = `UPDATE geo.commune_contour SET geom = ST_Multi(ST_Segmentize(ST_Buffer(geom, 0.01), CASE code WHEN '93010' THEN 0.00002 ELSE 0.00013 END))
		WHERE code IN ('93008', '93010')`
	s := fixture.Start(t, fine)
	s.Exec(somePopulations) // so that lists have figures with their sources
	s.Run(nil)
	key := s.Account("schemas@example.org", "pro")
	s.UntilIndexed(key)
	s.Until(func() bool {
		return strings.Contains(string(call(s, key, "list_regions", `{"sort":"population"}`).Body), "150000")
	})
	var list struct {
		Result struct {
			Tools []struct {
				Name         string
				OutputSchema any
			}
		}
	}
	testkit.NoError(t, json.Unmarshal(post(s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "X-API-Key", key).Body, &list))
	schemas := map[string]*jsonschema.Schema{}
	for _, tool := range list.Result.Tools {
		c := jsonschema.NewCompiler()
		testkit.NoError(t, c.AddResource("schema.json", tool.OutputSchema))
		schemas[tool.Name] = c.MustCompile("schema.json")
	}
	for _, c := range [][2]string{
		{"search_address", `{"q":"Bondy"}`}, {"get_commune", `{"code":"93010"}`}, {"get_commune", `{"code":"93010","include":["geometry"]}`},
		{"get_commune", `{"code":"93008","include":"geometry"}`}, {"get_departement", `{"code":"93","include":["communes"]}`},
		{"get_region", `{"code":"11","include":["departements","geometry"]}`}, {"find_commune", `{"lat":48.95,"lon":2.55}`},
		{"find_commune", `{"lat":48.95,"lon":2.45,"include":["stats","geometry"]}`}, {"list_communes", `{"departement":"93"}`}, {"list_communes", `{"departement":"93","fields":["population"]}`}, {"list_departements", `{}`}, {"list_regions", `{}`},
		{"list_regions", `{"sort":"population","top":2}`}, {"get_commune", `{"code":"93010","fields":["population"]}`}, {"get_parcel_enrichments", `{"idu":"930100000A0001","theme":["services"]}`},
		{"get_parcel_at_point", `{"lat":48.9105,"lon":2.5105}`}, {"get_parcel", `{"idu":"930100000A0002","include":["geometry"]}`}, {"get_parcel_enrichments", `{"idu":"930100000A0001"}`},
	} {
		a := call(s, key, c[0], c[1])
		var value any
		if err := json.Unmarshal(a.Result.StructuredContent, &value); err != nil {
			t.Fatalf("%v: %s: %v", c, a.Body, err)
		}
		if err := schemas[c[0]].Validate(value); err != nil {
			t.Errorf("%v: %v", c, err)
		}
		asked, long := strings.Contains(c[1], "geometry"), strings.Contains(c[1], `"93010"`) || strings.Contains(c[1], `"93008"`) || strings.Contains(c[1], `"stats"`)
		if has := strings.Contains(string(a.Result.StructuredContent), `"geometry"`); has != asked {
			t.Errorf("%v: geometry %v in %d bytes", c, has, len(a.Body))
		}
		if note := strings.Contains(a.text(), "The geometry is simplified") && strings.Contains(a.text(), "/api/v1/"); note != (asked && long) || len(a.Body) > 60_000 {
			t.Errorf("%v: note %v, %d bytes", c, note, len(a.Body))
		}
	}
}

// No message ends the service or finds a fault of ours.
func FuzzAssistantMessage(f *testing.F) {
	s := fixture.Start(f)
	key := s.Account("fuzz@example.org", "pro")
	s.Limit(key, unlimited)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_commune","arguments":{"code":"93010","include":["geometry",5,null]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_address","arguments":{"q":["x"],"lat":true,"lon":1e999}}}`,
		`{"jsonrpc":"2.0","id":-1e5,"method":"initialize","params":{"protocolVersion":5}}`, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"zzz"}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_regions","task":{}}}`,
		`[{}]`, `{"id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":1}}`, "\x00",
	} {
		f.Add(body, "")
		f.Add(body, modernVersion)
	}
	f.Fuzz(func(t *testing.T, body, version string) {
		if strings.ContainsFunc(version, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Skip()
		}
		a := post(s.For(t), body, "X-API-Key", key, "Mcp-Protocol-Version", version, "Mcp-Method", "tools/call", "Mcp-Name", "get_commune")
		if a.Status >= 500 || strings.Contains(string(a.Body), "json: ") || strings.Contains(string(a.Body), "internal_error") {
			t.Errorf("%q (%s): %d %s", body, version, a.Status, a.Body)
		}
	})
}
