package app_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"arpent/app"
)

// wire is a connection on which a test writes what no client of the library would.
type wire struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func (s *service) wire(t *testing.T) *wire {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return &wire{t, conn, bufio.NewReader(conn)}
}

func (w *wire) write(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		w.t.Fatal(err)
	}
}

// answer reads one answer to its end.
func (w *wire) answer() response {
	w.t.Helper()
	res, err := http.ReadResponse(w.in, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return response{res.StatusCode, res.Header, body}
}

// ended reports whether the server has closed the connection.
func (w *wire) ended() bool {
	_, err := w.in.ReadByte()
	return err != nil
}

func squeezed(t *testing.T, makeWriter func(io.Writer) io.WriteCloser, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := makeWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func gzipWriter(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }

// bombSize is what the bomb is when it is decompressed.
const bombSize = 20 << 30

// packedZeros is so many zeros, twice compressed with gzip: members of 4 MiB, one after the other.
func packedZeros(t *testing.T, size int) []byte {
	const member = 4 << 20
	return squeezed(t, gzipWriter, bytes.Repeat(squeezed(t, gzipWriter, make([]byte, member)), size/member))
}

// programs are the paths of programs and what their errors look like; elsewhere there are pages.
var errorForms = map[string]string{
	"/mcp": `{"jsonrpc":"2.0","id":null,"error":{"code":-32`, "/oauth/token": `{"error":"invalid_request","error_description":"`,
	"/oauth/register": `{"error":"invalid_request"`, "/oauth/revoke": `{"error":"invalid_request"`,
	"/api/v1/communes": `{"error":{"code":"`, "/signin": "<!doctype html>", "/signup": "<!doctype html>", "/account/keys/new": "<!doctype html>",
	"/language": "<!doctype html>",
}

// A body that grows when it is decompressed costs no more than it weighs: nobody decompresses it. Everything that was
// allocated meanwhile bounds what the process could have grown by. (Alone: others allocate too.)
func TestBombs(t *testing.T) {
	s := start(t)
	key := s.account("bomb@example.org", "pro")
	big, small := packedZeros(t, bombSize), packedZeros(t, 256<<20)
	deflated := squeezed(t, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, make([]byte, 16<<20))
	multipart := squeezed(t, gzipWriter, []byte("--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n"+strings.Repeat("a", 16<<20)+"\r\n--x--\r\n"))
	send := func(path, kind, encoding string, body []byte) response {
		req, err := http.NewRequest(http.MethodPost, s.base+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-API-Key", key)
		req.Header.Set("Content-Type", kind)
		req.Header.Set("Content-Encoding", encoding)
		res, err := (&http.Client{Transport: transport}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response{res.StatusCode, res.Header, text}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	check := func(path, encoding string, r response) {
		t.Helper()
		if r.status != http.StatusUnsupportedMediaType || !strings.HasPrefix(strings.ToLower(string(r.body)), strings.ToLower(errorForms[path])) {
			t.Errorf("%s, %s: %d %.120s", path, encoding, r.status, r.body)
		}
	}
	check("/mcp", "gzip, gzip", send("/mcp", "application/json", "gzip, gzip", big))
	for path := range errorForms {
		kind := "application/x-www-form-urlencoded"
		if path == "/mcp" || path == "/oauth/register" {
			kind = "application/json"
		}
		for encoding, body := range map[string][]byte{"gzip, gzip": small, "gzip": small, "GZIP": small, "deflate": deflated, "br": small, "zstd": small, "x-new": small} {
			check(path, encoding, send(path, kind, encoding, body))
		}
		check(path, "multipart", send(path, "multipart/form-data; boundary=x", "gzip", multipart))
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<30 {
		t.Errorf("%d MiB were allocated", grown>>20)
	}
	runtime.ReadMemStats(&before)
	check("/mcp", "gzip, gzip", send("/mcp", "application/json", "gzip, gzip", big))
	check("/signin", "gzip", send("/signin", "multipart/form-data; boundary=x", "gzip", small))
	runtime.ReadMemStats(&after)
	grown := after.TotalAlloc - before.TotalAlloc
	t.Logf("two bombs, the longer of %d bytes: %d KiB were allocated", len(big), grown>>10)
	if grown > 16<<20 {
		t.Errorf("%d MiB were allocated for two bombs", grown>>20)
	}
	if r := send("/mcp", "application/json", "identity", []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); r.status != 200 {
		t.Errorf("identity: %d %s", r.status, r.body)
	}
}

// A body is as long as its path allows, whether its length is announced or not, and what is longer is refused before
// it is sent, in the form that callers of the path read.
func TestBodyLimits(t *testing.T) {
	t.Parallel()
	s := start(t)
	for path, form := range errorForms {
		limit := 32 << 10
		if path == "/mcp" {
			limit = 256 << 10
		}
		head := "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
		for name, text := range map[string]string{
			"announced": head + fmt.Sprintf("Content-Length: %d\r\n\r\n", limit+1),
			"expected":  head + fmt.Sprintf("Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", limit+1),
			"huge":      head + "Content-Length: 9000000000000000000\r\n\r\n",
			"chunked":   head + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", 1<<30) + strings.Repeat("a", limit+1),
			"chunks":    head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat(fmt.Sprintf("1000\r\n%s\r\n", strings.Repeat("a", 0x1000)), limit/0x1000) + "1\r\na\r\n",
		} {
			w := s.wire(t)
			w.write(text)
			r := w.answer()
			if r.status != http.StatusRequestEntityTooLarge || !strings.HasPrefix(strings.ToLower(string(r.body)), strings.ToLower(form)) {
				t.Errorf("%s, %s: %d %.120s", path, name, r.status, r.body)
			}
			if !w.ended() {
				t.Errorf("%s, %s: the connection goes on", path, name)
			}
		}
		w := s.wire(t)
		w.write(head + fmt.Sprintf("Content-Length: %d\r\n\r\n", limit) + strings.Repeat("a", limit))
		if r := w.answer(); r.status == http.StatusRequestEntityTooLarge && !strings.HasPrefix(path, "/oauth") { // these take less still
			t.Errorf("%s: %d for what is just short enough", path, r.status)
		}
	}
}

// A GET has no body. One that is sent all the same is refused, and the connection stands at the next request: nothing of
// the body is taken for one.
func TestBodyOfGET(t *testing.T) {
	t.Parallel()
	s := start(t)
	smuggled := "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for _, path := range []string{"/api/v1", "/signin", "/mcp", "/healthz"} {
		w := s.wire(t)
		w.write(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%sGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", path, len(smuggled), smuggled))
		if r := w.answer(); r.status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d %.80s", path, r.status, r.body)
		}
		if r := w.answer(); r.status != http.StatusOK || strings.Contains(string(r.body), "smuggled") {
			t.Errorf("after %s: %d %.80s", path, r.status, r.body)
		}
		for _, rest := range []string{"Content-Length: 9000\r\n\r\n" + smuggled, "Transfer-Encoding: chunked\r\n\r\n5\r\nGET /\r\n0\r\n\r\n" + smuggled} {
			w := s.wire(t)
			w.write("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + rest)
			if r := w.answer(); r.status != http.StatusRequestEntityTooLarge || !w.ended() {
				t.Errorf("%s with %q: %d, or the connection goes on", path, rest, r.status)
			}
		}
	}
}

// What two servers in a row could read differently is refused, and ends the connection. Trailers are not taken: they
// would stand among the headers.
func TestFraming(t *testing.T) {
	t.Parallel()
	s := start(t)
	const body = "5\r\nabcde\r\n0\r\n\r\n"
	for name, text := range map[string]string{
		"two lengths":      "POST /signin HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + body,
		"two, other order": "POST /signin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\ncontent-length: 5\r\n\r\n" + body,
		"chunks in 1.0":    "POST /signin HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" + body,
		"space":            "POST /signin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\nContent-Length: 15\r\n\r\n" + body,
		"unknown":          "POST /signin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n" + body,
		"two numbers":      "POST /signin HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
		"sign":             "POST /signin HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nabcde",
		"bad chunk":        "POST /signin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcdefg\r\n0\r\n\r\n",
		"trailer":          "POST /signin HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n",
	} {
		w := s.wire(t)
		w.write(text)
		if r := w.answer(); r.status != http.StatusBadRequest || !w.ended() {
			t.Errorf("%s: %d, or the connection goes on", name, r.status)
		}
	}
	w := s.wire(t)
	w.write("POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"5\r\ngrant\r\n7\r\n_type=x\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	if r := w.answer(); !strings.Contains(string(r.body), "unsupported_grant_type") {
		t.Errorf("in chunks: %d %s", r.status, r.body)
	}
	if r := w.answer(); r.status != http.StatusOK {
		t.Errorf("after chunks: %d %s", r.status, r.body)
	}
}

// heap is what is in use, after what is not was thrown away.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Requests that are announced and never sent hold what has arrived of them, not what was announced; and what one request
// was made of is not kept by its connection. (Alone: others allocate too.)
func TestHalfSentRequests(t *testing.T) {
	const clients = 200
	s := start(t)
	s.get("/healthz")
	for name, tc := range map[string]struct {
		text     string
		answered bool
	}{
		"half a message": {"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 260000\r\n\r\n" + strings.Repeat("a", 9000), false},
		"half a chunk":   {"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n3f000\r\n" + strings.Repeat("a", 9000), false},
		"half a header":  {"GET / HTTP/1.1\r\nX: " + strings.Repeat("a", 7000), false},
		"form":           {"POST /signin HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 32000\r\n\r\n" + strings.Repeat("a&", 16000), true},
		"query":          {"GET /api/v1/regions?" + strings.Repeat("a&", 3500) + " HTTP/1.1\r\nHost: x\r\n\r\n", true},
		"cookies":        {"GET /signin HTTP/1.1\r\nHost: x\r\nCookie: " + strings.Repeat("a;", 3500) + "\r\n\r\n", true},
		"idle":           {"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", true},
	} {
		before := heap()
		for range clients {
			w := s.wire(t)
			w.write(tc.text)
			if tc.answered {
				w.answer()
			}
		}
		time.Sleep(200 * time.Millisecond) // what was written arrives
		after := heap()
		each := (int64(after) - int64(before)) / clients >> 10
		t.Logf("%s: %d KiB a connection, of which some 10 are the test's own", name, each)
		if each > 64 {
			t.Errorf("%s: %d KiB a connection", name, each)
		}
	}
}

// Trailers that arrive byte by byte are not read anew with each of them. (Alone: others allocate too.)
func TestTrailersByteByByte(t *testing.T) {
	s := start(t)
	w := s.wire(t)
	w.write("POST /mcp HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n" + strings.Repeat("a:\r\n", 1700))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1200 {
		if _, err := io.WriteString(w, "b"); err != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 { // beside what a server that has just started does
		t.Errorf("%d MiB were allocated", grown>>20)
	}
}

// Nobody takes all connections: an address has its share, and who is over the whole gets an answer.
func TestConnections(t *testing.T) {
	t.Parallel()
	address := netip.MustParseAddr
	for name, tc := range map[string]struct {
		from, same, other string
		limited           bool
	}{
		"address":            {"192.0.2.1", "192.0.2.1", "192.0.2.2", true},
		"network of IPv6":    {"2001:db8::1", "2001:db8::2:1", "2001:db8:0:1::1", true},
		"this machine":       {"127.0.0.1", "127.0.0.1", "192.0.2.2", false},
		"trusted proxy":      {"10.0.0.7", "10.0.0.7", "192.0.2.2", false},
		"trusted proxy, IP6": {"2001:db8:1::7", "2001:db8:1::7", "192.0.2.2", false},
	} {
		all := app.NewConnections(10_000, netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::7/128"))
		for range app.MaxPerAddress {
			if !all.Enter(address(tc.from)) {
				t.Fatalf("%s: not let in", name)
			}
		}
		if all.Enter(address(tc.same)) == tc.limited {
			t.Errorf("%s: limited %v", name, !tc.limited)
		}
		if !all.Enter(address(tc.other)) {
			t.Errorf("%s: another is not let in", name)
		}
		all.Leave(address(tc.from))
		if !all.Enter(address(tc.from)) {
			t.Errorf("%s: not let in again", name)
		}
	}
	all := app.NewConnections(2)
	if !all.Enter(address("192.0.2.1")) || !all.Enter(address("127.0.0.1")) || all.Enter(address("127.0.0.1")) {
		t.Error("the whole is not kept to")
	}
	for files, want := range map[uint64]int{1024: 512, 4096: 3584, 1 << 20: app.MaxConnections, ^uint64(0): app.MaxConnections} {
		if got := app.ConnectionsFor(files); got != want {
			t.Errorf("%d files: %d connections", files, got)
		}
	}
	s := start(t)
	s.app.Narrow(0)
	r := s.wire(t).answer()
	if r.status != http.StatusServiceUnavailable || r.code(t) != "unavailable" || r.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", r.status, r.body)
	}
	s.app.Narrow(100)
	s.within(5*time.Second, func() bool { return s.get("/healthz").status == http.StatusOK })
}

// A handler that panics is a 500 in the form of its path, counted, and the process goes on.
func TestPanics(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := s.account("panic@example.org", "pro")
	before := s.app.Metric("arpent_http_panics_total")
	for i, tc := range []struct{ method, path, form string }{
		{"GET", "/signin", "<!doctype html>"}, {"POST", "/signin", "<!doctype html>"}, {"GET", "/docs", "<!doctype html>"},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":null,"error":{"code":-32603`}, {"POST", "/oauth/token", `{"error":"temporarily_unavailable"`},
		{"GET", "/api/v1/regions", `{"error":{"code":"internal_error"`}, {"GET", "/openapi.json", `{"error":{"code":"internal_error"`},
	} {
		s.app.Break(tc.path)
		r := s.do(tc.method, tc.path, "X-API-Key", key)
		if r.status != http.StatusInternalServerError || !strings.HasPrefix(strings.ToLower(string(r.body)), strings.ToLower(tc.form)) ||
			r.header.Get("X-Request-Id") == "" || strings.Contains(string(r.body), "broken for a test") {
			t.Errorf("%s %s: %d %v %.200s", tc.method, tc.path, r.status, r.header, r.body)
		}
		if got := s.app.Metric("arpent_http_panics_total"); got != before+float64(i)+1 {
			t.Errorf("after %s: %v panics are counted", tc.path, got)
		}
	}
	if r := s.get("/healthz"); r.status != http.StatusOK {
		t.Errorf("after all: %d", r.status)
	}
}
