package attack_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// Requests of every route, changed at random, are answered as HTTP has it: never with a failure of ours.
func TestHTTPMutations(t *testing.T) {
	mutations(t, 600, 1, testkit.Timeout)
}

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

// wholeRequests are valid ones of every route: with a key where one is asked for, with the session elsewhere. What ends the
// session or the account is sent without the token of the form, so that those behind it are still signed in.
func wholeRequests(s *fixture.Site, key string, member *testkit.Browser, cookie string) (out []request) {
	keyed := "X-API-Key: " + key + "\r\n"
	for _, o := range api.Operations() {
		out = append(out, request{"GET", api.Root + strings.TrimPrefix(o.Example, api.Root), keyed, ""})
	}
	session, form := "Cookie: "+cookie+"\r\nSec-Fetch-Site: same-origin\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"
	for _, path := range portalRoutes(s, fiber.MethodGet) {
		out = append(out, request{"GET", filled(path, "1"), session, ""})
	}
	for _, path := range portalRoutes(s, fiber.MethodPost) {
		values := url.Values{"token": {member.Token()}, "name": {"a"}, "email": {"a@example.org"}, "code": {"000000"}, "grant_type": {"refresh_token"}, "refresh_token": {"x"}, "client_id": {"x"}}
		for _, last := range []string{"signout", "delete", "sessions", "password"} {
			if strings.Contains(path, last) {
				values.Del("token")
			}
		}
		out = append(out, request{"POST", filled(path, "1"), session + form, values.Encode()})
	}
	for _, call := range []string{`"tools/list"`, `"tools/call","params":{"name":"get_commune","arguments":{"code":"93010"}}`, `"initialize","params":{"protocolVersion":"2025-06-18"}`} {
		out = append(out, request{"POST", "/mcp", keyed + "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n", `{"jsonrpc":"2.0","id":1,"method":` + call + `}`})
	}
	return append(out, request{"GET", "/static/app.css", "Accept-Encoding: gzip\r\nRange: bytes=0-9\r\n", ""}, request{"GET", "/openapi.json", "If-None-Match: \"x\"\r\n", ""},
		request{"POST", "/oauth/register", "Content-Type: application/json\r\n", `{"client_name":"x","redirect_uris":["https://example.org/cb"]}`})
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

// attempt is a mutated request, and whether it is still one that has the end that we gave it: its connection can be used on.
func attempt(rnd *rand.Rand, seeds []request) (text string, r request, framed bool) {
	r, other := seeds[rnd.IntN(len(seeds))], seeds[rnd.IntN(len(seeds))]
	forwarded := fmt.Sprintf("X-Forwarded-For: 10.%d.%d.%d\r\n", rnd.IntN(256), rnd.IntN(256), rnd.IntN(256)) // or the limits of one address answer
	switch rnd.IntN(5) {
	case 0:
		r.headers += forwarded
		return mutated(rnd, r.text(), other.text()), r, false
	case 1:
		r.headers = mutated(rnd, r.headers, other.headers) + forwarded
		return r.text(), r, false
	case 2:
		r.method = []string{"GET", "POST", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "X"}[rnd.IntN(10)]
	case 3:
		r.body = mutated(rnd, r.body, other.body)
	default:
		r.path = "/" + mutated(rnd, strings.TrimPrefix(r.path, "/"), other.path)
	}
	r.headers += forwarded
	return r.text(), r, !strings.ContainsAny(r.path, "\r\n \t#\x00")
}

// mutator sends requests over a connection that it opens again when it is closed.
type mutator struct {
	t       *testing.T
	address string
	limit   time.Duration // for an answer
	open    net.Conn
	in      *bufio.Reader
	seen    map[int]int // answers by status
}

func (m *mutator) connect() {
	m.close()
	conn, err := net.Dial("tcp", m.address)
	if err != nil {
		m.t.Fatal(err)
	}
	m.open, m.in = conn, bufio.NewReader(conn)
}

func (m *mutator) close() {
	if m.open != nil {
		m.open.Close()
		m.open = nil
	}
}

// send writes a request and reads what is answered: one answer, or all until the end where its framing may be broken.
func (m *mutator) send(text string, r request, framed bool) {
	if m.open == nil || !framed {
		m.connect()
	}
	_ = m.open.SetDeadline(time.Now().Add(m.limit)) // it fails as reading does
	_, _ = io.WriteString(m.open, text)             // an answer may come before all is written, and the end
	if !framed {
		_ = m.open.(*net.TCPConn).CloseWrite()
		m.drain(text)
		m.close()
		return
	}
	res, err := http.ReadResponse(m.in, &http.Request{Method: r.method})
	if err != nil {
		m.t.Fatalf("%.2000q: no answer: %v", text, err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		m.t.Fatalf("%.2000q: %d, and its body ends: %v", text, res.StatusCode, err)
	}
	m.judge(text, fixture.Response{Status: res.StatusCode, Header: res.Header, Body: body}, r)
	if res.Close {
		m.close()
	}
}

// drain reads until the end what an attempt was answered that may be no request, or several. A server that closes before it has read
// everything resets the connection, which may cost the client the end of what was sent before.
func (m *mutator) drain(text string) {
	all, err := io.ReadAll(m.in)
	reset := errors.Is(err, syscall.ECONNRESET)
	if slow, is := err.(net.Error); is && slow.Timeout() {
		m.t.Errorf("%.2000q: no end within %s", text, m.limit)
	}
	in := bufio.NewReader(bytes.NewReader(all))
	for !strings.Contains(text, "HEAD") { // whose answer has no body
		if _, err := in.Peek(1); err != nil {
			return
		}
		res, err := http.ReadResponse(in, nil)
		if err != nil && reset {
			return
		}
		if err != nil {
			m.t.Errorf("%.2000q: what is answered is no HTTP: %v: %.500q", text, err, all)
			return
		}
		body, err := io.ReadAll(res.Body)
		if err != nil && reset {
			return
		}
		if err != nil {
			m.t.Errorf("%.2000q: %d, and its body ends: %v", text, res.StatusCode, err)
		}
		m.judge(text, fixture.Response{Status: res.StatusCode, Header: res.Header, Body: body}, request{})
	}
}

func (m *mutator) judge(text string, got fixture.Response, r request) {
	m.seen[got.Status]++
	if got.Status == http.StatusInternalServerError {
		m.t.Errorf("%.2000q: %d %.500s", text, got.Status, got.Body)
	}
	if strings.HasPrefix(r.path, api.Root+"/") && r.method != http.MethodHead && got.Status >= http.StatusBadRequest && !bytes.HasPrefix(got.Body, []byte(`{"error":{"code":"`)) {
		m.t.Errorf("%.2000q: %d %.500q is no error of the API", text, got.Status, got.Body)
	}
}

// mutations sends n requests, and judges the instance after them.
func mutations(t *testing.T, n int, seed uint64, limit time.Duration) {
	t.Logf("seed %d", seed)
	s := fixture.Portal(t, behindProxy)
	member, key := s.SignUp("member@exemple.fr"), s.Account("mutations@example.org", "pro")
	s.Exec(`UPDATE account.account SET per_minute = 1000000000, enrichments_per_minute = 1000000000, per_day = 1000000000`)
	session := member.Cookie("arpent-session")
	if session == "" {
		t.Fatal("the session has no cookie")
	}
	seeds := wholeRequests(s, key, member, "arpent-session="+session)
	rnd := rand.New(rand.NewPCG(seed, 1))
	m := &mutator{t: t, address: strings.TrimPrefix(s.Base, "http://"), limit: limit, seen: map[int]int{}}
	defer m.close()
	panics, begin := s.Metric("arpent_http_panics_total"), time.Now()
	before, routines := heap(), 0
	for i := range n {
		if i == min(n/2, 20_000) { // what fills up once is there
			before, routines = heap(), runtime.NumGoroutine()
		}
		m.send(attempt(rnd, seeds))
		if t.Failed() {
			t.Fatalf("mutation %d of seed %d", i, seed)
		}
	}
	m.close()
	t.Logf("%d mutations of %d requests, %.0f a second, answered %v", n, len(seeds), float64(n)/time.Since(begin).Seconds(), m.seen)
	if got := s.Metric("arpent_http_panics_total"); got != panics {
		t.Errorf("%v panics", got-panics)
	}
	if m.seen[http.StatusOK] < n/50 || m.seen[http.StatusBadRequest] < n/50 {
		t.Error("hardly anything was read, or hardly anything refused")
	}
	if r := s.Get(api.Root+"/communes/93010", "X-API-Key", key); r.Status != http.StatusOK {
		t.Errorf("after all: %d", r.Status)
	}
	t.Logf("heap %d KiB, then %d KiB; %d goroutines, then %d", before>>10, heap()>>10, routines, runtime.NumGoroutine())
	if grown := int64(heap()) - int64(before); grown > 64<<20 {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
	testkit.Eventually(t, testkit.Timeout, "the goroutines have ended", func() bool { return runtime.NumGoroutine() < routines+50 })
}
