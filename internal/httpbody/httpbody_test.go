package httpbody_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"arpent/internal/httpbody"
)

const (
	limit = 1000
	huge  = 10 << 20
)

// serveEcho answers each request with its body, or with the status of its rejection. It waits that long for
// what a request announces and does not send; 0: for ever.
func serveEcho(t testing.TB, timeout time.Duration) *fasthttputil.InmemoryListener {
	return serveWith(t, timeout, func(ctx *fasthttp.RequestCtx) { ctx.SetBody(ctx.Request.Body()) })
}

func serveWith(t testing.TB, timeout time.Duration, handler fasthttp.RequestHandler) *fasthttputil.InmemoryListener {
	limits := &httpbody.Limits{Default: limit, Paths: map[string]int{"/long": 20 * limit, "/huge": huge}}
	listener := fasthttputil.NewInmemoryListener()
	server := &fasthttp.Server{StreamRequestBody: true, ReadTimeout: timeout, DisablePreParseMultipartForm: true, ReadBufferSize: 8 << 10,
		HeaderReceived: limits.HeaderReceived, Logger: discardLogger{}, Handler: func(ctx *fasthttp.RequestCtx) {
			held, reason := limits.Receive(ctx)
			defer limits.Release(held)
			if reason != nil {
				ctx.SetStatusCode(reason.Status)
				ctx.SetBodyString(reason.Message)
				return
			}
			handler(ctx)
		}}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
	return listener
}

type discardLogger struct{}

func (discardLogger) Printf(string, ...any) {}

// appendLastRequest is text and a last request. The text of a fuzz test may not be appended to.
func appendLastRequest(text []byte) []byte {
	return slices.Concat(text, []byte("GET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
}

// sendRaw sends text on one connection and gives what comes back until it ends.
func sendRaw(t testing.TB, listener *fasthttputil.InmemoryListener, text []byte) []*http.Response {
	conn, err := listener.Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(appendLastRequest(text)); err != nil {
		return nil // the server has ended it
	}
	var out []*http.Response
	for in := bufio.NewReader(conn); ; {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return out
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return out
		}
		res.Body = io.NopCloser(bytes.NewReader(body))
		if out = append(out, res); res.Close {
			return out
		}
	}
}

// A body arrives as it was sent, however it is cut, up to the limit of its path.
func TestReceive(t *testing.T) {
	t.Parallel()
	listener := serveEcho(t, 0)
	announced := func(path string, n int, more string) string {
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", path, more, n, strings.Repeat("é", n/2)+strings.Repeat("a", n%2))
	}
	chunked := func(path string, n int) string {
		return "POST " + path + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1\r\na\r\n", n) + "0\r\n\r\n"
	}
	form := "Content-Type: application/x-www-form-urlencoded\r\n"
	for name, tc := range map[string]struct {
		text   string
		status int
		length int
		goesOn bool
	}{
		"none":                {"POST / HTTP/1.1\r\nHost: x\r\n\r\n", 200, 0, true},
		"empty":               {announced("/", 0, ""), 200, 0, true},
		"empty, encoded":      {announced("/", 0, "Content-Encoding: gzip\r\n"), 200, 0, true},
		"at the limit":        {announced("/", limit, ""), 200, limit, true},
		"over it":             {announced("/", limit+1, ""), 413, -1, true},
		"far over it":         {announced("/", 20*limit, ""), 413, -1, false},
		"long":                {announced("/long", 20*limit, ""), 200, 20 * limit, true},
		"long, with a query":  {announced("/long?a=b", 20*limit, ""), 200, 20 * limit, true},
		"too long":            {announced("/long", 20*limit+1, ""), 413, -1, false},
		"another spelling":    {announced("//long", 20*limit, ""), 413, -1, false},
		"in chunks":           {chunked("/", limit), 200, limit, true},
		"too many chunks":     {chunked("/", limit+1), 413, -1, false},
		"long, in chunks":     {chunked("/long", 20*limit), 200, 20 * limit, true},
		"after 100 Continue":  {announced("/", 10, "Expect: 100-continue\r\n"), 100, -1, true},
		"identity":            {announced("/", 10, "Content-Encoding: Identity\r\n"), 200, 10, true},
		"encoded":             {announced("/", 10, "Content-Encoding: br\r\n"), 415, -1, true},
		"encoded, second":     {announced("/", 10, "Content-Encoding: identity\r\nContent-Encoding: gzip\r\n"), 415, -1, true},
		"encoded, in a list":  {announced("/", 10, "Content-Encoding: identity, gzip\r\n"), 415, -1, true},
		"a mark of our own":   {announced("/", 10, "\x00announced: x\r\n"), 400, -1, false},
		"many parameters":     {"POST / HTTP/1.1\r\nHost: x\r\n" + form + "Content-Length: 200\r\n\r\n" + strings.Repeat("a&", 100), 400, -1, true},
		"many in the address": {"GET /?" + strings.Repeat("a&", 100) + " HTTP/1.1\r\nHost: x\r\n\r\n", 400, -1, false},
		"many headers":        {"GET / HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("A: b\r\n", 100) + "\r\n", 431, -1, false},
		"many cookies":        {"GET / HTTP/1.1\r\nHost: x\r\nCookie: " + strings.Repeat("a;", 201) + "\r\n\r\n", 431, -1, false},
		"identity as coding":  {announced("/", 10, "Transfer-Encoding: identity\r\n"), 400, -1, false},
		"chunks of chunks":    {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, -1, false},
		"no host":             {"GET / HTTP/1.1\r\nAccept: x\r\n\r\n", 400, -1, false},
		"no headers":          {"GET / HTTP/1.1\r\n\r\n", 400, -1, false},
		"two hosts":           {"GET / HTTP/1.1\r\nHost: x\r\nAccept: x\r\nhOST:x\r\n\r\n", 400, -1, false},
		"two hosts in 1.0":    {"GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", 400, -1, false},
		"no host in 1.0":      {"GET / HTTP/1.0\r\n\r\n", 200, 0, false},
		"an empty host":       {"GET / HTTP/1.1\r\nHost:\r\n\r\n", 400, -1, false},
		"not a host":          {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, -1, false},
		"two in one host":     {"GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400, -1, false},
		"like a host":         {"GET / HTTP/1.1\r\nHost: x\r\nHosts: y\r\nX-Host: z\r\n\r\n", 200, 0, true},
		"folded":              {"GET / HTTP/1.1\r\nHost: x\r\nAccept: a,\r\n b\r\n\r\n", 400, -1, false},
		"folded with a tab":   {"GET / HTTP/1.1\r\nHost: x\r\nAccept: a,\n\tb\r\n\r\n", 400, -1, false},
		"a host in a fold":    {"GET / HTTP/1.1\r\nAccept: a,\r\n Host: x\r\n\r\n", 400, -1, false},
		"begins with space":   {"GET / HTTP/1.1\r\n Host: x\r\nHost: x\r\n\r\n", 400, -1, false},
		"HEAD with a body":    {"OPTIONS / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 413, -1, true},
	} {
		answers := sendRaw(t, listener, []byte(tc.text))
		if len(answers) == 0 || answers[0].StatusCode != tc.status || len(answers) > 1 != tc.goesOn {
			t.Errorf("%s: %d answers, %v", name, len(answers), answers)
			continue
		}
		if body, _ := io.ReadAll(answers[0].Body); tc.length >= 0 && len(body) != tc.length {
			t.Errorf("%s: %d bytes arrived", name, len(body))
		}
	}
}

// What long bodies hold counts until they are answered: however long handlers take, all together hold no more
// than is allowed, and what is answered makes place for the next.
func TestConcurrentBodiesInFlight(t *testing.T) {
	t.Parallel()
	const fit = 6 // of 64 MiB
	arrived, answer, statuses := make(chan struct{}), make(chan struct{}), make(chan int, fit+1)
	listener := serveWith(t, 0, func(ctx *fasthttp.RequestCtx) {
		if string(ctx.Path()) == "/huge" {
			arrived <- struct{}{}
			<-answer
		}
	})
	text := []byte(fmt.Sprintf("POST /huge HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", huge, strings.Repeat("a", huge)))
	send := func() { statuses <- firstStatus(sendRaw(t, listener, text)) }
	for range fit {
		go send()
		<-arrived
	}
	go send()
	select {
	case <-arrived:
		t.Errorf("%d bodies of %d bytes are held at once", fit+1, huge)
	case <-statuses: // 503, or the end of a connection on which it still sends
	}
	close(answer)
	for range fit {
		if got := <-statuses; got != http.StatusOK {
			t.Errorf("a body that fits: %d", got)
		}
	}
	go send()
	<-arrived
}

func firstStatus(answers []*http.Response) int {
	if len(answers) == 0 {
		return 0
	}
	return answers[0].StatusCode
}

// However a connection goes on, what is taken for a body is never longer than its limit, and is what net/http
// takes for it. What net/http does not read is not compared: it knows fewer methods, addresses and versions,
// and only extensions behind the length of a chunk.
func FuzzReceive(f *testing.F) {
	listener := serveEcho(f, 100*time.Millisecond)
	for _, text := range []string{
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
		"POST /long HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\nContent-Length: 3\r\n\r\nabc", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\r\na\r\n0\r\nT: u\r\n\r\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		answers := sendRaw(t, listener, text)
		if len(answers) == 0 || answers[0].StatusCode != http.StatusOK {
			return
		}
		body, _ := io.ReadAll(answers[0].Body)
		if len(body) > 20*limit {
			t.Fatalf("%d bytes are a body", len(body))
		}
		if len(body) == 0 {
			return
		}
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(appendLastRequest(text))))
		if err != nil {
			return
		}
		if want, err := io.ReadAll(r.Body); err == nil && !bytes.Equal(want, body) {
			t.Fatalf("%q is the body, to net/http %q", body, want)
		}
	})
}
