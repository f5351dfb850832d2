package clientip_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"arpent/internal/clientip"
)

func ExampleNetwork() {
	fmt.Println(clientip.Network(netip.MustParseAddr("203.0.113.7")))
	fmt.Println(clientip.Network(netip.MustParseAddr("2001:db8:1:2:3::4")))
	// Output:
	// 203.0.113.7/32
	// 2001:db8:1:2::/64
}

// One subscriber is counted once, whichever of their addresses and spellings a request comes from.
func TestNetwork(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"203.0.113.7": "203.0.113.7/32", "::ffff:203.0.113.7": "203.0.113.7/32", "fe80::1%eth0": "fe80::/64", "2001:db8::": "2001:db8::/64",
	} {
		if got := clientip.Network(netip.MustParseAddr(text)).String(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := clientip.Network(netip.Addr{}); got != (netip.Prefix{}) || got.Addr().IsValid() {
		t.Errorf("no address: %v", got)
	}
}

// A limit holds in each network that a subscriber may have, so that a /48 is a few clients and not 65 536.
func TestBuckets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"203.0.113.7":        "203.0.113.7/32 1, 203.0.113.0/24 8, ",
		"::ffff:203.0.113.7": "203.0.113.7/32 1, 203.0.113.0/24 8, ",
		"2001:db8:1:203::4":  "2001:db8:1:203::/64 1, 2001:db8:1:200::/56 2, 2001:db8:1::/48 4, ",
	} {
		var got strings.Builder
		a := netip.MustParseAddr(text)
		for _, b := range clientip.Buckets(a) {
			fmt.Fprintf(&got, "%s %d, ", b.Network, b.Times)
		}
		if got.String() != want {
			t.Errorf("%s: %s", text, got.String())
		}
		buckets := clientip.Buckets(a)
		if clientip.Network(a) != buckets[0].Network || clientip.Widest(a) != buckets[len(buckets)-1].Network {
			t.Errorf("%s: %s and %s", text, clientip.Network(a), clientip.Widest(a))
		}
	}
	if b := clientip.Buckets(netip.Addr{}); b[0].Network != (netip.Prefix{}) {
		t.Errorf("no address: %v", b)
	}
}
