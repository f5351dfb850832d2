// Package clientip decides what counts as one client of the Internet, and which addresses are public. It is
// the one place that knows how much of an address a subscriber may choose.
package clientip

import "net/netip"

// Network is an IPv4 address, or the /64 of an IPv6 address: an access provider gives at least that to each
// subscriber. It does not allocate. An address that is not known has the zero Prefix.
func Network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		return maskPrefix(a, 64)
	}
	return maskPrefix(a, 32)
}

// Widest is the widest network that may belong to one subscriber: the /24 of an IPv4 address, the /48 of an
// IPv6 address. Budgets of the whole service are shared between these.
func Widest(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		return maskPrefix(a, 48)
	}
	return maskPrefix(a, 24)
}

// Bucket is a network that a client counts in, and how many times the
// limit of one client all of the network has.
type Bucket struct {
	Network netip.Prefix
	Times   int
}

// Buckets are the networks that a client counts in, from the narrowest to the widest. A limit holds in
// each of them: providers give a subscriber a /64, a /56 or a /48, so a client with a /48 gets four
// times the limit of one client, and not 65 536 times. The 256 addresses of an IPv4 /24 have eight
// times, since several subscribers share one.
func Buckets(a netip.Addr) []Bucket { return AppendBuckets(nil, a) }

// AppendBuckets is Buckets for a caller with room for three of its own: it then allocates nothing.
func AppendBuckets(to []Bucket, a netip.Addr) []Bucket {
	a = a.Unmap().WithZone("")
	if !a.IsValid() {
		return append(to, Bucket{netip.Prefix{}, 1})
	}
	if a.Is6() {
		return append(to, Bucket{maskPrefix(a, 64), 1}, Bucket{maskPrefix(a, 56), 2}, Bucket{maskPrefix(a, 48), 4})
	}
	return append(to, Bucket{maskPrefix(a, 32), 1}, Bucket{maskPrefix(a, 24), 8})
}

func maskPrefix(a netip.Addr, bits int) netip.Prefix {
	p, _ := a.Prefix(bits) // cannot fail: no address is that short
	return p
}
