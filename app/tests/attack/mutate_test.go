package attack_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/app/dev/fixture"
	"arpent/app/dev/stripesim"
	"arpent/app/dev/testkit"
)

// request is what is mutated, in its parts.
type request struct {
	method, path, headers, body string // headers are whole lines
}

func (r request) text() string {
	length := ""
	if r.body != "" {
		length = fmt.Sprintf("Content-Length: %d\r\n", len(r.body))
	}
	return r.method + " " + r.path + " HTTP/1.1\r\nHost: x\r\n" + r.headers + length + "\r\n" + r.body
}

// places puts what fixture.Territory has in the place of what the examples of the documentation name.
var places = strings.NewReplacer("930100000J0236", "930100000A0001", "48.9024", "48.9105", "2.4834", "2.5105")

// wholeRequests are valid ones of every route: with a key where one is asked for, with the session elsewhere.
func wholeRequests(s *fixture.Site, keys keys, member *testkit.Browser, cookie string) (out []request) {
	for _, o := range api.Operations() {
		for _, call := range calls(o) {
			out = append(out, request{"GET", places.Replace(api.Root + call), "X-API-Key: " + keys.rest + "\r\n", ""})
		}
		out = append(out, request{"GET", places.Replace(api.Root + o.Example), "Authorization: Bearer " + keys.rest + "\r\nIf-None-Match: W/\"x\"\r\n", ""})
	}
	return append(append(append(out, request{"GET", api.Root + "/regions?api_key=" + keys.rest, "", ""}), pageRequests(s, member, cookie)...), programRequests(keys)...)
}

// calls returns the example of an operation, alone and with each of its other parameters.
func calls(o api.Operation) []string {
	out := []string{o.Example}
	for _, p := range o.Params {
		if p.In == "query" {
			place, _, _ := strings.Cut(o.Example, "?")
			out = append(out, place+"?"+url.Values{p.Name: {strings.Trim(fmt.Sprint(p.Example), "[]")}}.Encode())
		}
	}
	for _, include := range o.Include {
		place, query, _ := strings.Cut(o.Example, "?")
		out = append(out, place+"?include="+include.Name+"&"+query)
	}
	return out
}

// pageRequests are those of a browser. What ends the session or the account is sent without the token of the
// form, so that those behind it are still signed in.
func pageRequests(s *fixture.Site, member *testkit.Browser, cookie string) (out []request) {
	session, form := "Cookie: "+cookie+"\r\nSec-Fetch-Site: same-origin\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"
	for _, path := range append(portalRoutes(s, fiber.MethodGet), "/", "/admin", "/admin/accounts?q=a", "/explore?lat=48.9&lon=2.4&code=93010", "/docs/search?q=idu", "/coverage?key=sales", "/account/usage?from=2026-01-01&to=2026-02-01&key=1",
		"/oauth/authorize?response_type=code&client_id=x&redirect_uri=http://127.0.0.1/cb&code_challenge=x&code_challenge_method=S256&resource=x&scope=x&state=x", "/no-such-page", "/static/no-such-file", "/api/no-such-path") {
		out = append(out, request{"GET", filled(path, "1"), session, ""})
	}
	for _, path := range portalRoutes(s, fiber.MethodPost) {
		values := url.Values{"token": {member.Token()}, "name": {"a"}, "email": {"a@example.org"}, "code": {"000000"}, "grant_type": {"refresh_token"}, "refresh_token": {"x"}, "client_id": {"x"},
			"expires": {"never"}, "per_day": {"5"}, "networks": {"10.0.0.0/8"}, "lang": {"fr"}, "lat": {"48.9"}, "q": {"bondy"}, "plan": {"pro"}, "next": {"/account"}}
		for _, last := range []string{"signout", "delete", "sessions", "password", "revoke"} {
			if strings.Contains(path, last) {
				values.Del("token")
			}
		}
		out = append(out, request{"POST", filled(path, "1"), session + form, values.Encode()})
	}
	return out
}

// programRequests are those of assistants, their registration, Stripe and the files.
func programRequests(keys keys) (out []request) {
	const kind = "Content-Type: application/json\r\n"
	message := func(method, params string) {
		out = append(out, request{"POST", "/mcp", "X-API-Key: " + keys.tools + "\r\n" + kind + "Accept: application/json, text/event-stream\r\n",
			`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`})
	}
	message("tools/list", "{}")
	message("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`)
	for _, o := range api.Operations() {
		for _, tool := range o.Tools {
			message("tools/call", `{"name":"`+tool.Name+`","arguments":`+places.Replace(tool.Example)+`}`)
		}
	}
	event := `{"id":"evt_1","type":"customer.subscription.updated","created":1,"data":{"object":{"id":"sub_1","customer":"cus_1"}}}`
	return append(out, request{"DELETE", "/mcp", "", ""}, request{"GET", "/static/app.css", "Accept-Encoding: gzip\r\nRange: bytes=0-9\r\n", ""}, request{"GET", "/openapi.json", "If-None-Match: \"x\"\r\n", ""},
		request{"POST", "/oauth/register", kind, `{"client_name":"x","redirect_uris":["https://example.org/cb"]}`},
		request{"POST", "/webhooks/stripe", kind + "Stripe-Signature: " + stripesim.Sign([]byte(event), stripesim.DefaultWebhookSecret, time.Now()) + "\r\n", event})
}

// snippets are what readers of HTTP, of addresses, of JSON and of numbers have stumbled over.
var snippets = []string{"\x00", "\r", "\n", "\r\n", "\r\n\r\n", " ", "\t", ":", ";", ",", "%", "%00", "%2e%2e%2f", "%ff", "../", "//", "?", "#", "&", "=", "*", "\"", "'", "\\", "<", "{", "[", "}", "é", "\xff", "\ufeff", "0", "-1", "1e400", "NaN",
	"99999999999999999999", "HEAD", "OPTIONS", "CONNECT", "TRACE", "HTTP/1.0", "HTTP/2.0", "Transfer-Encoding: chunked\r\n", "Content-Length: 5\r\n", "Content-Encoding: gzip\r\n", "Expect: 100-continue\r\n", "Connection: close\r\n",
	"Upgrade: h2c\r\n", "Range: bytes=5-1,-0\r\n", "If-None-Match: *\r\n", "Accept-Language: x;q=2\r\n", "X-Forwarded-For: ::1, x\r\n", "Authorization: Bearer x\r\n", "Cookie: a=b; a=c\r\n", "0\r\n\r\n", strings.Repeat("a", 9000), strings.Repeat("[", 500)}

// mutated changes a text once or more, and may put a part of another into it.
func mutated(rnd *rand.Rand, text, other string) string {
	for range 1 + rnd.IntN(3) {
		from := rnd.IntN(len(text) + 1)
		to := min(len(text), from+rnd.IntN(8))
		switch rnd.IntN(6) {
		case 0:
			text = text[:from] + text[to:]
		case 1:
			text = text[:to] + text[from:]
		case 2:
			text = text[:from] + string([]byte{byte(rnd.UintN(256))}) + text[to:]
		case 3:
			cut := rnd.IntN(len(other) + 1)
			text = text[:from] + other[cut:min(len(other), cut+20)] + text[to:]
		default:
			text = text[:from] + snippets[rnd.IntN(len(snippets))] + text[from:]
		}
	}
	return text
}

// attempt is a mutated request, and whether it is still one that has the end that
// we gave it: its connection can be used on.
func attempt(rnd *rand.Rand, seeds []request) (text string, r request, framed bool) {
	r, other := seeds[rnd.IntN(len(seeds))], seeds[rnd.IntN(len(seeds))]
	forwarded := fmt.Sprintf("X-Forwarded-For: 10.0.%d.%d\r\n", rnd.IntN(64), rnd.IntN(256)) // or the limits of one address answer
	switch rnd.IntN(8) {
	case 0:
		r.headers += forwarded
		return mutated(rnd, r.text(), other.text()), r, false
	case 1:
		r.headers = mutated(rnd, r.headers, other.headers) + forwarded
		return r.text(), r, false
	case 2:
		r.method = []string{"GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "X"}[rnd.IntN(10)]
	case 3:
		if r.body != "" || rnd.IntN(8) == 0 { // one is enough to refuse those that take none
			r.body = mutated(rnd, r.body, other.body)
			break
		}
		fallthrough
	case 4:
		r.path = "/" + mutated(rnd, strings.TrimPrefix(r.path, "/"), other.path)
	default: // the reader of the request has nothing to refuse: what it holds is
		r = revalued(rnd, r, other)
	}
	r.headers += forwarded
	return r.text(), r, !strings.ContainsAny(r.path, "\r\n \t#\x00")
}

// queryNames are read by one page or operation or another.
var queryNames = []string{"q", "code", "lat", "lon", "limit", "include", "fields", "name", "page", "key", "from", "to", "days", "before", "next", "plan", "lang", "status", "token", "error", "client_id", "api_key"}

var quoted = regexp.MustCompile(`"[^"\\]*"|\b[0-9.]+\b`)

// revalued mutates one value that a request carries: in its JSON, its
// form, its query, or the last part of its path.
func revalued(rnd *rand.Rand, r, other request) request {
	place, query, _ := strings.Cut(r.path, "?")
	at := strings.LastIndex(place, "/") + 1
	switch {
	case strings.HasPrefix(r.body, "{"):
		all := quoted.FindAllStringIndex(r.body, -1)
		one := all[rnd.IntN(len(all))]
		value, _ := json.Marshal(mutated(rnd, strings.Trim(r.body[one[0]:one[1]], `"`), other.path)) // a string can always be written
		r.body = r.body[:one[0]] + string(value) + r.body[one[1]:]
	case r.body != "":
		r.body = revaluedForm(rnd, r.body, other.path)
	case query != "" && rnd.IntN(4) > 0:
		r.path = place + "?" + revaluedForm(rnd, query, other.path)
	case query == "" && rnd.IntN(2) == 0:
		r.path += "?" + url.Values{queryNames[rnd.IntN(len(queryNames))]: {mutated(rnd, "1", other.path)}}.Encode()
	default:
		r.path = strings.Replace(r.path, place, place[:at]+url.PathEscape(mutated(rnd, place[at:], other.path)), 1)
	}
	return r
}

func revaluedForm(rnd *rand.Rand, form, other string) string {
	values, err := url.ParseQuery(form)
	if err != nil || len(values) == 0 {
		return mutated(rnd, form, other)
	}
	var names []string
	for name := range values {
		if name != "token" && name != "api_key" {
			names = append(names, name)
		}
	}
	slices.Sort(names) // the order of a map is another one each time
	if len(names) == 0 {
		return form
	}
	name := names[rnd.IntN(len(names))]
	values.Set(name, mutated(rnd, values.Get(name), other))
	return values.Encode()
}
