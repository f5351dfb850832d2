package clientip

import (
	"net/netip"
	"slices"
)

// notPublic are the networks within the public ranges that lead to no public server: those of the IANA
// registries of special-purpose addresses, and what clouds answer their own machines at.
var notPublic = mustParsePrefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32", // a cloud's own services
	"2001::/23",        // Teredo and other protocols
	"2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
)

// global6 holds every IPv6 address that is given out. What leads to IPv4 by translation is outside of it.
var global6 = netip.MustParsePrefix("2000::/3")

func mustParsePrefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, p := range list {
		out[i] = netip.MustParsePrefix(p)
	}
	return out
}

// IsPublic reports whether an address is one of the public Internet, however it is written.
func IsPublic(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	return (a.Is4() || global6.Contains(a)) && !slices.ContainsFunc(notPublic,
		func(p netip.Prefix) bool { return p.Contains(a) })
}
