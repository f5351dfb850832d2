//go:build soak

package attack_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"arpent/app/dev/testkit"
)

const (
	mebibyte = 1 << 20
	gibibyte = 1 << 30
	// bombGrowth is how much resident memory, in MiB, may grow beyond what
	// the same number of ordinary bodies takes.
	bombGrowth = 16
)

// bomb is a small body that unpacks to a large one.
type bomb struct {
	coding string
	body   []byte
	bytes  int64 // unpacked
}

func (b bomb) String() string { return fmt.Sprintf("%s %.1f GB", b.coding, float64(b.bytes)/1e9) }

// bombs are made of zeros. gzip and zstd unpack what is put one after
// the other, so that 20 GB need not be packed.
func bombs() []bomb {
	piece := make([]byte, 64*mebibyte)
	gz := func(b []byte) []byte { return fasthttp.AppendGzipBytesLevel(nil, b, fasthttp.CompressBestCompression) }
	one := gz(piece)
	many := func(n int) []byte { return bytes.Repeat(one, n) }
	zeros := make([]byte, gibibyte)
	frame := fasthttp.AppendZstdBytes(nil, piece)
	inner := fasthttp.AppendBrotliBytes(nil, many(320))
	return []bomb{
		{"gzip, gzip", gz(many(34)), 34 * 64 * mebibyte},
		{"gzip, gzip", gz(many(320)), 320 * 64 * mebibyte},
		{"gzip, gzip, gzip", gz(gz(many(320))), 320 * 64 * mebibyte},
		{"gzip, br", inner, 320 * 64 * mebibyte},
		{"gzip", gz(zeros[:30*mebibyte]), 30 * mebibyte},
		{"gzip", gz(zeros[:250*mebibyte]), 250 * mebibyte},
		{"gzip", many(14), 14 * 64 * mebibyte},
		{"deflate", fasthttp.AppendDeflateBytesLevel(nil, zeros[:30*mebibyte], fasthttp.CompressBestCompression), 30 * mebibyte},
		{"deflate", fasthttp.AppendDeflateBytesLevel(nil, zeros[:900*mebibyte], fasthttp.CompressBestCompression), 900 * mebibyte},
		{"br", fasthttp.AppendBrotliBytes(nil, zeros), gibibyte},
		{"zstd", bytes.Repeat(frame, 16), 16 * 64 * mebibyte},
	}
}

// No body that unpacks to more than it weighs makes the server grow, whatever route it is sent to.
func TestSoakBombs(t *testing.T) {
	a := attackedServer(t)
	routes, s := a.readers(t), sender{a, a.member(t).Jar, a.Account("caller@example.org", "pro")}
	a.Limit(s.key, 1_000_000_000)
	plain := bomb{body: make([]byte, 30<<10)}
	s.send(t, routes, plain) // once for connections, pools and caches
	ordinary := a.during(t, func() {
		for range 3 {
			s.send(t, routes, plain)
		}
	})
	t.Logf("%d routes, ordinary bodies of 30 kB: %s", len(routes), ordinary)
	for _, b := range bombs() {
		if a.killed.Load() {
			t.Fatal("the server is gone: the other bombs were not sent")
		}
		t.Run(b.String(), func(t *testing.T) {
			var statuses map[int]int
			m := a.during(t, func() { statuses = s.send(t, routes, b) })
			m.before = max(m.before, ordinary.highest)
			t.Logf("%d bytes: %s; statuses %v", len(b.body), m, statuses)
			if m.grown() >= bombGrowth {
				t.Errorf("the server grew by %.1f MiB, expected less than %d", m.grown(), bombGrowth)
			}
		})
	}
}

var bodyTypes = []string{"application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"}

// sender is somebody who may reach what reads bodies: signed in, and with a key.
type sender struct {
	*attacked
	jar http.CookieJar
	key string
}

// send sends a body to every route in every type, each time from another address, and counts the answers by
// status; 0 stands for a connection that was ended instead.
func (s sender) send(t *testing.T, routes []route, b bomb) map[int]int {
	t.Helper()
	statuses, from := map[int]int{}, 0
	transport := &http.Transport{DisableCompression: true, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			from++
			local := &net.TCPAddr{IP: net.IPv4(127, 2, byte(from/250), byte(1+from%250))}
			return (&net.Dialer{LocalAddr: local}).DialContext(ctx, network, address)
		}}
	c := &http.Client{Jar: s.jar, Timeout: time.Minute, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, r := range routes {
		for _, kind := range bodyTypes {
			before, _ := s.memory(t)
			status := s.one(t, c, r, kind, b)
			statuses[status]++
			if s.killed.Load() {
				t.Fatalf("%s %s (%s, %s): the server passed %d MiB and was killed", r.method, r.path, kind, b, memoryGuard)
			}
			if after, _ := s.memory(t); after > before+bombGrowth {
				t.Logf("%s %s (%s): %d, %.0f to %.0f MiB", r.method, r.path, kind, status, before, after)
			}
		}
	}
	return statuses
}

func (s sender) one(t *testing.T, c *http.Client, r route, kind string, b bomb) (status int) {
	t.Helper()
	req, err := http.NewRequest(r.method, s.Base+r.path, bytes.NewReader(b.body))
	testkit.NoError(t, err)
	for name, value := range map[string]string{"Content-Type": kind, "Content-Encoding": b.coding, "Sec-Fetch-Site": "same-origin",
		"Accept": "application/json, text/event-stream", "Stripe-Signature": "t=1,v1=00", "X-API-Key": s.key} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	res, err := c.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body) // the status is what counts
	return res.StatusCode
}
