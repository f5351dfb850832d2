package attack_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// wire is a connection on which a test writes what no client of the library would.
type wire struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func dial(t *testing.T, s *fixture.Service) *wire {
	t.Helper()
	conn := testkit.Must(net.Dial("tcp", strings.TrimPrefix(s.Base, "http://")))(t)
	t.Cleanup(func() { conn.Close() })
	testkit.NoError(t, conn.SetDeadline(time.Now().Add(testkit.Timeout)))
	return &wire{t, conn, bufio.NewReader(conn)}
}

func (w *wire) write(text string) {
	w.t.Helper()
	testkit.Must(io.WriteString(w, text))(w.t)
}

// answer reads one answer to its end.
func (w *wire) answer() fixture.Response {
	w.t.Helper()
	res := testkit.Must(http.ReadResponse(w.in, nil))(w.t)
	return fixture.Read(w.t, res)
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
	testkit.Must(w.Write(text))(t)
	testkit.NoError(t, w.Close())
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

// A body that grows when it is decompressed costs no more than it weighs: it is not decompressed. Everything
// that was allocated meanwhile bounds what the process could have grown by.
func testBombs(t *testing.T, s *fixture.Service) {
	t.Helper()
	key := s.Account("bomb@example.org", "pro")
	big, small := packedZeros(t, bombSize), packedZeros(t, 256<<20)
	deflated := squeezed(t, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, make([]byte, 16<<20))
	multipart := squeezed(t, gzipWriter, []byte("--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n"+strings.Repeat("a", 16<<20)+"\r\n--x--\r\n"))
	send := func(path, kind, encoding string, body []byte) fixture.Response {
		return s.Do(http.MethodPost, path, string(body), "X-API-Key", key, "Content-Type", kind, "Content-Encoding", encoding)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	check := func(path, encoding string, r fixture.Response) {
		t.Helper()
		if r.Status != http.StatusUnsupportedMediaType || !strings.HasPrefix(strings.ToLower(string(r.Body)), strings.ToLower(errorForms[path])) {
			t.Errorf("%s, %s: %d %.120s", path, encoding, r.Status, r.Body)
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
	if r := send("/mcp", "application/json", "identity", []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); r.Status != 200 {
		t.Errorf("identity: %d %s", r.Status, r.Body)
	}
}

// These share an instance.
func TestBodies(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	for name, test := range map[string]func(*testing.T, *fixture.Service){"limits": testBodyLimits, "of GET": testBodyOfGET,
		"framing": testFraming, "refused clients": testRefusedClientsReadWhy} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s.For(t))
		})
	}
}

// A body is as long as its path allows, whether its length is announced or not, and what is longer is refused
// before it is sent, in the form that callers of the path read.
func testBodyLimits(t *testing.T, s *fixture.Service) {
	t.Helper()
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
			w := dial(t, s)
			w.write(text)
			r := w.answer()
			if r.Status != http.StatusRequestEntityTooLarge || !strings.HasPrefix(strings.ToLower(string(r.Body)), strings.ToLower(form)) {
				t.Errorf("%s, %s: %d %.120s", path, name, r.Status, r.Body)
			}
			if !w.ended() {
				t.Errorf("%s, %s: the connection goes on", path, name)
			}
		}
		w := dial(t, s)
		w.write(head + fmt.Sprintf("Content-Length: %d\r\n\r\n", limit) + strings.Repeat("a", limit))
		if r := w.answer(); r.Status == http.StatusRequestEntityTooLarge && !strings.HasPrefix(path, "/oauth") { // these take less still
			t.Errorf("%s: %d for what is just short enough", path, r.Status)
		}
	}
}

// A GET has no body. One that is sent all the same is refused, and the connection stands at the next
// request: nothing of the body is taken for one.
func testBodyOfGET(t *testing.T, s *fixture.Service) {
	t.Helper()
	smuggled := "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for _, path := range []string{"/api/v1", "/signin", "/mcp", "/healthz"} {
		w := dial(t, s)
		w.write(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%sGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", path, len(smuggled), smuggled))
		if r := w.answer(); r.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d %.80s", path, r.Status, r.Body)
		}
		if r := w.answer(); r.Status != http.StatusOK || strings.Contains(string(r.Body), "smuggled") {
			t.Errorf("after %s: %d %.80s", path, r.Status, r.Body)
		}
		for _, rest := range []string{"Content-Length: 9000\r\n\r\n" + smuggled, "Transfer-Encoding: chunked\r\n\r\n5\r\nGET /\r\n0\r\n\r\n" + smuggled} {
			w := dial(t, s)
			w.write("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + rest)
			if r := w.answer(); r.Status != http.StatusRequestEntityTooLarge || !w.ended() {
				t.Errorf("%s with %q: %d, or the connection goes on", path, rest, r.Status)
			}
		}
	}
}

// What two servers in a row could read differently is refused, and ends the connection. Trailers are not
// taken: they would stand among the headers.
func testFraming(t *testing.T, s *fixture.Service) {
	t.Helper()
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
		w := dial(t, s)
		w.write(text)
		if r := w.answer(); r.Status != http.StatusBadRequest || !w.ended() {
			t.Errorf("%s: %d, or the connection goes on", name, r.Status)
		}
	}
	w := dial(t, s)
	w.write("POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"5\r\ngrant\r\n7\r\n_type=x\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	if r := w.answer(); !strings.Contains(string(r.Body), "unsupported_grant_type") {
		t.Errorf("in chunks: %d %s", r.Status, r.Body)
	}
	if r := w.answer(); r.Status != http.StatusOK {
		t.Errorf("after chunks: %d %s", r.Status, r.Body)
	}
}

// A client that is refused while it sends can send on, and read why: a
// connection that is reset loses the answer.
func testRefusedClientsReadWhy(t *testing.T, s *fixture.Service) {
	t.Helper()
	for name, tc := range map[string]struct {
		begin  string
		status int
	}{
		"headers too long": {"GET /?q=" + strings.Repeat("a", 9<<10), http.StatusRequestHeaderFieldsTooLarge},
		"body too long":    {"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n" + strings.Repeat("a", 9<<10), http.StatusRequestEntityTooLarge},
		"not HTTP":         {"\x16\x03\x01\r\n\r\n" + strings.Repeat("a", 9<<10), http.StatusBadRequest},
	} {
		var w *wire
		testkit.Eventually(t, testkit.Timeout, name+": all is sent while the server reads on, which is half a second", func() bool {
			w = dial(t, s)
			w.write(tc.begin)
			if _, err := w.in.Peek(1); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			begun := time.Now()
			var err error
			for range 5 {
				_, failed := io.WriteString(w, strings.Repeat("a", 3<<10))
				err = errors.Join(err, failed)
				time.Sleep(10 * time.Millisecond)
			}
			inTime := time.Since(begun) < 300*time.Millisecond
			if err != nil && inTime {
				t.Fatalf("%s: %v", name, err)
			}
			return inTime
		})
		if r := w.answer(); r.Status != tc.status {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
		if !w.ended() {
			t.Errorf("%s: the connection goes on", name)
		}
	}
}
