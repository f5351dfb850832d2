package app_test

import (
	"bufio"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"arpent/app"
	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/internal/config"
)

// No address takes all connections: it has its share, and a client over the total gets an answer.
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
	s := fixture.New(t)
	s.Run(func(c *config.Config) { c.TrustedProxies = []string{"10.0.0.0/8"} })
	all = s.App.Connections()
	for range app.MaxPerAddress + 1 {
		if !all.Enter(address("10.0.0.7")) {
			t.Fatal("a proxy of the settings is limited as one client")
		}
	}
	s.App.Narrow(0)
	var r fixture.Response
	s.Until(func() bool {
		conn := testkit.Must(net.Dial("tcp", strings.TrimPrefix(s.Base, "http://")))(t)
		defer conn.Close()
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return false // the answer is lost where it cannot be written at once
		}
		r = fixture.Read(t, res)
		return true
	})
	if r.Status != http.StatusServiceUnavailable || r.Code(t) != "unavailable" || r.Header.Get("Retry-After") == "" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	s.App.Narrow(1000)
	s.Until(func() bool { return s.Get("/healthz").Status == http.StatusOK })
}

// deadlines are a connection that notes what it is asked.
type deadlines struct {
	net.Conn
	read, written, reads, writes int
}

func (d *deadlines) SetReadDeadline(time.Time) error  { d.read++; return nil }
func (d *deadlines) SetWriteDeadline(time.Time) error { d.written++; return nil }
func (d *deadlines) Read(p []byte) (int, error)       { d.reads++; return len(p), nil }
func (d *deadlines) Write(p []byte) (int, error)      { d.writes++; return len(p), nil }

// A request, the wait for the next one and an answer each have their time from their beginning on:
// what trickles in or out does not extend it.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	s := fixture.New(t)
	s.Run(nil)
	below := &deadlines{}
	conn, tick := app.Coarse(below)
	read := func() { _, _ = conn.Read(make([]byte, 1)) }
	write := func() { _, _ = conn.Write(make([]byte, 1)) }
	changed := s.App.Fiber().Server().ConnState
	state := func(s fasthttp.ConnState) func() { return func() { changed(conn, s) } }
	for i, step := range []struct {
		what          string
		do            func()
		read, written int // deadlines set by then
	}{
		{"a new connection", state(fasthttp.StateNew), 1, 0},
		{"its first byte", read, 1, 0},
		{"a request begins", state(fasthttp.StateActive), 1, 0},
		{"time passes", tick, 1, 0},
		{"the rest of it arrives", read, 1, 0},
		{"the answer begins", write, 1, 1},
		{"time passes", tick, 1, 1},
		{"the answer goes on", write, 1, 1},
		{"the wait for the next request begins", state(fasthttp.StateIdle), 2, 1},
		{"the next one begins in the same second", state(fasthttp.StateActive), 2, 1},
		{"its answer begins", write, 2, 2},
		{"another one was sent with it", state(fasthttp.StateActive), 2, 2},
		{"time passes", tick, 2, 2},
		{"a third", state(fasthttp.StateActive), 3, 2},
		{"its answer begins", write, 3, 3},
		{"time passes", tick, 3, 3},
		{"a body is asked for and arrives", read, 3, 3},
		{"the answer to it", write, 3, 4},
		{"the connection ends", state(fasthttp.StateClosed), 3, 4},
	} {
		if step.do(); below.read != step.read || below.written != step.written {
			t.Fatalf("%d, %s: %d deadlines to read and %d to write were set, want %d and %d", i, step.what, below.read, below.written, step.read, step.written)
		}
	}
	begun := s.App.Ticks()
	s.Until(func() bool { return s.App.Ticks() > begun+1 })
}
