package attack_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// unread is how many bytes the server's connections hold that it has not read.
func unread(t *testing.T, base string) (bytes int64) {
	t.Helper()
	table := testkit.Must(os.ReadFile("/proc/net/tcp"))(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	n := testkit.Must(strconv.Atoi(port))(t)
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); strings.HasSuffix(f[1], fmt.Sprintf(":%04X", n)) {
			_, queue, _ := strings.Cut(f[4], ":") // of what was sent and is not acknowledged, and of what is not read
			waiting := testkit.Must(strconv.ParseInt(queue, 16, 64))(t)
			bytes += waiting
		}
	}
	return bytes
}

// heap is what is in use, after what is not was thrown away.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// One after the other, and not in parallel to other tests, which allocate too.
func TestMemoryOfRequests(t *testing.T) {
	s := fixture.Start(t)
	t.Run("bombs", func(t *testing.T) { testBombs(t, s.For(t)) })
	t.Run("half-sent requests", func(t *testing.T) { testHalfSentRequests(t, s.For(t)) })
	t.Run("trailers", func(t *testing.T) { testTrailersByteByByte(t, s.For(t)) })
}

// Requests that are announced and never sent hold what has arrived of them, not what was announced; and what
// one request was made of is not kept by its connection.
func testHalfSentRequests(t *testing.T, s *fixture.Service) {
	t.Helper()
	const clients = 200
	s.Get("/healthz")
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
			w := dial(t, s)
			w.write(tc.text)
			if tc.answered {
				w.answer()
			}
		}
		s.Until(func() bool { return unread(t, s.Base) == 0 })
		after := heap()
		each := (int64(after) - int64(before)) / clients >> 10
		t.Logf("%s: %d KiB a connection, of which some 10 are the test's own", name, each)
		if each > 64 {
			t.Errorf("%s: %d KiB a connection", name, each)
		}
	}
}

// Trailers that arrive byte by byte are not read anew with each of them.
func testTrailersByteByByte(t *testing.T, s *fixture.Service) {
	t.Helper()
	w := dial(t, s)
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
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 { // more than a server that has just started allocates
		t.Errorf("%d MiB were allocated", grown>>20)
	}
}
