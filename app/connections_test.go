package app_test

import (
	"bufio"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"arpent/app"
	"arpent/app/dev/fixture"
)

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
	s := fixture.Start(t)
	s.App.Narrow(0)
	var r fixture.Response
	s.Until(func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.Base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return false // the answer is lost where it cannot be written at once
		}
		r = fixture.Read(t, res)
		return true
	})
	if r.Status != http.StatusServiceUnavailable || r.Code(t) != "unavailable" || r.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	s.App.Narrow(100)
	s.Until(func() bool { return s.Get("/healthz").Status == http.StatusOK })
}
