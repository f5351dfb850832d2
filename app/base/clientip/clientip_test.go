package clientip_test

import (
	"fmt"
	"net/netip"
	"testing"

	"arpent/app/base/clientip"
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
